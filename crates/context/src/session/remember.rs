//! What a session keeps of what it was: history and snapshots (Shared Context §7.3, §7.6, S-078, S-079, S-082).

use crate::session::decide::ContextLimits;
use crate::session::entry::Entry;
use crate::session::event::ContextEvent;
use crate::session::event::Hand;
use crate::session::event::PutBack;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::refusal::ContextRefusal;
use crate::session::session::Frozen;
use crate::session::session::Past;
use crate::session::session::Session;
use schema::time::At;

/// A key with an entry of its.
type Found<'a> = (&'a Key, &'a Entry);

impl Session {
    /// What a key was before and is, oldest first, as far as a participant may read it; with the versions that were asked for
    /// and are not kept.
    ///
    /// # Errors
    /// [`ContextRefusal::ExtensionOff`], [`ContextRefusal::KeyNotFound`] where nothing of it is kept that may be read.
    pub fn history(
        &self,
        key: &Key,
        versions: Option<&[u64]>,
        who: &Participant,
        now: At,
    ) -> Result<(Vec<Past>, Vec<u64>), ContextRefusal> {
        self.config
            .demand(self.config.history_versions > 0, "history_versions")?;
        if self.hides(key, who, now) {
            return Err(ContextRefusal::KeyNotFound);
        }
        let mut whole: Vec<Past> = self.past.get(key).cloned().unwrap_or_default();
        if let Some(entry) = self.entries.get(key) {
            whole.push(Past::Version(entry.clone()));
            whole.extend(entry.gone_at(self.moment(now)).map(|at| Past::Gone {
                version: entry.version,
                seq: entry.seq,
                at,
                by: None,
            }));
        }
        // That a version went is for those who might read it.
        let mut sees = false;
        whole.retain(|past| {
            if let Past::Version(entry) = past {
                sees = entry.reach.lets_read(who);
            }
            sees
        });
        let mut told = whole;
        if !told.iter().any(|past| matches!(past, Past::Version(_))) {
            return Err(ContextRefusal::KeyNotFound);
        }
        let version = |past: &Past| match past {
            Past::Version(entry) => entry.version,
            Past::Gone { version, .. } => *version,
        };
        let mut missing = Vec::new();
        if let Some(wanted) = versions {
            let kept = |wanted: u64| {
                told.iter()
                    .any(|past| matches!(past, Past::Version(_)) && version(past) == wanted)
            };
            missing = wanted.iter().copied().filter(|wanted| !kept(*wanted)).collect();
            told.retain(|past| wanted.contains(&version(past)));
        }
        Ok((told, missing))
    }

    /// Keeps everything under a label as it stands.
    ///
    /// # Errors
    /// Archived, [`ContextRefusal::ExtensionOff`], [`ContextRefusal::SnapshotExists`], [`ContextRefusal::Full`].
    pub fn snapshot(
        &self,
        id: &SessionId,
        label: Label,
        hand: Hand,
        limits: &ContextLimits,
    ) -> Result<ContextEvent, ContextRefusal> {
        self.open()?;
        self.config.demand(self.config.snapshots, "snapshots")?;
        if self.snapshots.contains_key(&label) {
            return Err(ContextRefusal::SnapshotExists);
        }
        if self.snapshots.len() >= limits.snapshots_max {
            return Err(ContextRefusal::Full("snapshots of one session", limits.snapshots_max));
        }
        Ok(ContextEvent::Snapshotted {
            session: id.clone(),
            label,
            hand,
        })
    }

    /// A snapshot.
    ///
    /// # Errors
    /// [`ContextRefusal::ExtensionOff`], [`ContextRefusal::SnapshotNotFound`].
    pub fn frozen(&self, label: &Label) -> Result<&Frozen, ContextRefusal> {
        self.config.demand(self.config.snapshots, "snapshots")?;
        self.snapshots.get(label).ok_or(ContextRefusal::SnapshotNotFound)
    }

    /// What a participant may read of a snapshot: what it might read then, but for keys that are closed to it now.
    pub fn seen_of<'a>(&'a self, frozen: &'a Frozen, who: &'a Participant, now: At) -> impl Iterator<Item = Found<'a>> {
        let seen = frozen.entries.iter().filter(|(_, entry)| entry.reach.lets_read(who));
        seen.filter(move |(key, _)| !self.hides(key, who, now))
    }

    /// Forgets a snapshot.
    ///
    /// # Errors
    /// Archived, and as [`Session::put_back`].
    pub fn unsnapshot(&self, id: &SessionId, label: Label, hand: Hand) -> Result<ContextEvent, ContextRefusal> {
        self.may_touch_all(&label, &hand.by)?;
        Ok(ContextEvent::Unsnapshotted {
            session: id.clone(),
            label,
            hand: Some(hand),
        })
    }

    /// Puts everything back as a snapshot has it; each key that changes gets a new version.
    ///
    /// # Errors
    /// Archived, [`ContextRefusal::ExtensionOff`], [`ContextRefusal::SnapshotNotFound`], and with access control
    /// [`ContextRefusal::SnapshotForbidden`] for all but the one that leads, since it touches every key.
    pub fn put_back(&self, id: &SessionId, label: Label, hand: Hand, now: At) -> Result<ContextEvent, ContextRefusal> {
        self.may_touch_all(&label, &hand.by)?;
        let (gone, wanted) = self.against(self.frozen(&label)?, now);
        let deleted = gone.into_iter().filter(|(_, entry)| entry.lives(now));
        let deleted = deleted.map(|(key, entry)| PutBack::Deleted {
            key: key.clone(),
            version: entry.version,
            tokens: entry.tokens,
        });
        let written = wanted.into_iter().map(|(key, entry)| PutBack::Written {
            key: key.clone(),
            version: self.next_version(key, now).0,
            tokens: entry.tokens,
        });
        Ok(ContextEvent::RolledBack {
            session: id.clone(),
            changes: deleted.chain(written).collect(),
            label,
            hand,
        })
    }

    /// The keys that a snapshot does not have, and those that it has otherwise, as it has them. What has expired since it was
    /// taken is not brought back.
    pub fn against<'a>(&'a self, frozen: &'a Frozen, now: At) -> (Vec<Found<'a>>, Vec<Found<'a>>) {
        let kept = |key: &Key| frozen.entries.get(key).filter(|entry| entry.lives(now));
        let gone = self.entries.iter().filter(|(key, _)| kept(key).is_none());
        let differs = |key: &Key, before: &Entry| {
            self.entries.get(key).is_none_or(|entry| {
                entry.content != before.content || entry.expires != before.expires || entry.reach != before.reach
            })
        };
        let wanted = frozen.entries.iter().filter(|(_, before)| before.lives(now));
        let wanted = wanted.filter(|(key, before)| differs(key, before));
        (gone.collect(), wanted.collect())
    }

    fn may_touch_all(&self, label: &Label, who: &Participant) -> Result<(), ContextRefusal> {
        self.open()?;
        self.frozen(label)?;
        if self.config.access_control && !who.leads() {
            return Err(ContextRefusal::SnapshotForbidden);
        }
        Ok(())
    }
}
