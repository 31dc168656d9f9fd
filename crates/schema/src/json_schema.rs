//! The JSON Schema (draft 2020-12) that says what a template accepts, and the one way to compile such a schema.
//!
//! It is the yardstick of the exchange's own check: both refuse the same payloads, for the same keys. Formats are
//! asserted; a format that the draft does not know is an annotation. Nothing is ever fetched.

use jsonschema::Draft;
use jsonschema::PatternOptions;
use jsonschema::Validator;
use jsonschema::json::Json;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::defect::pointer_to;
use crate::ecma;
use crate::effective::EffectiveTemplate;
use crate::effective::Standing;
use crate::key::KeyType;
use crate::name::OTHER;

/// Bytes that one compiled pattern may take; what needs more does not compile (DESIGN §3).
pub const PATTERN_COMPILED_BYTES_MAX: usize = 1 << 20;

/// What one key accepts: its type and its constraints.
pub fn key_schema(key_type: KeyType, constraints: &Map<String, Value>) -> Value {
    let mut schema = Map::with_capacity(constraints.len() + 1);
    schema.insert("type".to_owned(), Value::String(key_type.name().to_owned()));
    schema.extend(constraints.iter().map(|(name, value)| (name.clone(), value.clone())));
    Value::Object(schema)
}

/// A pattern as the engine runs it. One that was stored before patterns were ECMA-262, and is none, keeps the meaning that
/// it has in the engine's own dialect.
pub fn engine_pattern(pattern: &str) -> String {
    ecma::to_rust(pattern).unwrap_or_else(|_| pattern.to_owned())
}

/// Changes every `pattern` of a schema, whichever of its schemas it stands in, and gives each the place.
pub fn each_pattern(schema: &mut Value, at: &str, change: &mut impl FnMut(&str, &mut String)) {
    let members = match schema {
        Value::Object(members) => members,
        Value::Array(schemas) => {
            for (index, schema) in schemas.iter_mut().enumerate() {
                each_pattern(schema, &pointer_to(at, &index.to_string()), change);
            }
            return;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return,
    };
    for (name, value) in members {
        let here = pointer_to(at, name);
        match (name.as_str(), value) {
            ("pattern", Value::String(pattern)) => change(&here, pattern),
            ("enum" | "const" | "default" | "examples", _) => {}
            (
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                for (name, schema) in named {
                    each_pattern(schema, &pointer_to(&here, name), change);
                }
            }
            (_, value) => each_pattern(value, &here, change),
        }
    }
}

/// Compiles a schema for instances in the representation `F`. Patterns are ECMA-262 and run in linear time.
///
/// # Errors
/// The compiler's message when the schema is not one.
pub fn compile<F: Json>(schema: &Value) -> Result<Validator<F>, String> {
    let mut schema = schema.clone();
    each_pattern(&mut schema, "", &mut |_, pattern| *pattern = engine_pattern(pattern));
    jsonschema::options_for::<F>()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_pattern_options(
            PatternOptions::regex()
                .size_limit(PATTERN_COMPILED_BYTES_MAX)
                .dfa_size_limit(PATTERN_COMPILED_BYTES_MAX),
        )
        .offline()
        .build(&schema)
        .map_err(|error| error.to_string())
}

/// What a payload must be for a client that has received every patch: base keys and stable keys refuse, keys of the
/// patch layer that are not stable never do, `null` for an optional key or member means omitted (DESIGN §4), and `other` is a
/// string or an array of strings whatever it was declared (Z-061).
pub fn json_schema(template: &EffectiveTemplate) -> Value {
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
