//! What a publisher may write, and the draft's own figures.

use serde_json::Value;
use serde_json::json;

use super::KEYS_MAX;
use super::SchemaTemplate;
use super::Version;
use crate::advice::Advice;
use crate::advice::Finding;
use crate::key::DESCRIPTION_BYTES_MAX;
use crate::key::KeyDefinition;
use crate::key::KeyType;
use crate::name::KeyName;

const FIGURE_2: &str = include_str!("../../../../schemas/flight_booking_v1.json");
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

/// (requirement, pointer) of every defect.
fn defects(document: &Value) -> Vec<(String, String)> {
    let defects = SchemaTemplate::parse(document).expect_err("defects");
    defects
        .into_iter()
        .map(|defect| (defect.requirement, defect.pointer))
        .collect()
}

fn sole_defect(document: &Value) -> (String, String) {
    let mut all = defects(document);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn with_key(key: Value) -> Value {
    json!({"schema_id": "s_v1", "scenario": "s", "keys": [key]})
}

fn key(changes: &Value) -> Value {
    let mut key = json!({"key_name": "k", "key_type": "string", "required": false, "semantic_description": "Text."});
    for (name, value) in changes.as_object().expect("an object") {
        key[name] = value.clone();
    }
    key
}

fn is(requirement: &str, pointer: &str) -> (String, String) {
    (requirement.to_owned(), pointer.to_owned())
}

#[test]
fn figure_2_parses_with_its_six_keys_z052_z045() {
    let flight = golden(FIGURE_2);
    let shape: Vec<_> = flight
        .keys
        .iter()
        .map(|key| {
            (
                key.key_name.as_str(),
                key.key_type,
                key.required,
                key.default_value.clone(),
            )
        })
        .collect();
    let expected = [
        ("origin", KeyType::String, true, None),
        ("destination", KeyType::String, true, None),
        ("departure_date", KeyType::String, true, None),
        ("cabin_class", KeyType::String, false, Some(json!("economy"))),
        ("passenger_count", KeyType::Integer, false, Some(json!(1))),
        ("other", KeyType::String, false, None),
    ];
    assert_eq!(shape, expected);
    let constraints: Vec<Value> = flight
        .keys
        .iter()
        .map(|key| Value::Object(key.constraints.clone()))
        .collect();
    assert_eq!(
        constraints[0],
        json!({}),
        "the open list of origins closes nothing (Z-048)"
    );
    assert_eq!(constraints[1], json!({}));
    assert_eq!(
        constraints[3],
        json!({"enum": ["economy", "premium_economy", "business", "first"]})
    );
    assert_eq!(constraints[4], json!({"minimum": 1, "maximum": 9}));
}

#[test]
fn figures_3_and_9_parse_as_key_definitions_z053_z178() {
    let cabin: Value = json!({"key_name": "cabin_class", "key_type": "string", "required": false,
        "default_value": "economy", "semantic_description": "Cabin class preference. Acceptable values: economy, \
        premium_economy, business, first. Example mapping: 'business class' -> 'business'."});
    let (cabin, _) = KeyDefinition::parse(&cabin).expect("figure 3");
    assert_eq!(
        cabin,
        *golden(FIGURE_2)
            .key(&KeyName::parse("cabin_class").expect("a name"))
            .expect("the key")
    );
    let seat = json!({"key_name": "seat_preference", "key_type": "string", "required": false, "default_value": "none",
        "semantic_description": "Seat preference. Acceptable values: window, aisle, none."});
    let (seat, findings) = KeyDefinition::parse(&seat).expect("figure 9");
    assert_eq!(seat.constraints["enum"], json!(["window", "aisle", "none"]));
    assert_eq!(findings.len(), 1);
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
fn figure_10_parses_with_its_six_keys_z179_z180() {
    let photo = golden(FIGURE_10);
    let types: Vec<KeyType> = photo.keys.iter().map(|key| key.key_type).collect();
    let boolean = KeyType::Boolean;
    assert_eq!(
        types,
        [
            KeyType::Integer,
            boolean,
            boolean,
            KeyType::String,
            boolean,
            KeyType::String
        ]
    );
    assert_eq!(photo.keys[0].default_value, Some(json!(0)));
    assert_eq!(
        Value::Object(photo.keys[0].constraints.clone()),
        json!({"minimum": 0, "maximum": 10})
    );
    assert_eq!(
        photo.keys[3].constraints["enum"],
        json!(["none", "vintage", "cinematic", "warm", "cool"])
    );
    assert!(photo.keys[4].constraints.is_empty());
    assert_eq!(
        photo.version(),
        Version {
            major: 2,
            minor: 0,
            patch: 0
        }
    );
}

#[test]
fn every_schema_that_is_shipped_parses_under_its_own_name_z041() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let (parsed, _) = SchemaTemplate::parse(&document).unwrap_or_else(|found| panic!("{path:?}: {found:#?}"));
        assert_eq!(
            path.file_stem().and_then(|stem| stem.to_str()),
            Some(parsed.schema_id.as_str())
        );
        let again = serde_json::to_value(&parsed).expect("JSON");
        let (reread, findings) = template(&again);
        assert_eq!(reread, parsed, "what is served reads back as it is");
        assert!(
            findings.iter().all(|finding| finding.requirement != "Z-062"),
            "{path:?}"
        );
        seen += 1;
    }
    assert!(seen >= 5, "{seen}");
}

