//! What is hosted, and what a publisher is told.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::compatibility::Assessment;
use crate::api::compatibility::Change;
use crate::api::problems::ProblemDocument;
use crate::api::templates::SchemaTemplate;
use crate::api::templates::Stage;

/// What a publisher is told of a schema.
#[derive(ToSchema)]
pub struct Publication {
    pub schema_id: String,
    pub scenario: String,
    pub version: String,
    #[schema(minimum = 0, maximum = 100)]
    pub score: u8,
    /// A score for each key but `other`.
    pub key_scores: BTreeMap<String, u8>,
    pub findings: Vec<Finding>,
    /// What is enforced, by key.
    pub constraints: BTreeMap<String, Value>,
    pub compatibility: Assessment,
    pub taken_over: Vec<TakenOver>,
    /// Of a check: whether the same is published already.
    #[schema(required = false)]
    pub known: bool,
    /// Of a check: whether publishing it would be answered with success.
    #[schema(required = false)]
    pub publishable: bool,
    /// Of a check: the problem that publishing it would be answered with.
    #[schema(required = false)]
    pub refusal: ProblemDocument,
    /// Of a rebase: the patches that it takes in.
    #[schema(required = false)]
    pub patches: Vec<String>,
    /// Of a rebase: the template that is published.
    #[schema(required = false)]
    pub template: SchemaTemplate,
}

/// Advice on a template; the table of rules is `docs/lint.md`.
#[derive(ToSchema)]
pub struct Finding {
    pub rule: String,
    /// The requirement of the draft.
    pub requirement: String,
    #[schema(required = false)]
    pub key_name: String,
    /// JSON pointer into the template.
    pub pointer: String,
    pub message: String,
    /// Points that it takes.
    #[schema(minimum = 0, maximum = 100)]
    pub cost: u8,
    /// A JSON merge patch (RFC 7396) that mends it.
    #[schema(required = false)]
    pub suggestion: Value,
}

/// A learned key that the template has itself.
#[derive(ToSchema)]
pub struct TakenOver {
    pub patch_id: String,
    pub stage: Stage,
    pub key_name: String,
    pub changes: Vec<Change>,
}

/// Whether a schema is retired.
#[derive(Debug, Serialize, ToSchema)]
pub struct Retirement {
    pub schema_id: String,
    pub retired: bool,
}
