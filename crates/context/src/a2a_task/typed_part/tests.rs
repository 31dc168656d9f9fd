//! Types and versions beside what is hosted, and what the other metadata of a part say.

use serde_json::Map;
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
use super::payload;
use super::process;
use super::version;

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

fn id(fit: &Fit) -> &str {
    match fit {
        Fit::Schema(id) => id.as_str(),
        Fit::Context => "context",
        Fit::Unknown => "unknown",
        Fit::OtherMajor(_) => "other",
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
fn the_same_major_is_read_and_another_is_not_p012_p013_p014() {
    let line = [
        known("a_v1", "1.0.0", false, false),
        known("a_v1_2", "1.2.0", false, true),
        known("a_v1_3", "1.3.0", true, false),
        known("a_v3", "3.0.0", false, false),
    ];
    assert_eq!(id(&fit(version("1.0"), None, &line)), "a_v1_2");
    assert_eq!(
        id(&fit(version("1.9"), None, &line)),
        "a_v1_2",
        "a newer minor is read, what is unknown is ignored"
    );
    assert_eq!(id(&fit(version("3.1"), None, &line)), "a_v3");
    assert_eq!(fit(version("2.0"), None, &line), Fit::OtherMajor(vec![1, 3]));
    assert_eq!(fit(version("4.0"), None, &line), Fit::OtherMajor(vec![1, 3]));
    assert_eq!(fit(version("0.9"), None, &line), Fit::OtherMajor(vec![1, 3]));
}

#[test]
fn type_and_version_agree_with_the_schema_that_a_submission_names_p009_p013_p014() {
    let line = [
        known("a_v1", "1.0.0", true, false),
        known("a_v1_2", "1.2.0", false, false),
        known("a_v2", "2.0.0", false, true),
    ];
    let other = [known("b_v1", "1.0.0", false, true)];
    let [older, own, next] = &line;
    for (typed, wanted, expected) in [
        (None, None, None),
        (None, version("1.9"), None),
        (None, version("2.0"), Some(Contradiction::Version(1))),
        (None, version("0.9"), Some(Contradiction::Version(1))),
        (Some(&line[..]), None, None),
        (Some(&line[..]), version("1.0"), None),
        (Some(&line[..]), version("2.0"), Some(Contradiction::Version(1))),
        (Some(std::slice::from_ref(older)), None, None),
        (Some(std::slice::from_ref(next)), None, Some(Contradiction::Type)),
        (
            Some(std::slice::from_ref(next)),
            version("1.2"),
            Some(Contradiction::Type),
        ),
        (Some(&other[..]), None, Some(Contradiction::Type)),
        (Some(&other[..]), version("2.0"), Some(Contradiction::Type)),
        (Some(&[]), None, Some(Contradiction::Type)),
    ] {
        assert_eq!(contradiction(own, typed, wanted), expected, "{typed:?} {wanted:?}");
    }
}

#[test]
fn without_a_version_the_one_in_force_reads_it_p011() {
    let line = [
        known("a_v1", "1.0.0", false, true),
        known("a_v2", "2.0.0", false, false),
    ];
    assert_eq!(id(&fit(None, None, &line)), "a_v1");
    assert_eq!(id(&fit(None, None, &line[1..])), "a_v2");
    assert_eq!(fit(None, None, &[]), Fit::Unknown);
    assert_eq!(
        fit(None, None, &[known("a_v1", "1.0.0", true, false)]),
        Fit::OtherMajor(Vec::new())
    );
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
        (version("1.0"), 1, "a_v1"),
        (version("1.0"), 4, "a_v1"),
        (version("1.0"), 5, "a_v1_1"),
        (version("1.0"), 9, "a_v1_2"),
        (version("1.0"), 12, "a_v1_2"),
        (None, 1, "a_v1"),
        (None, 9, "a_v1_2"),
        (None, 12, "a_v2"),
        (version("2.0"), 11, "a_v2"),
    ] {
        assert_eq!(
            id(&fit(wanted, Some(pinned), &line)),
            expected,
            "{wanted:?} at {pinned}"
        );
    }
    let gone = [at("a_v1", "1.0.0", false, 1, 1), at("a_v1_1", "1.1.0", true, 5, 7)];
    assert_eq!(id(&fit(None, Some(6), &gone)), "a_v1_1", "retired since");
    assert_eq!(id(&fit(None, Some(7), &gone)), "a_v1", "retired by then");
    assert_eq!(fit(version("3.0"), Some(12), &line), Fit::OtherMajor(vec![1, 2]));
}

fn hosted(name: &str) -> Vec<Known> {
    let one = |id: &str, version: &str, retired| Known {
        schema_id: SchemaId::parse(id).expect("an id"),
        scenario: ScenarioKey::parse(name).expect("a name"),
        version: Version::parse(version).expect("a version"),
        retired,
        in_force: true,
        published: 0,
        changed: 0,
    };
    match name {
        "Line" => vec![one("line_v1", "1.2.0", false), one("line_v2", "2.0.0", false)],
        "Old" => vec![one("old_v1", "1.0.0", true)],
        _ => Vec::new(),
    }
}

fn processing(metadata: Value) -> Processing {
    process(metadata.as_object().expect("an object"), hosted)
}

#[test]
fn the_same_major_is_read_whatever_the_minor_p012_p013_p014_p015() {
    for (version, id, newer) in [
        ("1.0", "line_v1", false),
        ("1.2", "line_v1", false),
        ("1.3", "line_v1", true),
        ("1.2.1", "line_v1", true),
        ("2.0.0", "line_v2", false),
    ] {
        let Processing::By {
            schema_id,
            newer: found,
            ..
        } = processing(json!({"type": "Line", "schemaVersion": version}))
        else {
            panic!("{version} is not read");
        };
        assert_eq!((schema_id.as_str(), found), (id, newer), "{version}");
    }
}

#[test]
fn another_major_is_refused_with_what_is_hosted_p014() {
    for version in ["3.0", "0.9"] {
        let Processing::Refused(why) = processing(json!({"type": "Line", "schemaVersion": version})) else {
            panic!("{version} is read");
        };
        assert!(why.contains("1.2.0, 2.0.0"), "{why}");
    }
    for wrong in [json!(1.0), json!("1"), json!("one")] {
        let refused = processing(json!({"type": "Line", "schemaVersion": wrong}));
        assert!(matches!(refused, Processing::Refused(_)), "{wrong}");
    }
    assert!(matches!(processing(json!({"type": "Old"})), Processing::Refused(_)));
}

#[test]
fn no_type_or_an_unknown_one_is_skipped_p016() {
    for metadata in [
        json!({}),
        json!({"type": 7}),
        json!({"type": ""}),
        json!({"type": "Nobody", "schemaVersion": "1.0"}),
        json!({"type": "x".repeat(TYPE_BYTES_MAX + 1)}),
    ] {
        assert!(
            matches!(processing(metadata.clone()), Processing::Skipped(_)),
            "{metadata}"
        );
    }
    assert!(super::is_required(
        json!({"required": true}).as_object().expect("an object")
    ));
    assert!(!super::is_required(&Map::new()));
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
