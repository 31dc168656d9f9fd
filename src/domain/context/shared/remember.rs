//! What a session keeps of what it was: history and snapshots (Shared Context §7.3, §7.6, S-078, S-079, S-082).

use crate::domain::context::shared::decide::ContextLimits;
use crate::domain::context::shared::event::ContextEvent;
use crate::domain::context::shared::event::Hand;
use crate::domain::context::shared::name::Key;
use crate::domain::context::shared::name::Label;
use crate::domain::context::shared::name::SessionId;
use crate::domain::context::shared::participant::Participant;
use crate::domain::context::shared::refusal::ContextRefusal;
use crate::domain::context::shared::session::Frozen;
use crate::domain::context::shared::session::Past;
use crate::domain::context::shared::session::Session;
use crate::domain::time::At;

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
        let current = self.entry(key, who, now).ok().cloned().map(Past::Version);
        let before = self.past.get(key).into_iter().flatten();
        let seen = before.filter(|past| match past {
            Past::Version(entry) => entry.reach.lets_read(who),
            Past::Gone { .. } => true,
        });
        let mut told: Vec<Past> = seen.cloned().chain(current).collect();
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

    /// Forgets a snapshot.
    ///
    /// # Errors
    /// Archived, and as [`Session::put_back`].
    pub fn unsnapshot(&self, id: &SessionId, label: Label, who: &Participant) -> Result<ContextEvent, ContextRefusal> {
        self.may_touch_all(&label, who)?;
        Ok(ContextEvent::Unsnapshotted {
            session: id.clone(),
            label,
        })
    }

    /// Puts everything back as a snapshot has it; each key that changes gets a new version.
    ///
    /// # Errors
    /// Archived, [`ContextRefusal::ExtensionOff`], [`ContextRefusal::SnapshotNotFound`], and with access control
    /// [`ContextRefusal::KeyForbidden`] for all but the one that leads, since it touches every key.
    pub fn put_back(&self, id: &SessionId, label: Label, hand: Hand) -> Result<ContextEvent, ContextRefusal> {
        self.may_touch_all(&label, &hand.by)?;
        Ok(ContextEvent::RolledBack {
            session: id.clone(),
            label,
            hand,
        })
    }

    fn may_touch_all(&self, label: &Label, who: &Participant) -> Result<(), ContextRefusal> {
        self.open()?;
        self.frozen(label)?;
        if self.config.access_control && !who.leads() {
            return Err(ContextRefusal::KeyForbidden);
        }
        Ok(())
    }
}
