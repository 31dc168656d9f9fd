//! Plain texts, clustered without a template, a time or a client.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::texts;
use crate::domain::pool::texts::TextSettings;
use crate::service::effects;
use crate::service::ports::Embedder;
use crate::service::replay::ReplayFault;
use crate::service::replay::WARM_BATCH;

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

/// Clusters plain texts: each line is one fragment, unfiltered, in exactly one cluster.
///
/// # Errors
/// The first line that is none, or a failing embedder.
pub async fn cluster(
    lines: &[&str],
    embedder: &dyn Embedder,
    progress: &dyn Fn(usize),
) -> Result<TextReport, ReplayFault> {
    let mut vectors = Vec::with_capacity(lines.len());
    for (number, batch) in lines.chunks(WARM_BATCH).enumerate() {
        let mut texts = Vec::with_capacity(batch.len());
        for (offset, text) in batch.iter().enumerate() {
            let line: TextLine = serde_json::from_str(text).map_err(|error| ReplayFault::Line {
                line: number * WARM_BATCH + offset + 1,
                what: error.to_string(),
            })?;
            texts.push(line.text);
        }
        let found = effects::embed_each(embedder, texts).await;
        for vector in found.ok_or_else(|| ReplayFault::Embedder("it is closed".to_owned()))? {
            vectors.push(vector.ok_or_else(|| ReplayFault::Embedder("it failed on a text".to_owned()))?);
        }
        progress(vectors.len());
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (line, cluster) in texts::cluster_texts(&vectors, TextSettings::default())
        .into_iter()
        .enumerate()
    {
        members.entry(cluster).or_default().push(line);
    }
    let clusters = members
        .into_iter()
        .map(|(id, members)| TextCluster { id, members })
        .collect();
    Ok(TextReport { clusters })
}
