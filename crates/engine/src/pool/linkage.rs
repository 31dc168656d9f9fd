//! Average linkage: the pair of groups with the highest mean similarity is merged while it reaches a threshold.
//!
//! Quadratic in time and memory, therefore bounded; more items are linked in portions, whose groups are then linked with
//! each other, alike beside alike. Deterministic: the best pair first, the lowest place on a tie.

use std::ops::Range;

use crate::pool::block::alike;
use crate::pool::feature::Feature;

/// How often groups are linked in portions at most: each round leaves fewer of them, and after so many hardly any are left to merge.
const ROUNDS_MAX: usize = 8;

/// Links features, at most `linked_max` at once; returns the groups as sorted places, in the order of their lowest one.
pub fn link(features: &[Feature], places: &[usize], stop: f64, linked_max: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = places.iter().map(|&place| vec![place]).collect();
    for round in 0..ROUNDS_MAX {
        let before = groups.len();
        let each = groups.iter().map(|group| match group[..] {
            [alone] => features[alone].clone(),
            _ => Feature::of_all(group.iter().map(|&place| &features[place])),
        });
        let masses: Vec<Feature> = each.collect();
        let mut linked = Vec::with_capacity(before);
        // The oldest first, so that most of a pool is in the same portions at the next look, and its clusters in the same shape.
        let order = if round == 0 || before <= linked_max {
            (0..before).collect()
        } else {
            alike(&masses, linked_max)
        };
        for portion in order.chunks(linked_max) {
            let weights: Vec<f64> = portion.iter().map(|&mass| masses[mass].weight).collect();
            let similarity = |i: usize, j: usize| masses[portion[i]].similarity(&masses[portion[j]]);
            for group in average_link(&weights, similarity, stop) {
                let mut places: Vec<usize> = group
                    .into_iter()
                    .flat_map(|at| groups[portion[at]].iter().copied())
                    .collect();
                places.sort_unstable();
                linked.push(places);
            }
        }
        linked.sort_unstable();
        groups = linked;
        if before <= linked_max || (round > 0 && groups.len() == before) {
            break;
        }
    }
    groups
}

/// Similarities of all pairs, and for each item the best partner after it.
///
/// Each pair is held once: row `i` has its similarities with the items after it. A group stands at its lowest item.
struct Pairs {
    size: usize,
    similarities: Vec<f32>,
    /// The most similar item of each row, the lowest on a tie; `None` when that was merged since.
    partners: Vec<Option<usize>>,
    /// How similar it is. A mean is never above both of its parts: where the partner was merged this is a bound, and the row
    /// is searched again only if the bound is ever the highest of all; most rows never are.
    highest: Vec<f32>,
}

/// Less than any similarity: what a pair has when one of the two went into a group.
const GONE: f32 = -3.0;

/// Similarities compared together, so that the compiler can use wide registers.
const LANES: usize = 16;

/// The highest value and where it stands first.
fn highest(values: &[f32]) -> (Option<usize>, f32) {
    let higher = |one: f32, other: f32| if other > one { other } else { one };
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [GONE; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = higher(lanes[lane], chunk[lane]);
        }
    }
    let value = lanes.iter().chain(rest).fold(GONE, |one, &other| higher(one, other));
    let place = values.iter().position(|&other| other == value);
    (place.filter(|_| value > GONE), value)
}

impl Pairs {
    fn of(size: usize, similarity: impl Fn(usize, usize) -> f64) -> Pairs {
        let mut similarities = Vec::with_capacity(size * size.saturating_sub(1) / 2);
        for i in 0..size {
            similarities.extend((i + 1..size).map(|j| similarity(i, j) as f32));
        }
        let mut pairs = Pairs {
            size,
            similarities,
            partners: vec![None; size],
            highest: vec![GONE; size],
        };
        for i in 0..size {
            pairs.search(i);
        }
        pairs
    }

    /// Where the pair of `i` and a later `j` stands.
    fn at(&self, i: usize, j: usize) -> usize {
        i * (2 * self.size - i - 1) / 2 + j - i - 1
    }

