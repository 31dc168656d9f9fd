//! Types and versions beside what is hosted, and what the other metadata of a part say.

use serde_json::Value;
use serde_json::json;

use super::Contradiction;
use super::Fit;
use super::Known;
use super::Processing;
use super::ScenarioKey;
use super::SchemaId;
use super::SchemaTemplate;
use super::TYPE_BYTES_MAX;
use super::Version;
use super::contradiction;
use super::fit;
use super::is_required;
use super::payload;
use super::process;
use super::version;

/// A schema of the scenario that its id begins with.
fn known(id: &str, text: &str, retired: bool, in_force: bool) -> Known {
    Known {
        schema_id: SchemaId::parse(id).expect("an id"),
        scenario: ScenarioKey::parse(id.split('_').next().unwrap_or(id)).expect("a name"),
        version: Version::parse(text).expect("a version"),
        retired,
        in_force,
        published: 0,
        changed: 0,
    }
}

/// The id, or the majors that there are.
fn found(wanted: &str, pinned: Option<u64>, line: &[Known]) -> String {
    match fit(version(wanted), pinned, line) {
        Fit::Schema(id) => id.as_str().to_owned(),
        Fit::Context => "context".to_owned(),
        Fit::Unknown => "unknown".to_owned(),
        Fit::OtherMajor(majors) => format!("{majors:?}"),
    }
}

#[test]
fn two_components_are_enough_p015() {
    assert_eq!(version("1.0"), Version::parse("1.0.0"));
    assert_eq!(version("2.3.4"), Version::parse("2.3.4"));
    for wrong in ["1", "1.0.0.0", "v1.0", "1.x", "", "01.0", "-1.0"] {
        assert_eq!(version(wrong), None, "{wrong}");
    }
}

#[test]
fn the_same_major_is_read_and_another_is_not_and_without_a_version_the_one_in_force_p011_p012_p013_p014() {
    let line = [
        known("a_v1", "1.0.0", false, false),
        known("a_v1_2", "1.2.0", false, true),
        known("a_v1_3", "1.3.0", true, false),
        known("a_v3", "3.0.0", false, false),
    ];
    for (wanted, line, expected) in [
        ("1.0", &line[..], "a_v1_2"),
        // A newer minor is read, what is unknown is ignored.
        ("1.9", &line, "a_v1_2"),
        ("3.1", &line, "a_v3"),
        ("2.0", &line, "[1, 3]"),
        ("0.9", &line, "[1, 3]"),
        ("", &line, "a_v1_2"),
        ("", &line[3..], "a_v3"),
        ("", &[], "unknown"),
        ("", &line[2..3], "[]"),
    ] {
        assert_eq!(found(wanted, None, line), expected, "{wanted}");
    }
}

#[test]
fn a_pinned_part_is_read_by_what_was_there_at_its_revision_p012() {
    let at = |id: &str, text: &str, retired: bool, published: u64, changed: u64| Known {
        published,
        changed,
        ..known(id, text, retired, false)
    };
    let line = [
        at("a_v1", "1.0.0", false, 1, 1),
        at("a_v1_1", "1.1.0", true, 5, 20),
        at("a_v1_2", "1.2.0", false, 9, 9),
        at("a_v2", "2.0.0", false, 12, 12),
    ];
    for (wanted, pinned, expected) in [
        ("1.0", 4, "a_v1"),
        ("1.0", 5, "a_v1_1"),
        ("1.0", 12, "a_v1_2"),
        ("", 1, "a_v1"),
        ("", 9, "a_v1_2"),
        ("", 12, "a_v2"),
        ("2.0", 11, "a_v2"),
        ("3.0", 12, "[1, 2]"),
    ] {
        assert_eq!(found(wanted, Some(pinned), &line), expected, "{wanted} at {pinned}");
    }
    let gone = [at("a_v1", "1.0.0", false, 1, 1), at("a_v1_1", "1.1.0", true, 5, 7)];
    assert_eq!(found("", Some(6), &gone), "a_v1_1", "retired since");
    assert_eq!(found("", Some(7), &gone), "a_v1", "retired by then");
}

