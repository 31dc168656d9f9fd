//! What kind of document is imported, and which part of it is the payload: a JSON Schema, an operation of an OpenAPI document, or a
//! tool of the Model Context Protocol.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::import::ImportFault;
use crate::import::Options;
use crate::import::dialect::Dialect;
use crate::import::openapi;

/// The part of a document that becomes a template. Places are JSON pointers into the document.
#[derive(Debug)]
pub struct Source<'d> {
    /// What references lead into, and where it stands.
    pub root: &'d Value,
    pub base: String,
    pub dialect: Dialect,
    /// The schema of the payload, and its place.
    pub payload: Option<(&'d Value, String)>,
    /// Members of the payload beside it.
    pub parameters: Vec<Parameter<'d>>,
    /// What the scenario may be called, where nothing else is said.
    pub name: Option<String>,
    pub description: Option<String>,
    /// The schema of what comes back, by itself, and its place.
    pub response: Option<(Value, String)>,
    pub left_out: Vec<LeftOut>,
    /// Whether it is an operation, whose body may be anything.
    pub is_operation: bool,
    /// Where the payload as a whole may be left out.
    pub optional_at: Option<String>,
}

/// Something that has no place in a template: where it stands, and what it is.
pub type LeftOut = (String, String);

/// A parameter of an operation.
#[derive(Debug)]
pub struct Parameter<'d> {
    pub name: &'d str,
    pub place: &'d str,
    pub required: bool,
    pub description: Option<&'d str>,
    pub schema: &'d Value,
    pub pointer: String,
}

/// Names in a message.
const NAMES_SAID_MAX: usize = 20;

/// Finds the part that the options ask for.
///
/// # Errors
/// Why there is none, with what there is.
pub fn find<'d>(document: &'d Value, options: &Options<'_>) -> Result<Source<'d>, ImportFault> {
    let asks = |name: &str| document.get(name).is_some();
    let result = document.get("result").filter(|result| result.get("tools").is_some());
    let listed = document
        .get("tools")
        .or_else(|| result?.get("tools"))
        .and_then(Value::as_array);
    let base = if result.is_some() { "/result/tools" } else { "/tools" };
    let is_openapi = asks("openapi") || asks("swagger");
    if options.operation.is_some() && !is_openapi {
        return Err(ImportFault::Unasked {
            option: "operation",
            form: "an OpenAPI document",
        });
    }
    if options.tool.is_some() && listed.is_none() && !asks("inputSchema") {
        return Err(ImportFault::Unasked {
            option: "tool",
            form: "a list of tools",
        });
    }
    if is_openapi {
        return openapi::find(document, options.operation);
    }
    if let Some(tools) = listed {
        let (place, tool) = chosen(tools, options.tool)?;
        return tool_source(tool, format!("{base}/{place}"));
    }
    if asks("inputSchema") {
        let (_, tool) = chosen(std::slice::from_ref(document), options.tool)?;
        return tool_source(tool, String::new());
    }
    if !document.is_object() {
        return Err(ImportFault::NoSource);
    }
    let id = document.get("$id").and_then(Value::as_str).and_then(|id| {
        let id = id.trim_end_matches(['#', '/']);
        let last = id.rsplit(['/', ':']).next()?;
        Some(last.split('.').next().unwrap_or(last).to_owned())
    });
    let title = document.get("title").and_then(Value::as_str).map(str::to_owned);
    Ok(Source {
        root: document,
        base: String::new(),
        dialect: Dialect::of_schema(document),
        payload: Some((document, String::new())),
        parameters: Vec::new(),
        name: title.or(id).filter(|name| !name.trim().is_empty()),
        description: None,
        response: None,
        left_out: Vec::new(),
        is_operation: false,
        optional_at: None,
    })
}

/// The tool of a name, or the only one.
fn chosen<'d>(tools: &'d [Value], name: Option<&str>) -> Result<(usize, &'d Value), ImportFault> {
    let name_of = |tool: &'d Value| tool.get("name").and_then(Value::as_str);
    let mut found = tools.iter().enumerate();
    match name {
        Some(name) => found.find(|(_, tool)| name_of(tool) == Some(name)),
        None if tools.len() == 1 => found.next(),
        None => None,
    }
    .ok_or_else(|| ImportFault::Choose {
        option: "tool",
        names: names(tools.iter().filter_map(name_of).map(str::to_owned)),
    })
}

