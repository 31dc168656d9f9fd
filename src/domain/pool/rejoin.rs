//! What fell apart is joined again: "Let's watch Frozen" and "I'd prefer Dumbo" ask for one thing, and what parts them is the
//! names themselves; so it is with dates in many words, and with the values of a choice.
//!
//! Values that are said often draw fragments around themselves, so that a slot is many small groups and none is large
//! enough for a key. They are linked once more at a lower threshold, kind by kind and in a pool that has heard enough:
//! names with the same cue, values of a type with the same role, and what holds no value. Where a mature group of the same
//! names or of the same type stands nothing is joined: next to one nobody knows whether they are the same in other words or
//! a slot of their own (songs beside artists). Among what holds no value only those stay apart that are drawn to a mature
//! group. Only the largest groups are compared, so that the work is bounded.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::domain::pool::cut::common_role;
use crate::domain::pool::cut::dominant;
use crate::domain::pool::feature::Feature;
use crate::domain::pool::feature::Mass;
use crate::domain::pool::linkage::link_masses;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::reading::ValueType;

/// Groups of one kind that are compared.
const GROUPS_MAX: usize = 200;

/// How groups of one kind are joined.
#[derive(Debug)]
struct Rule {
    /// Below this similarity they stay apart.
    similarity_min: f64,
    /// In a pool of less demand what is small may still grow by itself.
    demand_min: u64,
    /// Members that a group must have.
    members_min: u64,
    /// Whether they are joined where a mature group of their kind stands.
    beside_mature: bool,
    mark: Mark,
}

/// What must be the same of two groups of one kind.
#[derive(Debug)]
enum Mark {
    /// The cue before names.
    Cue,
    /// The role of reliable values.
    Role,
    Nothing,
}

/// Capitals are unreliable: what was said once stays out.
const NAMES: Rule = Rule {
    similarity_min: 0.30,
    demand_min: 120,
    members_min: 2,
    beside_mature: false,
    mark: Mark::Cue,
};
/// A date is a date however it was said, and once is enough.
const VALUES: Rule = Rule {
    similarity_min: 0.30,
    demand_min: 80,
    members_min: 1,
    beside_mature: false,
    mark: Mark::Role,
};
/// What recurs and holds no value may be one of a few to choose from.
const CHOICES: Rule = Rule {
    similarity_min: 0.35,
    demand_min: 80,
    members_min: 3,
    beside_mature: true,
    mark: Mark::Nothing,
};

impl Rule {
    fn of(value_type: ValueType) -> &'static Rule {
        match value_type {
            ValueType::Name => &NAMES,
            ValueType::None => &CHOICES,
            ValueType::Money
            | ValueType::Time
            | ValueType::Date
            | ValueType::Duration
            | ValueType::Address
            | ValueType::Place
            | ValueType::Number => &VALUES,
        }
    }
}

impl Mark {
    fn of(&self, micros: &[&Micro], places: &[usize], value_type: ValueType) -> Option<String> {
        match self {
            Mark::Cue => usual_cue(micros, places).map(str::to_owned),
            Mark::Role => common_role(micros, places, Some(value_type)),
            Mark::Nothing => None,
        }
    }
}

/// Joins the small groups among the linked ones, type by type; gives all groups, each sorted.
pub fn rejoin(
    micros: &[&Micro],
    features: &[Feature],
    linked: Vec<Vec<usize>>,
    demand: u64,
    mature_members_min: u64,
) -> Vec<Vec<usize>> {
    let size = |places: &[usize]| places.iter().map(|&place| micros[place].members).sum::<u64>();
    let is_mature = |places: &Vec<usize>| size(places) >= mature_members_min;
    let mut groups = Vec::new();
    let mut of_type: BTreeMap<&'static str, (ValueType, Vec<Vec<usize>>)> = BTreeMap::new();
    for places in linked {
        let wanted = |value_type: &ValueType| {
            let rule = Rule::of(*value_type);
            demand >= rule.demand_min && size(&places) >= rule.members_min
        };
        match dominant(micros, &places).filter(wanted) {
            Some(value_type) => {
                let (_, alike) = of_type.entry(value_type.tag()).or_insert((value_type, Vec::new()));
                alike.push(places);
            }
            None => groups.push(places),
        }
    }
    for (value_type, mut alike) in of_type.into_values() {
        let rule = Rule::of(value_type);
        if !rule.beside_mature && alike.iter().any(is_mature) {
            groups.extend(alike);
            continue;
        }
        alike.sort_by_cached_key(|places| (Reverse(size(places)), places.clone()));
        groups.extend(alike.split_off(alike.len().min(GROUPS_MAX)));
        let mut by_mark: BTreeMap<Option<String>, Vec<Vec<usize>>> = BTreeMap::new();
        for places in alike {
            by_mark
                .entry(rule.mark.of(micros, &places, value_type))
                .or_default()
                .push(places);
        }
        for alike in by_mark.into_values() {
            groups.extend(joined(features, alike, rule.similarity_min, &is_mature));
        }
    }
    groups
}

