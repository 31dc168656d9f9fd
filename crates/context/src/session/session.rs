//! One session: what is in its store, who takes part, what may be read (Shared Context §2, §3).
//!
//! Changes only by its events ([`crate::session::sessions`]). Invariant: what is listed, read or followed is what the asking
//! participant may read, at the moment that it asks.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::session::config::Config;
use crate::session::entry::Entry;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::refusal::SessionRefusal;
use crate::session::tombstones::AccessRevocations;
use crate::session::tombstones::Tombstones;
use schema::name::ClientId;
use schema::time::At;

/// Something that a key was before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Past {
    /// It had this version.
    Version(Entry),
    /// It was deleted, or expired, when it had this version (S-031).
    Gone {
        version: u64,
        seq: u64,
        at: At,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        by: Option<Participant>,
    },
}

impl Past {
    /// The version that it is, where it is one.
    pub fn version(&self) -> Option<&Entry> {
        match self {
            Past::Version(entry) => Some(entry),
            Past::Gone { .. } => None,
        }
    }

    /// The record by which it came.
    pub fn seq(&self) -> u64 {
        match self {
            Past::Version(entry) => entry.seq,
            Past::Gone { seq, .. } => *seq,
        }
    }
}

/// Everything as it stood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub seq: u64,
    pub at: At,
    pub by: Participant,
    pub entries: BTreeMap<Key, Entry>,
}

/// One session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Who created it; `None` for a caller without a name.
    pub owner: Option<ClientId>,
    /// The record by which it began, which holds its namespace.
    pub seq: u64,
    pub at: At,
    pub more: u32,
    pub namespace: bool,
    pub config: Config,
    pub participants: BTreeMap<ClientId, Vec<Pattern>>,
    pub entries: BTreeMap<Key, Entry>,
    #[serde(rename = "graves")]
    pub tombstones: Tombstones,
    /// For whom keys went that are there for others, or went for them later.
    #[serde(rename = "closed", skip_serializing_if = "BTreeMap::is_empty", default)]
    pub access_revocations: BTreeMap<Key, AccessRevocations>,
    /// The last record by which a key went, for all or for some, that is remembered no more.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub forgotten: u64,
    /// What keys were before, oldest first, where the session keeps history.
    pub past: BTreeMap<Key, Vec<Past>>,
    pub snapshots: BTreeMap<Label, Snapshot>,
    /// The record by which it was archived, and when.
    pub archived: Option<(u64, At)>,
}

impl Session {
    /// Whether a caller knows of the session: its creator, and whom it let take part (S-086).
    pub fn is_known_to(&self, client: Option<&ClientId>) -> bool {
        self.is_owned_by(client) || client.is_some_and(|client| self.participants.contains_key(client))
    }

    /// Whether a caller created it.
    pub fn is_owned_by(&self, client: Option<&ClientId>) -> bool {
        self.owner.as_ref() == client
    }

    /// As what a caller takes part: what it says, where that is granted, or what it is where it says nothing (S-027, S-092).
    ///
    /// Whom the creator lets take part is what was granted. The creator itself leads, and may be any participant that is granted
    /// to nobody else: it runs subagents of its own.
    ///
    /// # Errors
    /// [`SessionRefusal::SessionNotFound`] for who does not know of it, [`SessionRefusal::RoleNotGranted`], and for the creator
    /// [`SessionRefusal::RoleHeld`].
    pub fn participant(
        &self,
        client: Option<&ClientId>,
        said: Option<&Participant>,
    ) -> Result<Participant, SessionRefusal> {
        if let Some(roles) = client.and_then(|client| self.participants.get(client)) {
            let usual = || roles.first().and_then(Pattern::one);
            let who = said.cloned().or_else(usual).ok_or(SessionRefusal::RoleNotGranted)?;
            let granted = roles.iter().any(|role| role.matches(&who));
            return if granted {
                Ok(who)
            } else {
                Err(SessionRefusal::RoleNotGranted)
            };
        }
        if !self.is_owned_by(client) {
            return Err(SessionRefusal::SessionNotFound);
        }
        let who = said.cloned().unwrap_or_else(Participant::orchestrator);
        let mut holders = self.participants.iter();
        match holders.find(|(_, roles)| roles.iter().any(|role| role.matches(&who))) {
            Some((holder, _)) => Err(SessionRefusal::RoleHeld(holder.clone())),
            None => Ok(who),
        }
    }

    /// The moment at which keys are looked at: an archived session stays as it was.
    pub fn moment(&self, now: At) -> At {
        self.archived.map_or(now, |(_, archived)| archived.min(now))
    }

    /// A key that is there and that a participant may read.
    ///
    /// # Errors
    /// [`SessionRefusal::KeyNotFound`].
    pub fn entry(&self, key: &Key, who: &Participant, now: At) -> Result<&Entry, SessionRefusal> {
        let entry = self.entries.get(key).filter(|entry| entry.lives(self.moment(now)));
        let seen = entry.filter(|entry| entry.access.lets_read(who));
        seen.ok_or(SessionRefusal::KeyNotFound)
    }

    /// Whether a key is there and closed to a participant: then what it was before is closed to it as well.
    pub fn hides(&self, key: &Key, who: &Participant, now: At) -> bool {
        let entry = self.entries.get(key).filter(|entry| entry.lives(self.moment(now)));
        entry.is_some_and(|entry| !entry.access.lets_read(who))
    }

    /// Every key that is there and that a participant may read.
    pub fn entries<'a>(&'a self, who: &'a Participant, now: At) -> impl Iterator<Item = (&'a Key, &'a Entry)> {
        self.living(now).filter(move |(_, entry)| entry.access.lets_read(who))
    }

    /// Every key that is there.
    pub fn living(&self, now: At) -> impl Iterator<Item = (&Key, &Entry)> {
        let now = self.moment(now);
        self.entries.iter().filter(move |(_, entry)| entry.lives(now))
    }

    /// When the next key's time is over.
    pub fn next_end(&self, now: At) -> Option<At> {
        self.living(now).filter_map(|(_, entry)| entry.expires).min()
    }

    /// Size of all values together, in tokens.
    pub fn total(&self, now: At) -> u64 {
        self.living(now).map(|(_, entry)| entry.tokens).sum()
    }

    /// The version that a write of this key would make at a moment, and of which incarnation; none for one that it begins
    /// (S-025, S-026, S-031).
    pub fn next_version(&self, key: &Key, now: At) -> (u64, Option<u64>) {
        match self.entries.get(key).filter(|entry| entry.lives(now)) {
            Some(entry) => (entry.version + 1, Some(entry.incarnation)),
            None => (1, None),
        }
    }

    /// The records that hold something of it, first to last: its namespace and every value.
    pub fn records(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let past = self.past.values().flatten().filter_map(Past::version);
        let snapshots = self.snapshots.values().flat_map(|snapshot| snapshot.entries.values());
        let values = self.entries.values().chain(past).chain(snapshots).map(Entry::records);
        values.chain([(self.seq, self.seq + u64::from(self.more))])
    }

    /// Every version that is kept of a key, oldest first, the current one last.
    pub fn versions<'a>(&'a self, key: &Key) -> impl Iterator<Item = &'a Entry> {
        let before = self.past.get(key).into_iter().flatten().filter_map(Past::version);
        before.chain(self.entries.get(key))
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
