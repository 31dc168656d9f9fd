//! Imports: a template out of a JSON Schema, an operation of an OpenAPI document, or a tool, with what was lost or changed on the way
//! (docs/import.md).
//!
//! Fetches nothing and publishes nothing. Invariants: the template can be published; where it accepts what its source refuses, or
//! refuses what that accepts, a finding says so; the same document gives the same template.

mod description;
pub mod finding;
mod kind;
mod naming;
mod openapi;
mod part;
mod payload;
mod reader;
mod settling;
mod shape;
mod source;
mod tools;
mod vocabulary;

use serde_json::Value;
use serde_json::json;

use crate::advice;
use crate::budget::Budget;
use crate::export::safe_name::safe_name;
use crate::import::finding::ImportFinding;
use crate::import::payload::Payload;
use crate::import::settling::settle;
use crate::import::source::Source;
use crate::json_text;
use crate::name::SchemaId;
use crate::response_schema;
use crate::template::SchemaTemplate;

/// What is asked for beside the document.
#[derive(Clone, Copy, Default)]
pub struct Options<'o> {
    /// An operation by its `operationId`, or as `METHOD /path`.
    pub operation: Option<&'o str>,
    /// A tool by its name.
    pub tool: Option<&'o str>,
    /// The part of the document that is imported, as a JSON pointer.
    pub pointer: Option<&'o str>,
    /// Name of the one key that the schema is imported as; without it the members of the schema are the keys.
    pub key: Option<&'o str>,
    /// The scenario, where the document's own name is not meant.
    pub scenario: Option<&'o str>,
    /// The schema's id; the scenario's name and `_v1` where nothing is said.
    pub schema_id: Option<&'o str>,
    /// What reading it may cost; as much as one call where nothing is given.
    pub budget: Option<&'o Budget<'o>>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub template: SchemaTemplate,
    /// What a publisher of the template is told when it is read.
    pub advice: Vec<advice::Finding>,
    /// What was lost or changed.
    pub findings: Vec<ImportFinding>,
}

impl Imported {
    /// Whether the template judges some payload otherwise than its source.
    pub fn differs(&self) -> bool {
        self.findings.iter().any(|finding| finding.effect.decides())
    }
}

/// Why there is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportFault {
    /// With another text or other options there would be one.
    #[error("{0}")]
    Ask(String),
    /// Of what the document says none can be made.
    #[error("no template can be made of it: {0}")]
    Unfit(String),
}

/// Reads a text and imports what the options ask for.
///
/// # Errors
/// [`ImportFault`].
pub fn import_text(text: &str, options: &Options<'_>) -> Result<Imported, ImportFault> {
    let not_json = |why| ImportFault::Ask(format!("this is not JSON: {why}"));
    let document = json_text::read(text).map_err(not_json)?;
    if let Some(defect) = json_text::defects(text).into_iter().next() {
        return Err(ImportFault::Unfit(format!("{} {}", defect.pointer, defect.message)));
    }
    import(&document, options)
}

/// Imports what the options ask for.
///
/// # Errors
/// [`ImportFault`].
pub fn import(document: &Value, options: &Options<'_>) -> Result<Imported, ImportFault> {
    let own = Budget::default();
    let budget = options.budget.unwrap_or(&own);
    let mut source = find(document, options)?;
    let Payload {
        keys,
        description,
        is_closed,
        mut findings,
    } = Payload::read(&mut source, options.key, budget).map_err(|fault| match fault {
        ImportFault::Unfit(why) => {
            let ways = kind::ways_on(document, options.key.is_none());
            ImportFault::Unfit(format!("{why}; {ways}"))
        }
        ImportFault::Ask(why) => ImportFault::Ask(why),
    })?;
    let own = source.name.as_deref().map(naming::snake_case);
    let scenario = options.scenario.map(str::to_owned).or(own);
    let unnamed = "the document names no scenario; say which one the template is for (`scenario`)";
    let scenario = scenario.ok_or_else(|| ImportFault::Ask(unnamed.to_owned()))?;
    // What is no scenario is said by whoever reads the template.
    let own = || format!("{}_v1", safe_name(&scenario));
    let schema_id = options.schema_id.map_or_else(own, str::to_owned);
    if SchemaId::parse(&schema_id).is_none() {
        let message = "`schema_id` is a string of 1 to 128 characters out of [A-Za-z0-9._-]";
        return Err(ImportFault::Unfit(message.to_owned()));
    }
    let documents: Vec<&Value> = keys.iter().map(|key| &key.document).collect();
    let mut document = json!({"schema_id": schema_id, "scenario": scenario, "keys": documents});
    let members = [
        ("description", description.map(Value::String)),
        ("strict", is_closed.then_some(Value::Bool(true))),
        (response_schema::MEMBER, source.response),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            document[name] = value;
        }
    }
    let (template, advice) = settle(document, &keys, &mut findings)?;
    Ok(Imported {
        template,
        advice,
        findings: findings.conclude(),
    })
}

/// Finds the part that the options ask for.
///
/// # Errors
/// Why there is none, with what there is.
fn find<'d>(document: &'d Value, options: &Options<'_>) -> Result<Source<'d>, ImportFault> {
    let pointer = options
        .pointer
        .map(|pointer| pointer.trim_start_matches('#'))
        .unwrap_or_default();
    let Some(part) = document.pointer(pointer) else {
        let why = format!(
            "`pointer` leads to nothing at {pointer}; {}",
            kind::ways_on(document, options.key.is_none())
        );
        return Err(ImportFault::Ask(why));
    };
    let is_openapi = pointer.is_empty() && document.get("openapi").is_some();
    let is_schema = kind::is_schema(part);
    let located = (part, pointer.to_owned());
    let tools = tools::list(located.clone()).filter(|_| !is_schema);
    let ask = |why: &str| Err(ImportFault::Ask(why.to_owned()));
    match tools {
        _ if options.operation.is_some() && !is_openapi => {
            ask("`operation` chooses from an OpenAPI document, and this is none")
        }
        None if options.tool.is_some() => ask("`tool` chooses from a list of tools, and this is none"),
        _ if is_openapi => openapi::find(document, options.operation),
        Some(tools) => tools::source(source::chosen(&tools, "tool", options.tool, |(tool, at)| {
            source::text(tool, "name").into_iter().chain([at.clone()]).collect()
        })?),
        None if is_schema => Ok(Source::of_schema(located, source::root(document, pointer))),
        None => match kind::other(part) {
            None if options.key.is_some() && (part.is_object() || part.is_boolean()) => {
                Ok(Source::of_schema(located, source::root(document, pointer)))
            }
            other => {
                let schemas = "none of a JSON Schema, an OpenAPI document and a list of tools";
                let (other, ways) = (
                    other.unwrap_or("without a keyword of JSON Schema"),
                    kind::ways_on(document, options.key.is_none()),
                );
                Err(ImportFault::Unfit(format!("this is {schemas}, but {other}; {ways}")))
            }
        },
    }
}

#[cfg(test)]
mod tests;
