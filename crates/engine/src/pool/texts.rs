//! Plain clustering of texts: no filter, no types, no roles; one cluster for each text.

use crate::pool::feature::Feature;
use crate::pool::feature::centred;
use crate::pool::linkage::link;
use crate::pool::nearest::nearest;
use text::vector::Cosine;
use text::vector::Vector;
use text::vector_sum::Sum;

/// Texts that are told apart are few thousand at most, and linked at once.
const LINKED_MAX: usize = 6_000;

/// The numbers of plain clustering: one threshold that fits corpora of different spread, thanks to the centring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextSettings {
    pub micro_cosine_min: f64,
    pub link_min: f64,
    pub centring: f64,
}

impl Default for TextSettings {
    fn default() -> Self {
        TextSettings {
            micro_cosine_min: 0.85,
            link_min: 0.40,
            centring: 0.5,
        }
    }
}

/// The cluster of each text, numbered from 0 in the order of their first text. All vectors come from one model.
pub fn cluster_texts(vectors: &[Vector], settings: TextSettings) -> Vec<usize> {
    let (micro_of, sums) = micros(vectors, settings.micro_cosine_min);
    let mut whole = Sum::default();
    for vector in vectors {
        whole.add(vector);
    }
    let mean = whole
        .components()
        .iter()
        .map(|&sum| sum as f64 / vectors.len().max(1) as f64)
        .collect::<Vec<_>>();
    let features = sums
        .iter()
        .map(|(sum, members)| {
            // The centroid's direction, not its mean: a small micro-cluster weighs as much as it has members, no less.
            let direction = sum.centroid().map(|centroid| Sum::of(&centroid));
            let meaning = direction.and_then(|unit| centred(unit.components(), 1.0, &mean, settings.centring));
            Feature::of(*members as f64, meaning)
        })
        .collect::<Vec<_>>();
    let places = (0..features.len()).collect::<Vec<_>>();
    let mut cluster_of = vec![0; features.len()];
    for (number, group) in link(&features, &places, settings.link_min, LINKED_MAX)
        .iter()
        .enumerate()
    {
        for &place in group {
            cluster_of[place] = number;
        }
    }
    micro_of.into_iter().map(|micro| cluster_of[micro]).collect()
}

/// Micro-clusters in the order of arrival: the number of each text's, and the sum and size of each.
fn micros(vectors: &[Vector], cosine_min: f64) -> (Vec<usize>, Vec<(Sum, u64)>) {
    let threshold = Cosine::of(cosine_min);
    let width = vectors.first().map_or(0, Vector::width);
    let mut rows = Vec::<i16>::new();
    let mut sums = Vec::<(Sum, u64)>::new();
    let mut micro_of = Vec::with_capacity(vectors.len());
    for vector in vectors {
        let found = nearest(rows.chunks_exact(width.max(1)), vector).filter(|(_, cosine)| cosine.reaches(threshold));
        let micro = match found {
            Some((index, _)) => {
                let (sum, members) = &mut sums[index];
                sum.add(vector);
                *members += 1;
                if let Some(centroid) = sum.centroid() {
                    rows[index * width..(index + 1) * width].copy_from_slice(centroid.components());
                }
                index
            }
            None => {
                sums.push((Sum::of(vector), 1));
                let mut row = vector.components().to_vec();
                row.resize(width, 0);
                rows.extend(row);
                sums.len() - 1
            }
        };
        micro_of.push(micro);
    }
    (micro_of, sums)
}

#[cfg(test)]
mod tests {
    use super::TextSettings;
    use super::cluster_texts;
    use text::vector::UNIT;
    use text::vector::Vector;

    #[test]
    fn each_text_is_in_exactly_one_cluster_numbered_by_first_appearance_z086() {
        let near = |axis: usize, tilt: f64| {
            let mut values = vec![0.0; 8];
            (values[axis], values[7]) = (UNIT, tilt * UNIT);
            Vector::quantise_wide(values).expect("a vector")
        };
        let vectors = [near(0, 0.0), near(1, 0.0), near(0, 0.2), near(2, 0.0), near(1, 0.1)];
        assert_eq!(cluster_texts(&vectors, TextSettings::default()), [0, 1, 0, 2, 1]);
        assert!(cluster_texts(&[], TextSettings::default()).is_empty());
    }
}
