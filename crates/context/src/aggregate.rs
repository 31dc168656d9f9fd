//! What a journal of events means: the events that can happen, and the state that they add up to.
//!
//! Sessions, task contexts, conversations, A2A tasks and the services of agents are kept so: whoever writes decides under a lock,
//! appends, and only then is it applied.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use schema::time::At;

/// What can happen, as it is read forever. Its content lies in the sealed part of its record, and goes on in `more` records right
/// after it.
pub trait Event: Clone + Serialize + DeserializeOwned {
    /// Says only that the sealed part of the record before goes on here.
    fn continued() -> Self;

    /// In how many records its sealed part goes on, where it has one.
    fn more_mut(&mut self) -> Option<&mut u32> {
        None
    }

    /// The same, its sealed part going on in so many records.
    #[must_use]
    fn going_on(mut self, records: u32) -> Self {
        if let Some(more) = self.more_mut() {
            *more = records;
        }
        self
    }

    /// In how many records its sealed part goes on.
    fn more(&self) -> u32 {
        self.clone().more_mut().map_or(0, |more| *more)
    }
}

/// What events mean together: a view of their journal, which knows where contents lie and not what they are. Written as JSON it
/// is a snapshot.
pub trait Aggregate: Default + Serialize + DeserializeOwned {
    type Event: Event;

    /// Applies the event that lies at this record.
    fn evolve(&mut self, seq: u64, at: At, event: &Self::Event);

    /// Records, first to last, whose sealed parts somebody may still ask for. All others are garbage, and erased.
    fn needed(&self) -> Vec<(u64, u64)> {
        vec![(1, u64::MAX)]
    }

    /// Records, first to last, that may be garbage once an event has happened; they are looked at right after it.
    fn at_stake(&self, _event: &Self::Event) -> Vec<(u64, u64)> {
        Vec::new()
    }

    /// The keys of those followers whom an event concerns; asked before it is applied and after.
    fn concerns(&self, _event: &Self::Event) -> Vec<String> {
        Vec::new()
    }

    /// The key that an event ends: whoever follows it is told that it is gone, also where another one of this name begins.
    fn ends(_event: &Self::Event) -> Option<&str> {
        None
    }
}

/// Ranges of records, first to last. Invariant: they neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds a range, both ends included; none where it ends before it begins.
    pub fn add(&mut self, from: u64, through: u64) {
        if through < from {
            return;
        }
        let (mut from, mut through) = (from, through);
        let before = self.0.range(..=from).next_back().map(|(first, last)| (*first, *last));
        if let Some((first, last)) = before.filter(|(_, last)| last.saturating_add(1) >= from) {
            (from, through) = (first, through.max(last));
        }
        while let Some((first, last)) = self.0.range(from..).next().map(|(first, last)| (*first, *last))
            && first <= through.saturating_add(1)
        {
            self.0.remove(&first);
            through = through.max(last);
        }
        self.0.insert(from, through);
    }

    /// Takes a range out, both ends included.
    pub fn take_out(&mut self, from: u64, through: u64) {
        let last_before = |ranges: &BTreeMap<u64, u64>| {
            let (first, last) = ranges.range(..=through).next_back()?;
            (*last >= from).then_some((*first, *last))
        };
        while let Some((first, last)) = last_before(&self.0) {
            self.0.remove(&first);
            if last > through {
                self.0.insert(through + 1, last);
            }
            if first < from {
                self.0.insert(first, from - 1);
            }
        }
    }

    /// Every range, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().map(|(first, last)| (*first, *last))
    }

    /// Whether a record lies in one of them.
    pub fn has(&self, record: u64) -> bool {
        let before = self.0.range(..=record).next_back();
        before.is_some_and(|(_, last)| *last >= record)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::any;
    use proptest::prop_assert;
    use proptest::prop_assert_eq;
    use proptest::proptest;

    use super::Ranges;

    proptest! {
        #[test]
        fn ranges_hold_what_a_set_would_hold_and_do_not_touch(steps in vec((any::<bool>(), 1..60_u64, 0..6_u64), 0..80)) {
            let (mut ranges, mut set) = (Ranges::default(), BTreeSet::new());
            for (adds, from, length) in steps {
                if adds {
                    ranges.add(from, from + length);
                    set.extend(from..=from + length);
                } else {
                    ranges.take_out(from, from + length);
                    set.retain(|record| !(from..=from + length).contains(record));
                }
            }
            for record in 0..70 {
                prop_assert_eq!(ranges.has(record), set.contains(&record));
            }
            let all: Vec<(u64, u64)> = ranges.iter().collect();
            prop_assert!(all.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        }
    }
}
