//! What a look compares: the meaning of each micro-cluster, its centroid less the pool's mean, as exact integers.
//!
//! The order of all operations is fixed, so that two looks at the same pool give the same bits.

use crate::pool::state::Pool;
use text::vector::UNIT;
use text::vector::Vector;

/// One micro-cluster as a look sees it.
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

/// From this demand on a pool's mean is what its service talks about in general, whatever it is.
const SETTLED_DEMAND: u64 = 50;
/// Mean cosines between the fragments of a small pool that speaks of several things, and of one that speaks of one.
const MANIFOLD_COSINE: f64 = 0.35;
const ONEFOLD_COSINE: f64 = 0.65;

/// The share of the pool's mean to take away. In a small pool that speaks of one thing the mean is that thing, and taking it
/// away would leave nothing to recognise it by.
pub fn centring(pool: &Pool) -> f64 {
    let summed = pool.summed();
    let count = summed as f64;
    if !(2..SETTLED_DEMAND).contains(&summed) {
        return 1.0;
    }
    let square = pool
        .sum
        .components()
        .iter()
        .map(|&sum| (sum as f64 / UNIT).powi(2))
        .sum::<f64>();
    let cosine = (square - count) / (count * (count - 1.0));
    ((ONEFOLD_COSINE - cosine) / (ONEFOLD_COSINE - MANIFOLD_COSINE)).clamp(0.0, 1.0)
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

#[cfg(test)]
mod tests {
    use super::Feature;
    use super::centring;
    use crate::pool::analysis::Analysis;
    use crate::pool::assignment::Embedded;
    use crate::pool::micro::FragmentId;
    use crate::pool::policy::PoolPolicy;
    use crate::pool::state::Pool;
    use schema::time::At;
    use text::vector::Vector;

    fn along(axis: usize) -> Vector {
        let mut values = vec![0.1_f32; 8];
        values[axis] = 1.0;
        Vector::quantise(&values).expect("a vector")
    }

    fn pool(axes: impl IntoIterator<Item = usize>) -> Pool {
        let mut pool = Pool::default();
        for axis in axes {
            let embedded = Embedded {
                reading: Analysis::default(),
                vector: along(axis),
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
        pool
    }

    #[test]
    fn a_small_pool_that_speaks_of_one_thing_is_not_centred_and_a_manifold_one_is_z088() {
        assert!(centring(&pool([0; 5])) < 1e-9);
        assert!((centring(&pool(0..8)) - 1.0).abs() < 1e-9);
        assert!((centring(&pool([0; 50])) - 1.0).abs() < 1e-9);
        assert!(centring(&pool([0; 49])) < 1e-9);
    }

    #[test]
    fn groups_give_the_mean_of_all_pairs_z086() {
        let features: Vec<Feature> = [0, 1, 2, 0, 2]
            .into_iter()
            .zip(1_u8..)
            .map(|(axis, weight)| Feature::of(f64::from(weight), Some(along(axis))))
            .collect();
        let (left, right) = (
            Feature::of_all(features[..2].iter()),
            Feature::of_all(features[2..].iter()),
        );
        let (mut sum, mut pairs) = (0.0, 0.0);
        for a in &features[..2] {
            for b in &features[2..] {
                sum += a.weight * b.weight * a.similarity(b);
                pairs += a.weight * b.weight;
            }
        }
        assert!((left.similarity(&right) - sum / pairs).abs() < 1e-4);
    }
}
