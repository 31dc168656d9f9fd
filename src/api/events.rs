//! What who looks on is told as it happens.

use serde::Serialize;

use engine::scenario::activity::Counts;

/// What happened, by names and numbers alone.
#[derive(Debug, Default, Serialize)]
pub struct Happening {
    /// Left out where figures of very many scenarios moved at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_id: Option<String>,
    /// The scenario's revision by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
}
