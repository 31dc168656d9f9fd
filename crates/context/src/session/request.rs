//! What is asked of sessions, as somebody sends it: what one is created with, whom it lets take part, and the actions of agents in the
//! document's form, `{"action": "write", "key": …, "value": …}` (Shared Context §3, §7, §8.4).
//!
//! A member that is not known is refused, so that a slip of the pen is not taken for silence; `written_by` and `written_at`, which only
//! describe, are passed over (S-027). A key is read as the text that it is: whether it may be one is for the session to say.

use serde_json::value::RawValue;
use strum::IntoStaticStr;
use strum::VariantNames;

use crate::fields::Faults;
use crate::fields::FieldFault;
use crate::fields::Fields;
use crate::fields::refuse_repeated;
use crate::session::config::Config;
use crate::session::config::Group;
use crate::session::event::Grant;
use crate::session::limits::SessionLimits;
use crate::session::names::Label;
use crate::session::names::PATTERNS_MAX;
use crate::session::names::Pattern;
use crate::session::names::SessionId;
use schema::name::ClientId;
use text::secrets;
use text::secrets::Scope;
use text::secrets::words::scrubbed_words;

/// A session that is to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    pub session: SessionId,
    pub owner: Option<ClientId>,
    pub grants: Vec<Grant>,
    pub config: Config,
    /// Whether it has conventions for its keys.
    pub namespace: bool,
}

/// Where a key must be for something to be done to it: at this version, of this incarnation; 0 for a key that must not be there. A
/// version alone holds as long as nobody deletes the key and writes it anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Precondition {
    pub version: Option<u64>,
    pub incarnation: Option<u64>,
}

impl Precondition {
    /// Whether anything must hold.
    pub fn is_some(self) -> bool {
        self.version.is_some() || self.incarnation.is_some()
    }

    fn read(fields: &Fields<'_>) -> Result<Precondition, FieldFault> {
        Ok(Precondition {
            version: fields.count("if_version")?,
            incarnation: match fields.count("if_incarnation")? {
                Some(wanted) => Some(wanted),
                None => fields.count("incarnation")?,
            },
        })
    }
}

/// What is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Write {
    pub key: String,
    pub value: String,
    /// Where the key must be.
    pub at: Precondition,
}

/// What is asked of what a session holds: the actions of the document's core, then those of its extensions.
#[derive(Clone, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    ListKeys,
    Read { key: String },
    Write(Write),
    Delete { key: String, at: Precondition },
    ReadBatch { keys: Vec<String> },
    ReadHistory { key: String, versions: Option<Vec<u64>> },
    Snapshot { label: Label },
    ListSnapshots,
    ReadSnapshot { label: Label },
    Rollback { label: Label },
    DeleteSnapshot { label: Label },
}

/// Every action by name.
pub const ACTIONS: &[&str] = Action::VARIANTS;

/// What an action may hold. `session_id` stands beside it where no address names the session.
const MEMBERS: [&str; 12] = [
    "session_id",
    "action",
    "key",
    "value",
    "if_version",
    "if_incarnation",
    "incarnation",
    "keys",
    "versions",
    "label",
    "written_by",
    "written_at",
];

impl Action {
    /// Reads an action on a session.
    ///
    /// # Errors
    /// The member that is missing or wrong, or names another session.
    pub fn parse(text: &str, session: &str, limits: &SessionLimits) -> Result<Action, FieldFault> {
        let fields = Fields::read(text, "")?;
        if fields.given("version").is_some() {
            // Whoever sends it may hold it for a condition, so that to pass over it would lose an update.
            let what = "is given by the service; `if_version` is the version that the key must be at";
            return Err(FieldFault::new("version", what));
        }
        fields.only(&MEMBERS)?;
        let named: Option<String> = fields.get("session_id", "a string")?;
        if named.is_some_and(|named| named != session) {
            let what = "must be left out, or be the session of the address";
            return Err(FieldFault::new("session_id", what));
        }
        let key = || required(&fields, "key");
        let label = || {
            let what = "must be 1 to 64 characters out of A-Z, a-z, 0-9, '.', '_' and '-'";
            Label::parse(&required(&fields, "label")?).ok_or_else(|| FieldFault::new("label", what))
        };
        Ok(match required(&fields, "action")?.as_str() {
            "list_keys" => Action::ListKeys,
            "read" => Action::Read { key: key()? },
            "write" => Action::Write(Write {
                key: key()?,
                value: required(&fields, "value")?,
                at: Precondition::read(&fields)?,
            }),
            "delete" => Action::Delete {
                key: key()?,
                at: Precondition::read(&fields)?,
            },
            "read_batch" => Action::ReadBatch {
                keys: batch(&fields, limits.batch_keys_max)?,
            },
            "read_history" => Action::ReadHistory {
                key: key()?,
                versions: fields.counts("versions")?,
            },
            "snapshot" => Action::Snapshot { label: label()? },
            "list_snapshots" => Action::ListSnapshots,
            "read_snapshot" => Action::ReadSnapshot { label: label()? },
            "rollback" => Action::Rollback { label: label()? },
            "delete_snapshot" => Action::DeleteSnapshot { label: label()? },
            _ => {
                let what = format!("must be one of {}", ACTIONS.join(", "));
                return Err(FieldFault::new("action", what));
            }
        })
    }

