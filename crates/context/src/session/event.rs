//! What can happen to sessions. Read forever.
//!
//! The open part says what happened, to which session and key, and by whom: it is the audit log too, and holds no value (S-098,
//! S-099). Values and namespaces lie in the sealed part of the same record, and go on in `more` records right after it.

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::Array;
use utoipa::openapi::ArrayBuilder;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::Type;

use crate::aggregate::Event;
use crate::session::config::Config;
use crate::session::names::Key;
use crate::session::names::Label;
use crate::session::names::PATTERNS_MAX;
use crate::session::names::Participant;
use crate::session::names::Pattern;
use crate::session::names::SessionId;
use schema::name::ClientId;
use schema::time::At;

/// Who does something: as what in the session, and which principal that was; `None` for a caller without a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub by: Participant,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub principal: Option<ClientId>,
}

/// As what a principal takes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// Visible ASCII characters.
    #[schema(value_type = String, min_length = 1, max_length = 128, pattern = "^[!-~]+$")]
    pub principal: ClientId,
    /// `orchestrator`, `subagent:{task}`, `subagent:{task}:{id}`, or with `*` at the end all that begin so. The first one, without
    /// `*`, is what it is where it does not say.
    #[schema(schema_with = roles)]
    pub roles: Vec<Pattern>,
}

fn roles() -> Array {
    let segment = "[A-Za-z0-9._-]{1,64}";
    let right = format!(r"^(orchestrator|subagent:\*|subagent:{segment}(:{segment}|:?\*|:{segment}\*)?)$");
    let role = ObjectBuilder::new().schema_type(Type::String).pattern(Some(right));
    ArrayBuilder::new()
        .items(role)
        .min_items(Some(1))
        .max_items(Some(PATTERNS_MAX))
        .build()
}

/// What a rollback did to a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyChange {
    /// It has this version, of that size, again.
    Written { key: Key, version: u64, tokens: u64 },
    /// It was not there; the version and size are those that it had.
    Deleted { key: Key, version: u64, tokens: u64 },
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEvent {
    /// A session begins. Sealed: its namespace, where it has one.
    Created {
        session: SessionId,
        owner: Option<ClientId>,
        grants: Vec<Grant>,
        config: Config,
        namespace: bool,
        more: u32,
    },
    /// A principal may take part.
    Granted {
        session: SessionId,
        grant: Grant,
        /// Who let it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<ClientId>,
    },
    /// It may not any more.
    Revoked {
        session: SessionId,
        principal: ClientId,
        /// Who saw to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<ClientId>,
    },
    /// A key was written. Sealed: its value.
    Written {
        session: SessionId,
        key: Key,
        version: u64,
        /// That of the key as it was; none where this record begins one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        incarnation: Option<u64>,
        #[serde(flatten)]
        actor: Actor,
        tokens: u64,
        /// When its time was over, in old journals: such a key is not there any more.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        expires: Option<At>,
        more: u32,
    },
    /// A key was deleted; the version and size are those that it had.
    Deleted {
        session: SessionId,
        key: Key,
        version: u64,
        #[serde(flatten)]
        actor: Actor,
        tokens: u64,
    },
    /// Keys whose time was over were taken out: in old journals.
    Expired { session: SessionId, keys: Vec<Key> },
    /// Everything was kept under a label as it stood.
    Snapshotted {
        session: SessionId,
        label: Label,
        #[serde(flatten)]
        actor: Actor,
    },
    /// A snapshot is not wanted any more.
    Unsnapshotted {
        session: SessionId,
        label: Label,
        /// By whom; records of the first version do not say it.
        #[serde(flatten)]
        actor: Option<Actor>,
    },
    /// Everything was put back as a snapshot has it.
    RolledBack {
        session: SessionId,
        label: Label,
        #[serde(flatten)]
        actor: Actor,
        /// What it wrote and deleted; records of the first version do not say it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<KeyChange>,
    },
    /// It can be read, and nothing else.
    Archived {
        session: SessionId,
        /// Its creator, who alone may.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<ClientId>,
        /// Who runs the service and did it instead of its creator.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operator: Option<ClientId>,
    },
    /// It is gone.
    Removed {
        session: SessionId,
        /// Its creator, who alone may.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<ClientId>,
        /// Who runs the service and did it instead of its creator.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operator: Option<ClientId>,
    },
    /// These records, first and last, were erased: in old journals, which say it of each.
    Erased { ranges: Vec<(u64, u64)> },
    /// The sealed part of the record before goes on here.
    Continued,
}

impl SessionEvent {
    /// Which session it concerns.
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            SessionEvent::Created { session, .. }
            | SessionEvent::Granted { session, .. }
            | SessionEvent::Revoked { session, .. }
            | SessionEvent::Written { session, .. }
            | SessionEvent::Deleted { session, .. }
            | SessionEvent::Expired { session, .. }
            | SessionEvent::Snapshotted { session, .. }
            | SessionEvent::Unsnapshotted { session, .. }
            | SessionEvent::RolledBack { session, .. }
            | SessionEvent::Archived { session, .. }
            | SessionEvent::Removed { session, .. } => Some(session),
            SessionEvent::Erased { .. } | SessionEvent::Continued => None,
        }
    }

    /// The participant that did it, where one did.
    pub fn actor(&self) -> Option<&Actor> {
        match self {
            SessionEvent::Written { actor, .. }
            | SessionEvent::Deleted { actor, .. }
            | SessionEvent::Snapshotted { actor, .. }
            | SessionEvent::RolledBack { actor, .. } => Some(actor),
            SessionEvent::Unsnapshotted { actor, .. } => actor.as_ref(),
            _ => None,
        }
    }
}

impl Event for SessionEvent {
    fn continued() -> SessionEvent {
        SessionEvent::Continued
    }

    fn more_mut(&mut self) -> Option<&mut u32> {
        match self {
            SessionEvent::Created { more, .. } | SessionEvent::Written { more, .. } => Some(more),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Actor;
    use super::Key;
    use super::Participant;
    use super::SessionEvent;
    use super::SessionId;

    #[test]
    fn events_are_written_as_they_will_be_read_for_good_and_hold_no_value_s098_s099() {
        let event = SessionEvent::Written {
            session: SessionId::parse("capa-17").expect("a session"),
            key: Key::parse("scope", false).expect("a key"),
            version: 3,
            incarnation: None,
            actor: Actor {
                by: Participant::orchestrator(),
                principal: None,
            },
            tokens: 12,
            expires: None,
            more: 0,
        };
        let text = serde_json::to_string(&event).expect("JSON");
        assert_eq!(
            text,
            r#"{"written":{"session":"capa-17","key":"scope","version":3,"by":"orchestrator","tokens":12,"more":0}}"#
        );
        assert_eq!(serde_json::from_str::<SessionEvent>(&text).expect("an event"), event);
        assert_eq!(
            serde_json::to_string(&SessionEvent::Continued).expect("JSON"),
            "\"continued\""
        );
        let begun = r#"{"created":{"session":"capa-17","owner":"ana","grants":[],"config":{"expiry":true,"access_control":false},
            "namespace":false,"after":6,"more":0}}"#;
        let read: SessionEvent = serde_json::from_str(begun).expect("one of before");
        assert!(matches!(read, SessionEvent::Created { more: 0, .. }), "{read:?}");
    }
}
