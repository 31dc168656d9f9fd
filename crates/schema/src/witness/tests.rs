//! What is given is accepted, and finds the difference between two schemas.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::sample;
use super::samples;
use super::witness;
use crate::budget::Budget;
use crate::json_schema;

fn schema(document: &Value) -> Map<String, Value> {
    document.as_object().expect("an object").clone()
}

#[track_caller]
fn differs(writer: &Value, reader: &Value) -> Value {
    let found = witness(&schema(writer), &schema(reader), &Budget::default());
    let found = found.unwrap_or_else(|| panic!("nothing that {writer} accepts and {reader} refuses"));
    let valid = |schema: &Value| {
        json_schema::compile::<jsonschema::json::SerdeJson>(schema)
            .expect("a schema")
            .is_valid(&found)
    };
    assert!(valid(writer) && !valid(reader), "{found}");
    found
}

#[test]
fn the_value_that_breaks_is_found_at_each_edge_z048() {
    for row in [
        json!([{"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 8}, 9]),
        json!([{"type": "integer", "minimum": 100}, {"type": "integer", "minimum": 101}, 100]),
        json!([{"type": "integer", "multipleOf": 5}, {"type": "integer", "multipleOf": 10}, 5]),
        json!([{"type": "string", "maxLength": 50}, {"type": "string", "maxLength": 49}, "a".repeat(50)]),
        json!([{"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["a"]}, "b"]),
        json!([{"type": "integer", "minimum": 100, "multipleOf": 7}, {"type": "integer", "multipleOf": 14}]),
        json!([{"type": "number"}, {"type": "integer"}]),
        json!([{"type": "number", "minimum": 1}, {"type": "number", "exclusiveMinimum": 1}]),
        json!([{"type": "string", "pattern": "^[A-Z]{3}$"}, {"type": "string", "pattern": "^[A-Z]{4}$"}]),
        json!([{"type": "string", "pattern": "^[a-z]+$"}, {"type": "string", "pattern": "^[a-z]{2,}$"}]),
        json!([{"type": "string"}, {"type": "string", "format": "date"}]),
        json!([{"type": "string", "format": "date"}, {"type": "string", "format": "email"}]),
        json!([{"type": "boolean"}, {"type": "boolean", "const": true}]),
        json!([{"type": "string", "format": "date"}, {"type": "string", "format": "date", "pattern": "^2"}, "0000-01-01"]),
        json!([{"type": "string", "format": "uuid"}, {"type": "string", "format": "uuid", "pattern": "^[^f]*$"}]),
    ] {
        let found = differs(&row[0], &row[1]);
        assert!(row.get(2).is_none_or(|expected| *expected == found), "{row}: {found}");
    }
}

#[test]
fn the_value_that_breaks_is_found_by_what_is_changed_of_a_schema_z048_z051() {
    let member = |of: Value| json!({"properties": {"a": of}});
    for row in [
        // Between bounds.
        json!([{"type": "number", "minimum": 5, "maximum": 30}, {"multipleOf": 0.5}]),
        json!([{"type": "number", "minimum": 5, "maximum": 30}, {"multipleOf": 0.01}]),
        json!([{"type": "number", "exclusiveMinimum": 0.5, "maximum": 0.75}, {"multipleOf": 0.25}]),
        json!([{"type": "number", "minimum": 5, "maximum": 30, "multipleOf": 0.1}, {"multipleOf": 0.2}]),
        json!([{"type": "number", "minimum": 100}, {"multipleOf": 1}]),
        json!([{"type": "integer", "minimum": 10, "maximum": 20}, {"multipleOf": 5}]),
        json!([{"type": "number", "exclusiveMinimum": 5, "exclusiveMaximum": 6}, {"minimum": 5.5}]),
        json!([{"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 60}, {"exclusiveMaximum": 59}]),
        // Of a length, however wide it is.
        json!([{"type": "string"}, {"maxLength": 5_000}]),
        json!([{"type": "string"}, {"maxLength": 65_535}]),
        json!([{"type": "string"}, {"minLength": 5_000}]),
        json!([{"type": "string", "minLength": 5_000}, {"minLength": 5_001}]),
        json!([{"type": "array", "items": {"type": "string"}}, {"maxItems": 100}]),
        json!([{"type": "array", "items": {"type": "string"}}, {"minItems": 100}]),
        json!([{"type": "array", "items": {"type": "string"}, "minItems": 100}, {"minItems": 101}]),
        json!([{"type": "array", "items": {"type": "string"}, "uniqueItems": true}, {"maxItems": 50}]),
        json!([{"type": "object", "properties": {"a": {"type": "string"}}}, member(json!({"maxLength": 5_000}))]),
        // Inside arrays and objects.
        json!([{"type": "array", "items": {"type": "string"}}, {"items": {"maxLength": 3}}]),
        json!([{"type": "array"}, {"uniqueItems": true}]),
        json!([{"type": "array", "maxItems": 3}, {"maxItems": 2}]),
        json!([{"type": "array"}, {"items": {"type": "integer"}}]),
        json!([{"type": "object", "properties": {"a": {"type": "integer"}}}, {"required": ["a"]}]),
        json!([{"type": "object", "properties": {"a": {"type": "integer"}}}, {"additionalProperties": false}]),
        json!([{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, member(json!({"minimum": 5}))]),
    ] {
        let mut narrower = row[0].clone();
        json_patch::merge(&mut narrower, &row[1]);
        differs(&row[0], &narrower);
    }
    let deep = |max: u64| {
        let below = |schema: Value| json!({"type": "object", "properties": {"a": {"type": "string"}, "b": schema}, "required": ["a", "b"]});
        let deepest = json!({"type": "string", "maxLength": max});
        json!({"type": "array", "items": (0..6).fold(deepest, |schema, _| below(schema))})
    };
    differs(&deep(100), &deep(99));
}

#[test]
fn what_is_given_is_accepted_and_by_both_where_it_can_be_z048() {
    for writer in [
        json!({"type": "string", "minLength": 3, "pattern": "^[a-z]+$"}),
        json!({"type": "string", "format": "date"}),
        json!({"type": "integer", "minimum": 20, "maximum": 30, "multipleOf": 7}),
        json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 2}),
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", "b"]}),
    ] {
        assert!(
            sample(&schema(&writer), &Map::new(), &Budget::default()).is_some(),
            "{writer}"
        );
    }
    let both = sample(
        &schema(&json!({"type": "string", "enum": ["a", "b"]})),
        &schema(&json!({"type": "string", "enum": ["b", "c"]})),
        &Budget::default(),
    );
    assert_eq!(both, Some(json!("b")));
    let nothing = schema(&json!({"type": "string", "enum": ["abc"], "maxLength": 2}));
    assert_eq!(samples(&nothing, &Map::new(), &Budget::default()), Vec::<Value>::new());
    assert_eq!(
        witness(
            &schema(&json!({"type": "integer"})),
            &schema(&json!({"type": "number"})),
            &Budget::default()
        ),
        None
    );
}
