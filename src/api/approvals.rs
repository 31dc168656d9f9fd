//! What waits for a person.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::templates::Audience;
use crate::api::templates::EffectiveKey;
use crate::api::templates::ModifiedKey;
use crate::api::templates::Waiting;
use engine::pool::hold::Hold;

/// What waits for a person, longest waiting first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Approvals {
    /// How many wait, on this page or not.
    pub waiting: u64,
    pub approvals: Vec<Approval>,
    /// `after` of the next page.
    pub next: Option<String>,
}

/// A patch that waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct Approval {
    pub patch_id: String,
    pub scenario: String,
    pub why: String,
    /// What a trial that its figures leave undecided waits for; null where a proposal waits to be let pass.
    pub waits_for: Option<Waiting>,
    pub sensitive: Option<String>,
    /// What else a person has to look at: `base_key`, `instruction`, `language`, `demand`, `examples`, `name`, `values`, `polarity`,
    /// `unscreened`.
    #[schema(value_type = Vec<String>)]
    pub holds: Vec<Hold>,
    #[schema(format = DateTime)]
    pub since: String,
    pub waits_s: i64,
    pub audience: Audience,
    #[schema(value_type = Vec<EffectiveKey>)]
    pub new_keys: Value,
    #[schema(value_type = Vec<ModifiedKey>)]
    pub modified_keys: Value,
    pub evidence: ApprovalEvidence,
}

/// What an approval rests on.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApprovalEvidence {
    pub examples: Vec<String>,
    pub expected_coverage: f64,
    pub occurrences: u64,
    pub clients: u64,
    pub explanation: Vec<String>,
    pub backtest: Value,
}