    /// The action without what has the form of a secret, before anything is kept of it (X-02); whether anything was taken out.
    ///
    /// # Errors
    /// A label of that form: without it, it would be another label.
    pub fn scrubbed(mut self) -> Result<(Action, bool), FieldFault> {
        let mut is_scrubbed = false;
        match &mut self {
            Action::Write(write) => {
                if let Some(value) = scrubbed_words(&write.value) {
                    (write.value, is_scrubbed) = (value, true);
                }
            }
            Action::Snapshot { label } => no_secret("label", label.as_str())?,
            _ => {}
        }
        Ok((self, is_scrubbed))
    }
}

fn required(fields: &Fields<'_>, name: &str) -> Result<String, FieldFault> {
    let text: Option<String> = fields.get(name, "a string")?;
    text.ok_or_else(|| FieldFault::new(name, "is missing; it must be a string"))
}

fn batch(fields: &Fields<'_>, keys_max: usize) -> Result<Vec<String>, FieldFault> {
    let keys: Option<Vec<String>> = fields.get("keys", "a list of strings")?;
    let keys = keys.ok_or_else(|| FieldFault::new("keys", "is missing; it must be a list of strings"))?;
    if keys.is_empty() || keys.len() > keys_max {
        return Err(FieldFault::new("keys", format!("must have 1 to {keys_max} keys")));
    }
    Ok(keys)
}

fn no_secret(member: &str, name: &str) -> Result<(), FieldFault> {
    let what = "has the form of a secret, which is not kept";
    scrubbed_words(name).map_or(Ok(()), |_| Err(FieldFault::new(member, what)))
}

/// Reads what a session is created with, and its conventions as JSON text without secrets: they are shown in a prompt (X-02). `made`
/// is its id where none is given.
///
/// # Errors
/// Every member that is wrong.
pub fn new_session(
    text: &str,
    owner: Option<ClientId>,
    made: SessionId,
    limits: &SessionLimits,
) -> Result<(NewSession, Option<String>), Vec<FieldFault>> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let fields = refuse_repeated(text).and_then(|()| Fields::read(text, ""));
    let fields = fields.map_err(|fault| vec![fault])?;
    let mut faults = Faults::default();
    faults.take(fields.only(&["session_id", "config", "participants"]));
    let session = faults.take(session_id(&fields)).unwrap_or(made);
    let (config, namespace) = match Fields::read(fields.raw("config").unwrap_or("{}"), "config.") {
        Ok(given) => {
            let config = Config::read(&given, limits.history_versions_max, &mut faults);
            let namespace = faults.take(namespace(&given, &config, limits.namespace_bytes_max));
            (config, namespace)
        }
        Err(fault) => (faults.take(Err(fault)), None),
    };
    let participants: Vec<&RawValue> = faults.take(fields.get("participants", "a list")).unwrap_or_default();
    let mut grants: Vec<Grant> = Vec::new();
    for (place, given) in participants.into_iter().enumerate() {
        match grant(given.get(), &format!("participants[{place}].")) {
            Ok(grant) if grants.iter().any(|other| other.principal == grant.principal) => {
                let what = "is listed already: all its roles stand in one `roles`";
                faults.note(format!("participants[{place}].principal"), what);
            }
            Ok(grant) => grants.push(grant),
            Err(fault) => faults.extend([fault]),
        }
    }
    let wanted = NewSession {
        session,
        owner,
        grants,
        config,
        namespace: namespace.is_some(),
    };
    faults.none_in((wanted, namespace))
}

fn session_id(fields: &Fields<'_>) -> Result<Option<SessionId>, FieldFault> {
    let Some(text) = fields.get::<String>("session_id", "a string")? else {
        return Ok(None);
    };
    no_secret("session_id", &text)?;
    let what = "must be 1 to 128 characters out of A-Z, a-z, 0-9, '.', '_' and '-'";
    let parsed = SessionId::parse(&text).ok_or_else(|| FieldFault::new("session_id", what));
    parsed.map(Some)
}

