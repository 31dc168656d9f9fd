//! Records whose sealed parts nobody can ask for any more, as ranges: they wait to be erased.
//!
//! Invariant: ranges neither overlap nor touch, so that there are never more of them than records still needed, and one.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

/// Ranges of records, first to last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Freed(BTreeMap<u64, u64>);

impl Freed {
    /// Adds a range, both ends included.
    pub fn add(&mut self, from: u64, through: u64) {
        let (mut from, mut through) = (from, through.max(from));
        if let Some((first, last)) = self.0.range(..=from).next_back().map(|(first, last)| (*first, *last))
            && last + 1 >= from
        {
            from = first;
            through = through.max(last);
        }
        while let Some((first, last)) = self.0.range(from..).next().map(|(first, last)| (*first, *last))
            && first <= through + 1
        {
            self.0.remove(&first);
            through = through.max(last);
        }
        self.0.insert(from, through);
    }

    /// Takes a range out that was erased.
    pub fn take_out(&mut self, from: u64, through: u64) {
        while let Some((first, last)) = self
            .0
            .range(..=through)
            .next_back()
            .map(|(first, last)| (*first, *last))
            && last >= from
        {
            self.0.remove(&first);
            if last > through {
                self.0.insert(through + 1, last);
            }
            if first < from {
                self.0.insert(first, from - 1);
            }
        }
    }

    /// The first so many ranges.
    pub fn first(&self, ranges_max: usize) -> Vec<(u64, u64)> {
        self.0
            .iter()
            .take(ranges_max)
            .map(|(from, through)| (*from, *through))
            .collect()
    }

    /// Those ranges that touch these records.
    pub fn within(&self, from: u64, through: u64) -> Vec<(u64, u64)> {
        let mut ranges = self.first(usize::MAX);
        ranges.retain(|(first, last)| *last >= from && *first <= through);
        ranges
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::any;
    use proptest::prop_assert_eq;
    use proptest::proptest;

    use super::Freed;

    proptest! {
        #[test]
        fn ranges_hold_what_a_set_would_hold_and_do_not_touch(steps in vec((any::<bool>(), 1..60_u64, 0..6_u64), 0..80)) {
            let (mut freed, mut set) = (Freed::default(), BTreeSet::new());
            for (adds, from, length) in steps {
                if adds {
                    freed.add(from, from + length);
                    set.extend(from..=from + length);
                } else {
                    freed.take_out(from, from + length);
                    set.retain(|record| !(from..=from + length).contains(record));
                }
            }
            let ranges = freed.first(usize::MAX);
            let held: BTreeSet<u64> = ranges.iter().flat_map(|(from, through)| *from..=*through).collect();
            prop_assert_eq!(held, set);
            for pair in ranges.windows(2) {
                prop_assert_eq!(pair[0].1 + 1 < pair[1].0, true);
            }
        }
    }
}