#[test]
fn type_and_version_agree_with_the_schema_that_a_submission_names_p009_p013_p014() {
    let line = [
        known("a_v1", "1.0.0", true, false),
        known("a_v1_2", "1.2.0", false, false),
        known("a_v2", "2.0.0", false, true),
    ];
    let other = [known("b_v1", "1.0.0", false, true)];
    let of_type = Some(Contradiction::Type);
    let of_version = Some(Contradiction::Version(1));
    for (typed, wanted, expected) in [
        (None, "", None),
        (None, "1.9", None),
        (None, "2.0", of_version),
        (Some(&line[..]), "1.0", None),
        (Some(&line[..]), "2.0", of_version),
        (Some(&line[..1]), "", None),
        (Some(&line[2..]), "", of_type),
        (Some(&line[2..]), "1.2", of_type),
        (Some(&other[..]), "2.0", of_type),
        (Some(&[]), "", of_type),
    ] {
        assert_eq!(
            contradiction(&line[1], typed, version(wanted)),
            expected,
            "{typed:?} {wanted}"
        );
    }
}

#[test]
fn a_part_is_read_refused_with_what_is_hosted_or_skipped_by_its_metadata_p012_p013_p014_p015_p016() {
    let hosted = |name: &str| match name {
        "Line" => vec![
            known("line_v1", "1.2.0", false, true),
            known("line_v2", "2.0.0", false, true),
        ],
        "Old" => vec![known("old_v1", "1.0.0", true, true)],
        _ => Vec::new(),
    };
    let told = |metadata: &Value| match process(metadata.as_object().expect("an object"), hosted) {
        Processing::By { schema_id, newer, .. } => format!("{} {newer}", schema_id.as_str()),
        Processing::Refused(why) => why,
        Processing::Skipped(_) => "skipped".to_owned(),
    };
    for (kind, version, says) in [
        (json!("Line"), json!("1.0"), "line_v1 false"),
        (json!("Line"), json!("1.3"), "line_v1 true"),
        (json!("Line"), json!("1.2.1"), "line_v1 true"),
        (json!("Line"), json!("2.0.0"), "line_v2 false"),
        (json!("Line"), json!("3.0"), "1.2.0, 2.0.0"),
        (json!("Line"), json!("0.9"), "1.2.0, 2.0.0"),
        (json!("Line"), json!(1.0), "schemaVersion is not"),
        (json!("Line"), json!("one"), "schemaVersion is not"),
        (json!("Old"), json!(null), "retired"),
        (json!("Nobody"), json!("1.0"), "skipped"),
        (json!(7), json!(null), "skipped"),
        (json!(""), json!(null), "skipped"),
        (json!("x".repeat(TYPE_BYTES_MAX + 1)), json!(null), "skipped"),
    ] {
        let told = told(&json!({"type": kind, "schemaVersion": version}));
        assert!(told.contains(says), "{kind} {version}: {told}");
    }
    assert_eq!(told(&json!({})), "skipped");
    for (metadata, required) in [(json!({"required": true}), true), (json!({}), false)] {
        assert_eq!(is_required(metadata.as_object().expect("an object")), required);
    }
}

#[test]
fn data_of_any_value_stand_under_the_key_that_the_label_names_p020_p038() {
    let mut document = json!({"schema_id": "h_v1", "scenario": "h", "labels": {"part_data": "history"}, "keys": [
        {"key_name": "history", "key_type": "array", "required": true, "semantic_description": "What was said."}]});
    let template = |document: &Value| SchemaTemplate::parse(document).expect("a template").0;
    assert_eq!(payload(&template(&document), "[1.50]"), r#"{"history":[1.50]}"#);
    document["labels"] = json!({});
    assert_eq!(payload(&template(&document), "[1.50]"), "[1.50]");
}
