//! Keys that are unknown, and `other`.

use serde_json::Value;
use serde_json::json;

use super::check;
use super::check_text;
use super::sole;
use super::warnings;
use super::with_keys;
use crate::exchange::validator::UNKNOWN_MAX;
use crate::exchange::validator::UNKNOWN_NAME_BYTES_MAX;
use crate::exchange::violation::ViolationCode;

#[test]
fn other_is_a_string_or_an_array_of_strings_whatever_it_declares_z059_z060_z061() {
    for declared in ["string", "array"] {
        let constraints = if declared == "string" {
            json!({"maxLength": 1})
        } else {
            json!({})
        };
        let template = with_keys(
            &json!({"other": {"key_type": declared, "constraints": constraints}}),
            true,
        );
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
    let template = with_keys(&json!({}), true);
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
    let template = with_keys(&json!({"known": "string"}), false);
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
    let template = with_keys(&json!({"cabin_class": "string"}), true);
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
    let template = with_keys(&json!({}), false);
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
    assert!(!check(&with_keys(&json!({}), true), &payload(UNKNOWN_MAX + 1)).accepted());
}

#[test]
fn a_wrong_element_of_other_is_named_by_its_place_and_its_own_type_z058_z060() {
    let template = with_keys(&json!({}), false);
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
