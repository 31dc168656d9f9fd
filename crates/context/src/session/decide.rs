//! What may happen to sessions: how they begin and end, who takes part, what is written, deleted, kept and put back (Shared Context
//! §3, §4, §7, §8.4).
//!
//! Says no and changes nothing. Last write wins (S-042): nothing is locked, and only a write that names a version is held to it.

use std::collections::BTreeMap;

use crate::session::event::Actor;
use crate::session::event::Grant;
use crate::session::event::KeyChange;
use crate::session::event::SessionEvent;
use crate::session::limits::SessionLimits;
use crate::session::limits::tokens;
use crate::session::names::Key;
use crate::session::names::Label;
use crate::session::names::Pattern;
use crate::session::names::SessionId;
use crate::session::refusal::SessionRefusal;
use crate::session::request::NewSession;
use crate::session::request::Precondition;
use crate::session::request::Write;
use crate::session::sessions::Sessions;
use crate::session::working_memory::Entry;
use crate::session::working_memory::Session;
use crate::session::working_memory::Snapshot;
use schema::name::ClientId;

/// Keys with an entry each.
type Entries = Vec<(Key, Entry)>;

impl Sessions {
    /// Begins a session (S-094).
    ///
    /// # Errors
    /// [`SessionRefusal::SessionExists`], [`SessionRefusal::Full`], and what [`Session::grant`] says of a grant.
    pub fn create(&self, wanted: NewSession, limits: &SessionLimits) -> Result<SessionEvent, SessionRefusal> {
        if self.sessions.contains_key(&wanted.session) {
            return Err(SessionRefusal::SessionExists);
        }
        if self.sessions.len() >= limits.sessions_max {
            return Err(SessionRefusal::Full("sessions", limits.sessions_max));
        }
        let own = self.sessions.values().filter(|session| session.owner == wanted.owner);
        if own.count() >= limits.sessions_per_client_max {
            return Err(SessionRefusal::Full(
                "sessions of one client",
                limits.sessions_per_client_max,
            ));
        }
        let mut participants = BTreeMap::new();
        for grant in &wanted.grants {
            check_grant(grant, wanted.owner.as_ref(), &participants, limits)?;
            participants.insert(grant.principal.clone(), grant.roles.clone());
        }
        Ok(SessionEvent::Created {
            session: wanted.session,
            owner: wanted.owner,
            grants: wanted.grants,
            config: wanted.config,
            namespace: wanted.namespace,
            more: 0,
        })
    }
}

