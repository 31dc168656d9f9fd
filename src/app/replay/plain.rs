//! Plain texts, clustered without a template, a time or a client.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::app::effects;
use crate::app::ports::Embedder;
use crate::app::replay::ReplayFault;
use crate::app::replay::WARM_BATCH;
use crate::app::replay::line::BadLine;
use crate::app::replay::line::told;
use engine::pool::texts;
use engine::pool::texts::TextSettings;

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
        for vector in found.ok_or_else(|| ReplayFault::Embedder("it is closed".to_owned()))? {
            vectors.push(vector.ok_or_else(|| ReplayFault::Embedder("it failed on a text".to_owned()))?);
        }
        progress(vectors.len());
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let clusters = texts::cluster_texts(&vectors, TextSettings::default());
    for ((number, _), cluster) in lines.iter().zip(clusters) {
        members.entry(cluster).or_default().push(*number);
    }
    let clusters = members
        .into_iter()
        .map(|(id, members)| TextCluster { id, members })
        .collect();
    Ok(TextReport { clusters })
}
