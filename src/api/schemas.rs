//! What is hosted, and what a publisher is told.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::ToSchema;

use crate::api::callers::By;
use crate::api::compatibility::Assessment;
use crate::api::compatibility::Change;
use crate::api::problems::ProblemDocument;
use crate::api::templates::SchemaTemplate;
use crate::api::templates::Stage;

/// What is hosted. `outcome`, `likeness_min` and `unread` are there where `q` was asked.
#[derive(ToSchema)]
pub struct Scenarios {
    #[schema(required = false)]
    pub outcome: SearchOutcome,
    /// How like a scenario must be to the wish.
    #[schema(required = false)]
    pub likeness_min: f64,
    /// Scenarios that the model has not read yet.
    #[schema(required = false)]
    pub unread: u64,
    pub scenarios: Vec<ScenarioRow>,
    /// There where the list goes on: the `after` of the next page.
    #[schema(required = false)]
    pub next: String,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum SearchOutcome {
    Match,
    NoMatch,
}

/// One scenario.
#[derive(ToSchema)]
pub struct ScenarioRow {
    pub scenario: String,
    /// The schema in force.
    pub schema_id: String,
    pub version: String,
    pub revision: u64,
    pub description: Option<String>,
    pub language: String,
    #[schema(required = false)]
    pub owner: String,
    #[schema(required = false, value_type = Object)]
    pub labels: Value,
    #[schema(required = false)]
    pub frozen: FrozenRow,
    #[schema(required = false)]
    pub likeness: f64,
}

/// Since when evolution stands still; who stopped it is for those who may see it.
#[derive(ToSchema)]
pub struct FrozenRow {
    #[schema(format = DateTime)]
    pub since: String,
    #[schema(required = false)]
    pub by: Option<By>,
    #[schema(required = false)]
    pub reason: Option<String>,
}

/// Whose a scenario is.
#[derive(ToSchema)]
pub struct Ownership {
    pub scenario: String,
    /// The name of a principal.
    pub owner: Option<String>,
}

/// Whose a scenario is to be.
#[derive(ToSchema)]
pub struct Giving {
    /// The name of a principal; null for nobody.
    #[schema(max_length = 128)]
    pub owner: Option<String>,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

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
#[derive(ToSchema)]
pub struct Retirement {
    pub schema_id: String,
    pub retired: bool,
}
