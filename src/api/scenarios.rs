//! Scenarios: what is hosted, and whose it is.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::stats::ScenarioStats;
use engine::scenario::state;
use schema::act::By;
use schema::name::ScenarioKey;

/// What is hosted. `outcome`, `likeness_min` and `unread` are there where `q` was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Scenarios {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = SearchOutcome)]
    pub outcome: Option<SearchOutcome>,
    /// How like a scenario must be to the wish.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = f64)]
    pub likeness_min: Option<f64>,
    /// Scenarios that the model has not read yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub unread: Option<u64>,
    pub scenarios: Vec<ScenarioRow>,
    /// There where the list goes on: the `after` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub next: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchOutcome {
    Match,
    NoMatch,
    /// Nothing found so far: `unread` scenarios are still to be compared. Ask again in a moment.
    Reading,
    /// Of A2A: nothing in the message is to be submitted or looked for.
    NoSubmission,
}

/// One scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct ScenarioRow {
    pub scenario: String,
    /// The schema in force.
    pub schema_id: String,
    pub version: String,
    pub revision: u64,
    pub description: Option<String>,
    pub language: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = FrozenRow)]
    pub frozen: Option<FrozenRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub owner: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Object)]
    pub labels: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = f64)]
    pub likeness: Option<f64>,
    /// There where `stats` was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = ScenarioStats)]
    pub stats: Option<ScenarioStats>,
}

impl ScenarioRow {
    /// The name by which the scenario is looked up.
    pub fn key(&self) -> String {
        ScenarioKey::parse(&self.scenario).map_or_else(|| self.scenario.clone(), |key| key.to_string())
    }
}

/// Tools of scenarios that a wish is likeliest meant for.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FoundTools {
    pub outcome: SearchOutcome,
    /// How like a scenario must be to the wish.
    pub likeness_min: f64,
    /// Scenarios that the model has not read yet.
    pub unread: u64,
    /// As `tools/list` of MCP would tell them, the likeliest first.
    #[schema(value_type = Vec<Object>)]
    pub tools: Vec<Value>,
}

/// Since when evolution stands still; who stopped it is for those who may see it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FrozenRow {
    #[schema(format = DateTime)]
    pub since: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// Null where nothing was said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Option<String>)]
    pub reason: Option<Option<String>>,
}

impl FrozenRow {
    /// With who stopped it and why where the caller may see that.
    pub fn new(frozen: &state::Frozen, sees_all: bool) -> FrozenRow {
        FrozenRow {
            since: frozen.since.rfc3339(),
            by: sees_all.then(|| frozen.by.clone()),
            reason: sees_all.then(|| frozen.reason.clone()),
        }
    }
}

/// Owner of a scenario.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ownership {
    pub scenario: String,
    /// The name of a principal, or `schemas folder`; null for a scenario that is the operators' alone.
    pub owner: Option<String>,
}

/// Whose a scenario is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Giving {
    /// The name of a principal; null leaves the scenario to the operators.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(max_length = 128)]
    pub owner: Option<String>,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// Since when evolution stands still, and who stopped it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Frozen {
    #[schema(format = DateTime)]
    pub since: String,
    pub by: By,
    pub reason: Option<String>,
}

impl From<&state::Frozen> for Frozen {
    fn from(frozen: &state::Frozen) -> Frozen {
        Frozen {
            since: frozen.since.rfc3339(),
            by: frozen.by.clone(),
            reason: frozen.reason.clone(),
        }
    }
}

/// Whether a scenario's evolution stands still.
#[derive(Debug, Serialize, ToSchema)]
pub struct Freezing {
    pub scenario: String,
    pub frozen: Option<Frozen>,
}
