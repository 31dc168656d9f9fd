//! What is called sensitive goes to nobody but who is declared to get it, by whatever means it is called so.

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::part;
use super::said;
use super::server;
use super::told;

const SECRET: &str = "My illness is a secret.";

/// What goes to an agent, as text.
fn passed(talk: &Talk<'_>, sensitive: bool) -> String {
    let types = ["ConversationHistory", "UserContext"];
    talk.declare("lap", &json!({"types": types, "sensitive": sensitive}));
    talk.embed(&json!({"agent": "lap", "text": "go on"}))["message"].to_string()
}

#[test]
fn what_is_called_sensitive_in_a_part_a_message_or_a_turn_is_held_back_p010_p035() {
    let server = server();
    let marked = json!({"sensitive": true});
    let data = part(json!({"userProfile": {"location": SECRET}}), "UserContext", "1.0");
    let over_a2a = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": SECRET, "metadata": marked}]});
    for way in [
        json!({"role": "user", "parts": [{"text": "public"}, {"text": SECRET, "metadata": marked}]}),
        json!({"role": "user", "parts": [{"text": SECRET}], "metadata": marked}),
        json!({"role": "user", "content": SECRET, "sensitive": true}),
        json!({"role": "user", "sensitive": true, "parts": [{"text": "words"}, data]}),
        over_a2a,
    ] {
        let talk = Talk::begin(&server);
        if way["role"] == "user" {
            talk.say(std::slice::from_ref(&way));
        } else {
            let mut message = json!({ "message": way });
            message["message"]["contextId"] = json!(talk.id());
            told(&server, "ada", "POST", "/a2a/message:send", &message, 200);
        }
        talk.say(&[said("assistant", "I see.")]);
        let held = passed(&talk, false);
        assert!(!held.contains("illness") && held.contains("I see."), "{way}: {held}");
        assert!(passed(&talk, true).contains("illness"), "{way}");
    }
}

#[test]
fn what_is_called_sensitive_in_a_part_is_in_no_summary_p032_p035() {
    let server = server();
    let talk = Talk::begin(&server);
    let turn = |day: i32| {
        let secret = format!("My illness was diagnosed on May {day}, and the dose is {day}0 mg of the drug.");
        let open = format!("I would like to travel to Rome on June {day}, and I need a room for {day} nights.");
        let marked = json!({"sensitive": day % 2 == 0});
        json!({"role": "user", "parts": [{"text": open}, {"text": secret, "metadata": marked}]})
    };
    talk.say(&(1..=12).map(turn).collect::<Vec<Value>>());
    let history = passed(&talk, false);
    for day in [2, 4, 6, 8, 10, 12] {
        assert!(!history.contains(&format!("dose is {day}0 mg")), "{history}");
    }
}

#[test]
fn a_flag_of_words_that_is_none_and_a_type_of_words_are_refused_p016_p035() {
    let server = server();
    let talk = Talk::begin(&server);
    for (metadata, place) in [
        (json!({"sensitive": "no"}), "parts[0].metadata.sensitive"),
        (json!({"type": "Nope", "required": true}), "parts[0].metadata.type"),
    ] {
        let turn = json!({"role": "user", "parts": [{"text": SECRET, "metadata": metadata}]});
        for path in ["/v1/messages:check".to_owned(), format!("{}/turns", talk.at)] {
            let refused = told(&server, "ada", "POST", &path, &turn, 400);
            assert_eq!(refused["fields"][0]["field"], place, "{path}: {refused}");
        }
    }
}
