//! What a replay reports (DESIGN §9): proposals, clusters, decisions, where the time went. Shapes alone; who fills them is
//! in [`replay`](crate::service::replay).

use serde::Serialize;
use serde_json::Value;

use crate::domain::pool::gate::Audience;
use crate::domain::template::name::KeyName;

/// A proposal in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedKey {
    pub key_name: KeyName,
    pub key_type: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_value: Option<Value>,
    pub semantic_description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modifies: Option<KeyName>,
    pub stage: &'static str,
    pub audience: Audience,
    pub induced_at: String,
    pub members: Vec<usize>,
}

/// A cluster in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedCluster {
    pub id: u64,
    pub members: Vec<usize>,
    pub heat_max: f64,
}

/// A decision in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedDecision {
    /// 0-based line of the stream after which it was made; nothing before the first.
    pub line: Option<usize>,
    pub at: String,
    pub says: String,
    /// Why, or how it compares with what was foretold, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
}

/// Where the time went.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Seconds {
    pub embed: f64,
    pub engine: f64,
    pub total: f64,
}

/// The report of DESIGN §9.
#[derive(Debug, PartialEq, Serialize)]
pub struct Report {
    pub scenario: String,
    pub lines: usize,
    /// Lines whose payload fits.
    pub accepted: usize,
    /// Lines whose payload does not; what they say in `other` counts all the same.
    pub refused: usize,
    pub keys: Vec<ReportedKey>,
    pub clusters: Vec<ReportedCluster>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<ReportedDecision>,
    pub seconds: Seconds,
}
