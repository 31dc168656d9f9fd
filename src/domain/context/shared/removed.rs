//! Versions of sessions that are gone, so that one that is created anew under the id of another repeats none (S-006, S-012, S-096):
//! whoever holds a version from before can never take a new value for an old one by it.
//!
//! Remembers one number of each id, the highest version that the session gave to any key, and nothing else of it. Invariant: at most
//! [`SESSIONS_MAX`] ids are remembered each by itself; what had to be forgotten raises the floor after which a session under an id
//! that somebody chose begins. Ids that the service gives out come once: of those together, one number is kept.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::context::shared::name::SessionId;

/// Sessions that are remembered after they are gone.
pub const SESSIONS_MAX: usize = 4_096;

/// The highest versions of sessions that are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    by_id: BTreeMap<SessionId, u64>,
    floor: u64,
    /// Of all whose ids were given out.
    given_out: u64,
}

impl Removed {
    /// Remembers that a session went whose highest version this is.
    pub fn note(&mut self, session: &SessionId, highest: u64) {
        if session.is_given_out() {
            self.given_out = self.given_out.max(highest);
            return;
        }
        if highest == 0 {
            return;
        }
        let last = self.by_id.entry(session.clone()).or_default();
        *last = highest.max(*last);
        if self.by_id.len() <= SESSIONS_MAX {
            return;
        }
        // The one that raises the floor least.
        let lowest = self.by_id.iter().min_by_key(|(_, highest)| **highest);
        if let Some(session) = lowest.map(|(session, _)| session.clone())
            && let Some(gone) = self.by_id.remove(&session)
        {
            self.floor = self.floor.max(gone);
        }
    }

    /// The version after which the keys of a session begin whose id somebody chose.
    pub fn last(&self, session: &SessionId) -> u64 {
        if session.is_given_out() {
            return self.given_out;
        }
        self.by_id.get(session).map_or(self.floor, |last| self.floor.max(*last))
    }
}

#[cfg(test)]
mod tests {
    use super::Removed;
    use super::SESSIONS_MAX;
    use super::SessionId;

    fn id(text: &str) -> SessionId {
        SessionId::parse(text).expect("a session")
    }

    #[test]
    fn what_is_forgotten_raises_the_floor_by_the_least_and_no_version_comes_twice_s012_s096() {
        let mut removed = Removed::default();
        removed.note(&id("plan"), 9);
        removed.note(&id("plan"), 4);
        removed.note(&id("empty"), 0);
        assert_eq!((removed.last(&id("plan")), removed.last(&id("empty"))), (9, 0));
        for n in 1..=SESSIONS_MAX {
            removed.note(&id(&format!("s{n}")), 2);
        }
        assert_eq!(removed.by_id.len(), SESSIONS_MAX);
        assert_eq!((removed.last(&id("plan")), removed.last(&id("never"))), (9, 2));
    }

    #[test]
    fn ids_that_are_given_out_take_no_room_s012() {
        let mut removed = Removed::default();
        let given_out = id("ses_0123456789abcdef0123456789abcdef");
        for highest in [3, 7, 5] {
            removed.note(&given_out, highest);
        }
        assert_eq!((removed.last(&given_out), removed.by_id.len()), (7, 0));
        for named in ["ses_0123", "ses_0123456789ABCDEF0123456789abcdef", "plan"] {
            assert_eq!(removed.last(&id(named)), 0, "{named}");
        }
    }
}
