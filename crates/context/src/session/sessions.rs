//! All sessions, and what events mean to them.
//!
//! Knows no limit and no clock: what depends on them was decided before.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::session::event::SessionEvent;
use crate::session::names::Key;
use crate::session::names::Label;
use crate::session::names::Participant;
use crate::session::names::SessionId;
use crate::session::working_memory::Entry;
use crate::session::working_memory::Past;
use crate::session::working_memory::Session;
use crate::session::working_memory::Snapshot;
use crate::session::working_memory::Tombstone;
use schema::time::At;

/// Keys that are gone and whose history is kept all the same: as many as an agent may still ask about.
const GONE_WITH_HISTORY_MAX: usize = 64;
/// Keys of one session that are remembered after they are gone: what a follower that broke off misses meanwhile; beyond, it lists
/// the keys anew.
pub const TOMBSTONES_MAX: usize = 256;

/// All sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    pub sessions: BTreeMap<SessionId, Session>,
}

impl Aggregate for Sessions {
    type Event = SessionEvent;

    fn evolve(&mut self, seq: u64, at: At, event: &SessionEvent) {
        match event {
            SessionEvent::Created {
                session,
                owner,
                grants,
                config,
                namespace,
                more,
            } => {
                let mut begun = Session {
                    owner: owner.clone(),
                    seq,
                    at,
                    more: *more,
                    namespace: *namespace,
                    config: config.clone(),
                    ..Session::default()
                };
                let roles = grants
                    .iter()
                    .map(|grant| (grant.principal.clone(), grant.roles.clone()));
                begun.participants.extend(roles);
                self.sessions.insert(session.clone(), begun);
            }
            SessionEvent::Removed { session, .. } => {
                self.sessions.remove(session);
            }
            other => {
                let session = other.session().and_then(|id| self.sessions.get_mut(id));
                if let Some(session) = session {
                    session.evolve(seq, at, other);
                }
            }
        }
    }

    fn needed(&self) -> Vec<(u64, u64)> {
        self.sessions.values().flat_map(Session::records).collect()
    }

    fn at_stake(&self, event: &SessionEvent) -> Vec<(u64, u64)> {
        let removed = match event {
            SessionEvent::Removed { session, .. } => self.sessions.get(session),
            _ => None,
        };
        removed.into_iter().flat_map(Session::records).collect()
    }

    fn concerns(&self, event: &SessionEvent) -> Vec<String> {
        event.session().map(|id| id.as_str().to_owned()).into_iter().collect()
    }

    fn ends(event: &SessionEvent) -> Option<&str> {
        match event {
            SessionEvent::Removed { session, .. } => Some(session.as_str()),
            _ => None,
        }
    }
}

impl Session {
    fn evolve(&mut self, seq: u64, at: At, event: &SessionEvent) {
        match event {
            SessionEvent::Granted { grant, .. } => {
                self.participants.insert(grant.principal.clone(), grant.roles.clone());
            }
            SessionEvent::Revoked { principal, .. } => {
                self.participants.remove(principal);
            }
            SessionEvent::Written {
                key,
                version,
                incarnation,
                actor,
                tokens,
                expires,
                more,
                ..
            } => {
                if expires.is_some() {
                    return self.delete_key(key, seq, at, None);
                }
                // Records of before say no incarnation: theirs is that of the key as it was.
                let before = || self.entries.get(key).filter(|_| *version > 1);
                let known = incarnation.or_else(|| before().map(|entry| entry.incarnation));
                let entry = Entry {
                    version: *version,
                    incarnation: known.unwrap_or(seq),
                    seq,
                    content: seq,
                    more: *more,
                    tokens: *tokens,
                    by: actor.by.clone(),
                    at,
                };
                self.set(key, entry);
            }
            SessionEvent::Deleted { key, actor, .. } => self.delete_key(key, seq, at, Some(&actor.by)),
            SessionEvent::Expired { keys, .. } => {
                keys.iter().for_each(|key| self.delete_key(key, seq, at, None));
            }
            SessionEvent::Snapshotted { label, actor, .. } => {
                let snapshot = Snapshot {
                    seq,
                    at,
                    by: actor.by.clone(),
                    entries: self.entries.clone(),
                };
                self.snapshots.insert(label.clone(), snapshot);
            }
            SessionEvent::Unsnapshotted { label, .. } => {
                self.snapshots.remove(label);
            }
            SessionEvent::RolledBack { label, actor, .. } => self.restore(seq, at, label, &actor.by),
            SessionEvent::Archived { .. } => self.archived = Some((seq, at)),
            SessionEvent::Created { .. }
            | SessionEvent::Removed { .. }
            | SessionEvent::Erased { .. }
            | SessionEvent::Continued => {}
        }
    }

