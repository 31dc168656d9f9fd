//! What a check says of single payloads; each rule at its edge.

use serde_json::Value;
use serde_json::json;

use super::OtherLimits;
use super::UNKNOWN_NAME_BYTES_MAX;
use super::VIOLATIONS_MAX;
use super::Validator;
use crate::domain::exchange::scan::UNKNOWN_MAX;
use crate::domain::exchange::verdict::Verdict;
use crate::domain::exchange::violation::Violation;
use crate::domain::exchange::violation::ViolationCode;
use crate::domain::template::effective::EffectiveTemplate;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::effective::LayeredChange;
use crate::domain::template::effective::Standing;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;
use crate::domain::template::name::ScenarioKey;
use crate::domain::template::schema::SchemaTemplate;

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
    shipped(include_str!("../../../../schemas/flight_booking_v1.json"))
}

/// A template with the keys given as (name, type, required, more members).
fn with_keys(keys: &[(&str, &str, bool, Value)], strict: bool) -> EffectiveTemplate {
    let keys: Vec<Value> = keys
        .iter()
        .map(|(name, key_type, required, more)| {
            let mut key =
                json!({"key_name": name, "key_type": key_type, "required": required, "semantic_description": "T."});
            for (member, value) in more.as_object().expect("an object") {
                key[member] = value.clone();
            }
            key
        })
        .collect();
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

fn patch_id(n: u64) -> PatchId {
    PatchId::numbered(&ScenarioKey::parse("s").expect("a scenario"), n)
}

fn seat(standing: Standing) -> EffectiveTemplate {
    let key = json!({"key_name": "seat", "key_type": "string", "required": false, "default_value": "none",
        "semantic_description": "Seat. Acceptable values: window, aisle, none."});
    let add = LayeredChange {
        patch_id: patch_id(1),
        change: KeyChange::Add(KeyDefinition::parse(&key).expect("a key").0),
        standing,
    };
    composed(&json!({"schema_id": "s", "scenario": "s", "keys": []}), &[add])
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
    let photo = shipped(include_str!("../../../../schemas/photo_retouch_v2.json"));
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
    let template = with_keys(&[("k", "string", true, json!({"default_value": "d"}))], false);
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
        (
            "object",
            json!({"required": ["a"]}),
            json!({}),
            ViolationCode::BadShape,
            "object",
        ),
    ];
    for (key_type, constraints, value, code, received_type) in cases {
        let template = with_keys(&[("k", key_type, false, json!({"constraints": constraints}))], false);
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
    let constraints = json!({"constraints": {"minimum": 1, "exclusiveMaximum": 9}});
    let template = with_keys(&[("n", "number", false, constraints)], false);
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
        &[(
            "s",
            "string",
            false,
            json!({"constraints": {"minLength": 2, "maxLength": 3}}),
        )],
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
    let template = with_keys(&[("n", "integer", false, json!({}))], false);
    for (text, kept) in [
        ("7.0", json!(7)),
        ("7", json!(7)),
        ("1e2", json!(100)),
        ("1e300", json!(1e300)),
    ] {
        let verdict = check_text(&template, &format!("{{\"n\":{text}}}"));
        assert!(verdict.accepted(), "{text}");
        assert_eq!(verdict.normalised.expect("asked for")["n"], kept);
    }
}

#[test]
fn a_fault_inside_a_tree_is_pointed_at_through_declared_members_only_z051() {
    let constraints = json!({"constraints": {"properties": {"a": {"items": {"type": "integer"}}},
        "additionalProperties": {"type": "string"}}});
    let template = with_keys(&[("k", "object", false, constraints)], false);
    let inside = check(&template, &json!({"k": {"a": [1, "x"]}}));
    assert_eq!(sole(&inside).pointer, "/payload/k/a/1");
    let foreign = check(&template, &json!({"k": {"secret-marker": 1}}));
    assert_eq!(sole(&foreign).pointer, "/payload/k");
}

#[test]
fn other_is_a_string_or_an_array_of_strings_whatever_it_declares_z059_z060_z061() {
    for declared in ["string", "array"] {
        let constraints =
            json!({"constraints": if declared == "string" { json!({"maxLength": 1}) } else { json!({}) }});
        let template = with_keys(&[("other", declared, false, constraints)], true);
        for (value, said) in [
            (json!("a b"), vec!["a b"]),
            (json!(["a", "b"]), vec!["a", "b"]),
            (json!(""), vec![""]),
            (json!([]), vec![]),
            (json!(null), vec![]),
        ] {
            let verdict = check(&template, &json!({"other": value}));
            assert!(verdict.accepted(), "{declared} {value}");
            assert_eq!(verdict.other, said);
        }
        for (value, pointer) in [
            (json!(1), "/payload/other"),
            (json!(1.5), "/payload/other"),
            (json!(false), "/payload/other"),
            (json!({"a": "b"}), "/payload/other"),
            (json!(["a", 1, null]), "/payload/other/1"),
            (json!([["a"]]), "/payload/other/0"),
        ] {
            let verdict = check(&template, &json!({"other": value}));
            let violation = sole(&verdict);
            assert_eq!(
                (violation.code, violation.pointer.as_str()),
                (ViolationCode::WrongType, pointer)
            );
            assert!(verdict.other.is_empty(), "{value}");
        }
    }
}

#[test]
fn over_long_other_is_truncated_with_a_warning_and_never_refused_z063_z060() {
    let template = with_keys(&[], true);
    let cases = [
        (json!("a".repeat(10)), vec!["a".repeat(10)], false),
        (json!("a".repeat(11)), vec!["a".repeat(10)], true),
        (json!("aaaaaaaaaä"), vec!["a".repeat(9)], true),
        (
            json!(["1", "2", "3"]),
            vec!["1".to_owned(), "2".to_owned(), "3".to_owned()],
            false,
        ),
        (
            json!(["1", "2", "3", "4"]),
            vec!["1".to_owned(), "2".to_owned(), "3".to_owned()],
            true,
        ),
    ];
    for (value, taken, truncated) in cases {
        let verdict = check(&template, &json!({"other": value}));
        assert!(verdict.accepted());
        assert_eq!(verdict.other, taken);
        assert_eq!(
            warnings(&verdict),
            if truncated {
                vec![("other", "other_truncated")]
            } else {
                vec![]
            }
        );
        assert_eq!(
            verdict.normalised.expect("asked for")["other"],
            value,
            "what is executed is what was sent"
        );
    }
}

#[test]
fn unknown_keys_are_kept_out_warned_about_and_pooled_z023() {
    let template = with_keys(&[("known", "string", false, json!({}))], false);
    let verdict = check(
        &template,
        &json!({"window": true, "note": "a rather long note", "known": "x"}),
    );
    assert!(verdict.accepted());
    assert_eq!(warnings(&verdict), [("window", "unknown_key"), ("note", "unknown_key")]);
    let pooled = [
        ("window".to_owned(), "true".to_owned()),
        ("note".to_owned(), "a rather l".to_owned()),
    ];
    assert_eq!(verdict.unknown, pooled);
    assert_eq!(verdict.normalised.map(Value::Object), Some(json!({"known": "x"})));
}

#[test]
fn strict_refuses_unknown_keys_and_names_the_nearest_z023() {
    let template = with_keys(&[("cabin_class", "string", false, json!({}))], true);
    let verdict = check(&template, &json!({"cabin_clas": "first"}));
    let violation = sole(&verdict);
    assert_eq!(
        (violation.code, violation.nearest_key.as_deref()),
        (ViolationCode::UnknownKey, Some("cabin_class"))
    );
    assert_eq!(violation.pointer, "/payload/cabin_clas");
    assert_eq!(verdict.unknown.len(), 1, "demand all the same");
}

#[test]
fn unknown_keys_are_bounded_at_their_edge_z023() {
    let template = with_keys(&[], false);
    let payload = |n: usize| Value::Object((0..n).map(|i| (format!("unknown_{i}"), json!(i))).collect());
    let at = check(&template, &payload(UNKNOWN_MAX));
    assert_eq!((at.unknown.len(), at.warnings.len()), (UNKNOWN_MAX, UNKNOWN_MAX));
    let above = check(&template, &payload(UNKNOWN_MAX + 1));
    assert_eq!(
        (above.unknown.len(), above.warnings.len()),
        (UNKNOWN_MAX, UNKNOWN_MAX + 1)
    );
    assert!(above.warnings[UNKNOWN_MAX].message.starts_with("1 more"));
    let long = "ä".repeat(UNKNOWN_NAME_BYTES_MAX);
    assert_eq!(
        check(&template, &json!({long: 1})).unknown[0].0.len(),
        UNKNOWN_NAME_BYTES_MAX
    );
    assert!(!check(&with_keys(&[], true), &payload(UNKNOWN_MAX + 1)).accepted());
}

#[test]
fn violations_are_bounded_z019() {
    let names: Vec<String> = (0..=VIOLATIONS_MAX).map(|n| format!("k{n}")).collect();
    let keys: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), "string", true, json!({})))
        .collect();
    assert_eq!(
        check(&with_keys(&keys, false), &json!({})).violations.len(),
        VIOLATIONS_MAX
    );
    assert_eq!(
        check(&with_keys(&keys[1..], false), &json!({})).violations.len(),
        VIOLATIONS_MAX
    );
    assert_eq!(
        check(&with_keys(&keys[2..], false), &json!({})).violations.len(),
        VIOLATIONS_MAX - 1
    );
}