    /// Where row `i` stands.
    fn row(&self, i: usize) -> Range<usize> {
        self.at(i, i + 1)..self.at(i, self.size)
    }

    /// Finds an item's best partner.
    fn search(&mut self, i: usize) {
        let (place, value) = highest(&self.similarities[self.row(i)]);
        self.partners[i] = place.map(|place| i + 1 + place);
        self.highest[i] = value;
    }

    /// The most similar pair, the lowest places on a tie; `None` when none reaches `stop`.
    fn closest(&mut self, stop: f64) -> Option<(usize, usize)> {
        loop {
            let (closest, value) = highest(&self.highest);
            let closest = closest.filter(|_| f64::from(value) >= stop)?;
            match self.partners[closest] {
                Some(partner) => return Some((closest, partner)),
                None => self.search(closest),
            }
        }
    }

    /// Merges `gone` into the lower `kept`; the mean over the pairs of a merged group is the weighted mean of the parts'
    /// means.
    fn merge(&mut self, kept: usize, gone: usize, kept_weight: f64, gone_weight: f64) {
        let whole = kept_weight + gone_weight;
        let (kept_share, gone_share) = (kept_weight / whole, gone_weight / whole);
        let mean = |kept: f32, gone: f32| (f64::from(kept) * kept_share + f64::from(gone) * gone_share) as f32;
        let joined = self.at(kept, gone);
        self.similarities[joined] = GONE;
        self.highest[gone] = GONE;
        for i in (0..gone).filter(|&i| i != kept) {
            if self.highest[i] <= GONE {
                continue;
            }
            let (with_kept, with_gone) = (self.at(i.min(kept), i.max(kept)), self.at(i, gone));
            self.similarities[with_kept] = mean(self.similarities[with_kept], self.similarities[with_gone]);
            self.similarities[with_gone] = GONE;
            self.partners[i] = self.partners[i].filter(|&partner| partner != kept && partner != gone);
        }
        let (to_kept, to_gone) = (joined + 1..self.row(kept).end, self.row(gone));
        let (rows, rows_from_gone) = self.similarities.split_at_mut(to_gone.start);
        for (with_kept, &with_gone) in rows[to_kept].iter_mut().zip(&rows_from_gone[..to_gone.len()]) {
            *with_kept = mean(*with_kept, with_gone);
        }
        self.search(kept);
    }
}