/// The conventions of a session's configuration; they have at most so many bytes, and name nothing that can be no key of it.
fn namespace(fields: &Fields<'_>, config: &Config, bytes_max: usize) -> Result<Option<String>, FieldFault> {
    let expected =
        "a list of {\"title\", \"keys\": [{\"key\", \"purpose\", \"content\"}]}, of which content may be left out";
    let Some(groups) = fields.get::<Vec<Group>>("namespace", expected)? else {
        return Ok(None);
    };
    let field = fields.place("namespace");
    for (place, group) in groups.iter().enumerate() {
        let keys = group.keys.iter();
        let texts = keys.flat_map(|convention| [Some(&convention.purpose), convention.content.as_ref()]);
        let mut texts = texts.flatten().chain([&group.title]);
        if texts.any(|text| text.chars().any(char::is_control)) {
            let what = "must be texts of one line each: they become lines of a system prompt";
            return Err(FieldFault::new(format!("{field}[{place}]"), what));
        }
        for (number, convention) in group.keys.iter().enumerate() {
            let at = format!("{field}[{place}].keys[{number}].key");
            let key = config.key(&convention.key);
            key.map_err(|refusal| FieldFault::new(at, format!("is no key: {refusal}")))?;
        }
    }
    let text = serde_json::to_string(&groups).unwrap_or_default();
    if text.len() > bytes_max {
        return Err(FieldFault::new(field, format!("may have {bytes_max} bytes as JSON")));
    }
    Ok(Some(secrets::scrubbed_whole(&text, Scope::Words)))
}

/// Reads whom a session is to let take part, `{"principal", "roles"}`, at a place such as `participants[0].`.
///
/// # Errors
/// The member that is wrong.
pub fn grant(text: &str, within: &str) -> Result<Grant, FieldFault> {
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
    let roles: Option<Vec<Pattern>> = roles.iter().map(|role| Pattern::parse(role)).collect();
    let right =
        |roles: &Vec<Pattern>| roles.len() <= PATTERNS_MAX && roles.first().is_some_and(|role| role.one().is_some());
    let wrong = || FieldFault::new(fields.place("roles"), format!("must be {expected}"));
    let roles = roles.filter(right).ok_or_else(wrong)?;
    Ok(Grant { principal, roles })
}

#[cfg(test)]
mod tests {
    use super::ACTIONS;
    use super::Action;
    use super::Config;
    use super::NewSession;
    use super::Precondition;
    use super::SessionId;
    use super::Write;
    use crate::fields::FieldFault;
    use crate::session::limits::tests::LIMITS;

    fn parse(text: &str) -> Result<Action, FieldFault> {
        Action::parse(text, "s", &LIMITS)
    }

    fn write(at: Precondition) -> Action {
        Action::Write(Write {
            key: "k".to_owned(),
            value: "v".to_owned(),
            at,
        })
    }

