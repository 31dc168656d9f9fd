//! What a session is created with, and whom it lets take part, as somebody sent it.

use serde_json::Value;

use crate::app::error::ServiceError;
use context::fields::FieldFault;
use context::fields::Fields;
use context::fields::refuse_repeated;
use context::session::action::PATTERNS_MAX;
use context::session::config;
use context::session::config::Config;
use context::session::decide::NewSession;
use context::session::decide::SessionLimits;
use context::session::event::Grant;
use context::session::name::Label;
use context::session::name::SessionId;
use context::session::participant::Pattern;
use schema::name::ClientId;
use text::secrets;
use text::secrets::Scope;
use text::secrets::words::scrubbed_words;

/// Reads what a session is created with; with it its conventions as JSON text. `made` is its id where none is given.
///
/// # Errors
/// [`ServiceError::InvalidMessage`] with every member that is wrong.
pub fn read(
    text: &str,
    owner: Option<ClientId>,
    made: &SessionId,
    limits: &SessionLimits,
) -> Result<(NewSession, Option<String>), ServiceError> {
    let wrong = |fault: FieldFault| ServiceError::InvalidMessage(vec![fault]);
    let text = if text.trim().is_empty() { "{}" } else { text };
    let fields = Fields::read(text, "").map_err(wrong)?;
    refuse_repeated(text).map_err(wrong)?;
    let mut faults: Vec<FieldFault> = fields
        .only(&["session_id", "config", "participants"])
        .err()
        .into_iter()
        .collect();
    let given_id = fields.get::<String>("session_id", "a string").map_err(wrong)?;
    let session = given_id.as_deref().map_or_else(|| Some(made.clone()), SessionId::parse);
    if session.is_none() {
        let what = "must be 1 to 128 characters out of A-Z, a-z, 0-9, '.', '_' and '-'";
        faults.push(FieldFault::new("session_id", what));
    }
    faults.extend(session.as_ref().and_then(|id| secret_form("session_id", id.as_str())));
    let given: Option<Value> = fields.get("config", "an object").map_err(wrong)?;
    let config = Config::read(given.as_ref(), limits.history_versions_max);
    let config = config.unwrap_or_else(|wrong| {
        faults.extend(wrong);
        Config::default()
    });
    let namespace = config::namespace(given.as_ref(), &config, limits.namespace_bytes_max);
    let namespace = namespace.unwrap_or_else(|wrong| {
        faults.push(wrong);
        None
    });
    let participants: Vec<Value> = fields.get("participants", "a list").map_err(wrong)?.unwrap_or_default();
    let mut grants = Vec::new();
    for (place, value) in participants.iter().enumerate() {
        match granted(&value.to_string(), &format!("participants[{place}].")) {
            Ok(grant) if grants.iter().any(|other: &Grant| other.principal == grant.principal) => {
                let what = "is listed already: all its roles stand in one `roles`";
                faults.push(FieldFault::new(format!("participants[{place}].principal"), what));
            }
            Ok(grant) => grants.push(grant),
            Err(fault) => faults.push(fault),
        }
    }
    let Some(session) = session.filter(|_| faults.is_empty()) else {
        return Err(ServiceError::InvalidMessage(faults));
    };
    let wanted = NewSession {
        session,
        owner,
        grants,
        config,
        namespace: namespace.is_some(),
    };
    // Before anything is kept of it (X-02), and what is kept is shown in a prompt.
    let namespace = namespace.map(|text| secrets::scrubbed_whole(&text, Scope::Words));
    Ok((wanted, namespace))
}

/// Refuses a label that has the form of a secret (X-02): without it, it would be another label.
///
/// # Errors
/// [`ServiceError::InvalidMessage`].
pub fn harmless(label: &Label) -> Result<(), ServiceError> {
    secret_form("label", label.as_str()).map_or(Ok(()), |fault| Err(ServiceError::InvalidMessage(vec![fault])))
}

/// What is wrong with a name that has the form of a secret.
fn secret_form(member: &str, name: &str) -> Option<FieldFault> {
    let what = "has the form of a secret, which is not kept";
    scrubbed_words(name).map(|_| FieldFault::new(member, what))
}

