//! The kind of a document: whether it is a JSON Schema, what else it is by name, and which of its parts are schemas of objects.

use serde_json::Value;

use crate::defect::pointer_to;
use crate::key::KeyType;

/// Parts that a message names.
const PARTS_SHOWN_MAX: usize = 8;

/// Keywords that make a schema of an object, each with a value of its kind.
const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "enum", "required"];
const OBJECTS: [&str; 6] = ["properties", "patternProperties", "additionalProperties", "items", "not", "if"];

/// Members that mark documents of other kinds, and what those are called. A mark is a member, or a member with its value.
const OTHERS: [(&[&str], &str); 20] = [
    (&["schema_id", "keys"], "a template of this service, which is published as it is"),
    (&["template", "json_schema"], "a bundle that this service exported; its `template` is published as it is"),
    (&["asyncapi"], "an AsyncAPI document"),
    (&["swagger"], "a Swagger 2.0 document; OpenAPI 3.0 and 3.1 are read, so that it is to be converted"),
    (&["openapi"], "an OpenAPI document"),
    (&["openrpc"], "an OpenRPC document"),
    (&["arazzo"], "an Arazzo document"),
    (&["smithy"], "a Smithy model"),
    (&["apiVersion", "kind"], "a Kubernetes object"),
    (&["type=record", "fields"], "an Avro schema"),
    (&["type=enum", "symbols"], "an Avro schema"),
    (&["type=fixed", "size"], "an Avro schema"),
    (&["messageType"], "a Protobuf descriptor"),
    (&["nested"], "a Protobuf descriptor"),
    (&["file"], "a Protobuf descriptor set"),
    (&["info", "item"], "a Postman collection"),
    (&["__schema"], "a GraphQL introspection result"),
    (&["discoveryVersion"], "a Google API discovery document"),
    (&["optionalProperties"], "a JSON Type Definition (RFC 8927)"),
    (&["@context"], "a JSON-LD document"),
];

/// Whether an object has a keyword of JSON Schema that decides over values.
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
    let is_marked = |mark: &&str| match mark.split_once('=') {
        Some((member, value)) => document[member] == *value,
        None => document.get(*mark).is_some(),
    };
    let mut kinds = OTHERS.iter().filter(|(marks, _)| marks.iter().all(|mark| is_marked(&mark)));
    kinds.next().map(|(_, name)| *name)
}

/// Describes how to go on with a document that cannot be imported as a whole: as one key, or a part of it.
pub fn ways_on(document: &Value) -> String {
    let mut parts = Vec::new();
    objects(document, "", &mut parts);
    let of = match parts.is_empty() {
        true => String::new(),
        false => format!(", such as {}", parts.join(", ")),
    };
    format!("name a part of it with `pointer`{of}, or import it as one key with `key`")
}

/// Gathers the outermost schemas below a value that declare members.
fn objects(value: &Value, at: &str, parts: &mut Vec<String>) {
    let mut look = |below: &Value, at: String| {
        let declared = below.get("properties").and_then(Value::as_object);
        match declared.is_some_and(|declared| declared.values().all(|schema| schema.is_object() || schema.is_boolean())) {
            _ if parts.len() == PARTS_SHOWN_MAX => {}
            true => parts.push(at),
            false => objects(below, &at, parts),
        }
    };
    match value {
        Value::Array(each) => each.iter().enumerate().for_each(|(n, below)| look(below, format!("{at}/{n}"))),
        Value::Object(members) => members.iter().for_each(|(name, below)| look(below, pointer_to(at, name))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
