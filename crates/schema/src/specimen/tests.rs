//! What is given is accepted, and finds the difference between two schemas.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::specimen;
use super::specimens;
use super::witness;
use crate::json_schema;

fn schema(document: &Value) -> Map<String, Value> {
    document.as_object().expect("an object").clone()
}

#[track_caller]
fn differs(writer: &Value, reader: &Value) -> Value {
    let found = witness(&schema(writer), &schema(reader));
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
    let integer = |more: Value| {
        let mut schema = json!({"type": "integer"});
        schema
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        schema
    };
    assert_eq!(
        differs(&integer(json!({"maximum": 9})), &integer(json!({"maximum": 8}))),
        json!(9)
    );
    assert_eq!(
        differs(&integer(json!({"minimum": 100})), &integer(json!({"minimum": 101}))),
        json!(100)
    );
    assert_eq!(
        differs(&integer(json!({"multipleOf": 5})), &integer(json!({"multipleOf": 10}))),
        json!(5)
    );
    differs(
        &integer(json!({"minimum": 100, "multipleOf": 7})),
        &integer(json!({"multipleOf": 14})),
    );
    differs(&json!({"type": "number"}), &integer(json!({})));
    differs(
        &json!({"type": "number", "minimum": 1}),
        &json!({"type": "number", "exclusiveMinimum": 1}),
    );
    let text = |keyword: &str, value: Value| json!({"type": "string", keyword: value});
    assert_eq!(
        differs(&text("maxLength", json!(50)), &text("maxLength", json!(49))),
        json!("a".repeat(50))
    );
    assert_eq!(
        differs(&text("enum", json!(["a", "b"])), &text("enum", json!(["a"]))),
        json!("b")
    );
    differs(
        &text("pattern", json!("^[A-Z]{3}$")),
        &text("pattern", json!("^[A-Z]{4}$")),
    );
    differs(
        &text("pattern", json!("^[a-z]+$")),
        &text("pattern", json!("^[a-z]{2,}$")),
    );
    differs(&json!({"type": "string"}), &text("format", json!("date")));
    differs(&text("format", json!("date")), &text("format", json!("email")));
    differs(&json!({"type": "boolean"}), &json!({"type": "boolean", "const": true}));
}

#[test]
fn a_number_that_breaks_is_found_between_bounds_z048() {
    let of = |kind: &str, more: Value| {
        let mut schema = json!({ "type": kind });
        json_patch::merge(&mut schema, &more);
        schema
    };
    for (kind, writer, reader) in [
        (
            "number",
            json!({"minimum": 5, "maximum": 30}),
            json!({"multipleOf": 0.5}),
        ),
        (
            "number",
            json!({"minimum": 5, "maximum": 30}),
            json!({"multipleOf": 0.01}),
        ),
        (
            "number",
            json!({"exclusiveMinimum": 0.5, "maximum": 0.75}),
            json!({"multipleOf": 0.25}),
        ),
        (
            "number",
            json!({"minimum": 5, "maximum": 30, "multipleOf": 0.1}),
            json!({"multipleOf": 0.2}),
        ),
        ("number", json!({"minimum": 100}), json!({"multipleOf": 1})),
        (
            "integer",
            json!({"minimum": 10, "maximum": 20}),
            json!({"multipleOf": 5}),
        ),
        (
            "number",
            json!({"exclusiveMinimum": 5, "exclusiveMaximum": 6}),
            json!({"minimum": 5.5}),
        ),
        (
            "integer",
            json!({"exclusiveMinimum": 5, "exclusiveMaximum": 60}),
            json!({"exclusiveMaximum": 59}),
        ),
    ] {
        let writer = of(kind, writer);
        let mut narrower = writer.clone();
        json_patch::merge(&mut narrower, &reader);
        differs(&writer, &narrower);
    }
}

#[test]
fn a_new_bound_of_a_length_is_shown_to_break_however_wide_it_is_z048_z051() {
    let long = |keyword: &str, length: u64| json!({"type": "string", keyword: length});
    differs(&json!({"type": "string"}), &long("maxLength", 5_000));
    differs(&json!({"type": "string"}), &long("maxLength", 65_535));
    differs(&json!({"type": "string"}), &long("minLength", 5_000));
    differs(&long("minLength", 5_000), &long("minLength", 5_001));
    let list = |more: Value| {
        let mut schema = json!({"type": "array", "items": {"type": "string"}});
        json_patch::merge(&mut schema, &more);
        schema
    };
    differs(&list(json!({})), &list(json!({"maxItems": 100})));
    differs(&list(json!({})), &list(json!({"minItems": 100})));
    differs(&list(json!({"minItems": 100})), &list(json!({"minItems": 101})));
    differs(
        &list(json!({"uniqueItems": true})),
        &list(json!({"uniqueItems": true, "maxItems": 50})),
    );
    let member = |of: Value| json!({"type": "object", "properties": {"a": of}});
    differs(&member(json!({"type": "string"})), &member(long("maxLength", 5_000)));
}

#[test]
fn the_value_that_breaks_is_found_inside_arrays_and_objects_z051() {
    let items = |of: Value| json!({"type": "array", "items": of});
    differs(
        &items(json!({"type": "string"})),
        &items(json!({"type": "string", "maxLength": 3})),
    );
    differs(
        &json!({"type": "array"}),
        &json!({"type": "array", "uniqueItems": true}),
    );
    differs(
        &json!({"type": "array", "maxItems": 3}),
        &json!({"type": "array", "maxItems": 2}),
    );
    differs(&json!({"type": "array"}), &items(json!({"type": "integer"})));
    let object = |more: Value| {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        schema
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        schema
    };
    differs(&object(json!({})), &object(json!({"required": ["a"]})));
    differs(&object(json!({})), &object(json!({"additionalProperties": false})));
    let deep = |max: u64| {
        let mut schema = json!({"type": "string", "maxLength": max});
        for _ in 0..6 {
            schema =
                json!({"type": "object", "properties": {"a": {"type": "string"}, "b": schema}, "required": ["a", "b"]});
        }
        items(schema)
    };
    differs(&deep(100), &deep(99));
    differs(
        &object(json!({"required": ["a"]})),
        &json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 5}}}),
    );
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
        assert!(specimen(&schema(&writer), &Map::new()).is_some(), "{writer}");
    }
    let both = specimen(
        &schema(&json!({"type": "string", "enum": ["a", "b"]})),
        &schema(&json!({"type": "string", "enum": ["b", "c"]})),
    );
    assert_eq!(both, Some(json!("b")));
    let nothing = schema(&json!({"type": "string", "enum": ["abc"], "maxLength": 2}));
    assert_eq!(specimens(&nothing, &Map::new()), Vec::<Value>::new());
    assert_eq!(
        witness(
            &schema(&json!({"type": "integer"})),
            &schema(&json!({"type": "number"}))
        ),
        None
    );
}
