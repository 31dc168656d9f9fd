//! Repairs that are offered, and what no message repeats.

use serde_json::Value;
use serde_json::json;

use super::LIMITS;
use super::check;
use super::flight;
use super::sole;
use super::with_keys;
use crate::effective::EffectiveTemplate;
use crate::exchange::validator::Validator;

fn repair(template: &EffectiveTemplate, payload: &Value) -> Value {
    json!(sole(&check(template, payload)).repair)
}

#[test]
fn exact_coercions_are_offered_and_nothing_else_z019() {
    let replaced = |value: Value| json!([{"op": "replace", "path": "/payload/k", "value": value}]);
    let none = Value::Null;
    let cases = [
        ("integer", json!({}), json!("2"), replaced(json!(2))),
        ("integer", json!({}), json!("3.0"), replaced(json!(3))),
        ("integer", json!({}), json!("-3"), replaced(json!(-3))),
        ("integer", json!({}), json!("3.5"), none.clone()),
        ("integer", json!({}), json!(" 2"), none.clone()),
        ("integer", json!({}), json!("two"), none.clone()),
        ("integer", json!({}), json!(2.5), none.clone()),
        ("integer", json!({}), json!("1e300"), none.clone()),
        ("integer", json!({"maximum": 9}), json!("10"), none.clone()),
        ("integer", json!({"maximum": 9}), json!(10), none.clone()),
        ("number", json!({}), json!("2.50"), replaced(json!(2.5))),
        ("number", json!({}), json!("0.12345678901234567"), none.clone()),
        ("boolean", json!({}), json!("true"), replaced(json!(true))),
        ("boolean", json!({}), json!("False"), replaced(json!(false))),
        ("boolean", json!({}), json!("yes"), none.clone()),
        ("boolean", json!({}), json!(1), none.clone()),
        ("string", json!({}), json!(7), replaced(json!("7"))),
        ("string", json!({}), json!(7.5), none.clone()),
        ("string", json!({}), json!(true), none.clone()),
        ("string", json!({"pattern": "^a"}), json!(7), none.clone()),
    ];
    for (key_type, constraints, value, expected) in cases {
        let template = with_keys(&json!({"k": {"key_type": key_type, "constraints": constraints}}), false);
        assert_eq!(repair(&template, &json!({"k": value})), expected, "{key_type} {value}");
    }
}

#[test]
fn the_unique_nearest_listed_value_is_offered_if_it_conforms_z019_z048() {
    let listed =
        |constraints: Value| with_keys(&json!({"k": {"key_type": "string", "constraints": constraints}}), false);
    let seats = listed(json!({"enum": ["window", "aisle", "exit_row"]}));
    for (value, choice) in [
        ("Window", Some("window")),
        ("exit row", Some("exit_row")),
        ("windw", Some("window")),
        ("aisel", Some("aisle")),
        ("middle", None),
        ("", None),
    ] {
        let offered = repair(&seats, &json!({"k": value}));
        assert_eq!(offered.pointer("/0/value").and_then(Value::as_str), choice, "{value}");
    }
    let tied = listed(json!({"enum": ["cat1", "cat2"]}));
    assert_eq!(repair(&tied, &json!({"k": "cat3"})), Value::Null);
    let short = listed(json!({"enum": ["window", "aisle"], "maxLength": 5}));
    assert_eq!(repair(&short, &json!({"k": "windw"})), Value::Null);
}

#[test]
fn a_known_rename_is_offered_where_the_value_conforms_z019_z023() {
    let keys = json!({
        "origin": {"key_type": "string", "required": true},
        "count": "integer"
    });
    let lenient = with_keys(&keys, false);
    let renamed = json!([{"op": "move", "path": "/payload/origin", "from": "/payload/orgin"}]);
    assert_eq!(repair(&lenient, &json!({"orgin": "PEK"})), renamed);
    assert_eq!(
        repair(&lenient, &json!({"orgin": 1})),
        Value::Null,
        "the value would not conform"
    );
    assert_eq!(
        repair(&lenient, &json!({"orgin": "a", "origiin": "b"})),
        Value::Null,
        "two would become it"
    );
    let strict = check(&with_keys(&keys, true), &json!({"orgin": "PEK", "Count": 1}));
    let repairs: Vec<Value> = strict
        .violations
        .iter()
        .map(|violation| json!(violation.repair))
        .collect();
    let expected = [
        json!([{"op": "copy", "path": "/payload/origin", "from": "/payload/orgin"}]),
        json!([{"op": "remove", "path": "/payload/orgin"}]),
        json!([{"op": "move", "path": "/payload/count", "from": "/payload/Count"}]),
    ];
    assert_eq!(repairs, expected);
    let taken = check(&with_keys(&keys, true), &json!({"origin": "a", "orgin": "b"}));
    assert_eq!(sole(&taken).repair, None, "the key is there already");
}

#[test]
fn no_value_appears_in_a_message_z019() {
    let marker = "secret-marker";
    let keys = json!({
        "a": {"key_type": "string", "constraints": {"enum": ["x"]}},
        "b": {"key_type": "string", "constraints": {"pattern": "^x$"}},
        "c": {"key_type": "string", "constraints": {"format": "email"}},
        "d": "integer",
        "e": {"key_type": "array", "constraints": {"items": {"type": "integer"}}},
        "f": {"key_type": "object", "constraints": {"additionalProperties": false}},
        "g": {"key_type": "string", "constraints": {"maxLength": 1}}
    });
    for strict in [false, true] {
        let verdict = check(
            &with_keys(&keys, strict),
            &json!({"a": marker, "b": marker, "c": marker, "d": marker, "e": [marker], "f": {"more": marker},
                "g": marker, "unknown": marker, "other": [marker, 1]}),
        );
        assert!(verdict.violations.len() >= 8);
        assert!(
            !json!([verdict.violations, verdict.warnings])
                .to_string()
                .contains(marker)
        );
    }
    let broken = Validator::compile(&flight(), LIMITS).check("{\"origin\": secret-marker}", &|_| true, false);
    assert!(!broken.expect_err("not JSON").contains(marker));
}
