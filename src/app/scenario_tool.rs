//! What a scenario is as a tool of its own, for a caller: what is listed, and what a definition is made of.
//!
//! Knows no protocol. Invariants: all of a definition is of one moment; who is given one has received what is new in it (docs/design.md
//! §7), so that later calls are told what came after.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::intake;
use crate::app::negotiation::receipt;
use crate::app::reply::TemplateIdentity;
use crate::app::reply::Wanted;
use context::task_context::form::SCENARIOS;
use engine::scenario::event::Via;
use schema::exchange::envelope::Envelope;
use schema::export::Form;
use schema::export::loss::Effect;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::response_schema;

/// What a strict definition asks for where nothing is said, and what a whole one does.
const STRICT: &str = "Give every argument: null for an optional one that the user says nothing of.";
const WHOLE: &str = "Leave out what is not required and the user says nothing of.";

/// A scenario that a caller may submit for, and which template it has now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    pub scenario: ScenarioKey,
    pub schema_id: SchemaId,
    pub revision: u64,
}

/// Returns whether a scenario holds contexts of distributed work.
fn is_context(scenario: &ScenarioKey) -> bool {
    SCENARIOS.contains(&scenario.as_str())
}

/// What a definition is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioTool {
    /// Which template it is.
    pub identity: Arc<TemplateIdentity>,
    /// The scenario, as its publisher writes it.
    pub title: String,
    /// What it is for, in a sentence or more, and what becomes of arguments that nothing is said of.
    pub description: String,
    /// What its input must be. Strict, unless that would forbid what the template takes.
    pub input: Map<String, Value>,
    pub gives: Gives,
}

/// What an accepted submission is answered with, beside what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Gives {
    /// The payload as it was understood.
    Payload,
    /// What its executor answers, with what the template says of that.
    Result(Option<Map<String, Value>>),
}

impl App {
    /// Refuses the submission of a TaskContext or an AgentContext over a transport that hands it to no agent (C-015).
    ///
    /// # Errors
    /// [`ServiceError::ContextNotDelivered`], and [`ServiceError::Forbidden`] for a caller that may not submit.
    pub fn require_delivery(&self, caller: &Caller, submission: &str) -> Result<(), ServiceError> {
        caller.require(Permission::Submit)?;
        let schema_id = Envelope::parse(submission).map(|envelope| envelope.schema_id);
        // A submission that cannot be read or names no schema is refused by what takes it.
        let named = schema_id.ok().and_then(|schema_id| self.by_schema(&schema_id).ok());
        match named.is_some_and(|(handle, _)| is_context(&handle.key)) {
            true => Err(ServiceError::ContextNotDelivered),
            false => Ok(()),
        }
    }

    /// The scenarios in force that the caller may submit for, in the order of their names, but for the contexts of distributed work.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn offered(&self, caller: &Caller) -> Result<Vec<Offered>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        caller.require(Permission::Submit)?;
        let hosted = self.registry().catalogue.load();
        let taken = hosted.scenarios.values().filter(|handle| !is_context(&handle.key));
        let offered = taken.filter_map(|handle| {
            let view = handle.view.load();
            let schema_id = view.in_force.clone()?;
            Some(Offered {
                scenario: handle.key.clone(),
                revision: view.revision(&schema_id, caller.client.as_ref())?,
                schema_id,
            })
        });
        Ok(offered.collect())
    }

    /// The definition of a scenario's tool, with descriptions in a language where that is named.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and [`ServiceError::UnknownScenario`] where nothing is in force.
    pub fn scenario_tool(
        &self,
        caller: &Caller,
        scenario: &ScenarioKey,
        language: Option<&str>,
    ) -> Result<ScenarioTool, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let unknown = || ServiceError::UnknownScenario(scenario.to_string());
        if is_context(scenario) {
            return Err(unknown());
        }
        let handle = self.registry().by_scenario(scenario.as_str())?;
        let view = handle.view.load();
        let schema_id = view.in_force.as_ref().ok_or_else(unknown)?;
        let compiled = view.compiled(schema_id, caller.client.as_ref()).ok_or_else(unknown)?;
        let rendered = |form: Form| {
            compiled.render(Wanted {
                language,
                experimental: true,
                form: Some(form),
            })
        };
        let whole: Value = serde_json::from_str(&rendered(Form::McpTool).body)?;
        let strict = rendered(Form::JsonSchemaStrict);
        let lost = strict.exported.as_ref().map(|exported| exported.lost.as_ref());
        let narrows = lost.is_some_and(|lost| lost.iter().any(|loss| loss.effect == Effect::Narrowed));
        let (mut input, unsaid): (Map<String, Value>, &str) = match whole["inputSchema"].as_object() {
            Some(input) if narrows => (input.clone(), WHOLE),
            _ => (serde_json::from_str(&strict.body)?, STRICT),
        };
        // It is the tool's.
        input.shift_remove("description");
        let base = view.bases.get(schema_id);
        let response = base
            .filter(|base| base.response().is_some())
            .and_then(|base| base.template.unknown.get(response_schema::MEMBER)?.as_object().cloned());
        let gives = match intake::executes(&handle, &self.registry().deps, schema_id) {
            true => Gives::Result(response),
            false => Gives::Payload,
        };
        receipt(&handle, &view, schema_id, self.remembered(caller), Via::Fetch);
        Ok(ScenarioTool {
            identity: Arc::clone(&strict.identity),
            title: compiled.effective.base.scenario.clone(),
            description: format!("{}\n{unsaid}", whole["description"].as_str().unwrap_or_default()),
            input,
            gives,
        })
    }

    /// The schema by which a submission to a scenario is judged: the one that is named, where it is one of this scenario, else the
    /// one in force.
    ///
    /// # Errors
    /// [`ServiceError::UnknownSchema`], and [`ServiceError::UnknownScenario`] where nothing is in force.
    pub fn schema_of(&self, scenario: &ScenarioKey, named: Option<&str>) -> Result<SchemaId, ServiceError> {
        if let Some(named) = named {
            let (handle, schema_id) = self.by_schema(named)?;
            return match handle.key == *scenario {
                true => Ok(schema_id),
                false => Err(ServiceError::UnknownSchema(format!("{named} in this scenario"))),
            };
        }
        let handle = self.registry().by_scenario(scenario.as_str())?;
        let in_force = handle.view.load().in_force.clone();
        in_force.ok_or_else(|| ServiceError::UnknownScenario(scenario.to_string()))
    }
}