#[test]
fn a_template_is_an_object_with_its_three_members_z028_z029_z031_z032() {
    assert_eq!(sole_defect(&json!([])), is("Z-028", ""));
    assert_eq!(defects(&json!({})), [is("Z-029", ""), is("Z-031", ""), is("Z-032", "")]);
    let wrong = json!({"schema_id": "a b", "scenario": 1, "keys": {}});
    assert_eq!(
        defects(&wrong),
        [
            is("Z-029", "/schema_id"),
            is("Z-031", "/scenario"),
            is("Z-032", "/keys")
        ]
    );
    assert_eq!(sole_defect(&with_key(json!(1))), is("Z-032", "/keys/0"));
}

#[test]
fn all_defects_are_named_at_once_z033_z036_z042_z054() {
    let document = json!({"schema_id": 1, "scenario": "s", "keys": [
        {}, {"key_name": 1, "key_type": 1, "required": 1, "semantic_description": 1}, key(&json!({"key_name": "Bad"}))]});
    let expected = [
        is("Z-029", "/schema_id"),
        is("Z-033", "/keys/0"),
        is("Z-036", "/keys/0"),
        is("Z-042", "/keys/0"),
        is("Z-054", "/keys/0"),
        is("Z-033", "/keys/1/key_name"),
        is("Z-036", "/keys/1/key_type"),
        is("Z-042", "/keys/1/required"),
        is("Z-039", "/keys/1/semantic_description"),
        is("Z-034", "/keys/2/key_name"),
    ];
    assert_eq!(defects(&document), expected);
}

#[test]
fn a_key_that_is_not_right_is_refused_at_its_member_z035_z036_z039_z041_z047_z054_z056_z057_z058_z059_z171_z177() {
    let long = "a".repeat(DESCRIPTION_BYTES_MAX + 1);
    for row in [
        json!(["Z-036", "/key_type", {"key_type": "str"}]),
        json!(["Z-054", "/semantic_description", {"semantic_description": " "}]),
        json!(["Z-039", "/semantic_description", {"semantic_description": long}]),
        json!(["Z-041", "/semantic_descriptions/zh_Hant", {"semantic_descriptions": {"zh_Hant": "Text."}}]),
        json!(["Z-041", "/semantic_descriptions/de", {"semantic_descriptions": {"de": ""}}]),
        json!(["Z-047", "/default_value", {"default_value": 1}]),
        json!(["Z-047", "/default_value", {"key_type": "integer", "default_value": 1.5}]),
        json!(["Z-047", "/default_value", {"key_type": "array", "default_value": {}}]),
        json!(["Z-047", "/default_value", {"key_type": "integer", "default_value": 10, "constraints": {"maximum": 9}}]),
        json!(["Z-171", "/sensitive", {"sensitive": "secret"}]),
        json!(["Z-177", "/key_name", {"key_name": "exchange"}]),
        json!(["Z-177", "/key_name", {"key_name": "schema_update_suggestion"}]),
        json!(["Z-058", "/required", {"key_name": "other", "required": true}]),
        json!(["Z-059", "/key_type", {"key_name": "other", "key_type": "object"}]),
        json!(["Z-057", "/constraints/enum", {"key_name": "other", "constraints": {"enum": ["a"]}}]),
        json!(["Z-057", "/default_value", {"key_name": "other", "default_value": "a"}]),
        json!(["Z-057", "/sensitive", {"key_name": "other", "sensitive": "payment"}]),
    ] {
        let (requirement, pointer) = sole_defect(&with_key(key(&row[2])));
        assert_eq!(
            (json!(requirement), json!(pointer)),
            (
                row[0].clone(),
                json!(format!("/keys/0{}", row[1].as_str().unwrap_or_default()))
            ),
            "{row}"
        );
    }
    for right in [
        json!({"semantic_description": "a".repeat(DESCRIPTION_BYTES_MAX)}),
        json!({"semantic_descriptions": {"zh-Hant": "Text."}}),
        json!({"sensitive": "access_control"}),
    ] {
        template(&with_key(key(&right)));
    }
    let twice =
        json!({"schema_id": "s", "scenario": "s", "keys": [key(&json!({})), key(&json!({"key_type": "integer"}))]});
    assert_eq!(sole_defect(&twice), is("Z-035", "/keys/1/key_name"));
    let mut english = with_key(key(&json!({})));
    english["language"] = json!("english language");
    assert_eq!(sole_defect(&english), is("Z-041", "/language"));
}

