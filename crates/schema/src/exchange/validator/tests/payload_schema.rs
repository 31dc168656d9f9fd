//! The JSON Schema (draft 2020-12) that says which payloads an effective template accepts.
//!
//! It is the yardstick of the exchange's own check: both refuse the same payloads, for the same keys.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::json_schema::key_schema;
use crate::name::OTHER;

/// What a payload must be for a client that has received every patch: base keys and stable keys refuse, keys of the
/// patch layer that are not stable never do, `null` for an optional key or member means omitted (docs/design.md §4), and `other` is a
/// string or an array of strings whatever it was declared (Z-061).
pub fn payload_schema(template: &EffectiveTemplate) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in template.keys.iter().chain(&template.withdrawn) {
        let definition = &key.definition;
        let name = definition.key_name.as_str();
        let firm = match &key.patch {
            None | Some((_, Standing::Stable)) => true,
            Some((_, Standing::Experimental | Standing::Deprecated | Standing::Withdrawn)) => false,
        };
        let schema = if name == OTHER {
            json!({"anyOf": [{"type": ["string", "null"]}, {"type": "array", "items": {"type": "string"}}]})
        } else if !firm {
            json!({})
        } else {
            let own = key_schema(definition.key_type, &with_omissions(&definition.constraints));
            if definition.required {
                required.push(Value::String(name.to_owned()));
                own
            } else {
                json!({"anyOf": [{"type": "null"}, own]})
            }
        };
        properties.insert(name.to_owned(), schema);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": !template.base.strict(),
    })
}

/// A schema in which every optional member may be null.
fn with_omissions(schema: &Map<String, Value>) -> Map<String, Value> {
    let required = schema.get("required").and_then(Value::as_array);
    let below = |schema: &Value| match schema {
        Value::Object(schema) => Value::Object(with_omissions(schema)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => schema.clone(),
    };
    let read = |(name, value): (&String, &Value)| {
        let value = match (name.as_str(), value) {
            ("items" | "additionalProperties", nested) => below(nested),
            ("properties", Value::Object(members)) => members
                .iter()
                .map(|(name, member)| {
                    let own = below(member);
                    let asked = required.is_some_and(|names| names.iter().any(|asked| asked == name));
                    let member = if asked {
                        own
                    } else {
                        json!({"anyOf": [own, {"type": "null"}]})
                    };
                    (name.clone(), member)
                })
                .collect(),
            (_, value) => value.clone(),
        };
        (name.clone(), value)
    };
    schema.iter().map(read).collect()
}
