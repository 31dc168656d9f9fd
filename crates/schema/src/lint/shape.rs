//! Can the key be filled, and does an array or object say what is in it (Z-017, Z-051)?

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::advice::Advice;
use crate::budget::Budget;
use crate::covers;
use crate::json_schema;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::lint::Says;
use crate::mapping_example;
use crate::rule::Rule;

/// Looks at the type and what is asked below it.
pub fn look(key: &KeyDefinition, says: &mut Says<'_>) {
    let says_any = |keywords: &[&str]| keywords.iter().any(|keyword| key.constraints.contains_key(*keyword));
    match key.key_type {
        KeyType::Array if !says_any(&["items", "enum", "const"]) => {
            let message = "does not say what an element is; add `\"items\": {\"type\": …}`";
            let elements = samples(key);
            let elements = one_type(elements.iter().filter_map(Value::as_array).flatten());
            let better = elements.map(|name| json!({"constraints": {"items": {"type": name}}}));
            says.say(Advice::OpenShape, "constraints", message, better);
        }
        KeyType::Object if !says_any(&["properties", "additionalProperties", "enum", "const"]) => {
            let message = "does not say which members there are; add `\"properties\": {…}`";
            let better = members(&samples(key)).map(|members| json!({"constraints": {"properties": members}}));
            says.say(Advice::OpenShape, "constraints", message, better);
        }
        KeyType::String if !says_any(&["format", "pattern", "enum", "const"]) => {
            let (shown, date) = (samples(key), json!({"format": "date"}));
            let rule = date.as_object().map(Rule::of_schema);
            if rule.is_some_and(|rule| !shown.is_empty() && shown.iter().all(|value| rule.accepts(value))) {
                let message = "every example is a date, and any text is accepted: enforce the format";
                let better = json!({ "constraints": date });
                says.say(Advice::UnsaidFormat, "constraints", message, Some(better));
            }
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
    if key.key_type != KeyType::Null && is_empty(key) {
        let message = if key.required {
            "no value conforms to all of its constraints, so that the required key refuses every payload"
        } else {
            "no value conforms to all of its constraints, so that nobody can ever give one"
        };
        says.say(Advice::NeverFillable, "constraints", message, None);
    }
}

/// Returns whether it is proved that no value conforms.
fn is_empty(key: &KeyDefinition) -> bool {
    let schema = json_schema::of_key(key.key_type, &key.constraints);
    covers::accepts_nothing(&schema, &Budget::default())
}

/// The key's default, and what its examples lead to.
fn samples(key: &KeyDefinition) -> Vec<Value> {
    let shown = mapping_example::targets(key).filter_map(|target| target.value);
    key.default_value.clone().into_iter().chain(shown).collect()
}

/// The members of the samples, each with its type; none where there is none, or one has several.
fn members(samples: &[Value]) -> Option<Map<String, Value>> {
    let mut members: BTreeMap<&String, Vec<&Value>> = BTreeMap::new();
    for (name, value) in samples.iter().filter_map(Value::as_object).flatten() {
        members.entry(name).or_default().push(value);
    }
    let typed =
        |(name, values): (&String, Vec<&Value>)| Some((name.clone(), json!({"type": one_type(values.into_iter())?})));
    let members: Map<String, Value> = members.into_iter().map(typed).collect::<Option<_>>()?;
    (!members.is_empty()).then_some(members)
}

/// The type that all values have; none where there is no value.
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
