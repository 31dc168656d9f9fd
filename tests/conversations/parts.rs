//! Typed parts: which of them are processed, refused and skipped, by type and version.

use serde_json::Value;
use serde_json::json;

use super::GOLDEN;
use super::Talk;
use super::each;
use super::golden;
use super::part;
use super::read;
use super::server;
use super::told;
use crate::support::server::Server;

/// What becomes of each part of a message.
fn check(server: &Server, body: &Value) -> Value {
    told(server, "ada", "POST", "/v1/messages:check", body, 200)["parts"].clone()
}

#[test]
fn the_golden_messages_parts_fit_what_is_hosted_p008_p009_p017_p018_p019_p038() {
    let rows = check(&server(), &golden());
    let expected = [
        ("ConversationHistory", "conversation_history_v1"),
        ("UserContext", "user_context_v1"),
    ];
    let expected = [1, 2].map(|place| {
        let (name, id) = expected[place - 1];
        json!({"part": place, "type": name, "outcome": "processed", "schema_id": id, "version": "1.0.0"})
    });
    assert_eq!(rows, json!(expected), "the text is no typed part");
}

#[test]
fn the_version_decides_part_by_part_and_never_fails_the_message_p011_p012_p013_p014_p015_p016_p020_p022() {
    let server = server();
    let user = |name: &str, version: &str| {
        let data = json!({"userProfile": {"location": "Ulm"}, "mood": "good"});
        part(data, name, version)
    };
    let history = |data: Value| part(data, "ConversationHistory", "1.0");
    let mut respelt = history(json!([{"role": "user", "content": "hi"}]));
    respelt["metadata"]["type"] = json!("conversationhistory");
    for (part, outcome, said) in [
        (user("UserContext", "1.0"), "processed", ""),
        (user("UserContext", "1.7.2"), "processed", "newer"),
        (user("UserContext", "2.0"), "refused", "1.0.0"),
        (user("Nobody", "1.0"), "skipped", ""),
        (
            user("UserContexts", "1.0"),
            "skipped",
            "the nearest that is hosted is `UserContext`",
        ),
        (json!({"data": {}}), "skipped", ""),
        (respelt, "processed", "published as `ConversationHistory`"),
        (
            history(json!([{"role": "robot", "content": "x"}])),
            "refused",
            "conversation_history_v1",
        ),
        (history(json!(7)), "refused", ""),
    ] {
        let row = check(&server, &json!({"role": "user", "parts": [part]}))[0].clone();
        assert_eq!(row["outcome"], outcome, "{row}");
        let told = format!("{} {}", row["why"], row["warnings"]);
        assert!(told.contains(said) && !told.contains("robot"), "{said}: {row}");
    }
    let mut needed = user("Nobody", "1.0");
    needed["metadata"]["required"] = json!(true);
    let body = json!({"role": "user", "parts": [needed]});
    let refused = told(&server, "ada", "POST", "/v1/messages:check", &body, 400);
    assert_eq!(refused["fields"][0]["field"], "parts[0].metadata.type");
}

#[test]
fn a_file_is_skipped_and_a_message_is_read_in_its_envelope_p007_p016_p017() {
    let server = server();
    let user = part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", "1.0");
    let message = json!({"messageId": "m", "role": "user", "parts": [
        {"text": "look"},
        {"file": {"uri": "https://h/a.pdf", "mimeType": "application/pdf", "name": "a.pdf"}},
        {"kind": "file", "file": {"bytes": "YQ=="}, "metadata": {"type": "UserContext"}},
        {"url": "https://h/a.pdf"}, {"raw": "YQ=="}, user]});
    let expected = ["skipped", "skipped", "skipped", "skipped", "processed"];
    for body in [message.clone(), json!({"message": message, "configuration": {}})] {
        let rows = check(&server, &body);
        assert_eq!(each(&rows, "outcome"), expected);
        assert_eq!(rows[0]["part"], 1, "a text is no typed part");
    }
    let enveloped: Value = serde_json::from_str(GOLDEN).expect("JSON");
    assert_eq!(
        check(&server, &json!({"message": enveloped["message"]})),
        check(&server, &enveloped["message"])
    );
    let needed = json!({"role": "user", "parts": [{"url": "https://h/a.pdf", "metadata": {"required": true}}]});
    told(&server, "ada", "POST", "/v1/messages:check", &needed, 400);
    // Who keeps what was said keeps no file, and says so of each.
    let talk = Talk::begin(&server);
    assert_eq!(each(&talk.turn(&message, 201)["parts"], "outcome"), expected);
    let alone = json!({"role": "user", "parts": [{"file": {"uri": "https://h/a.pdf"}}]});
    assert_eq!(talk.turn(&alone, 400)["fields"][0]["field"], "parts");
}

#[test]
fn a_message_of_which_only_refused_parts_are_there_is_refused_and_recorded_nowhere_p014_p016() {
    let server = server();
    let talk = Talk::begin(&server);
    let user = |version: &str| part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", version);
    let (new, fits, foreign) = (user("9.0"), user("1.0"), part(json!({}), "Nobody", "1.0"));
    for (parts, refused, status) in [
        (json!([new]), 1, 422),
        (json!([new, foreign]), 1, 422),
        (json!([new, fits]), 1, 201),
        (json!([{"text": "look"}, new]), 1, 201),
        (json!([foreign]), 0, 201),
    ] {
        let turn = json!({"role": "user", "parts": parts});
        let begun = told(&server, "ada", "POST", "/v1/conversations", &turn, status);
        for reply in [talk.turn(&turn, status), begun] {
            let told = reply["parts"].as_array().expect("what became of each").iter();
            let told: Vec<&Value> = told.filter(|part| part["outcome"] == "refused").collect();
            assert!(
                told.iter().all(|part| part["why"].to_string().contains("1.0.0")),
                "{reply}"
            );
            assert_eq!(told.len(), refused, "{reply}");
            assert_eq!(reply["code"] == "nothing_taken", status == 422, "{reply}");
        }
    }
    let total = read(&server, "ada", "/v1/conversations", 200)["total"].clone();
    assert_eq!(total, 1 + 3, "none was begun by what was refused");
}
