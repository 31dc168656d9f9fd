//! One session: what is in its store, who takes part, what may be read (Shared Context §2, §3, §7).
//!
//! Changes only by its events (`sessions`). Knows where values lie, not what they say.

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

/// One version of a key: everything but its value, which lies in the sealed part of a record (S-010).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts the writes of one incarnation, from 1 on.
    pub version: u64,
    /// The record that created the key as it is there now: another one after it was deleted, so that version and incarnation
    /// together come once (S-012, S-026, S-031).
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
}

/// Something that a key was before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Past {
    /// It had this version.
    Version(Entry),
    /// It was deleted when it had this version (S-031); in old journals, or expired, which nobody did.
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
    /// Who deleted it; `None` where it expired, in old journals.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<Participant>,
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
    /// The keys that went last. Snapshots of another name for it are of keys with a time, and not read.
    pub tombstones: BTreeMap<Key, Tombstone>,
    /// The last record by which a key went that is remembered no more.
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
        self.is_owned_by(client) || self.roles(client).is_some()
    }

    /// What was granted to a caller.
    pub fn roles(&self, client: Option<&ClientId>) -> Option<&Vec<Pattern>> {
        self.participants.get(client?).filter(|_| !self.config.access_control)
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
        if let Some(roles) = self.roles(client) {
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

    /// A key that is there.
    ///
    /// # Errors
    /// [`SessionRefusal::KeyNotFound`].
    pub fn entry(&self, key: &Key) -> Result<&Entry, SessionRefusal> {
        self.entries.get(key).ok_or(SessionRefusal::KeyNotFound)
    }

    /// Size of all values together, in tokens.
    pub fn total(&self) -> u64 {
        self.entries.values().map(|entry| entry.tokens).sum()
    }

    /// The version that a write of this key makes, and of which incarnation; none for one that it begins (S-025, S-026, S-031).
    pub fn next_version(&self, key: &Key) -> (u64, Option<u64>) {
        match self.entries.get(key) {
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

    /// What a key was before and is, oldest first; with the versions that were asked for and are not kept (S-078).
    ///
    /// # Errors
    /// [`SessionRefusal::ExtensionOff`], [`SessionRefusal::KeyNotFound`] where nothing of it is kept.
    pub fn history(&self, key: &Key, versions: Option<&[u64]>) -> Result<(Vec<Past>, Vec<u64>), SessionRefusal> {
        let is_on = self.config.history_versions > 0;
        self.config.require(is_on, "history_versions")?;
        let kept: Vec<u64> = self.versions(key).map(|entry| entry.version).collect();
        if kept.is_empty() {
            return Err(SessionRefusal::KeyNotFound);
        }
        let mut told: Vec<Past> = self.past.get(key).cloned().unwrap_or_default();
        told.extend(self.entries.get(key).cloned().map(Past::Version));
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
}

fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
