//! Which agent offers which MCP services: a view of its journal (M-019, M-020).
//!
//! Knows at which record a registration lies, not what it says. Invariant: an agent's count of changes never goes back, also
//! where it took its registration away in between, so that who follows it misses none.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::aggregate::Event;
use schema::name::ClientId;
use schema::time::At;

/// What can happen. Read forever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DirectoryEvent {
    /// An agent said what it offers. Sealed: the context.
    Registered { agent: ClientId, more: u32 },
    /// The sealed part of the record before goes on in this one.
    Continued,
}

impl Event for DirectoryEvent {
    fn continued() -> DirectoryEvent {
        DirectoryEvent::Continued
    }

    fn more_mut(&mut self) -> Option<&mut u32> {
        match self {
            DirectoryEvent::Registered { agent: _, more } => Some(more),
            DirectoryEvent::Continued => None,
        }
    }
}

/// What one agent said last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    /// Its record.
    pub seq: u64,
    pub at: At,
    /// 1 at first; goes up with every change.
    pub version: u64,
}

/// All agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory {
    pub agents: BTreeMap<ClientId, Registered>,
}

impl Aggregate for Directory {
    type Event = DirectoryEvent;

    /// Applies one event that lies at this record.
    fn evolve(&mut self, seq: u64, at: At, event: &DirectoryEvent) {
        match event {
            DirectoryEvent::Registered { agent, more: _ } => {
                let version = self.agents.get(agent).map_or(0, |known| known.version) + 1;
                self.agents.insert(agent.clone(), Registered { seq, at, version });
            }
            DirectoryEvent::Continued => {}
        }
    }

    fn needed(&self) -> Vec<(u64, u64)> {
        let oldest = self.agents.values().map(|known| known.seq).min();
        oldest.map(|oldest| (oldest, u64::MAX)).into_iter().collect()
    }

    fn concerns(&self, event: &DirectoryEvent) -> Vec<String> {
        match event {
            DirectoryEvent::Registered { agent, more: _ } => vec![agent.as_str().to_owned()],
            DirectoryEvent::Continued => Vec::new(),
        }
    }
}

impl Directory {
    /// Whether one more registration of this agent may be taken.
    ///
    /// # Errors
    /// How many agents there may be.
    pub fn may_register(&self, agent: &ClientId, agents_max: usize) -> Result<(), usize> {
        if self.agents.contains_key(agent) || self.agents.len() < agents_max {
            Ok(())
        } else {
            Err(agents_max)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Aggregate;
    use super::At;
    use super::ClientId;
    use super::Directory;
    use super::DirectoryEvent;

    #[test]
    fn an_agents_changes_are_counted_and_agents_are_bounded_m019_m020() {
        let name = |text: &str| ClientId::parse(text).expect("a name");
        let said = |agent: &str| DirectoryEvent::Registered {
            agent: name(agent),
            more: 0,
        };
        let mut directory = Directory::default();
        for (seq, event) in (1..).zip([said("a"), said("b"), said("a"), DirectoryEvent::Continued]) {
            directory.evolve(seq, At(7), &event);
        }
        assert_eq!(
            (directory.agents[&name("a")].version, directory.agents[&name("a")].seq),
            (2, 3)
        );
        assert_eq!(directory.needed(), [(2, u64::MAX)]);
        assert_eq!(directory.may_register(&name("c"), 3), Ok(()));
        assert_eq!(directory.may_register(&name("c"), 2), Err(2));
        assert_eq!(directory.may_register(&name("a"), 2), Ok(()));
    }
}
