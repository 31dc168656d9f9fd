//! Summaries that a model writes of conversations, checked, and what is done where it writes none.

use std::time::Duration;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::question::Use;
use serde_json::Value;
use serde_json::json;

use super::measured;
use crate::conversations::Talk;
use crate::conversations::shopping;
use crate::conversations::started;
use crate::support::chat;
use crate::support::chat::Chat;
use crate::support::chat::Say;
use crate::support::server::Server;

/// What the ten turns come to, in a model's words.
fn right() -> Value {
    json!({"items": [
        {"turn": 3, "text": "The user needs 16 GB of memory and wants to spend 1,000 dollars at most."},
        {"turn": 8, "text": "Option 4 is to be delivered on 2026-05-04."},
    ]})
}

fn writing(chat: &Chat, change: impl FnOnce(&mut Settings)) -> Server {
    let url = chat.url();
    let settings = |settings: &mut Settings| {
        settings.model.url = url;
        settings.model.name = "small-model".to_owned();
        settings.model.uses = vec![Use::Summary];
        settings.model.timeout_s = 2;
        change(settings);
    };
    started(settings, PartsOverride::default())
}

/// The history that goes to an agent after ten turns.
fn history(server: &Server) -> Value {
    let talk = Talk::begin(server);
    talk.say(&shopping());
    talk.declare("parcels", &json!({"types": ["ConversationHistory"]}));
    let history = talk.history("parcels");
    let record = &history["metadata"]["summarised"];
    assert_eq!(record["turns"], 10, "{history}");
    assert_eq!(
        talk.shown()["summary"]["method"],
        record["method"],
        "what is shown is what goes out"
    );
    history
}

fn method(history: &Value) -> (&Value, &Value) {
    let record = &history["metadata"]["summarised"];
    (&record["method"], &record["model"])
}

#[test]
fn a_summary_that_a_model_wrote_is_kept_and_says_so_p032_p033_p034() {
    let chat = Chat::start(|_, _| Say::Content(right()));
    let server = writing(&chat, |_| {});
    let history = history(&server);
    assert_eq!(method(&history), (&json!("model"), &json!("small-model")));
    assert_eq!(
        history["data"],
        json!([
            {"role": "user", "content": "The user needs 16 GB of memory and wants to spend 1,000 dollars at most."},
            {"role": "assistant", "content": "Option 4 is to be delivered on 2026-05-04."},
        ])
    );
    assert_eq!(
        (chat.asked().len(), chat.count("summary")),
        (1, 1),
        "asked once, whoever waits"
    );
    let asked = &chat.asked()[0];
    let user = chat::user(asked);
    assert_eq!(user["said"][0]["turn"], 1);
    for hidden in ["anna@example.org", "\"ada\"", "parcels"] {
        assert!(!asked.body.to_string().contains(hidden), "{hidden}");
    }
    assert!(measured(&server).contains(r#"otherwise_model_questions_total{outcome="answered",use="summary"} 1"#));
    let page = server.page("/metrics");
    assert!(
        page.contains(r#"otherwise_conversation_summaries_total{method="model"} 1"#),
        "{page}"
    );
}

#[test]
fn what_was_not_said_is_not_kept_and_the_rules_summarise_p033_p034() {
    for say in [
        Say::Content(json!({"items": [{"turn": 3, "text": "Peter wants a laptop for 900 dollars."}]})),
        Say::Content(json!({"summary": "The user wants a laptop."})),
        Say::Status(500, ""),
    ] {
        let told = format!("{say:?}");
        let chat = Chat::start(move |_, _| say.clone());
        let server = writing(&chat, |_| {});
        let history = history(&server);
        assert_eq!(method(&history).0, "extractive", "{told}");
        let text = history["data"].to_string();
        assert!(
            text.contains("1,000 dollars") && !text.contains("Peter"),
            "{told}: {text}"
        );
        assert_eq!(chat.count("summary"), 1, "{told}");
    }
}

#[test]
fn a_late_model_a_spent_budget_and_one_that_is_not_named_leave_it_to_the_rules_p033() {
    let chat = Chat::start(|_, _| Say::Stall(Duration::from_secs(5), right()));
    assert_eq!(method(&history(&writing(&chat, |_| {}))).0, "extractive", "late");
    let chat = Chat::start(|_, _| Say::Content(right()));
    let spent = writing(&chat, |settings| settings.model.calls_per_day = 0);
    assert_eq!(method(&history(&spent)).0, "extractive", "over budget");
    let others = writing(&chat, |settings| settings.model.uses = Use::OF_KEYS.to_vec());
    assert_eq!(method(&history(&others)).0, "extractive", "not named");
    assert_eq!(Settings::default().model.uses, Use::OF_KEYS, "off unless named");
    assert!(chat.asked().is_empty());
}