    #[test]
    fn actions_are_read_as_the_document_writes_them_s014_s016_s020_s023_s027_s028_s078_s080_s082() {
        for name in ACTIONS {
            let text = format!(
                r#"{{"session_id": "s", "action": "{name}", "key": "k", "keys": ["k"], "value": "v", "label": "l", "versions": [1]}}"#
            );
            assert_eq!(parse(&text).map(<&str>::from), Ok(*name));
        }
        let (nowhere, key) = (Precondition::default(), "k".to_owned());
        let at = Precondition {
            version: Some(3),
            incarnation: Some(9),
        };
        for (members, expected) in [
            (r#""action": "read", "key": "k""#, Action::Read { key: key.clone() }),
            (r#""action": "delete", "key": "k""#, Action::Delete { key, at: nowhere }),
            // Who wrote, and when, is nobody's to say.
            (
                r#""action": "write", "key": "k", "value": "v", "written_by": "x", "written_at": "y""#,
                write(nowhere),
            ),
            (
                r#""action": "write", "key": "k", "value": "v", "if_version": 3, "if_incarnation": 9"#,
                write(at),
            ),
            (
                r#""action": "write", "key": "k", "value": "v", "if_version": 3, "incarnation": 9"#,
                write(at),
            ),
        ] {
            assert_eq!(parse(&format!("{{{members}}}")), Ok(expected), "{members}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_not_shown_s004_s011() {
        let write = |more: &str| format!(r#"{{"action": "write", "key": "k", "value": "v", {more}}}"#);
        for (text, field) in [
            ("[]".to_owned(), "the body"),
            (r#"{"session_id": "t", "action": "list_keys"}"#.to_owned(), "session_id"),
            (
                r#"{"action": "list_keys", "key": "k", "action": "delete"}"#.to_owned(),
                "action",
            ),
            (
                r#"{"action": "delete", "key": "k", "ifversion": 7}"#.to_owned(),
                "ifversion",
            ),
            (r#"{"key": "secret-4711"}"#.to_owned(), "action"),
            (r#"{"action": "secret-4711"}"#.to_owned(), "action"),
            (r#"{"action": "read"}"#.to_owned(), "key"),
            (r#"{"action": "write", "key": "k"}"#.to_owned(), "value"),
            (
                r#"{"action": "write", "key": "k", "value": {"a": "secret-4711"}}"#.to_owned(),
                "value",
            ),
            (write(r#""version": 3"#), "version"),
            (write(r#""if_version": -1"#), "if_version"),
            (r#"{"action": "read_batch", "keys": []}"#.to_owned(), "keys"),
            (
                format!(r#"{{"action": "read_batch", "keys": {:?}}}"#, ["k"; 11]),
                "keys",
            ),
            (r#"{"action": "snapshot", "label": "a b"}"#.to_owned(), "label"),
        ] {
            let fault = parse(&text).expect_err(&text);
            assert_eq!(fault.field, field, "{text}");
            assert!(!fault.description.contains("4711"), "{fault:?}");
        }
        let fault = parse(&write(r#""version": 3"#)).expect_err("taken for a condition");
        assert!(fault.description.contains("if_version"), "{fault:?}");
        assert!(parse(&format!(r#"{{"action": "read_batch", "keys": {:?}}}"#, ["k"; 10])).is_ok());
    }

    fn create(text: &str) -> Result<(NewSession, Option<String>), Vec<String>> {
        let read = super::new_session(text, None, SessionId::given_out([1; 16]), &LIMITS);
        read.map_err(|faults| {
            assert!(!format!("{faults:?}").contains("4711"));
            faults.into_iter().map(|fault| fault.field).collect()
        })
    }

    #[test]
    fn what_is_wrong_with_a_new_session_is_told_together_s059_s075_s079_s086_s094() {
        let (plain, namespace) = create("").expect("a session");
        assert_eq!((plain.config, namespace), (Config::default(), None));
        let off = Config::default();
        assert!(!off.prefixes && off.history_versions == 0);
        let chosen = r#"{"config": {"prefixes": true, "history_versions": 10, "snapshots": null,
            "namespace": [{"title": "X", "keys": [{"key": "inv:phase", "purpose": "where we are"}]}]}}"#;
        let (chosen, namespace) = create(chosen).expect("a session");
        assert!(chosen.config.prefixes && chosen.config.snapshots && chosen.config.history_versions == 10);
        assert!(chosen.namespace && namespace.is_some_and(|text| text.contains("inv:phase")));
        let long = "x".repeat(1_000);
        for (text, wrong) in [
            (
                r#"{"config": {"prefixes": "4711", "history_versions": 11, "ttl": true}}"#,
                &["config.ttl", "config.history_versions", "config.prefixes"][..],
            ),
            (
                r#"{"config": [], "session_id": "a b", "participants": {}}"#,
                &["session_id", "config", "participants"],
            ),
            (r#"{"config": {"namespace": "text"}}"#, &["config.namespace"]),
            (
                &format!(r#"{{"config": {{"namespace": [{{"title": "{long}", "keys": []}}]}}}}"#),
                &["config.namespace"],
            ),
            (
                r#"{"config": {"namespace": [{"title": "a\nb", "keys": []}]}}"#,
                &["config.namespace[0]"],
            ),
            (
                r#"{"config": {"namespace": [{"title": "X", "keys": [{"key": "inv:phase", "purpose": "p"}]}]}}"#,
                &["config.namespace[0].keys[0].key"],
            ),
            (
                r#"{"participants": [{"principal": "ben", "roles": ["subagent:a"]}, {"principal": "ben", "roles": ["subagent:b"]},
                    {"principal": "ann", "roles": ["subagent:a*"]}]}"#,
                &["participants[1].principal", "participants[2].roles"],
            ),
        ] {
            assert_eq!(
                create(text),
                Err(wrong.iter().map(|field| (*field).to_owned()).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_has_the_form_of_a_secret_is_no_name_and_in_no_convention_x02() {
        let text = r#"{"config": {"namespace": [{"title": "X", "keys": [{"key": "ok", "purpose": "password=hunter22 here"}]}]}}"#;
        let namespace = create(text).expect("a session").1.expect("conventions");
        assert!(
            !namespace.contains("hunter22") && namespace.contains("here"),
            "{namespace}"
        );
        let fields = create(r#"{"session_id": "sk-aB3dE5fG7hJ9kL1mN3pQ5rS7"}"#);
        assert_eq!(fields, Err(vec!["session_id".to_owned()]));
        let snapshot =
            |label: &str| parse(&format!(r#"{{"action": "snapshot", "label": "{label}"}}"#)).expect("an action");
        assert!(snapshot("before_approval-2026.05").scrubbed().is_ok());
        assert!(snapshot("ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5").scrubbed().is_err());
    }
}
