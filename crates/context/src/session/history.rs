//! What a session keeps of what it was: history and snapshots (Shared Context §7.3, §7.6, S-078, S-079, S-082).

use crate::session::decide::SessionLimits;
use crate::session::entry::Entry;
use crate::session::event::Actor;
use crate::session::event::KeyChange;
use crate::session::event::SessionEvent;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::refusal::SessionRefusal;
use crate::session::session::Past;
use crate::session::session::Session;
use crate::session::session::Snapshot;
use schema::time::At;

/// A key with an entry of its.
type Found<'a> = (&'a Key, &'a Entry);

impl Session {
    /// What a key was before and is, oldest first, as far as a participant may read it; with the versions that were asked for
    /// and are not kept.
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
        self.config
            .require(self.config.history_versions > 0, "history_versions")?;
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
        if !told.iter().any(|past| past.version().is_some()) {
            return Err(SessionRefusal::KeyNotFound);
        }
        let version = |past: &Past| match past {
            Past::Version(entry) => entry.version,
            Past::Gone { version, .. } => *version,
        };
        let mut missing = Vec::new();
        if let Some(wanted) = versions {
            let kept: Vec<u64> = told
                .iter()
                .filter_map(Past::version)
                .map(|entry| entry.version)
                .collect();
            missing = wanted.iter().copied().filter(|wanted| !kept.contains(wanted)).collect();
            told.retain(|past| wanted.contains(&version(past)));
        }
        Ok((told, missing))
    }

    /// Keeps everything under a label as it stands.
    ///
    /// # Errors
    /// Archived, [`SessionRefusal::ExtensionOff`], [`SessionRefusal::SnapshotExists`], [`SessionRefusal::Full`].
    pub fn snapshot(
        &self,
        id: &SessionId,
        label: Label,
        actor: Actor,
        limits: &SessionLimits,
    ) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        self.config.require(self.config.snapshots, "snapshots")?;
        if self.snapshots.contains_key(&label) {
            return Err(SessionRefusal::SnapshotExists);
        }
        if self.snapshots.len() >= limits.snapshots_max {
            return Err(SessionRefusal::Full("snapshots of one session", limits.snapshots_max));
        }
        Ok(SessionEvent::Snapshotted {
            session: id.clone(),
            label,
            actor,
        })
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
    ) -> impl Iterator<Item = Found<'a>> {
        let seen = snapshot.entries.iter().filter(|(_, entry)| entry.access.lets_read(who));
        seen.filter(move |(key, _)| !self.hides(key, who, now))
    }

    /// Forgets a snapshot.
    ///
    /// # Errors
    /// Archived, and as [`Session::roll_back`].
    pub fn delete_snapshot(&self, id: &SessionId, label: Label, actor: Actor) -> Result<SessionEvent, SessionRefusal> {
        self.may_touch_all(&label, &actor.by)?;
        Ok(SessionEvent::Unsnapshotted {
            session: id.clone(),
            label,
            actor: Some(actor),
        })
    }

    /// Puts everything back as a snapshot has it; each key that changes gets a new version.
    ///
    /// # Errors
    /// Archived, [`SessionRefusal::ExtensionOff`], [`SessionRefusal::SnapshotNotFound`], and with access control
    /// [`SessionRefusal::SnapshotForbidden`] for all but the one that leads, since it touches every key.
    pub fn roll_back(
        &self,
        id: &SessionId,
        label: Label,
        actor: Actor,
        now: At,
    ) -> Result<SessionEvent, SessionRefusal> {
        self.may_touch_all(&label, &actor.by)?;
        let (gone, wanted) = self.against(self.kept_snapshot(&label)?, now);
        let deleted = gone.into_iter().filter(|(_, entry)| entry.lives(now));
        let deleted = deleted.map(|(key, entry)| KeyChange::Deleted {
            key: key.clone(),
            version: entry.version,
            tokens: entry.tokens,
        });
        let written = wanted.into_iter().map(|(key, entry)| KeyChange::Written {
            key: key.clone(),
            version: self.next_version(key, now).0,
            tokens: entry.tokens,
        });
        Ok(SessionEvent::RolledBack {
            session: id.clone(),
            changes: deleted.chain(written).collect(),
            label,
            actor,
        })
    }

    /// The keys that a snapshot does not have, and those that it has otherwise, as it has them. What has expired since it was
    /// taken is not brought back.
    pub fn against<'a>(&'a self, snapshot: &'a Snapshot, now: At) -> (Vec<Found<'a>>, Vec<Found<'a>>) {
        let kept = |key: &Key| snapshot.entries.get(key).filter(|entry| entry.lives(now));
        let gone = self.entries.iter().filter(|(key, _)| kept(key).is_none());
        let differs = |key: &Key, before: &Entry| {
            self.entries.get(key).is_none_or(|entry| {
                entry.content != before.content || entry.expires != before.expires || entry.access != before.access
            })
        };
        let wanted = snapshot.entries.iter().filter(|(_, before)| before.lives(now));
        let wanted = wanted.filter(|(key, before)| differs(key, before));
        (gone.collect(), wanted.collect())
    }

    fn may_touch_all(&self, label: &Label, who: &Participant) -> Result<(), SessionRefusal> {
        self.open()?;
        self.kept_snapshot(label)?;
        if self.config.access_control && !who.leads() {
            return Err(SessionRefusal::SnapshotForbidden);
        }
        Ok(())
    }
}
