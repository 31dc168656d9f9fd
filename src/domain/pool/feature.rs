//! What a look compares: each micro-cluster as a unit vector of four blocks — meaning, types, roles, cues.
//!
//! Meaning is the centroid less a share of the pool's mean, as exact integers; the other blocks are sparse. The order of
//! all operations is fixed, so that two looks at the same pool give the same bits.

use std::collections::BTreeMap;

use crate::domain::pool::micro::Micro;
use crate::domain::pool::reading::ValueType;
use crate::domain::pool::state::Pool;
use crate::domain::pool::vector::UNIT;
use crate::domain::pool::vector::Vector;

/// Weights of the blocks beside meaning's 1 (`learning`: plateau over ten domains).
const TYPE_WEIGHT: f64 = 0.30;
const ROLE_WEIGHT: f64 = 0.35;
const CUE_WEIGHT: f64 = 0.20;
/// A name is half-way to no value: capitals are unreliable.
const NAME_SHARE: f64 = 0.7;

/// Types that a block distinguishes.
pub const TYPES: usize = 9;
/// Stands for "no cue at all".
const NO_CUE: u32 = u32::MAX;

/// Sparse coordinates, ascending.
type Sparse = Vec<(u32, f64)>;

/// One micro-cluster as a look sees it. Scaled so that the four blocks together have length one.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Members.
    pub weight: f64,
    /// `None` where nothing is left once the pool's mean is taken away.
    pub meaning: Option<Vector>,
    pub types: [f64; TYPES],
    roles: Sparse,
    cues: Sparse,
    /// What the meaning block is multiplied with.
    pub scale: f64,
}

impl Feature {
    /// Cosine of two features.
    pub fn similarity(&self, other: &Feature) -> f64 {
        let meaning = match (&self.meaning, &other.meaning) {
            (Some(one), Some(two)) => one.cosine(two).value() * self.scale * other.scale,
            (None, _) | (_, None) => 0.0,
        };
        let types = self.types.iter().zip(&other.types).map(|(a, b)| a * b).sum::<f64>();
        meaning + types + sparse_dot(&self.roles, &other.roles) + sparse_dot(&self.cues, &other.cues)
    }

    /// A feature of meaning alone.
    pub fn plain(meaning: Option<Vector>, weight: f64) -> Feature {
        let scale = if meaning.is_some() { 1.0 } else { 0.0 };
        Feature {
            weight,
            meaning,
            types: [0.0; TYPES],
            roles: Vec::new(),
            cues: Vec::new(),
            scale,
        }
    }
}

fn sparse_dot(one: &Sparse, two: &Sparse) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some(a), Some(b)) = (one.get(i), two.get(j)) {
        match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += a.1 * b.1;
                i += 1;
                j += 1;
            }
        }
    }
    sum
}

/// The features of a pool's micro-clusters, in the order given.
pub fn features(pool: &Pool, micros: &[&Micro], centring: f64) -> Vec<Feature> {
    let demand = pool.demand.max(1) as f64;
    let mean = pool.mean();
    let roles = numbered(micros.iter().flat_map(|micro| &micro.reading.roles));
    let cues = pool
        .cue_fragments
        .iter()
        .zip(0_u32..)
        .map(|((cue, &count), number)| (cue.as_str(), (number, (demand / count.max(1) as f64).ln())))
        .collect::<BTreeMap<_, _>>();
    micros
        .iter()
        .map(|micro| {
            let meaning = centred(micro.sum.components(), micro.members as f64, &mean, centring);
            let role_block = micro
                .reading
                .roles
                .iter()
                .filter_map(|role| Some((*roles.get(role)?, 1.0)))
                .collect();
            let mut cue_block = micro
                .cues
                .iter()
                .filter_map(|(cue, &count)| {
                    let (number, rarity) = cues.get(cue.as_str())?;
                    Some((*number, count as f64 * rarity))
                })
                .collect::<Sparse>();
            if micro.cues.is_empty() {
                cue_block.push((NO_CUE, 1.0));
            }
            joined(
                micro.members as f64,
                meaning,
                type_block(&micro.reading.types),
                role_block,
                cue_block,
            )
        })
        .collect()
}

