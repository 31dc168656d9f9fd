//! Values that people look at, and what they say of the judges.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use engine::evolution::audit;
use engine::evolution::ledger::Basis;

/// A person's verdict.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictGiven {
    #[schema(value_type = Verdict)]
    pub verdict: audit::Verdict,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Verdict {
    Aligned,
    NotAligned,
    CannotTell,
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
    #[schema(value_type = Object)]
    pub key: Value,
    pub value: Value,
    pub utterance: Option<String>,
    pub other: Vec<String>,
    /// Whether what was said is erased.
    pub gone: bool,
    /// What the judge said, and by what.
    pub judged: Option<Judged>,
    pub answer: Option<AuditAnswer>,
}

/// What a judge said of a value.
#[derive(Debug, Serialize, ToSchema)]
pub struct Judged {
    pub aligned: bool,
    /// `lexical`, `proxy` or `llm`.
    #[schema(value_type = String)]
    pub basis: Basis,
}

/// What a person said of a value.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditAnswer {
    #[schema(value_type = Verdict)]
    pub verdict: audit::Verdict,
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
    #[schema(value_type = Object)]
    pub verdicts: Value,
    /// By basis.
    #[schema(value_type = Object)]
    pub judges: Value,
    /// Values that no judge spoke of.
    pub silent: Silent,
}

/// What people said of values that no judge spoke of.
#[derive(Debug, Serialize, ToSchema)]
pub struct Silent {
    pub aligned: u64,
    pub not_aligned: u64,
    pub cannot_tell: u64,
}