#[test]
fn a_bad_value_refuses_only_on_a_stable_key_that_was_received_z138_z060() {
    let bad = r#"{"seat": "somewhere"}"#;
    for (standing, received, refuses) in [
        (Standing::Experimental, true, false),
        (Standing::Stable, false, false),
        (Standing::Stable, true, true),
        (Standing::Deprecated, true, false),
        (Standing::Withdrawn, true, false),
    ] {
        let validator = Validator::compile(&seat(standing), LIMITS);
        let verdict = validator
            .check(bad, &|id| received && *id == patch_id(1), true)
            .expect("JSON");
        assert_eq!(verdict.accepted(), !refuses, "{standing:?} {received}");
        let warned = verdict.warnings.iter().any(|warning| warning.code == "patch_value");
        assert_eq!(warned, !refuses);
        assert!(
            !verdict.normalised.expect("asked for").contains_key("seat"),
            "kept out, and no default instead"
        );
        assert_eq!(verdict.observed.len(), 1);
        assert!(!verdict.observed[0].type_ok);
    }
}

#[test]
fn patch_keys_that_are_present_are_observed_z135_z138() {
    let right = check(&seat(Standing::Experimental), &json!({"seat": "aisle"}));
    assert_eq!(
        (right.observed[0].patch_id.clone(), right.observed[0].type_ok),
        (patch_id(1), true)
    );
    assert!(check(&seat(Standing::Stable), &json!({})).observed.is_empty());
    assert!(
        check(&seat(Standing::Stable), &json!({"seat": null}))
            .observed
            .is_empty()
    );
    let absent = check(&seat(Standing::Experimental), &json!({}));
    assert_eq!(absent.normalised.map(Value::Object), Some(json!({"seat": "none"})));
}