/// Groups of the items `0..weights.len()`, each sorted, in the order of their lowest item.
fn average_link(weights: &[f64], similarity: impl Fn(usize, usize) -> f64, stop: f64) -> Vec<Vec<usize>> {
    let mut weights = weights.to_vec();
    let mut groups = (0..weights.len()).map(|i| vec![i]).collect::<Vec<_>>();
    let mut pairs = Pairs::of(weights.len(), similarity);
    while let Some((kept, gone)) = pairs.closest(stop) {
        pairs.merge(kept, gone, weights[kept], weights[gone]);
        weights[kept] += weights[gone];
        let moved = std::mem::take(&mut groups[gone]);
        groups[kept].extend(moved);
    }
    groups.retain(|group| !group.is_empty());
    for group in &mut groups {
        group.sort_unstable();
    }
    groups
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prop_assert_eq;
    use proptest::prop_assume;
    use proptest::proptest;

    use super::GONE;
    use super::average_link;
    use super::highest;
    use super::link;
    use crate::pool::feature::Feature;
    use text::vector::Vector;

    /// Nearer than this, similarities that are held in 32 bits may change places.
    const NEAR: f64 = 1e-6;

    /// The definition, without any cache: the best pair by the mean over all pairs of members. `None` where a step is too
    /// near to call.
    fn naive(weights: &[f64], table: &[Vec<f64>], stop: f64) -> Option<Vec<Vec<usize>>> {
        let mut groups = (0..weights.len()).map(|i| vec![i]).collect::<Vec<_>>();
        loop {
            let mean = |a: &[usize], b: &[usize]| {
                let (mut sum, mut pairs) = (0.0, 0.0);
                for &i in a {
                    for &j in b {
                        sum += weights[i] * weights[j] * table[i][j];
                        pairs += weights[i] * weights[j];
                    }
                }
                sum / pairs
            };
            let pairs = (0..groups.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let mut means: Vec<_> = pairs.map(|(a, b)| (mean(&groups[a], &groups[b]), a, b)).collect();
            means.sort_by(|one, other| other.0.total_cmp(&one.0));
            let Some(&(most, a, b)) = means.first() else { break };
            let next = means.get(1).map_or(0.0, |next| next.0);
            if (most - stop).abs() < NEAR || (most > stop && most - next < NEAR) {
                return None;
            }
            if most < stop {
                break;
            }
            let moved = groups.remove(b);
            groups[a].extend(moved);
            groups[a].sort_unstable();
        }
        groups.sort();
        Some(groups)
    }

    #[test]
    fn a_similarity_at_the_threshold_links_and_one_just_below_does_not_z086() {
        let pair = |value: f64| average_link(&[1.0, 1.0], |_, _| value, 0.5).len();
        assert_eq!(pair(0.5), 1);
        assert_eq!(pair(0.499), 2);
    }

    #[test]
    fn the_mean_counts_members() {
        let table = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.6], [0.0, 0.6, 1.0]];
        let groups = |first: f64| average_link(&[first, 1.0, 1.0], |i, j| table[i][j], 0.25).len();
        assert_eq!(groups(1.0), 1);
        assert_eq!(groups(9.0), 2);
    }

    #[test]
    fn of_two_pairs_alike_the_lower_one_is_merged() {
        let table = [[1.0, 0.8, 0.0], [0.8, 1.0, 0.8], [0.0, 0.8, 1.0]];
        let groups = average_link(&[1.0; 3], |i, j| table[i][j], 0.5);
        assert_eq!(groups, [vec![0, 1], vec![2]]);
    }

    #[test]
    fn in_portions_or_at_once_the_groups_are_the_same_z086() {
        // Three wishes in turn, each fragment at its own angle to its wish.
        let said = |number: usize| {
            let (mut values, turn) = (vec![0.0; 9], 0.1 + 0.02 * number as f64);
            (values[number % 3], values[3 + number % 6]) = (turn.cos(), turn.sin());
            Feature::of((1 + number % 4) as f64, Vector::quantise_wide(values))
        };
        let features: Vec<Feature> = (0..40).map(said).collect();
        let places: Vec<usize> = (0..40).collect();
        let at_once = link(&features, &places, 0.3, 40);
        assert_eq!(at_once.len(), 3);
        for linked_max in [3, 7, 16] {
            assert_eq!(link(&features, &places, 0.3, linked_max), at_once, "{linked_max}");
        }
    }

    #[test]
    fn the_highest_is_found_wherever_it_stands_and_the_first_on_a_tie() {
        for size in [1, 15, 16, 17, 40] {
            for place in 0..size {
                let mut values = vec![0.25; size];
                values[place..].fill(0.5);
                assert_eq!(highest(&values), (Some(place), 0.5));
            }
        }
        assert_eq!(highest(&[]), (None, GONE));
        assert_eq!(highest(&[GONE; 20]), (None, GONE));
    }

    proptest! {
        #[test]
        fn the_cached_linkage_is_the_plain_one(values in vec(0..1_000_000_u32, 64), sizes in vec(1..20_u32, 8)) {
            let weights = sizes.iter().map(|&size| f64::from(size)).collect::<Vec<_>>();
            let table = (0..8)
                .map(|i: usize| (0..8).map(|j: usize| f64::from(values[i.max(j) * 8 + i.min(j)]) / 1e6).collect())
                .collect::<Vec<Vec<f64>>>();
            let mut found = average_link(&weights, |i, j| table[i][j], 0.45);
            found.sort();
            let expected = naive(&weights, &table, 0.45);
            prop_assume!(expected.is_some());
            prop_assert_eq!(Some(found), expected);
        }
    }
}
