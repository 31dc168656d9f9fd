//! Typed parts: which of them are processed, refused and skipped, by type and version.

use serde_json::Value;
use serde_json::json;

use super::GOLDEN;
use super::golden;
use super::opened;
use super::part;
use super::server;
use super::told;
use crate::support::server::Server;

fn check(server: &Server, parts: Value) -> Value {
    let body = json!({"role": "user", "parts": parts});
    told(server, "ada", "POST", "/v1/messages:check", &body, 200)["parts"].clone()
}

#[test]
fn the_golden_messages_parts_fit_what_is_hosted_p008_p009_p017_p018_p019_p038() {
    let server = server();
    let golden = golden();
    let checked = told(&server, "ada", "POST", "/v1/messages:check", &golden, 200);
    let rows = checked["parts"].as_array().expect("a list");
    assert_eq!(rows.len(), 2, "the text is no typed part");
    for (row, (name, id)) in rows.iter().zip([
        ("ConversationHistory", "conversation_history_v1"),
        ("UserContext", "user_context_v1"),
    ]) {
        let expected = (json!("processed"), json!(name), json!(id), json!("1.0.0"));
        let found = (&row["outcome"], &row["type"], &row["schema_id"], &row["version"]);
        assert_eq!(found, (&expected.0, &expected.1, &expected.2, &expected.3), "{row}");
    }
}

#[test]
fn the_version_decides_part_by_part_and_never_fails_the_message_p011_p012_p013_p014_p015_p016_p020_p022() {
    let server = server();
    let turn = json!({"role": "user", "content": "hi"});
    let data = json!({"userProfile": {"location": "Ulm"}, "mood": "good"});
    let rows = check(
        &server,
        json!([
            part(data.clone(), "UserContext", "1.0"),
            part(data.clone(), "UserContext", "1.7.2"),
            part(data.clone(), "UserContext", "2.0"),
            part(data.clone(), "Nobody", "1.0"),
            {"data": data.clone()},
            part(json!([turn]), "conversationhistory", "1.0"),
            part(json!([{"role": "robot", "content": "x"}]), "ConversationHistory", "1.0"),
            part(json!(7), "ConversationHistory", "1.0"),
        ]),
    );
    let outcomes: Vec<&str> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row["outcome"].as_str().expect("a word"))
        .collect();
    let expected = [
        "processed",
        "processed",
        "refused",
        "skipped",
        "skipped",
        "processed",
        "refused",
        "refused",
    ];
    assert_eq!(outcomes, expected, "{rows}");
    assert!(rows[1]["warnings"][0].as_str().expect("a warning").contains("newer"));
    assert!(
        rows[2]["why"].as_str().expect("a reason").contains("1.0.0"),
        "what is hosted is said"
    );
    assert!(
        rows[6]["why"]
            .as_str()
            .expect("a reason")
            .contains("conversation_history_v1")
    );
    assert!(!rows[6].to_string().contains("robot"), "no value is said");
    let said = |row: &Value| row["warnings"][0].as_str().unwrap_or_default().to_owned();
    assert!(said(&rows[5]).contains("published as `ConversationHistory`"), "{rows}");
    let near = check(
        &server,
        json!([part(data.clone(), "UserContexts", "1.0"), part(data, "Nobody", "1.0")]),
    );
    let why = |row: &Value| row["why"].as_str().unwrap_or_default().to_owned();
    assert!(
        why(&near[0]).ends_with("the nearest that is hosted is `UserContext`"),
        "{near}"
    );
    assert!(!why(&near[1]).contains("nearest"), "{near}");
    let mut needed = part(json!({}), "Nobody", "1.0");
    needed["metadata"]["required"] = json!(true);
    let body = json!({"role": "user", "parts": [needed]});
    let refused = told(&server, "ada", "POST", "/v1/messages:check", &body, 400);
    assert_eq!(refused["fields"][0]["field"], "parts[0].metadata.type");
}