impl Session {
    /// Adds a participant, or replaces the roles of one.
    ///
    /// # Errors
    /// [`SessionRefusal::SessionArchived`], [`SessionRefusal::RoleTaken`], [`SessionRefusal::Full`].
    pub fn grant(&self, id: &SessionId, grant: Grant, limits: &SessionLimits) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        self.config.require(!self.config.access_control, "access_control")?;
        check_grant(&grant, self.owner.as_ref(), &self.participants, limits)?;
        Ok(SessionEvent::Granted {
            session: id.clone(),
            grant,
            by: self.owner.clone(),
        })
    }

    /// Lets a principal take part no more.
    ///
    /// # Errors
    /// [`SessionRefusal::ParticipantNotFound`].
    pub fn revoke(&self, id: &SessionId, principal: &ClientId) -> Result<SessionEvent, SessionRefusal> {
        if !self.participants.contains_key(principal) {
            return Err(SessionRefusal::ParticipantNotFound);
        }
        Ok(SessionEvent::Revoked {
            session: id.clone(),
            principal: principal.clone(),
            by: self.owner.clone(),
        })
    }

    /// Archives the session: from then on it is read and not written (S-095). The caller checks that its creator or an operator asks.
    /// Returns `None` where it is archived already.
    pub fn archive(&self, id: &SessionId, operator: Option<ClientId>) -> Option<SessionEvent> {
        self.archived.is_none().then(|| SessionEvent::Archived {
            session: id.clone(),
            by: self.owner.clone().filter(|_| operator.is_none()),
            operator,
        })
    }

    /// Does away with it (S-096), its creator or an operator.
    pub fn remove(&self, id: &SessionId, operator: Option<ClientId>) -> SessionEvent {
        SessionEvent::Removed {
            session: id.clone(),
            by: self.owner.clone().filter(|_| operator.is_none()),
            operator,
        }
    }

    fn open(&self) -> Result<(), SessionRefusal> {
        if self.archived.is_some() {
            return Err(SessionRefusal::SessionArchived);
        }
        Ok(())
    }

    /// Writes a key (S-025, S-026).
    ///
    /// # Errors
    /// In this order: the session is archived; the name is no key's; `if_version` is off; the version is another one; the value is too
    /// large; the session is full.
    pub fn write(
        &self,
        id: &SessionId,
        write: &Write,
        actor: Actor,
        limits: &SessionLimits,
    ) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        let key = self.config.key(&write.key)?;
        self.expect(write.at, self.entries.get(&key))?;
        let tokens = tokens(&write.value);
        let max = limits.size.value_max;
        if tokens > max {
            return Err(SessionRefusal::ValueTooLarge { tokens, max });
        }
        self.room(&key, tokens, limits)?;
        let (version, incarnation) = self.next_version(&key);
        Ok(SessionEvent::Written {
            session: id.clone(),
            version,
            incarnation,
            key,
            actor,
            tokens,
            expires: None,
            more: 0,
        })
    }

    /// Whether there is room for a value under a key; the old one stays where there is none (S-036, S-037).
    fn room(&self, key: &Key, tokens: u64, limits: &SessionLimits) -> Result<(), SessionRefusal> {
        let (mut others, mut total) = (0, tokens);
        for (_, entry) in self.entries.iter().filter(|(own, _)| *own != key) {
            others += 1;
            total += entry.tokens;
        }
        let max = limits.size.total_max;
        if total > max {
            let what = format!("the values would be {total} tokens, and a session may have {max}");
            return Err(SessionRefusal::StoreFull { what });
        }
        if others >= limits.keys_max {
            let what = format!("a session may have {} keys", limits.keys_max);
            return Err(SessionRefusal::StoreFull { what });
        }
        Ok(())
    }

    /// Whether a key is as a write wants it; 0 is for one that must not be there.
    fn expect(&self, wanted: Precondition, found: Option<&Entry>) -> Result<(), SessionRefusal> {
        if !wanted.is_some() {
            return Ok(());
        }
        self.config.require(self.config.if_version, "if_version")?;
        let version = found.map(|entry| entry.version);
        let incarnation = found.map(|entry| entry.incarnation);
        let is = |wanted: Option<u64>, found: Option<u64>| wanted.is_none_or(|wanted| wanted == found.unwrap_or(0));
        if is(wanted.version, version) && is(wanted.incarnation, incarnation) {
            return Ok(());
        }
        Err(SessionRefusal::VersionConflict {
            found: version,
            incarnation,
        })
    }

    /// Deletes a key (S-030).
    ///
    /// # Errors
    /// Archived, no key, not there, another version.
    pub fn delete(
        &self,
        id: &SessionId,
        key: &str,
        wanted: Precondition,
        actor: Actor,
    ) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        let key = self.config.key(key)?;
        let entry = self.entry(&key)?;
        self.expect(wanted, Some(entry))?;
        Ok(SessionEvent::Deleted {
            session: id.clone(),
            version: entry.version,
            tokens: entry.tokens,
            key,
            actor,
        })
    }

    /// Keeps everything under a label as it stands (S-082).
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

    /// Forgets a snapshot.
    ///
    /// # Errors
    /// As [`Session::roll_back`].
    pub fn delete_snapshot(&self, id: &SessionId, label: Label, actor: Actor) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        self.kept_snapshot(&label)?;
        Ok(SessionEvent::Unsnapshotted {
            session: id.clone(),
            label,
            actor: Some(actor),
        })
    }

    /// Puts everything back as a snapshot has it; each key that changes gets a new version.
    ///
    /// # Errors
    /// Archived, [`SessionRefusal::ExtensionOff`], [`SessionRefusal::SnapshotNotFound`].
    pub fn roll_back(&self, id: &SessionId, label: Label, actor: Actor) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        let (gone, wanted) = self.against(self.kept_snapshot(&label)?);
        let deleted = gone.into_iter().map(|(key, entry)| KeyChange::Deleted {
            key,
            version: entry.version,
            tokens: entry.tokens,
        });
        let written = wanted.into_iter().map(|(key, entry)| KeyChange::Written {
            version: self.next_version(&key).0,
            key,
            tokens: entry.tokens,
        });
        Ok(SessionEvent::RolledBack {
            session: id.clone(),
            changes: deleted.chain(written).collect(),
            label,
            actor,
        })
    }

    /// The keys that a snapshot does not have, and those that it has otherwise, as it has them.
    pub fn against(&self, snapshot: &Snapshot) -> (Entries, Entries) {
        let own = |(key, entry): (&Key, &Entry)| (key.clone(), entry.clone());
        let gone = self
            .entries
            .iter()
            .filter(|(key, _)| !snapshot.entries.contains_key(*key));
        let differs = |key: &Key, before: &Entry| {
            self.entries
                .get(key)
                .is_none_or(|entry| entry.content != before.content)
        };
        let wanted = snapshot.entries.iter().filter(|(key, before)| differs(key, before));
        (gone.map(own).collect(), wanted.map(own).collect())
    }
}

/// Whether a principal may take part beside others: there is room, a role is one principal's alone, and the creator needs no grant.
fn check_grant(
    grant: &Grant,
    owner: Option<&ClientId>,
    participants: &BTreeMap<ClientId, Vec<Pattern>>,
    limits: &SessionLimits,
) -> Result<(), SessionRefusal> {
    let max = limits.participants_max;
    if !participants.contains_key(&grant.principal) && participants.len() >= max {
        return Err(SessionRefusal::Full("participants beside the creator", max));
    }
    let others = participants
        .iter()
        .filter(|(principal, _)| **principal != grant.principal);
    let mut others = others.flat_map(|(_, roles)| roles);
    if owner == Some(&grant.principal) || others.any(|role| grant.roles.iter().any(|own| own.overlaps(role))) {
        return Err(SessionRefusal::RoleTaken);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