    fn restore(&mut self, seq: u64, at: At, label: &Label, by: &Participant) {
        let Some(snapshot) = self.snapshots.get(label) else {
            return;
        };
        let (gone, wanted) = self.against(snapshot);
        for (key, _) in gone {
            self.delete_key(&key, seq, at, Some(by));
        }
        for (key, before) in wanted {
            let (version, incarnation) = self.next_version(&key);
            let entry = Entry {
                version,
                incarnation: incarnation.unwrap_or(seq),
                seq,
                by: by.clone(),
                at,
                ..before
            };
            self.set(&key, entry);
        }
    }

    fn set(&mut self, key: &Key, entry: Entry) {
        self.tombstones.remove(key);
        let before = self.entries.insert(key.clone(), entry);
        if let Some(before) = before {
            self.outdate(key, Past::Version(before));
        }
        self.trim(key);
    }

    fn delete_key(&mut self, key: &Key, seq: u64, at: At, by: Option<&Participant>) {
        let Some(entry) = self.entries.remove(key) else {
            return;
        };
        let (version, by) = (entry.version, by.cloned());
        let tombstone = Tombstone {
            version,
            seq,
            at,
            by: by.clone(),
        };
        self.bury(key, tombstone);
        self.outdate(key, Past::Version(entry));
        self.outdate(key, Past::Gone { version, seq, at, by });
        self.trim(key);
        self.forget_the_long_gone();
    }

    /// Remembers how a key went, of no more keys than [`TOMBSTONES_MAX`].
    fn bury(&mut self, key: &Key, tombstone: Tombstone) {
        let kept = &mut self.tombstones;
        kept.insert(key.clone(), tombstone);
        if kept.len() > TOMBSTONES_MAX
            && let Some((oldest, seq)) = kept
                .iter()
                .map(|(key, went)| (key.clone(), went.seq))
                .min_by_key(|(_, seq)| *seq)
        {
            kept.remove(&oldest);
            self.forgotten = self.forgotten.max(seq);
        }
    }

    /// Puts something into a key's history, where the session keeps one.
    fn outdate(&mut self, key: &Key, past: Past) {
        if self.config.history_versions > 0 {
            self.past.entry(key.clone()).or_default().push(past);
        }
    }

    /// Keeps no more versions of a key than the session does (S-079).
    fn trim(&mut self, key: &Key) {
        let surplus = self.versions(key).count().saturating_sub(self.config.history_versions);
        let Some(past) = self.past.get_mut(key) else { return };
        let versions = past.iter().enumerate().filter(|(_, past)| past.version().is_some());
        // A deletion without the version before it tells nothing.
        let kept_from = versions.map(|(place, _)| place).nth(surplus);
        past.drain(..kept_from.unwrap_or(past.len()));
        if past.is_empty() {
            self.past.remove(key);
        }
    }

    /// Keys that are gone keep their history as long as there are not too many of them.
    fn forget_the_long_gone(&mut self) {
        let went = |past: &Past| match past {
            Past::Version(Entry { seq, .. }) | Past::Gone { seq, .. } => *seq,
        };
        let gone = self.past.iter().filter(|(key, _)| !self.entries.contains_key(*key));
        let mut gone: Vec<(u64, Key)> = gone
            .map(|(key, past)| (past.last().map_or(0, went), key.clone()))
            .collect();
        gone.sort();
        gone.truncate(gone.len().saturating_sub(GONE_WITH_HISTORY_MAX));
        for (_, key) in gone {
            self.past.remove(&key);
        }
    }
}
