//! Imports: a template out of a JSON Schema, an operation of an OpenAPI document, or a tool of the Model Context Protocol, with what
//! was lost or changed on the way (docs/import.md).
//!
//! Fetches nothing and publishes nothing. Invariants: the template can be published; where it accepts what its source refuses, or
//! refuses what that accepts, a finding says so; the same document gives the same template.

mod describing;
mod dialect;
mod document;
pub mod finding;
mod merge;
mod naming;
mod openapi;
mod payload;
mod reader;
mod settling;
mod shape;
mod source;
mod writer;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice;
use crate::export::safe_name::safe_name;
use crate::import::finding::ImportFinding;
use crate::import::payload::Payload;
use crate::import::settling::settle;
use crate::json_text;
use crate::name::SchemaId;
use crate::response_schema;
use crate::template::KEYS_MAX;
use crate::template::SchemaTemplate;
use crate::template::too_many_keys;

/// What is asked for beside the document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'o> {
    /// An operation by its `operationId`, or as `METHOD /path`.
    pub operation: Option<&'o str>,
    /// A tool by its name.
    pub tool: Option<&'o str>,
    /// The scenario, where the document's own name is not meant.
    pub scenario: Option<&'o str>,
    /// The schema's id; the scenario's name and `_v1` where nothing is said.
    pub schema_id: Option<&'o str>,
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
    /// Whether something was lost.
    pub fn loses(&self) -> bool {
        self.findings.iter().any(|finding| finding.effect.loses())
    }
}

/// Why there is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportFault {
    #[error("this is not JSON: {0}")]
    NotJson(String),
    #[error(
        "{} is written more than once in its object, and readers differ in which one they take",
        place(at)
    )]
    Repeated { at: String },
    #[error("this is none of a JSON Schema, an OpenAPI document and a list of tools, all of which are objects")]
    NoSource,
    #[error("OpenAPI 3.0 and 3.1 are read; convert the document to one of them")]
    OpenApiVersion,
    #[error("say which {option} is meant; there is: {names}")]
    Choose { option: &'static str, names: String },
    #[error("`{option}` chooses from {form}, and this is none")]
    Unasked { option: &'static str, form: &'static str },
    #[error("there is nothing at {} that a payload could be made of", place(at))]
    NoPayload { at: String },
    #[error("the body at {} has no JSON with a schema, and no other form is read", place(at))]
    NoJsonBody { at: String },
    #[error("a payload is an object, and the schema at {} accepts none", place(at))]
    NotAnObject { at: String },
    #[error("the document names no scenario; say which one the template is for (`scenario`)")]
    NoScenario,
    #[error(
        "its references unfold into more than {} schemas; import a part of it",
        reader::SCHEMAS_MAX
    )]
    TooManySchemas,
    #[error(
        "schemas lie within each other more than {} levels deep at {}",
        reader::LEVELS_MAX,
        place(at)
    )]
    TooDeep { at: String },
    #[error("{}; the schema at {} has more members", too_many_keys(KEYS_MAX), place(at))]
    TooManyMembers { at: String },
    /// What no other value would mend.
    #[error("no template can be made of it: {0}")]
    Unfit(String),
}

/// A pointer in a message.
fn place(at: &str) -> &str {
    if at.is_empty() { "/" } else { at }
}

/// Reads a text and imports what the options ask for.
///
/// # Errors
/// [`ImportFault`].
pub fn import_text(text: &str, options: &Options<'_>) -> Result<Imported, ImportFault> {
    let document = json_text::read(text).map_err(ImportFault::NotJson)?;
    match json_text::repeated(text).into_iter().next() {
        Some(defect) => Err(ImportFault::Repeated { at: defect.pointer }),
        None => import(&document, options),
    }
}

/// Imports what the options ask for.
///
/// # Errors
/// [`ImportFault`], but for the two of a text.
pub fn import(document: &Value, options: &Options<'_>) -> Result<Imported, ImportFault> {
    let source = document::find(document, options)?;
    let payload = Payload::read(&source)?;
    let scenario = match (options.scenario, &source.name) {
        (Some(scenario), _) => scenario.to_owned(),
        (None, Some(name)) => naming::snake_case(name),
        (None, None) => return Err(ImportFault::NoScenario),
    };
    // What is no id is said by whoever reads the template.
    let schema_id = options
        .schema_id
        .map_or_else(|| format!("{}_v1", safe_name(&scenario)), str::to_owned);
    if SchemaId::parse(&schema_id).is_none() {
        let message = "`schema_id` is a string of 1 to 128 characters out of [A-Za-z0-9._-]";
        return Err(ImportFault::Unfit(message.to_owned()));
    }
    let mut template = Map::from_iter([
        ("schema_id".to_owned(), json!(schema_id)),
        ("scenario".to_owned(), json!(scenario)),
    ]);
    let description = source.description.clone().or_else(|| payload.description.clone());
    template.extend(description.map(|description| ("description".to_owned(), json!(description))));
    if payload.is_closed {
        template.insert("strict".to_owned(), json!(true));
    }
    template.insert(
        "keys".to_owned(),
        payload.keys.iter().map(|key| key.document.clone()).collect(),
    );
    if let Some((schema, _)) = &source.response {
        template.insert(response_schema::MEMBER.to_owned(), schema.clone());
    }
    settle(template, payload, &source)
}

#[cfg(test)]
mod tests;
