//! All sessions, and what events mean to them.
//!
//! Knows no limit and no clock: what depends on them was decided before. Invariant: a value is held by a session or its records
//! are in `freed`, never both; [`Contexts::check`] says so.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::session::closed::CLOSINGS_MAX;
use crate::session::entry::Entry;
use crate::session::event::ContextEvent;
use crate::session::freed::Freed;
use crate::session::graves::Grave;
use crate::session::graves::Graves;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::session::Frozen;
use crate::session::session::Past;
use crate::session::session::Session;
use schema::time::At;

/// Keys that are gone and whose history is kept all the same.
const GONE_WITH_HISTORY_MAX: usize = 64;

/// All sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contexts {
    pub sessions: BTreeMap<SessionId, Session>,
    /// Records whose sealed parts nobody can ask for any more.
    pub freed: Freed,
}

impl Aggregate for Contexts {
    type Event = ContextEvent;

    fn evolve(&mut self, seq: u64, at: At, event: &ContextEvent) {
        match event {
            ContextEvent::Created {
                session,
                owner,
                grants,
                config,
                namespace,
                more,
            } => {
                let begun = Session {
                    owner: owner.clone(),
                    seq,
                    at,
                    more: *more,
                    namespace: *namespace,
                    config: config.clone(),
                    participants: grants
                        .iter()
                        .map(|grant| (grant.principal.clone(), grant.roles.clone()))
                        .collect(),
                    entries: BTreeMap::new(),
                    graves: Graves::default(),
                    closed: BTreeMap::new(),
                    forgotten: 0,
                    past: BTreeMap::new(),
                    snapshots: BTreeMap::new(),
                    archived: None,
                };
                self.sessions.insert(session.clone(), begun);
            }
            ContextEvent::Removed { session, .. } => self.remove(session),
            ContextEvent::Erased { ranges } => {
                for (from, through) in ranges {
                    self.freed.take_out(*from, *through);
                }
            }
            ContextEvent::Continued => {}
            ContextEvent::Granted { session, .. }
            | ContextEvent::Revoked { session, .. }
            | ContextEvent::Written { session, .. }
            | ContextEvent::Deleted { session, .. }
            | ContextEvent::Expired { session, .. }
            | ContextEvent::Snapshotted { session, .. }
            | ContextEvent::Unsnapshotted { session, .. }
            | ContextEvent::RolledBack { session, .. }
            | ContextEvent::Archived { session, .. } => {
                if let Some(session) = self.sessions.get_mut(session) {
                    let mut at_session = AtSession {
                        session,
                        freed: &mut self.freed,
                    };
                    at_session.evolve(seq, at, event);
                }
            }
        }
    }
}

impl Contexts {
    fn remove(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.remove(id) else {
            return;
        };
        for (from, through) in session.contents() {
            self.freed.add(from, through);
        }
    }

