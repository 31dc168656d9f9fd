//! Plain clustering of texts: no filter, no types, no roles; one cluster for each text.

use crate::pool::linkage::Feature;
use crate::pool::linkage::centred;
use crate::pool::linkage::link;
use text::vector::Cosine;
use text::vector::Sum;
use text::vector::Vector;
use text::vector::nearest;

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

/// Texts whose vectors lie within the join threshold.
struct Group {
    sum: Sum,
    members: u64,
    centroid: Vector,
}

/// The cluster of each text, numbered from 0 in the order of their first text. All vectors come from one model.
pub fn cluster_texts(vectors: &[Vector], settings: TextSettings) -> Vec<usize> {
    let (groups, group_of) = grouped(vectors, settings.micro_cosine_min);
    let mut whole = Sum::default();
    for vector in vectors {
        whole.add(vector);
    }
    let texts = vectors.len().max(1) as f64;
    let mean: Vec<f64> = whole.components().iter().map(|&sum| sum as f64 / texts).collect();
    let feature = |group: &Group| {
        // The centroid's direction, not its mean: a small group weighs as much as it has members, no less.
        let direction = group.sum.centroid().map(|centroid| Sum::of(&centroid));
        let meaning = direction.and_then(|unit| centred(unit.components(), 1.0, &mean, settings.centring));
        Feature::of(group.members as f64, meaning)
    };
    let features: Vec<Feature> = groups.iter().map(feature).collect();
    let places: Vec<usize> = (0..features.len()).collect();
    let mut cluster_of = vec![0; features.len()];
    for (group, number) in link(&features, &places, settings.link_min, LINKED_MAX).iter().zip(0..) {
        group.iter().for_each(|place| cluster_of[*place] = number);
    }
    group_of.into_iter().map(|group| cluster_of[group]).collect()
}

/// Groups in the order of arrival, and the number of each text's.
fn grouped(vectors: &[Vector], cosine_min: f64) -> (Vec<Group>, Vec<usize>) {
    let threshold = Cosine::of(cosine_min);
    let mut groups = Vec::<Group>::new();
    let mut group_of = Vec::with_capacity(vectors.len());
    for vector in vectors {
        let found = nearest(groups.iter().map(|group| group.centroid.components()), vector);
        let found = found
            .filter(|(_, cosine)| cosine.reaches(threshold))
            .map(|(number, _)| number);
        group_of.push(found.unwrap_or(groups.len()));
        match found.map(|number| &mut groups[number]) {
            Some(group) => {
                group.sum.add(vector);
                group.members += 1;
                group.centroid = group.sum.centroid().unwrap_or_else(|| group.centroid.clone());
            }
            None => groups.push(Group {
                sum: Sum::of(vector),
                members: 1,
                centroid: vector.clone(),
            }),
        }
    }
    (groups, group_of)
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
