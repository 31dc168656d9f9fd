//! Values that people look at, and what they say of the judges.

use serde_json::Value;
use utoipa::ToSchema;

/// A person's verdict.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerdictGiven {
    pub verdict: Verdict,
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
#[derive(ToSchema)]
pub struct Audits {
    pub waiting: u64,
    pub audits: Vec<Audit>,
    pub next: Option<String>,
}

/// A value, and the words that it came of. What is personal is redacted.
#[derive(ToSchema)]
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
    #[schema(value_type = Option<Object>)]
    pub judged: Option<Value>,
    #[schema(value_type = Option<Object>)]
    pub answer: Option<Value>,
}

/// What audits say of the judges.
#[derive(ToSchema)]
pub struct Summary {
    pub scenarios: Vec<JudgesOf>,
}

/// The judges of one scenario.
#[derive(ToSchema)]
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
    #[schema(value_type = Object)]
    pub silent: Value,
}
