//! Names that fell apart are joined again: "Let's watch Frozen" and "I'd prefer Dumbo" ask for one thing, and what parts
//! them is the names themselves.
//!
//! Names that are said often draw fragments around themselves, so that a slot of names is many small groups and none is
//! large enough for a key. They are linked once more at a lower threshold, but only those with the same cue, in a pool that
//! has heard enough, and where no mature group of names stands: next to one nobody knows whether they are the same in other
//! words or a slot of their own (songs beside artists). What was said once stays out, and only the largest groups are
//! compared, so that the work is bounded.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::domain::pool::cut::dominant;
use crate::domain::pool::feature::Feature;
use crate::domain::pool::feature::Mass;
use crate::domain::pool::linkage::link_masses;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::reading::ValueType;

/// Below this similarity groups of names stay apart.
const REJOIN_MIN: f64 = 0.30;
/// In a pool of less demand what is small may still grow by itself.
const DEMAND_MIN: u64 = 120;
/// Members that a group must have, and groups that are compared.
const MEMBERS_MIN: u64 = 2;
const GROUPS_MAX: usize = 100;

/// Joins the small groups of names among the linked groups; gives all groups, each sorted.
pub fn rejoin(
    micros: &[&Micro],
    features: &[Feature],
    linked: Vec<Vec<usize>>,
    demand: u64,
    mature_members_min: u64,
) -> Vec<Vec<usize>> {
    if demand < DEMAND_MIN {
        return linked;
    }
    let size = |places: &[usize]| places.iter().map(|&place| micros[place].members).sum::<u64>();
    let (mut names, mut groups): (Vec<_>, Vec<_>) = linked
        .into_iter()
        .partition(|places| size(places) >= MEMBERS_MIN && dominant(micros, places) == Some(ValueType::Name));
    if names.iter().any(|places| size(places) >= mature_members_min) {
        groups.extend(names);
        return groups;
    }
    names.sort_by_cached_key(|places| (Reverse(size(places)), places.clone()));
    groups.extend(names.split_off(names.len().min(GROUPS_MAX)));
    let mut by_cue: BTreeMap<Option<&str>, Vec<Vec<usize>>> = BTreeMap::new();
    for places in names {
        by_cue.entry(usual_cue(micros, &places)).or_default().push(places);
    }
    for alike in by_cue.into_values() {
        groups.extend(joined(features, &alike));
    }
    groups
}

/// Links groups once more.
fn joined(features: &[Feature], groups: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mass = |places: &Vec<usize>| Mass::of(places.iter().map(|&place| &features[place]));
    let masses = groups.iter().map(mass).collect::<Vec<_>>();
    let together = link_masses(&masses, REJOIN_MIN).into_iter().map(|indices| {
        let mut places = indices
            .into_iter()
            .flat_map(|index| groups[index].iter().copied())
            .collect::<Vec<_>>();
        places.sort_unstable();
        places
    });
    together.collect()
}

/// The cue that at least half of the members show, the last by name among equals.
fn usual_cue<'m>(micros: &[&'m Micro], places: &[usize]) -> Option<&'m str> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut members = 0;
    for &place in places {
        members += micros[place].members;
        for (cue, count) in &micros[place].cues {
            *counts.entry(cue).or_default() += count;
        }
    }
    let (cue, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (2 * count >= members).then_some(cue)
}

#[cfg(test)]
mod tests {
    use super::rejoin;
    use crate::domain::pool::feature::features;
    use crate::domain::pool::micro::Micro;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::domain::pool::reading::Reading;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::pool::sample::say;
    use crate::domain::pool::state::Pool;
    use crate::domain::pool::vector::Vector;

    const NORTH: [f32; 3] = [0.0, 1.0, 0.0];
    const EAST: [f32; 3] = [1.0, 0.0, 0.0];
    const WEST: [f32; 3] = [-1.0, 0.0, 0.0];

    /// Groups of one micro-cluster each, as they are afterwards; a pool of so much demand.
    fn rejoined(kinds: &[([f32; 3], ValueType, &[&str], u64)], demand: u64) -> Vec<Vec<usize>> {
        let mut pool = Pool::default();
        for (direction, value_type, cues, members) in kinds {
            let vector = Vector::quantise(direction).expect("a vector");
            let reading = Reading::of(&[*value_type], &[], cues);
            say(&mut pool, &reading, &vector, *members, &PoolPolicy::default());
        }
        let micros = pool.micros.values().collect::<Vec<&Micro>>();
        assert_eq!(micros.len(), kinds.len(), "each its own");
        let features = features(&pool, &micros, 0.0);
        let linked = (0..micros.len()).map(|place| vec![place]).collect();
        let mut groups = rejoin(&micros, &features, linked, demand, 10);
        groups.sort();
        groups
    }

    #[test]
    fn small_groups_of_names_that_are_somewhat_alike_are_one_z088_z096() {
        let name = ValueType::Name;
        let kinds: [(_, _, &[&str], _); 3] = [(NORTH, name, &[], 6), (EAST, name, &[], 6), (WEST, name, &[], 6)];
        assert_eq!(rejoined(&kinds, 120), [vec![0, 1], vec![2]]);
        assert_eq!(rejoined(&kinds, 119).len(), 3, "they may still grow");
    }

    #[test]
    fn next_to_a_mature_group_of_names_small_ones_stay_apart_z072_z088() {
        let name = ValueType::Name;
        let kinds: [(_, _, &[&str], _); 3] = [(NORTH, name, &[], 6), (EAST, name, &[], 6), (WEST, name, &[], 10)];
        assert_eq!(rejoined(&kinds, 200).len(), 3);
    }

    #[test]
    fn names_behind_different_cues_stay_apart_z088() {
        let behind = |cue: &'static [&'static str]| {
            let name = ValueType::Name;
            // A cue that everybody shows tells nothing.
            let beside = (WEST, ValueType::None, &[] as &[&str], 12);
            rejoined(&[(NORTH, name, &["p:by"], 6), (EAST, name, cue, 6), beside], 200)
        };
        assert_eq!(behind(&["p:by"]), [vec![0, 1], vec![2]]);
        assert_eq!(behind(&["p:on"]).len(), 3);
        assert_eq!(behind(&[]).len(), 3);
    }

    #[test]
    fn what_holds_no_name_and_what_was_said_once_stays_as_it_was_z088() {
        let name = ValueType::Name;
        let plain: [(_, _, &[&str], _); 2] = [(NORTH, ValueType::None, &[], 6), (EAST, name, &[], 6)];
        assert_eq!(rejoined(&plain, 200).len(), 2);
        let once: [(_, _, &[&str], _); 2] = [(NORTH, name, &[], 6), (EAST, name, &[], 1)];
        assert_eq!(rejoined(&once, 200).len(), 2);
    }
}
