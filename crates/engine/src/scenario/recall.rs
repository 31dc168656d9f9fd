//! Reading back what waits in the journal alone, entry by entry: how much is wanted, and what of it is to be held again.
//!
//! Knows no journal: who reads it says of each entry whether what was said there is erased.

use std::collections::BTreeMap;

use crate::scenario::command::Command;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use crate::scenario::submission::Pending;
use crate::scenario::submission::Submitted;
use schema::time::At;

/// A recall under way.
#[derive(Clone, Debug)]
pub struct Recall {
    after: u64,
    through: u64,
    /// How many may be held beside what is, and how many wait.
    room: usize,
    waiting: u64,
    submissions: BTreeMap<u64, Pending>,
    erased: u64,
}

impl Recall {
    /// What there is to read back now; `None` while nothing waits in the journal alone, or more than half of what may be held is.
    pub fn wanted(state: &State, policy: &Policy) -> Option<Recall> {
        let deferred = state.deferred?;
        let max = policy.pool.pending_max;
        (state.pending.len() <= max / 2).then(|| Recall {
            after: deferred.after,
            through: deferred.after,
            room: max.saturating_sub(state.pending.len()),
            waiting: deferred.count,
            submissions: BTreeMap::new(),
            erased: 0,
        })
    }

    /// The entry that is to be read next.
    pub fn next(&self) -> u64 {
        self.through + 1
    }

    /// Takes the next entry, a submission where it is one, and whether what was said there is erased; whether another one is wanted.
    pub fn take(&mut self, seq: u64, at: At, submitted: Option<&Submitted>, erased: bool) -> bool {
        self.through = seq;
        if let Some(pending) = submitted.and_then(|submitted| Pending::of(submitted, at)) {
            if erased {
                self.erased += 1;
            } else {
                self.submissions.insert(seq, pending);
            }
        }
        let found = self.submissions.len();
        found < self.room && found as u64 + self.erased < self.waiting
    }

    /// Ends it.
    pub fn finish(self) -> Command {
        Command::Recall {
            after: self.after,
            through: self.through,
            submissions: self.submissions,
            erased: self.erased,
        }
    }
}
