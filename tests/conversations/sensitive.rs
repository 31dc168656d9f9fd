//! What is called sensitive goes to nobody but who is declared to get it, by whatever means it is called so.

use serde_json::Value;
use serde_json::json;

use super::declare;
use super::embed;
use super::opened;
use super::said;
use super::say_all;
use super::server;
use super::told;
use crate::support::server::Server;

const SECRET: &str = "My illness is a secret.";

fn passed(server: &Server, at: &str, sensitive: bool) -> Value {
    let types = ["ConversationHistory", "UserContext"];
    declare(server, at, "lap", &json!({"types": types, "sensitive": sensitive}));
    embed(server, at, &json!({"agent": "lap", "text": "go on"}))["message"].clone()
}

/// Turns that say a secret, each in another way.
fn ways() -> [Value; 4] {
    let marked = json!({"sensitive": true});
    let data = json!({"data": {"userProfile": {"location": SECRET}}, "metadata": {"type": "UserContext", "schemaVersion": "1.0"}});
    [
        json!({"role": "user", "parts": [{"text": "public"}, {"text": SECRET, "metadata": marked}]}),
        json!({"role": "user", "parts": [{"text": SECRET}], "metadata": marked}),
        json!({"role": "user", "content": SECRET, "sensitive": true}),
        json!({"role": "user", "sensitive": true, "parts": [{"text": "words"}, data]}),
    ]
}

#[test]
fn what_is_called_sensitive_in_a_part_a_message_or_a_turn_is_held_back_p035() {
    let server = server();
    for way in ways() {
        let at = opened(&server, "ada");
        say_all(&server, "ada", &at, &[way.clone(), said("assistant", "I see.")]);
        let held = passed(&server, &at, false).to_string();
        assert!(!held.contains("illness") && held.contains("I see."), "{way}: {held}");
        let all = passed(&server, &at, true).to_string();
        assert!(all.contains("illness"), "{way}: {all}");
    }
}

#[test]
fn what_is_called_sensitive_in_a_part_is_in_no_summary_p032_p035() {
    let server = server();
    let at = opened(&server, "ada");
    let turns: Vec<Value> = (1..=12)
        .map(|day| {
            let secret = format!("My illness was diagnosed on May {day}, and the dose is {day}0 mg of the drug.");
            let open = format!("I would like to travel to Rome on June {day}, and I need a room with a balcony for {day} nights.");
            json!({"role": "user", "parts": [{"text": open}, {"text": secret, "metadata": {"sensitive": day % 2 == 0}}]})
        })
        .collect();
    say_all(&server, "ada", &at, &turns);
    let history = passed(&server, &at, false).to_string();
    for day in [2, 4, 6, 8, 10, 12] {
        assert!(!history.contains(&format!("dose is {day}0 mg")), "{history}");
    }
}

#[test]
fn a_flag_of_words_that_is_none_and_a_type_of_words_are_refused_p016_p035() {
    let server = server();
    let at = opened(&server, "ada");
    for (metadata, place) in [
        (json!({"sensitive": "no"}), "parts[0].metadata.sensitive"),
        (json!({"type": "Nope", "required": true}), "parts[0].metadata.type"),
    ] {
        let turn = json!({"role": "user", "parts": [{"text": SECRET, "metadata": metadata}]});
        for path in ["/v1/messages:check".to_owned(), format!("{at}/turns")] {
            let refused = told(&server, "ada", "POST", &path, &turn, 400);
            assert_eq!(refused["fields"][0]["field"], place, "{path}: {refused}");
        }
    }
    let members = json!({"types": ["ConversationHistory"], "members": {"ConversationHistory": []}});
    let refused = told(&server, "ada", "PUT", &format!("{at}/recipients/lap"), &members, 400);
    assert_eq!(refused["fields"][0]["field"], "members.ConversationHistory");
}

#[test]
fn what_is_called_sensitive_over_a2a_is_held_back_p010_p035() {
    let server = server();
    let at = opened(&server, "ada");
    let id = at.rsplit('/').next().expect("an id");
    let message = json!({"message": {"messageId": "m-1", "contextId": id, "role": "ROLE_USER",
        "parts": [{"text": SECRET, "metadata": {"sensitive": true}}]}});
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let sent = server.call("POST", "/a2a/message:send", &headers, &message.to_string());
    assert_eq!(sent.status, 200, "{}", sent.body);
    assert!(!passed(&server, &at, false).to_string().contains("illness"));
    assert!(passed(&server, &at, true).to_string().contains("illness"));
}
