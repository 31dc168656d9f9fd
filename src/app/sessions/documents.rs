//! What is answered of sessions, as JSON: in the document's shapes, with members beside them where an extension has something to
//! say (Shared Context §3, §5, §7).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::error::ServiceError;
use crate::app::event_store::Written;
use context::session::config::Config;
use context::session::config::Group;
use context::session::decide::ContextLimits;
use context::session::entry::Entry;
use context::session::entry::Reach;
use context::session::event::ContextEvent;
use context::session::event::PutBack;
use context::session::name::Key;
use context::session::name::Label;
use context::session::name::SessionId;
use context::session::participant::Participant;
use context::session::participant::Pattern;
use context::session::prompt;
use context::session::refusal::ContextRefusal;
use context::session::session::Past;
use context::session::session::Session;
use context::session::size;
use context::session::size::Advice;
use context::session::size::SizeLimits;
use schema::name::ClientId;
use schema::time::At;

/// About what stands beside a value that is read.
const BESIDE_BYTES: usize = 256;

/// A key with what is known of it but its value (S-017).
#[derive(Serialize)]
struct Listed<'a> {
    key: &'a str,
    written_by: &'a str,
    written_at: String,
    version: u64,
    incarnation: u64,
    value_size_tokens: u64,
    #[serde(flatten)]
    more: More<'a>,
}

/// A key with its value (S-021).
#[derive(Serialize)]
struct Read<'a> {
    key: &'a str,
    value: &'a str,
    written_by: &'a str,
    written_at: String,
    version: u64,
    incarnation: u64,
    #[serde(flatten)]
    more: More<'a>,
}

/// What extensions say of a key.
#[derive(Serialize)]
struct More<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    readable_by: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    writable_by: Option<Vec<&'a str>>,
}

#[derive(Serialize)]
struct Keys<'a> {
    keys: Vec<Listed<'a>>,
    total_size_tokens: u64,
    max_total_tokens: u64,
}

/// What a write is answered with (S-024).
#[derive(Serialize)]
struct Wrote<'a> {
    key: &'a str,
    version: u64,
    incarnation: u64,
    written_by: &'a str,
    written_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

fn more(entry: &Entry) -> More<'_> {
    let Reach {
        readable_by,
        writable_by,
    } = &entry.reach;
    More {
        expires_at: entry.expires.map(At::rfc3339),
        readable_by: (!readable_by.is_empty()).then(|| texts(readable_by)),
        writable_by: (!writable_by.is_empty()).then(|| texts(writable_by)),
    }
}

fn texts(patterns: &[Pattern]) -> Vec<&str> {
    patterns.iter().map(Pattern::as_str).collect()
}

fn listed<'a>(key: &'a Key, entry: &'a Entry) -> Listed<'a> {
    Listed {
        key: key.as_str(),
        written_by: entry.by.as_str(),
        written_at: entry.at.rfc3339(),
        version: entry.version,
        incarnation: entry.incarnation,
        value_size_tokens: entry.tokens,
        more: more(entry),
    }
}

fn whole<'a>(key: &'a Key, entry: &'a Entry, value: &'a str) -> Read<'a> {
    Read {
        key: key.as_str(),
        value,
        written_by: entry.by.as_str(),
        written_at: entry.at.rfc3339(),
        version: entry.version,
        incarnation: entry.incarnation,
        more: more(entry),
    }
}

fn text(document: &impl Serialize) -> Result<String, ServiceError> {
    serde_json::to_string(document).map_err(|error| ServiceError::Fault(error.to_string()))
}

/// A page of rows under a name, with where the next one begins.
pub fn page(name: &str, rows: Vec<Value>, next: Option<Value>) -> Value {
    let mut members = Map::new();
    members.insert(name.to_owned(), Value::Array(rows));
    if let Some(next) = next {
        members.insert("next".to_owned(), next);
    }
    Value::Object(members)
}

/// A session. Its creator sees who takes part; everybody else sees its own roles.
pub fn session(id: &SessionId, session: &Session, client: Option<&ClientId>, now: At, limits: &ContextLimits) -> Value {
    let mut document = json!({
        "session_id": id,
        "status": if session.archived.is_some() { "archived" } else { "active" },
        "created_at": session.at.rfc3339(),
        "created_by": session.owner,
        "config": session.config,
        "key_count": session.living(now).count(),
        "total_size_tokens": session.total(now),
        "max_total_tokens": limits.size.total_max,
    });
    if let Some((_, archived)) = session.archived {
        document["archived_at"] = json!(archived.rfc3339());
    }
    if session.is_owned_by(client) {
        let participants = session.participants.iter();
        let participants = participants.map(|(principal, roles)| json!({"principal": principal, "roles": roles}));
        document["participants"] = participants.collect();
    } else if let Some(roles) = client.and_then(|client| session.participants.get(client)) {
        document["roles"] = json!(roles);
    }
    document
}

