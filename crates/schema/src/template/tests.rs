//! What a publisher may write, and the draft's own figures.

use serde_json::Value;
use serde_json::json;

use super::KEYS_MAX;
use super::SchemaTemplate;
use super::parser::LABEL_NAME_BYTES_MAX;
use super::parser::LABEL_VALUE_BYTES_MAX;
use super::parser::LABELS_MAX;
use super::parser::OWNER_BYTES_MAX;
use crate::advice::Advice;
use crate::advice::Finding;
use crate::key::DESCRIPTION_BYTES_MAX;
use crate::key::KeyDefinition;

const FIGURE_2: &str = include_str!("../../../../tests/golden/figure_2.json");
const FIGURE_10: &str = include_str!("../../../../schemas/photo_retouch_v2.json");
const FIGURE_7: &str = r#"{"schema_id": "flight_booking_v1", "scenario": "flight_booking", "keys": [
  {"key_name": "origin", "key_type": "string", "required": true, "semantic_description": "Departure city or airport code. Acceptable values: IATA airport codes (e.g., PEK, SHA, JFK) or city names. Example: 'from Beijing' -> 'PEK'."},
  {"key_name": "destination", "key_type": "string", "required": true, "semantic_description": "Arrival city or airport code. Example: 'to Shanghai' -> 'SHA'."},
  {"key_name": "departure_date", "key_type": "string", "required": true, "semantic_description": "Departure date in ISO 8601 format (YYYY-MM-DD). Example: 'next Monday' -> '2026-05-04'."},
  {"key_name": "cabin_class", "key_type": "string", "required": false, "default_value": "economy", "semantic_description": "Cabin class. Acceptable values: economy, premium_economy, business, first. Example: 'business class' -> 'business'."},
  {"key_name": "passenger_count", "key_type": "integer", "required": false, "default_value": 1, "semantic_description": "Number of passengers. Range: 1-9. Example: 'two people' -> 2."},
  {"key_name": "other", "key_type": "string", "required": false, "semantic_description": "Natural-language descriptions that cannot be mapped to existing keys. Example: 'window seat' -> 'window seat'."}
]}"#;

fn template(document: &Value) -> (SchemaTemplate, Vec<Finding>) {
    SchemaTemplate::parse(document).expect("a right template")
}

fn golden(text: &str) -> SchemaTemplate {
    template(&serde_json::from_str(text).expect("JSON")).0
}

/// `requirement pointer` of every defect.
fn defects(document: &Value) -> Vec<String> {
    let defects = SchemaTemplate::parse(document).expect_err("defects").into_iter();
    defects
        .map(|defect| format!("{} {}", defect.requirement, defect.pointer))
        .collect()
}

fn found(findings: &[Finding], requirement: &str) -> bool {
    findings.iter().any(|finding| finding.requirement == requirement)
}

/// A template of one key, with these members beside its own.
fn with_key(more: &Value) -> Value {
    let mut key = json!({"key_name": "k", "key_type": "string", "required": false, "semantic_description": "Text."});
    for (name, value) in more.as_object().into_iter().flatten() {
        key[name] = value.clone();
    }
    json!({"schema_id": "s_v1", "scenario": "s", "keys": [key]})
}

/// The same with a member of the template's own.
fn with_member(name: &str, value: Value) -> Value {
    let mut document = with_key(&json!({}));
    document[name] = value;
    document
}

