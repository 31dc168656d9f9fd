//! What a message asks, and what nobody understands of it.

use serde_json::Value;
use serde_json::json;

use super::Asked;
use super::Fit;
use super::Known;
use super::Misunderstanding;
use super::Skipped;
use super::Understood;
use super::Version;
use super::read;
use crate::a2a_task::message::Message;
use schema::name::ScenarioKey;
use schema::name::SchemaId;

/// `trip` is published in version 1 as `trip_v1`.
fn named(name: &str, version: Option<Version>, _pinned: Option<u64>) -> Fit {
    match (name, version) {
        ("trip" | "trip_v1", None) => Fit::Schema(SchemaId::parse("trip_v1").expect("an id")),
        ("trip" | "trip_v1", Some(version)) if version.major == 1 => {
            Fit::Schema(SchemaId::parse("trip_v1").expect("an id"))
        }
        ("trip" | "trip_v1", Some(_)) => Fit::OtherMajor(vec![1]),
        ("about", _) => Fit::Context,
        ("meal", _) => Fit::Schema(SchemaId::parse("meal_v1").expect("an id")),
        _ => Fit::Unknown,
    }
}

fn known(name: &str) -> Vec<Known> {
    let Some(scenario) = name.split('_').next().filter(|name| ["trip", "meal"].contains(name)) else {
        return Vec::new();
    };
    vec![Known {
        schema_id: SchemaId::parse(&format!("{scenario}_v1")).expect("an id"),
        scenario: ScenarioKey::parse(scenario).expect("a name"),
        version: Version::parse("1.0.0").expect("a version"),
        retired: false,
        in_force: true,
        published: 0,
        changed: 0,
    }]
}

fn understood(parts: Value) -> Result<Understood, Misunderstanding> {
    let text = json!({"messageId": "m", "role": "ROLE_USER", "parts": parts}).to_string();
    read(&Message::read(&text, "message").expect("a message"), named, known)
}

fn asked(parts: Value) -> Asked {
    understood(parts).expect("understood").asked
}

fn field(parts: Value) -> String {
    match understood(parts).expect_err("not understood") {
        Misunderstanding::Field(fault) | Misunderstanding::MediaType(fault) => fault.field,
    }
}

#[test]
fn data_with_schema_id_and_payload_is_the_submission_itself() {
    let whole = json!({"schema_id": "trip_v1", "payload": {"origin": "ULM"}, "dry_run": true});
    let body = Asked::Submission(whole.to_string());
    assert_eq!(asked(json!([{"data": whole}])), body);
    assert_eq!(asked(json!([{"text": "for my boss"}, {"data": whole}])), body);
    for half in [json!({"schema_id": "trip_v1"}), json!({"payload": {"origin": "ULM"}})] {
        assert_eq!(asked(json!([{"data": half}])), Asked::Submission(half.to_string()));
        let typed = json!({"data": half, "metadata": {"type": "nobody_knows_it"}});
        assert_eq!(asked(json!([typed])), Asked::Nothing, "its type says what it is");
    }
}

#[test]
fn what_the_metadata_of_a_whole_submission_say_is_what_it_says_itself_p009_p013_p014_p016() {
    let whole = json!({"schema_id": "trip_v1", "payload": {"origin": "ULM"}});
    let part = |metadata: Value| json!([{"data": whole, "metadata": metadata}]);
    for agreeing in [
        json!({"type": "trip"}),
        json!({"type": "trip_v1", "schemaVersion": "1.9"}),
        json!({"schemaVersion": "1.0.0"}),
        json!({"type": "trip", "required": true}),
        json!({"type": null, "schemaVersion": null}),
    ] {
        let body = Asked::Submission(whole.to_string());
        assert_eq!(asked(part(agreeing.clone())), body, "{agreeing}");
    }
    for (metadata, member) in [
        (json!({"type": "meal"}), "type"),
        (json!({"type": "meal", "schemaVersion": "9.0"}), "type"),
        (json!({"type": "trip", "schemaVersion": "9.0"}), "schemaVersion"),
        (json!({"schemaVersion": "9.0"}), "schemaVersion"),
        (json!({"type": "trip", "schemaVersion": "new"}), "schemaVersion"),
        (json!({"type": "zebra", "required": true}), "type"),
    ] {
        let expected = format!("message.parts[0].metadata.{member}");
        assert_eq!(field(part(metadata.clone())), expected, "{metadata}");
    }
    let unknown = understood(part(json!({"type": "zebra"}))).expect("understood");
    assert!(matches!(unknown.skipped.as_slice(), [Skipped { part: 0, .. }]));
    assert_eq!(unknown.asked, Asked::Nothing);
    assert_eq!(
        understood(part(json!({"type": "about"}))).expect("understood").context,
        [0]
    );
    let nowhere = json!([{"data": {"schema_id": "nope", "payload": {}}, "metadata": {"schemaVersion": "9.0"}}]);
    assert!(matches!(asked(nowhere), Asked::Submission(_)), "it is told so later");
}

