//! Leftovers come home: a group too small to be a key joins the key-sized group of its type and role that it is like.
//!
//! Linkage parts what is said in rare words from the rest; where it holds a date, a place or a number, type and role still
//! say where it belongs. Words alone do not, so what has no such value stays where it is. A leftover counts for the values
//! and the heat of its home, and not for the floors: nothing becomes a key by its leftovers.

use crate::domain::pool::cut::Candidate;
use crate::domain::pool::cut::STRONG_MERGE_MIN;
use crate::domain::pool::cut::common_role;
use crate::domain::pool::cut::dominant;
use crate::domain::pool::feature::Feature;
use crate::domain::pool::feature::Mass;
use crate::domain::pool::micro::Micro;

/// How much more a leftover must be like its home than like any other that it could have.
const MARGIN_MIN: f64 = 0.10;

/// Adds each small group to the candidate where it belongs; what belongs nowhere is given back. Homes are compared as they
/// were before, so the order of the leftovers plays no part.
pub fn reattach(
    micros: &[&Micro],
    features: &[Feature],
    candidates: &mut [Candidate],
    leftovers: Vec<Vec<usize>>,
) -> Vec<Vec<usize>> {
    let mut homeless = Vec::new();
    for places in leftovers {
        match home(micros, features, candidates, &places).and_then(|index| candidates.get_mut(index)) {
            Some(candidate) => {
                candidate.places.extend(places);
                candidate.places.sort_unstable();
            }
            None => homeless.push(places),
        }
    }
    homeless
}

/// The candidate that a small group belongs to.
fn home(micros: &[&Micro], features: &[Feature], candidates: &[Candidate], places: &[usize]) -> Option<usize> {
    let value_type = dominant(micros, places).filter(|value_type| value_type.is_strong())?;
    let role = common_role(micros, places, Some(value_type));
    let mass = Mass::of(places.iter().map(|&place| &features[place]));
    let of_its_type = |candidate: &&Candidate| candidate.value_type == Some(value_type);
    let only_one = candidates.iter().filter(of_its_type).count() == 1;
    let mut best: Option<(f64, usize)> = None;
    let mut second = f64::NEG_INFINITY;
    for (index, candidate) in candidates.iter().enumerate().filter(|(_, other)| of_its_type(other)) {
        // Which of several roles a date or a place without one was meant in, nobody knows.
        if candidate.role != role && !(role.is_none() && only_one) {
            continue;
        }
        let likeness = mass.similarity(&candidate.mass);
        match best {
            Some((most, _)) if likeness <= most => second = second.max(likeness),
            Some((most, _)) => (best, second) = (Some((likeness, index)), most),
            None => best = Some((likeness, index)),
        }
    }
    best.filter(|(likeness, _)| *likeness >= STRONG_MERGE_MIN && likeness - second >= MARGIN_MIN)
        .map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use super::reattach;
    use crate::domain::pool::cut::cut_and_merge;
    use crate::domain::pool::feature::features;
    use crate::domain::pool::micro::Micro;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::domain::pool::reading::Reading;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::pool::sample::say;
    use crate::domain::pool::state::Pool;
    use crate::domain::pool::vector::Vector;

    /// Groups of one micro-cluster each: direction, type, role, members. Those of ten and more are candidates; gives
    /// the groups as they are afterwards and what stayed without a home.
    fn settled(kinds: &[([f32; 3], ValueType, &str, u64)]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut pool = Pool::default();
        for (direction, value_type, role, members) in kinds {
            let roles = [*role].into_iter().filter(|role| !role.is_empty()).collect::<Vec<_>>();
            let reading = Reading::of(&[*value_type], &roles, &[]);
            let vector = Vector::quantise(direction).expect("a vector");
            say(&mut pool, &reading, &vector, *members, &PoolPolicy::default());
        }
        let micros = pool.micros.values().collect::<Vec<&Micro>>();
        assert_eq!(micros.len(), kinds.len(), "each its own");
        let features = features(&pool, &micros, 0.0);
        let (large, small): (Vec<_>, Vec<_>) = (0..micros.len())
            .map(|place| vec![place])
            .partition(|places| micros[places[0]].members >= 10);
        let (mut candidates, _) = cut_and_merge(&micros, &features, &large, 10);
        let homeless = reattach(&micros, &features, &mut candidates, small);
        let mut groups = candidates
            .into_iter()
            .map(|candidate| candidate.places)
            .collect::<Vec<_>>();
        groups.sort();
        (groups, homeless)
    }

    const EAST: [f32; 3] = [1.0, 0.0, 0.0];
    const NORTH: [f32; 3] = [0.0, 1.0, 0.0];
    const WEST: [f32; 3] = [-1.0, 0.0, 0.0];

    #[test]
    fn a_leftover_of_the_same_type_and_role_comes_home_z088() {
        let place = ValueType::Place;
        let kinds = [
            (EAST, place, "SRC", 12),
            (WEST, place, "DST", 12),
            (NORTH, place, "SRC", 3),
        ];
        assert_eq!(settled(&kinds), (vec![vec![0, 2], vec![1]], vec![]));
    }

    #[test]
    fn a_leftover_without_a_role_stays_out_where_two_could_have_it_z072_z088() {
        let place = ValueType::Place;
        let two = [
            (EAST, place, "SRC", 12),
            (WEST, place, "DST", 12),
            (NORTH, place, "", 3),
        ];
        assert_eq!(settled(&two), (vec![vec![0], vec![1]], vec![vec![2]]));
        let one = [(EAST, place, "SRC", 12), (NORTH, place, "", 3)];
        assert_eq!(settled(&one), (vec![vec![0, 1]], vec![]));
    }

    #[test]
    fn a_leftover_of_another_type_stays_out_z088() {
        let kinds = [(EAST, ValueType::Place, "", 12), (EAST, ValueType::Date, "", 3)];
        assert_eq!(settled(&kinds), (vec![vec![0]], vec![vec![1]]));
    }

    #[test]
    fn words_alone_bring_nothing_home_z088() {
        let kinds = [
            (EAST, ValueType::None, "", 12),
            ([0.8, 0.2, 0.6], ValueType::None, "", 3),
        ];
        assert_eq!(settled(&kinds), (vec![vec![0]], vec![vec![1]]));
    }

    #[test]
    fn a_leftover_between_two_homes_stays_out_z088() {
        let number = ValueType::Number;
        let kinds = [(EAST, number, "", 12), (WEST, number, "", 12), (NORTH, number, "", 3)];
        assert_eq!(settled(&kinds), (vec![vec![0], vec![1]], vec![vec![2]]));
        let near = [
            (EAST, number, "", 12),
            (WEST, number, "", 12),
            ([0.8, 0.6, 0.6], number, "", 3),
        ];
        assert_eq!(settled(&near), (vec![vec![0, 2], vec![1]], vec![]));
    }
}
