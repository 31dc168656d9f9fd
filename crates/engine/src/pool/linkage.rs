//! Average linkage of what fragments mean: the pair of groups with the highest mean similarity is merged while it reaches a threshold.
//!
//! Quadratic in time and memory, therefore bounded; more items are linked in portions, whose groups are then linked with
//! each other, alike beside alike. Deterministic: the order of all operations is fixed, and the lowest place goes first on a tie.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa::traits::Predict;
use linfa_clustering::KMeans;
use linfa_clustering::KMeansInit;
use ndarray::Array2;
use text::vector::UNIT;
use text::vector::Vector;

/// One micro-cluster, or a group of them, as linkage sees it.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Members.
    pub weight: f64,
    /// `None` where nothing is left once the pool's mean is taken away.
    pub meaning: Option<Vector>,
    /// How long the mean of its members' meanings is: 1 for one alone, less the more they differ.
    pub length: f64,
}

impl Feature {
    /// One micro-cluster.
    pub fn of(weight: f64, meaning: Option<Vector>) -> Feature {
        Feature {
            weight,
            meaning,
            length: 1.0,
        }
    }

    /// A group of features as one.
    pub fn of_all<'a>(features: impl Iterator<Item = &'a Feature>) -> Feature {
        let (mut weight, mut sum) = (0.0, Vec::new());
        for feature in features {
            weight += feature.weight;
            let components = feature.meaning.as_ref().map_or(&[][..], |meaning| meaning.components());
            sum.resize(sum.len().max(components.len()), 0.0);
            let factor = feature.weight * feature.length / UNIT;
            for (sum, &component) in sum.iter_mut().zip(components) {
                *sum += f64::from(component) * factor;
            }
        }
        let square = sum.iter().map(|value| value * value).sum::<f64>();
        Feature {
            weight,
            meaning: Vector::quantise_wide(sum),
            length: square.sqrt() / weight.max(f64::MIN_POSITIVE),
        }
    }

    /// The mean cosine over all pairs of members of two features.
    pub fn similarity(&self, other: &Feature) -> f64 {
        match (&self.meaning, &other.meaning) {
            (Some(one), Some(two)) => one.cosine(two).value() * self.length * other.length,
            (None, _) | (_, None) => 0.0,
        }
    }
}

/// A mean of vectors less a share of another, as a direction.
pub fn centred(sum: &[i64], members: f64, mean: &[f64], centring: f64) -> Option<Vector> {
    if sum.len() != mean.len() || members <= 0.0 {
        return None;
    }
    let values = sum
        .iter()
        .zip(mean)
        .map(|(&sum, mean)| (sum as f64 / members - centring * mean) / UNIT);
    let values = values.collect::<Vec<_>>();
    // A remainder of rounding has no direction worth comparing.
    let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
    (length > 1e-3).then(|| Vector::quantise_wide(values)).flatten()
}

/// How often groups are linked in portions at most: each round leaves fewer of them, and after so many hardly any are left to merge.
const ROUNDS_MAX: usize = 8;

/// Links features, at most `linked_max` at once; returns the groups as sorted places, in the order of their lowest one.
pub fn link(features: &[Feature], places: &[usize], stop: f64, linked_max: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = places.iter().map(|&place| vec![place]).collect();
    let mut idle = 0;
    for round in 0..ROUNDS_MAX {
        let before = groups.len();
        let each = groups.iter().map(|group| match group[..] {
            [alone] => features[alone].clone(),
            _ => Feature::of_all(group.iter().map(|&place| &features[place])),
        });
        let masses: Vec<Feature> = each.collect();
        let mut linked = Vec::with_capacity(before);
        // The oldest first, so that most of a pool is in the same portions the next time, and its clusters in the same shape.
        let mut order: Vec<usize> = (0..before).collect();
        if round > 0 && before > linked_max {
            order = alike(&masses, linked_max);
            // Portions that overlap those of the round before: what one of them cut apart the next does not.
            order.rotate_left((round + 1) % 2 * linked_max / 2);
        }
        for portion in order.chunks(linked_max) {
            let weights: Vec<f64> = portion.iter().map(|&mass| masses[mass].weight).collect();
            let similarity = |i: usize, j: usize| masses[portion[i]].similarity(&masses[portion[j]]);
            for group in average_link(&weights, similarity, stop) {
                let places = group.into_iter().flat_map(|at| groups[portion[at]].iter().copied());
                let mut places: Vec<usize> = places.collect();
                places.sort_unstable();
                linked.push(places);
            }
        }
        linked.sort_unstable();
        groups = linked;
        idle = if round > 0 && groups.len() == before {
            idle + 1
        } else {
            0
        };
        if before <= linked_max || idle > 1 {
            break;
        }
    }
    groups
}

