//! What settings must be true of each other.

use crate::config::BadSettings;
use crate::config::Settings;
use crate::config::endpoint;
use context::message::policy;
use engine::scenario::policy::Policy;

/// Checks settings against each other.
///
/// # Errors
/// The first contradiction, naming both settings.
pub fn check(settings: &Settings) -> Result<(), BadSettings> {
    model(settings)?;
    settings.cohorts()?;
    if settings.executors.calls_each_max > settings.executors.calls_max {
        return Err(BadSettings(format!(
            "executors.calls_each_max ({}) must not be greater than executors.calls_max ({})",
            settings.executors.calls_each_max, settings.executors.calls_max
        )));
    }
    agents(settings)?;
    sharing(settings)?;
    tasks(settings)?;
    let kept_s = settings.service.texts_kept_days.saturating_mul(86_400);
    if kept_s > 0 && kept_s <= settings.service.idempotency_s {
        return Err(BadSettings(format!(
            "service.texts_kept_days ({}) must be longer than service.idempotency_s ({}): a stored reply would be erased \
             while its key is remembered",
            settings.service.texts_kept_days, settings.service.idempotency_s
        )));
    }
    let policy = Policy {
        pool: settings.policy.pool.clone(),
        evolution: settings.policy.evolution.clone(),
        ..Policy::default()
    };
    if let Some(contradiction) = policy.contradictions().into_iter().next() {
        return Err(BadSettings(contradiction.message));
    }
    Ok(())
}

fn agents(settings: &Settings) -> Result<(), BadSettings> {
    let a2a = &settings.a2a;
    if a2a.tasks_per_client_max > a2a.tasks_max {
        return Err(BadSettings(format!(
            "a2a.tasks_per_client_max ({}) must not be greater than a2a.tasks_max ({})",
            a2a.tasks_per_client_max, a2a.tasks_max
        )));
    }
    let conversations = &settings.conversations;
    if conversations.per_client_max > conversations.conversations_max {
        return Err(BadSettings(format!(
            "conversations.per_client_max ({}) must not be greater than conversations.conversations_max ({})",
            conversations.per_client_max, conversations.conversations_max
        )));
    }
    policy::read(&settings.messages.policies)
        .map_err(|what| BadSettings(format!("messages.policies: number {what}")))?;
    let url = a2a.public_url.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_host = |host: &str| {
        !host.is_empty() && !host.contains(['/', '?', '#', '@']) && host.bytes().all(|b| b.is_ascii_graphic())
    };
    if !url.is_empty() && !host.is_some_and(is_host) {
        return Err(BadSettings(format!(
            "a2a.public_url ({url}) must be an address such as https://agents.example.com, without a path"
        )));
    }
    Ok(())
}

fn sharing(settings: &Settings) -> Result<(), BadSettings> {
    let sessions = &settings.sessions;
    if sessions.sessions_per_client_max > sessions.sessions_max {
        return Err(BadSettings(format!(
            "sessions.sessions_per_client_max ({}) must not be greater than sessions.sessions_max ({})",
            sessions.sessions_per_client_max, sessions.sessions_max
        )));
    }
    let sizes = [
        ("sessions.value_tokens_hinted", sessions.value_tokens_hinted),
        ("sessions.value_tokens_warned", sessions.value_tokens_warned),
        ("sessions.value_tokens_max", sessions.value_tokens_max),
        ("sessions.store_tokens_max", sessions.store_tokens_max),
    ];
    for pair in sizes.windows(2) {
        if let [(low_path, low), (high_path, high)] = pair
            && low > high
        {
            return Err(BadSettings(format!(
                "{low_path} ({low}) must not be greater than {high_path} ({high})"
            )));
        }
    }
    Ok(())
}

fn tasks(settings: &Settings) -> Result<(), BadSettings> {
    let tasks = &settings.tasks;
    if tasks.tasks_per_client_max > tasks.tasks_max {
        return Err(BadSettings(format!(
            "tasks.tasks_per_client_max ({}) must not be greater than tasks.tasks_max ({})",
            tasks.tasks_per_client_max, tasks.tasks_max
        )));
    }
    if tasks.contents_per_client_bytes_max > tasks.contents_bytes_max {
        return Err(BadSettings(format!(
            "tasks.contents_per_client_bytes_max ({}) must not be greater than tasks.contents_bytes_max ({})",
            tasks.contents_per_client_bytes_max, tasks.contents_bytes_max
        )));
    }
    if tasks.content_bytes_max as u64 > tasks.contents_per_client_bytes_max {
        return Err(BadSettings(format!(
            "tasks.content_bytes_max ({}) must not be greater than tasks.contents_per_client_bytes_max ({})",
            tasks.content_bytes_max, tasks.contents_per_client_bytes_max
        )));
    }
    Ok(())
}

