//! What settings must be true of each other.

use crate::config::BadSettings;
use crate::config::Settings;
use crate::config::agents::Model;
use crate::config::endpoint;
use context::message::policy;
use engine::scenario::policy::Policy;

/// Checks settings against each other.
///
/// # Errors
/// The first contradiction, naming both settings.
pub fn check(settings: &Settings) -> Result<(), BadSettings> {
    contradiction(settings).map_or(Ok(()), |what| Err(BadSettings(what)))?;
    settings.cohorts().map(|_| ())
}

/// The pairs of which the first setting is no greater than the second, as far as they are not.
macro_rules! greater {
    ($settings:ident: $($low:ident.$below:ident <= $high:ident.$above:ident;)+) => {
        [$((
            ($settings.$low.$below as u64) > ($settings.$high.$above as u64),
            concat!(stringify!($low), ".", stringify!($below)),
            $settings.$low.$below as u64,
            concat!(stringify!($high), ".", stringify!($above)),
            $settings.$high.$above as u64,
        )),+]
    };
}

fn contradiction(settings: &Settings) -> Option<String> {
    let pairs = greater! { settings:
        executors.calls_each_max <= executors.calls_max;
        a2a.tasks_per_client_max <= a2a.tasks_max;
        conversations.per_client_max <= conversations.conversations_max;
        sessions.sessions_per_client_max <= sessions.sessions_max;
        sessions.value_tokens_hinted <= sessions.value_tokens_warned;
        sessions.value_tokens_warned <= sessions.value_tokens_max;
        sessions.value_tokens_max <= sessions.store_tokens_max;
        tasks.tasks_per_client_max <= tasks.tasks_max;
        tasks.contents_per_client_bytes_max <= tasks.contents_bytes_max;
        tasks.content_bytes_max <= tasks.contents_per_client_bytes_max;
    };
    if let Some((_, low, below, high, above)) = pairs.into_iter().find(|(greater, ..)| *greater) {
        return Some(format!("{low} ({below}) must not be greater than {high} ({above})"));
    }
    if let Err(what) = policy::read(&settings.messages.policies) {
        return Some(format!("messages.policies: number {what}"));
    }
    let url = settings.a2a.public_url.trim_end_matches('/');
    if !url.is_empty() && !is_origin(url) {
        return Some(format!(
            "a2a.public_url ({url}) must be an address such as https://agents.example.com, without a path"
        ));
    }
    let days = settings.service.texts_kept_days;
    for (name, remembered_s) in [
        ("idempotency_s", settings.service.idempotency_s),
        ("idempotency_generated_s", settings.service.idempotency_generated_s),
    ] {
        if days > 0 && days.saturating_mul(86_400) <= remembered_s {
            return Some(format!(
                "service.texts_kept_days ({days}) must be longer than service.{name} ({remembered_s}): a stored reply would \
                 be erased while its key is remembered"
            ));
        }
    }
    let policy = Policy {
        pool: settings.policy.pool.clone(),
        evolution: settings.policy.evolution.clone(),
        ..Policy::default()
    };
    let of_policy = || policy.contradictions().into_iter().next().map(|found| found.message);
    of_model(&settings.model).or_else(of_policy)
}

/// Whether this is a scheme and a host, and nothing else.
fn is_origin(url: &str) -> bool {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    host.is_some_and(|host| {
        !host.is_empty() && !host.contains(['/', '?', '#', '@']) && host.bytes().all(|b| b.is_ascii_graphic())
    })
}

fn of_model(model: &Model) -> Option<String> {
    if model.url.is_empty() {
        return None;
    }
    if let Err(what) = endpoint::parse(&model.url) {
        return Some(format!("model.url must {what}"));
    }
    if model.name.trim().is_empty() {
        return Some("model.name must be set where model.url is".to_owned());
    }
    let two = !model.key_env.is_empty() && !model.key_file.is_empty();
    two.then(|| "model.key_env and model.key_file are both set: name one place of the key".to_owned())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::config::Settings;

    type Change = fn(&mut Settings);

    #[test]
    fn settings_that_bound_each_other_are_held_at_their_edges_z007_z128_z144_z146_c058() {
        fn nothing(_: &mut Settings) {}
        let cases: [(&str, Change, Change); 8] = [
            (
                "deprecate_usage_below",
                |s| s.policy.evolution.deprecate_usage_below = 0.149,
                |s| s.policy.evolution.deprecate_usage_below = 0.15,
            ),
            ("deprecate_alignment_below", nothing, |s| {
                s.policy.evolution.deprecate_alignment_below = 0.8
            }),
            ("deprecate_type_below", nothing, |s| {
                s.policy.evolution.deprecate_type_below = 0.9
            }),
            (
                "expiration_s",
                |s| s.policy.evolution.expiration_s = s.policy.evolution.trial_s,
                |s| s.policy.evolution.expiration_s = s.policy.evolution.trial_s - 1,
            ),
            (
                "link_min",
                |s| s.policy.pool.link_min = s.policy.pool.micro_cosine_min,
                |s| s.policy.pool.link_min = 0.86,
            ),
            ("gate_occurrence_clients_min", nothing, |s| {
                s.policy.pool.gate_occurrence_clients_min = s.policy.pool.gate_occurrences_min + 1;
            }),
            (
                "calls_each_max",
                |s| s.executors.calls_each_max = s.executors.calls_max,
                |s| s.executors.calls_each_max = s.executors.calls_max + 1,
            ),
            (
                "content_bytes_max",
                |s| s.tasks.contents_per_client_bytes_max = s.tasks.content_bytes_max as u64,
                |s| s.tasks.contents_per_client_bytes_max = s.tasks.content_bytes_max as u64 - 1,
            ),
        ];
        for (name, right, wrong) in cases {
            let mut settings = Settings::default();
            right(&mut settings);
            assert_eq!(check(&settings), Ok(()), "{name}");
            wrong(&mut settings);
            let said = check(&settings).expect_err(name).0;
            assert!(said.contains(name), "{said}");
        }
    }

    #[test]
    fn a_model_has_a_name_and_one_place_for_its_key() {
        let mut settings = Settings::default();
        settings.model.name = "m".to_owned();
        settings.model.key_env = "KEY".to_owned();
        settings.model.key_file = "key".to_owned();
        assert!(check(&settings).is_ok(), "off");
        settings.model.url = "https://models.example/v1".to_owned();
        let said = |settings: &Settings| check(settings).expect_err("a contradiction").0;
        assert!(said(&settings).contains("model.key_file"));
        settings.model.key_file = String::new();
        assert!(check(&settings).is_ok());
        settings.model.name = " ".to_owned();
        assert!(said(&settings).contains("model.name"));
        settings.model.name = "m".to_owned();
        settings.model.url = "http://models.example/v1".to_owned();
        assert!(said(&settings).starts_with("model.url must begin with https://"));
    }

    #[test]
    fn the_public_address_of_agents_has_a_host_and_no_path() {
        for (url, right) in [
            ("", true),
            ("https://agents.example.com", true),
            ("http://localhost:8080/", true),
            ("agents.example.com", false),
            ("https://", false),
            ("https://agents.example.com/a2a", false),
            ("https://ana@agents.example.com", false),
        ] {
            let mut settings = Settings::default();
            settings.a2a.public_url = url.to_owned();
            assert_eq!(check(&settings).is_ok(), right, "{url}");
        }
    }
}
