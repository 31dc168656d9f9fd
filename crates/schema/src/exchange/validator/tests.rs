//! What a check says of single payloads; each rule at its edge.

mod nested;

mod patched;

mod payload_schema;

mod properties;

mod repairs;

mod shape;

mod unknown;

use serde_json::Value;
use serde_json::json;

use super::VIOLATIONS_MAX;
use super::Validator;
use crate::effective::EffectiveTemplate;
use crate::effective::LayeredChange;
use crate::exchange::other::OtherLimits;
use crate::exchange::verdict::Verdict;
use crate::exchange::violation::Violation;
use crate::exchange::violation::ViolationCode;
use crate::name::KeyName;
use crate::template::SchemaTemplate;

const LIMITS: OtherLimits = OtherLimits {
    strings_max: 3,
    bytes_max: 10,
};

fn composed(document: &Value, layer: &[LayeredChange]) -> EffectiveTemplate {
    let (base, _) = SchemaTemplate::parse(document).expect("a template");
    EffectiveTemplate::compose(&base, layer, 1)
}

fn shipped(text: &str) -> EffectiveTemplate {
    composed(&serde_json::from_str(text).expect("JSON"), &[])
}

fn flight() -> EffectiveTemplate {
    shipped(include_str!("../../../../../schemas/flight_booking_v1.json"))
}

/// A template with these keys: by name, each with its type or its members.
fn with_keys(keys: &Value, strict: bool) -> EffectiveTemplate {
    let keys = keys.as_object().into_iter().flatten().map(|(name, members)| {
        let mut key = json!({"key_name": name, "key_type": members, "required": false, "semantic_description": "T."});
        for (member, value) in members.as_object().into_iter().flatten() {
            key[member] = value.clone();
        }
        key
    });
    let keys: Vec<Value> = keys.collect();
    composed(
        &json!({"schema_id": "s", "scenario": "s", "strict": strict, "keys": keys}),
        &[],
    )
}

fn check(template: &EffectiveTemplate, payload: &Value) -> Verdict {
    check_text(template, &payload.to_string())
}

fn check_text(template: &EffectiveTemplate, payload: &str) -> Verdict {
    Validator::compile(template, LIMITS)
        .check(payload, &|_| true, true)
        .expect("JSON")
}

fn sole(verdict: &Verdict) -> &Violation {
    assert_eq!(verdict.violations.len(), 1, "{:?}", verdict.violations);
    &verdict.violations[0]
}

fn warnings(verdict: &Verdict) -> Vec<(&str, &str)> {
    verdict
        .warnings
        .iter()
        .map(|warning| (warning.key.as_str(), warning.code))
        .collect()
}

#[test]
fn figure_4_validates_z067_z068() {
    let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
        "cabin_class": "business", "passenger_count": 1, "other": "window seat"});
    let verdict = Validator::compile(
        &flight(),
        OtherLimits {
            bytes_max: 100,
            ..LIMITS
        },
    )
    .check(&payload.to_string(), &|_| true, true)
    .expect("JSON");
    assert!(verdict.accepted() && verdict.warnings.is_empty());
    assert_eq!(verdict.other, ["window seat"]);
    assert_eq!(verdict.normalised.map(Value::Object), Some(payload));
    assert!(verdict.defaults_applied.is_empty() && verdict.observed.is_empty() && verdict.unknown.is_empty());
}

#[test]
fn figure_5_validates_and_finer_requests_stay_in_other_z070_z071() {
    let photo = shipped(include_str!("../../../../../schemas/photo_retouch_v2.json"));
    let payload = json!({"skin_smoothing": 7, "teeth_whitening": true, "background_blur": true,
        "filter_style": "vintage", "eye_enlargement": false, "other": "increase eye size proportionally"});
    let verdict = check(&photo, &payload);
    assert!(verdict.accepted());
    assert_eq!(verdict.normalised.map(Value::Object), Some(payload));
    assert_eq!(verdict.other, ["increase e"]);
}

#[test]
fn every_missing_required_key_is_named_z017_z019() {
    let verdict = check(&flight(), &json!({"destination": null}));
    let named: Vec<&str> = verdict
        .violations
        .iter()
        .map(|violation| violation.key.as_str())
        .collect();
    assert_eq!(named, ["origin", "destination", "departure_date"]);
    for violation in &verdict.violations {
        assert_eq!(violation.code, ViolationCode::MissingRequired);
        assert_eq!(violation.pointer, format!("/payload/{}", violation.key));
        assert_eq!(violation.expected["type"], "string");
    }
    assert_eq!(verdict.violations[1].received_type, Some("null"));
}

#[test]
fn optional_keys_may_be_left_out_or_null_and_take_their_default_z018_z043_z044_z045() {
    let payload = json!({"origin": "a", "destination": "b", "departure_date": "c", "passenger_count": null});
    let verdict = check(&flight(), &payload);
    assert!(verdict.accepted());
    let defaults: Vec<&str> = verdict.defaults_applied.iter().map(KeyName::as_str).collect();
    assert_eq!(defaults, ["cabin_class", "passenger_count"]);
    let normalised = verdict.normalised.expect("asked for");
    assert_eq!(
        (&normalised["cabin_class"], &normalised["passenger_count"]),
        (&json!("economy"), &json!(1))
    );
    assert!(!normalised.contains_key("other"));
}

#[test]
fn a_default_is_never_applied_to_a_required_key_z046() {
    let template = with_keys(
        &json!({"k": {"key_type": "string", "required": true, "default_value": "d"}}),
        false,
    );
    let verdict = check(&template, &json!({}));
    assert_eq!(sole(&verdict).code, ViolationCode::MissingRequired);
    assert!(verdict.defaults_applied.is_empty());
    assert_eq!(verdict.normalised.map(Value::Object), Some(json!({})));
}