fn model(settings: &Settings) -> Result<(), BadSettings> {
    let model = &settings.model;
    if model.url.is_empty() {
        return Ok(());
    }
    endpoint::parse(&model.url).map_err(|what| BadSettings(format!("model.url must {what}")))?;
    if model.name.trim().is_empty() {
        return Err(BadSettings("model.name must be set where model.url is".to_owned()));
    }
    if !model.key_env.is_empty() && !model.key_file.is_empty() {
        return Err(BadSettings(
            "model.key_env and model.key_file are both set: name one place of the key".to_owned(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::config::Settings;

    #[test]
    fn deprecation_lies_below_promotion_z144_z146() {
        let mut settings = Settings::default();
        settings.policy.evolution.deprecate_usage_below = 0.149;
        assert!(check(&settings).is_ok());
        settings.policy.evolution.deprecate_usage_below = 0.15;
        assert!(check(&settings).is_err());
        let mut settings = Settings::default();
        settings.policy.evolution.deprecate_alignment_below = 0.8;
        assert!(check(&settings).is_err());
        let mut settings = Settings::default();
        settings.policy.evolution.deprecate_type_below = 0.9;
        assert!(check(&settings).is_err());
    }

    #[test]
    fn what_one_client_may_have_is_no_more_than_all_may_c058() {
        type Change = fn(&mut Settings);
        let cases: [(Change, Change); 3] = [
            (
                |s| s.tasks.tasks_per_client_max = s.tasks.tasks_max,
                |s| s.tasks.tasks_per_client_max = s.tasks.tasks_max + 1,
            ),
            (
                |s| s.tasks.contents_per_client_bytes_max = s.tasks.contents_bytes_max,
                |s| s.tasks.contents_per_client_bytes_max = s.tasks.contents_bytes_max + 1,
            ),
            (
                |s| s.tasks.contents_per_client_bytes_max = s.tasks.content_bytes_max as u64,
                |s| s.tasks.contents_per_client_bytes_max = s.tasks.content_bytes_max as u64 - 1,
            ),
        ];
        for (right, wrong) in cases {
            let mut settings = Settings::default();
            right(&mut settings);
            assert!(check(&settings).is_ok());
            wrong(&mut settings);
            assert!(check(&settings).expect_err("too much").0.starts_with("tasks."));
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
        assert!(check(&settings).expect_err("two places").0.contains("model.key_file"));
        settings.model.key_file = String::new();
        assert!(check(&settings).is_ok());
        settings.model.name = " ".to_owned();
        assert!(check(&settings).expect_err("no name").0.contains("model.name"));
        settings.model.name = "m".to_owned();
        settings.model.url = "http://models.example/v1".to_owned();
        assert!(
            check(&settings)
                .expect_err("in the clear")
                .0
                .starts_with("model.url must begin with https://")
        );
    }

    #[test]
    fn one_executor_takes_no_more_calls_than_all_z007() {
        let mut settings = Settings::default();
        settings.executors.calls_each_max = settings.executors.calls_max;
        assert!(check(&settings).is_ok());
        settings.executors.calls_each_max += 1;
        assert!(check(&settings).is_err());
    }

    #[test]
    fn a_patch_outlives_its_first_trial_z128() {
        let mut settings = Settings::default();
        settings.policy.evolution.expiration_s = settings.policy.evolution.trial_s;
        assert!(check(&settings).is_ok());
        settings.policy.evolution.expiration_s -= 1;
        assert!(check(&settings).is_err());
    }

    #[test]
    fn clusters_are_no_tighter_than_what_they_are_made_of() {
        let mut settings = Settings::default();
        settings.policy.pool.link_min = settings.policy.pool.micro_cosine_min;
        assert!(check(&settings).is_ok());
        settings.policy.pool.link_min = 0.86;
        assert!(check(&settings).is_err());
        let mut settings = Settings::default();
        settings.policy.pool.gate_occurrence_clients_min = settings.policy.pool.gate_occurrences_min + 1;
        assert!(check(&settings).is_err());
    }

    #[test]
    fn the_public_address_of_agents_has_a_host_and_no_path_and_one_client_no_more_tasks_than_all() {
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
        let mut settings = Settings::default();
        settings.a2a.tasks_per_client_max = settings.a2a.tasks_max;
        assert!(check(&settings).is_ok());
        settings.a2a.tasks_per_client_max += 1;
        assert!(check(&settings).is_err());
    }
}