#[test]
fn a_default_that_is_null_is_none_and_other_takes_no_list_of_its_description_z045_z057_z060() {
    let (null, _) = template(&with_key(key(&json!({"default_value": null, "description": null}))));
    let (absent, _) = template(&with_key(key(&json!({"description": null}))));
    assert_eq!(null.keys[0].default_value, None);
    assert!(null.same_content(&absent));
    let (_, findings) = template(&with_key(key(
        &json!({"key_name": "other", "constraints": {"maxLength": 3}}),
    )));
    assert_eq!(findings[0].requirement, "Z-060");
    let prose = json!({"key_name": "other", "semantic_description": "Acceptable values: a, b."});
    assert!(template(&with_key(key(&prose))).0.keys[0].constraints.is_empty());
}

#[test]
fn types_are_those_of_json_schema_and_float_is_an_alias_z036_z037_z038() {
    for name in ["string", "integer", "number", "boolean", "array", "object", "null"] {
        let (parsed, _) = template(&with_key(key(&json!({"key_type": name}))));
        assert_eq!(parsed.keys[0].key_type.name(), name);
    }
    let (parsed, findings) = template(&with_key(key(&json!({"key_type": "float", "default_value": 1.5}))));
    assert_eq!(
        serde_json::to_value(&parsed.keys[0]).expect("JSON")["key_type"],
        "number"
    );
    assert!(
        findings
            .iter()
            .any(|f| f.requirement == "Z-038" && f.pointer == "/keys/0/key_type")
    );
}

#[test]
fn a_default_on_a_required_key_is_a_finding_z046() {
    let (_, findings) = template(&with_key(key(&json!({"required": true, "default_value": "a"}))));
    assert!(
        findings
            .iter()
            .any(|f| f.requirement == "Z-046" && f.pointer == "/keys/0/default_value")
    );
}

#[test]
fn the_description_switch_is_obeyed_and_served_back_z048() {
    let mut document = with_key(key(&json!({"semantic_description": "Acceptable values: a, b."})));
    assert!(!template(&document).0.keys[0].constraints.is_empty());
    document["constraints_from_descriptions"] = json!(false);
    let (off, _) = template(&document);
    assert!(off.keys[0].constraints.is_empty());
    assert_eq!(
        serde_json::to_value(&off).expect("JSON")["constraints_from_descriptions"],
        false
    );
    document["constraints_from_descriptions"] = json!("no");
    assert_eq!(sole_defect(&document), is("Z-048", "/constraints_from_descriptions"));
}

#[test]
fn scenarios_have_1_to_128_bytes_in_their_normal_form_z049() {
    let named = |scenario: &str| {
        let mut document = with_key(key(&json!({})));
        document["scenario"] = json!(scenario);
        document
    };
    let (spaced, _) = template(&named(" Flight  Booking "));
    assert_eq!(spaced.scenario, " Flight  Booking ", "the display text is kept");
    assert_eq!(spaced.scenario_key().as_str(), "flight_booking");
    template(&named(&"a".repeat(128)));
    for wrong in ["", " - ", "a/b", &"a".repeat(129)] {
        assert_eq!(sole_defect(&named(wrong)), is("Z-049", "/scenario"), "{wrong}");
    }
    let cyrillic = named("fl\u{456}ght");
    assert_eq!(sole_defect(&cyrillic), is("Z-049", "/scenario"));
    let faults = SchemaTemplate::parse(&cyrillic).expect_err("a defect");
    assert!(faults[0].message.contains("U+0456"), "{}", faults[0].message);
}

