//! The second stage of a look: mature groups are cut by type and role, and merged again within the same type and role.
//!
//! Type and role separate the slots of one service better than meaning does; what the cut parts too finely, the merges
//! at a lower threshold bring back together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::domain::pool::feature::Feature;
use crate::domain::pool::feature::Mass;
use crate::domain::pool::linkage::link_masses;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::roles::contrast;

/// Below these similarities groups of one type and role stay apart.
pub const STRONG_MERGE_MIN: f64 = 0.20;
const WEAK_MERGE_MIN: f64 = 0.40;
/// A group has a role if so large a share of its members shows one and so large a share of these agrees.
const ROLE_KNOWN_MIN: f64 = 0.3;
const ROLE_SHARE_MIN: f64 = 0.6;
/// A type is a group's own from this share of its members on; no value at all from the lower one on.
const TYPE_SHARE_MIN: f64 = 0.6;
const NO_VALUE_SHARE_MIN: f64 = 0.5;

/// What keeps two groups apart. Ordered by the type's tag; what has a role comes before what has none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The tag of a type, or `MIX`.
    tag: &'static str,
    neutral: bool,
    role: String,
}

/// The tag of a group whose members agree on no type.
const MIXED: &str = "MIX";

impl Side {
    fn of(value_type: Option<ValueType>, roles: &[String]) -> Side {
        let role = value_type.filter(|t| t.is_strong()).and_then(|t| contrast(roles, t));
        Side {
            tag: value_type.map_or(MIXED, ValueType::tag),
            neutral: role.is_none(),
            role: role.unwrap_or_default().to_owned(),
        }
    }
}

/// A group on its way to being a key.
pub struct Candidate {
    /// The type of most of its members; `None` when they agree on none.
    pub value_type: Option<ValueType>,
    pub role: Option<String>,
    /// Places of its micro-clusters, sorted.
    pub places: Vec<usize>,
    pub mass: Mass,
}

impl Candidate {
    /// Whether its type tells it from others.
    pub fn is_strong(&self) -> bool {
        self.value_type.is_some_and(ValueType::is_strong)
    }

    fn absorb(&mut self, other: Candidate) {
        self.places.extend(other.places);
        self.places.sort_unstable();
        self.mass.add(&other.mass);
    }
}

fn size(micros: &[&Micro], places: &[usize]) -> u64 {
    places.iter().map(|&place| micros[place].members).sum()
}

/// Cuts and merges mature groups. The second value holds what was cut off and belongs to none, facet by facet.
pub fn cut_and_merge(
    micros: &[&Micro],
    features: &[Feature],
    mature: &[Vec<usize>],
    members_min: u64,
) -> (Vec<Candidate>, Vec<Vec<usize>>) {
    let mut candidates = Vec::new();
    let mut left_out = Vec::new();
    for group in mature {
        let (parts, rest) = cut(micros, group, members_min);
        left_out.extend(rest);
        for (value_type, side, places) in parts {
            let role = (!side.neutral).then_some(side.role);
            let role = role.or_else(|| common_role(micros, &places, value_type));
            let mass = Mass::of(places.iter().map(|&place| &features[place]));
            candidates.push(Candidate {
                value_type,
                role,
                places,
                mass,
            });
        }
    }
    (adopt_neutral(merge_alike(candidates)), left_out)
}

type Part = (Option<ValueType>, Side, Vec<usize>);

