//! Each rule at its edge, and random histories; what they share is a session that is kept as the journal would keep it.

mod access;

mod kept;

mod keys;

mod random;

use super::NewSession;
use super::SessionLimits;
use crate::aggregate::Aggregate;
use crate::session::action::Precondition;
use crate::session::action::Write;
use crate::session::config::Config;
use crate::session::event::Actor;
use crate::session::event::Grant;
use crate::session::event::SessionEvent;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::refusal::SessionRefusal;
use crate::session::session::Session;
use crate::session::sessions::Sessions;
use crate::session::size::SizeLimits;
use schema::name::ClientId;
use schema::time::At;

const LIMITS: SessionLimits = SessionLimits {
    sessions_max: 3,
    sessions_per_client_max: 2,
    keys_max: 20,
    participants_max: 2,
    history_versions_max: 10,
    snapshots_max: 2,
    batch_keys_max: 10,
    expiry_s_max: 100,
    namespace_bytes_max: 1_000,
    size: SizeLimits {
        value_max: 1_000,
        value_warned: 800,
        value_hinted: 500,
        total_max: 10_000,
    },
};

fn id() -> SessionId {
    SessionId::parse("s").expect("a session")
}

fn client(name: &str) -> ClientId {
    ClientId::parse(name).expect("a client")
}

fn who(name: &str) -> Participant {
    Participant::parse(name).expect("a participant")
}

fn actor(name: &str) -> Actor {
    Actor {
        by: who(name),
        principal: Some(client("ana")),
    }
}

fn key(text: &str) -> Key {
    Key::parse(text, true).expect("a key")
}

fn label(text: &str) -> Label {
    Label::parse(text).expect("a label")
}

fn grant(principal: &str, roles: &[&str]) -> Grant {
    Grant {
        principal: client(principal),
        roles: roles
            .iter()
            .map(|role| Pattern::parse(role).expect("a pattern"))
            .collect(),
    }
}

fn wanted(session: &str, owner: &str, config: Config) -> NewSession {
    NewSession {
        session: SessionId::parse(session).expect("a session"),
        owner: Some(client(owner)),
        grants: Vec::new(),
        config,
        namespace: false,
    }
}

/// All sessions as they are kept, record after record.
struct Kept {
    sessions: Sessions,
    seq: u64,
    at: At,
}

impl Kept {
    fn new(config: Config) -> Kept {
        let mut kept = Kept {
            sessions: Sessions::default(),
            seq: 0,
            at: At(1_000_000),
        };
        let created = kept
            .sessions
            .create(wanted("s", "ana", config), &LIMITS)
            .expect("a session");
        kept.apply(&created);
        kept
    }

    fn apply(&mut self, event: &SessionEvent) {
        self.seq += 1;
        self.sessions.evolve(self.seq, self.at, event);
        check(self.sessions.sessions.values());
    }

    fn session(&self) -> &Session {
        &self.sessions.sessions[&id()]
    }

    fn write(&mut self, write: &Write) -> Result<u64, SessionRefusal> {
        self.write_as("orchestrator", write)
    }

    fn write_as(&mut self, name: &str, write: &Write) -> Result<u64, SessionRefusal> {
        let event = self.session().write(&id(), write, actor(name), self.at, &LIMITS)?;
        self.apply(&event);
        let SessionEvent::Written { version, .. } = event else {
            panic!("{event:?}")
        };
        Ok(version)
    }

    fn delete(&mut self, key: &str) -> Result<(), SessionRefusal> {
        let event = self
            .session()
            .delete(&id(), key, Precondition::default(), actor("orchestrator"), self.at)?;
        self.apply(&event);
        Ok(())
    }

    fn versions(&self, text: &str) -> Vec<u64> {
        self.session().versions(&key(text)).map(|entry| entry.version).collect()
    }
}

/// What holds after every event: histories are no longer than they may be, and in order; what is remembered of who lost a key is of
/// keys that are known.
fn check<'a>(sessions: impl Iterator<Item = &'a Session>) {
    for session in sessions {
        for key in session.past.keys() {
            let kept: Vec<(u64, u64)> = session
                .versions(key)
                .map(|entry| (entry.incarnation, entry.version))
                .collect();
            assert!(!kept.is_empty() && kept.len() <= session.config.history_versions);
            assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "{key}: {kept:?}");
        }
        for (key, revocations) in &session.access_revocations {
            assert!(session.entries.contains_key(key) || session.tombstones.get(key).is_some());
            assert!(!revocations.is_empty());
        }
    }
}

fn value(key: &str, tokens: usize) -> Write {
    Write {
        key: key.to_owned(),
        value: "x".repeat(tokens * 4),
        ..Write::default()
    }
}