/// Dimensions that meaning is projected to: portions only have to be roughly alike, and k-means costs as much as it has dimensions.
const PROJECTED: usize = 16;
/// Rounds of k-means. The portions are linked with each other afterwards, so that they need not be exact.
const KMEANS_ROUNDS: u64 = 8;
/// Centroids that moved less, all together, have settled; meanings have length 1.
const SETTLED: f64 = 0.01;

/// All places, alike beside alike, in as many parts as there are portions: by k-means from the heaviest as first centroids, so that
/// nothing is random. Where k-means refuses the points they stay in their order.
fn alike(masses: &[Feature], linked_max: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..masses.len()).collect();
    let mut heaviest = order.clone();
    heaviest.sort_by(|&one, &other| masses[other].weight.total_cmp(&masses[one].weight));
    let parts = masses.len().div_ceil(linked_max);
    let first = KMeansInit::Precomputed(points(masses, &heaviest[..parts]));
    let all = DatasetBase::from(points(masses, &order));
    let settings = KMeans::params(parts).init_method(first).n_runs(1);
    if let Ok(fitted) = settings.max_n_iterations(KMEANS_ROUNDS).tolerance(SETTLED).fit(&all) {
        let parts = fitted.predict(&all);
        order.sort_by_key(|&place| parts[place]);
    }
    order
}

/// Meanings, each as a few sums with fixed signs, which keep distances on average.
fn points(masses: &[Feature], places: &[usize]) -> Array2<f64> {
    let components = |place: usize| masses[place].meaning.as_ref().map_or(&[][..], Vector::components);
    let width = places.iter().map(|&place| components(place).len()).max().unwrap_or(0);
    let signs: Vec<u64> = (0..width as u64).map(signs).collect();
    let factor = 1.0 / UNIT / (PROJECTED as f64).sqrt();
    Array2::from_shape_fn((places.len(), PROJECTED), |(row, bit)| {
        let signed = components(places[row]).iter().zip(&signs).map(|(&component, signs)| {
            let value = f64::from(component);
            if signs >> bit & 1 == 0 { value } else { -value }
        });
        signed.sum::<f64>() * factor
    })
}

