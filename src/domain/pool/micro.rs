//! Micro-clusters: fragments alike in types and roles whose vectors lie within the join threshold.

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::heat::Heat;
use crate::domain::pool::reading::Reading;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;

/// Numbered in the order of opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroId(pub u64);

/// A fragment: the submission's journal sequence and the fragment's place in it. Its text lies sealed in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FragmentId {
    pub submission: u64,
    pub ordinal: u32,
}

/// One fragment's arrival, kept for the gate's window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    pub at: At,
    pub fragment: FragmentId,
    /// `None` for an anonymous client: heat, never a client (Z-104).
    pub client: Option<ClientId>,
}

/// Internal to the pool; what is shown of it is in [`crate::domain::pool::state`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Micro {
    pub id: MicroId,
    pub reading: Reading,
    /// Fragments that joined, ever.
    pub members: u64,
    pub heat: Heat,
    pub capped_heat: Heat,
    /// Within the gate's window, oldest first.
    pub arrivals: Vec<Arrival>,
    /// Some of the members, for induction; at most 64, spread over time.
    pub examples: Vec<FragmentId>,
}