#[test]
fn a_refined_base_key_is_observed_and_refuses_as_a_base_key_z114_z138() {
    let refine = LayeredChange {
        patch_id: patch_id(2),
        change: KeyChange::Refine {
            key_name: KeyName::parse("n").expect("a name"),
            semantic_description: "N.".to_owned(),
            values: Vec::new(),
        },
        standing: Standing::Experimental,
    };
    let document = json!({"schema_id": "s", "scenario": "s", "keys": [
        {"key_name": "n", "key_type": "integer", "required": false, "semantic_description": "T."}]});
    let template = composed(&document, &[refine]);
    let right = check(&template, &json!({"n": 1}));
    assert_eq!(
        (&right.observed[0].patch_id, right.observed[0].type_ok),
        (&patch_id(2), true)
    );
    let wrong = check(&template, &json!({"n": "x"}));
    assert_eq!(sole(&wrong).code, ViolationCode::WrongType);
    assert!(!wrong.observed[0].type_ok);
}

#[test]
fn keys_on_their_way_out_are_accepted_with_a_warning_z147_z150_z151() {
    let deprecated = check(&seat(Standing::Deprecated), &json!({"seat": "aisle"}));
    assert_eq!(warnings(&deprecated), [("seat", "deprecated_key")]);
    let withdrawn = check(&seat(Standing::Withdrawn), &json!({"seat": "aisle"}));
    assert_eq!(warnings(&withdrawn), [("seat", "withdrawn_key")]);
    assert_eq!(withdrawn.normalised.map(Value::Object), Some(json!({"seat": "aisle"})));
    assert!(
        check(&seat(Standing::Withdrawn), &json!({}))
            .defaults_applied
            .is_empty()
    );
}

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
        let template = with_keys(&[("k", key_type, false, json!({"constraints": constraints}))], false);
        assert_eq!(repair(&template, &json!({"k": value})), expected, "{key_type} {value}");
    }
}

