//! Each rule at its edge, and random histories; what they share is a session that is kept as the journal would keep it.

mod access;

mod kept;

mod keys;

mod random;

use super::ContextLimits;
use super::Wanted;
use crate::aggregate::Aggregate;
use crate::session::action::Moment;
use crate::session::action::Write;
use crate::session::book::Contexts;
use crate::session::config::Config;
use crate::session::event::ContextEvent;
use crate::session::event::Grant;
use crate::session::event::Hand;
use crate::session::name::Key;
use crate::session::name::Label;
use crate::session::name::SessionId;
use crate::session::participant::Participant;
use crate::session::participant::Pattern;
use crate::session::refusal::ContextRefusal;
use crate::session::session::Session;
use crate::session::size::SizeLimits;
use schema::name::ClientId;
use schema::time::At;

const LIMITS: ContextLimits = ContextLimits {
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

fn hand(name: &str) -> Hand {
    Hand {
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

fn wanted(session: &str, owner: &str, config: Config) -> Wanted {
    Wanted {
        session: SessionId::parse(session).expect("a session"),
        owner: Some(client(owner)),
        grants: Vec::new(),
        config,
        namespace: false,
    }
}

/// All sessions as they are kept, record after record.
struct Kept {
    contexts: Contexts,
    seq: u64,
    at: At,
}

impl Kept {
    fn new(config: Config) -> Kept {
        let mut kept = Kept {
            contexts: Contexts::default(),
            seq: 0,
            at: At(1_000_000),
        };
        let created = kept
            .contexts
            .create(wanted("s", "ana", config), &LIMITS)
            .expect("a session");
        kept.apply(&created);
        kept
    }

    fn apply(&mut self, event: &ContextEvent) {
        self.seq += 1;
        self.contexts.evolve(self.seq, self.at, event);
        assert_eq!(self.contexts.check(), Ok(()), "after {event:?}");
    }

    fn session(&self) -> &Session {
        &self.contexts.sessions[&id()]
    }

    fn write(&mut self, write: &Write) -> Result<u64, ContextRefusal> {
        self.write_as("orchestrator", write)
    }

    fn write_as(&mut self, name: &str, write: &Write) -> Result<u64, ContextRefusal> {
        let event = self.session().write(&id(), write, hand(name), self.at, &LIMITS)?;
        self.apply(&event);
        let ContextEvent::Written { version, .. } = event else {
            panic!("{event:?}")
        };
        Ok(version)
    }

    fn delete(&mut self, key: &str) -> Result<(), ContextRefusal> {
        let event = self
            .session()
            .delete(&id(), key, Moment::default(), hand("orchestrator"), self.at)?;
        self.apply(&event);
        Ok(())
    }

    fn versions(&self, text: &str) -> Vec<u64> {
        self.session().versions(&key(text)).map(|entry| entry.version).collect()
    }
}

fn value(key: &str, tokens: usize) -> Write {
    Write {
        key: key.to_owned(),
        value: "x".repeat(tokens * 4),
        ..Write::default()
    }
}
