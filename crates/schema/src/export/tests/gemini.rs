//! Gemini's `Schema` read as the subset of OpenAPI that it is documented as.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

/// The members of a schema that are known, but for those of `anyOf`, beside which none may stand.
const MEMBERS: [&str; 14] = [
    "type",
    "description",
    "nullable",
    "enum",
    "format",
    "items",
    "properties",
    "required",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];
const TYPES: [&str; 7] = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

/// The same in JSON Schema, or the first rule that it breaks.
pub fn as_json_schema(schema: &Value) -> Result<Value, String> {
    let members = schema.as_object().ok_or("a schema is an object")?;
    if let Some(ways) = members.get("anyOf") {
        if members.len() > 1 {
            return Err(format!("something stands beside anyOf: {schema}"));
        }
        let ways: Result<Vec<Value>, String> = ways.as_array().into_iter().flatten().map(as_json_schema).collect();
        return Ok(json!({ "anyOf": ways? }));
    }
    let stray = members
        .keys()
        .find(|name| *name != "pattern" && !MEMBERS.contains(&name.as_str()));
    if let Some(stray) = stray {
        return Err(format!("{stray} is not known"));
    }
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    if !TYPES.contains(&kind) {
        return Err(format!("{kind:?} is no type: {schema}"));
    }
    let mut read = Map::new();
    for (name, value) in members {
        let value = match name.as_str() {
            "type" => json!(kind.to_ascii_lowercase()),
            "items" => as_json_schema(value)?,
            "properties" => {
                let properties = value
                    .as_object()
                    .filter(|all| !all.is_empty())
                    .ok_or("an object without members")?;
                let properties = properties
                    .iter()
                    .map(|(name, below)| Ok((name.clone(), as_json_schema(below)?)));
                Value::Object(properties.collect::<Result<Map<String, Value>, String>>()?)
            }
            "enum" => {
                let is_said = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
                if kind != "STRING" || !value.as_array().is_some_and(|values| values.iter().all(is_said)) {
                    return Err(format!("a list of something else than texts: {schema}"));
                }
                value.clone()
            }
            "nullable" => continue,
            _ => value.clone(),
        };
        read.insert(name.clone(), value);
    }
    if kind == "ARRAY" && !members.contains_key("items") {
        return Err("an array says its items".to_owned());
    }
    Ok(match members.get("nullable") {
        Some(Value::Bool(true)) => json!({"anyOf": [read, {"type": "null"}]}),
        _ => Value::Object(read),
    })
}
