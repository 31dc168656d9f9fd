//! The payload as a text: what it must be before any key is looked at, and keys written twice.

use serde_json::Value;
use serde_json::json;

use super::LIMITS;
use super::check_text;
use super::flight;
use super::sole;
use super::warnings;
use super::with_keys;
use crate::exchange::validator::Validator;
use crate::exchange::violation::ViolationCode;

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
    let template = with_keys(&json!({"n": "integer"}), false);
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
    let template = with_keys(&json!({"a": "array", "s": "string"}), false);
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
        &json!({"count": {"key_type": "integer", "required": true}, "place": "string"}),
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
fn a_whole_number_that_64_bits_do_not_hold_is_refused_wherever_it_stands() {
    let template = with_keys(
        &json!({
            "n": "integer",
            "m": {"key_type": "number", "constraints": {"maximum": 9}},
            "s": "string",
            "o": "object"
        }),
        false,
    );
    let long = "9007199254740993123456789";
    for (text, pointer) in [
        (format!(r#"{{"n": {long}}}"#), "/payload/n"),
        (format!(r#"{{"o": {{"a": [1, -{long}]}}}}"#), "/payload/o/a/1"),
        (format!(r#"{{"unknown": {long}}}"#), "/payload/unknown"),
        (format!(r#"{{"other": ["a", {long}]}}"#), "/payload/other/1"),
    ] {
        let verdict = check_text(&template, &text);
        let violation = sole(&verdict);
        assert_eq!(violation.pointer, pointer);
        if !pointer.starts_with("/payload/other") {
            assert_eq!(violation.code, ViolationCode::OutOfRange, "{text}");
            assert!(violation.message.contains("64 bits") && !violation.message.contains("9007"));
        }
    }
    for said_already in [format!(r#"{{"m": {long}}}"#), format!(r#"{{"s": {long}}}"#)] {
        sole(&check_text(&template, &said_already));
    }
    for kept in [
        r#"{"n": 18446744073709551615}"#.to_owned(),
        r#"{"n": -9223372036854775808}"#.to_owned(),
        r#"{"n": 9007199254740991.0}"#.to_owned(),
        r#"{"m": -1e25, "unknown": 1e25}"#.to_owned(),
        format!(r#"{{"s": "{long}"}}"#),
        format!(r#"{{"unknown": {long}.5}}"#),
    ] {
        assert!(check_text(&template, &kept).accepted(), "{kept}");
    }
}

#[test]
fn under_an_integer_key_a_number_is_refused_that_is_read_as_another_one() {
    let template = with_keys(
        &json!({"n": "integer", "m": {"key_type": "integer", "constraints": {"maximum": 9}}}),
        false,
    );
    for inexact in ["18446744073709551616.0", "9007199254740993.0", "-1e25", "1E300"] {
        let verdict = check_text(&template, &format!(r#"{{"n": {inexact}}}"#));
        let violation = sole(&verdict);
        assert_eq!(
            (violation.code, violation.pointer.as_str()),
            (ViolationCode::OutOfRange, "/payload/n")
        );
        assert!(violation.message.contains("2^53") && !violation.message.contains("18446"));
        assert_eq!(violation.repair, None, "which number was meant nobody knows");
    }
    assert!(
        sole(&check_text(&template, r#"{"m": 1e25}"#))
            .message
            .contains("at most 9")
    );
    let kept = check_text(&template, r#"{"n": 9007199254740991.0, "m": -2e0}"#);
    assert_eq!(
        kept.normalised.map(|kept| Value::Object(kept).to_string()).as_deref(),
        Some(r#"{"n":9007199254740991,"m":-2}"#)
    );
}

#[test]
fn a_name_written_twice_is_warned_about_at_every_depth_z019() {
    let template = with_keys(
        &json!({
            "free": "object",
            "list": "array",
            "shaped": {"key_type": "object", "constraints": {"properties": {"a": {"type": "integer"}}}}
        }),
        false,
    );
    let verdict = check_text(
        &template,
        r#"{"free": {"a": {"b": 1, "b": 2}}, "list": [{"c": 1}, {"c": 1, "c": 2}], "shaped": {"a": "x", "a": 3},
            "unknown": {"d": 1, "\u0064": 2}, "twice": 1, "twice": {"e": 1, "e": 2}}"#,
    );
    assert!(verdict.accepted(), "{:?}", verdict.violations);
    let mut warned = warnings(&verdict);
    warned.retain(|(_, code)| *code == "repeated_key");
    warned.sort_unstable();
    let named = ["free", "list", "shaped", "twice", "unknown"].map(|key| (key, "repeated_key"));
    assert_eq!(warned, named);
    assert_eq!(
        verdict.normalised.map(Value::Object),
        Some(json!({"free": {"a": {"b": 2}}, "list": [{"c": 1}, {"c": 2}], "shaped": {"a": 3}})),
        "the last one counts"
    );
    assert_eq!(
        warnings(&check_text(
            &template,
            r#"{"free": {"a": {"a": 1}}, "list": [{"a": 1}, {"a": 1}]}"#
        )),
        []
    );
}