/// One mature group by type and role: the large facets, and what is left out.
fn cut(micros: &[&Micro], group: &[usize], members_min: u64) -> (Vec<Part>, Vec<Vec<usize>>) {
    let own = dominant(micros, group);
    let mut facets = BTreeMap::<Side, (Option<ValueType>, Vec<usize>)>::new();
    for &place in group {
        let reading = &micros[place].reading;
        let strong = reading
            .types
            .iter()
            .copied()
            .filter(|t| t.is_strong())
            .collect::<Vec<_>>();
        let value_type = if strong.is_empty() || own.is_some_and(|own| strong.contains(&own)) {
            own
        } else {
            strong.iter().copied().min_by_key(|t| t.tag())
        };
        let facet = facets
            .entry(Side::of(value_type, &reading.roles))
            .or_insert((value_type, Vec::new()));
        facet.1.push(place);
    }
    let largest = facets
        .iter()
        .max_by_key(|(side, (_, places))| (size(micros, places), Reverse((*side).clone())))
        .map(|(side, _)| side.clone());
    let any_large = facets.values().any(|(_, places)| size(micros, places) >= members_min);
    let (mut kept, mut small) = (Vec::<Part>::new(), Vec::<Part>::new());
    for (side, (value_type, places)) in facets {
        let keep = if any_large {
            size(micros, &places) >= members_min
        } else {
            Some(&side) == largest.as_ref()
        };
        if keep { &mut kept } else { &mut small }.push((value_type, side, places));
    }
    let sizes = kept
        .iter()
        .map(|(_, _, places)| size(micros, places))
        .collect::<Vec<_>>();
    let mut left_out = Vec::new();
    for (_, side, places) in small {
        let same_type = kept.iter().enumerate().filter(|(_, part)| part.1.tag == side.tag);
        let home = same_type
            .max_by_key(|(index, _)| (sizes[*index], Reverse(*index)))
            .map(|(index, _)| index);
        match home.filter(|_| side.neutral) {
            Some(index) => kept[index].2.extend(places),
            None => left_out.push(places),
        }
    }
    for (_, _, places) in &mut kept {
        places.sort_unstable();
    }
    (kept, left_out)
}

/// The value type of most members: `Some(None-type)` if half have no value, `None` if they agree on nothing.
pub fn dominant(micros: &[&Micro], group: &[usize]) -> Option<ValueType> {
    let whole = size(micros, group) as f64;
    let mut counts = BTreeMap::<&'static str, (ValueType, u64)>::new();
    for &place in group {
        for &value_type in &micros[place].reading.types {
            counts.entry(value_type.tag()).or_insert((value_type, 0)).1 += micros[place].members;
        }
    }
    let none = counts.remove(ValueType::None.tag()).map_or(0, |(_, count)| count);
    let mut most: Option<(ValueType, u64)> = None;
    for &(value_type, count) in counts.values() {
        if most.is_none_or(|(_, highest)| count > highest) {
            most = Some((value_type, count));
        }
    }
    match most {
        Some((value_type, count)) if count as f64 >= TYPE_SHARE_MIN * whole => Some(value_type),
        Some(_) => (none as f64 >= NO_VALUE_SHARE_MIN * whole).then_some(ValueType::None),
        None => Some(ValueType::None),
    }
}

/// The role that a neutral group of a reliable type has after all, because enough of its members show it.
pub fn common_role(micros: &[&Micro], places: &[usize], value_type: Option<ValueType>) -> Option<String> {
    let value_type = value_type.filter(|t| t.is_strong())?;
    let mut counts = BTreeMap::<&str, u64>::new();
    for &place in places {
        if let Some(role) = contrast(&micros[place].reading.roles, value_type) {
            *counts.entry(role).or_default() += micros[place].members;
        }
    }
    let known = counts.values().sum::<u64>();
    let mut most: Option<(&str, u64)> = None;
    for (role, &count) in &counts {
        if most.is_none_or(|(_, highest)| count > highest) {
            most = Some((role, count));
        }
    }
    let (role, count) = most?;
    let enough = known as f64 >= ROLE_KNOWN_MIN * size(micros, places) as f64;
    (enough && count as f64 >= ROLE_SHARE_MIN * known as f64).then(|| role.to_owned())
}

/// Merges groups of the same type and role.
fn merge_alike(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut classes = BTreeMap::<(&'static str, Option<String>), Vec<usize>>::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let tag = candidate.value_type.map_or(MIXED, ValueType::tag);
        classes.entry((tag, candidate.role.clone())).or_default().push(index);
    }
    let mut into = (0..candidates.len()).collect::<Vec<_>>();
    for members in classes.values() {
        let masses = members
            .iter()
            .map(|&index| candidates[index].mass.clone())
            .collect::<Vec<_>>();
        let strong = members.first().is_some_and(|&index| candidates[index].is_strong());
        for group in link_masses(&masses, if strong { STRONG_MERGE_MIN } else { WEAK_MERGE_MIN }) {
            for &index in &group {
                into[members[index]] = members[group[0]];
            }
        }
    }
    let mut merged = BTreeMap::<usize, Candidate>::new();
    for (candidate, target) in candidates.into_iter().zip(into) {
        match merged.get_mut(&target) {
            Some(head) => head.absorb(candidate),
            None => {
                merged.insert(target, candidate);
            }
        }
    }
    merged.into_values().collect()
}

