//! What changed in a scenario: what differs between two of its templates, and what was decided.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use engine::scenario::decision_log::DecisionKind;
use schema::act::By;
use schema::difference::change::Change;
use schema::difference::change::Class;

/// What differs between two templates of a scenario, as one client is served them.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateDifference {
    pub from: Compared,
    pub to: Compared,
    /// The gravest of all changes.
    pub class: Class,
    /// As `POST /v1/schemas:check` tells them.
    pub changes: Vec<Change>,
    /// The digest of each key as it is served, by its name.
    pub key_digests: BTreeMap<String, KeyDigests>,
}

/// The digests of one key on both sides; null where the key is not there.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct KeyDigests {
    pub from: Option<String>,
    pub to: Option<String>,
}

/// One side of a comparison.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ComparedTemplate)]
pub struct Compared {
    pub schema_id: String,
    pub version: String,
    pub revision: u64,
}

/// A page of a scenario's decisions, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct DecisionLog {
    pub decisions: Vec<Decision>,
    /// There where the list goes on: the `after` of the next page, which may hold fewer than are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub next: Option<String>,
}

/// One decision.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LoggedDecision)]
pub struct Decision {
    /// Its place in the scenario's journal.
    pub seq: u64,
    #[schema(format = DateTime)]
    pub at: String,
    pub what: DecisionKind,
    /// The same in a sentence, with the names that keys have now.
    pub says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub patch_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub schema_id: Option<String>,
    /// Who decided it; null where a rule did.
    pub by: Option<By>,
    /// What that person said of it.
    pub reason: Option<String>,
    /// What stands behind it, in sentences.
    pub because: Vec<String>,
}