/// Reads whom a session is to let take part: `{"principal", "roles"}`.
///
/// # Errors
/// [`ServiceError::InvalidMessage`] with the member that is wrong.
pub fn grant(text: &str) -> Result<Grant, ServiceError> {
    granted(text, "").map_err(|fault| ServiceError::InvalidMessage(vec![fault]))
}

fn granted(text: &str, within: &str) -> Result<Grant, FieldFault> {
    let fields = Fields::read(text, within)?;
    fields.only(&["principal", "roles"])?;
    let principal: Option<String> = fields.get("principal", "a string")?;
    let principal = principal.as_deref().and_then(ClientId::parse);
    let principal = principal.ok_or_else(|| {
        let what = "must be the name of a principal: 1 to 128 visible ASCII characters";
        FieldFault::new(fields.place("principal"), what)
    })?;
    let expected =
        "a list of 1 to 16 roles such as \"subagent:review\" or \"subagent:review:*\", the first one without *";
    let roles: Vec<String> = fields.get("roles", expected)?.unwrap_or_default();
    let patterns: Option<Vec<Pattern>> = roles.iter().map(|role| Pattern::parse(role)).collect();
    let roles = patterns.filter(|roles| {
        (1..=PATTERNS_MAX).contains(&roles.len()) && roles.first().is_some_and(|role| role.one().is_some())
    });
    let roles = roles.ok_or_else(|| FieldFault::new(fields.place("roles"), format!("must be {expected}")))?;
    if roles.iter().any(|role| role.as_str() == "*") {
        let what = "must not have * alone, which would leave the creator no role: grant \"subagent:*\"";
        return Err(FieldFault::new(fields.place("roles"), what));
    }
    Ok(Grant { principal, roles })
}

#[cfg(test)]
mod tests {
    use super::Label;
    use super::ServiceError;
    use super::SessionId;
    use super::SessionLimits;
    use super::harmless;
    use super::read;
    use context::session::size::SizeLimits;

    const LIMITS: SessionLimits = SessionLimits {
        sessions_max: 1,
        sessions_per_client_max: 1,
        keys_max: 1,
        participants_max: 1,
        history_versions_max: 1,
        snapshots_max: 1,
        batch_keys_max: 1,
        expiry_s_max: 1,
        namespace_bytes_max: 1_000,
        size: SizeLimits {
            value_max: 1_000,
            value_warned: 800,
            value_hinted: 500,
            total_max: 1_000,
        },
    };

    fn made() -> SessionId {
        SessionId::given_out([1; 16])
    }

    #[test]
    fn conventions_are_kept_without_secrets_x02() {
        let text = r#"{"config": {"namespace": [{"title": "X", "keys": [{"key": "ok", "purpose": "password=hunter22 here"}]}]}}"#;
        let (_, namespace) = read(text, None, &made(), &LIMITS).expect("right");
        let namespace = namespace.expect("conventions");
        assert!(
            !namespace.contains("hunter22") && namespace.contains("here"),
            "{namespace}"
        );
    }

    #[test]
    fn a_principal_that_is_listed_twice_is_named_s086() {
        let text = r#"{"participants": [{"principal": "ben", "roles": ["subagent:a"]}, {"principal": "ben", "roles": ["subagent:b"]}]}"#;
        let Err(ServiceError::InvalidMessage(faults)) = read(text, None, &made(), &LIMITS) else {
            panic!("it is refused");
        };
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["participants[1].principal"]);
    }

    #[test]
    fn a_label_that_has_the_form_of_a_secret_is_refused_x02() {
        let label = |text: &str| Label::parse(text).expect("a label");
        assert!(harmless(&label("before_approval-2026.05")).is_ok());
        assert!(harmless(&label("ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5")).is_err());
    }

    #[test]
    fn a_session_id_that_has_the_form_of_a_secret_is_refused_x02() {
        let fault = |id: &str| {
            let text = format!(r#"{{"session_id": "{id}"}}"#);
            match read(&text, None, &made(), &LIMITS) {
                Err(ServiceError::InvalidMessage(faults)) => faults.into_iter().map(|fault| fault.field).collect(),
                Err(other) => panic!("{other}"),
                Ok(_) => Vec::new(),
            }
        };
        assert_eq!(fault("sk-aB3dE5fG7hJ9kL1mN3pQ5rS7"), ["session_id"]);
        assert!(fault("capa-17").is_empty());
    }
}
