//! Who wrote and deleted what, and when: never what was written (S-098, S-099).
//!
//! The journal's open parts are this log, for as long as the journal; a line in the process's own log follows each of them.

use crate::api::sessions::AuditedChange;
use crate::api::sessions::AuditedParticipant;
use crate::api::sessions::ContextAudit;
use crate::api::sessions::ContextAuditEntry;
use crate::app::error::ServiceError;
use crate::app::event_store::Written;
use crate::app::sessions::SessionService;
use crate::app::sessions::parse_id;
use context::session::event::KeyChange;
use context::session::event::SessionEvent;
use context::session::names::Key;
use schema::name::ClientId;

/// Under which name the lines of the log go out.
pub const TARGET: &str = "otherwise::context";

impl SessionService {
    /// A page of what happened after a record, to one session or to all. A page may hold fewer than `limit`, since only so many
    /// records are looked at; `next` is where the following one begins.
    ///
    /// # Errors
    /// [`SessionRefusal::SessionNotFound`](context::session::refusal::SessionRefusal::SessionNotFound) for what can be no id, or a
    /// fault of the journal.
    pub fn audit(&self, session: Option<&str>, after: u64, limit: usize) -> Result<ContextAudit, ServiceError> {
        let only = session.map(parse_id).transpose()?;
        let records = self.events.since(after + 1, self.options.audit_records_max)?;
        let mut entries = Vec::new();
        let mut reached = after;
        let mut is_whole = records.len() < self.options.audit_records_max;
        for record in &records {
            if entries.len() == limit {
                is_whole = false;
                break;
            }
            reached = record.seq;
            let concerns = |id| only.as_ref().is_none_or(|only| only == id);
            if record.event.session().is_some_and(concerns) {
                entries.extend(entry(record));
            }
        }
        Ok(ContextAudit {
            entries,
            next: (!is_whole).then_some(reached),
        })
    }
}

/// A record as the audit log says it; nothing of what is no business of it.
fn entry(record: &Written<SessionEvent>) -> Option<ContextAuditEntry> {
    let mut entry = ContextAuditEntry {
        seq: record.seq,
        session_id: record.event.session()?.to_string(),
        at: record.at.rfc3339(),
        ..ContextAuditEntry::default()
    };
    let name = |client: &Option<ClientId>| client.as_ref().map(ClientId::to_string);
    let mut principal = None;
    entry.action = match &record.event {
        SessionEvent::Created { owner, .. } => {
            principal = name(owner);
            "create"
        }
        SessionEvent::Granted { grant, by, .. } => {
            let roles = grant.roles.iter().map(ToString::to_string).collect();
            (entry.participant, principal) = (participant(&grant.principal, Some(roles)), name(by));
            "grant"
        }
        SessionEvent::Revoked { principal: who, by, .. } => {
            (entry.participant, principal) = (participant(who, None), name(by));
            "revoke"
        }
        SessionEvent::Written { .. } => "write",
        SessionEvent::Deleted { .. } => "delete",
        SessionEvent::Expired { keys, .. } => {
            entry.keys = Some(keys.iter().map(Key::to_string).collect());
            "expire"
        }
        SessionEvent::Snapshotted { label, .. } => {
            entry.label = Some(label.to_string());
            "snapshot"
        }
        SessionEvent::Unsnapshotted { label, .. } => {
            entry.label = Some(label.to_string());
            "delete_snapshot"
        }
        SessionEvent::RolledBack { label, .. } => {
            entry.label = Some(label.to_string());
            entry.changes = Some(changes(&record.event));
            "rollback"
        }
        SessionEvent::Archived { by, operator, .. } => {
            (principal, entry.operator) = (name(by), name(operator));
            "archive"
        }
        SessionEvent::Removed { by, operator, .. } => {
            (principal, entry.operator) = (name(by), name(operator));
            "remove"
        }
        SessionEvent::Erased { .. } | SessionEvent::Continued => return None,
    };
    let actor = record.event.actor();
    entry.written_by = actor.map(|actor| actor.by.to_string());
    entry.principal = principal.or_else(|| name(&actor?.principal));
    if let (None, Some(change)) = (&entry.changes, changes(&record.event).pop()) {
        entry.key = Some(change.key);
        entry.version = Some(change.version);
        entry.value_size_tokens = Some(change.value_size_tokens);
    }
    Some(entry)
}

fn participant(principal: &ClientId, roles: Option<Vec<String>>) -> Option<AuditedParticipant> {
    let principal = principal.to_string();
    Some(AuditedParticipant { principal, roles })
}

/// The keys that an event wrote and deleted.
fn changes(event: &SessionEvent) -> Vec<AuditedChange> {
    let change = |action, key: &Key, version: &u64, tokens: &u64| AuditedChange {
        action,
        key: key.to_string(),
        version: *version,
        value_size_tokens: *tokens,
    };
    match event {
        SessionEvent::Written {
            key, version, tokens, ..
        } => vec![change("write", key, version, tokens)],
        SessionEvent::Deleted {
            key, version, tokens, ..
        } => vec![change("delete", key, version, tokens)],
        SessionEvent::RolledBack { changes, .. } => {
            let all = changes.iter().map(|one| match one {
                KeyChange::Written { key, version, tokens } => change("write", key, version, tokens),
                KeyChange::Deleted { key, version, tokens } => change("delete", key, version, tokens),
            });
            all.collect()
        }
        _ => Vec::new(),
    }
}

/// A line in the log for each key that was written or deleted.
pub fn log(record: &Written<SessionEvent>) {
    let Some(entry) = entry(record) else { return };
    for change in changes(&record.event) {
        tracing::info!(
            target: TARGET,
            session_id = entry.session_id,
            key = change.key,
            written_by = entry.written_by,
            principal = entry.principal,
            at = entry.at,
            value_size_tokens = change.value_size_tokens,
            version = change.version,
            "{}", change.action
        );
    }
}
