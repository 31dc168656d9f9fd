//! Versions of what agents kept of their own and keep no longer, so that none is given twice: a room that is filled again goes on
//! counting (P-027).
//!
//! Remembers one number of each agent, the highest version that a room of it was emptied at. Invariant: at most [`AGENTS_MAX`] are
//! remembered each by itself; who had to be forgotten raises the floor above which every new room begins.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use schema::name::ClientId;

/// Agents whose emptied rooms are remembered.
pub const AGENTS_MAX: usize = 4_096;

/// The highest version at which each agent emptied a room.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emptied {
    by_agent: BTreeMap<ClientId, u64>,
    floor: u64,
}

impl Emptied {
    /// Remembers that a room of this agent was emptied at this version.
    pub fn note(&mut self, agent: &ClientId, version: u64) {
        let last = self.by_agent.entry(agent.clone()).or_default();
        *last = version.max(*last);
        if self.by_agent.len() <= AGENTS_MAX {
            return;
        }
        // The one that raises the floor least.
        let lowest = self.by_agent.iter().min_by_key(|(_, version)| **version);
        if let Some(agent) = lowest.map(|(agent, _)| agent.clone())
            && let Some(gone) = self.by_agent.remove(&agent)
        {
            self.floor = self.floor.max(gone);
        }
    }

    /// The version after which a new room of this agent begins.
    pub fn last(&self, agent: &ClientId) -> u64 {
        self.by_agent
            .get(agent)
            .map_or(self.floor, |last| self.floor.max(*last))
    }
}

#[cfg(test)]
mod tests {
    use super::AGENTS_MAX;
    use super::ClientId;
    use super::Emptied;

    #[test]
    fn who_is_forgotten_raises_the_floor_by_the_least_and_no_version_comes_twice() {
        let agent = |n: usize| ClientId::parse(&format!("agent-{n}")).expect("a name");
        let mut emptied = Emptied::default();
        assert_eq!(emptied.last(&agent(0)), 0);
        emptied.note(&agent(0), 9);
        emptied.note(&agent(0), 4);
        assert_eq!((emptied.last(&agent(0)), emptied.last(&agent(1))), (9, 0));
        for n in 1..=AGENTS_MAX {
            emptied.note(&agent(n), 2);
        }
        assert_eq!(emptied.by_agent.len(), AGENTS_MAX);
        assert_eq!((emptied.last(&agent(0)), emptied.last(&agent(9_999_999))), (9, 2));
        assert!((1..=AGENTS_MAX).all(|n| emptied.last(&agent(n)) == 2));
    }
}
