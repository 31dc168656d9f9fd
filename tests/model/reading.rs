//! A language model in the reader's seat: what it is given, what of its answer becomes of a pool, and what happens when it does badly.

use engine::evolution::review::Seat;
use otherwise::config::Settings;
use schema::question::Use;
use serde_json::Value;
use serde_json::json;

use super::SEATS;
use super::airline;
use super::get;
use super::measured;
use super::patches;
use crate::support::chat;
use crate::support::chat::Chat;
use crate::support::chat::Say;
use crate::support::loopback::Heard;
use crate::support::server::Server;

fn seated(settings: &mut Settings) {
    settings.policy.evolution.reader = Seat::Model;
    settings.model.uses = vec![Use::Reader];
}

/// An answer that calls everything one wish.
fn one_wish(asked: &Heard, name: &str) -> Say {
    let given = chat::user(asked);
    let fragments = given["fragments"].as_array().expect("fragments");
    let ids: Vec<&Value> = fragments.iter().map(|fragment| &fragment["id"]).collect();
    Say::Content(
        json!({"wishes": [{"ids": ids, "denied": [], "name": name, "was": null, "title": null, "type": "boolean", "unit": null,
        "values": [], "description": "Whether a place by the window is wanted.", "sensitive": false, "why": null}],
        "held": [], "nothing": []}),
    )
}

fn review(server: &Server) -> Value {
    get(server, "/v1/scenarios/flight_booking/pool")["review"].clone()
}

#[test]
fn a_model_in_the_seat_names_the_key_and_is_told_of_no_client_z096_z109_z171() {
    let chat = Chat::start(|_, asked| one_wish(asked, "place_by_the_window"));
    let server = airline(&chat, &json!({}), seated);
    let found = patches(&server, &SEATS);
    let names: Vec<&Value> = found.iter().map(|patch| &patch["new_keys"][0]["key_name"]).collect();
    assert_eq!(names, ["place_by_the_window"]);
    let asked = chat.asked();
    let sent = chat::user(&asked[0]);
    assert!(!sent.to_string().contains("agent-1"), "{sent}");
    assert!(
        sent["fragments"]
            .as_array()
            .is_some_and(|fragments| !fragments.is_empty())
    );
    assert!(
        measured(&server).contains(r#"otherwise_model_questions_total{outcome="answered",use="reader"}"#),
        "{}",
        measured(&server)
    );
}

#[test]
fn a_model_that_fails_leaves_the_engine_alone_and_the_pool_says_why_z137() {
    let chat = Chat::start(|_, _| Say::Status(500, ""));
    let server = airline(&chat, &json!({}), seated);
    let found = patches(&server, &SEATS);
    assert_eq!(found[0]["new_keys"][0]["key_name"], "window_seat");
    assert!(
        review(&server)["failed"].as_str().is_some_and(|why| !why.is_empty()),
        "{}",
        review(&server)
    );
    // One that answers something else, or as only a person may, is as good as none.
    let by_hand = json!([{"cluster": 0, "name": "mine", "type": "boolean"}]);
    for wishes in [json!("all of them"), by_hand] {
        let chat = Chat::start(move |_, _| Say::Content(json!({"wishes": wishes.clone(), "held": [], "nothing": []})));
        let server = airline(&chat, &json!({}), seated);
        assert_eq!(patches(&server, &SEATS)[0]["new_keys"][0]["key_name"], "window_seat");
        assert!(review(&server)["failed"].is_string());
    }
    // One that is not to read is not asked.
    let chat = Chat::start(|_, asked| one_wish(asked, "place_by_the_window"));
    let server = airline(&chat, &json!({}), |settings| {
        seated(settings);
        settings.model.uses = vec![Use::Judge];
    });
    assert_eq!(patches(&server, &SEATS)[0]["new_keys"][0]["key_name"], "window_seat");
    assert!(chat.asked().is_empty());
}

#[test]
fn a_template_may_keep_a_model_from_reading_z073() {
    let chat = Chat::start(|_, asked| one_wish(asked, "place_by_the_window"));
    let server = airline(&chat, &json!({"reader": "none"}), seated);
    assert_eq!(patches(&server, &SEATS)[0]["new_keys"][0]["key_name"], "window_seat");
    assert!(chat.asked().is_empty());
    let refused = server.call(
        "GET",
        "/v1/scenarios/flight_booking/pool:review",
        &[("Otherwise-Client", "operator")],
        "",
    );
    assert_eq!(refused.status, 409);
}
