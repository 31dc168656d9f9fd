//! The kind of a document: whether it is a JSON Schema, what else it is by name, and which of its parts are schemas of objects.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::key::KeyType;

/// Parts that a message names.
const PARTS_SHOWN_MAX: usize = 8;

/// Keywords that make a schema of an object, each with a value of its kind.
const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "enum", "required"];
const OBJECTS: [&str; 6] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "not",
    "if",
];

/// Documents of other kinds: the members that mark one, alone or with their value, and what it is called.
const OTHERS: &str = include_str!("../tables/documents.tsv");

/// Returns whether an object has a keyword of JSON Schema that decides over values.
pub fn is_schema(value: &Value) -> bool {
    let is_type = |named: &Value| named.as_str().is_some_and(|name| parse_type(name).is_some());
    let types = match value.get("type") {
        Some(Value::Array(named)) => named.iter().any(is_type),
        named => named.is_some_and(is_type),
    };
    types
        || value.get("$ref").is_some_and(Value::is_string)
        || value.get("const").is_some()
        || LISTS.iter().any(|name| value.get(name).is_some_and(Value::is_array))
        || OBJECTS.iter().any(|name| value.get(name).is_some_and(Value::is_object))
}

/// Reads the name of a type; Gemini writes it in capitals.
pub fn parse_type(name: &str) -> Option<KeyType> {
    KeyType::parse(name).or_else(|| KeyType::parse(&name.to_ascii_lowercase()))
}

/// Names the kind of a document that is no schema.
pub fn other(document: &Value) -> Option<&'static str> {
    let is_marked = |mark: &str| match mark.split_once('=') {
        Some((member, value)) => document[member] == *value,
        None => document.get(mark).is_some(),
    };
    let mut kinds = OTHERS.lines().filter_map(|row| row.split_once('\t'));
    kinds.find_map(|(marks, name)| marks.split(' ').all(is_marked).then_some(name))
}

/// Describes how to go on with a document that cannot be imported as a whole: a part of it, or, where that was not tried, as one key.
pub fn ways_on(document: &Value, as_key: bool) -> String {
    let mut parts = Vec::new();
    objects(document, "", &mut parts);
    let of = match parts.is_empty() {
        true => String::new(),
        false => format!(", such as {}", parts.join(", ")),
    };
    let key = if as_key {
        ", or import it as one key with `key`"
    } else {
        ""
    };
    format!("name a part of it with `pointer`{of}{key}")
}

/// Gathers the outermost schemas below a value that declare members.
fn objects(value: &Value, at: &str, parts: &mut Vec<String>) {
    let mut look = |below: &Value, at: String| {
        let declared = below.get("properties").and_then(Value::as_object);
        match declared.is_some_and(|declared| {
            declared
                .values()
                .all(|schema| schema.is_object() || schema.is_boolean())
        }) {
            _ if parts.len() == PARTS_SHOWN_MAX => {}
            true => parts.push(at),
            false => objects(below, &at, parts),
        }
    };
    match value {
        Value::Array(each) => each
            .iter()
            .enumerate()
            .for_each(|(n, below)| look(below, format!("{at}/{n}"))),
        Value::Object(members) => members
            .iter()
            .for_each(|(name, below)| look(below, pointer_to(at, name))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
