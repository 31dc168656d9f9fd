//! Blocking: where there are many micro-clusters, they are told apart before linkage, which is quadratic and runs inside
//! each block only.
//!
//! More than can be linked at once is parted by DBSCAN, on a short projection with a radius a little wider than the linkage's
//! threshold. With two points to a core its blocks are the connected parts, and
//! average linkage never merges across those. DBSCAN is quadratic too and slower than linkage, so that it is left out where
//! linkage can do without.

use std::collections::BTreeMap;

use linfa::traits::Transformer;
use linfa_clustering::Dbscan;
use ndarray::Array2;

use crate::pool::feature::Feature;
use crate::pool::vector::UNIT;

/// Dimensions that meaning is projected to.
const PROJECTED: usize = 16;

/// What the squared radius is widened by, for what the projection distorts.
const SLACK: f64 = 0.3;

/// Blocks of places, each sorted, in the order of their lowest place. `stop` is the linkage's threshold, `linked_max` what
/// it takes at once.
pub fn blocks(features: &[Feature], stop: f64, linked_max: usize) -> Vec<Vec<usize>> {
    let places: Vec<usize> = (0..features.len()).collect();
    if places.len() <= linked_max {
        return vec![places];
    }
    let mut blocks = dense_parts(features, &places, stop);
    blocks.sort();
    blocks
}

fn dense_parts(features: &[Feature], places: &[usize], stop: f64) -> Vec<Vec<usize>> {
    let mut points = Array2::<f64>::zeros((places.len(), PROJECTED));
    for (row, &place) in places.iter().enumerate() {
        for (column, value) in projected(&features[place]).into_iter().enumerate() {
            points[[row, column]] = value;
        }
    }
    // The squared distance of unit vectors is 2 - 2 cos.
    let radius = (2.0 - 2.0 * stop.clamp(-1.0, 1.0) + SLACK).sqrt();
    let Ok(labels) = Dbscan::params(2).tolerance(radius).transform(&points) else {
        return vec![places.to_vec()];
    };
    let mut parts = BTreeMap::<usize, Vec<usize>>::new();
    let mut alone = Vec::new();
    for (&place, label) in places.iter().zip(labels.iter()) {
        match label {
            Some(label) => parts.entry(*label).or_default().push(place),
            None => alone.push(vec![place]),
        }
    }
    parts.into_values().chain(alone).collect()
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
    use super::blocks;
    use crate::pool::feature::Feature;
    use crate::pool::vector::Vector;

    fn at(angle: f64) -> Feature {
        let mut values = vec![0.0; 32];
        (values[0], values[17]) = (angle.cos(), angle.sin());
        Feature {
            weight: 1.0,
            meaning: Vector::quantise_wide(values),
        }
    }

    #[test]
    fn what_is_near_shares_a_block_and_what_is_opposite_does_not_z086() {
        let features = [at(0.0), at(3.1), at(0.1), at(3.2)];
        assert_eq!(blocks(&features, 0.5, 3), [vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn what_can_be_linked_at_once_is_one_block() {
        let features = [at(0.0), at(3.1), at(0.1), at(3.2)];
        assert_eq!(blocks(&features, 0.5, 4), [vec![0, 1, 2, 3]]);
    }
}
