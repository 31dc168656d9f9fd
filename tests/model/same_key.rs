//! Two keys or one: what a model says counts where the rules are in doubt.

use otherwise::domain::evolution::question::Use;
use serde_json::Value;
use serde_json::json;

use super::airline;
use crate::support::chat;
use crate::support::chat::Chat;
use crate::support::chat::Say;
use crate::support::server::Server;

const MEALS: [&str; 10] = [
    "a vegetarian meal please",
    "vegan meal please",
    "I would like a vegetarian meal",
    "I would like a vegan meal",
    "vegetarian meal if possible",
    "vegan meal if possible",
    "please book a vegetarian meal",
    "I prefer a vegan meal",
    "I prefer a vegetarian meal",
    "a vegan meal for me",
];

/// An airline whose rules are in doubt about everything between these two.
fn doubting(chat: &Chat, min: f64, max: f64) -> Server {
    airline(
        chat,
        &json!({"same_key_doubt_min": min, "same_key_doubt_max": max}),
        |settings| settings.model.uses = vec![Use::SameKey],
    )
}

fn outcome(server: &Server) -> (Vec<Value>, Vec<Value>) {
    let patches = super::patches(server, &MEALS);
    let evidence = patches.iter().map(|patch| super::evidence(server, patch)).collect();
    (patches, evidence)
}

#[test]
fn within_the_band_a_model_decides_and_the_evidence_says_so_z113_z126() {
    let no = Chat::start(|_, _| Say::Content(json!({"same": "no"})));
    let (patches, evidence) = outcome(&doubting(&no, 0.0, 1.0));
    assert!(patches[0]["new_keys"][0]["key_name"].is_string(), "{patches:?}");
    let asked = no.asked();
    assert!((1..=3).contains(&asked.len()), "{}", asked.len());
    let user = chat::user(&asked[0]);
    assert!(
        user["existing"]["key_name"].is_string() && user["candidate"]["key_name"].is_string(),
        "{user}"
    );
    let ruled = &evidence[0]["consulted"];
    assert_eq!(ruled["model"], "small-model");
    let all_no = ruled["same_key"]
        .as_object()
        .is_some_and(|ruled| !ruled.is_empty() && ruled.values().all(|v| v == false));
    assert!(all_no && ruled["named_by"] == "rules", "{ruled}");
}

#[test]
fn a_yes_within_the_band_makes_no_second_key_z113_z114_z126() {
    let yes = Chat::start(|_, _| Say::Content(json!({"same": "yes"})));
    let (patches, _) = outcome(&doubting(&yes, 0.0, 1.0));
    assert!(!yes.asked().is_empty());
    let added: Vec<&Value> = patches
        .iter()
        .filter(|patch| patch["new_keys"].as_array().is_some_and(|keys| !keys.is_empty()))
        .collect();
    assert!(added.is_empty(), "{added:?}");
}

#[test]
fn outside_the_band_nothing_is_asked_z126() {
    let yes = Chat::start(|_, _| Say::Content(json!({"same": "yes"})));
    let (patches, evidence) = outcome(&doubting(&yes, 0.999, 1.0));
    assert!(yes.asked().is_empty(), "{:?}", yes.asked());
    assert!(patches[0]["new_keys"][0]["key_name"].is_string());
    assert_eq!(evidence[0]["consulted"]["model"], Value::Null);
}

#[test]
fn without_an_answer_the_rules_decide_z126() {
    let broken = Chat::start(|_, _| Say::Status(500, ""));
    let (with, _) = outcome(&doubting(&broken, 0.0, 1.0));
    assert!(!broken.asked().is_empty());
    let quiet = Chat::start(|_, _| Say::Status(500, ""));
    let (without, _) = outcome(&doubting(&quiet, 0.999, 1.0));
    let keys = |patches: &[Value]| -> Vec<Value> {
        patches
            .iter()
            .map(|patch| json!([patch["new_keys"], patch["modified_keys"]]))
            .collect()
    };
    assert_eq!(keys(&with), keys(&without));
}
