//! What a message asks, and what nobody understands of it.

use serde_json::Value;
use serde_json::json;

use super::Asked;
use super::Fit;
use super::Known;
use super::Misunderstanding;
use super::Understood;
use super::Version;
use super::read;
use crate::a2a_task::message::Message;
use schema::name::ScenarioKey;
use schema::name::SchemaId;

/// `trip` and `meal` are published in version 1, and `about` is what work is about.
fn named(name: &str, version: Option<Version>, _pinned: Option<u64>) -> Fit {
    match known(name).pop() {
        _ if name == "about" => Fit::Context,
        None => Fit::Unknown,
        Some(_) if version.is_some_and(|version| version.major != 1) => Fit::OtherMajor(vec![1]),
        Some(known) => Fit::Schema(known.schema_id),
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

fn understood(parts: &str) -> Result<Understood, Misunderstanding> {
    let text = format!(r#"{{"messageId": "m", "role": "ROLE_USER", "parts": {parts}}}"#);
    read(&Message::read(&text, "message").expect("a message"), named, known)
}

/// The body that is submitted, or how else it is understood.
fn asked(parts: &Value) -> String {
    match understood(&parts.to_string()).expect("understood").asked {
        Asked::Submission(body) => body,
        Asked::Wish(words) => format!("wish: {words}"),
        Asked::Template(place, params) => format!("template: {place} {}", json!(params)),
        Asked::Nothing => "nothing".to_owned(),
    }
}

/// What of the first part is wrong.
fn wrong(parts: &Value) -> String {
    match understood(&parts.to_string()).expect_err("not understood") {
        Misunderstanding::Field(fault) => fault.field.trim_start_matches("message.parts[0].").to_owned(),
        Misunderstanding::MediaType(_) => "media".to_owned(),
    }
}

#[test]
fn data_with_schema_id_and_payload_is_the_submission_itself_and_metadata_agree_with_it_p009_p013_p014_p016() {
    let whole = json!({"schema_id": "trip_v1", "payload": {"origin": "ULM"}});
    let body = whole.to_string();
    assert_eq!(asked(&json!([{"text": "for my boss"}, {"data": whole}])), body);
    let part = |metadata: &Value| json!([{"data": whole, "metadata": metadata}]);
    for agreeing in [
        json!({"type": "trip"}),
        json!({"type": "trip_v1", "schemaVersion": "1.9"}),
        json!({"schemaVersion": "1.0.0"}),
        json!({"type": "trip", "required": true}),
        json!({"type": null, "schemaVersion": null}),
    ] {
        assert_eq!(asked(&part(&agreeing)), body, "{agreeing}");
    }
    for (metadata, member) in [
        (json!({"type": "meal"}), "type"),
        (json!({"type": "meal", "schemaVersion": "9.0"}), "type"),
        (json!({"type": "trip", "schemaVersion": "9.0"}), "schemaVersion"),
        (json!({"schemaVersion": "9.0"}), "schemaVersion"),
        (json!({"type": "trip", "schemaVersion": "new"}), "schemaVersion"),
        (json!({"type": "zebra", "required": true}), "type"),
        (json!({"revision": true}), "revision"),
        (json!({"pinned": true}), "pinned"),
        (json!({"language": true}), "language"),
        (json!({"dry_run": true}), "dry_run"),
        (json!({"idempotency_key": true}), "idempotency_key"),
    ] {
        assert_eq!(wrong(&part(&metadata)), format!("metadata.{member}"), "{metadata}");
    }
    for half in [json!({"schema_id": "trip_v1"}), json!({"payload": {"origin": "ULM"}})] {
        assert_eq!(asked(&json!([{"data": half}])), half.to_string());
        let typed = json!([{"data": half, "metadata": {"type": "zebra"}}]);
        assert_eq!(asked(&typed), "nothing", "its type says what it is");
    }
    let unknown = understood(&part(&json!({"type": "zebra"})).to_string()).expect("understood");
    assert_eq!((unknown.asked, unknown.skipped.len()), (Asked::Nothing, 1));
    let about = understood(&part(&json!({"type": "about"})).to_string()).expect("understood");
    assert_eq!(about.context, [0]);
    let nowhere = json!({"schema_id": "nope", "payload": {}});
    let told_later = json!([{"data": nowhere, "metadata": {"schemaVersion": "9.0"}}]);
    assert_eq!(asked(&told_later), nowhere.to_string());
    let twice = r#"{"schema_id":"trip_v1","payload":{},"payload":{"origin":"ULM"}}"#;
    let read = understood(&format!(r#"[{{"data":{twice}}}]"#)).expect("understood");
    assert_eq!(
        read.asked,
        Asked::Submission(twice.to_owned()),
        "as every transport reads it"
    );
}

#[test]
fn a_typed_part_is_the_payload_of_its_schema_and_words_beside_it_are_what_was_said_p009_p011_p014_p038() {
    for (data, metadata, body) in [
        (
            json!({"origin": "ULM"}),
            json!({"type": "trip", "schemaVersion": "1.4"}),
            r#"{"schema_id":"trip_v1","payload":{"origin":"ULM"},"utterance":"From Ulm."}"#,
        ),
        (
            json!([1]),
            json!({"type": "trip_v1", "idempotency_key": "k", "revision": 7}),
            r#"{"schema_id":"trip_v1","payload":[1],"revision":7,"idempotency_key":"k","utterance":"From Ulm."}"#,
        ),
        (
            json!({}),
            json!({"type": "trip", "revision": 7.0, "pinned": true, "dry_run": true}),
            r#"{"schema_id":"trip_v1","payload":{},"revision":7.0,"pinned":true,"dry_run":true,"utterance":"From Ulm."}"#,
        ),
    ] {
        let parts = json!([{"text": " From Ulm. "}, {"data": data, "metadata": metadata}]);
        assert_eq!(asked(&parts), body);
    }
    for (member, value) in [
        ("revision", json!("7")),
        ("revision", json!(-1)),
        ("pinned", json!(1)),
        ("dry_run", json!("yes")),
        ("schemaVersion", json!("2.0")),
        ("schemaVersion", json!("one")),
        ("schemaVersion", json!(1.0)),
    ] {
        let parts = json!([{"data": {}, "metadata": {"type": "trip", member: value}}]);
        assert_eq!(wrong(&parts), format!("metadata.{member}"), "{value}");
    }
    let one = json!({"data": {"schema_id": "trip_v1", "payload": {}}});
    assert_eq!(wrong(&json!([one, one])), "message.parts", "one at most");
}

#[test]
fn parts_that_nobody_understands_are_passed_over_and_named_p016() {
    let history = json!({"data": [], "metadata": {"type": "ConversationHistory", "schemaVersion": "1.0"}});
    let parts = json!([{"text": "a flight"}, history, {"data": {"a": 1}}]);
    assert_eq!(asked(&parts), "wish: a flight");
    let skipped = understood(&parts.to_string()).expect("understood").skipped;
    assert_eq!(skipped.iter().map(|skipped| skipped.part).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(asked(&json!([{"text": "  "}, {"data": {"a": 1}}])), "nothing");
    let needed = json!([{"data": [], "metadata": {"type": "ConversationHistory", "required": true}}]);
    assert_eq!(wrong(&needed), "metadata.type");
}

#[test]
fn files_and_other_media_types_are_not_read_p006_p007() {
    for part in [
        json!({"raw": "YQ==", "mediaType": "text/plain"}),
        json!({"url": "https://a"}),
        json!({"text": "a", "mediaType": "text/html"}),
        json!({"data": {}, "mediaType": "text/json"}),
    ] {
        assert_eq!(wrong(&json!([part])), "media", "{part}");
    }
    for part in [
        json!({"text": "a", "mediaType": "Text/Plain; charset=utf-8"}),
        json!({"data": {}, "mediaType": "application/ld+json"}),
    ] {
        assert!(understood(&json!([part]).to_string()).is_ok(), "{part}");
    }
}
