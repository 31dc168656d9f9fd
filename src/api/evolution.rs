//! What was learned, why, and what waits for a person.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::schemas::Finding;
use crate::api::service::By;
use crate::api::templates::Audience;
use crate::api::templates::EffectiveKey;
use crate::api::templates::KeyType;
use crate::api::templates::ModifiedKey;
use crate::api::templates::Patch;
use crate::api::templates::Stage;
use crate::api::templates::Waiting;
use engine::evolution::operator_action::Scope;
use engine::pool::hold::Hold;
use schema::advice;

/// How keys are used. Ratios of nothing are null.
#[derive(ToSchema)]
pub struct Ledger {
    pub window_days: u64,
    /// Submissions, accepted and refused, each once.
    pub payloads: u64,
    pub clients: u64,
    pub other_ratio: Option<f64>,
    /// By key.
    pub keys: BTreeMap<String, KeyLedger>,
}

/// How one key is used.
#[derive(ToSchema)]
pub struct KeyLedger {
    #[schema(required = false)]
    pub patch_id: String,
    #[schema(required = false)]
    pub stage: Stage,
    #[schema(required = false)]
    pub payloads: u64,
    pub payloads_with_key: u64,
    pub usage_frequency: Option<f64>,
    #[schema(required = false)]
    pub usage_frequency_interval: Option<Vec<f64>>,
    pub usage_among_recipients: Option<f64>,
    #[schema(required = false)]
    pub usage_among_recipients_interval: Option<Vec<f64>>,
    #[schema(required = false)]
    pub payloads_of_recipients: u64,
    pub aligned: u64,
    pub judged: u64,
    /// Judgements by what decided them.
    pub basis: BTreeMap<String, u64>,
    #[schema(required = false)]
    pub basis_share: BTreeMap<String, Option<f64>>,
    pub semantic_alignment_accuracy: Option<f64>,
    #[schema(required = false)]
    pub semantic_alignment_accuracy_interval: Option<Vec<f64>>,
    pub type_ok: u64,
    pub value_type_correctness: Option<f64>,
    #[schema(required = false)]
    pub value_type_correctness_interval: Option<Vec<f64>>,
    pub received: u64,
    pub used: u64,
    pub client_adoption_rate: Option<f64>,
    #[schema(required = false)]
    pub client_adoption_rate_interval: Option<Vec<f64>>,
    pub client_mean: ClientMean,
    /// What a person is waited for to decide; null where nobody is.
    #[schema(required = false)]
    pub waits_for: Option<Waiting>,
}

/// The mean over clients of each one's own ratio, the anonymous ones as one client. Of nothing it is null.
#[derive(ToSchema)]
pub struct ClientMean {
    pub clients: u64,
    pub usage_frequency: Option<f64>,
    pub usage_among_recipients: Option<f64>,
    pub semantic_alignment_accuracy: Option<f64>,
    pub value_type_correctness: Option<f64>,
    /// Without the client whose own is the lowest.
    pub semantic_alignment_but_lowest: Option<f64>,
    pub value_type_but_lowest: Option<f64>,
}

/// What a patch rests on.
#[derive(ToSchema)]
pub struct Evidence {
    pub patch_id: String,
    pub key_name: String,
    pub stage: Stage,
    pub audience: Audience,
    pub sensitive: Option<String>,
    /// What else a person has to look at first: `base_key`, `instruction`, `language`, `demand`, `examples`, `name`, `values`,
    /// `polarity`, `unscreened`.
    pub holds: Vec<String>,
    /// What was said, redacted.
    pub examples: Vec<String>,
    pub surfaces: Vec<String>,
    pub expected_coverage: f64,
    pub heat_curve: Vec<HeatOfDay>,
    pub gate: Gate,
    pub ledger: KeyLedger,
    pub times: u64,
    /// The base in force, where that says the same by itself: what is submitted under it is not counted for the patch.
    pub taken_over_by: Option<String>,
    /// What a person is waited for to decide.
    pub waits_for: Option<Waiting>,
    pub stood_still_s: i64,
    #[schema(format = DateTime)]
    pub cool_until: Option<String>,
    pub approved_by: Option<String>,
    /// What became of the definition since it was proposed, oldest first.
    pub edits: Vec<Edited>,
    pub history: Vec<StageChange>,
    /// Why, in sentences.
    pub explanation: Vec<String>,
    /// Why, as data.
    pub grounds: Value,
    /// The candidate tried on the past.
    pub backtest: Value,
    /// What was foretold beside what became of it.
    pub outcome: Value,
}