/// From this demand on a pool's mean is what its service talks about in general, whatever it is.
const SETTLED_DEMAND: u64 = 50;
/// Mean cosines between the fragments of a small pool that speaks of several things, and of one that speaks of one.
const MANIFOLD_COSINE: f64 = 0.35;
const ONEFOLD_COSINE: f64 = 0.65;

/// The share of the mean to take away. In a small pool that speaks of one thing the mean is that thing, and taking it
/// away would leave nothing to recognise it by.
pub fn centring(pool: &Pool, share: f64) -> f64 {
    let summed = pool.summed();
    let count = summed as f64;
    if !(2..SETTLED_DEMAND).contains(&summed) {
        return share;
    }
    let square = pool
        .sum
        .components()
        .iter()
        .map(|&sum| (sum as f64 / UNIT).powi(2))
        .sum::<f64>();
    let cosine = (square - count) / (count * (count - 1.0));
    share * ((ONEFOLD_COSINE - cosine) / (ONEFOLD_COSINE - MANIFOLD_COSINE)).clamp(0.0, 1.0)
}

fn numbered<'a>(words: impl Iterator<Item = &'a String>) -> BTreeMap<&'a String, u32> {
    let distinct = words.collect::<std::collections::BTreeSet<_>>();
    distinct.into_iter().zip(0..).collect()
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

fn type_block(types: &[ValueType]) -> [f64; TYPES] {
    let mut block = [0.0; TYPES];
    for value_type in types {
        match value_type {
            ValueType::Money => block[0] = 1.0,
            ValueType::Time => block[1] = 1.0,
            ValueType::Date => block[2] = 1.0,
            ValueType::Duration => block[3] = 1.0,
            ValueType::Address => block[4] = 1.0,
            ValueType::Place => block[5] = 1.0,
            ValueType::Number => block[6] = 1.0,
            ValueType::Name => (block[7], block[8]) = (NAME_SHARE, NAME_SHARE),
            ValueType::None => block[8] = 1.0,
        }
    }
    block
}

/// The four blocks, each of length one or zero, weighted and scaled to length one together.
fn joined(weight: f64, meaning: Option<Vector>, types: [f64; TYPES], roles: Sparse, cues: Sparse) -> Feature {
    let length = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    let type_length = length(&mut types.iter().copied());
    let role_length = length(&mut roles.iter().map(|entry| entry.1));
    let cue_length = length(&mut cues.iter().map(|entry| entry.1));
    let part = |present: bool, weight: f64| if present { weight } else { 0.0 };
    let square = part(meaning.is_some(), 1.0)
        + part(type_length > 0.0, TYPE_WEIGHT)
        + part(role_length > 0.0, ROLE_WEIGHT)
        + part(cue_length > 0.0, CUE_WEIGHT);
    let whole = if square > 0.0 { square.sqrt() } else { 1.0 };
    let factor = |weight: f64, length: f64| {
        if length > 0.0 {
            weight.sqrt() / length / whole
        } else {
            0.0
        }
    };
    let (by_type, by_role, by_cue) = (
        factor(TYPE_WEIGHT, type_length),
        factor(ROLE_WEIGHT, role_length),
        factor(CUE_WEIGHT, cue_length),
    );
    Feature {
        weight,
        scale: part(meaning.is_some(), 1.0) / whole,
        meaning,
        types: types.map(|value| value * by_type),
        roles: roles
            .into_iter()
            .map(|(number, value)| (number, value * by_role))
            .collect(),
        cues: cues
            .into_iter()
            .map(|(number, value)| (number, value * by_cue))
            .collect(),
    }
}

/// A group of features as one: the weighted sum of its members.
#[derive(Clone, Debug, Default)]
pub struct Mass {
    pub weight: f64,
    meaning: Vec<f64>,
    types: [f64; TYPES],
    roles: BTreeMap<u32, f64>,
    cues: BTreeMap<u32, f64>,
}

