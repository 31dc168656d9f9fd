//! Where one fragment goes: decided once by [`crate::domain::pool::state::Pool::place`], recorded, then applied.

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::heat::Heat;
use crate::domain::pool::micro::FragmentId;
use crate::domain::pool::micro::MicroId;
use crate::domain::pool::reading::NoDemand;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::vector::Vector;
use crate::domain::template::name::KeyName;

/// A fragment that was read and embedded, not yet placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    pub reading: Reading,
    pub vector: Vector,
    /// Keys in force for the submitting client that this fragment says the value of already (DESIGN §5.5), best first.
    pub covered_by: Option<KeyName>,
}

/// What became of one fragment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
pub enum Placement {
    /// Carries no demand.
    Dropped { fragment: FragmentId, reason: NoDemand },
    /// Says what a key already holds; credited to it.
    Covered { fragment: FragmentId, key: KeyName },
    /// Joined a micro-cluster, or opened one.
    Joined {
        fragment: FragmentId,
        micro: MicroId,
        cluster: ClusterId,
        /// Whether the micro-cluster (and with it a cluster of its own) was opened by this fragment.
        opened: bool,
        reading: Reading,
        vector: Vector,
        /// The micro-cluster's heats after joining: all of it, and the one that one client cannot drive alone.
        heat: Heat,
        capped_heat: Heat,
    },
    /// Could not be embedded (the model failed on it); kept out, counted.
    Failed { fragment: FragmentId },
}
