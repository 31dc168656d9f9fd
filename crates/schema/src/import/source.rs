//! Which part of a document becomes a template: a JSON Schema, an operation of an OpenAPI document, or a tool of the Model Context
//! Protocol. Places are JSON pointers into the document.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::finding::Findings;

/// How a schema is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Drafts 4 to 7: a reference stands alone.
    Draft7,
    /// Drafts 2019-09 and 2020-12, and OpenAPI 3.1.
    Draft2020,
    /// OpenAPI 3.0: draft 5 with `nullable`.
    OpenApi30,
}

/// A value and its place.
pub type Located<'d> = (&'d Value, String);

/// The part of a document that becomes a template.
#[derive(Debug)]
pub struct Source<'d> {
    /// What references lead into, and where it stands.
    pub root: Located<'d>,
    pub dialect: Dialect,
    /// The schema of the payload.
    pub payload: Option<Located<'d>>,
    /// Members of the payload beside it, as OpenAPI writes parameters.
    pub parameters: Vec<Located<'d>>,
    /// What the scenario may be called, where nothing else is said.
    pub name: Option<String>,
    pub description: Option<String>,
    /// The schema of what comes back, by itself, and its place.
    pub response: Option<(Value, String)>,
    /// What is left out of it.
    pub findings: Findings,
}

/// Names in a message.
const NAMES_SAID_MAX: usize = 20;

impl<'d> Source<'d> {
    /// A schema as the payload.
    pub fn of_schema(schema: &'d Value, at: &str) -> Source<'d> {
        let id = text(schema, "$id").unwrap_or_default();
        let id = id.trim_end_matches(['#', '/']).rsplit(['/', ':']).next();
        let id = id.and_then(|last| last.split('.').next()).map(str::to_owned);
        let name = text(schema, "title").or(id).filter(|name| !name.trim().is_empty());
        Source {
            payload: Some((schema, at.to_owned())),
            name,
            ..Source::within((schema, at.to_owned()), dialect_of(schema))
        }
    }

    /// Nothing yet, whose references lead into `root`.
    pub fn within(root: Located<'d>, dialect: Dialect) -> Source<'d> {
        Source {
            root,
            dialect,
            payload: None,
            parameters: Vec::new(),
            name: None,
            description: None,
            response: None,
            findings: Findings::default(),
        }
    }
}

/// The dialect that a schema names; none of itself is draft 2020-12, as the Model Context Protocol has it.
fn dialect_of(schema: &Value) -> Dialect {
    let named = text(schema, "$schema").unwrap_or_default();
    let is_old = ["draft-04", "draft-05", "draft-06", "draft-07"].map(|draft| named.contains(draft));
    if is_old.contains(&true) {
        Dialect::Draft7
    } else {
        Dialect::Draft2020
    }
}

/// The text of a member.
pub fn text(holder: &Value, name: &str) -> Option<String> {
    holder.get(name)?.as_str().map(str::to_owned)
}

/// The tools of a list, of the answer that holds one, or the one that the document is, with their places.
pub fn tools(document: &Value) -> Option<Vec<Located<'_>>> {
    for base in ["/tools", "/result/tools"] {
        if let Some(tools) = document.pointer(base).and_then(Value::as_array) {
            let each = tools.iter().enumerate();
            return Some(each.map(|(n, tool)| (tool, format!("{base}/{n}"))).collect());
        }
    }
    document.get("inputSchema").map(|_| vec![(document, String::new())])
}

/// A tool.
///
/// # Errors
/// [`ImportFault::Unfit`] without a schema of its arguments.
pub fn of_tool<'d>((tool, at): &Located<'d>) -> Result<Source<'d>, ImportFault> {
    let no_payload = || ImportFault::Unfit(format!("there is no `inputSchema` at {at}"));
    let schema = tool.get("inputSchema").ok_or_else(no_payload)?;
    let mut source = Source::of_schema(schema, &pointer_to(at, "inputSchema"));
    source.name = text(tool, "name");
    source.description = text(tool, "description").or_else(|| text(tool, "title"));
    let response = tool.get("outputSchema").map(|schema| bundled(schema, schema));
    source.response = response.map(|schema| (schema, pointer_to(at, "outputSchema")));
    let read = ["name", "description", "title", "inputSchema", "outputSchema"];
    unread(tool, at, &read, &mut source.findings);
    Ok(source)
}