#[test]
fn figures_2_3_9_and_10_parse_with_their_keys_z045_z052_z053_z178_z179_z180() {
    let told = |template: &SchemaTemplate| -> Value {
        let keys = template.keys.iter();
        keys.map(|key| {
            json!([
                key.key_name,
                key.key_type,
                key.required,
                key.default_value,
                key.constraints
            ])
        })
        .collect()
    };
    let flight = json!([
        ["origin", "string", true, null, {}],
        ["destination", "string", true, null, {}],
        ["departure_date", "string", true, null, {}],
        ["cabin_class", "string", false, "economy", {"enum": ["economy", "premium_economy", "business", "first"]}],
        ["passenger_count", "integer", false, 1, {"minimum": 1, "maximum": 9}],
        ["other", "string", false, null, {}],
    ]);
    assert_eq!(
        told(&golden(FIGURE_2)),
        flight,
        "the open list of origins closes nothing (Z-048)"
    );
    let cabin = json!({"key_name": "cabin_class", "key_type": "string", "required": false,
        "default_value": "economy", "semantic_description": "Cabin class preference. Acceptable values: economy, \
        premium_economy, business, first. Example mapping: 'business class' -> 'business'."});
    assert_eq!(
        KeyDefinition::parse(&cabin).expect("figure 3").0,
        golden(FIGURE_2).keys[3]
    );
    let seat = json!({"key_name": "seat_preference", "key_type": "string", "required": false, "default_value": "none",
        "semantic_description": "Seat preference. Acceptable values: window, aisle, none."});
    let (seat, findings) = KeyDefinition::parse(&seat).expect("figure 9");
    assert_eq!(
        (&seat.constraints["enum"], findings.len()),
        (&json!(["window", "aisle", "none"]), 1)
    );
    let photo = golden(FIGURE_10);
    let constraints = told(&photo);
    let of = |at: usize| [&constraints[at][1], &constraints[at][3], &constraints[at][4]];
    assert_eq!(
        of(0),
        [&json!("integer"), &json!(0), &json!({"minimum": 0, "maximum": 10})]
    );
    assert_eq!(
        of(3)[2],
        &json!({"enum": ["none", "vintage", "cinematic", "warm", "cool"]})
    );
    assert!(
        [1, 2, 4]
            .iter()
            .all(|at| of(*at)[0] == "boolean" && of(*at)[2] == &json!({}))
    );
    assert_eq!((photo.keys.len(), photo.version().to_string()), (6, "2.0.0".to_owned()));
}

#[test]
fn figure_7_says_the_same_as_figure_2_apart_from_wording_z175() {
    let (mut published, mut served) = (golden(FIGURE_2), golden(FIGURE_7));
    assert!(!published.same_content(&served), "the wording differs");
    for key in published.keys.iter_mut().chain(&mut served.keys) {
        key.semantic_description = "same".to_owned();
    }
    assert!(published.same_content(&served));
}

#[test]
fn every_schema_that_is_shipped_parses_under_its_own_name_z041() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas");
    let paths = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path());
    let paths: Vec<_> = paths.collect();
    assert!(paths.len() >= 5, "{paths:?}");
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("text");
        let parsed = golden(&text);
        assert_eq!(
            path.file_stem().and_then(|stem| stem.to_str()),
            Some(parsed.schema_id.as_str())
        );
        let (reread, findings) = template(&json!(parsed));
        assert_eq!(reread, parsed, "what is served reads back as it is");
        assert!(!found(&findings, "Z-062"), "{path:?}");
    }
}

#[test]
fn all_defects_of_a_template_are_named_at_once_z028_z029_z031_z032_z033_z036_z042_z054() {
    for (document, expected) in [
        (json!([]), &["Z-028 "][..]),
        (json!({}), &["Z-029 ", "Z-031 ", "Z-032 "]),
        (
            json!({"schema_id": "a b", "scenario": 1, "keys": {}}),
            &["Z-029 /schema_id", "Z-031 /scenario", "Z-032 /keys"],
        ),
        (
            json!({"schema_id": "s", "scenario": "s", "keys": [1]}),
            &["Z-032 /keys/0"],
        ),
        (
            json!({"schema_id": 1, "scenario": "s", "keys": [{}, {"key_name": 1, "key_type": 1, "required": 1, "semantic_description": 1}]}),
            &[
                "Z-029 /schema_id",
                "Z-033 /keys/0",
                "Z-036 /keys/0",
                "Z-042 /keys/0",
                "Z-054 /keys/0",
                "Z-033 /keys/1/key_name",
                "Z-036 /keys/1/key_type",
                "Z-042 /keys/1/required",
                "Z-039 /keys/1/semantic_description",
            ],
        ),
    ] {
        assert_eq!(defects(&document), expected, "{document}");
    }
}

