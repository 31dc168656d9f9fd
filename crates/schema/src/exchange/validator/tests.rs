//! What a check says of single payloads; each rule at its edge.

mod nested;

mod patched;

mod properties;

use serde_json::Value;
use serde_json::json;

use super::UNKNOWN_MAX;
use super::UNKNOWN_NAME_BYTES_MAX;
use super::VIOLATIONS_MAX;
use super::Validator;
use crate::effective::EffectiveTemplate;
use crate::effective::LayeredChange;
use crate::exchange::other::OtherLimits;
use crate::exchange::verdict::Verdict;
use crate::exchange::verdict::Violation;
use crate::exchange::verdict::ViolationCode;
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

/// A template with the one key `k`.
fn with_key(key_type: &Value, constraints: &Value) -> EffectiveTemplate {
    with_keys(&json!({"k": {"key_type": key_type, "constraints": constraints}}), false)
}

fn check(template: &EffectiveTemplate, payload: &Value) -> Verdict {
    check_text(template, &payload.to_string())
}

fn check_text(template: &EffectiveTemplate, payload: &str) -> Verdict {
    let validator = Validator::compile(template, LIMITS);
    validator.check(payload, &|_| true, true).expect("JSON")
}

fn sole(verdict: &Verdict) -> &Violation {
    assert_eq!(verdict.violations.len(), 1, "{:?}", verdict.violations);
    &verdict.violations[0]
}

/// What the repair of the one violation is.
fn repair(template: &EffectiveTemplate, payload: &Value) -> Value {
    json!(sole(&check(template, payload)).repair)
}

/// Key and code of every warning.
fn warnings(verdict: &Verdict) -> Value {
    verdict
        .warnings
        .iter()
        .map(|warning| json!([warning.key, warning.code]))
        .collect()
}

fn executed(verdict: &Verdict) -> Value {
    json!(verdict.normalised)
}

#[test]
fn figures_4_and_5_validate_and_finer_requests_stay_in_other_z067_z068_z070_z071() {
    let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
        "cabin_class": "business", "passenger_count": 1, "other": "window"});
    let verdict = check(&flight(), &payload);
    assert!(verdict.accepted() && verdict.warnings.is_empty());
    assert_eq!(
        (verdict.other.clone(), executed(&verdict)),
        (vec!["window".to_owned()], payload)
    );
    assert!(verdict.defaults_applied.is_empty() && verdict.observed.is_empty() && verdict.unknown.is_empty());
    let photo = shipped(include_str!("../../../../../schemas/photo_retouch_v2.json"));
    let payload = json!({"skin_smoothing": 7, "teeth_whitening": true, "background_blur": true,
        "filter_style": "vintage", "eye_enlargement": false, "other": "increase eye size proportionally"});
    let verdict = check(&photo, &payload);
    assert!(verdict.accepted());
    assert_eq!(
        (verdict.other.clone(), executed(&verdict)),
        (vec!["increase e".to_owned()], payload)
    );
}

#[test]
fn required_keys_are_named_and_optional_ones_take_their_default_z017_z018_z019_z043_z044_z045_z046() {
    let verdict = check(&flight(), &json!({"destination": null}));
    let told = verdict
        .violations
        .iter()
        .map(|told| json!([told.code, told.pointer, told.expected["type"], told.received_type]));
    let lacking =
        |key: &str, received: Value| json!(["missing_required", format!("/payload/{key}"), "string", received]);
    let named = [
        lacking("origin", json!(null)),
        lacking("destination", json!("null")),
        lacking("departure_date", json!(null)),
    ];
    assert_eq!(told.collect::<Vec<_>>(), named);
    let payload = json!({"origin": "a", "destination": "b", "departure_date": "2026-05-04", "passenger_count": null});
    let verdict = check(&flight(), &payload);
    let defaults: Vec<&str> = verdict.defaults_applied.iter().map(KeyName::as_str).collect();
    assert_eq!(defaults, ["cabin_class", "passenger_count"]);
    let kept = json!({"origin": "a", "destination": "b", "departure_date": "2026-05-04", "cabin_class": "economy", "passenger_count": 1});
    assert_eq!(executed(&verdict), kept);
    let asked = json!({"k": {"key_type": "string", "required": true, "default_value": "d"}});
    let verdict = check(&with_keys(&asked, false), &json!({}));
    assert_eq!(
        sole(&verdict).code,
        ViolationCode::MissingRequired,
        "no default of a required key"
    );
    assert_eq!((verdict.defaults_applied.len(), executed(&verdict)), (0, json!({})));
}

