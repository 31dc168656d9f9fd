//! What an executor answered, held against what a reply can carry (Z-020, docs/design.md §4).
//!
//! Knows the response schema; knows nothing of how the answer came. Invariant: no value of a result stands in a misfit.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::name::RESERVED;
use crate::response_schema::ResponseSchema;

/// Misfits told of one result; what lies beyond is the same again.
pub const MISFITS_MAX: usize = 20;

/// One place where a result is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Misfit {
    /// JSON pointer into the result.
    pub pointer: String,
    /// The keyword of the response schema that it breaks, or `reserved`.
    pub keyword: String,
}

/// Where a result has a reserved name, or differs from the response schema; none when it can be passed on.
pub fn misfits(result: &Map<String, Value>, schema: Option<&ResponseSchema>) -> Vec<Misfit> {
    let mut found: Vec<Misfit> = RESERVED
        .into_iter()
        .filter(|name| result.contains_key(*name))
        .map(|name| Misfit {
            pointer: format!("/{name}"),
            keyword: "reserved".to_owned(),
        })
        .collect();
    if let Some(schema) = schema {
        let room = MISFITS_MAX - found.len();
        let more = schema.misfits(&Value::Object(result.clone()), room);
        found.extend(more.into_iter().map(|(pointer, keyword)| Misfit { pointer, keyword }));
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::MISFITS_MAX;
    use super::misfits;
    use crate::response_schema::ResponseSchema;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn reserved_names_and_the_schemas_keywords_are_misfits_z020() {
        let members =
            object(&json!({"response_schema": {"properties": {"a": {"type": "array", "items": {"type": "null"}}}}}));
        let schema = ResponseSchema::of(&members).expect("a schema");
        assert_eq!(
            misfits(&object(&json!({"a": [null], "b": {"exchange": 1}})), Some(&schema)),
            []
        );
        assert_eq!(misfits(&object(&json!({"a": 1})), None), []);
        let both = misfits(
            &object(&json!({"exchange": {}, "schema_update_suggestion": 1, "a": "x"})),
            Some(&schema),
        );
        let told: Vec<(&str, &str)> = both
            .iter()
            .map(|one| (one.pointer.as_str(), one.keyword.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("/exchange", "reserved"),
                ("/schema_update_suggestion", "reserved"),
                ("/a", "type")
            ]
        );
        let many = misfits(&object(&json!({"a": vec![1; 100], "exchange": 1})), Some(&schema));
        assert_eq!(many.len(), MISFITS_MAX);
    }
}
