//! Blocking: more groups than can be linked at once are ordered by k-means, so that linkage, which is quadratic, runs inside portions of
//! what is alike.
//!
//! K-means runs on a short projection of each meaning, from the heaviest groups as its first centroids: no random numbers,
//! and the same portions for the same pool.

use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa::traits::Predict;
use linfa_clustering::KMeans;
use linfa_clustering::KMeansInit;
use ndarray::Array2;

use crate::pool::feature::Feature;
use text::vector::UNIT;

/// Dimensions that meaning is projected to: portions only have to be roughly alike, and k-means costs as much as it has dimensions.
const PROJECTED: usize = 16;
/// Rounds of k-means. The portions of one look are linked with each other afterwards, so that they need not be exact.
const ROUNDS: u64 = 8;
/// Centroids that moved less, all together, have settled; meanings have length 1.
const SETTLED: f64 = 0.01;

/// All places, alike beside alike: in portions of `linked_max` most are with what they are alike to.
pub fn alike(features: &[Feature], linked_max: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..features.len()).collect();
    if let Some(parts) = parted(features, features.len().div_ceil(linked_max)) {
        order.sort_by_key(|&place| parts[place]);
    }
    order
}

/// The part of each feature; `None` where k-means refuses the points.
fn parted(features: &[Feature], parts: usize) -> Option<Vec<usize>> {
    let mut heaviest: Vec<usize> = (0..features.len()).collect();
    heaviest.sort_by(|&one, &other| {
        features[other]
            .weight
            .total_cmp(&features[one].weight)
            .then(one.cmp(&other))
    });
    let points = |places: &[usize]| {
        let mut points = Array2::<f64>::zeros((places.len(), PROJECTED));
        for (mut row, &place) in points.rows_mut().into_iter().zip(places) {
            row.iter_mut()
                .zip(projected(&features[place]))
                .for_each(|(cell, value)| *cell = value);
        }
        points
    };
    let first = KMeansInit::Precomputed(points(&heaviest[..parts]));
    let all: Vec<usize> = (0..features.len()).collect();
    let all = DatasetBase::from(points(&all));
    let settings = KMeans::params(parts).init_method(first).n_runs(1);
    let fitted = settings.max_n_iterations(ROUNDS).tolerance(SETTLED).fit(&all).ok()?;
    Some(fitted.predict(&all).to_vec())
}

/// Meaning as a few sums with fixed signs, which keep distances on average.
fn projected(feature: &Feature) -> [f64; PROJECTED] {
    let mut sums = [0.0; PROJECTED];
    let components = feature.meaning.as_ref().map_or(&[][..], |meaning| meaning.components());
    for (index, &component) in components.iter().enumerate() {
        let signs = mixed(index as u64);
        for (bit, sum) in sums.iter_mut().enumerate() {
            let value = f64::from(component);
            *sum += if signs >> bit & 1 == 0 { value } else { -value };
        }
    }
    let factor = 1.0 / UNIT / (PROJECTED as f64).sqrt();
    sums.map(|sum| sum * factor)
}

/// Fixed bits for each index (the finaliser of splitmix64).
fn mixed(index: u64) -> u64 {
    let mut bits = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::alike;
    use crate::pool::feature::Feature;
    use text::vector::Vector;

    fn at(angle: f64) -> Feature {
        let mut values = vec![0.0; 32];
        (values[0], values[17]) = (angle.cos(), angle.sin());
        Feature::of(1.0, Vector::quantise_wide(values))
    }

    #[test]
    fn what_is_alike_stands_together_z086() {
        let features = [at(0.0), at(3.1), at(0.1), at(3.2)];
        assert_eq!(alike(&features, 2), [0, 2, 1, 3]);
    }

    #[test]
    fn features_without_a_meaning_or_all_alike_are_ordered_too() {
        let features = [
            Feature::of(1.0, None),
            at(0.0),
            at(0.0),
            at(0.0),
            Feature::of(2.0, None),
        ];
        let mut all = alike(&features, 2);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
    }
}
