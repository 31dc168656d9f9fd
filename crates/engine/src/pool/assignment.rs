//! What becomes of one fragment: decided once, recorded, then applied to the pool.

use serde::Deserialize;
use serde::Serialize;

use crate::pool::analysis::Analysis;
use crate::pool::analysis::NoDemand;
use crate::pool::heat::Heat;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::micro::MicroId;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::time::At;
use text::vector::Vector;

/// A fragment that was analysed and embedded, not yet assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    pub reading: Analysis,
    pub vector: Vector,
    /// Keys in force for the submitting client that this fragment says the value of already (docs/design.md §5.5), best first.
    pub covered_by: Option<KeyName>,
}

/// What one submission brings.
#[derive(Clone, Debug, PartialEq)]
pub struct Arriving {
    pub fragments: Vec<(FragmentId, Embedded)>,
    /// `None` for an anonymous client.
    pub client: Option<ClientId>,
    pub at: At,
    /// Whether a capability was asked for as such, which weighs more than what is said in passing (Z-022).
    pub requested: bool,
}

/// What became of one fragment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
pub enum Assignment {
    /// Carries no demand.
    Dropped { fragment: FragmentId, reason: NoDemand },
    /// Says what a key already holds; credited to it. Beside a join of the same fragment: says it besides.
    Covered { fragment: FragmentId, key: KeyName },
    /// Joined a micro-cluster, or opened one.
    Joined {
        fragment: FragmentId,
        micro: MicroId,
        cluster: ClusterId,
        /// Whether the micro-cluster (and with it a cluster of its own) was opened by this fragment.
        opened: bool,
        /// Whether it was an extension request that said it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        requested: bool,
        reading: Analysis,
        vector: Vector,
        /// The micro-cluster's heats after joining: all of it, and the one that one client cannot drive alone.
        heat: Heat,
        capped_heat: Heat,
        /// The whole cluster's heat after joining, in micro-units.
        cluster_heat_micro: i64,
    },
    /// Could not be embedded (the model failed on it); kept out, counted.
    Failed { fragment: FragmentId },
}
