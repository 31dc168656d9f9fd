//! What can happen to shared contexts. Read forever.
//!
//! The open part says what happened, to which session and key, and by whom: it is the audit log too, and holds no value (S-098,
//! S-099). Values and namespaces lie in the sealed part of the same record, and go on in `more` records right after it.

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Event;
use crate::session::config::Config;
use crate::session::entry::Reach;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use schema::name::ClientId;
use schema::time::At;

/// Who did something: as what in the session, and which principal that was; `None` for a caller without a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hand {
    pub by: Participant,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub principal: Option<ClientId>,
}

/// As what a principal may take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub principal: ClientId,
    /// The first one is what it is where it does not say.
    pub roles: Vec<Pattern>,
}

/// What a rollback did to a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PutBack {
    /// It has this version, of that size, again.
    Written { key: Key, version: u64, tokens: u64 },
    /// It was not there; the version and size are those that it had.
    Deleted { key: Key, version: u64, tokens: u64 },
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextEvent {
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
        hand: Hand,
        tokens: u64,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        expires: Option<At>,
        #[serde(flatten)]
        reach: Reach,
        more: u32,
    },
    /// A key was deleted; the version and size are those that it had.
    Deleted {
        session: SessionId,
        key: Key,
        version: u64,
        #[serde(flatten)]
        hand: Hand,
        tokens: u64,
    },
    /// Keys whose time was over were taken out.
    Expired { session: SessionId, keys: Vec<Key> },
    /// Everything was kept under a label as it stood.
    Snapshotted {
        session: SessionId,
        label: Label,
        #[serde(flatten)]
        hand: Hand,
    },
    /// A snapshot is not wanted any more.
    Unsnapshotted {
        session: SessionId,
        label: Label,
        /// By whom; records of the first version do not say it.
        #[serde(flatten)]
        hand: Option<Hand>,
    },
    /// Everything was put back as a snapshot has it.
    RolledBack {
        session: SessionId,
        label: Label,
        #[serde(flatten)]
        hand: Hand,
        /// What it wrote and deleted; records of the first version do not say it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<PutBack>,
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
    /// These records, first and last, were erased.
    Erased { ranges: Vec<(u64, u64)> },
    /// The sealed part of the record before goes on here.
    Continued,
}

impl ContextEvent {
    /// Which session it concerns.
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            ContextEvent::Created { session, .. }
            | ContextEvent::Granted { session, .. }
            | ContextEvent::Revoked { session, .. }
            | ContextEvent::Written { session, .. }
            | ContextEvent::Deleted { session, .. }
            | ContextEvent::Expired { session, .. }
            | ContextEvent::Snapshotted { session, .. }
            | ContextEvent::Unsnapshotted { session, .. }
            | ContextEvent::RolledBack { session, .. }
            | ContextEvent::Archived { session, .. }
            | ContextEvent::Removed { session, .. } => Some(session),
            ContextEvent::Erased { .. } | ContextEvent::Continued => None,
        }
    }
}

impl Event for ContextEvent {
    fn continued() -> ContextEvent {
        ContextEvent::Continued
    }

    fn going_on(mut self, records: u32) -> ContextEvent {
        if let ContextEvent::Created { more, .. } | ContextEvent::Written { more, .. } = &mut self {
            *more = records;
        }
        self
    }

    fn more(&self) -> u32 {
        match self {
            ContextEvent::Created { more, .. } | ContextEvent::Written { more, .. } => *more,
            ContextEvent::Granted { .. }
            | ContextEvent::Revoked { .. }
            | ContextEvent::Deleted { .. }
            | ContextEvent::Expired { .. }
            | ContextEvent::Snapshotted { .. }
            | ContextEvent::Unsnapshotted { .. }
            | ContextEvent::RolledBack { .. }
            | ContextEvent::Archived { .. }
            | ContextEvent::Removed { .. }
            | ContextEvent::Erased { .. }
            | ContextEvent::Continued => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ContextEvent;
    use super::Hand;
    use super::Key;
    use super::Participant;
    use super::Reach;
    use super::SessionId;

    #[test]
    fn events_are_written_as_they_will_be_read_for_good_and_hold_no_value_s098_s099() {
        let event = ContextEvent::Written {
            session: SessionId::parse("capa-17").expect("a session"),
            key: Key::parse("scope", false).expect("a key"),
            version: 3,
            incarnation: None,
            hand: Hand {
                by: Participant::orchestrator(),
                principal: None,
            },
            tokens: 12,
            expires: None,
            reach: Reach::default(),
            more: 0,
        };
        let text = serde_json::to_string(&event).expect("JSON");
        assert_eq!(
            text,
            r#"{"written":{"session":"capa-17","key":"scope","version":3,"by":"orchestrator","tokens":12,"more":0}}"#
        );
        assert_eq!(serde_json::from_str::<ContextEvent>(&text).expect("an event"), event);
        assert_eq!(
            serde_json::to_string(&ContextEvent::Continued).expect("JSON"),
            "\"continued\""
        );
        let begun = r#"{"created":{"session":"capa-17","owner":"ana","grants":[],"config":{},"namespace":false,"after":6,"more":0}}"#;
        let read: ContextEvent = serde_json::from_str(begun).expect("one of before");
        assert!(matches!(read, ContextEvent::Created { more: 0, .. }), "{read:?}");
    }
}
