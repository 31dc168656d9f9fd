//! Who wrote and deleted what, and when: never what was written (S-098, S-099).
//!
//! The journal's open parts are this log, for as long as the journal; a line in the process's own log follows each of them.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::error::ServiceError;
use crate::app::event_store::Written;
use crate::app::sessions::Sessions;
use crate::app::sessions::documents;
use crate::app::sessions::named;
use context::session::event::ContextEvent;
use context::session::event::Hand;
use context::session::event::PutBack;
use context::session::name::Key;
use context::session::name::SessionId;

/// Under which name the lines of the log go out.
pub const TARGET: &str = "otherwise::context";

impl Sessions {
    /// A page of what happened after a record, to one session or to all: `{"entries": […], "next"}`. A page may hold fewer than
    /// `limit`, since only so many records are looked at; `next` is where the following one begins.
    ///
    /// # Errors
    /// [`ContextRefusal::SessionNotFound`](context::session::refusal::ContextRefusal::SessionNotFound) for what
    /// can be no id, or a fault of the journal.
    pub fn audit(&self, session: Option<&str>, after: u64, limit: usize) -> Result<Value, ServiceError> {
        let only = session.map(named).transpose()?;
        let records = self.events.since(after + 1, self.options.audit_records_max)?;
        let looked_at_all = records.len() < self.options.audit_records_max;
        let mut entries = Vec::new();
        let mut reached = after;
        for record in &records {
            if entries.len() == limit {
                return Ok(documents::page("entries", entries, Some(json!(reached))));
            }
            reached = record.seq;
            entries.extend(entry(record, only.as_ref()));
        }
        let next = (!looked_at_all).then(|| json!(reached));
        Ok(documents::page("entries", entries, next))
    }
}

/// A record as the audit log says it; nothing of what is no business of it.
fn entry(record: &Written<ContextEvent>, only: Option<&SessionId>) -> Option<Value> {
    let session = record.event.session()?;
    if only.is_some_and(|only| only != session) {
        return None;
    }
    let mut members = Map::new();
    let mut say = |name: &str, value: Value| {
        if !value.is_null() {
            members.insert(name.to_owned(), value);
        }
    };
    say("seq", json!(record.seq));
    say("session_id", json!(session));
    say("at", json!(record.at.rfc3339()));
    let hand = |hand: &Hand| (json!(hand.by), json!(hand.principal));
    let (action, (by, principal)) = match &record.event {
        ContextEvent::Created { owner, .. } => ("create", (Value::Null, json!(owner))),
        ContextEvent::Granted { grant, by, .. } => {
            say("participant", json!(grant));
            ("grant", (Value::Null, json!(by)))
        }
        ContextEvent::Revoked { principal, by, .. } => {
            say("participant", json!({"principal": principal}));
            ("revoke", (Value::Null, json!(by)))
        }
        ContextEvent::Written {
            key,
            version,
            hand: by,
            tokens,
            ..
        } => {
            say("key", json!(key));
            say("version", json!(version));
            say("value_size_tokens", json!(tokens));
            ("write", hand(by))
        }
        ContextEvent::Deleted {
            key,
            version,
            hand: by,
            tokens,
            ..
        } => {
            say("key", json!(key));
            say("version", json!(version));
            say("value_size_tokens", json!(tokens));
            ("delete", hand(by))
        }
        ContextEvent::Expired { keys, .. } => {
            say("keys", json!(keys));
            ("expire", (Value::Null, Value::Null))
        }
        ContextEvent::Snapshotted { label, hand: by, .. } => {
            say("label", json!(label));
            ("snapshot", hand(by))
        }
        ContextEvent::Unsnapshotted { label, hand: by, .. } => {
            say("label", json!(label));
            ("delete_snapshot", by.as_ref().map_or((Value::Null, Value::Null), hand))
        }
        ContextEvent::RolledBack {
            label,
            hand: by,
            changes,
            ..
        } => {
            say("label", json!(label));
            say("changes", changes.iter().map(put_back).collect());
            ("rollback", hand(by))
        }
        ContextEvent::Archived { by, operator, .. } => {
            say("operator", json!(operator));
            ("archive", (Value::Null, json!(by)))
        }
        ContextEvent::Removed { by, operator, .. } => {
            say("operator", json!(operator));
            ("remove", (Value::Null, json!(by)))
        }
        ContextEvent::Erased { .. } | ContextEvent::Continued => return None,
    };
    say("action", json!(action));
    say("written_by", by);
    say("principal", principal);
    Some(Value::Object(members))
}

/// What a rollback did to a key, as the audit log says it.
fn put_back(change: &PutBack) -> Value {
    match change {
        PutBack::Written { key, version, tokens } => {
            json!({"action": "write", "key": key, "version": version, "value_size_tokens": tokens})
        }
        PutBack::Deleted { key, version, tokens } => {
            json!({"action": "delete", "key": key, "version": version, "value_size_tokens": tokens})
        }
    }
}

/// A line in the log for each key that was written or deleted.
pub fn log(record: &Written<ContextEvent>) {
    let line = |action: &str, session: &SessionId, key: &Key, version: u64, hand: &Hand, tokens: u64| {
        tracing::info!(
            target: TARGET,
            session_id = %session,
            key = %key,
            written_by = hand.by.as_str(),
            principal = hand.principal.as_ref().map(tracing::field::display),
            at = %record.at.rfc3339(),
            value_size_tokens = tokens,
            version,
            "{action}"
        );
    };
    match &record.event {
        ContextEvent::Written {
            session,
            key,
            version,
            hand,
            tokens,
            ..
        } => line("write", session, key, *version, hand, *tokens),
        ContextEvent::Deleted {
            session,
            key,
            version,
            hand,
            tokens,
        } => line("delete", session, key, *version, hand, *tokens),
        ContextEvent::RolledBack {
            session, hand, changes, ..
        } => {
            for change in changes {
                match change {
                    PutBack::Written { key, version, tokens } => line("write", session, key, *version, hand, *tokens),
                    PutBack::Deleted { key, version, tokens } => line("delete", session, key, *version, hand, *tokens),
                }
            }
        }
        ContextEvent::Created { .. }
        | ContextEvent::Granted { .. }
        | ContextEvent::Revoked { .. }
        | ContextEvent::Expired { .. }
        | ContextEvent::Snapshotted { .. }
        | ContextEvent::Unsnapshotted { .. }
        | ContextEvent::Archived { .. }
        | ContextEvent::Removed { .. }
        | ContextEvent::Erased { .. }
        | ContextEvent::Continued => {}
    }
}
