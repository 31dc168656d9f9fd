//! Groups of which several parts are large by themselves come apart: "I need a signature" and "it's a birthday present" are
//! about one parcel and are two keys.
//!
//! The threshold that gathers what is said of one thing in many words gathers what is said of two things about one matter as
//! well. So a group without a reliable type is linked once more at a higher threshold: where two or more parts are mature,
//! each is a group of its own, and what is small goes to the part that it is most like; where one is, nothing changes. Parts
//! that are alike enough after all are merged with others of their type ([`crate::domain::pool::cut`]).

use crate::domain::pool::cut::dominant;
use crate::domain::pool::feature::Feature;
use crate::domain::pool::feature::Mass;
use crate::domain::pool::linkage::link;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::reading::ValueType;

/// Below this similarity the parts of a group come apart.
const PART_MIN: f64 = 0.62;

/// The parts of a mature group, each sorted: itself alone, or two or more of `members_min` members.
pub fn part(micros: &[&Micro], features: &[Feature], group: Vec<usize>, members_min: u64) -> Vec<Vec<usize>> {
    let size = |places: &[usize]| places.iter().map(|&place| micros[place].members).sum::<u64>();
    // Type and role part the others better.
    if size(&group) < 2 * members_min || dominant(micros, &group).is_some_and(ValueType::is_strong) {
        return vec![group];
    }
    let (mut large, small): (Vec<_>, Vec<_>) = link(features, &group, PART_MIN)
        .into_iter()
        .partition(|places| size(places) >= members_min);
    if large.len() < 2 {
        return vec![group];
    }
    let mass = |places: &[usize]| Mass::of(places.iter().map(|&place| &features[place]));
    let masses = large.iter().map(|places| mass(places)).collect::<Vec<_>>();
    for places in small {
        if let Some(home) = nearest(&mass(&places), &masses).and_then(|index| large.get_mut(index)) {
            home.extend(places);
        }
    }
    for places in &mut large {
        places.sort_unstable();
    }
    large
}

/// The most similar one, the first among equals.
fn nearest(own: &Mass, masses: &[Mass]) -> Option<usize> {
    let similar = masses.iter().map(|mass| own.similarity(mass)).enumerate();
    let best = similar.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::part;
    use crate::domain::pool::feature::features;
    use crate::domain::pool::micro::Micro;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::domain::pool::reading::Reading;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::pool::sample::say;
    use crate::domain::pool::state::Pool;
    use crate::domain::pool::vector::Vector;

    /// Two matters far from each other, and what is a little like each of them.
    const NORTH: [f32; 3] = [0.0, 1.0, 0.0];
    const EAST: [f32; 3] = [1.0, 0.0, 0.0];
    const NORTHISH: [f32; 3] = [0.0, 1.0, 1.5];
    const EASTISH: [f32; 3] = [1.0, 0.0, -1.5];

    /// The parts of a group of so many members in each direction.
    fn parted(kinds: &[([f32; 3], u64)], value_type: ValueType) -> Vec<Vec<usize>> {
        let mut pool = Pool::default();
        let reading = Reading::of(&[value_type], &[], &[]);
        for (direction, members) in kinds {
            let vector = Vector::quantise(direction).expect("a vector");
            say(&mut pool, &reading, &vector, *members, &PoolPolicy::default());
        }
        let micros = pool.micros.values().collect::<Vec<&Micro>>();
        assert_eq!(micros.len(), kinds.len(), "each its own");
        let features = features(&pool, &micros, 0.0);
        part(&micros, &features, (0..micros.len()).collect(), 10)
    }

    #[test]
    fn a_group_of_two_large_parts_is_two_and_what_is_small_goes_to_the_nearer_z088_z096() {
        let kinds = [(NORTH, 12), (EAST, 10), (EASTISH, 2), (NORTHISH, 2)];
        assert_eq!(parted(&kinds, ValueType::None), [vec![0, 3], vec![1, 2]]);
    }

    #[test]
    fn a_group_of_one_large_part_stays_whole_z088_z096() {
        assert_eq!(parted(&[(NORTH, 12), (EAST, 9)], ValueType::None), [vec![0, 1]]);
    }

    #[test]
    fn a_reliable_type_keeps_a_group_together_z088() {
        assert_eq!(parted(&[(NORTH, 12), (EAST, 12)], ValueType::Date), [vec![0, 1]]);
        assert_eq!(parted(&[(NORTH, 12), (EAST, 12)], ValueType::Name).len(), 2);
    }
}
