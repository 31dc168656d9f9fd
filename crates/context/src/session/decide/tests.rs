//! Each rule at its edge, and random histories; what they share is a session that is kept as the journal would keep it.

mod access;

mod keys;

mod random;

use crate::aggregate::Aggregate;
use crate::session::changes::Change;
use crate::session::changes::Followed;
use crate::session::config::Config;
use crate::session::event::Actor;
use crate::session::event::SessionEvent;
use crate::session::limits::tests::LIMITS;
use crate::session::names::Key;
use crate::session::names::Label;
use crate::session::names::Participant;
use crate::session::names::Pattern;
use crate::session::names::SessionId;
use crate::session::refusal::SessionRefusal;
use crate::session::request::NewSession;
use crate::session::request::Precondition;
use crate::session::request::Write;
use crate::session::sessions::Sessions;
use crate::session::working_memory::Session;
use schema::name::ClientId;
use schema::time::At;

fn id() -> SessionId {
    SessionId::parse("s").expect("a session")
}

fn client(name: &str) -> ClientId {
    ClientId::parse(name).expect("a client")
}

fn lead() -> Actor {
    Actor {
        by: Participant::orchestrator(),
        principal: Some(client("ana")),
    }
}

fn key(text: &str) -> Key {
    Key::parse(text, true).expect("a key")
}

fn label(text: &str) -> Label {
    Label::parse(text).expect("a label")
}

fn patterns(texts: &[&str]) -> Vec<Pattern> {
    texts
        .iter()
        .map(|text| Pattern::parse(text).expect("a pattern"))
        .collect()
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

fn value(key: &str, tokens: usize) -> Write {
    Write {
        key: key.to_owned(),
        value: "x".repeat(tokens * 4),
        ..Write::default()
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
        let created = kept.sessions.create(wanted("s", "ana", config), &LIMITS);
        kept.apply(&created.expect("a session"));
        kept
    }

    fn apply(&mut self, event: &SessionEvent) {
        self.seq += 1;
        self.sessions.evolve(self.seq, self.at, event);
        let versions = |session: &Session, key: &Key| -> Vec<(u64, u64)> {
            let all = session.versions(key).map(|entry| (entry.incarnation, entry.version));
            all.collect()
        };
        for session in self.sessions.sessions.values() {
            for key in session.past.keys() {
                let kept = versions(session, key);
                assert!(!kept.is_empty() && kept.len() <= session.config.history_versions);
                assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "{key}: {kept:?}");
            }
        }
    }

    /// Lets something happen, where it may.
    fn does(
        &mut self,
        decide: impl FnOnce(&Session) -> Result<SessionEvent, SessionRefusal>,
    ) -> Result<SessionEvent, SessionRefusal> {
        let event = decide(self.session())?;
        self.apply(&event);
        Ok(event)
    }

    fn session(&self) -> &Session {
        &self.sessions.sessions[&id()]
    }

    fn write(&mut self, write: &Write) -> Result<u64, SessionRefusal> {
        match self.does(|session| session.write(&id(), write, lead(), &LIMITS))? {
            SessionEvent::Written { version, .. } => Ok(version),
            other => panic!("{other:?}"),
        }
    }

    fn delete(&mut self, key: &str) -> Result<(), SessionRefusal> {
        let deleted = self.does(|session| session.delete(&id(), key, Precondition::default(), lead()));
        deleted.map(drop)
    }

    fn snapshot(&mut self, name: &str) -> Result<(), SessionRefusal> {
        let taken = self.does(|session| session.snapshot(&id(), label(name), lead(), &LIMITS));
        taken.map(drop)
    }

    fn versions(&self, text: &str) -> Vec<u64> {
        self.session().versions(&key(text)).map(|entry| entry.version).collect()
    }

    fn changes(&self, since: u64, keys: &str) -> Vec<(u64, Change)> {
        let followed = Followed::parse(keys).expect("keys");
        self.session().changes(since, &followed)
    }

    /// What who follows is told after a record: `+` with the version of a key that was written, `-` of one that went.
    fn told(&self, since: u64, keys: &str) -> Vec<String> {
        let told = self.changes(since, keys).into_iter().map(|(seq, change)| match change {
            Change::Written { key, version, .. } => format!("{seq} +{key} {version}"),
            Change::Deleted {
                deleted,
                previous_version,
                ..
            } => format!("{seq} -{deleted} {previous_version}"),
            other => format!("{seq} {}", other.name()),
        });
        told.collect()
    }
}
