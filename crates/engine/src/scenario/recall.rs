//! Reading back what waits in the journal alone, entry by entry: how much is wanted, and what of it is to be held again.
//!
//! Knows no journal: who reads it says of each entry whether what was said there is erased.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::pool::source::Source;
use crate::scenario::command::Command;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use crate::scenario::submission::Pending;
use crate::scenario::submission::Submitted;
use schema::time::At;

/// A recall under way.
#[derive(Clone, Debug)]
pub struct Recall {
    /// Source of the wanted submissions; where there is none, those of all but the sources that wait by themselves.
    source: Option<Source>,
    others: BTreeSet<Source>,
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
        let of_source = state
            .deferred_by_source
            .iter()
            .min_by_key(|(_, deferred)| deferred.since);
        let of_source = of_source.map(|(source, deferred)| (Some(source.clone()), *deferred));
        let (source, deferred) = state.deferred.map(|deferred| (None, deferred)).or(of_source)?;
        let max = policy.pool.pending_max;
        let sources = state.deferred_by_source.len().max(1);
        (state.pending.len() <= max / 2).then(|| Recall {
            source,
            others: state.deferred_by_source.keys().cloned().collect(),
            after: deferred.after,
            through: deferred.after,
            room: max.saturating_sub(state.pending.len()).div_ceil(sources),
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
        let is_of = |pending: &Pending| {
            let source = Source::of(pending.client.as_ref());
            match &self.source {
                Some(wanted) => *wanted == source,
                None => !self.others.contains(&source),
            }
        };
        if let Some(pending) = submitted.and_then(|submitted| Pending::of(submitted, at)).filter(is_of) {
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
            source: self.source,
            after: self.after,
            through: self.through,
            submissions: self.submissions,
            erased: self.erased,
        }
    }
}
