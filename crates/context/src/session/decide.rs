//! What may happen to sessions: how they begin and end, who takes part, and what is written and deleted (Shared Context §3, §4,
//! §8.4).
//!
//! Says no and changes nothing. Last write wins (S-042): nothing is locked, and only a write that names a version is held to it.

use crate::session::action::Moment;
use crate::session::action::Write;
use crate::session::book::Contexts;
use crate::session::config::Config;
use crate::session::entry::Entry;
use crate::session::entry::Reach;
use crate::session::event::ContextEvent;
use crate::session::event::Grant;
use crate::session::event::Hand;
use crate::session::name::Key;
use crate::session::name::SessionId;
use crate::session::participant::Pattern;
use crate::session::refusal::ContextRefusal;
use crate::session::session::Session;
use crate::session::size;
use crate::session::size::SizeLimits;
use schema::name::ClientId;
use schema::time::At;

/// Bounds of all sessions together and of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextLimits {
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
pub struct Wanted {
    pub session: SessionId,
    pub owner: Option<ClientId>,
    pub grants: Vec<Grant>,
    pub config: Config,
    /// Whether it has conventions for its keys.
    pub namespace: bool,
}

impl Contexts {
    /// Begins a session (S-094).
    ///
    /// # Errors
    /// [`ContextRefusal::SessionExists`], [`ContextRefusal::Full`], and what [`Session::grant`] says of a grant.
    pub fn create(&self, wanted: Wanted, limits: &ContextLimits) -> Result<ContextEvent, ContextRefusal> {
        if self.sessions.contains_key(&wanted.session) {
            return Err(ContextRefusal::SessionExists);
        }
        if self.sessions.len() >= limits.sessions_max {
            return Err(ContextRefusal::Full("sessions", limits.sessions_max));
        }
        let own = self
            .sessions
            .values()
            .filter(|session| session.owner == wanted.owner)
            .count();
        if own >= limits.sessions_per_client_max {
            return Err(ContextRefusal::Full(
                "sessions of one client",
                limits.sessions_per_client_max,
            ));
        }
        if wanted.grants.len() > limits.participants_max {
            return Err(ContextRefusal::Full(
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
        Ok(ContextEvent::Created {
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
    /// [`ContextRefusal::SessionArchived`], [`ContextRefusal::RoleTaken`], [`ContextRefusal::Full`].
    pub fn grant(&self, id: &SessionId, grant: Grant, limits: &ContextLimits) -> Result<ContextEvent, ContextRefusal> {
        self.open()?;
        let is_new = !self.participants.contains_key(&grant.principal);
        if is_new && self.participants.len() >= limits.participants_max {
            return Err(ContextRefusal::Full(
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
        Ok(ContextEvent::Granted {
            session: id.clone(),
            grant,
            by: self.owner.clone(),
        })
    }

    /// Lets a principal take part no more.
    ///
    /// # Errors
    /// [`ContextRefusal::ParticipantNotFound`].
    pub fn revoke(&self, id: &SessionId, principal: &ClientId) -> Result<ContextEvent, ContextRefusal> {
        if !self.participants.contains_key(principal) {
            return Err(ContextRefusal::ParticipantNotFound);
        }
        Ok(ContextEvent::Revoked {
            session: id.clone(),
            principal: principal.clone(),
            by: self.owner.clone(),
        })
    }

    /// Makes it readable alone (S-095), its creator or an operator; `None` where it is so already.
    pub fn archive(&self, id: &SessionId, operator: Option<ClientId>) -> Option<ContextEvent> {
        self.archived.is_none().then(|| ContextEvent::Archived {
            session: id.clone(),
            by: self.owner.clone().filter(|_| operator.is_none()),
            operator,
        })
    }

    /// Does away with it (S-096), its creator or an operator.
    pub fn remove(&self, id: &SessionId, operator: Option<ClientId>) -> ContextEvent {
        ContextEvent::Removed {
            session: id.clone(),
            by: self.owner.clone().filter(|_| operator.is_none()),
            operator,
        }
    }

    /// Says no where it is archived.
    ///
    /// # Errors
    /// [`ContextRefusal::SessionArchived`].
    pub fn open(&self) -> Result<(), ContextRefusal> {
        if self.archived.is_some() {
            return Err(ContextRefusal::SessionArchived);
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
        hand: Hand,
        now: At,
        limits: &ContextLimits,
    ) -> Result<ContextEvent, ContextRefusal> {
        self.open()?;
        let key = self.config.key(&write.key)?;
        let reaches = write.readable_by.is_some() || write.writable_by.is_some();
        self.config
            .demand(self.config.access_control || !reaches, "access_control")?;
        self.config
            .demand(self.config.expiry || write.expires_s.is_none(), "expiry")?;
        let before = self.entries.get(&key).filter(|entry| entry.lives(now));
        if before.is_some_and(|entry| !entry.reach.lets_write(&hand.by)) {
            return Err(ContextRefusal::KeyForbidden);
        }
        let sees = before.is_none_or(|entry| entry.reach.lets_read(&hand.by));
        if !sees && (reaches || write.at.is_some() || write.expires_s.is_some()) {
            // It may leave something there, and neither learn of it nor take it over, nor let it end with its lists.
            return Err(ContextRefusal::ValueAlone);
        }
        self.expect(write.at, before)?;
        let tokens = size::tokens(&write.value);
        if tokens > limits.size.value_max {
            return Err(ContextRefusal::ValueTooLarge {
                tokens,
                max: limits.size.value_max,
            });
        }
        self.room(&key, tokens, now, limits)?;
        let kept = before.map(|entry| entry.reach.clone()).unwrap_or_default();
        let seconds = |seconds: i64| now.plus_ms(seconds.saturating_mul(1_000));
        let (version, incarnation) = self.next_version(&key, now);
        Ok(ContextEvent::Written {
            session: id.clone(),
            version,
            incarnation,
            key,
            hand,
            tokens,
            expires: write.expires_s.map(seconds),
            reach: Reach {
                readable_by: write.readable_by.clone().unwrap_or(kept.readable_by),
                writable_by: write.writable_by.clone().unwrap_or(kept.writable_by),
            },
            more: 0,
        })
    }

    /// Whether there is room for a value under a key; the old one stays where there is none (S-036, S-037).
    fn room(&self, key: &Key, tokens: u64, now: At, limits: &ContextLimits) -> Result<(), ContextRefusal> {
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
            return Err(ContextRefusal::StoreFull { what });
        }
        // Expired keys take a place until they are taken out, which is done first.
        if others >= limits.keys_max {
            let what = format!("a session may have {} keys", limits.keys_max);
            return Err(ContextRefusal::StoreFull { what });
        }
        Ok(())
    }

    /// Whether a key is as a write wants it; 0 is for one that must not be there.
    fn expect(&self, wanted: Moment, found: Option<&Entry>) -> Result<(), ContextRefusal> {
        if !wanted.is_some() {
            return Ok(());
        }
        self.config.demand(self.config.if_version, "if_version")?;
        let version = found.map(|entry| entry.version);
        let incarnation = found.map(|entry| entry.incarnation);
        let is = |wanted: Option<u64>, found: Option<u64>| wanted.is_none_or(|wanted| wanted == found.unwrap_or(0));
        if is(wanted.version, version) && is(wanted.incarnation, incarnation) {
            Ok(())
        } else {
            Err(ContextRefusal::VersionConflict {
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
        wanted: Moment,
        hand: Hand,
        now: At,
    ) -> Result<ContextEvent, ContextRefusal> {
        self.open()?;
        let key = self.config.key(key)?;
        let entry = self.entry(&key, &hand.by, now)?;
        if !entry.reach.lets_write(&hand.by) {
            return Err(ContextRefusal::KeyForbidden);
        }
        self.expect(wanted, Some(entry))?;
        Ok(ContextEvent::Deleted {
            session: id.clone(),
            version: entry.version,
            tokens: entry.tokens,
            key,
            hand,
        })
    }

    /// Takes out what has expired; `None` where nothing has (S-081).
    pub fn expire(&self, id: &SessionId, now: At) -> Option<ContextEvent> {
        let now = self.moment(now);
        let gone = self.entries.iter().filter(|(_, entry)| !entry.lives(now));
        let keys: Vec<Key> = gone.map(|(key, _)| key.clone()).collect();
        (!keys.is_empty()).then(|| ContextEvent::Expired {
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
) -> Result<(), ContextRefusal> {
    let overlaps = |roles: &[Pattern]| {
        roles
            .iter()
            .any(|role| grant.roles.iter().any(|own| own.overlaps(role)))
    };
    let taken = others.any(|(principal, roles)| *principal == grant.principal || overlaps(roles));
    if taken || owner == Some(&grant.principal) {
        return Err(ContextRefusal::RoleTaken);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
