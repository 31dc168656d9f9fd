//! Messages, parts and artifacts: what is read and what is refused, and that what is written is what was read.

use super::Artifact;
use super::Content;
use super::Message;
use super::PARTS_MAX;
use super::Part;
use super::Role;
use super::is_spelt_as_before;

const GOLDEN: &str = r#"{"messageId":"msg-001","contextId":"ctx-123","role":"ROLE_USER","parts":[{"text":"tell me more about option 4"},{"data":[{"role":"user","content":"hi"}],"metadata":{"type":"ConversationHistory","schemaVersion":"1.0"}},{"data":{"userProfile":{"location":"Ulm"}},"metadata":{"type":"UserContext","schemaVersion":"1.0"}}],"metadata":{"userId":"2"}}"#;

#[test]
fn the_golden_message_is_read_and_written_as_it_is_p005_p008_p010_p017() {
    let message = Message::read(GOLDEN, "message").expect("a message");
    assert_eq!((message.role, message.parts.len()), (Role::User, 3));
    assert_eq!(message.metadata["userId"], "2");
    assert_eq!(message.parts[1].metadata["type"], "ConversationHistory");
    assert_eq!(serde_json::to_string(&message).expect("JSON"), GOLDEN);
}

#[test]
fn everything_that_is_wrong_is_told_by_its_place_p005() {
    let text = r#"{"role":"nobody","parts":[{"text":1},{"text":"a"},{}],"metadata":7}"#;
    let faults = Message::read(text, "message").expect_err("wrong");
    let places: Vec<String> = faults.into_iter().map(|fault| fault.field).collect();
    let wrong = ["messageId", "role", "parts[0].text", "parts[2]", "metadata"];
    assert_eq!(places, wrong.map(|place| format!("message.{place}")));
    let of = |count: usize| {
        let parts = vec![r#"{"text":"a"}"#; count].join(",");
        let text = format!(r#"{{"messageId":"m","role":"ROLE_USER","parts":[{parts}]}}"#);
        Message::read(&text, "message").is_ok()
    };
    assert_eq!([0, 1, PARTS_MAX, PARTS_MAX + 1].map(of), [false, true, true, false]);
}

#[test]
fn a_message_in_the_spelling_of_before_is_read_p006_p017() {
    let old = r#"{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"a"},{"text":"b"},
        {"kind":"file","file":{"uri":"https://a.example/b.png","mimeType":"image/png"}},{"kind":"data","data":[1]}]}"#;
    let message = Message::read(old, "message").expect("a message");
    assert_eq!((message.role, message.parts.len()), (Role::User, 4));
    assert_eq!(message.parts.iter().filter(|part| part.is_file).count(), 1);
    for (text, before) in [
        (old, true),
        (r#"{"role":"agent"}"#, true),
        (GOLDEN, false),
        ("[]", false),
    ] {
        assert_eq!(is_spelt_as_before(text), before, "{text}");
    }
}

#[test]
fn a_part_holds_exactly_one_thing_p006_p007() {
    for (text, right) in [
        (r#"{"text":""}"#, true),
        (r#"{"raw":"YQ=="}"#, true),
        (r#"{"url":"https://a"}"#, true),
        (r#"{"data":null}"#, true),
        (r#"{"text":"a","data":null}"#, false),
        (r#"{"text":"a","raw":null}"#, true),
        (r#"{"text":"a","url":"https://a"}"#, false),
        (r#"{"kind":"text"}"#, false),
        (r#"{"file":{"bytes":"YQ==","uri":"https://a"}}"#, false),
        (r#"{"file":{"bytes":"YQ=="},"url":"https://a"}"#, false),
        (r#"{"file":{"name":"a.pdf"}}"#, false),
        (r#"{"file":"https://a"}"#, false),
        (r#"{"text":7}"#, false),
        (r#"{"text":"a","metadata":[]}"#, false),
        ("7", false),
    ] {
        assert_eq!(Part::read(text, "message.parts[0]").is_ok(), right, "{text}");
    }
    let (raw, url) = (Content::Raw("YQ==".to_owned()), Content::Url("https://a".to_owned()));
    for (content, member) in [
        (&raw, r#""bytes":"YQ==""#),
        (&url, r#""uri":"https://a""#),
        (&url, r#""fileWithUri":"https://a""#),
    ] {
        let file = format!(r#"{{{member},"mimeType":"image/png","name":"a.png"}}"#);
        let text = format!(r#"{{"kind":"file","file":{file},"metadata":{{"type":"t"}}}}"#);
        let part = Part::read(&text, "p").expect("a part");
        let named = (part.filename.as_str(), part.media_type.as_str(), part.type_name());
        assert_eq!((&part.content, named), (content, ("a.png", "image/png", Some("t"))));
    }
}

#[test]
fn data_of_any_value_comes_out_as_it_came_in_p020() {
    for data in ["[1,2]", r#"{"a":12345678901234567890123,"a":7.0}"#, "null", "1e400"] {
        let text = format!(r#"{{"data":{data},"metadata":{{"type":"t"}},"mediaType":"application/json"}}"#);
        let part = Part::read(&text, "p").expect("a part");
        assert_eq!(part.content, Content::Data(data.to_owned()));
        assert_eq!(serde_json::to_string(&part).expect("JSON"), text);
    }
    let artifact = Artifact {
        artifact_id: "reply-1".to_owned(),
        name: String::new(),
        parts: vec![Part::data("{\"a\":1.50}".to_owned(), "application/json")],
        extensions: vec!["https://example.com/v1".to_owned()],
    };
    let text = serde_json::to_string(&artifact).expect("JSON");
    assert_eq!(Artifact::read(&text), Some(artifact));
    assert_eq!(Artifact::read(r#"{"artifactId":"a","parts":[]}"#), None);
}