#[test]
fn what_a_whole_submission_says_itself_stands_in_no_metadata_and_twice_is_once() {
    for member in ["revision", "pinned", "language", "dry_run", "idempotency_key"] {
        let data = json!({"schema_id": "trip_v1", "payload": {}});
        let refused = understood(json!([{"data": data, "metadata": {member: true}}])).expect_err("refused");
        let expected = format!("message.parts[0].metadata.{member}");
        assert!(matches!(refused, Misunderstanding::Field(fault) if fault.field == expected));
    }
    let twice = r#"{"schema_id":"trip_v1","payload":{},"payload":{"origin":"ULM"}}"#;
    let text = format!(r#"{{"messageId":"m","role":"ROLE_USER","parts":[{{"data":{twice}}}]}}"#);
    let message = Message::read(&text, "message").expect("a message");
    let understood = read(&message, named, known).expect("understood");
    assert_eq!(
        understood.asked,
        Asked::Submission(twice.to_owned()),
        "as every mouth reads it"
    );
}

#[test]
fn a_typed_part_says_a_revision_as_clients_write_it_and_may_only_be_tried() {
    let metadata = json!({"type": "trip", "revision": 7.0, "pinned": true, "dry_run": true});
    let Asked::Submission(body) = asked(json!([{"data": {}, "metadata": metadata}])) else {
        panic!("no submission");
    };
    assert_eq!(
        body,
        r#"{"schema_id":"trip_v1","payload":{},"revision":7.0,"pinned":true,"dry_run":true}"#
    );
    let wrong = json!([{"data": {}, "metadata": {"type": "trip", "dry_run": "yes"}}]);
    assert!(understood(wrong).is_err());
}

#[test]
fn a_typed_part_is_the_payload_of_its_schema_and_words_beside_it_are_what_was_said_p009_p011_p038() {
    let typed = json!({"data": {"origin": "ULM"}, "metadata": {"type": "trip", "schemaVersion": "1.4"}});
    let Asked::Submission(body) = asked(json!([{"text": " From Ulm. "}, typed])) else {
        panic!("no submission");
    };
    let body: Value = serde_json::from_str(&body).expect("JSON");
    let expected = json!({"schema_id": "trip_v1", "payload": {"origin": "ULM"}, "utterance": "From Ulm."});
    assert_eq!(body, expected);
    let Asked::Submission(body) =
        asked(json!([{"data": [1], "metadata": {"type": "trip_v1", "idempotency_key": "k", "revision": 7}}]))
    else {
        panic!("no submission");
    };
    assert_eq!(
        body,
        r#"{"schema_id":"trip_v1","payload":[1],"revision":7,"idempotency_key":"k"}"#
    );
}

#[test]
fn a_member_of_the_metadata_that_no_submission_can_have_is_named() {
    for (name, wrong) in [("revision", json!("7")), ("revision", json!(-1)), ("pinned", json!(1))] {
        let part = json!({"data": {}, "metadata": {"type": "trip", name: wrong}});
        assert_eq!(field(json!([part])), format!("message.parts[0].metadata.{name}"));
    }
}

#[test]
fn parts_that_nobody_understands_are_passed_over_and_named_p016() {
    let history = json!({"data": [], "metadata": {"type": "ConversationHistory", "schemaVersion": "1.0"}});
    let plain = json!({"data": {"a": 1}});
    let read = understood(json!([{"text": "a flight"}, history, plain])).expect("understood");
    assert_eq!(read.asked, Asked::Wish("a flight".to_owned()));
    assert_eq!(
        read.skipped.iter().map(|skipped| skipped.part).collect::<Vec<_>>(),
        [1, 2]
    );
    let nothing = understood(json!([plain])).expect("understood");
    assert_eq!(nothing.asked, Asked::Nothing);
    assert!(matches!(nothing.skipped.as_slice(), [Skipped { part: 0, .. }]));
    let needed = json!({"data": [], "metadata": {"type": "ConversationHistory", "required": true}});
    assert_eq!(field(json!([{"text": "a"}, needed])), "message.parts[1].metadata.type");
}

#[test]
fn a_version_that_is_of_another_major_or_none_is_refused_by_name_p014() {
    for version in [json!("2.0"), json!("one"), json!(1.0)] {
        let part = json!({"data": {}, "metadata": {"type": "trip", "schemaVersion": version}});
        assert_eq!(
            field(json!([part])),
            "message.parts[0].metadata.schemaVersion",
            "{version}"
        );
    }
}

#[test]
fn one_message_holds_one_submission_at_most() {
    let one = json!({"data": {"schema_id": "trip_v1", "payload": {}}});
    assert_eq!(field(json!([one, one])), "message.parts");
}

#[test]
fn files_and_other_media_types_are_not_read_p006_p007() {
    for part in [
        json!({"raw": "YQ==", "mediaType": "text/plain"}),
        json!({"url": "https://a"}),
        json!({"text": "a", "mediaType": "text/html"}),
        json!({"data": {}, "mediaType": "text/json"}),
    ] {
        let misunderstood = understood(json!([part]));
        assert!(matches!(misunderstood, Err(Misunderstanding::MediaType(_))), "{part}");
    }
    for part in [
        json!({"text": "a", "mediaType": "Text/Plain; charset=utf-8"}),
        json!({"data": {}, "mediaType": "application/ld+json"}),
    ] {
        assert!(understood(json!([part])).is_ok(), "{part}");
    }
    assert_eq!(asked(json!([{"text": "  "}])), Asked::Nothing);
}
