//! Can the key be filled, and does an array or object say what is in it (Z-017, Z-051)?

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::domain::template::advice::Advice;
use crate::domain::template::fillable;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::key::KeyType;
use crate::domain::template::lint::Says;
use crate::domain::template::mapping_example;

/// Looks at the type and what is asked below it.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let says_any = |keywords: &[&str]| keywords.iter().any(|keyword| key.constraints.contains_key(*keyword));
    match key.key_type {
        KeyType::Array if !says_any(&["items", "enum", "const"]) => {
            let message = "does not say what an element is; add `\"items\": {\"type\": …}`";
            says.say(Advice::OpenShape, "constraints", message, Some(of_array(key)));
        }
        KeyType::Object if !says_any(&["properties", "additionalProperties", "enum", "const"]) => {
            let message = "does not say which members there are; add `\"properties\": {…}`";
            says.say(Advice::OpenShape, "constraints", message, Some(of_object(key)));
        }
        KeyType::Null if key.required => {
            let message = "null means omitted, so that a required key of type null refuses every payload";
            says.say(
                Advice::NeverFillable,
                "key_type",
                message,
                Some(json!({"required": false})),
            );
        }
        KeyType::String
        | KeyType::Integer
        | KeyType::Number
        | KeyType::Boolean
        | KeyType::Array
        | KeyType::Object
        | KeyType::Null => {}
    }
    if key.key_type != KeyType::Null && fillable::leaves_none(key.key_type, &key.constraints) {
        let message = if key.required {
            "no value conforms to all of its constraints, so that the required key refuses every payload"
        } else {
            "no value conforms to all of its constraints, so that nobody can ever give one"
        };
        says.say(Advice::NeverFillable, "constraints", message, None);
    }
}

/// Elements as they are in the default and in the examples; texts where nothing shows them.
fn of_array(key: &KeyDefinition) -> Value {
    let samples = samples(key);
    let elements = samples.iter().filter_map(Value::as_array).flatten();
    let type_name = one_type(elements).unwrap_or("string");
    json!({"constraints": {"items": {"type": type_name}}})
}

/// The members that the default, the examples and `required` name, and no others; texts where nothing names one.
fn of_object(key: &KeyDefinition) -> Value {
    let mut members: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for sample in samples(key) {
        let Value::Object(sample) = sample else { continue };
        for (name, value) in sample {
            members.entry(name).or_default().push(value);
        }
    }
    let required = key.constraints.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        members.entry(name.to_owned()).or_default();
    }
    if members.is_empty() {
        return json!({"constraints": {"additionalProperties": {"type": "string"}}});
    }
    let properties: Map<String, Value> = members
        .into_iter()
        .map(|(name, values)| (name, json!({"type": one_type(values.iter()).unwrap_or("string")})))
        .collect();
    json!({"constraints": {"properties": properties, "additionalProperties": false}})
}

/// The type that all values have.
fn one_type<'v>(values: impl Iterator<Item = &'v Value>) -> Option<&'static str> {
    let mut names = values.map(|value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    });
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// The key's default, and the values in JSON that its examples lead to.
fn samples(key: &KeyDefinition) -> Vec<Value> {
    let text = key.semantic_description.replace('→', "->");
    let shown = text
        .split("->")
        .skip(1)
        .take(mapping_example::EXAMPLES_MAX)
        .filter_map(|rest| {
            // Lists in the draft's figures stand in single quotes.
            let plain = rest.replace('\'', "\"");
            [rest, &plain].into_iter().find_map(|text| {
                let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
                values.next()?.ok()
            })
        });
    key.default_value.clone().into_iter().chain(shown).collect()
}
