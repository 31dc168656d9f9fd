//! Why something cannot be done in a session: the six errors of Shared Context §5 (S-050 … S-055), and those of its extensions.
//!
//! Holds no value of the context, and no name that the caller may not know.

use strum::IntoStaticStr;
use strum::VariantNames;

use schema::name::ClientId;

/// A refusal with what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum SessionRefusal {
    #[error("there is no key of this name; list_keys says which there are")]
    KeyNotFound,
    #[error(
        "the value is {tokens} tokens (a quarter of its characters), and a value may have {max}; store conclusions, not raw data"
    )]
    ValueTooLarge { tokens: u64, max: u64 },
    #[error("{what}; delete keys that are not needed any more")]
    StoreFull { what: String },
    #[error("a key has 1 to 64 characters out of a-z, 0-9 and _{}", colon(.prefixes))]
    InvalidKey { prefixes: bool },
    #[error("there is no such session")]
    SessionNotFound,
    #[error("the session is archived: it can be read, and nothing else")]
    SessionArchived,
    /// The key is at another version than the one that was named; none where there is no such key.
    #[error("the key is {} now; read it again before you write", at(.found))]
    VersionConflict {
        found: Option<u64>,
        incarnation: Option<u64>,
    },
    #[error(
        "this caller does not take part in the session under the role that it names, or has by itself; its creator grants roles, each to one"
    )]
    RoleNotGranted,
    /// For the creator alone, who granted it.
    #[error("this role is granted to {0}: name another one, or revoke the grant")]
    #[strum(serialize = "ROLE_NOT_GRANTED")]
    RoleHeld(ClientId),
    #[error("the session does not have the extension `{0}`; it is chosen when the session is created")]
    ExtensionOff(&'static str),
    #[error("this session_id is taken")]
    SessionExists,
    #[error("there is no snapshot under this label")]
    SnapshotNotFound,
    #[error("there is a snapshot under this label already")]
    SnapshotExists,
    #[error("this principal is no participant of the session")]
    ParticipantNotFound,
    /// Only who created the session may do it.
    #[error("only who created the session may do this")]
    NotCreator,
    /// Two callers under one role could not be told apart.
    #[error("a role that is granted is another participant's already, or may be")]
    RoleTaken,
    /// A limit of the service: how many of what there may be.
    #[error("there may be {1} {0}")]
    #[strum(serialize = "LIMIT_REACHED")]
    Full(&'static str, usize),
}

impl SessionRefusal {
    /// The code as the specification spells it; extensions have codes in the same style.
    pub fn code(&self) -> &'static str {
        self.into()
    }
}

fn colon(prefixes: &bool) -> &'static str {
    if *prefixes {
        ", and may have one colon after a prefix"
    } else {
        ", and in this session no colon"
    }
}

fn at(version: &Option<u64>) -> String {
    version.map_or_else(|| "not there".to_owned(), |version| format!("at version {version}"))
}
