//! What is answered of sessions: in the document's shapes, with members beside them where an extension has something to say (Shared
//! Context §3, §5, §7).

use crate::api::sessions::ContextAnswer;
use crate::api::sessions::ContextError;
use crate::api::sessions::Entry;
use crate::api::sessions::KeyDeleted;
use crate::api::sessions::KeyRefused;
use crate::api::sessions::KeyResult;
use crate::api::sessions::Keys;
use crate::api::sessions::Listed;
use crate::api::sessions::Past;
use crate::api::sessions::PastDeletion;
use crate::api::sessions::PastVersion;
use crate::api::sessions::RemovedKey;
use crate::api::sessions::RestoredKey;
use crate::api::sessions::RolledBack;
use crate::api::sessions::Session;
use crate::api::sessions::SnapshotDeleted;
use crate::api::sessions::SnapshotRow;
use crate::api::sessions::SnapshotTaken;
use crate::api::sessions::Snapshots;
use crate::api::sessions::Wrote;
use crate::app::error::ServiceError;
use crate::app::event_store::Written;
use context::session::event::Grant;
use context::session::event::KeyChange;
use context::session::event::SessionEvent;
use context::session::limits::SessionLimits;
use context::session::limits::SizeLimits;
use context::session::names::Key;
use context::session::names::Participant;
use context::session::names::Pattern;
use context::session::names::SessionId;
use context::session::refusal::SessionRefusal;
use context::session::working_memory;
use schema::name::ClientId;

/// A session. Its creator sees who takes part; everybody else sees its own roles.
pub fn session(
    id: &SessionId,
    session: &working_memory::Session,
    client: Option<&ClientId>,
    limits: &SessionLimits,
) -> Session {
    let is_owned = session.is_owned_by(client);
    let own = session.roles(client);
    let participants = session.participants.iter().map(|(principal, roles)| Grant {
        principal: principal.clone(),
        roles: roles.clone(),
    });
    Session {
        session_id: id.to_string(),
        status: session.archived.map_or("active", |_| "archived"),
        created_at: session.at.rfc3339(),
        created_by: session.owner.as_ref().map(ClientId::to_string),
        config: session.config.clone(),
        key_count: session.entries.len(),
        total_size_tokens: session.total(),
        max_total_tokens: limits.size.total_max,
        archived_at: session.archived.map(|(_, archived)| archived.rfc3339()),
        participants: is_owned.then(|| participants.collect()),
        contents: None,
        roles: own
            .filter(|_| !is_owned)
            .map(|roles| roles.iter().map(Pattern::to_string).collect()),
    }
}

/// Every key (S-017, S-032, S-038).
pub fn keys(session: &working_memory::Session, limits: &SessionLimits) -> Keys {
    let listed = session.entries.iter().map(|(key, entry)| Listed {
        key: key.to_string(),
        written_by: entry.by.to_string(),
        written_at: entry.at.rfc3339(),
        version: entry.version,
        incarnation: entry.incarnation,
        value_size_tokens: entry.tokens,
    });
    Keys {
        keys: listed.collect(),
        total_size_tokens: session.total(),
        max_total_tokens: limits.size.total_max,
    }
}

/// A key with its value (S-021).
pub fn entry(key: &Key, entry: &working_memory::Entry, value: String) -> Entry {
    Entry {
        key: key.to_string(),
        value,
        written_by: entry.by.to_string(),
        written_at: entry.at.rfc3339(),
        version: entry.version,
        incarnation: entry.incarnation,
    }
}

/// Why one of several keys cannot be read (S-080, S-084).
pub fn refused(key: &str, refusal: &SessionRefusal) -> KeyResult {
    // What can be no key is not said back.
    let is_key = !matches!(refusal, SessionRefusal::InvalidKey { .. });
    KeyResult::Refused(KeyRefused {
        key: is_key.then(|| key.to_owned()),
        error: ContextError {
            code: refusal.code(),
            message: refusal.to_string(),
        },
    })
}

/// Something that a key was (S-078); a deletion says which version it ended.
pub fn past(past: &working_memory::Past, value: impl FnOnce() -> String) -> Past {
    match past {
        working_memory::Past::Version(entry) => Past::Version(PastVersion {
            version: entry.version,
            incarnation: entry.incarnation,
            value: value(),
            written_by: entry.by.to_string(),
            written_at: entry.at.rfc3339(),
            value_size_tokens: entry.tokens,
        }),
        working_memory::Past::Gone { version, at, by, .. } => Past::Deletion(PastDeletion {
            deleted: true,
            previous_version: *version,
            deleted_by: by.as_ref().map(Participant::to_string),
            deleted_at: at.rfc3339(),
        }),
    }
}

/// Every snapshot of a session.
pub fn snapshots(session: &working_memory::Session) -> Snapshots {
    let rows = session.snapshots.iter().map(|(label, snapshot)| SnapshotRow {
        snapshot: label.to_string(),
        taken_by: snapshot.by.to_string(),
        taken_at: snapshot.at.rfc3339(),
        key_count: snapshot.entries.len(),
    });
    Snapshots {
        snapshots: rows.collect(),
    }
}

/// What a change is answered with.
///
/// # Errors
/// When nothing was recorded, or what no action records, which cannot be.
pub fn change(
    record: Option<&Written<SessionEvent>>,
    is_scrubbed: bool,
    limits: &SizeLimits,
) -> Result<ContextAnswer, ServiceError> {
    let unwritten = || ServiceError::Fault("what was decided is not what was recorded".to_owned());
    let Written { seq, at, event } = record.ok_or_else(unwritten)?;
    let at = at.rfc3339();
    Ok(match event {
        SessionEvent::Written {
            key,
            version,
            incarnation,
            actor,
            tokens,
            ..
        } => {
            let scrubbed = "what has the form of a secret was taken out of the value before it was kept";
            let hints = [is_scrubbed.then(|| scrubbed.to_owned()), limits.hint(*tokens)];
            let hints: Vec<String> = hints.into_iter().flatten().collect();
            ContextAnswer::Wrote(Wrote {
                key: key.to_string(),
                version: *version,
                incarnation: incarnation.unwrap_or(*seq),
                written_by: actor.by.to_string(),
                written_at: at,
                warning: limits.warning(*tokens),
                hint: (!hints.is_empty()).then(|| hints.join("; ")),
            })
        }
        SessionEvent::Deleted { key, version, .. } => ContextAnswer::KeyDeleted(KeyDeleted {
            deleted: key.to_string(),
            previous_version: *version,
        }),
        SessionEvent::Snapshotted { label, .. } => ContextAnswer::SnapshotTaken(SnapshotTaken {
            snapshot: label.to_string(),
            at,
        }),
        SessionEvent::Unsnapshotted { label, .. } => ContextAnswer::SnapshotDeleted(SnapshotDeleted {
            deleted_snapshot: label.to_string(),
            at,
        }),
        SessionEvent::RolledBack { label, changes, .. } => {
            let (mut restored, mut removed) = (Vec::new(), Vec::new());
            for change in changes {
                match change {
                    KeyChange::Written { key, version, .. } => restored.push(RestoredKey {
                        key: key.to_string(),
                        version: *version,
                    }),
                    KeyChange::Deleted { key, version, .. } => removed.push(RemovedKey {
                        key: key.to_string(),
                        previous_version: *version,
                    }),
                }
            }
            ContextAnswer::RolledBack(RolledBack {
                rolled_back: label.to_string(),
                at,
                restored,
                removed,
            })
        }
        _ => return Err(unwritten()),
    })
}
