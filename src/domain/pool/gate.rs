//! The dual gate (Z-093 … Z-100): heat and sources within the window, for all or for one client.

use serde::Deserialize;
use serde::Serialize;

use crate::domain::template::name::ClientId;

/// For whom a key is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum Audience {
    Global,
    Client(ClientId),
}

/// What the gate read when it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateReading {
    /// Heat in micro-units: all, and capped per client.
    pub heat_micro: i64,
    pub capped_heat_micro: i64,
    /// Within the window: distinct authenticated clients, occurrences (one per submission).
    pub clients: u64,
    pub occurrences: u64,
    /// The client with most occurrences (lowest name on a tie), and how many; its own heat.
    pub top_client: Option<ClientId>,
    pub top_occurrences: u64,
    pub top_heat_micro: i64,
}
