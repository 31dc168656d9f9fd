//! What may happen to sessions: how they begin and end, who takes part, and what is written and deleted (Shared Context §3, §4,
//! §8.4).
//!
//! Says no and changes nothing. Last write wins (S-042): nothing is locked, and only a write that names a version is held to it.

use crate::session::action::Precondition;
use crate::session::action::Write;
use crate::session::config::Config;
use crate::session::entry::Entry;
use crate::session::entry::KeyAccess;
use crate::session::event::Actor;
use crate::session::event::Grant;
use crate::session::event::SessionEvent;
use crate::session::name::Key;
use crate::session::name::SessionId;
use crate::session::participant::Pattern;
use crate::session::refusal::SessionRefusal;
use crate::session::session::Session;
use crate::session::sessions::Sessions;
use crate::session::size;
use crate::session::size::SizeLimits;
use schema::name::ClientId;
use schema::time::At;

/// Bounds of all sessions together and of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    pub sessions_max: usize,
    pub sessions_per_client_max: usize,
    /// Keys of one session.
    pub keys_max: usize,
    /// Principals beside the creator.
    pub participants_max: usize,
    pub history_versions_max: usize,
    /// Snapshots of one session.
    pub snapshots_max: usize,
    /// Keys of one batch.
    pub batch_keys_max: usize,
    pub expiry_s_max: i64,
    /// Bytes of a session's conventions.
    pub namespace_bytes_max: usize,
    pub size: SizeLimits,
}