#[test]
fn a_base_key_refuses_what_breaks_it_with_code_and_expectation_z048_z037() {
    let cases = [
        ("string", json!({}), json!(true), ViolationCode::WrongType, "boolean"),
        ("integer", json!({}), json!(1.5), ViolationCode::WrongType, "number"),
        ("boolean", json!({}), json!([1]), ViolationCode::WrongType, "array"),
        ("number", json!({}), json!({"a": 1}), ViolationCode::WrongType, "object"),
        ("array", json!({}), json!("a"), ViolationCode::WrongType, "string"),
        (
            "object",
            json!({"properties": {}}),
            json!([]),
            ViolationCode::WrongType,
            "array",
        ),
        (
            "string",
            json!({"enum": ["a"]}),
            json!("long other"),
            ViolationCode::NotAcceptable,
            "string",
        ),
        (
            "integer",
            json!({"const": 1}),
            json!(2),
            ViolationCode::NotAcceptable,
            "integer",
        ),
        (
            "boolean",
            json!({"const": true}),
            json!(false),
            ViolationCode::NotAcceptable,
            "boolean",
        ),
        (
            "integer",
            json!({"maximum": 9}),
            json!(10),
            ViolationCode::OutOfRange,
            "integer",
        ),
        (
            "number",
            json!({"multipleOf": 0.5}),
            json!(0.7),
            ViolationCode::OutOfRange,
            "number",
        ),
        (
            "string",
            json!({"maxLength": 2}),
            json!("abc"),
            ViolationCode::OutOfRange,
            "string",
        ),
        (
            "string",
            json!({"pattern": "^a$"}),
            json!("b"),
            ViolationCode::BadFormat,
            "string",
        ),
        (
            "string",
            json!({"format": "date"}),
            json!("2026-02-29"),
            ViolationCode::BadFormat,
            "string",
        ),
        (
            "array",
            json!({"minItems": 1}),
            json!([]),
            ViolationCode::BadShape,
            "array",
        ),
    ];
    for (key_type, constraints, value, code, received_type) in cases {
        let template = with_keys(&json!({"k": {"key_type": key_type, "constraints": constraints}}), false);
        let verdict = check(&template, &json!({"k": value}));
        let violation = sole(&verdict);
        assert_eq!(
            (violation.code, violation.received_type),
            (code, Some(received_type)),
            "{value}"
        );
        let mut expected = json!({"type": key_type});
        expected
            .as_object_mut()
            .expect("an object")
            .extend(constraints.as_object().expect("an object").clone());
        assert_eq!(Value::Object(violation.expected.clone()), expected);
        assert_eq!(violation.repair, None, "nothing is invented or clamped: {value}");
        assert!(verdict.normalised.expect("asked for").is_empty());
    }
}

#[test]
fn bounds_and_lengths_hold_at_their_edge_z048() {
    let constraints = json!({"minimum": 1, "exclusiveMaximum": 9});
    let template = with_keys(&json!({"n": {"key_type": "number", "constraints": constraints}}), false);
    for (value, right) in [
        ("1", true),
        ("0.999", false),
        ("8.999", true),
        ("9", false),
        ("9.0", false),
        ("1e0", true),
    ] {
        assert_eq!(
            check_text(&template, &format!("{{\"n\":{value}}}")).accepted(),
            right,
            "{value}"
        );
    }
    let template = with_keys(
        &json!({"s": {"key_type": "string", "constraints": {"minLength": 2, "maxLength": 3}}}),
        false,
    );
    for (value, right) in [
        ("ä", false),
        ("äö", true),
        ("😀😀😀", true),
        ("😀😀😀😀", false),
        ("abcd", false),
    ] {
        assert_eq!(
            check(&template, &json!({"s": value})).accepted(),
            right,
            "{value}: code points, not bytes"
        );
    }
}

#[test]
fn a_whole_number_is_an_integer_however_it_is_written_z037() {
    let template = with_keys(&json!({"n": "integer"}), false);
    for (text, kept) in [
        ("7.0", json!(7)),
        ("7", json!(7)),
        ("1e2", json!(100)),
        ("-2.5e3", json!(-2500)),
    ] {
        let verdict = check_text(&template, &format!("{{\"n\":{text}}}"));
        assert!(verdict.accepted(), "{text}");
        assert_eq!(verdict.normalised.expect("asked for")["n"], kept);
    }
}

#[test]
fn a_fault_inside_a_tree_is_pointed_at_z051() {
    let constraints = json!({"properties": {"a": {"items": {"type": "integer"}}},
        "additionalProperties": {"type": "string"}});
    let template = with_keys(&json!({"k": {"key_type": "object", "constraints": constraints}}), false);
    let inside = check(&template, &json!({"k": {"a": [1, "x"]}}));
    assert_eq!(sole(&inside).pointer, "/payload/k/a/1");
    let foreign = check(&template, &json!({"k": {"secret-marker": true}}));
    assert_eq!(sole(&foreign).pointer, "/payload/k/secret-marker");
    assert!(!sole(&foreign).message.contains("secret-marker"));
}

#[test]
fn violations_are_bounded_z019() {
    for (lacking, told) in [
        (0, 0),
        (VIOLATIONS_MAX - 1, VIOLATIONS_MAX - 1),
        (VIOLATIONS_MAX + 1, VIOLATIONS_MAX),
    ] {
        let key = |n: usize| (format!("k{n}"), json!({"key_type": "string", "required": true}));
        let keys = Value::Object((0..lacking).map(key).collect());
        assert_eq!(check(&with_keys(&keys, false), &json!({})).violations.len(), told);
    }
}
