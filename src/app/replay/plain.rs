//! Plain texts, clustered without a template, a time or a client: no filter, no types, and one cluster for each text.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::app::effects;
use crate::app::ports::Embedder;
use crate::app::replay::ReplayFault;
use crate::app::replay::WARM_BATCH;
use crate::app::replay::stream::BadLine;
use crate::app::replay::stream::told;
use engine::pool::linkage::Feature;
use engine::pool::linkage::centred;
use engine::pool::linkage::link;
use text::vector::Cosine;
use text::vector::Sum;
use text::vector::Vector;
use text::vector::nearest;

/// Cosine at or above which a text joins a group at once.
const GROUP_COSINE_MIN: f64 = 0.85;
/// Mean likeness at which linkage stops, and the share of the texts' mean that is taken away first: one threshold that fits corpora of
/// different spread, thanks to the centring.
const LINK_MIN: f64 = 0.40;
const CENTRING: f64 = 0.5;
/// Texts that are told apart are few thousand at most, and linked at once.
const LINKED_MAX: usize = 6_000;

/// The clusters of plain texts.
#[derive(Debug, PartialEq, Serialize)]
pub struct TextReport {
    pub clusters: Vec<TextCluster>,
}

/// One cluster of plain texts; `members` are 0-based line numbers.
#[derive(Debug, PartialEq, Serialize)]
pub struct TextCluster {
    pub id: usize,
    pub members: Vec<usize>,
}

/// One line of plain texts.
#[derive(Debug, Deserialize)]
struct TextLine {
    text: String,
}

/// Clusters plain texts: each line that is not blank is one fragment, unfiltered, in exactly one cluster.
///
/// # Errors
/// The first line that is none, or a failing embedder.
pub async fn cluster(
    lines: &[&str],
    embedder: &dyn Embedder,
    progress: &dyn Fn(usize),
) -> Result<TextReport, ReplayFault> {
    let mut vectors = Vec::with_capacity(lines.len());
    let lines: Vec<(usize, &str)> = told(lines).collect();
    for batch in lines.chunks(WARM_BATCH) {
        let mut texts = Vec::with_capacity(batch.len());
        for (number, text) in batch {
            let line: TextLine = serde_json::from_str(text).map_err(|error| BadLine::within(*number, text, &error))?;
            texts.push(line.text);
        }
        let found = effects::embed_each(embedder, texts).await;
        for vector in found.map_err(|fault| ReplayFault::Embedder(fault.to_string()))? {
            vectors.push(vector.ok_or_else(|| ReplayFault::Embedder("it failed on a text".to_owned()))?);
        }
        progress(vectors.len());
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let clusters = cluster_vectors(&vectors);
    for ((number, _), cluster) in lines.iter().zip(clusters) {
        members.entry(cluster).or_default().push(*number);
    }
    let clusters = members
        .into_iter()
        .map(|(id, members)| TextCluster { id, members })
        .collect();
    Ok(TextReport { clusters })
}

/// Texts whose vectors lie within the join threshold.
struct Group {
    sum: Sum,
    members: u64,
    centroid: Vector,
}

/// The cluster of each text, numbered from 0 in the order of their first text. All vectors come from one model.
fn cluster_vectors(vectors: &[Vector]) -> Vec<usize> {
    let (groups, group_of) = grouped(vectors);
    let mut whole = Sum::default();
    for vector in vectors {
        whole.add(vector);
    }
    let texts = vectors.len().max(1) as f64;
    let mean: Vec<f64> = whole.components().iter().map(|&sum| sum as f64 / texts).collect();
    let feature = |group: &Group| {
        // The centroid's direction, not its mean: a small group weighs as much as it has members, no less.
        let direction = group.sum.centroid().map(|centroid| Sum::of(&centroid));
        let meaning = direction.and_then(|unit| centred(unit.components(), 1.0, &mean, CENTRING));
        Feature::of(group.members as f64, meaning)
    };
    let features: Vec<Feature> = groups.iter().map(feature).collect();
    let places: Vec<usize> = (0..features.len()).collect();
    let mut cluster_of = vec![0; features.len()];
    for (group, number) in link(&features, &places, LINK_MIN, LINKED_MAX).iter().zip(0..) {
        group.iter().for_each(|place| cluster_of[*place] = number);
    }
    group_of.into_iter().map(|group| cluster_of[group]).collect()
}

/// Groups in the order of arrival, and the number of each text's.
fn grouped(vectors: &[Vector]) -> (Vec<Group>, Vec<usize>) {
    let threshold = Cosine::of(GROUP_COSINE_MIN);
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
    use super::cluster_vectors;
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
        assert_eq!(cluster_vectors(&vectors), [0, 1, 0, 2, 1]);
        assert!(cluster_vectors(&[]).is_empty());
    }
}