    /// What must hold after every event.
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), String> {
        for (id, session) in &self.sessions {
            for (key, entry) in &session.entries {
                let (from, through) = entry.records();
                if !self.freed.within(from, through).is_empty() {
                    return Err(format!("{id}: the value of {key} is said to be free"));
                }
            }
            for (key, past) in &session.past {
                let kept = session.versions(key).count();
                if kept > session.config.history_versions {
                    return Err(format!("{id}: {kept} versions of {key} are kept"));
                }
                let (mut last, mut incarnation) = (0, 0);
                for version in session.versions(key) {
                    if version.incarnation < incarnation {
                        return Err(format!("{id}: {key} is of an incarnation of before"));
                    }
                    if version.incarnation == incarnation && version.version <= last {
                        return Err(format!(
                            "{id}: version {last} of {key} is followed by {}",
                            version.version
                        ));
                    }
                    (last, incarnation) = (version.version, version.incarnation);
                    let (from, through) = version.records();
                    if !self.freed.within(from, through).is_empty() {
                        return Err(format!("{id}: version {last} of {key} is said to be free"));
                    }
                }
                if past.is_empty() {
                    return Err(format!("{id}: {key} has an empty history"));
                }
            }
            for (key, closings) in &session.closed {
                let is_known = session.entries.contains_key(key) || session.graves.of(key).is_some();
                if !is_known || closings.is_empty() || closings.len() > CLOSINGS_MAX {
                    return Err(format!("{id}: {} closings of {key} are kept", closings.len()));
                }
            }
            for frozen in session.snapshots.values() {
                for entry in frozen.entries.values() {
                    let (from, through) = entry.records();
                    if !self.freed.within(from, through).is_empty() {
                        return Err(format!("{id}: a snapshot's value is said to be free"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// A session with what becomes free by what happens to it.
struct AtSession<'a> {
    session: &'a mut Session,
    freed: &'a mut Freed,
}

impl AtSession<'_> {
    fn evolve(&mut self, seq: u64, at: At, event: &ContextEvent) {
        match event {
            ContextEvent::Granted { grant, .. } => {
                self.session
                    .participants
                    .insert(grant.principal.clone(), grant.roles.clone());
            }
            ContextEvent::Revoked { principal, .. } => {
                self.session.participants.remove(principal);
            }
            ContextEvent::Written {
                key,
                version,
                incarnation,
                hand,
                tokens,
                expires,
                reach,
                more,
                ..
            } => {
                // Records of before say no incarnation: theirs is that of the key as it was.
                let before = || self.session.entries.get(key).filter(|_| *version > 1);
                let known = incarnation.or_else(|| before().map(|entry| entry.incarnation));
                let entry = Entry {
                    version: *version,
                    incarnation: known.unwrap_or(seq),
                    seq,
                    content: seq,
                    more: *more,
                    tokens: *tokens,
                    by: hand.by.clone(),
                    at,
                    expires: *expires,
                    reach: reach.clone(),
                };
                self.set(key, entry);
            }
            ContextEvent::Deleted { key, hand, .. } => self.bury(key, seq, at, Some(&hand.by)),
            ContextEvent::Expired { keys, .. } => {
                for key in keys {
                    // It went when its time was over, and not when it was taken out.
                    let went = self.session.entries.get(key).and_then(|entry| entry.gone_at(at));
                    self.bury(key, seq, went.unwrap_or(at), None);
                }
            }
            ContextEvent::Snapshotted { label, hand, .. } => {
                let entries = self.session.living(at).map(|(key, entry)| (key.clone(), entry.clone()));
                let frozen = Frozen {
                    seq,
                    at,
                    by: hand.by.clone(),
                    entries: entries.collect(),
                };
                self.session.snapshots.insert(label.clone(), frozen);
            }
            ContextEvent::Unsnapshotted { label, .. } => {
                let frozen = self.session.snapshots.remove(label);
                for (key, entry) in frozen.into_iter().flat_map(|frozen| frozen.entries) {
                    self.release(&key, &entry);
                }
            }
            ContextEvent::RolledBack { label, hand, .. } => self.roll_back(seq, at, label, &hand.by),
            ContextEvent::Archived { .. } => self.session.archived = Some((seq, at)),
            ContextEvent::Created { .. }
            | ContextEvent::Removed { .. }
            | ContextEvent::Erased { .. }
            | ContextEvent::Continued => {}
        }
    }

    fn roll_back(&mut self, seq: u64, at: At, label: &Label, by: &Participant) {
        let Some(frozen) = self.session.snapshots.get(label) else {
            return;
        };
        let (gone, wanted) = self.session.against(frozen, at);
        let gone: Vec<Key> = gone.into_iter().map(|(key, _)| key.clone()).collect();
        let wanted: Vec<(Key, Entry)> = wanted
            .into_iter()
            .map(|(key, entry)| (key.clone(), entry.clone()))
            .collect();
        for key in gone {
            self.bury(&key, seq, at, Some(by));
        }
        for (key, before) in wanted {
            let (version, incarnation) = self.session.next_version(&key, at);
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
        let raised = self.session.graves.raise(key);
        let (seq, at, by, readers) = (entry.seq, entry.at, entry.by.clone(), entry.reach.readable_by.clone());
        let before = self.session.entries.insert(key.clone(), entry);
        let went = match &before {
            Some(before) if before.reach.readable_by == readers => None,
            Some(before) => Some(Grave {
                version: before.version,
                seq,
                at,
                by: Some(by),
                reach: before.reach.clone(),
            }),
            // It went, and comes back for some alone.
            None => raised,
        };
        if let Some(went) = went {
            self.close(key, went, &readers);
        }
        if let Some(before) = before {
            self.outdate(key, Past::Version(before));
        }
        self.trim(key);
    }

    /// Remembers for whom a key went that is there for these readers.
    fn close(&mut self, key: &Key, went: Grave, readers: &[Pattern]) {
        let closings = self.session.closed.entry(key.clone()).or_default();
        let forgotten = closings.note(went, readers);
        if closings.is_empty() {
            self.session.closed.remove(key);
        }
        self.forget(forgotten.map(|grave| grave.seq));
    }

    /// Says that a key went at a record, and that this is remembered no more.
    fn forget(&mut self, seq: Option<u64>) {
        self.session.forgotten = self.session.forgotten.max(seq.unwrap_or(0));
    }

    fn bury(&mut self, key: &Key, seq: u64, at: At, by: Option<&Participant>) {
        let Some(entry) = self.session.entries.remove(key) else {
            return;
        };
        let (version, by) = (entry.version, by.cloned());
        let grave = Grave {
            version,
            seq,
            at,
            by: by.clone(),
            reach: entry.reach.clone(),
        };
        if let Some((forgotten, grave)) = self.session.graves.bury(key.clone(), grave) {
            self.session.closed.remove(&forgotten);
            self.forget(Some(grave.seq));
        }
        self.outdate(key, Past::Version(entry));
        if self.session.config.history_versions > 0 {
            self.outdate(key, Past::Gone { version, seq, at, by });
        }
        self.trim(key);
        self.forget_the_long_gone();
    }

    /// Puts something into a key's history, or lets it go where there is none.
    fn outdate(&mut self, key: &Key, past: Past) {
        if self.session.config.history_versions > 0 {
            self.session.past.entry(key.clone()).or_default().push(past);
        } else if let Past::Version(entry) = past {
            self.release(key, &entry);
        }
    }

    /// Keeps no more versions of a key than the session does (S-079).
    fn trim(&mut self, key: &Key) {
        let kept_max = self.session.config.history_versions;
        while self.session.versions(key).count() > kept_max {
            let Some(past) = self.session.past.get_mut(key) else {
                return;
            };
            let Some(oldest) = (!past.is_empty()).then(|| past.remove(0)) else {
                return;
            };
            if let Past::Version(entry) = oldest {
                self.release(key, &entry);
            }
        }
        // A deletion without the version before it tells nothing.
        if let Some(past) = self.session.past.get_mut(key) {
            let leading = past.iter().take_while(|past| matches!(past, Past::Gone { .. })).count();
            past.drain(..leading);
            if past.is_empty() {
                self.session.past.remove(key);
            }
        }
    }

    /// Keys that are gone keep their history as long as there are not too many of them.
    fn forget_the_long_gone(&mut self) {
        let session = &*self.session;
        let last = |past: &[Past]| {
            past.last().map_or(0, |past| match past {
                Past::Version(entry) => entry.seq,
                Past::Gone { seq, .. } => *seq,
            })
        };
        let gone = session
            .past
            .iter()
            .filter(|(key, _)| !session.entries.contains_key(*key));
        let mut gone: Vec<(u64, Key)> = gone.map(|(key, past)| (last(past), key.clone())).collect();
        if gone.len() <= GONE_WITH_HISTORY_MAX {
            return;
        }
        gone.sort();
        gone.truncate(gone.len() - GONE_WITH_HISTORY_MAX);
        for (_, key) in gone {
            for past in self.session.past.remove(&key).into_iter().flatten() {
                if let Past::Version(entry) = past {
                    self.release(&key, &entry);
                }
            }
        }
    }

    /// Lets go of a value that nothing of the session needs any more.
    fn release(&mut self, key: &Key, entry: &Entry) {
        if !self.session.holds(key, entry.content) {
            let (from, through) = entry.records();
            self.freed.add(from, through);
        }
    }
}
