//! What a replay reports (DESIGN §9): proposals, clusters, decisions, where the time went.
//!
//! Shapes, and how a key is shown; who gathers the rest is in [`replay`](crate::service::replay).

use serde::Serialize;
use serde_json::Value;

use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::patch::StageChange;
use crate::domain::evolution::patch::waiting_document;
use crate::domain::evolution::stage::Reason;
use crate::domain::pool::cohort::Cohorts;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::grounds::NameSource;
use crate::domain::scenario::layer;
use crate::domain::scenario::state::State;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::effective::Standing;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;
use crate::domain::template::schema::SchemaTemplate;
use crate::service::replay::refused::Refusal;

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
    /// Why a person had to look at it before it began; nothing where nobody had to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    pub audience: Audience,
    pub induced_at: String,
    /// Which of the ways to a name led to this one; none where nobody noted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_from: Option<NameSource>,
    /// What a person has to decide about it while it is on trial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Value>,
    /// What became of it, in order.
    pub stages: Vec<ReportedStage>,
    /// The lines that asked for it.
    pub members: Vec<usize>,
    /// The texts in these lines that lie in its cluster.
    pub fragments: Vec<ReportedFragment>,
}

/// A change of stage in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedStage {
    pub at: String,
    pub to: String,
    pub reason: Reason,
    /// Who decided, where a person did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// What was said in a line, as the engine read it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ReportedFragment {
    pub line: usize,
    pub text: String,
}

impl ReportedKey {
    /// A change as it stands at the end, with what it was learned from.
    pub fn of(
        state: &State,
        patch: &Patch,
        template: &SchemaTemplate,
        members: Vec<usize>,
        fragments: Vec<ReportedFragment>,
    ) -> ReportedKey {
        let (definition, modifies) = match &patch.change {
            KeyChange::Add(key) => (Some(served(state, patch, key)), None),
            KeyChange::Refine { key_name, .. } => (template.key(key_name).cloned(), Some(key_name.clone())),
        };
        let definition = definition.as_ref();
        let described = match &patch.change {
            KeyChange::Add(key) => definition.unwrap_or(key).semantic_description.clone(),
            KeyChange::Refine {
                semantic_description, ..
            } => semantic_description.clone(),
        };
        ReportedKey {
            key_name: patch.change.key_name().clone(),
            key_type: definition
                .and_then(|key| serde_json::to_value(key.key_type).ok())
                .unwrap_or_else(|| Value::String("string".to_owned())),
            constraints: definition
                .filter(|key| !key.constraints.is_empty())
                .map(|key| Value::Object(key.constraints.clone())),
            default_value: definition.and_then(|key| key.default_value.clone()),
            semantic_description: described,
            modifies,
            stage: patch.stage.name(),
            held: patch.held_because(),
            audience: patch.audience.clone(),
            induced_at: patch.timestamp.rfc3339(),
            name_from: patch.grounds.as_ref().map(|grounds| grounds.name.source),
            waits_for: patch.waits_for().map(waiting_document),
            stages: patch.history.iter().map(ReportedStage::of).collect(),
            members,
            fragments,
        }
    }
}

impl ReportedStage {
    fn of(change: &StageChange) -> ReportedStage {
        ReportedStage {
            at: change.at.rfc3339(),
            to: change.to.clone(),
            reason: change.reason.clone(),
            by: change.by.as_ref().map(|by| by.principal.clone()),
        }
    }
}

/// A learned key as it is served, else as it was proposed.
fn served(state: &State, patch: &Patch, key: &KeyDefinition) -> KeyDefinition {
    let own = |(id, _): &(PatchId, Standing)| *id == patch.patch_id;
    state
        .base_in_force()
        .map(|base| layer::effective(state, base, Cohorts::default().addressed(&patch.audience)))
        .and_then(|template| {
            let mut served = template.keys.into_iter();
            let served = served.find(|key| key.patch.as_ref().is_some_and(own));
            served.map(|key| key.definition)
        })
        .unwrap_or_else(|| key.clone())
}

/// A cluster in a report.
#[derive(Debug, PartialEq, Serialize)]
pub struct ReportedCluster {
    pub id: u64,
    pub members: Vec<usize>,
    pub heat_max: f64,
    /// Why nothing came of it at the end of the stream; none where a key did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Value>,
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
    /// Lines whose payload does not, and what is said in their `other` counts all the same; and lines that are not taken at all.
    pub refused: usize,
    /// The first of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
    pub keys: Vec<ReportedKey>,
    pub clusters: Vec<ReportedCluster>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<ReportedDecision>,
    pub seconds: Seconds,
}
