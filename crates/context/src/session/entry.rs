//! One version of a key: everything but its value, which lies in the sealed part of a record (Shared Context §2.3, S-010).

use serde::Deserialize;
use serde::Serialize;

use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::participant::any_matches;
use schema::time::At;

/// Who may read and write a key where the session has access control; empty lists mean everybody (S-076).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyAccess {
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub readable_by: Vec<Pattern>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub writable_by: Vec<Pattern>,
}

impl KeyAccess {
    /// Whether it lets somebody read. The one that leads always may, so that no key is locked away.
    pub fn lets_read(&self, who: &Participant) -> bool {
        who.leads() || any_matches(&self.readable_by, who)
    }

    /// Whether it lets somebody write and delete, in the same way. Who may not read a key does not write it either, unless it is
    /// named among those that write.
    pub fn lets_write(&self, who: &Participant) -> bool {
        let may_read = self.lets_read(who) || !self.writable_by.is_empty();
        who.leads() || (may_read && any_matches(&self.writable_by, who))
    }
}

/// One version of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts the writes of one incarnation, from 1 on.
    pub version: u64,
    /// The record that created the key as it is there now: another one after it was deleted, so that version and incarnation
    /// together come once (S-012, S-026, S-031). 0 in snapshots of before.
    #[serde(default)]
    pub incarnation: u64,
    /// The record that made this version.
    pub seq: u64,
    /// The record whose sealed part holds the value, an earlier one after a rollback; it goes on in `more` records after it.
    pub content: u64,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more: u32,
    /// Size of the value.
    pub tokens: u64,
    pub by: Participant,
    pub at: At,
    /// From when on it is not there any more.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires: Option<At>,
    #[serde(flatten)]
    pub access: KeyAccess,
}

impl Entry {
    /// Whether it is there at a moment (S-081).
    pub fn lives(&self, now: At) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }

    /// When it went, where its time is over at a moment.
    pub fn gone_at(&self, now: At) -> Option<At> {
        self.expires.filter(|_| !self.lives(now))
    }

    /// The records that hold its value.
    pub fn records(&self) -> (u64, u64) {
        (self.content, self.content + u64::from(self.more))
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
