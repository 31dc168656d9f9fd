//! What a reader is given: the keys in force, the engine's clusters, and what was said, each with a short id.
//!
//! What is personal or secret in a text is masked, and no client is named. Bounded by bytes: beyond that each cluster is shown by some of its
//! fragments, the newest clusters first.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;
use utoipa::ToSchema;

use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::state::Cluster;
use crate::pool::state::Pool;
use text::redaction;
use text::secrets::prose;

/// Bytes of the fragments that a reader is given, some 20,000 tokens: what a small model still reads as a whole.
pub const FRAGMENT_BYTES_MAX: usize = 60_000;
/// Fragments at most; a shorter one than 20 bytes with its id is rare.
pub const FRAGMENTS_MAX: usize = 3_000;
/// Fragments that stand for a cluster that was read before, so that what is new can be held against them.
const READ_SHOWN: usize = 4;

/// What there is to read.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Material {
    pub scenario: String,
    /// Two letters, or empty where it is not known.
    pub language: String,
    /// The keys in force.
    pub keys: Vec<Value>,
    /// Words that enough clients said to be shown to others.
    pub shared_words: Vec<String>,
    /// The engine's clusters of more than one fragment, and what each was read as before.
    pub clusters: Vec<Shown>,
    pub fragments: Vec<Fragment>,
    /// Fragments in the pool; more than are shown where there are too many, or where nothing of one may be shown.
    pub fragments_in_all: u64,
}

/// A cluster as a reader sees it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ClusterRead)]
pub struct Shown {
    #[schema(value_type = u64)]
    pub id: ClusterId,
    pub fragments: u64,
    /// What it was read as before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub read_as: Option<String>,
    /// Whether that name was refused because it holds a word that too few clients said.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_refused: bool,
}

/// A fragment as a reader sees it: what is personal is masked, and who said it is not told.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = FragmentRead)]
pub struct Fragment {
    pub id: String,
    #[schema(value_type = u64)]
    pub cluster: ClusterId,
    pub text: String,
}

impl Material {
    /// As it is sent.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// SHA-256 of its text.
    pub fn digest(&self) -> String {
        let digest = Sha256::digest(self.text().as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The short id of a fragment: its submission and its place in that.
pub fn short(id: FragmentId) -> String {
    format!("{}.{}", id.submission, id.ordinal)
}

/// The fragment of a short id.
pub fn long(id: &str) -> Option<FragmentId> {
    let (submission, ordinal) = id.split_once('.')?;
    Some(FragmentId {
        submission: submission.parse().ok()?,
        ordinal: ordinal.parse().ok()?,
    })
}

/// Fragments to show, the best first: one of each micro-cluster, then another of each.
pub fn wanted(pool: &Pool) -> Vec<(FragmentId, ClusterId)> {
    let mut rounds: Vec<(usize, bool, ClusterId, FragmentId)> = Vec::new();
    for cluster in pool.clusters.values() {
        let is_read = cluster.heading.is_some();
        let mut shown = 0;
        for micro in pool.micros_of(cluster.id) {
            for (round, fragment) in micro.examples.iter().rev().enumerate() {
                if is_read && micro.is_read {
                    shown += 1;
                    if shown > READ_SHOWN {
                        break;
                    }
                }
                rounds.push((round, is_read, cluster.id, *fragment));
            }
        }
    }
    rounds.sort_unstable();
    let wanted = rounds.into_iter().map(|(_, _, cluster, fragment)| (fragment, cluster));
    wanted.take(FRAGMENTS_MAX).collect()
}

/// Every fragment that the pool knows by its id, with its cluster, and every one that a reader put into a wish: whatever a word may have
/// been taken from.
pub fn known(pool: &Pool) -> BTreeMap<FragmentId, ClusterId> {
    known_in(pool, pool.clusters.values())
}

/// The same of some clusters alone.
pub fn known_in<'p>(pool: &Pool, clusters: impl Iterator<Item = &'p Cluster>) -> BTreeMap<FragmentId, ClusterId> {
    let mut known = BTreeMap::new();
    for cluster in clusters {
        let read = cluster.wish().into_iter().flat_map(|wish| &wish.ids);
        let kept = pool.micros_of(cluster.id).flat_map(|micro| &micro.examples);
        known.extend(read.chain(kept).map(|fragment| (*fragment, cluster.id)));
    }
    known
}

/// A text as a reader may see it; `None` where a secret is told in it.
pub fn masked(text: &str) -> Option<String> {
    (!prose::may_tell(text)).then(|| redaction::redacted(text))
}