impl Mass {
    /// The mass of some features.
    pub fn of<'a>(features: impl Iterator<Item = &'a Feature>) -> Mass {
        let mut mass = Mass::default();
        for feature in features {
            mass.take(feature);
        }
        mass
    }

    fn take(&mut self, feature: &Feature) {
        self.weight += feature.weight;
        if let Some(meaning) = &feature.meaning {
            let components = meaning.components();
            if self.meaning.len() < components.len() {
                self.meaning.resize(components.len(), 0.0);
            }
            let factor = feature.weight * feature.scale / UNIT;
            for (sum, &component) in self.meaning.iter_mut().zip(components) {
                *sum += f64::from(component) * factor;
            }
        }
        for (sum, value) in self.types.iter_mut().zip(feature.types) {
            *sum += feature.weight * value;
        }
        for (sums, block) in [(&mut self.roles, &feature.roles), (&mut self.cues, &feature.cues)] {
            for &(number, value) in block {
                *sums.entry(number).or_default() += feature.weight * value;
            }
        }
    }

    /// Adds another mass.
    pub fn add(&mut self, other: &Mass) {
        self.weight += other.weight;
        if self.meaning.len() < other.meaning.len() {
            self.meaning.resize(other.meaning.len(), 0.0);
        }
        for (sum, value) in self.meaning.iter_mut().zip(&other.meaning) {
            *sum += value;
        }
        for (sum, value) in self.types.iter_mut().zip(other.types) {
            *sum += value;
        }
        for (sums, block) in [(&mut self.roles, &other.roles), (&mut self.cues, &other.cues)] {
            for (&number, value) in block {
                *sums.entry(number).or_default() += value;
            }
        }
    }

    /// The mean cosine over all pairs of members of two groups.
    pub fn similarity(&self, other: &Mass) -> f64 {
        let dense = self.meaning.iter().zip(&other.meaning).map(|(a, b)| a * b).sum::<f64>();
        let types = self.types.iter().zip(&other.types).map(|(a, b)| a * b).sum::<f64>();
        let sparse = |one: &BTreeMap<u32, f64>, two: &BTreeMap<u32, f64>| {
            one.iter()
                .filter_map(|(number, a)| Some(a * two.get(number)?))
                .sum::<f64>()
        };
        let whole = dense + types + sparse(&self.roles, &other.roles) + sparse(&self.cues, &other.cues);
        whole / (self.weight * other.weight).max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::Mass;
    use super::centring;
    use super::features;
    use crate::domain::pool::micro::FragmentId;
    use crate::domain::pool::placement::Embedded;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::domain::pool::reading::Reading;
    use crate::domain::pool::reading::ValueType;
    use crate::domain::pool::state::Pool;
    use crate::domain::pool::vector::Vector;
    use crate::domain::time::At;

    fn pool(fragments: &[(usize, Reading)]) -> Pool {
        let mut pool = Pool::default();
        for (axis, reading) in fragments {
            let mut values = vec![0.1_f32; 8];
            values[*axis] = 1.0;
            let vector = Vector::quantise(&values).expect("a vector");
            let embedded = Embedded {
                reading: reading.clone(),
                vector,
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
        let plain = Reading::of(&[], &[], &[]);
        let one = vec![(0, plain.clone()); 5];
        let many = (0..8).map(|axis| (axis, plain.clone())).collect::<Vec<_>>();
        assert!(centring(&pool(&one), 0.6) < 1e-9);
        assert!((centring(&pool(&many), 0.6) - 0.6).abs() < 1e-9);
        assert!((centring(&pool(&vec![(0, plain.clone()); 50]), 0.6) - 0.6).abs() < 1e-9);
        assert!(centring(&pool(&vec![(0, plain); 49]), 0.6) < 1e-9);
    }

    #[test]
    fn features_are_unit_vectors_and_masses_give_the_mean_of_all_pairs_z086() {
        let number = Reading::of(&[ValueType::Number], &["BAG"], &["u:bag"]);
        let name = Reading::of(&[ValueType::Name], &["BY:by"], &["p:by"]);
        let pool = pool(&[
            (0, number.clone()),
            (1, number),
            (2, name.clone()),
            (0, name.clone()),
            (2, name),
        ]);
        let micros = pool.micros.values().collect::<Vec<_>>();
        let features = features(&pool, &micros, 0.6);
        for feature in &features {
            assert!((feature.similarity(feature) - 1.0).abs() < 1e-3);
        }
        let (left, right) = (Mass::of(features[..2].iter()), Mass::of(features[2..].iter()));
        let (mut sum, mut pairs) = (0.0, 0.0);
        for a in &features[..2] {
            for b in &features[2..] {
                sum += a.weight * b.weight * a.similarity(b);
                pairs += a.weight * b.weight;
            }
        }
        assert!((left.similarity(&right) - sum / pairs).abs() < 1e-9);
    }
}
