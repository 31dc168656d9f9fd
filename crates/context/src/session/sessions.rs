//! All sessions, and what events mean to them.
//!
//! Knows no limit and no clock: what depends on them was decided before.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::session::entry::Entry;
use crate::session::event::SessionEvent;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::session::Past;
use crate::session::session::Session;
use crate::session::session::Snapshot;
use crate::session::tombstones::Tombstone;
use schema::time::At;

/// Keys that are gone and whose history is kept all the same: as many as an agent may still ask about.
const GONE_WITH_HISTORY_MAX: usize = 64;

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
                access,
                more,
                ..
            } => {
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
                    expires: *expires,
                    access: access.clone(),
                };
                self.set(key, entry);
            }
            SessionEvent::Deleted { key, actor, .. } => self.delete_key(key, seq, at, Some(&actor.by)),
            SessionEvent::Expired { keys, .. } => {
                for key in keys {
                    // It went when its time was over, and not when it was taken out.
                    let went = self.entries.get(key).and_then(|entry| entry.gone_at(at));
                    self.delete_key(key, seq, went.unwrap_or(at), None);
                }
            }
            SessionEvent::Snapshotted { label, actor, .. } => {
                let entries = self.living(at).map(|(key, entry)| (key.clone(), entry.clone()));
                let snapshot = Snapshot {
                    seq,
                    at,
                    by: actor.by.clone(),
                    entries: entries.collect(),
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
        let (gone, wanted) = self.against(snapshot, at);
        let gone: Vec<Key> = gone.into_iter().map(|(key, _)| key.clone()).collect();
        let wanted = wanted.into_iter().map(|(key, entry)| (key.clone(), entry.clone()));
        let wanted: Vec<(Key, Entry)> = wanted.collect();
        for key in gone {
            self.delete_key(&key, seq, at, Some(by));
        }
        for (key, before) in wanted {
            let (version, incarnation) = self.next_version(&key, at);
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
        let revived = self.tombstones.revive(key);
        let (seq, at, by, readers) = (entry.seq, entry.at, entry.by.clone(), entry.access.readable_by.clone());
        let before = self.entries.insert(key.clone(), entry);
        let went = match &before {
            Some(before) if before.access.readable_by == readers => None,
            Some(before) => Some(Tombstone {
                version: before.version,
                seq,
                at,
                by: Some(by),
                access: before.access.clone(),
            }),
            // It went, and comes back for some alone.
            None => revived,
        };
        if let Some(went) = went {
            self.revoke_access(key, went, &readers);
        }
        if let Some(before) = before {
            self.outdate(key, Past::Version(before));
        }
        self.trim(key);
    }

    /// Remembers for whom a key went that is there for these readers.
    fn revoke_access(&mut self, key: &Key, went: Tombstone, readers: &[Pattern]) {
        let revocations = self.access_revocations.entry(key.clone()).or_default();
        let forgotten = revocations.note(went, readers);
        if revocations.is_empty() {
            self.access_revocations.remove(key);
        }
        self.forgotten = self.forgotten.max(forgotten.map_or(0, |tombstone| tombstone.seq));
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
            access: entry.access.clone(),
        };
        if let Some((forgotten, tombstone)) = self.tombstones.bury(key.clone(), tombstone) {
            self.access_revocations.remove(&forgotten);
            self.forgotten = self.forgotten.max(tombstone.seq);
        }
        self.outdate(key, Past::Version(entry));
        self.outdate(key, Past::Gone { version, seq, at, by });
        self.trim(key);
        self.forget_the_long_gone();
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
        let mut to_drop = surplus;
        // A deletion without the version before it tells nothing.
        let kept_from = past.iter().position(|past| match past {
            Past::Version(_) if to_drop == 0 => true,
            Past::Version(_) => {
                to_drop -= 1;
                false
            }
            Past::Gone { .. } => false,
        });
        past.drain(..kept_from.unwrap_or(past.len()));
        if past.is_empty() {
            self.past.remove(key);
        }
    }

    /// Keys that are gone keep their history as long as there are not too many of them.
    fn forget_the_long_gone(&mut self) {
        let gone = self.past.iter().filter(|(key, _)| !self.entries.contains_key(*key));
        let last = |past: &[Past]| past.last().map_or(0, Past::seq);
        let mut gone: Vec<(u64, Key)> = gone.map(|(key, past)| (last(past), key.clone())).collect();
        gone.sort();
        gone.truncate(gone.len().saturating_sub(GONE_WITH_HISTORY_MAX));
        for (_, key) in gone {
            self.past.remove(&key);
        }
    }
}