#[test]
fn the_unique_nearest_listed_value_is_offered_if_it_conforms_z019_z048() {
    let listed = |constraints: Value| with_keys(&[("k", "string", false, json!({"constraints": constraints}))], false);
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
    let keys = [
        ("origin", "string", true, json!({})),
        ("count", "integer", false, json!({})),
    ];
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
    let keys = [
        ("a", "string", false, json!({"constraints": {"enum": ["x"]}})),
        ("b", "string", false, json!({"constraints": {"pattern": "^x$"}})),
        ("c", "string", false, json!({"constraints": {"format": "email"}})),
        ("d", "integer", false, json!({})),
        (
            "e",
            "array",
            false,
            json!({"constraints": {"items": {"type": "integer"}}}),
        ),
        (
            "f",
            "object",
            false,
            json!({"constraints": {"additionalProperties": false}}),
        ),
        ("g", "string", false, json!({"constraints": {"maxLength": 1}})),
    ];
    for strict in [false, true] {
        let verdict = check(
            &with_keys(&keys, strict),
            &json!({"a": marker, "b": marker, "c": marker, "d": marker, "e": [marker], "f": {marker: marker},
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

#[test]
fn a_payload_that_is_no_object_is_one_violation_z028_z019() {
    for (text, received_type) in [
        ("[{}]", "array"),
        ("\"a\"", "string"),
        ("1", "integer"),
        ("null", "null"),
    ] {
        let verdict = check_text(&flight(), text);
        let violation = sole(&verdict);
        assert_eq!(
            (violation.pointer.as_str(), violation.received_type),
            ("/payload", Some(received_type))
        );
        assert_eq!(violation.code, ViolationCode::WrongType);
    }
}

#[test]
fn of_a_key_written_twice_the_last_one_counts_z035() {
    let template = with_keys(&[("n", "integer", false, json!({}))], false);
    let right = check_text(
        &template,
        r#"{"n": "x", "n": 2, "u": 1, "u": 2, "other": ["a", 1], "other": "b"}"#,
    );
    assert!(right.accepted());
    assert_eq!(right.normalised.map(Value::Object), Some(json!({"n": 2, "other": "b"})));
    assert_eq!(right.unknown, [("u".to_owned(), "2".to_owned())]);
    assert_eq!(right.other, ["b"]);
    assert!(!check_text(&template, r#"{"n": 2, "n": "x"}"#).accepted());
    let nothing = check_text(&template, r#"{"n": 2, "n": null, "other": "a", "other": null}"#);
    assert_eq!(
        (nothing.normalised.map(Value::Object), nothing.other),
        (Some(json!({})), vec![])
    );
}

#[test]
fn nesting_is_bounded_wherever_it_stands_z019() {
    let template = with_keys(
        &[("a", "array", false, json!({})), ("s", "string", false, json!({}))],
        false,
    );
    let validator = Validator::compile(&template, LIMITS);
    for key in ["a", "s", "other", "unknown"] {
        let deep = |levels: usize| format!("{{\"{key}\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        for normalise in [false, true] {
            assert!(validator.check(&deep(126), &|_| true, normalise).is_ok(), "{key}");
            assert!(validator.check(&deep(128), &|_| true, normalise).is_err(), "{key}");
        }
    }
}

#[test]
fn a_key_written_twice_counts_as_its_last_and_is_warned_about_once_z019() {
    let template = with_keys(
        &[
            ("count", "integer", true, json!({})),
            ("place", "string", false, json!({})),
        ],
        false,
    );
    let verdict = check_text(
        &template,
        r#"{"count": "x", "place": "a", "count": null, "count": 3, "other": "one", "other": "two"}"#,
    );
    assert!(verdict.accepted(), "{:?}", verdict.violations);
    let mut warned = warnings(&verdict);
    warned.sort_unstable();
    assert_eq!(warned, [("count", "repeated_key"), ("other", "repeated_key")]);
    assert_eq!(verdict.other, ["two"]);
    assert_eq!(verdict.normalised.as_ref().map(|kept| &kept["count"]), Some(&json!(3)));
    let refused = check_text(&template, r#"{"count": 3, "count": "x"}"#);
    assert_eq!(sole(&refused).key, "count", "the last one counts");
    assert_eq!(warnings(&refused), [("count", "repeated_key")]);
    assert_eq!(warnings(&check_text(&template, r#"{"count": 3, "place": "a"}"#)), []);
}

#[test]
fn a_wrong_element_of_other_is_named_by_its_place_and_its_own_type_z058_z060() {
    let template = with_keys(&[], false);
    for (element, own) in [
        ("1", "integer"),
        ("1.5", "number"),
        ("null", "null"),
        ("true", "boolean"),
        ("[\"a\"]", "array"),
        ("{\"a\": 1}", "object"),
    ] {
        let verdict = check_text(&template, &format!("{{\"other\": [\"a\", {element}, 7, \"b\"]}}"));
        let violation = sole(&verdict);
        assert_eq!(violation.pointer, "/payload/other/1", "{element}");
        assert_eq!(violation.received_type, Some(own), "{element}");
    }
    let whole = check_text(&template, r#"{"other": {"a": "b"}}"#);
    assert_eq!(
        (&*sole(&whole).pointer, sole(&whole).received_type),
        ("/payload/other", Some("object"))
    );
}