#[test]
fn a_base_key_refuses_what_breaks_it_with_code_and_expectation_z048_z037() {
    for row in [
        json!(["string", {}, true, "wrong_type", "boolean"]),
        json!(["integer", {}, 1.5, "wrong_type", "number"]),
        json!(["boolean", {}, [1], "wrong_type", "array"]),
        json!(["number", {}, {"a": 1}, "wrong_type", "object"]),
        json!(["array", {}, "a", "wrong_type", "string"]),
        json!(["object", {"properties": {}}, [], "wrong_type", "array"]),
        json!(["string", {"enum": ["a"]}, "long other", "not_acceptable", "string"]),
        json!(["integer", {"const": 1}, 2, "not_acceptable", "integer"]),
        json!(["boolean", {"const": true}, false, "not_acceptable", "boolean"]),
        json!(["integer", {"maximum": 9}, 10, "out_of_range", "integer"]),
        json!(["number", {"multipleOf": 0.5}, 0.7, "out_of_range", "number"]),
        json!(["string", {"maxLength": 2}, "abc", "out_of_range", "string"]),
        json!(["string", {"pattern": "^a$"}, "b", "bad_format", "string"]),
        json!(["string", {"format": "date"}, "2026-02-29", "bad_format", "string"]),
        json!(["array", {"minItems": 1}, [], "bad_shape", "array"]),
    ] {
        let verdict = check(&with_key(&row[0], &row[1]), &json!({"k": row[2]}));
        let violation = sole(&verdict);
        assert_eq!(
            json!([violation.code, violation.received_type]),
            json!([row[3], row[4]]),
            "{row}"
        );
        let mut expected = json!({"type": row[0]});
        json_patch::merge(&mut expected, &row[1]);
        assert_eq!(json!(violation.expected), expected);
        assert_eq!(violation.repair, None, "nothing is invented or clamped: {row}");
        assert_eq!(executed(&verdict), json!({}));
    }
}

#[test]
fn bounds_and_lengths_hold_at_their_edge_and_whole_numbers_are_integers_z037_z048() {
    let (between, lengths) = (
        json!({"minimum": 1, "exclusiveMaximum": 9}),
        json!({"minLength": 2, "maxLength": 3}),
    );
    for (key_type, constraints, texts, is_right) in [
        ("number", &between, "1 8.999 1e0", true),
        ("number", &between, "0.999 9 9.0", false),
        ("string", &lengths, "\"äö\" \"😀😀😀\"", true),
        ("string", &lengths, "\"ä\" \"😀😀😀😀\" \"abcd\"", false),
    ] {
        let template = with_key(&json!(key_type), constraints);
        for text in texts.split(' ') {
            let verdict = check_text(&template, &format!("{{\"k\":{text}}}"));
            assert_eq!(verdict.accepted(), is_right, "{text}");
        }
    }
    let template = with_key(&json!("integer"), &json!({}));
    for (text, kept) in [("7.0", 7), ("7", 7), ("1e2", 100), ("-2.5e3", -2500)] {
        let verdict = check_text(&template, &format!("{{\"k\":{text}}}"));
        assert_eq!(executed(&verdict), json!({"k": kept}), "{text}");
    }
}