#[test]
fn a_file_is_skipped_and_a_message_is_read_in_its_envelope_p007_p016_p017() {
    let server = server();
    let outcomes = |body: &Value| -> Vec<(Value, Value)> {
        let checked = told(&server, "ada", "POST", "/v1/messages:check", body, 200);
        let rows = checked["parts"].as_array().expect("rows");
        rows.iter()
            .map(|row| (row["part"].clone(), row["outcome"].clone()))
            .collect()
    };
    let user = part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", "1.0");
    let message = json!({"messageId": "m", "role": "user", "parts": [
        {"text": "look"},
        {"file": {"uri": "https://h/a.pdf", "mimeType": "application/pdf", "name": "a.pdf"}},
        {"kind": "file", "file": {"bytes": "YQ=="}, "metadata": {"type": "UserContext"}},
        {"url": "https://h/a.pdf"}, {"raw": "YQ=="}, user]});
    let expected: Vec<(Value, Value)> = [
        (1, "skipped"),
        (2, "skipped"),
        (3, "skipped"),
        (4, "skipped"),
        (5, "processed"),
    ]
    .map(|(place, outcome)| (json!(place), json!(outcome)))
    .to_vec();
    assert_eq!(outcomes(&message), expected);
    assert_eq!(outcomes(&json!({"message": message, "configuration": {}})), expected);
    let enveloped: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let golden = outcomes(&json!({"message": enveloped["message"]}));
    assert_eq!(golden, outcomes(&enveloped["message"]), "with and without its envelope");
    let needed = json!({"url": "https://h/a.pdf", "metadata": {"required": true}});
    let body = json!({"role": "user", "parts": [needed]});
    told(&server, "ada", "POST", "/v1/messages:check", &body, 400);
    // Who keeps what was said keeps no file, and says so of each.
    let at = opened(&server, "ada");
    let kept = told(&server, "ada", "POST", &format!("{at}/turns"), &message, 201);
    let outcomes: Vec<&Value> = kept["parts"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| &row["outcome"])
        .collect();
    assert_eq!(outcomes, ["skipped", "skipped", "skipped", "skipped", "processed"]);
    let alone = json!({"role": "user", "parts": [{"file": {"uri": "https://h/a.pdf"}}]});
    let refused = told(&server, "ada", "POST", &format!("{at}/turns"), &alone, 400);
    assert_eq!(refused["fields"][0]["field"], "parts");
}

#[test]
fn a_message_of_which_only_refused_parts_are_there_is_refused_and_recorded_nowhere_p014_p016() {
    let server = server();
    let at = opened(&server, "ada");
    let path = format!("{at}/turns");
    let (new, fits) = (
        part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", "9.0"),
        part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", "1.0"),
    );
    let foreign = part(json!({}), "Nobody", "1.0");
    for (parts, status) in [
        (json!([new]), 422),
        (json!([new, foreign]), 422),
        (json!([new, fits]), 201),
        (json!([{"text": "look"}, new]), 201),
        (json!([foreign]), 201),
    ] {
        for path in [path.as_str(), "/v1/conversations"] {
            let reply = told(
                &server,
                "ada",
                "POST",
                path,
                &json!({"role": "user", "parts": parts}),
                status,
            );
            let refused = reply["parts"].as_array().expect("what became of each");
            let refused = refused.iter().filter(|part| part["outcome"] == "refused");
            assert!(
                refused
                    .clone()
                    .all(|part| part["why"].as_str().is_some_and(|why| why.contains("1.0.0")))
            );
            assert_eq!(refused.count(), usize::from(parts != json!([foreign])), "{reply}");
            if status == 422 {
                assert_eq!(reply["code"], "nothing_taken", "{reply}");
            }
        }
    }
    let kept = told(&server, "ada", "GET", "/v1/conversations", &Value::Null, 200);
    let kept = kept["conversations"].as_array().expect("a list").len();
    assert_eq!(kept, 1 + 3, "none was begun by what was refused");
}