/// Names as a message lists them.
pub fn names(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    let said = all.iter().take(NAMES_SAID_MAX).cloned().collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMES_SAID_MAX) {
        _ if all.is_empty() => "none".to_owned(),
        0 => said,
        more => format!("{said} and {more} more"),
    }
}

fn tool_source(tool: &Value, base: String) -> Result<Source<'_>, ImportFault> {
    let schema = tool
        .get("inputSchema")
        .ok_or(ImportFault::NoPayload { at: base.clone() })?;
    let text = |name: &str| tool.get(name).and_then(Value::as_str).map(str::to_owned);
    let members = tool.as_object().into_iter().flatten();
    let kept = ["name", "description", "title", "inputSchema", "outputSchema"];
    let left_out = members.filter(|(name, _)| !kept.contains(&name.as_str()));
    let at = pointer_to(&base, "inputSchema");
    Ok(Source {
        root: schema,
        dialect: Dialect::of_schema(schema),
        payload: Some((schema, at.clone())),
        parameters: Vec::new(),
        name: text("name"),
        description: text("description").or_else(|| text("title")),
        response: tool.get("outputSchema").map(|schema| {
            let itself = bundled(schema, schema, Dialect::of_schema(schema));
            (itself, pointer_to(&base, "outputSchema"))
        }),
        left_out: left_out
            .map(|(name, _)| (pointer_to(&base, name), name.clone()))
            .collect(),
        base: at,
        is_operation: false,
        optional_at: None,
    })
}

/// A schema as draft 2020-12 writes it, with everything in it that its references lead to.
pub fn bundled(schema: &Value, root: &Value, dialect: Dialect) -> Value {
    let mut bundle = Bundle {
        root,
        dialect,
        definitions: Vec::new(),
    };
    // What is a reference alone is what it leads to.
    let pointer = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'));
    let target = pointer.and_then(|pointer| root.pointer(pointer));
    let mut whole = bundle.rewritten(target.unwrap_or(schema));
    let mut definitions = Map::new();
    let mut next = 0;
    while let Some(pointer) = bundle.definitions.get(next).cloned() {
        let definition = root
            .pointer(&pointer)
            .map_or(Value::Bool(true), |target| bundle.rewritten(target));
        definitions.insert(definition_name(next, &pointer), definition);
        next += 1;
    }
    if let Some(members) = whole.as_object_mut() {
        for name in ["$schema", "$id", "id", "definitions"] {
            members.shift_remove(name);
        }
        members.shift_remove("$defs");
        if !definitions.is_empty() {
            members.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }
    whole
}

/// A name of its own for what a pointer leads to, with the last step of it.
fn definition_name(place: usize, pointer: &str) -> String {
    let last = pointer.rsplit('/').next().unwrap_or_default();
    let plain: String = last
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    format!("{plain}_{}", place + 1)
}

struct Bundle<'r> {
    root: &'r Value,
    dialect: Dialect,
    /// Pointers to what is referred to.
    definitions: Vec<String>,
}

impl Bundle<'_> {
    /// A schema with every reference led into `$defs`; what is deep is bounded by the document.
    fn rewritten(&mut self, schema: &Value) -> Value {
        let Value::Object(members) = schema else {
            return schema.clone();
        };
        let mut modern = self.dialect.modern(members);
        for (name, value) in &mut modern {
            *value = match (name.as_str(), &*value) {
                ("$ref", Value::String(reference)) => match reference.strip_prefix('#') {
                    Some(pointer) if self.root.pointer(pointer).is_some() => json!(self.reference(pointer)),
                    _ => value.clone(),
                },
                ("enum" | "const" | "default" | "examples", value) => value.clone(),
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
                    Value::Object(named),
                ) => named
                    .iter()
                    .map(|(name, schema)| (name.clone(), self.rewritten(schema)))
                    .collect(),
                (_, Value::Array(schemas)) => schemas.iter().map(|schema| self.rewritten(schema)).collect(),
                (_, value) => self.rewritten(value),
            };
        }
        Value::Object(modern)
    }

    fn reference(&mut self, pointer: &str) -> String {
        let known = self.definitions.iter().position(|known| known == pointer);
        let place = known.unwrap_or_else(|| {
            self.definitions.push(pointer.to_owned());
            self.definitions.len() - 1
        });
        format!("#/$defs/{}", definition_name(place, pointer))
    }
}