#[test]
fn a_payload_is_an_object_of_bounded_depth_and_its_violations_are_bounded_z028_z019() {
    for (text, received_type) in [
        ("[{}]", "array"),
        ("\"a\"", "string"),
        ("1", "integer"),
        ("null", "null"),
    ] {
        let verdict = check_text(&flight(), text);
        let told = json!([
            sole(&verdict).pointer,
            sole(&verdict).code,
            sole(&verdict).received_type
        ]);
        assert_eq!(told, json!(["/payload", "wrong_type", received_type]));
    }
    let validator = Validator::compile(&with_keys(&json!({"a": "array", "s": "string"}), false), LIMITS);
    for key in ["a", "s", "other", "unknown"] {
        let deep = |levels: usize| format!("{{\"{key}\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
        assert!(validator.check(&deep(126), &|_| true, true).is_ok(), "{key}");
        assert!(validator.check(&deep(128), &|_| true, false).is_err(), "{key}");
    }
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

#[test]
fn of_a_name_written_twice_the_last_one_counts_and_it_is_warned_about_once_z019_z035() {
    let keys = json!({"n": {"key_type": "integer", "required": true}, "place": "string", "free": "object", "list": "array",
        "shaped": {"key_type": "object", "constraints": {"properties": {"a": {"type": "integer"}}}}});
    let template = with_keys(&keys, false);
    let deep = r#"{"n": 3, "free": {"a": {"b": 1, "b": 2}}, "list": [{"c": 1}, {"c": 1, "c": 2}], "shaped": {"a": "x", "a": 3},
        "unknown": {"d": 1, "\u0064": 2}, "twice": 1, "twice": {"e": 1, "e": 2}}"#;
    for row in [
        json!([r#"{"n": "x", "place": "a", "n": null, "n": 3, "other": ["a", 1], "other": "two"}"#, {"n": 3, "place": "a", "other": "two"}, ["n", "other"]]),
        json!([r#"{"n": 3, "other": "a", "other": null, "u": 1, "u": 2}"#, {"n": 3}, ["other", "u"]]),
        json!([r#"{"n": 3, "place": "a"}"#, {"n": 3, "place": "a"}, []]),
        json!([deep, {"n": 3, "free": {"a": {"b": 2}}, "list": [{"c": 1}, {"c": 2}], "shaped": {"a": 3}}, ["free", "list", "shaped", "twice", "unknown"]]),
        json!([r#"{"n": 3, "free": {"a": {"a": 1}}}"#, {"n": 3, "free": {"a": {"a": 1}}}, []]),
    ] {
        let mut verdict = check_text(&template, row[0].as_str().unwrap_or_default());
        assert!(verdict.accepted(), "{:?}", verdict.violations);
        verdict.warnings.retain(|warning| warning.code == "repeated_key");
        verdict.warnings.sort_by(|one, other| one.key.cmp(&other.key));
        let warned: Vec<&str> = verdict.warnings.iter().map(|warning| warning.key.as_str()).collect();
        assert_eq!(json!([row[0], executed(&verdict), warned]), row);
    }
    let refused = check_text(&template, r#"{"n": 3, "n": "x"}"#);
    assert_eq!(
        (sole(&refused).key.as_str(), warnings(&refused)),
        ("n", json!([["n", "repeated_key"]]))
    );
}

#[test]
fn a_number_that_is_read_as_another_one_is_refused_wherever_it_stands() {
    let keys = json!({"n": "integer", "m": {"key_type": "number", "constraints": {"maximum": 9}}, "s": "string", "o": "object"});
    let template = with_keys(&keys, false);
    let check_number = |text: &str, number: &str| check_text(&template, &text.replace('~', number));
    let long = "9007199254740993123456789";
    for (text, number, pointer, said) in [
        (r#"{"n": ~}"#, long, "/payload/n", "64 bits"),
        (r#"{"o": {"a": [1, -~]}}"#, long, "/payload/o/a/1", "64 bits"),
        (r#"{"unknown": ~}"#, long, "/payload/unknown", "64 bits"),
        (r#"{"n": ~}"#, "9007199254740993.0", "/payload/n", "2^53"),
        (r#"{"n": ~}"#, "-9007199254740993e9", "/payload/n", "2^53"),
    ] {
        let verdict = check_number(text, number);
        let told = json!([sole(&verdict).pointer, sole(&verdict).code, sole(&verdict).repair]);
        assert_eq!(told, json!([pointer, "out_of_range", null]));
        assert!(sole(&verdict).message.contains(said) && !sole(&verdict).message.contains("9007"));
    }
    for said_already in [r#"{"m": ~}"#, r#"{"s": ~}"#, r#"{"other": ["a", ~]}"#] {
        sole(&check_number(said_already, long));
    }
    for (text, number) in [
        (r#"{"n": ~}"#, "18446744073709551615"),
        (r#"{"n": ~}"#, "-9223372036854775808"),
        (r#"{"m": ~, "unknown": ~}"#, "-1e25"),
        (r#"{"s": "~", "unknown": ~.5}"#, long),
    ] {
        assert!(check_number(text, number).accepted(), "{number}");
    }
    let kept = check_number(r#"{"n": ~, "m": -2e0}"#, "9007199254740991.0");
    assert_eq!(executed(&kept).to_string(), r#"{"n":9007199254740991,"m":-2.0}"#);
}

#[test]
fn other_is_a_string_or_an_array_of_strings_whatever_it_declares_z058_z059_z060_z061() {
    for declared in [
        json!("array"),
        json!({"key_type": "string", "constraints": {"maxLength": 1}}),
    ] {
        let template = with_keys(&json!({ "other": declared }), true);
        for (value, said) in [
            ("\"a b\"", json!(["a b"])),
            ("[\"a\", \"b\"]", json!(["a", "b"])),
            ("\"\"", json!([""])),
            ("[]", json!([])),
            ("null", json!([])),
        ] {
            let verdict = check_text(&template, &format!("{{\"other\": {value}}}"));
            assert_eq!((verdict.accepted(), json!(verdict.other)), (true, said), "{value}");
        }
        for (value, place, own) in [
            ("1", "", "integer"),
            ("1.5", "", "number"),
            ("false", "", "boolean"),
            ("{\"a\": \"b\"}", "", "object"),
            ("[\"a\", 1, null]", "/1", "integer"),
            ("[\"a\", 1.5]", "/1", "number"),
            ("[[\"a\"]]", "/0", "array"),
            ("[null, {}]", "/0", "null"),
        ] {
            let verdict = check_text(&template, &format!("{{\"other\": {value}}}"));
            let told = sole(&verdict);
            assert_eq!(told.pointer, format!("/payload/other{place}"));
            assert_eq!((told.code, told.received_type), (ViolationCode::WrongType, Some(own)));
            assert!(verdict.other.is_empty(), "{value}");
        }
    }
}

#[test]
fn over_long_other_is_truncated_with_a_warning_and_never_refused_z063_z060() {
    let template = with_keys(&json!({}), true);
    for (value, taken, truncated) in [
        (json!("a".repeat(10)), json!(["a".repeat(10)]), false),
        (json!("a".repeat(11)), json!(["a".repeat(10)]), true),
        (json!("aaaaaaaaaä"), json!(["a".repeat(9)]), true),
        (json!(["1", "2", "3"]), json!(["1", "2", "3"]), false),
        (json!(["1", "2", "3", "4"]), json!(["1", "2", "3"]), true),
    ] {
        let verdict = check(&template, &json!({"other": value}));
        assert_eq!((verdict.accepted(), json!(verdict.other)), (true, taken));
        let warned = if truncated {
            json!([["other", "other_truncated"]])
        } else {
            json!([])
        };
        assert_eq!(warnings(&verdict), warned);
        assert_eq!(executed(&verdict)["other"], value, "what is executed is what was sent");
    }
}

#[test]
fn unknown_keys_are_kept_out_warned_about_and_pooled_or_refused_where_it_is_strict_z023() {
    let [lenient, strict] = [false, true].map(|strict| with_keys(&json!({"known": "string"}), strict));
    let verdict = check(
        &lenient,
        &json!({"window": true, "note": "a rather long note", "known": "x"}),
    );
    assert_eq!((verdict.accepted(), executed(&verdict)), (true, json!({"known": "x"})));
    let pooled = json!([["window", "true"], ["note", "a rather l"]]);
    assert_eq!(json!(verdict.unknown), pooled);
    assert_eq!(
        warnings(&verdict),
        json!([["window", "unknown_key"], ["note", "unknown_key"]])
    );
    let verdict = check(&strict, &json!({"knwn": 1}));
    let told = sole(&verdict);
    assert_eq!(
        json!([told.code, told.pointer, told.nearest_key]),
        json!(["unknown_key", "/payload/knwn", "known"])
    );
    assert_eq!(verdict.unknown.len(), 1, "demand all the same");
    let payload = |n: usize| Value::Object((0..n).map(|i| (format!("unknown_{i}"), json!(i))).collect());
    for (count, warned) in [(UNKNOWN_MAX, UNKNOWN_MAX), (UNKNOWN_MAX + 1, UNKNOWN_MAX + 1)] {
        let verdict = check(&lenient, &payload(count));
        assert_eq!((verdict.unknown.len(), verdict.warnings.len()), (UNKNOWN_MAX, warned));
        assert!(count == UNKNOWN_MAX || verdict.warnings[UNKNOWN_MAX].message.starts_with("1 more"));
        assert!(!check(&strict, &payload(count)).accepted());
    }
    let long = check(&lenient, &json!({"ä".repeat(UNKNOWN_NAME_BYTES_MAX): 1}));
    assert_eq!(long.unknown[0].0.len(), UNKNOWN_NAME_BYTES_MAX);
}

#[test]
fn exact_coercions_and_near_values_are_offered_and_nothing_else_z019_z048() {
    let seats = json!({"enum": ["window", "aisle", "exit_row"]});
    for row in [
        json!(["integer", {}, "2", 2]),
        json!(["integer", {}, "3.0", 3]),
        json!(["integer", {}, "-3", -3]),
        json!(["integer", {}, "3.5"]),
        json!(["integer", {}, " 2"]),
        json!(["integer", {}, "two", 2, false]),
        json!(["integer", {}, "Twenty-one", 21, false]),
        json!(["integer", {}, "two or three"]),
        json!(["number", {"maximum": 1}, "two"]),
        json!(["integer", {}, 2.5]),
        json!(["integer", {}, "1e300"]),
        json!(["integer", {"maximum": 9}, "10"]),
        json!(["integer", {"maximum": 9}, 10]),
        json!(["number", {}, "2.50", 2.5]),
        json!(["number", {}, "0.12345678901234567"]),
        json!(["boolean", {}, "true", true]),
        json!(["boolean", {}, "False", false]),
        json!(["boolean", {}, "yes"]),
        json!(["boolean", {}, 1]),
        json!(["string", {}, 7, "7"]),
        json!(["string", {}, 7.5]),
        json!(["string", {}, true]),
        json!(["string", {"pattern": "^a"}, 7]),
        json!(["string", seats, "Window", "window"]),
        json!(["string", seats, "exit row", "exit_row"]),
        json!(["string", seats, "windw", "window", false]),
        json!(["string", seats, "aisel", "aisle", false]),
        json!(["string", seats, "middle"]),
        json!(["string", {"enum": ["cat1", "cat2"]}, "cat3"]),
        json!(["string", {"enum": ["window", "aisle"], "maxLength": 5}, "windw"]),
    ] {
        let offered = repair(&with_key(&row[0], &row[1]), &json!({"k": row[2]}));
        let replaced = row.get(3).map(
            |value| json!([{"op": "replace", "path": "/payload/k", "value": value, "lossless": row.get(4).is_none()}]),
        );
        assert_eq!(offered, json!(replaced), "{row}");
    }
}

#[test]
fn a_known_rename_is_offered_where_the_value_conforms_z019_z023() {
    let keys = json!({"origin": {"key_type": "string", "required": true}, "count": "integer"});
    let (lenient, strict) = (with_keys(&keys, false), with_keys(&keys, true));
    let moved = |from: &str, lossless: bool| json!([{"op": "move", "path": "/payload/origin", "from": from, "lossless": lossless}]);
    assert_eq!(
        repair(&lenient, &json!({"orgin": "PEK"})),
        moved("/payload/orgin", false)
    );
    assert_eq!(
        repair(&lenient, &json!({"ORIGIN": "PEK"})),
        moved("/payload/ORIGIN", true)
    );
    let not_conforming = repair(&lenient, &json!({"orgin": 1}));
    let two_would_become_it = repair(&lenient, &json!({"orgin": "a", "origiin": "b"}));
    let there_already = repair(&strict, &json!({"origin": "a", "orgin": "b"}));
    assert_eq!(
        [not_conforming, two_would_become_it, there_already],
        [Value::Null, Value::Null, Value::Null]
    );
    let both = check(&strict, &json!({"orgin": "PEK", "Count": 1}));
    let repairs: Vec<Value> = both
        .violations
        .iter()
        .map(|violation| json!(violation.repair))
        .collect();
    let expected = json!([
        [{"op": "copy", "path": "/payload/origin", "from": "/payload/orgin", "lossless": false}],
        [{"op": "move", "path": "/payload/origin", "from": "/payload/orgin", "lossless": false}],
        [{"op": "move", "path": "/payload/count", "from": "/payload/Count", "lossless": true}],
    ]);
    assert_eq!(json!(repairs), expected);
}

#[test]
fn an_optional_key_in_another_spelling_is_warned_about_with_its_repair_z023() {
    let template = with_keys(&json!({"cabin_class": "string", "count": "integer"}), false);
    for (name, lossless) in [
        ("CABIN_CLASS", true),
        ("cabinClass", true),
        ("cabin-class", true),
        ("cabin_clas", false),
    ] {
        let verdict = check(&template, &json!({ name: "business" }));
        let expected = json!([{"op": "move", "path": "/payload/cabin_class", "from": format!("/payload/{name}"), "lossless": lossless}]);
        assert_eq!(
            (verdict.accepted(), json!(verdict.warnings[0].repair)),
            (true, expected),
            "{name}"
        );
    }
    for undetermined in [
        json!({"Count": "many"}),
        json!({"Count": 1, "count": 2}),
        json!({"COUNT": 1, "Count": 2}),
    ] {
        assert_eq!(
            check(&template, &undetermined).warnings[0].repair,
            None,
            "{undetermined}"
        );
    }
}

#[test]
fn a_text_that_says_nothing_is_offered_to_be_left_out_where_the_key_is_optional_z018_z019() {
    let of = |required: bool| json!({"key_type": "string", "required": required, "constraints": {"minLength": 3, "pattern": "^[a-z]+$"}});
    let keys = json!({
        "k": of(false),
        "day": {"key_type": "string", "constraints": {"format": "date"}},
        "speed": {"key_type": "string", "constraints": {"enum": ["none_at_all", "one", "slow"]}},
        "side": {"key_type": "string", "constraints": {"enum": ["none", "left"]}},
        "count": "integer",
        "tags": {"key_type": "array", "constraints": {"items": {"type": "string"}}},
        "insured": "boolean",
        "place": {"key_type": "object", "constraints": {"required": ["a"], "properties": {"a": of(false)["constraints"], "b": of(false)["constraints"]}}},
    });
    let mut keys = keys;
    keys["place"]["constraints"]["properties"]["a"]["type"] = json!("string");
    keys["place"]["constraints"]["properties"]["b"]["type"] = json!("string");
    let template = with_keys(&keys, false);
    for (payload, path) in [
        (json!({"k": ""}), "/payload/k"),
        (json!({"day": " "}), "/payload/day"),
        (json!({"day": "null"}), "/payload/day"),
        (json!({"speed": "None"}), "/payload/speed"),
        (json!({"count": "NULL"}), "/payload/count"),
        (json!({"tags": "null"}), "/payload/tags"),
        (json!({"tags": "None"}), "/payload/tags"),
        (json!({"insured": "undefined"}), "/payload/insured"),
        (json!({"place": {"a": "abc", "b": ""}}), "/payload/place/b"),
    ] {
        let removed = json!([{"op": "remove", "path": path, "lossless": false}]);
        assert_eq!(repair(&template, &payload), removed, "{payload}");
    }
    let listed = json!([{"op": "replace", "path": "/payload/side", "value": "none", "lossless": true}]);
    assert_eq!(repair(&template, &json!({"side": "None"})), listed);
    for undetermined in [json!({"tags": "{}"}), json!({"tags": "{\"a\":1}"})] {
        assert_eq!(repair(&template, &undetermined), Value::Null, "{undetermined}");
    }
    let asked = check(&with_keys(&json!({ "k": of(true) }), false), &json!({"k": ""}));
    let within = check(&template, &json!({"place": {"a": ""}}));
    for verdict in [asked, within] {
        let repairs: Vec<_> = verdict.violations.iter().map(|violation| &violation.repair).collect();
        assert_eq!(repairs, [&None, &None], "it must be given");
    }
}

#[test]
fn a_date_in_another_form_is_offered_in_the_iso_form_z019() {
    let template = with_key(&json!("string"), &json!({"format": "date"}));
    for (text, day, lossless) in [
        ("2026-5-4", "2026-05-04", true),
        ("24.12.2026", "2026-12-24", true),
        ("2026-05-04T00:00:00Z", "2026-05-04", true),
        ("2026-05-04T09:30:00Z", "2026-05-04", false),
    ] {
        let expected = json!([{"op": "replace", "path": "/payload/k", "value": day, "lossless": lossless}]);
        assert_eq!(repair(&template, &json!({ "k": text })), expected, "{text}");
    }
    assert_eq!(repair(&template, &json!({"k": "04.05.2026"})), Value::Null);
    let other = with_key(&json!("string"), &json!({"format": "email"}));
    assert_eq!(repair(&other, &json!({"k": "2026-5-4"})), Value::Null);
}

#[test]
fn a_payload_under_one_unknown_member_is_offered_to_be_unwrapped_z019_z023() {
    let keys = json!({"a": {"key_type": "string", "required": true}, "b": {"key_type": "integer", "required": true}, "c": "string"});
    let wrapped = json!({"arguments": {"c": "z", "b": 1, "a": "x", "more": 2}});
    for strict in [false, true] {
        let template = with_keys(&keys, strict);
        let verdict = check(&template, &json!({"arguments": {"c": "z", "b": 1, "a": "x"}}));
        let repairs: Vec<_> = verdict
            .violations
            .iter()
            .flat_map(|violation| violation.repair.clone().expect("a repair"))
            .collect();
        assert!(repairs.iter().all(|operation| !operation.lossless));
        let mut submission = json!({"payload": {"arguments": {"c": "z", "b": 1, "a": "x"}}});
        let patch: json_patch::Patch = serde_json::from_value(json!(repairs)).expect("RFC 6902");
        json_patch::patch(&mut submission, &patch).expect("it applies");
        assert_eq!(submission["payload"], json!({"a": "x", "b": 1, "c": "z"}));
        for undetermined in [
            json!({"arguments": {"a": "x"}}),
            json!({"arguments": {"a": "x", "b": 1}, "c": "z"}),
            json!({"arguments": {"a": "x", "b": 1, "arguments": 1}}),
            json!({"arguments": "x"}),
        ] {
            let verdict = check(&template, &undetermined);
            assert!(
                verdict.violations.iter().any(|violation| violation.repair.is_none()),
                "{undetermined}"
            );
        }
    }
    // Where nothing is required nothing refuses, and the warning says it.
    let verdict = check(
        &with_keys(&json!({"c": "string"}), false),
        &json!({"arguments": {"c": "z"}}),
    );
    let expected = json!([{"op": "move", "path": "/payload/c", "from": "/payload/arguments/c", "lossless": false},
        {"op": "remove", "path": "/payload/arguments", "lossless": false}]);
    assert_eq!(
        (verdict.accepted(), json!(verdict.warnings[0].repair)),
        (true, expected)
    );
    let with_unknown = check(&with_keys(&keys, false), &wrapped);
    assert!(
        with_unknown
            .violations
            .iter()
            .all(|violation| violation.repair.is_some()),
        "what is unknown moves too"
    );
}

#[test]
fn a_lenient_reading_keeps_wrong_values_of_optional_keys_out_where_the_template_allows_it_z018_z019() {
    let read = |template: &EffectiveTemplate, payload: &Value, lenient: bool| {
        let validator = Validator::compile(template, LIMITS);
        let verdict = validator.read(&payload.to_string(), &|_| true, true, lenient);
        verdict.expect("JSON")
    };
    let of = |members: Value| {
        let mut key = json!({"key_name": "k", "key_type": "integer", "required": false, "semantic_description": "T."});
        json_patch::merge(&mut key, &members);
        let other = json!({"key_name": "a", "key_type": "string", "required": true, "semantic_description": "T."});
        composed(
            &json!({"schema_id": "s", "scenario": "s", "lenient": true, "keys": [key, other]}),
            &[],
        )
    };
    let payload = json!({"a": "x", "k": 1.5});
    let verdict = read(&of(json!({})), &payload, true);
    assert_eq!((verdict.accepted(), executed(&verdict)), (true, json!({"a": "x"})));
    assert_eq!((json!(verdict.kept_out), verdict.lenient), (json!(["k"]), true));
    assert_eq!(warnings(&verdict), json!([["k", "value_kept_out"]]));
    let verdict = read(&of(json!({})), &json!({"a": "x", "k": "2"}), true);
    assert_eq!(
        json!(verdict.warnings[0].repair)[0]["value"],
        2,
        "its repair is told all the same"
    );
    let verdict = read(&of(json!({"default_value": 7})), &payload, true);
    assert_eq!(
        (executed(&verdict), json!(verdict.defaults_applied)),
        (json!({"a": "x", "k": 7}), json!(["k"]))
    );
    let long = read(&of(json!({})), &json!({"a": "x", "k": "y"}), true);
    assert!(long.accepted());
    for (template, lenient, payload) in [
        (of(json!({})), false, &payload),
        (of(json!({"sensitive": "personal"})), true, &payload),
        (of(json!({"required": true})), true, &payload),
        (of(json!({})), true, &json!({"a": 1, "k": 1.5})),
        (with_key(&json!("integer"), &json!({})), true, &payload),
    ] {
        let verdict = read(&template, payload, lenient);
        assert!(!verdict.accepted(), "{payload} {lenient}");
    }
    let huge = Validator::compile(&of(json!({"constraints": {"maximum": 9}})), LIMITS);
    let verdict = huge.read("{\"a\":\"x\",\"k\":12345678901234567890123}", &|_| true, true, true);
    let verdict = verdict.expect("JSON");
    assert!(
        verdict.accepted(),
        "what is kept out is not executed: {:?}",
        verdict.violations
    );
}

#[test]
fn a_violation_says_what_must_be_and_a_list_is_told_by_its_first_values_z019_z048() {
    let listed = |count: usize| -> Vec<String> { (0..count).map(|n| format!("v{n}")).collect() };
    let long: Vec<String> = (0..14).map(|n| format!("{n}{}", "x".repeat(200))).collect();
    for (key_type, constraints, value, said) in [
        (
            "string",
            json!({"enum": listed(2)}),
            json!("x"),
            "`k` must be one of \"v0\", \"v1\"",
        ),
        ("string", json!({"enum": listed(12)}), json!("x"), "\"v10\", \"v11\""),
        ("string", json!({"enum": listed(13)}), json!("x"), "\"v11\" and 1 more"),
        ("string", json!({"const": "only"}), json!("x"), "`k` must be \"only\""),
        (
            "string",
            json!({"pattern": "^a$"}),
            json!("x"),
            "`k` must match the pattern \"^a$\"",
        ),
        ("integer", json!({"maximum": 9}), json!(10), "`k` must be at most 9"),
        ("integer", json!({}), json!("x"), "`k` must be of type integer"),
        // Longer than what is expected at one place.
        (
            "array",
            json!({"items": {"type": "string", "enum": long}}),
            json!(["x"]),
            "and 2 more",
        ),
        (
            "array",
            json!({"items": {"type": "string", "enum": long}}),
            json!(["x"]),
            "a value within `k` must be one of \"0xxx",
        ),
    ] {
        let verdict = check(&with_key(&json!(key_type), &constraints), &json!({"k": value}));
        let message = &sole(&verdict).message;
        assert!(message.contains(said) && message.len() < 2_000, "{said}: {message}");
    }
    let required = with_keys(&json!({"k": {"key_type": "string", "required": true}}), false);
    assert_eq!(
        sole(&check(&required, &json!({}))).message,
        "`k` is required and must be given"
    );
    assert_eq!(
        sole(&check(&required, &json!(7))).message,
        "the payload must be a JSON object"
    );
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
    let payload = json!({"a": marker, "b": marker, "c": marker, "d": marker, "e": [marker], "f": {"more": marker},
        "g": marker, "unknown": marker, "other": [marker, 1]});
    for strict in [false, true] {
        let verdict = check(&with_keys(&keys, strict), &payload);
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