#[test]
fn unknown_members_are_kept_and_served_back_z050() {
    let mut document = with_key(key(&json!({"x_note": {"a": [1]}, "tags": ["t"]})));
    document["response_schema"] = json!({"type": "object"});
    let served = serde_json::to_value(template(&document).0).expect("JSON");
    assert_eq!(served["response_schema"], document["response_schema"]);
    assert_eq!(served["keys"][0]["x_note"], document["keys"][0]["x_note"]);
    assert_eq!(served["keys"][0]["tags"], json!(["t"]));
}

#[test]
fn unknown_members_are_found_and_those_with_a_meaning_are_not_z050() {
    let mut document = with_key(key(&json!({"default_vlaue": 1, "required": true})));
    for (name, value) in [
        ("policy", json!({})),
        ("strict", json!(true)),
        ("constraints_from_descriptions", json!(false)),
        ("executor", json!({"url": "https://agent.example/"})),
        ("response_schema", json!({})),
        ("langauge", json!("en")),
    ] {
        document[name] = value;
    }
    let findings = template(&document).1;
    let unknown: Vec<(&str, &str)> = findings
        .iter()
        .filter(|finding| finding.requirement == "Z-050")
        .map(|finding| (finding.pointer.as_str(), finding.message.as_str()))
        .collect();
    let [(first, said_first), (second, said_second)] = unknown[..] else {
        panic!("{unknown:?}");
    };
    assert_eq!((first, second), ("/langauge", "/keys/0/default_vlaue"));
    assert!(said_first.contains("`language`"), "{said_first}");
    assert!(said_second.contains("`default_value`"), "{said_second}");
}

#[test]
fn a_missing_other_is_added_and_said_z062() {
    let (parsed, findings) = template(&with_key(key(&json!({}))));
    let other = parsed.keys.last().expect("a key");
    assert_eq!(
        (other.key_name.as_str(), other.key_type, other.required),
        ("other", KeyType::String, false)
    );
    assert!(findings.iter().any(|f| f.requirement == "Z-062"));
    let (own, findings) = template(&with_key(key(&json!({"key_name": "other", "key_type": "array"}))));
    assert_eq!(own.keys.len(), 1);
    assert!(findings.is_empty());
}

#[test]
fn keys_are_bounded_at_their_edge_z032() {
    let many = |n: usize| {
        let keys: Vec<Value> = (0..n).map(|i| key(&json!({"key_name": format!("k{i}")}))).collect();
        json!({"schema_id": "s", "scenario": "s", "keys": keys})
    };
    assert_eq!(
        template(&many(KEYS_MAX)).0.keys.len(),
        KEYS_MAX + 1,
        "and the implicit `other`"
    );
    let served = serde_json::to_value(template(&many(KEYS_MAX)).0).expect("JSON");
    assert_eq!(
        template(&served).0.keys.len(),
        KEYS_MAX + 1,
        "what is served can be published"
    );
    assert_eq!(sole_defect(&many(KEYS_MAX + 1)), is("Z-032", "/keys"));
}

#[test]
fn the_version_is_published_or_at_the_end_of_the_id_z105() {
    let version = |schema_id: &str, version: Option<&str>| {
        let mut document = with_key(key(&json!({})));
        document["schema_id"] = json!(schema_id);
        document["version"] = json!(version);
        template(&document).0.version().to_string()
    };
    assert_eq!(version("a_v2", None), "2.0.0");
    assert_eq!(version("a_v2_3", None), "2.3.0");
    assert_eq!(version("a_v2", Some("1.2.3")), "1.2.3");
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
        let mut document = with_key(key(&json!({})));
        document["version"] = json!(wrong);
        assert_eq!(sole_defect(&document), is("Z-105", "/version"), "{wrong}");
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
        let mut document = with_key(key(&json!({"semantic_description": "Size. Acceptable values: S, XXL.",
            "constraints": {"maxLength": 2}})));
        let members = document.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
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
