//! The part of a document that becomes a template, whatever kind of document it is, and schemas that are taken out of one whole.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::import::dialect::Dialect;

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
