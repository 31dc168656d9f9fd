//! Values that people look at, and what they say of the judges.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use engine::evolution::audit::Verdict;
use engine::evolution::ledger::Basis;
use schema::key::KeyType;

/// A person's verdict.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictGiven {
    pub verdict: Verdict,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// One page of the queue.
#[derive(Debug, Serialize, ToSchema)]
pub struct Audits {
    pub waiting: u64,
    pub audits: Vec<Audit>,
    pub next: Option<String>,
}

/// A value, and the words that it came of. What is personal is redacted.
#[derive(Debug, Serialize, ToSchema)]
pub struct Audit {
    pub id: String,
    pub scenario: String,
    pub patch_id: String,
    pub stage: String,
    pub submission_id: String,
    #[schema(format = DateTime)]
    pub said_at: String,
    pub key: AuditedKey,
    pub value: Value,
    pub utterance: Option<String>,
    pub other: Vec<String>,
    /// Whether what was said is erased.
    pub gone: bool,
    /// What the judge said, and by what.
    pub judged: Option<Judged>,
    pub answer: Option<AuditAnswer>,
}

/// The key of a value; nothing but its name where its definition is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditedKey {
    pub key_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = KeyType)]
    pub key_type: Option<KeyType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub semantic_description: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub constraints: Map<String, Value>,
}

/// What a judge said of a value.
#[derive(Debug, Serialize, ToSchema)]
pub struct Judged {
    pub aligned: bool,
    pub basis: Basis,
}

/// What a person said of a value.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditAnswer {
    pub verdict: Verdict,
    pub by: String,
    #[schema(format = DateTime)]
    pub at: String,
    pub reason: Option<String>,
}

/// What audits say of the judges.
#[derive(Debug, Serialize, ToSchema)]
pub struct Summary {
    pub scenarios: Vec<JudgesOf>,
}

/// The judges of one scenario.
#[derive(Debug, Serialize, ToSchema)]
pub struct JudgesOf {
    pub scenario: String,
    pub waiting: u64,
    pub fallen_out: u64,
    pub verdicts: BTreeMap<Verdict, u64>,
    /// By what they judge.
    pub judges: BTreeMap<Basis, Judge>,
    /// Values that no judge spoke of.
    pub silent: Silent,
}

/// How far people agree with a judge; each rate with its interval and the number of values that it is of. Of nothing it is null.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct Judge {
    pub audited: u64,
    pub cannot_tell: u64,
    pub agreement: Option<f64>,
    pub agreement_interval: Option<[f64; 2]>,
    pub agreement_of: u64,
    pub sensitivity: Option<f64>,
    pub sensitivity_interval: Option<[f64; 2]>,
    pub sensitivity_of: u64,
    pub specificity: Option<f64>,
    pub specificity_interval: Option<[f64; 2]>,
    pub specificity_of: u64,
}

/// What people said of values that no judge spoke of.
#[derive(Debug, Serialize, ToSchema)]
pub struct Silent {
    pub aligned: u64,
    pub not_aligned: u64,
    pub cannot_tell: u64,
}
