//! The pool: what is said and no key holds, what it came to, and what a reader is given of it and says.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use strum::EnumString;
use strum::VariantNames;
use utoipa::ToSchema;

use crate::api::scenarios::Frozen;
use engine::evolution::evidence::HeatOfDay;
use engine::evolution::review::Refused;
use engine::evolution::review::answer::Kept;
use engine::evolution::review::answer::Told;
use engine::evolution::review::material::Material;
use engine::evolution::stage::Waiting;
use engine::pool::gate::Audience;
use engine::pool::gate::Needed;
use engine::scenario::event::Settlement;
use engine::scenario::state::Dismissal;
use schema::act::By;

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
    /// A page of them, in the order that is asked for.
    pub clusters: Vec<Cluster>,
    /// Clusters that are meant, on all pages.
    pub total: u64,
    /// There where the list goes on: the `after` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub next: Option<String>,
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
#[derive(Clone, Debug, Serialize, ToSchema)]
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
    pub state: ClusterState,
    /// Fragments that came in the newer half of the gate's window less those of its older half.
    pub growth: i64,
    /// Where a person found it to be no wish, while that holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Dismissed)]
    pub dismissed: Option<Dismissed>,
    /// With `words`, and of one cluster always: what enough clients said, what most said first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrases: Option<Vec<Phrase>>,
}

/// How a cluster stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, VariantNames, ToSchema)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ClusterState {
    /// Its gate is closed.
    Cold,
    /// Its gate is open, or a key is being made of it.
    Open,
    /// It came to a key, whatever became of that.
    Proposed,
    /// It came to no key, and is not tried again yet.
    Settled,
    /// A reader says that it asks for nothing, or that a key holds it.
    Read,
    /// A person found it to be no wish.
    Dismissed,
}

/// That a person found a cluster to be no wish.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ClusterDismissal)]
pub struct Dismissed {
    #[schema(format = DateTime)]
    pub since: String,
    /// Until when nothing is proposed of it.
    #[schema(format = DateTime)]
    pub until: String,
    pub by: By,
    pub reason: Option<String>,
}

impl From<&Dismissal> for Dismissed {
    fn from(dismissal: &Dismissal) -> Dismissed {
        Dismissed {
            since: dismissal.since.rfc3339(),
            until: dismissal.until.rfc3339(),
            by: dismissal.by.clone(),
            reason: dismissal.reason.clone(),
        }
    }
}

/// That a cluster is no wish. The body may be left out.
#[derive(Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Dismissing {
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
    /// Days for which nothing is proposed of it.
    #[schema(required = false, minimum = 1, maximum = 365, default = 30)]
    pub days: i64,
}

impl Default for Dismissing {
    fn default() -> Dismissing {
        Dismissing {
            reason: None,
            // Longer than a gate's window remembers, and short enough to look again.
            days: 30,
        }
    }
}

/// One cluster, with what it takes to become a key, and what lies near it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ClusterDetail {
    #[serde(flatten)]
    pub cluster: Cluster,
    /// The highest heat of each day on which it got warmer, oldest first; 120 at most.
    pub heat_curve: Vec<HeatOfDay>,
    /// What it needs to become a key for all. Its gate is open with `heat` and either `clients`, or `occurrences`,
    /// `occurrence_clients` and `client_share` together; a key is made of it with `fragments`.
    pub gates: Vec<Needed>,
    /// The five clusters whose meaning is nearest, the nearest first.
    pub near: Vec<Neighbour>,
}

/// A cluster near another one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ClusterNear)]
pub struct Neighbour {
    pub cluster: u64,
    /// Of the mean directions of both, 1 where they are the same.
    #[schema(minimum = -1, maximum = 1)]
    pub cosine: f64,
}

/// What came of a gate that was passed.
#[derive(Clone, Debug, Serialize, ToSchema)]
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
    #[schema(value_type = Settlement)]
    pub settlement: Option<Settlement>,
}

/// A client's own wishes.
#[derive(Debug, Serialize, ToSchema)]
pub struct Wishes {
    /// Newest first.
    pub wishes: Vec<OwnWish>,
    /// The moment of the oldest record that was looked at.
    #[schema(format = DateTime)]
    pub looked_back_to: String,
}

/// One thing that a client said in `other`.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnWish {
    pub submission_id: String,
    #[schema(format = DateTime)]
    pub at: String,
    /// As it was said; null once retention has erased it.
    pub text: Option<String>,
    pub state: WishState,
    /// The key that holds it: use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What became of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WishState {
    /// It is on record and not looked at yet.
    Captured,
    /// A key in force holds it.
    Held,
    /// A key on trial holds it.
    OnTrial,
    /// It waits for others who want the same, for a person, or for a reader.
    Waits,
    /// As far as its meaning tells, it asks for nothing.
    AsksForNothing,
    /// It is too long, tells a secret, could not be read, or was dropped to stay within the bounds.
    NotRead,
}

/// What a reader is given.
#[derive(Debug, Serialize, ToSchema)]
pub struct PoolReview {
    /// SHA-256 of the material.
    pub digest: String,
    /// What to do with it, in words.
    pub instructions: String,
    pub material: Material,
    /// JSON Schema of the answer.
    pub answer_schema: Value,
}

/// A reader's answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReaderAnswer {
    #[serde(default)]
    pub wishes: Vec<Told>,
    #[serde(default)]
    pub held: Vec<Kept>,
    /// Ids of what asks for nothing.
    #[serde(default)]
    pub nothing: Vec<String>,
    /// Who or what read it; the caller where nothing is said.
    #[schema(max_length = 80)]
    pub by: Option<String>,
    /// The digest of the material that was read.
    pub digest: Option<String>,
    /// Tokens that it took.
    pub tokens: Option<u64>,
}

/// What an answer came to.
#[derive(Debug, Serialize, ToSchema)]
pub struct Taken {
    /// Wishes that the pool holds now by a reader's word.
    pub wishes: u64,
    pub refused: Vec<Refused>,
}