/// Fixed bits for each index (the finaliser of splitmix64).
fn signs(index: u64) -> u64 {
    let mut bits = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Less than any similarity: what an item has with itself and with what went into another.
const GONE: f32 = -3.0;

/// Groups of the items `0..weights.len()`, each sorted, in the order of their lowest item.
///
/// By chains of nearest neighbours: from each item to the most similar one and on from there, until two are nearest to each other; these
/// are merged. As a mean is never above both of its parts, that gives the groups that merging the best pair of all would give.
fn average_link(weights: &[f64], similarity: impl Fn(usize, usize) -> f64, stop: f64) -> Vec<Vec<usize>> {
    let size = weights.len();
    let mut weights = weights.to_vec();
    let mut groups: Vec<Vec<usize>> = (0..size).map(|i| vec![i]).collect();
    let mut similarities = vec![GONE; size * size];
    for i in 0..size {
        for j in i + 1..size {
            let similarity = similarity(i, j) as f32;
            similarities[i * size + j] = similarity;
            similarities[j * size + i] = similarity;
        }
    }
    let mut chain: Vec<usize> = Vec::new();
    for start in 0..size {
        if !groups[start].is_empty() {
            chain.push(start);
        }
        while let Some(last) = chain.pop() {
            let row = &similarities[last * size..(last + 1) * size];
            let highest = row.iter().copied().fold(GONE, f32::max);
            if f64::from(highest) < stop {
                continue;
            }
            if let Some(before) = chain.pop_if(|before| row[*before] >= highest) {
                let (kept, gone) = (before.min(last), before.max(last));
                let whole = weights[kept] + weights[gone];
                let (kept_share, gone_share) = (weights[kept] / whole, weights[gone] / whole);
                weights[kept] = whole;
                let moved = std::mem::take(&mut groups[gone]);
                groups[kept].extend(moved);
                for i in 0..size {
                    let (with_kept, with_gone) = (similarities[kept * size + i], similarities[gone * size + i]);
                    let mean = f64::from(with_kept) * kept_share + f64::from(with_gone) * gone_share;
                    let mean = if i == kept || with_gone <= GONE {
                        GONE
                    } else {
                        mean as f32
                    };
                    similarities[kept * size + i] = mean;
                    similarities[i * size + kept] = mean;
                    similarities[i * size + gone] = GONE;
                }
                // The merged one may be nearest to the chain's end, or the start of it.
                if chain.is_empty() {
                    chain.push(kept);
                }
            } else {
                let nearest = row.iter().position(|similarity| *similarity >= highest);
                chain.extend([last].into_iter().chain(nearest));
            }
        }
    }
    groups.retain(|group| !group.is_empty());
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prop_assert_eq;
    use proptest::prop_assume;
    use proptest::proptest;

    use super::*;

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
    fn what_reaches_the_threshold_on_the_mean_of_all_members_is_linked_z086() {
        let pair = |value: f64| average_link(&[1.0, 1.0], |_, _| value, 0.5).len();
        assert_eq!((pair(0.5), pair(0.499)), (1, 2));
        let table = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.6], [0.0, 0.6, 1.0]];
        let groups = |first: f64| average_link(&[first, 1.0, 1.0], |i, j| table[i][j], 0.25).len();
        assert_eq!((groups(1.0), groups(9.0)), (1, 2));
        let tie = [[1.0, 0.8, 0.0], [0.8, 1.0, 0.8], [0.0, 0.8, 1.0]];
        assert_eq!(average_link(&[1.0; 3], |i, j| tie[i][j], 0.5), [vec![0, 1], vec![2]]);
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
    fn what_is_alike_stands_together_and_what_means_nothing_is_not_lost_z086() {
        let at = |angle: f64| {
            let mut values = vec![0.0; 32];
            (values[0], values[17]) = (angle.cos(), angle.sin());
            Feature::of(1.0, Vector::quantise_wide(values))
        };
        assert_eq!(alike(&[at(0.0), at(3.1), at(0.1), at(3.2)], 2), [0, 2, 1, 3]);
        let mut all = alike(&[Feature::of(1.0, None), at(0.0), at(0.0), Feature::of(2.0, None)], 2);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }

    #[test]
    fn groups_give_the_mean_of_all_pairs_z086() {
        let along = |axis: usize| {
            let mut values = vec![0.1_f32; 8];
            values[axis] = 1.0;
            Vector::quantise(&values)
        };
        let features: Vec<Feature> = [0, 1, 2, 0, 2]
            .into_iter()
            .zip(1_u8..)
            .map(|(axis, weight)| Feature::of(f64::from(weight), along(axis)))
            .collect();
        let (left, right) = features.split_at(2);
        let (mut sum, mut pairs) = (0.0, 0.0);
        for a in left {
            for b in right {
                sum += a.weight * b.weight * a.similarity(b);
                pairs += a.weight * b.weight;
            }
        }
        let (left, right) = (Feature::of_all(left.iter()), Feature::of_all(right.iter()));
        assert!((left.similarity(&right) - sum / pairs).abs() < 1e-4);
    }

    proptest! {
        #[test]
        fn chains_of_neighbours_give_the_groups_of_the_definition(values in vec(0..1_000_000_u32, 64), sizes in vec(1..20_u32, 8)) {
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