/// A session that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    pub session: SessionId,
    pub owner: Option<ClientId>,
    pub grants: Vec<Grant>,
    pub config: Config,
    /// Whether it has conventions for its keys.
    pub namespace: bool,
}

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
        let own = self
            .sessions
            .values()
            .filter(|session| session.owner == wanted.owner)
            .count();
        if own >= limits.sessions_per_client_max {
            let max = limits.sessions_per_client_max;
            return Err(SessionRefusal::Full("sessions of one client", max));
        }
        if wanted.grants.len() > limits.participants_max {
            return Err(SessionRefusal::Full(
                "participants beside the creator",
                limits.participants_max,
            ));
        }
        for (place, grant) in wanted.grants.iter().enumerate() {
            let others = wanted
                .grants
                .iter()
                .take(place)
                .map(|other| (&other.principal, other.roles.as_slice()));
            check_grant(grant, wanted.owner.as_ref(), others)?;
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
    /// Lets a principal take part, or changes as what it does.
    ///
    /// # Errors
    /// [`SessionRefusal::SessionArchived`], [`SessionRefusal::RoleTaken`], [`SessionRefusal::Full`].
    pub fn grant(&self, id: &SessionId, grant: Grant, limits: &SessionLimits) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        let is_new = !self.participants.contains_key(&grant.principal);
        if is_new && self.participants.len() >= limits.participants_max {
            return Err(SessionRefusal::Full(
                "participants beside the creator",
                limits.participants_max,
            ));
        }
        let others = self
            .participants
            .iter()
            .filter(|(principal, _)| **principal != grant.principal);
        check_grant(
            &grant,
            self.owner.as_ref(),
            others.map(|(principal, roles)| (principal, roles.as_slice())),
        )?;
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

    /// Makes it readable alone (S-095), its creator or an operator; `None` where it is so already.
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

    /// Says no where it is archived.
    ///
    /// # Errors
    /// [`SessionRefusal::SessionArchived`].
    pub fn open(&self) -> Result<(), SessionRefusal> {
        if self.archived.is_some() {
            return Err(SessionRefusal::SessionArchived);
        }
        Ok(())
    }

    /// Writes a key (S-025, S-026).
    ///
    /// # Errors
    /// In this order: archived, no key, an extension that is off, not this participant's to write, another version, too large,
    /// no room.
    pub fn write(
        &self,
        id: &SessionId,
        write: &Write,
        actor: Actor,
        now: At,
        limits: &SessionLimits,
    ) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        let key = self.config.key(&write.key)?;
        let reaches = write.readable_by.is_some() || write.writable_by.is_some();
        self.config
            .require(self.config.access_control || !reaches, "access_control")?;
        self.config
            .require(self.config.expiry || write.expires_s.is_none(), "expiry")?;
        let before = self.entries.get(&key).filter(|entry| entry.lives(now));
        if before.is_some_and(|entry| !entry.access.lets_write(&actor.by)) {
            return Err(SessionRefusal::KeyForbidden);
        }
        let sees = before.is_none_or(|entry| entry.access.lets_read(&actor.by));
        if !sees && (reaches || write.at.is_some() || write.expires_s.is_some()) {
            // It may leave something there, and neither learn of it nor take it over, nor let it end with its lists.
            return Err(SessionRefusal::ValueAlone);
        }
        self.expect(write.at, before)?;
        let tokens = size::tokens(&write.value);
        if tokens > limits.size.value_max {
            return Err(SessionRefusal::ValueTooLarge {
                tokens,
                max: limits.size.value_max,
            });
        }
        self.room(&key, tokens, now, limits)?;
        let kept = before.map(|entry| entry.access.clone()).unwrap_or_default();
        let seconds = |seconds: i64| now.plus_ms(seconds.saturating_mul(1_000));
        let (version, incarnation) = self.next_version(&key, now);
        Ok(SessionEvent::Written {
            session: id.clone(),
            version,
            incarnation,
            key,
            actor,
            tokens,
            expires: write.expires_s.map(seconds),
            access: KeyAccess {
                readable_by: write.readable_by.clone().unwrap_or(kept.readable_by),
                writable_by: write.writable_by.clone().unwrap_or(kept.writable_by),
            },
            more: 0,
        })
    }

    /// Whether there is room for a value under a key; the old one stays where there is none (S-036, S-037).
    fn room(&self, key: &Key, tokens: u64, now: At, limits: &SessionLimits) -> Result<(), SessionRefusal> {
        let (mut others, mut others_tokens) = (0, 0);
        for (_, entry) in self.living(now).filter(|(own, _)| *own != key) {
            others += 1;
            others_tokens += entry.tokens;
        }
        let max = limits.size.total_max;
        if others_tokens + tokens > max {
            let what = format!(
                "the values would be {} tokens, and a session may have {max}",
                others_tokens + tokens
            );
            return Err(SessionRefusal::StoreFull { what });
        }
        // Expired keys take a place until they are taken out, which is done first.
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
            Ok(())
        } else {
            Err(SessionRefusal::VersionConflict {
                found: version,
                incarnation,
            })
        }
    }

    /// Deletes a key (S-030).
    ///
    /// # Errors
    /// Archived, no key, not there or not to be read, not this participant's to delete, another version.
    pub fn delete(
        &self,
        id: &SessionId,
        key: &str,
        wanted: Precondition,
        actor: Actor,
        now: At,
    ) -> Result<SessionEvent, SessionRefusal> {
        self.open()?;
        let key = self.config.key(key)?;
        let entry = self.entry(&key, &actor.by, now)?;
        if !entry.access.lets_write(&actor.by) {
            return Err(SessionRefusal::KeyForbidden);
        }
        self.expect(wanted, Some(entry))?;
        Ok(SessionEvent::Deleted {
            session: id.clone(),
            version: entry.version,
            tokens: entry.tokens,
            key,
            actor,
        })
    }

    /// Takes out what has expired; `None` where nothing has (S-081).
    pub fn expire(&self, id: &SessionId, now: At) -> Option<SessionEvent> {
        let now = self.moment(now);
        let gone = self.entries.iter().filter(|(_, entry)| !entry.lives(now));
        let keys: Vec<Key> = gone.map(|(key, _)| key.clone()).collect();
        (!keys.is_empty()).then(|| SessionEvent::Expired {
            session: id.clone(),
            keys,
        })
    }
}

/// A role is one principal's alone, and the creator needs no grant.
fn check_grant<'a>(
    grant: &Grant,
    owner: Option<&ClientId>,
    mut others: impl Iterator<Item = (&'a ClientId, &'a [Pattern])>,
) -> Result<(), SessionRefusal> {
    let overlaps = |roles: &[Pattern]| {
        roles
            .iter()
            .any(|role| grant.roles.iter().any(|own| own.overlaps(role)))
    };
    let taken = others.any(|(principal, roles)| *principal == grant.principal || overlaps(roles));
    if taken || owner == Some(&grant.principal) {
        return Err(SessionRefusal::RoleTaken);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