/// Links groups once more. What comes to lie with a mature group stays as it was.
fn joined(
    features: &[Feature],
    groups: Vec<Vec<usize>>,
    similarity_min: f64,
    is_mature: &dyn Fn(&Vec<usize>) -> bool,
) -> Vec<Vec<usize>> {
    let mass = |places: &Vec<usize>| Mass::of(places.iter().map(|&place| &features[place]));
    let masses = groups.iter().map(mass).collect::<Vec<_>>();
    let mut found = Vec::new();
    for indices in link_masses(&masses, similarity_min) {
        let together = indices.iter().map(|&index| &groups[index]);
        if together.clone().any(is_mature) {
            found.extend(together.cloned());
            continue;
        }
        let mut places = together.flatten().copied().collect::<Vec<_>>();
        places.sort_unstable();
        found.push(places);
    }
    found
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
    const NORTH_EAST: [f32; 3] = [0.7, 0.7, 0.0];
    const NORTH_WEST: [f32; 3] = [-0.7, 0.7, 0.0];

    /// Groups of one micro-cluster each, as they are afterwards; a pool of so much demand. A mark of capitals is a role, any
    /// other a cue.
    fn rejoined(kinds: &[([f32; 3], ValueType, &[&str], u64)], demand: u64) -> Vec<Vec<usize>> {
        let mut pool = Pool::default();
        for (direction, value_type, marks, members) in kinds {
            let vector = Vector::quantise(direction).expect("a vector");
            let (roles, cues): (Vec<&str>, Vec<&str>) = marks.iter().partition(|mark| !mark.starts_with("p:"));
            let reading = Reading::of(&[*value_type], &roles, &cues);
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
    fn next_to_a_mature_group_of_names_or_of_a_type_small_ones_stay_apart_z072_z088() {
        for value_type in [ValueType::Name, ValueType::Date] {
            let kinds: [(_, _, &[&str], _); 3] = [
                (NORTH, value_type, &[], 6),
                (EAST, value_type, &[], 6),
                (WEST, value_type, &[], 10),
            ];
            assert_eq!(rejoined(&kinds, 200).len(), 3, "{value_type:?}");
            let beside: [(_, _, &[&str], _); 3] = [kinds[0], kinds[1], (WEST, ValueType::Time, &[], 10)];
            assert_eq!(rejoined(&beside, 200).len(), 2, "{value_type:?}");
        }
    }

    #[test]
    fn dates_in_many_words_are_one_and_said_once_is_enough_z088_z096() {
        let date = ValueType::Date;
        let kinds: [(_, _, &[&str], _); 3] = [(NORTH, date, &[], 1), (EAST, date, &[], 1), (WEST, date, &[], 1)];
        assert_eq!(rejoined(&kinds, 80), [vec![0, 1], vec![2]]);
        assert_eq!(rejoined(&kinds, 79).len(), 3, "they may still grow");
        let other: [(_, _, &[&str], _); 2] = [kinds[0], (EAST, ValueType::Time, &[], 1)];
        assert_eq!(rejoined(&other, 80).len(), 2, "a date is no time");
    }

    #[test]
    fn values_of_different_roles_stay_apart_z072_z088() {
        let with = |role: &'static [&'static str]| {
            let date = ValueType::Date;
            rejoined(&[(NORTH, date, &["LV"], 3), (NORTH_EAST, date, role, 3)], 80).len()
        };
        assert_eq!(with(&["LV"]), 1);
        assert_eq!(with(&["RET"]), 2);
        assert_eq!(with(&[]), 2);
    }

    #[test]
    fn the_values_of_a_choice_are_one_unless_a_mature_group_draws_them_z088_z096() {
        let none = ValueType::None;
        let kinds: [(_, _, &[&str], _); 3] = [
            (EAST, none, &[], 3),
            (NORTH_EAST, none, &[], 4),
            (NORTH_WEST, none, &[], 3),
        ];
        assert_eq!(rejoined(&kinds, 80), [vec![0, 1], vec![2]]);
        assert_eq!(rejoined(&kinds, 79).len(), 3, "they may still grow");
        let rare: [(_, _, &[&str], _); 2] = [(EAST, none, &[], 2), kinds[1]];
        assert_eq!(rejoined(&rare, 80).len(), 2, "two fragments are no value");
        let drawn: [(_, _, &[&str], _); 3] = [kinds[0], (NORTH_EAST, none, &[], 10), kinds[2]];
        assert_eq!(
            rejoined(&drawn, 80).len(),
            3,
            "nobody knows whether it is the same in other words"
        );
        let apart: [(_, _, &[&str], _); 3] = [kinds[0], kinds[1], (NORTH_WEST, none, &[], 10)];
        assert_eq!(
            rejoined(&apart, 80),
            [vec![0, 1], vec![2]],
            "a mature group elsewhere says nothing of them"
        );
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
    fn what_is_of_another_type_and_a_name_that_was_said_once_stay_as_they_were_z088() {
        let name = ValueType::Name;
        let plain: [(_, _, &[&str], _); 2] = [(NORTH, ValueType::None, &[], 6), (EAST, name, &[], 6)];
        assert_eq!(rejoined(&plain, 200).len(), 2);
        let once: [(_, _, &[&str], _); 2] = [(NORTH, name, &[], 6), (EAST, name, &[], 1)];
        assert_eq!(rejoined(&once, 200).len(), 2);
    }
}
