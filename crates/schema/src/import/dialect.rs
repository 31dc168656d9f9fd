//! The dialects of JSON Schema that are read, and one level of a schema of each as draft 2020-12 writes it.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

/// How a schema is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Drafts 4 to 7: a reference stands alone, a tuple is a list in `items`.
    Draft7,
    /// Drafts 2019-09 and 2020-12, and OpenAPI 3.1.
    Draft2020,
    /// OpenAPI 3.0: draft 5 with `nullable` and `example`.
    OpenApi30,
}

/// What says nothing of values, so that it holds beside a reference that stands alone.
const ANNOTATIONS: [&str; 6] = ["title", "description", "default", "examples", "example", "deprecated"];

impl Dialect {
    /// The dialect that a schema names; none of itself is draft 2020-12, as the Model Context Protocol has it.
    pub fn of_schema(schema: &Value) -> Dialect {
        let named = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let is_old = ["draft-04", "draft-05", "draft-06", "draft-07"];
        match is_old.iter().any(|draft| named.contains(draft)) {
            true => Dialect::Draft7,
            false => Dialect::Draft2020,
        }
    }

    /// The keyword under which a tuple's elements stand.
    pub fn tuple(self) -> &'static str {
        match self {
            Dialect::Draft2020 => "prefixItems",
            Dialect::Draft7 | Dialect::OpenApi30 => "items",
        }
    }

    /// One level of a schema as draft 2020-12 writes it; what lies below is left as it stands.
    pub fn modern(self, schema: &Map<String, Value>) -> Map<String, Value> {
        let mut modern = schema.clone();
        if self != Dialect::Draft2020 && schema.get("$ref").is_some_and(Value::is_string) {
            modern.retain(|name, _| name == "$ref" || ANNOTATIONS.contains(&name.as_str()));
        }
        if let Some(example) = modern.shift_remove("example")
            && !modern.contains_key("examples")
        {
            modern.insert("examples".to_owned(), json!([example]));
        }
        // Drafts 4 and 5, and OpenAPI 3.0: the bound itself is one that is not reached.
        for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            match modern.get(exclusive) {
                Some(Value::Bool(true)) => {
                    if let Some(value) = modern.shift_remove(bound) {
                        modern.insert(exclusive.to_owned(), value);
                    }
                }
                Some(Value::Bool(false)) => drop(modern.shift_remove(exclusive)),
                _ => {}
            }
        }
        if modern.get("items").is_some_and(Value::is_array)
            && let Some(tuple) = modern.shift_remove("items")
        {
            modern.insert("prefixItems".to_owned(), tuple);
            if let Some(rest) = modern.shift_remove("additionalItems") {
                modern.insert("items".to_owned(), rest);
            }
        }
        if self == Dialect::OpenApi30
            && let Some(Value::Bool(true)) = modern.shift_remove("nullable")
        {
            if let Some(named) = modern.get("type").filter(|named| named.is_string()).cloned() {
                modern.insert("type".to_owned(), json!([named, "null"]));
            } else {
                let plain = Value::Object(std::mem::take(&mut modern));
                modern.insert("anyOf".to_owned(), json!([plain, {"type": "null"}]));
            }
            if let Some(listed) = modern.get_mut("enum").and_then(Value::as_array_mut)
                && !listed.contains(&Value::Null)
            {
                listed.push(Value::Null);
            }
        }
        modern
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Dialect;

    #[test]
    fn older_dialects_are_written_as_the_newest_one() {
        for (dialect, old, new) in [
            (
                Dialect::Draft7,
                json!({"$ref": "#/a", "description": "b", "minLength": 3}),
                json!({"$ref": "#/a", "description": "b"}),
            ),
            (
                Dialect::Draft2020,
                json!({"$ref": "#/a", "minLength": 3}),
                json!({"$ref": "#/a", "minLength": 3}),
            ),
            (
                Dialect::Draft7,
                json!({"minimum": 1, "exclusiveMinimum": true, "exclusiveMaximum": false, "maximum": 2}),
                json!({"exclusiveMinimum": 1, "maximum": 2}),
            ),
            (
                Dialect::Draft7,
                json!({"items": [{}], "additionalItems": false}),
                json!({"prefixItems": [{}], "items": false}),
            ),
            (
                Dialect::OpenApi30,
                json!({"type": "string", "enum": ["a"], "nullable": true, "example": "a"}),
                json!({"type": ["string", "null"], "enum": ["a", null], "examples": ["a"]}),
            ),
            (
                Dialect::OpenApi30,
                json!({"allOf": [{"$ref": "#/a"}], "nullable": true}),
                json!({"anyOf": [{"allOf": [{"$ref": "#/a"}]}, {"type": "null"}]}),
            ),
        ] {
            let read = dialect.modern(old.as_object().expect("an object"));
            assert_eq!(json!(read), new);
        }
        let named = json!({"$schema": "http://json-schema.org/draft-07/schema#"});
        assert_eq!(Dialect::of_schema(&named), Dialect::Draft7);
        assert_eq!(Dialect::of_schema(&json!({})), Dialect::Draft2020);
    }
}