/// The one of a name, or the only one.
///
/// # Errors
/// [`ImportFault::Ask`] with what there is.
pub fn chosen<'a, T>(
    all: &'a [T],
    option: &str,
    asked: Option<&str>,
    names: impl Fn(&T) -> Vec<String>,
) -> Result<&'a T, ImportFault> {
    let found = match asked {
        Some(asked) => all.iter().find(|one| names(one).iter().any(|name| name == asked)),
        None => all.first().filter(|_| all.len() == 1),
    };
    found.ok_or_else(|| {
        let there = all.iter().filter_map(|one| names(one).into_iter().next());
        let there: Vec<String> = there.take(NAMES_SAID_MAX).collect();
        let there = if there.is_empty() {
            "none".to_owned()
        } else {
            there.join(", ")
        };
        ImportFault::Ask(format!("say which {option} is meant; there is: {there}"))
    })
}

/// Notes the members of an object that are not among the `read` ones.
pub fn unread(holder: &Value, at: &str, read: &[&str], findings: &mut Findings) {
    let names = holder.as_object().into_iter().flat_map(Map::keys);
    for name in names.filter(|name| !read.contains(&name.as_str())) {
        findings.annotation(&pointer_to(at, name), name);
    }
}

/// A schema with everything in it that its references lead to. What cannot be led into `$defs` is refused when the template is read,
/// and the whole left out with a finding.
pub fn bundled(schema: &Value, root: &Value) -> Value {
    // What is a reference alone is what it leads to.
    let mut whole = target(schema, root).map_or(schema, |(target, _)| target).clone();
    let mut pointers = Vec::new();
    let mut definitions = Map::new();
    if let Some(members) = whole.as_object_mut() {
        members.retain(|name, _| !["$schema", "$id", "id", "definitions", "$defs"].contains(&name.as_str()));
    }
    lead(&mut whole, root, &mut pointers);
    while let Some(pointer) = pointers.get(definitions.len()).cloned() {
        let mut definition = root.pointer(&pointer).cloned().unwrap_or_default();
        lead(&mut definition, root, &mut pointers);
        definitions.insert(definition_name(definitions.len(), &pointer), definition);
    }
    if !definitions.is_empty() {
        whole["$defs"] = Value::Object(definitions);
    }
    whole
}

/// What the reference of a value leads to within the document.
pub fn target<'d>(value: &Value, root: &'d Value) -> Option<Located<'d>> {
    let pointer = value.get("$ref")?.as_str()?.strip_prefix('#')?;
    Some((root.pointer(pointer)?, pointer.to_owned()))
}

/// Leads every reference below into `$defs`.
fn lead(schema: &mut Value, root: &Value, pointers: &mut Vec<String>) {
    if let Some((_, pointer)) = target(schema, root) {
        let known = pointers.iter().position(|known| *known == pointer);
        let place = known.unwrap_or(pointers.len());
        schema["$ref"] = json!(format!("#/$defs/{}", definition_name(place, &pointer)));
        pointers.extend(known.is_none().then_some(pointer));
    }
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(|schema| lead(schema, root, pointers)),
        Value::Object(members) => members.values_mut().for_each(|schema| lead(schema, root, pointers)),
        _ => {}
    }
}

/// A name of its own for what a pointer leads to, with the last step of it.
fn definition_name(place: usize, pointer: &str) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    let plain = last.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "");
    format!("{plain}_{}", place + 1)
}
