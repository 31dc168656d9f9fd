//! One session: what is in its store, who takes part, what may be read (Shared Context §2, §3, §7).
//!
//! Changes only by its events (`sessions`). Knows where values lie, not what they say. Invariant: what is listed, read or followed is
//! what the asking participant may read, at the moment that it asks.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::session::config::Config;
use crate::session::names::Key;
use crate::session::names::Label;
use crate::session::names::Participant;
use crate::session::names::Pattern;
use crate::session::refusal::SessionRefusal;
use schema::name::ClientId;
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

/// Whether somebody is meant by a list.
fn any_matches(patterns: &[Pattern], who: &Participant) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(who))
}

/// One version of a key: everything but its value, which lies in the sealed part of a record (S-010).
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
}

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
}

/// How a key went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    /// Its last version.
    pub version: u64,
    /// The record by which it went.
    pub seq: u64,
    pub at: At,
    /// Who deleted it; `None` where it expired.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<Participant>,
    /// Who may know of it.
    #[serde(flatten)]
    pub access: KeyAccess,
}

/// The keys of a session that went last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstones {
    pub kept: BTreeMap<Key, Tombstone>,
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
            return granted.then_some(who).ok_or(SessionRefusal::RoleNotGranted);
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

    /// Every key that is there.
    pub fn living(&self, now: At) -> impl Iterator<Item = (&Key, &Entry)> {
        let now = self.moment(now);
        self.entries.iter().filter(move |(_, entry)| entry.lives(now))
    }

    /// Every key that is there and that a participant may read.
    pub fn entries<'a>(&'a self, who: &'a Participant, now: At) -> impl Iterator<Item = (&'a Key, &'a Entry)> {
        self.living(now).filter(move |(_, entry)| entry.access.lets_read(who))
    }

    /// A key that is there and that a participant may read.
    ///
    /// # Errors
    /// [`SessionRefusal::KeyNotFound`].
    pub fn entry(&self, key: &Key, who: &Participant, now: At) -> Result<&Entry, SessionRefusal> {
        let seen = self.there(key, now).filter(|entry| entry.access.lets_read(who));
        seen.ok_or(SessionRefusal::KeyNotFound)
    }

    /// Whether a key is there and closed to a participant: then what it was before is closed to it as well.
    pub fn hides(&self, key: &Key, who: &Participant, now: At) -> bool {
        let there = self.there(key, now);
        there.is_some_and(|entry| !entry.access.lets_read(who))
    }

    /// A key that is there.
    pub fn there(&self, key: &Key, now: At) -> Option<&Entry> {
        self.entries.get(key).filter(|entry| entry.lives(self.moment(now)))
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
        match self.there(key, now) {
            Some(entry) => (entry.version + 1, Some(entry.incarnation)),
            None => (1, None),
        }
    }

    /// The records that hold something of it, first to last: its namespace and every value.
    pub fn records(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let past = self.past.values().flatten().filter_map(Past::version);
        let snapshots = self.snapshots.values().flat_map(|snapshot| snapshot.entries.values());
        let values = self.entries.values().chain(past).chain(snapshots);
        let values = values.map(|entry| (entry.content, entry.content + u64::from(entry.more)));
        values.chain([(self.seq, self.seq + u64::from(self.more))])
    }

    /// Every version that is kept of a key, oldest first, the current one last.
    pub fn versions<'a>(&'a self, key: &Key) -> impl Iterator<Item = &'a Entry> {
        let before = self.past.get(key).into_iter().flatten().filter_map(Past::version);
        before.chain(self.entries.get(key))
    }

    /// What a key was before and is, oldest first, as far as a participant may read it; with the versions that were asked for
    /// and are not kept (S-078).
    ///
    /// # Errors
    /// [`SessionRefusal::ExtensionOff`], [`SessionRefusal::KeyNotFound`] where nothing of it is kept that may be read.
    pub fn history(
        &self,
        key: &Key,
        versions: Option<&[u64]>,
        who: &Participant,
        now: At,
    ) -> Result<(Vec<Past>, Vec<u64>), SessionRefusal> {
        let is_on = self.config.history_versions > 0;
        self.config.require(is_on, "history_versions")?;
        if self.hides(key, who, now) {
            return Err(SessionRefusal::KeyNotFound);
        }
        let mut told: Vec<Past> = self.past.get(key).cloned().unwrap_or_default();
        if let Some(entry) = self.entries.get(key) {
            told.push(Past::Version(entry.clone()));
            told.extend(entry.gone_at(self.moment(now)).map(|at| Past::Gone {
                version: entry.version,
                seq: entry.seq,
                at,
                by: None,
            }));
        }
        // That a version went is for those who might read it.
        let mut sees = false;
        told.retain(|past| {
            if let Past::Version(entry) = past {
                sees = entry.access.lets_read(who);
            }
            sees
        });
        let kept: Vec<u64> = told
            .iter()
            .filter_map(Past::version)
            .map(|entry| entry.version)
            .collect();
        if kept.is_empty() {
            return Err(SessionRefusal::KeyNotFound);
        }
        let mut missing = Vec::new();
        if let Some(wanted) = versions {
            missing.extend(wanted.iter().filter(|wanted| !kept.contains(wanted)));
            told.retain(|past| match past {
                Past::Version(Entry { version, .. }) | Past::Gone { version, .. } => wanted.contains(version),
            });
        }
        Ok((told, missing))
    }

    /// A snapshot.
    ///
    /// # Errors
    /// [`SessionRefusal::ExtensionOff`], [`SessionRefusal::SnapshotNotFound`].
    pub fn kept_snapshot(&self, label: &Label) -> Result<&Snapshot, SessionRefusal> {
        self.config.require(self.config.snapshots, "snapshots")?;
        self.snapshots.get(label).ok_or(SessionRefusal::SnapshotNotFound)
    }

    /// What a participant may read of a snapshot: what it might read then, but for keys that are closed to it now.
    pub fn seen_of<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        who: &'a Participant,
        now: At,
    ) -> impl Iterator<Item = (&'a Key, &'a Entry)> {
        let seen = snapshot.entries.iter().filter(|(_, entry)| entry.access.lets_read(who));
        seen.filter(move |(key, _)| !self.hides(key, who, now))
    }
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