/// Every key that a participant may read (S-017, S-032, S-038).
///
/// # Errors
/// None that any session can bring about.
pub fn keys(session: &Session, who: &Participant, now: At, limits: &ContextLimits) -> Result<String, ServiceError> {
    text(&Keys {
        keys: session
            .entries(who, now)
            .map(|(key, entry)| listed(key, entry))
            .collect(),
        total_size_tokens: session.total(now),
        max_total_tokens: limits.size.total_max,
    })
}

/// One key (S-021).
///
/// # Errors
/// None that any value can bring about.
pub fn read(key: &Key, entry: &Entry, value: &str) -> Result<String, ServiceError> {
    // Most of it is the value: with room for it from the start nothing is copied again as the text grows.
    let mut text = Vec::with_capacity(value.len() + value.len() / 8 + BESIDE_BYTES);
    let told = serde_json::to_writer(&mut text, &whole(key, entry, value));
    told.map_err(|error| ServiceError::Fault(error.to_string()))?;
    String::from_utf8(text).map_err(|error| ServiceError::Fault(error.to_string()))
}

/// Several keys, each with its value or with why there is none (S-080, S-084).
///
/// # Errors
/// None that any value can bring about.
pub fn batch(
    keys: &[String],
    found: &[(Key, Entry, Arc<str>)],
    refused: &BTreeMap<usize, ContextRefusal>,
) -> Result<String, ServiceError> {
    let mut found = found.iter();
    let mut results = Vec::with_capacity(keys.len());
    for (place, key) in keys.iter().enumerate() {
        let result = match refused.get(&place) {
            // What can be no key is not said back.
            Some(refusal @ ContextRefusal::InvalidKey { .. }) => json!({"error": error(refusal)}),
            Some(refusal) => json!({"key": key, "error": error(refusal)}),
            None => match found.next() {
                Some((key, entry, value)) => json!(whole(key, entry, value)),
                None => continue,
            },
        };
        results.push(result);
    }
    text(&json!({ "results": results }))
}

/// A refusal as a member: the code in the document's spelling, and words.
pub fn error(refusal: &ContextRefusal) -> Value {
    json!({"code": refusal.code(), "message": refusal.to_string()})
}

/// The version that something of a history is.
pub fn version(past: &Past) -> Option<&Entry> {
    match past {
        Past::Version(entry) => Some(entry),
        Past::Gone { .. } => None,
    }
}

/// What a key was (S-078), with what is not kept any more; a deletion says which version it ended.
///
/// # Errors
/// None that any value can bring about.
pub fn history(
    key: &str,
    past: &[Past],
    missing: &[u64],
    found: &[(Key, Entry, Arc<str>)],
) -> Result<String, ServiceError> {
    let mut found = found.iter();
    let mut told = Vec::with_capacity(past.len());
    for past in past {
        match past {
            Past::Version(_) => {
                let Some((_, entry, value)) = found.next() else {
                    continue;
                };
                told.push(
                    json!({"version": entry.version, "incarnation": entry.incarnation, "value": &**value, "written_by": entry.by,
                    "written_at": entry.at.rfc3339(), "value_size_tokens": entry.tokens}),
                );
            }
            Past::Gone { version, at, by, .. } => {
                told.push(json!({"deleted": true, "previous_version": version, "deleted_by": by,
                    "deleted_at": at.rfc3339(), "expired": by.is_none()}));
            }
        }
    }
    text(&json!({"key": key, "history": told, "not_kept": missing}))
}

/// Everything that a snapshot holds.
///
/// # Errors
/// None that any value can bring about.
pub fn snapshot(
    label: &Label,
    frozen: Option<(At, Participant)>,
    found: &[(Key, Entry, Arc<str>)],
) -> Result<String, ServiceError> {
    let (at, by) = frozen.map_or((None, None), |(at, by)| (Some(at.rfc3339()), Some(by)));
    text(&json!({"snapshot": label, "taken_by": by, "taken_at": at, "contents": contents(found)}))
}

/// Keys with their values.
pub fn contents(found: &[(Key, Entry, Arc<str>)]) -> Value {
    found
        .iter()
        .map(|(key, entry, value)| json!(whole(key, entry, value)))
        .collect()
}

/// Every snapshot of a session.
///
/// # Errors
/// None that any session can bring about.
pub fn snapshots(session: &Session) -> Result<String, ServiceError> {
    let rows: Vec<Value> = session
        .snapshots
        .iter()
        .map(|(label, frozen)| {
            json!({"snapshot": label, "taken_by": frozen.by, "taken_at": frozen.at.rfc3339(),
                "key_count": frozen.entries.len()})
        })
        .collect();
    text(&json!({ "snapshots": rows }))
}