/// A neutral group of a reliable type joins the largest group of that type that has a role, if it is like it.
fn adopt_neutral(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut groups = candidates.into_iter().map(Some).collect::<Vec<_>>();
    for index in (0..groups.len()).rev() {
        let Some(neutral) = groups[index].take_if(|g| g.role.is_none() && g.is_strong()) else {
            continue;
        };
        let mut home: Option<(usize, f64)> = None;
        for (other, group) in groups.iter().enumerate() {
            let Some(group) = group else { continue };
            let alike = group.value_type == neutral.value_type
                && group.role.is_some()
                && neutral.mass.similarity(&group.mass) >= STRONG_MERGE_MIN;
            if alike && home.is_none_or(|(_, weight)| group.mass.weight > weight) {
                home = Some((other, group.mass.weight));
            }
        }
        match home.and_then(|(other, _)| groups[other].as_mut()) {
            Some(group) => group.absorb(neutral),
            None => groups[index] = Some(neutral),
        }
    }
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::cut_and_merge;
    use crate::domain::pool::feature::features;
    use crate::domain::pool::micro::FragmentId;
    use crate::domain::pool::micro::Micro;
    use crate::domain::pool::placement::Embedded;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::domain::pool::reading::Reading;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::pool::state::Pool;
    use crate::domain::pool::vector::Vector;
    use crate::domain::time::At;

    /// Micro-clusters of so many members, each towards an axis (negative: away from it).
    fn pool(kinds: &[(f32, ValueType, &str, u64)]) -> Pool {
        let mut pool = Pool::default();
        for &(direction, value_type, role, members) in kinds {
            let roles = [role].into_iter().filter(|role| !role.is_empty()).collect::<Vec<_>>();
            for _ in 0..members {
                let embedded = Embedded {
                    reading: Reading::of(&[value_type], &roles, &[]),
                    vector: Vector::quantise(&[direction, 0.2, 0.0]).expect("a vector"),
                    covered_by: None,
                };
                let id = FragmentId {
                    submission: pool.demand,
                    ordinal: 0,
                };
                for placement in pool.place(vec![(id, embedded)], None, At(0), &PoolPolicy::default()) {
                    pool.apply(&placement, None, At(0));
                }
            }
        }
        pool
    }

    /// The groups that come of one mature group of all micro-clusters, and what is left out.
    fn cut(kinds: &[(f32, ValueType, &str, u64)]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let pool = pool(kinds);
        let micros = pool.micros.values().collect::<Vec<&Micro>>();
        let all = (0..micros.len()).collect::<Vec<_>>();
        let (kept, left_out) = cut_and_merge(&micros, &features(&pool, &micros, 0.0), &[all], 10);
        let mut kept = kept.into_iter().map(|candidate| candidate.places).collect::<Vec<_>>();
        kept.sort();
        (kept, left_out)
    }

    #[test]
    fn contrary_roles_are_cut_apart_and_small_ones_left_out_z072_z088() {
        let place = ValueType::Place;
        assert_eq!(
            cut(&[(1.0, place, "SRC", 10), (1.0, place, "DST", 10)]).0,
            [vec![0], vec![1]]
        );
        assert_eq!(
            cut(&[(1.0, place, "SRC", 9), (1.0, place, "DST", 10)]),
            (vec![vec![1]], vec![vec![0]])
        );
    }

    #[test]
    fn types_are_cut_apart_even_where_the_meaning_is_one() {
        let kinds = [(1.0, ValueType::Date, "", 12), (1.0, ValueType::Number, "", 12)];
        assert_eq!(cut(&kinds).0, [vec![0], vec![1]]);
    }

    #[test]
    fn a_neutral_group_joins_one_with_a_role_when_it_is_like_it_and_stays_apart_when_not() {
        let date = ValueType::Date;
        assert_eq!(cut(&[(1.0, date, "RET", 12), (1.0, date, "", 11)]).0, [vec![0, 1]]);
        assert_eq!(
            cut(&[(1.0, date, "RET", 12), (-1.0, date, "", 11)]).0,
            [vec![0], vec![1]]
        );
    }

    #[test]
    fn a_small_neutral_facet_returns_to_the_largest_of_its_type() {
        let date = ValueType::Date;
        assert_eq!(
            cut(&[(1.0, date, "RET", 12), (-1.0, date, "", 3)]),
            (vec![vec![0, 1]], vec![])
        );
        assert_eq!(
            cut(&[(1.0, date, "RET", 5), (1.0, date, "", 6)]),
            (vec![vec![1]], vec![vec![0]])
        );
    }
}
