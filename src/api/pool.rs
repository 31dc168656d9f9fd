//! The pool: what is said and no key holds.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::scenarios::Frozen;
use crate::api::templates::Audience;
use crate::api::templates::Waiting;
use crate::api::wishes::Refused;

/// The pool: what is said and no key holds.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pool {
    /// The model that made the vectors.
    pub model: String,
    /// Fragments so far that carried demand.
    pub demand: u64,
    /// Fragments that the model has not read yet.
    pub pending: u64,
    pub frozen: Option<Frozen>,
    /// The last record whose personal parts were erased.
    pub erased_through: u64,
    /// What most of it speaks, as two letters.
    pub language: Option<String>,
    /// When a reader was asked last.
    pub review: Option<Asked>,
    /// Hottest first.
    pub clusters: Vec<Cluster>,
    /// Only while another model's vectors are being made in the place of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reembedding: Option<Reembedding>,
    /// Fragments of which nothing could be read when the model changed: they count, and meet no others. Only where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mute_fragments: Option<u64>,
}

/// What came of asking a reader.
#[derive(Debug, Serialize, ToSchema)]
pub struct Asked {
    /// Fragments in the pool by then.
    pub fragments: u64,
    /// Why it gave no answer.
    pub failed: Option<String>,
    /// Parts of its answer of which nothing came.
    pub refused: Vec<Refused>,
}

/// A phrase that enough clients said.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Phrase {
    pub text: String,
    pub clients: u64,
}

/// How far the pool is with the vectors of another model.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reembedding {
    /// The model that the pool is to have.
    pub model: String,
    pub micro_clusters: u64,
    /// Those that have no new vector yet.
    pub waiting: u64,
}

/// Fragments that want the same.
#[derive(Debug, Serialize, ToSchema)]
pub struct Cluster {
    pub id: u64,
    pub members: u64,
    pub micro_clusters: u64,
    pub heat: f64,
    pub capped_heat: f64,
    /// Distinct clients within the gate's window.
    pub clients: u64,
    pub occurrences: u64,
    #[schema(format = DateTime)]
    pub opened_at: String,
    pub triggers: Vec<Trigger>,
    /// Why it has come to no key yet; null where one is on its way or there.
    pub waits_for: Option<Waiting>,
    /// With `words`: what enough clients said, what most said first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrases: Option<Vec<Phrase>>,
}

/// What came of a gate that was passed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trigger {
    pub audience: Audience,
    /// `inducing`, `patched` or `settled`.
    pub outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    pub at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub patch_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Value)]
    pub settlement: Option<Value>,
}
