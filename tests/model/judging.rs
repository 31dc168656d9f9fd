//! Values that the rules leave open and a model judges.

use std::time::Duration;
use std::time::Instant;

use schema::question::Use;
use serde_json::Value;
use serde_json::json;

use super::SEATS;
use super::airline;
use super::book;
use super::get;
use super::wanted;
use crate::support::chat;
use crate::support::chat::Chat;
use crate::support::chat::Say;
use crate::support::server::Server;

fn judging(chat: &Chat, share: f64) -> Server {
    airline(chat, &json!({}), |settings| {
        settings.model.uses = vec![Use::Judge];
        settings.policy.evolution.model_judge_share = share;
    })
}

/// The ledger's entry of the first patch's key.
fn ledger(server: &Server, name: &str) -> Value {
    get(server, "/v1/scenarios/flight_booking/ledger")["keys"][name].clone()
}

/// Waits until the ledger shows it, or for ten seconds.
fn until(server: &Server, name: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let entry = ledger(server, name);
        if holds(&entry) || begun.elapsed() > Duration::from_secs(10) {
            return entry;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A key on trial, with a right value of it.
fn key(server: &Server) -> (String, Value) {
    let (patch, _) = wanted(server, &SEATS);
    let key = &patch["new_keys"][0];
    let name = key["key_name"].as_str().expect("a name").to_owned();
    let value = match key["key_type"].as_str() {
        Some("boolean") => json!(true),
        _ => json!("window"),
    };
    (name, value)
}

/// A booking with the key and something else in `other`, without an utterance.
fn fill(server: &Server, name: &str, value: &Value, other: &str) {
    let more = [(name, value.clone()), ("other", json!(other))];
    book(server, "agent-1", &more, None);
}

#[test]
fn a_model_judges_what_the_rules_leave_open_and_its_share_is_published_z136_z137() {
    let chat = Chat::start(|_, _| Say::Content(json!({"verdict": "not_aligned"})));
    let server = judging(&chat, 1.0);
    let (name, value) = key(&server);
    // Without an utterance the rules go by a proxy; what else was said is all that there is.
    fill(&server, &name, &value, "a vegetarian meal");
    let entry = until(&server, &name, |entry| entry["basis"]["llm"] == 1);
    assert_eq!(
        entry["basis"],
        json!({"lexical": 0, "proxy": 0, "llm": 1, "audit": 0}),
        "{entry}"
    );
    assert_eq!(
        (&entry["judged"], &entry["aligned"]),
        (&json!(1), &json!(0)),
        "counted once"
    );
    assert_eq!(entry["basis_share"]["llm"], 1.0);
    let user = chat::user(&chat.asked()[0]);
    assert_eq!(
        (&user["value"], &user["other"]),
        (&value, &json!(["a vegetarian meal"]))
    );
    assert!(!chat.asked()[0].body.to_string().contains("agent-1"));
    // With one that says it, the rules judge alone.
    book(
        &server,
        "agent-1",
        &[(&name, value.clone())],
        Some("a window seat please"),
    );
    let entry = until(&server, &name, |entry| entry["judged"] == 2);
    assert_eq!(entry["basis"]["lexical"], 1, "{entry}");
    assert_eq!(chat.asked().len(), 1);
}

#[test]
fn without_an_answer_the_rules_verdict_stands_z137() {
    for say in [
        Say::Status(500, ""),
        Say::Content(json!({"verdict": "cannot_tell"})),
        Say::Content(json!({"verdict": "surely"})),
    ] {
        let chat = Chat::start(move |_, _| say.clone());
        let server = judging(&chat, 1.0);
        let (name, value) = key(&server);
        fill(&server, &name, &value, "a vegetarian meal");
        let entry = until(&server, &name, |_| chat.count("judge") > 0);
        assert_eq!(
            entry["basis"],
            json!({"lexical": 0, "proxy": 1, "llm": 0, "audit": 0}),
            "{entry}"
        );
    }
}

#[test]
fn a_slow_model_holds_up_no_digest_and_no_reply_z137() {
    let chat = Chat::start(|_, _| Say::Stall(Duration::from_secs(3), json!({"verdict": "aligned"})));
    let server = judging(&chat, 1.0);
    let (name, value) = key(&server);
    let begun = Instant::now();
    for _ in 0..4 {
        fill(&server, &name, &value, "a vegetarian meal");
    }
    assert!(begun.elapsed() < Duration::from_millis(2_500), "{:?}", begun.elapsed());
    assert_eq!(ledger(&server, &name)["judged"], 4, "by the rules, for now");
}

#[test]
fn nothing_personal_and_nothing_beyond_the_sample_is_sent_z137_z171() {
    let chat = Chat::start(|_, _| Say::Content(json!({"verdict": "aligned"})));
    for (share, said) in [
        (1.0, "mail me at ada@example.org about the meal"),
        (0.0, "a vegetarian meal"),
    ] {
        let server = judging(&chat, share);
        let (name, value) = key(&server);
        fill(&server, &name, &value, said);
        until(&server, &name, |entry| entry["judged"] == 1);
        assert!(chat.asked().is_empty());
    }
}