/// One change of a patch's definition.
#[derive(ToSchema)]
pub struct Edited {
    #[schema(format = DateTime)]
    pub at: String,
    /// Who edited it; null where it was made anew of what was said.
    pub by: Option<By>,
    pub because: Option<String>,
    #[schema(value_type = Object)]
    pub was: Value,
    #[schema(value_type = Object)]
    pub became: Value,
}

/// What is approved, and why. The body may be left out.
#[derive(Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Approving {
    #[schema(required = false, value_type = KeyEdit)]
    pub edit: Option<Value>,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// What of a key is replaced before its trial; of a better description of a key that exists, `semantic_description` alone.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct KeyEdit {
    #[schema(required = false)]
    pub key_name: String,
    #[schema(required = false)]
    pub title: Option<String>,
    #[schema(required = false)]
    pub semantic_description: String,
    #[schema(required = false)]
    pub key_type: KeyType,
    /// Null takes all of them away.
    #[schema(required = false, value_type = Option<Object>)]
    pub constraints: Value,
}

/// Why something is refused. The body may be left out.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rejecting {
    /// `demand`: it is no wish, and its cluster rests until the cool-down is over. `key`: this key is wrong for it, and what was
    /// said is read anew once twice as many ask.
    #[serde(default)]
    #[schema(required = false, value_type = String, default = "demand", pattern = "^(demand|key)$")]
    pub scope: Scope,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// A patch that was approved, or what an edit of it came to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Approved {
    AsProposed(Box<Patch>),
    AsEdited(Box<EditTried>),
}

/// What an edit came to, or would.
#[derive(Debug, Serialize, ToSchema)]
pub struct EditTried {
    /// As it stands; of a dry run, with the definition that it would get.
    pub patch: Patch,
    /// What a publisher would be told of the key.
    #[schema(value_type = Vec<Finding>)]
    pub lint: Vec<advice::Finding>,
    /// Null where history is not asked.
    pub fits: Option<Fits>,
    /// The key tried on the past.
    pub backtest: Value,
}

/// How the key would have fitted what was said.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fits {
    /// Submissions of the history that asked for it.
    pub wishes: u64,
    /// Those of them out of which a value of it was read.
    pub right: u64,
    /// Examples out of which none is read.
    pub wrong: Vec<Misfitting>,
}

/// An example that does not fit.
#[derive(Debug, Serialize, ToSchema)]
pub struct Misfitting {
    pub text: String,
}

/// Heat at the end of a day.
#[derive(ToSchema)]
pub struct HeatOfDay {
    #[schema(format = Date)]
    pub day: String,
    pub heat: f64,
}

/// The demand when it was proposed.
#[derive(ToSchema)]
pub struct Gate {
    pub heat: f64,
    pub capped_heat: f64,
    pub clients: u64,
    pub occurrences: u64,
    pub top_occurrences: u64,
    pub top_heat: f64,
}

/// A change of stage.
#[derive(ToSchema)]
pub struct StageChange {
    #[schema(format = DateTime)]
    pub at: String,
    pub to: Stage,
    pub reason: String,
    pub by: Option<By>,
    pub hand: Option<String>,
    /// What a rejection is about: `demand` or `key`.
    pub scope: Option<String>,
    pub because: Option<String>,
    pub ledger: Option<KeyLedger>,
}

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