#[test]
fn a_key_that_is_not_right_is_refused_at_its_member_z034_z035_z036_z039_z041_z047_z054_z056_z057_z058_z059_z171_z177() {
    let text = |bytes: usize| "a".repeat(bytes);
    for row in [
        json!(["Z-034 /key_name", {"key_name": "Bad"}]),
        json!(["Z-036 /key_type", {"key_type": "str"}]),
        json!(["Z-054 /semantic_description", {"semantic_description": " "}]),
        json!(["Z-039 /semantic_description", {"semantic_description": text(DESCRIPTION_BYTES_MAX + 1)}]),
        json!(["Z-041 /semantic_descriptions/zh_Hant", {"semantic_descriptions": {"zh_Hant": "Text."}}]),
        json!(["Z-041 /semantic_descriptions/de", {"semantic_descriptions": {"de": ""}}]),
        json!(["Z-047 /default_value", {"default_value": 1}]),
        json!(["Z-047 /default_value", {"key_type": "integer", "default_value": 1.5}]),
        json!(["Z-047 /default_value", {"key_type": "array", "default_value": {}}]),
        json!(["Z-047 /default_value", {"key_type": "integer", "default_value": 10, "constraints": {"maximum": 9}}]),
        json!(["Z-171 /sensitive", {"sensitive": "secret"}]),
        json!(["Z-177 /key_name", {"key_name": "exchange"}]),
        json!(["Z-177 /key_name", {"key_name": "schema_update_suggestion"}]),
        json!(["Z-058 /required", {"key_name": "other", "required": true}]),
        json!(["Z-059 /key_type", {"key_name": "other", "key_type": "object"}]),
        json!(["Z-057 /constraints/enum", {"key_name": "other", "constraints": {"enum": ["a"]}}]),
        json!(["Z-057 /default_value", {"key_name": "other", "default_value": "a"}]),
        json!(["Z-057 /sensitive", {"key_name": "other", "sensitive": "payment"}]),
    ] {
        let expected = row[0].as_str().unwrap_or_default().replacen(' ', " /keys/0", 1);
        assert_eq!(defects(&with_key(&row[1])), [expected]);
    }
    for right in [
        json!({"semantic_description": text(DESCRIPTION_BYTES_MAX)}),
        json!({"semantic_descriptions": {"zh-Hant": "Text."}}),
        json!({"sensitive": "access_control"}),
    ] {
        template(&with_key(&right));
    }
    let mut twice = with_key(&json!({}));
    let again = twice["keys"][0].clone();
    twice["keys"].as_array_mut().expect("keys").push(again);
    assert_eq!(defects(&twice), ["Z-035 /keys/1/key_name"]);
    assert_eq!(
        defects(&with_member("language", json!("english language"))),
        ["Z-041 /language"]
    );
}

#[test]
fn a_default_that_is_null_is_none_and_other_takes_no_list_of_its_description_z045_z057_z060() {
    let (null, _) = template(&with_key(&json!({"default_value": null})));
    let (absent, _) = template(&with_key(&json!({})));
    assert_eq!(null.keys[0].default_value, None);
    assert!(null.same_content(&absent));
    let (_, findings) = template(&with_key(
        &json!({"key_name": "other", "constraints": {"maxLength": 3}}),
    ));
    assert_eq!(findings[0].requirement, "Z-060");
    let prose = json!({"key_name": "other", "semantic_description": "Acceptable values: a, b."});
    assert!(template(&with_key(&prose)).0.keys[0].constraints.is_empty());
}

#[test]
fn types_are_those_of_json_schema_and_float_is_an_alias_z036_z037_z038() {
    for name in ["string", "integer", "number", "boolean", "array", "object", "null"] {
        assert_eq!(
            template(&with_key(&json!({"key_type": name}))).0.keys[0]
                .key_type
                .name(),
            name
        );
    }
    let (parsed, findings) = template(&with_key(&json!({"key_type": "float", "default_value": 1.5})));
    assert_eq!(json!(parsed.keys[0])["key_type"], "number");
    assert!(found(&findings, "Z-038"));
}

#[test]
fn a_default_on_a_required_key_is_a_finding_z046() {
    assert!(found(
        &template(&with_key(&json!({"required": true, "default_value": "a"}))).1,
        "Z-046"
    ));
}

#[test]
fn the_description_switch_is_obeyed_and_served_back_z048() {
    let mut document = with_key(&json!({"semantic_description": "Acceptable values: a, b."}));
    assert!(!template(&document).0.keys[0].constraints.is_empty());
    document["constraints_from_descriptions"] = json!(false);
    let (off, _) = template(&document);
    assert!(off.keys[0].constraints.is_empty());
    assert_eq!(json!(off)["constraints_from_descriptions"], false);
    document["constraints_from_descriptions"] = json!("no");
    assert_eq!(defects(&document), ["Z-048 /constraints_from_descriptions"]);
}

