//! Average linkage: the pair of groups with the highest mean similarity is merged while it reaches a threshold.
//!
//! Quadratic in time and memory, therefore bounded by [`LINKED_MAX`]; more items are linked in portions whose groups are
//! then linked with each other. Deterministic: the best pair first, the lowest place on a tie.

use crate::domain::pool::feature::Feature;
use crate::domain::pool::feature::Mass;

/// Items that are linked at once.
pub const LINKED_MAX: usize = 6_000;

/// Links features; returns the groups as sorted places, in the order of their lowest one.
pub fn link(features: &[Feature], places: &[usize], stop: f64) -> Vec<Vec<usize>> {
    if places.len() <= LINKED_MAX {
        let weights = places.iter().map(|&place| features[place].weight).collect::<Vec<_>>();
        let groups = average_link(
            &weights,
            |i, j| features[places[i]].similarity(&features[places[j]]),
            stop,
        );
        return named(&groups, places);
    }
    let portions = places
        .chunks(LINKED_MAX)
        .flat_map(|portion| link(features, portion, stop))
        .collect::<Vec<_>>();
    if portions.len() > LINKED_MAX {
        return portions;
    }
    let masses = portions
        .iter()
        .map(|group| Mass::of(group.iter().map(|&place| &features[place])))
        .collect::<Vec<_>>();
    let mut linked = link_masses(&masses, stop)
        .into_iter()
        .map(|group| {
            let mut places = group
                .into_iter()
                .flat_map(|index| portions[index].iter().copied())
                .collect::<Vec<_>>();
            places.sort_unstable();
            places
        })
        .collect::<Vec<_>>();
    linked.sort();
    linked
}

/// Links groups that are given as masses.
pub fn link_masses(masses: &[Mass], stop: f64) -> Vec<Vec<usize>> {
    let weights = masses.iter().map(|mass| mass.weight).collect::<Vec<_>>();
    let places = (0..masses.len()).collect::<Vec<_>>();
    named(
        &average_link(&weights, |i, j| masses[i].similarity(&masses[j]), stop),
        &places,
    )
}

fn named(groups: &[Vec<usize>], places: &[usize]) -> Vec<Vec<usize>> {
    groups
        .iter()
        .map(|group| group.iter().map(|&index| places[index]).collect())
        .collect()
}

/// Similarities of all pairs, row by row, with each row's best partner.
struct Pairs {
    size: usize,
    similarity: Vec<f32>,
    best: Vec<usize>,
    best_value: Vec<f32>,
    alive: Vec<bool>,
}

/// Less than any similarity.
const GONE: f32 = -3.0;

impl Pairs {
    fn row(&self, i: usize) -> &[f32] {
        &self.similarity[i * self.size..(i + 1) * self.size]
    }

    fn refresh(&mut self, i: usize) {
        let (mut best, mut value) = (i, GONE);
        for (j, &similarity) in self.row(i).iter().enumerate() {
            if similarity > value {
                (best, value) = (j, similarity);
            }
        }
        (self.best[i], self.best_value[i]) = (best, value);
    }

    /// The row whose best partner is the most similar of all, the lowest on a tie.
    fn closest(&self) -> usize {
        let mut closest = 0;
        for (i, &value) in self.best_value.iter().enumerate() {
            if value > self.best_value[closest] {
                closest = i;
            }
        }
        closest
    }
}

/// Groups of the items `0..weights.len()`, each sorted, in the order of their lowest item.
fn average_link(weights: &[f64], similarity: impl Fn(usize, usize) -> f64, stop: f64) -> Vec<Vec<usize>> {
    let size = weights.len();
    let mut weights = weights.to_vec();
    let mut groups = (0..size).map(|i| vec![i]).collect::<Vec<_>>();
    if size < 2 {
        return groups;
    }
    let mut pairs = Pairs {
        size,
        similarity: vec![GONE; size * size],
        best: vec![0; size],
        best_value: vec![GONE; size],
        alive: vec![true; size],
    };
    for i in 0..size {
        for j in 0..i {
            let value = similarity(i, j) as f32;
            pairs.similarity[i * size + j] = value;
            pairs.similarity[j * size + i] = value;
        }
    }
    for i in 0..size {
        pairs.refresh(i);
    }
    loop {
        let closest = pairs.closest();
        if f64::from(pairs.best_value[closest]) < stop || pairs.best_value[closest] <= GONE {
            break;
        }
        let (kept, gone) = (closest.min(pairs.best[closest]), closest.max(pairs.best[closest]));
        let moved = std::mem::take(&mut groups[gone]);
        groups[kept].extend(moved);
        merge(&mut pairs, kept, gone, weights[kept], weights[gone]);
        weights[kept] += weights[gone];
    }
    groups.retain(|group| !group.is_empty());
    for group in &mut groups {
        group.sort_unstable();
    }
    groups
}

/// Merges two rows; the mean over the pairs of a merged group is the weighted mean of the parts' means.
fn merge(pairs: &mut Pairs, kept: usize, gone: usize, kept_weight: f64, gone_weight: f64) {
    let size = pairs.size;
    let whole = kept_weight + gone_weight;
    let (kept_share, gone_share) = (kept_weight / whole, gone_weight / whole);
    pairs.alive[gone] = false;
    pairs.best_value[gone] = GONE;
    for i in 0..size {
        let value = if !pairs.alive[i] || i == kept {
            GONE
        } else {
            let (a, b) = (pairs.similarity[kept * size + i], pairs.similarity[gone * size + i]);
            (f64::from(a) * kept_share + f64::from(b) * gone_share) as f32
        };
        pairs.similarity[kept * size + i] = value;
        if i != kept {
            pairs.similarity[i * size + kept] = value;
        }
        pairs.similarity[i * size + gone] = GONE;
    }
    pairs.refresh(kept);
    for i in 0..size {
        if !pairs.alive[i] || i == kept {
            continue;
        }
        let value = pairs.similarity[i * size + kept];
        if pairs.best[i] == kept || pairs.best[i] == gone {
            pairs.refresh(i);
        } else if value > pairs.best_value[i] {
            (pairs.best[i], pairs.best_value[i]) = (kept, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::proptest;

    use super::average_link;

    /// The definition, without any cache: the best pair by the mean over all pairs of members.
    fn naive(weights: &[f64], table: &[Vec<f64>], stop: f64) -> Vec<Vec<usize>> {
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
            let mut best = None;
            for b in 0..groups.len() {
                for a in 0..b {
                    let value = mean(&groups[a], &groups[b]);
                    if value >= stop && best.is_none_or(|(most, _, _)| value > most) {
                        best = Some((value, a, b));
                    }
                }
            }
            let Some((_, a, b)) = best else { break };
            let moved = groups.remove(b);
            groups[a].extend(moved);
            groups[a].sort_unstable();
        }
        groups.sort();
        groups
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

    proptest! {
        #[test]
        fn the_cached_linkage_is_the_plain_one(values in vec(0..1_000_000_u32, 64), sizes in vec(1..20_u32, 8)) {
            let weights = sizes.iter().map(|&size| f64::from(size)).collect::<Vec<_>>();
            let table = (0..8)
                .map(|i: usize| (0..8).map(|j: usize| f64::from(values[i.max(j) * 8 + i.min(j)]) / 1e6).collect())
                .collect::<Vec<Vec<f64>>>();
            let mut found = average_link(&weights, |i, j| table[i][j], 0.45);
            found.sort();
            assert_eq!(found, naive(&weights, &table, 0.45));
        }
    }
}
