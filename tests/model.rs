//! A language model that helps the rules, against a server on loopback: what is sent, what of its answers is taken, and
//! what happens when it does badly.

mod endpoint;

mod judging;

mod process;

mod reading;

use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::support::chat::Chat;
use crate::support::server::Reply;
use crate::support::server::Server;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

/// What many want.
const SEATS: [&str; 10] = [
    "a window seat please",
    "please a window seat",
    "I would like a window seat please",
    "I would like a window seat",
    "a window seat if possible",
    "window seat if possible",
    "please book me a window seat",
    "I'd like a window seat",
    "I prefer a window seat",
    "a window seat for me",
];

/// Flight booking with gates that open after a few wishes.
fn template(evolution: &Value) -> Value {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["policy"] = json!({
        "pool": {
            "look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4,
        },
        "evolution": evolution,
    });
    template
}

/// An airline with gates that open after a few wishes, helped by a model.
fn airline(chat: &Chat, evolution: &Value, change: impl FnOnce(&mut Settings)) -> Server {
    let url = chat.url();
    Server::set(&[("template.json", template(evolution))], |settings| {
        settings.model.url = url;
        settings.model.name = "small-model".to_owned();
        settings.model.timeout_s = 5;
        change(settings);
    })
}

fn book(server: &Server, client: &str, more: &[(&str, Value)], utterance: Option<&str>) -> Reply {
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    for (key, value) in more {
        payload[*key] = value.clone();
    }
    let mut body = json!({"schema_id": "flight_booking_v1", "payload": payload});
    if let Some(utterance) = utterance {
        body["utterance"] = json!(utterance);
    }
    let reply = server.call(
        "POST",
        "/v1/submissions",
        &[("Otherwise-Client", client)],
        &body.to_string(),
    );
    assert_eq!(reply.status, 200, "{}", reply.body);
    server.settle();
    reply
}

/// Five clients say these wishes in turn; the patches that come of it.
fn patches(server: &Server, said: &[&str]) -> Vec<Value> {
    for (number, said) in said.iter().enumerate() {
        let client = format!("agent-{}", number % 5);
        book(server, &client, &[("other", json!(said))], None);
    }
    let found = get(server, "/v1/scenarios/flight_booking/patches");
    found["patches"].as_array().expect("patches").clone()
}

fn evidence(server: &Server, patch: &Value) -> Value {
    let id = patch["patch_id"].as_str().expect("a patch");
    get(server, &format!("/v1/patches/{id}/evidence"))
}

/// The first patch that comes of these wishes, with its evidence.
fn wanted(server: &Server, said: &[&str]) -> (Value, Value) {
    let patch = patches(server, said).remove(0);
    let evidence = evidence(server, &patch);
    (patch, evidence)
}

fn get(server: &Server, path: &str) -> Value {
    let reply = server.call("GET", path, &[("Otherwise-Client", "operator")], "");
    assert_eq!(reply.status, 200, "{path} {}", reply.body);
    reply.body
}

/// What the metrics page says of the model.
fn measured(server: &Server) -> String {
    let page = server.page("/metrics");
    page.lines()
        .filter(|line| line.starts_with("otherwise_model"))
        .collect::<Vec<_>>()
        .join("\n")
}