#[test]
fn scenarios_have_1_to_128_bytes_in_their_normal_form_z049() {
    let named = |scenario: &str| with_member("scenario", json!(scenario));
    let (spaced, _) = template(&named(" Flight  Booking "));
    assert_eq!(spaced.scenario, " Flight  Booking ", "the display text is kept");
    assert_eq!(spaced.scenario_key().as_str(), "flight_booking");
    template(&named(&"a".repeat(128)));
    for wrong in ["", " - ", "a/b", "fl\u{456}ght", &"a".repeat(129)] {
        assert_eq!(defects(&named(wrong)), ["Z-049 /scenario"], "{wrong}");
    }
    let faults = SchemaTemplate::parse(&named("fl\u{456}ght")).expect_err("a defect");
    assert!(faults[0].message.contains("U+0456"), "{}", faults[0].message);
}

#[test]
fn unknown_members_are_kept_and_served_back_and_those_without_a_meaning_are_found_z050() {
    let mut document = with_key(&json!({"default_vlaue": 1, "required": true, "x_note": {"a": [1]}}));
    for (name, value) in [
        ("policy", json!({})),
        ("strict", json!(true)),
        ("constraints_from_descriptions", json!(false)),
        ("executor", json!({"url": "https://agent.example/"})),
        ("response_schema", json!({"type": "object"})),
        ("owner", json!("team")),
        ("langauge", json!("en")),
    ] {
        document[name] = value;
    }
    let (parsed, findings) = template(&document);
    let served = json!(parsed);
    assert_eq!(served["response_schema"], document["response_schema"]);
    assert_eq!(served["keys"][0]["x_note"], document["keys"][0]["x_note"]);
    let unknown = findings.iter().filter(|finding| finding.requirement == "Z-050");
    let unknown: Vec<(&str, bool)> = unknown
        .map(|finding| {
            (
                finding.pointer.as_str(),
                finding.message.contains("may have been meant"),
            )
        })
        .collect();
    assert_eq!(
        unknown,
        [
            ("/langauge", true),
            ("/keys/0/default_vlaue", true),
            ("/keys/0/x_note", false)
        ]
    );
}

#[test]
fn owner_and_labels_are_bounded_at_their_edge_z050() {
    let text = |bytes: usize| "x".repeat(bytes);
    let labels = |count: usize| -> Value {
        json!(
            (0..count)
                .map(|n| (format!("l{n}"), "v"))
                .collect::<std::collections::BTreeMap<_, _>>()
        )
    };
    for (member, value, wrong) in [
        ("owner", json!(text(OWNER_BYTES_MAX)), None),
        ("owner", json!(text(OWNER_BYTES_MAX + 1)), Some("")),
        ("owner", json!(" "), Some("")),
        ("owner", json!(null), Some("")),
        ("labels", labels(LABELS_MAX), None),
        ("labels", labels(LABELS_MAX + 1), Some("")),
        (
            "labels",
            json!({text(LABEL_NAME_BYTES_MAX): text(LABEL_VALUE_BYTES_MAX)}),
            None,
        ),
        ("labels", json!({"a:b": ""}), Some("/a:b")),
        ("labels", json!({"": ""}), Some("/")),
        ("labels", json!({"a": text(LABEL_VALUE_BYTES_MAX + 1)}), Some("/a")),
        ("labels", json!({"a": 1}), Some("/a")),
    ] {
        let document = with_member(member, value);
        match wrong {
            None => drop(template(&document)),
            Some(below) => assert_eq!(defects(&document), [format!("Z-050 /{member}{below}")]),
        }
    }
}

#[test]
fn a_missing_other_is_added_and_said_z062() {
    let (parsed, findings) = template(&with_key(&json!({})));
    let other = parsed.keys.last().expect("a key");
    assert_eq!(
        json!([other.key_name, other.key_type, other.required]),
        json!(["other", "string", false])
    );
    assert!(found(&findings, "Z-062"));
    let (own, findings) = template(&with_key(&json!({"key_name": "other", "key_type": "array"})));
    assert_eq!((own.keys.len(), findings.len()), (1, 0));
}

