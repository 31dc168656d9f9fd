//! What an agent asks of a session, in the document's form: `{"action": "write", "key": …, "value": …}` (Shared Context §3, §7).
//!
//! A member that is not known is refused, so that a slip of the pen is not taken for silence; `written_by` and `written_at`, which only
//! describe, are passed over (S-027). A key is read as the text that it is: whether it may be one is for the session to say.

use crate::fields::FieldFault;
use crate::fields::Fields;
use crate::session::name::Label;
use crate::session::participant::Pattern;

/// Patterns of one list.
pub const PATTERNS_MAX: usize = 16;

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

    fn of(fields: &Fields<'_>) -> Result<Precondition, FieldFault> {
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
    /// Seconds after which it expires.
    pub expires_s: Option<i64>,
    pub readable_by: Option<Vec<Pattern>>,
    pub writable_by: Option<Vec<Pattern>>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Every action by name: those of the document's core, then those of its extensions.
pub const ACTIONS: [&str; 11] = [
    "list_keys",
    "read",
    "write",
    "delete",
    "read_batch",
    "read_history",
    "snapshot",
    "list_snapshots",
    "read_snapshot",
    "rollback",
    "delete_snapshot",
];

/// What an action may hold. `session_id` stands beside it where no address names the session; `written_by` and `written_at` are passed
/// over, since nobody says them but the service (S-027).
const MEMBERS: [&str; 15] = [
    "session_id",
    "action",
    "key",
    "value",
    "if_version",
    "if_incarnation",
    "incarnation",
    "ttl_s",
    "readable_by",
    "writable_by",
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
    pub fn parse(text: &str, session: &str, batch_keys_max: usize, expiry_s_max: i64) -> Result<Action, FieldFault> {
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
            let label = required(&fields, "label")?;
            let what = "must be 1 to 64 characters out of A-Z, a-z, 0-9, '.', '_' and '-'";
            Label::parse(&label).ok_or_else(|| FieldFault::new("label", what))
        };
        Ok(match required(&fields, "action")?.as_str() {
            "list_keys" => Action::ListKeys,
            "read" => Action::Read { key: key()? },
            "write" => Action::Write(Write {
                key: key()?,
                value: required(&fields, "value")?,
                at: Precondition::of(&fields)?,
                expires_s: expiry(&fields, expiry_s_max)?,
                readable_by: patterns(&fields, "readable_by")?,
                writable_by: patterns(&fields, "writable_by")?,
            }),
            "delete" => Action::Delete {
                key: key()?,
                at: Precondition::of(&fields)?,
            },
            "read_batch" => Action::ReadBatch {
                keys: batch(&fields, batch_keys_max)?,
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

    /// Whether it changes something.
    pub fn changes(&self) -> bool {
        matches!(
            self,
            Action::Write(_)
                | Action::Delete { .. }
                | Action::Snapshot { .. }
                | Action::Rollback { .. }
                | Action::DeleteSnapshot { .. }
        )
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Action::ListKeys => ACTIONS[0],
            Action::Read { .. } => ACTIONS[1],
            Action::Write(_) => ACTIONS[2],
            Action::Delete { .. } => ACTIONS[3],
            Action::ReadBatch { .. } => ACTIONS[4],
            Action::ReadHistory { .. } => ACTIONS[5],
            Action::Snapshot { .. } => ACTIONS[6],
            Action::ListSnapshots => ACTIONS[7],
            Action::ReadSnapshot { .. } => ACTIONS[8],
            Action::Rollback { .. } => ACTIONS[9],
            Action::DeleteSnapshot { .. } => ACTIONS[10],
        }
    }
}

fn required(fields: &Fields<'_>, name: &str) -> Result<String, FieldFault> {
    let text: Option<String> = fields.get(name, "a string")?;
    text.ok_or_else(|| FieldFault::new(name, "is missing; it must be a string"))
}

fn expiry(fields: &Fields<'_>, seconds_max: i64) -> Result<Option<i64>, FieldFault> {
    let expected = format!("a whole number of seconds from 1 to {seconds_max}");
    let wrong = || FieldFault::new("ttl_s", format!("must be {expected}"));
    let Some(seconds) = fields.count("ttl_s").map_err(|_| wrong())? else {
        return Ok(None);
    };
    let within = i64::try_from(seconds)
        .ok()
        .filter(|seconds| (1..=seconds_max).contains(seconds));
    within.map(Some).ok_or_else(wrong)
}

fn batch(fields: &Fields<'_>, keys_max: usize) -> Result<Vec<String>, FieldFault> {
    let keys: Option<Vec<String>> = fields.get("keys", "a list of strings")?;
    let keys = keys.ok_or_else(|| FieldFault::new("keys", "is missing; it must be a list of strings"))?;
    if keys.is_empty() || keys.len() > keys_max {
        return Err(FieldFault::new("keys", format!("must have 1 to {keys_max} keys")));
    }
    Ok(keys)
}

/// A list of patterns; `["*"]` is everybody and kept as no list. An empty one would mean nobody to one reader and everybody to
/// another, so it is refused.
fn patterns(fields: &Fields<'_>, name: &str) -> Result<Option<Vec<Pattern>>, FieldFault> {
    let expected = "a list of 1 to 16 participants such as \"subagent:review\" or \"subagent:*\"; [\"*\"] is everybody";
    let wrong = || FieldFault::new(name, format!("must be {expected}"));
    let Some(texts) = fields.get::<Vec<String>>(name, expected)? else {
        return Ok(None);
    };
    let patterns: Option<Vec<Pattern>> = texts.iter().map(|text| Pattern::parse(text)).collect();
    let mut patterns = patterns
        .filter(|patterns| (1..=PATTERNS_MAX).contains(&patterns.len()))
        .ok_or_else(wrong)?;
    if patterns.iter().any(|pattern| pattern.as_str() == "*") {
        patterns.clear();
    }
    Ok(Some(patterns))
}

#[cfg(test)]
mod tests {
    use super::ACTIONS;
    use super::Action;
    use super::Precondition;
    use super::Write;
    use crate::fields::FieldFault;

    fn parse(text: &str) -> Result<Action, FieldFault> {
        Action::parse(text, "s", 3, 60)
    }

    #[test]
    fn an_action_on_another_session_and_a_member_given_twice_are_refused_s004() {
        assert!(parse(r#"{"session_id": "s", "action": "list_keys"}"#).is_ok());
        for (text, field) in [
            (r#"{"session_id": "t", "action": "list_keys"}"#, "session_id"),
            (r#"{"action": "list_keys", "key": "k", "action": "delete"}"#, "action"),
        ] {
            let fault = parse(text).expect_err("refused");
            assert_eq!(fault.field, field, "{}", fault.description);
        }
    }

    #[test]
    fn the_four_actions_are_read_as_the_document_writes_them_s014_s016_s020_s023_s028() {
        assert_eq!(parse(r#"{"action": "list_keys"}"#), Ok(Action::ListKeys));
        let read = Action::Read {
            key: "problem_summary".to_owned(),
        };
        assert_eq!(parse(r#"{"action": "read", "key": "problem_summary"}"#), Ok(read));
        let write = Write {
            key: "k".to_owned(),
            value: "v".to_owned(),
            ..Write::default()
        };
        let given = r#"{"action": "write", "key": "k", "value": "v", "written_by": "orchestrator"}"#;
        assert_eq!(
            parse(given),
            Ok(Action::Write(write.clone())),
            "written_by is nobody's to say"
        );
        let given =
            r#"{"action": "write", "key": "k", "value": "v", "written_by": "x", "written_at": "2026-05-01T00:00:00Z"}"#;
        assert_eq!(parse(given), Ok(Action::Write(write)), "nor is written_at");
        let given = r#"{"action": "write", "key": "k", "value": "v", "version": 3}"#;
        let fault = parse(given).expect_err("taken for a condition");
        assert!(
            fault.field == "version" && fault.description.contains("if_version"),
            "{}",
            fault.description
        );
        let delete = Action::Delete {
            key: "k".to_owned(),
            at: Precondition::default(),
        };
        assert_eq!(parse(r#"{"action": "delete", "key": "k"}"#), Ok(delete));
        let at = Precondition {
            version: Some(3),
            incarnation: Some(9),
        };
        let (key, value) = ("k".to_owned(), "v".to_owned());
        for given in [
            r#"{"action": "write", "key": "k", "value": "v", "if_version": 3, "if_incarnation": 9}"#,
            r#"{"action": "write", "key": "k", "value": "v", "if_version": 3, "incarnation": 9}"#,
        ] {
            let wanted = Write {
                key: key.clone(),
                value: value.clone(),
                at,
                ..Write::default()
            };
            assert_eq!(parse(given), Ok(Action::Write(wanted)));
        }
    }

    #[test]
    fn every_action_has_the_name_by_which_it_is_read_s078_s080_s082() {
        for name in ACTIONS {
            let text = format!(
                r#"{{"action": "{name}", "key": "k", "keys": ["k"], "value": "v", "label": "l", "versions": [1]}}"#
            );
            assert_eq!(parse(&text).map(|action| action.name()), Ok(name));
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_not_shown_s011() {
        for (text, field) in [
            ("[]", "the body"),
            (r#"{"action": "delete", "key": "k", "ifversion": 7}"#, "ifversion"),
            (
                r#"{"action": "write", "key": "k", "value": "v", "readable_by": []}"#,
                "readable_by",
            ),
            (r#"{"key": "secret-4711"}"#, "action"),
            (r#"{"action": "secret-4711"}"#, "action"),
            (r#"{"action": "read"}"#, "key"),
            (r#"{"action": "write", "key": "k"}"#, "value"),
            (
                r#"{"action": "write", "key": "k", "value": {"a": "secret-4711"}}"#,
                "value",
            ),
            (r#"{"action": "write", "key": "k", "value": "v", "ttl_s": 0}"#, "ttl_s"),
            (r#"{"action": "write", "key": "k", "value": "v", "ttl_s": 61}"#, "ttl_s"),
            (
                r#"{"action": "write", "key": "k", "value": "v", "if_version": -1}"#,
                "if_version",
            ),
            (
                r#"{"action": "write", "key": "k", "value": "v", "readable_by": ["secret-4711"]}"#,
                "readable_by",
            ),
            (r#"{"action": "read_batch", "keys": []}"#, "keys"),
            (r#"{"action": "read_batch", "keys": ["a", "b", "c", "d"]}"#, "keys"),
            (r#"{"action": "snapshot", "label": "a b"}"#, "label"),
        ] {
            let fault = parse(text).expect_err(text);
            assert_eq!(fault.field, field, "{text}");
            assert!(!fault.description.contains("4711"), "{fault:?}");
        }
        assert!(parse(r#"{"action": "read_batch", "keys": ["a", "b", "c"]}"#).is_ok());
        assert!(parse(r#"{"action": "write", "key": "k", "value": "v", "ttl_s": 60}"#).is_ok());
    }
}
