//! What is wrong within arrays and objects: everything, each with its place, and what would put it right there.

use serde_json::Value;
use serde_json::json;

use super::check;
use super::sole;
use super::with_key;
use super::with_keys;
use crate::effective::EffectiveTemplate;
use crate::exchange::verdict::VIOLATIONS_MAX;

/// The template of the cases: nested, open, closed and listed values.
fn nested() -> EffectiveTemplate {
    let keys = json!({
        "addr": {"key_type": "object", "constraints": {"required": ["street", "zip", "city"], "properties": {
            "street": {"type": "string", "minLength": 3}, "zip": {"type": "string"}, "city": {"type": "string"}}}},
        "limits": {"key_type": "object", "constraints": {"additionalProperties": {"type": "integer"}}},
        "qty": {"key_type": "array", "constraints": {"items": {"type": "integer", "minimum": 1}}},
        "tags": {"key_type": "array", "constraints": {"items": {"type": "string", "enum": ["red", "green", "blue"]}}},
        "closed": {"key_type": "object", "constraints": {"required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "string"}, "count": {"type": "integer"}}}},
        "code": {"key_type": "string", "constraints": {"minLength": 5, "pattern": "^[0-9]+$"}},
        "dishes": {"key_type": "array", "constraints": {"items": {"type": "string"}}},
        "pair": {"key_type": "array", "constraints": {"items": {"type": "integer"}, "minItems": 2, "uniqueItems": true}},
        "free": "object",
        "list": "array",
    });
    with_keys(&keys, false)
}

/// Pointer, code and repair of every violation.
fn told(payload: &Value) -> Value {
    let verdict = check(&nested(), payload);
    let violations = verdict.violations.iter();
    violations
        .map(|told| json!([told.pointer, told.code, told.repair]))
        .collect()
}

fn repair_of(payload: &Value) -> Value {
    super::repair(&nested(), payload)
}

fn replaced(path: &str, value: &Value, lossless: bool) -> Value {
    json!([{"op": "replace", "path": path, "value": value, "lossless": lossless}])
}

#[test]
fn every_violation_of_a_key_is_told_with_its_own_place_z017_z019_z051() {
    let payload = json!({"addr": {"street": "x", "zip": 1}, "qty": ["1", 0, 1.5], "code": "ab"});
    let expected = json!([
        ["/payload/addr/city", "bad_shape", null],
        ["/payload/addr/street", "out_of_range", null],
        [
            "/payload/addr/zip",
            "wrong_type",
            replaced("/payload/addr/zip", &json!("1"), true)
        ],
        [
            "/payload/qty/0",
            "wrong_type",
            replaced("/payload/qty/0", &json!(1), true)
        ],
        ["/payload/qty/1", "out_of_range", null],
        ["/payload/qty/2", "wrong_type", null],
        ["/payload/code", "out_of_range", null],
        ["/payload/code", "bad_format", null],
    ]);
    assert_eq!(told(&payload), expected);
    let verdict = check(&nested(), &json!({"limits": {"a/b": "x", "b": 2}}));
    let violation = sole(&verdict);
    assert_eq!(
        (violation.pointer.as_str(), violation.received_type),
        ("/payload/limits/a~1b", Some("string"))
    );
    assert_eq!(json!(violation.expected), json!({"type": "integer"}));
    assert_eq!(violation.message, "a value within `limits` must be of type integer");
}

#[test]
fn repairs_are_offered_below_a_key_where_they_are_determined_z019_z051() {
    for (payload, path, value, lossless) in [
        (
            json!({"tags": ["gren", "blue"]}),
            "/payload/tags/0",
            json!("green"),
            false,
        ),
        (json!({"limits": {"a": "2"}}), "/payload/limits/a", json!(2), true),
        (json!({"limits": {"a": "two"}}), "/payload/limits/a", json!(2), false),
        (json!({"qty": "[1,2]"}), "/payload/qty", json!([1, 2]), true),
        (json!({"qty": " [ \"1\" ]"}), "/payload/qty", json!([1]), true),
        (json!({"qty": "[\"two\"]"}), "/payload/qty", json!([2]), false),
        (json!({"limits": "{\"a\":1}"}), "/payload/limits", json!({"a": 1}), true),
        (json!({"free": "{\"a\":[]}"}), "/payload/free", json!({"a": []}), true),
        (
            json!({"list": "[1, \"\\u00e9\"]"}),
            "/payload/list",
            json!([1, "é"]),
            true,
        ),
        (json!({"dishes": "pizza"}), "/payload/dishes", json!(["pizza"]), false),
        (json!({"tags": "Red"}), "/payload/tags", json!(["red"]), false),
        (json!({"qty": 3}), "/payload/qty", json!([3]), false),
        (json!({"qty": "3"}), "/payload/qty", json!([3]), false),
    ] {
        assert_eq!(repair_of(&payload), replaced(path, &value, lossless), "{payload}");
    }
    for undetermined in [
        json!({"dishes": "pizza, pasta"}),
        json!({"dishes": ["pizza", 1.5]}),
        json!({"qty": ["", 1]}),
        json!({"dishes": "[pizza"}),
        json!({"dishes": 7.5}),
        json!({"tags": "purple"}),
        json!({"list": "pizza"}),
        json!({"pair": 3}),
        json!({"qty": "[0]"}),
        json!({"qty": "{\"a\":1}"}),
        json!({"limits": "{\"a\":1,\"a\":2}"}),
        json!({"free": "{\"a\": 12345678901234567890123}"}),
        json!({"free": "not JSON"}),
        json!({"list": format!("{}{}", "[".repeat(65), "]".repeat(65))}),
    ] {
        assert_eq!(repair_of(&undetermined), Value::Null, "{undetermined}");
    }
}

#[test]
fn a_known_rename_is_offered_below_a_key_z019_z023() {
    let moved =
        json!([{"op": "move", "path": "/payload/addr/street", "from": "/payload/addr/stret", "lossless": false}]);
    assert_eq!(
        repair_of(&json!({"addr": {"stret": "Main", "zip": "1", "city": "B"}})),
        moved
    );
    let halves = told(&json!({"closed": {"A": "x", "Count": 1}}));
    let repairs: Vec<&Value> = halves.as_array().into_iter().flatten().map(|told| &told[2]).collect();
    let expected = json!([
        [{"op": "copy", "path": "/payload/closed/a", "from": "/payload/closed/A", "lossless": true}],
        [{"op": "move", "path": "/payload/closed/a", "from": "/payload/closed/A", "lossless": true}],
        [{"op": "move", "path": "/payload/closed/count", "from": "/payload/closed/Count", "lossless": true}],
    ]);
    assert_eq!(json!(repairs), expected);
    let verdict = check(&nested(), &json!({"closed": {"a": "x", "cuont": "secret-marker"}}));
    let told = json!([
        sole(&verdict).pointer,
        sole(&verdict).nearest_key,
        sole(&verdict).repair
    ]);
    assert_eq!(told, json!(["/payload/closed/cuont", "count", null]));
}

#[test]
fn what_one_repair_would_break_or_mend_for_another_is_not_offered_z019() {
    // Either alone would make the array hold 2 twice.
    assert_eq!(repair_of(&json!({"pair": ["2", 2]})), Value::Null);
    assert_eq!(
        repair_of(&json!({"pair": ["2", 3]})),
        replaced("/payload/pair/0", &json!(2), true)
    );
    let listed = with_key(
        &json!("array"),
        &json!({"items": {"type": "integer"}, "enum": [[1, 2]]}),
    );
    let verdict = check(&listed, &json!({"k": [1, "2"]}));
    assert_eq!(verdict.violations.len(), 2);
    assert!(verdict.violations.iter().all(|violation| violation.repair.is_none()));
}

#[test]
fn an_omitted_member_that_is_null_is_no_violation_beside_another_z018_z051() {
    let of = json!({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}});
    let verdict = check(&with_key(&json!("object"), &of), &json!({"k": {"a": null, "b": "2"}}));
    assert_eq!(sole(&verdict).pointer, "/payload/k/b");
}

#[test]
fn violations_within_a_key_are_bounded_and_repaired_all_the_same_z019() {
    for (count, repaired) in [(VIOLATIONS_MAX + 1, true), (2_000, false)] {
        let verdict = check(&nested(), &json!({"qty": vec!["1"; count]}));
        assert_eq!(verdict.violations.len(), VIOLATIONS_MAX);
        let carry = verdict
            .violations
            .iter()
            .all(|violation| violation.repair.is_some() == repaired);
        assert!(carry, "{count}");
    }
    let long = check(&nested(), &json!({"limits": {"n".repeat(2_000): "1"}}));
    assert_eq!(
        (sole(&long).pointer.as_str(), &sole(&long).repair),
        ("/payload/limits", &None)
    );
    let words: Vec<String> = (0..500).map(|n| format!("value{n}")).collect();
    let many = with_key(&json!("array"), &json!({"items": {"type": "string", "enum": words}}));
    let verdict = check(&many, &json!({"k": ["other"]}));
    assert_eq!(
        json!(sole(&verdict).expected),
        json!({"type": "string"}),
        "shown while it is short"
    );
}