#[test]
fn keys_are_bounded_at_their_edge_z032() {
    let many = |n: usize| {
        let mut document = with_key(&json!({}));
        let key = document["keys"][0].clone();
        let named = (0..n).map(|i| {
            let mut key = key.clone();
            key["key_name"] = json!(format!("k{i}"));
            key
        });
        document["keys"] = named.collect();
        document
    };
    let (most, _) = template(&many(KEYS_MAX));
    assert_eq!(most.keys.len(), KEYS_MAX + 1, "and the implicit `other`");
    assert_eq!(template(&json!(most)).0, most, "what is served can be published");
    assert_eq!(defects(&many(KEYS_MAX + 1)), ["Z-032 /keys"]);
}

#[test]
fn the_version_is_published_or_at_the_end_of_the_id_z105() {
    let version = |schema_id: &str, version: Option<&str>| {
        let mut document = with_member("version", json!(version));
        document["schema_id"] = json!(schema_id);
        template(&document).0.version().to_string()
    };
    for (id, published, expected) in [
        ("a_v2", None, "2.0.0"),
        ("a_v2_3", None, "2.3.0"),
        ("a_v2", Some("1.2.3"), "1.2.3"),
    ] {
        assert_eq!(version(id, published), expected);
    }
    for unversioned in ["a", "a_v", "a_v01", "a_v2b", "v2", "a_v99999999999"] {
        assert_eq!(version(unversioned, None), "1.0.0", "{unversioned}");
    }
    for wrong in [
        "1.2",
        "1.2.3.4",
        "1.2.x",
        "01.2.3",
        "1.2.3-rc",
        "1..3",
        "1.2.99999999999",
    ] {
        assert_eq!(
            defects(&with_member("version", json!(wrong))),
            ["Z-105 /version"],
            "{wrong}"
        );
    }
}

#[test]
fn the_same_content_is_the_same_however_it_is_written_z030() {
    let a = r#"{"schema_id": "s_v1", "scenario": "s", "version": "1.0.0", "language": "en", "x": {"a": 1, "b": 2},
        "keys": [{"key_name": "k", "key_type": "float", "required": false, "default_value": 1.0,
        "semantic_description": "T."}]}"#;
    let b = r#"{"x": {"b": 2.0, "a": 1}, "keys": [{"semantic_description": "T.", "default_value": 1,
        "required": false, "key_type": "number", "key_name": "k"}], "scenario": "s", "schema_id": "s_v1"}"#;
    let (a, b) = (golden(a), golden(b));
    assert!(a.same_content(&b) && b.same_content(&a));
    let changes: [fn(&mut SchemaTemplate); 8] = [
        |t| t.scenario = "S".to_owned(),
        |t| t.version = Some("1.0.1".to_owned()),
        |t| t.language = Some("de".to_owned()),
        |t| t.description = Some("D".to_owned()),
        |t| t.keys[0].required = true,
        |t| t.keys[0].default_value = None,
        |t| t.keys.reverse(),
        |t| drop(t.unknown.insert("y".to_owned(), Value::Null)),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut other = a.clone();
        change(&mut other);
        assert!(!a.same_content(&other), "change {n}");
    }
}

#[test]
fn a_text_that_was_read_otherwise_when_it_was_published_is_the_same_z030_z048() {
    let document = |more: Value| {
        let mut document = with_key(&json!({"semantic_description": "Size. Acceptable values: S, XXL.",
            "constraints": {"maxLength": 2}}));
        json_patch::merge(&mut document, &more);
        document
    };
    let (now, findings) = template(&document(json!({})));
    assert!(
        now.keys[0].constraints.get("enum").is_none(),
        "a value that is too long"
    );
    let mut before = now.clone();
    before.keys[0]
        .constraints
        .insert("enum".to_owned(), json!(["S", "XXL"]));
    assert!(before.same_content(&now) && now.same_content(&before));
    let (told, settled) = now.clone().as_on_record(&before);
    assert_eq!(told, before);
    let not_taken = findings.iter().find(|finding| finding.rule == Advice::NotTakenOver);
    assert_eq!(settled, [not_taken.expect("a finding").pointer.clone()]);
    let mut other = before.clone();
    other.keys[0].constraints.insert("enum".to_owned(), json!(["S", "L"]));
    assert!(!other.same_content(&now), "another list than the text has");
    let off = json!({"constraints_from_descriptions": false});
    let (off, _) = template(&document(off));
    let mut listed = off.clone();
    listed.keys[0]
        .constraints
        .insert("enum".to_owned(), json!(["S", "XXL"]));
    assert!(
        !listed.same_content(&off),
        "where nothing is taken over, it was written down"
    );
}