/// What a write is answered with, with what is said of a large value (S-024, S-034, S-064) and of
/// secrets that were taken out of it.
///
/// # Errors
/// When nothing was written, which cannot be.
pub fn written(
    record: Option<&Written<ContextEvent>>,
    is_scrubbed: bool,
    limits: &SizeLimits,
) -> Result<String, ServiceError> {
    let Some(Written {
        seq,
        at,
        event:
            ContextEvent::Written {
                key,
                version,
                incarnation,
                hand,
                tokens,
                expires,
                ..
            },
        ..
    }) = record
    else {
        return Err(unwritten());
    };
    let (mut warning, mut hint) = (None, None);
    match size::advice(*tokens, limits) {
        Some(Advice::Warning) => {
            warning = Some(format!(
                "the value is {tokens} tokens; above {} it is refused: store conclusions, not raw data",
                limits.value_max
            ));
        }
        Some(Advice::Hint) => {
            hint = Some(format!(
                "the value is {tokens} tokens: see whether it holds raw data, and distil it"
            ));
        }
        None => {}
    }
    if is_scrubbed {
        let what = "what has the form of a secret was taken out of the value before it was kept";
        hint = Some(hint.map_or_else(|| what.to_owned(), |hint| format!("{what}; {hint}")));
    }
    text(&Wrote {
        key: key.as_str(),
        version: *version,
        incarnation: incarnation.unwrap_or(*seq),
        written_by: hand.by.as_str(),
        written_at: at.rfc3339(),
        expires_at: expires.map(At::rfc3339),
        warning,
        hint,
    })
}

/// What a delete is answered with (S-029).
///
/// # Errors
/// When nothing was deleted, which cannot be.
pub fn deleted(record: Option<&Written<ContextEvent>>) -> Result<String, ServiceError> {
    match record.map(|record| &record.event) {
        Some(ContextEvent::Deleted { key, version, .. }) => text(&json!({"deleted": key, "previous_version": version})),
        _ => Err(unwritten()),
    }
}

/// What anything with a label is answered with: `{"snapshot": label, "at"}`.
///
/// # Errors
/// When nothing was recorded, which cannot be.
pub fn labelled(name: &str, record: Option<&Written<ContextEvent>>) -> Result<String, ServiceError> {
    let Some(record) = record else { return Err(unwritten()) };
    let label = match &record.event {
        ContextEvent::Snapshotted { label, .. } | ContextEvent::Unsnapshotted { label, .. } => label,
        _ => return Err(unwritten()),
    };
    let mut document = Map::new();
    document.insert(name.to_owned(), json!(label));
    document.insert("at".to_owned(), json!(record.at.rfc3339()));
    text(&document)
}

/// What a rollback is answered with: `{"rolled_back": label, "at", "restored": [{"key", "version"}], "removed": [{"key",
/// "previous_version"}]}`.
///
/// # Errors
/// When nothing was recorded, which cannot be.
pub fn rolled_back(record: Option<&Written<ContextEvent>>) -> Result<String, ServiceError> {
    let Some(ContextEvent::RolledBack { label, changes, .. }) = record.map(|record| &record.event) else {
        return Err(unwritten());
    };
    let mut document = Map::new();
    document.insert("rolled_back".to_owned(), json!(label));
    document.insert("at".to_owned(), json!(record.map(|record| record.at.rfc3339())));
    let restored = changes.iter().filter_map(|change| match change {
        PutBack::Written { key, version, .. } => Some(json!({"key": key, "version": version})),
        PutBack::Deleted { .. } => None,
    });
    let removed = changes.iter().filter_map(|change| match change {
        PutBack::Written { .. } => None,
        PutBack::Deleted { key, version, .. } => Some(json!({"key": key, "previous_version": version})),
    });
    document.insert("restored".to_owned(), restored.collect());
    document.insert("removed".to_owned(), removed.collect());
    text(&document)
}

/// The blocks for a system prompt, of a session that is archived or is not: `{"session_id", "role", "namespace", "write_discipline", "read_pattern", "text", "tokens"}`.
///
/// # Errors
/// When a session's conventions cannot be read back.
pub fn prompt(
    (session, who): (&SessionId, &Participant),
    own: Option<&str>,
    config: (&Config, bool),
    limits: &SizeLimits,
) -> Result<Value, ServiceError> {
    let groups: Option<Vec<Group>> = own
        .map(serde_json::from_str)
        .transpose()
        .map_err(|error| ServiceError::Fault(format!("a session's namespace cannot be read: {error}")))?;
    let blocks = prompt::prompt((session, who), groups.as_deref(), config, limits);
    let whole = blocks.text();
    Ok(json!({
        "session_id": session.as_str(),
        "role": who.as_str(),
        "namespace": blocks.namespace,
        "write_discipline": blocks.write_discipline,
        "read_pattern": blocks.read_pattern,
        "tokens": size::tokens(&whole),
        "text": whole,
    }))
}

fn unwritten() -> ServiceError {
    ServiceError::Fault("what was decided is not what was recorded".to_owned())
}
