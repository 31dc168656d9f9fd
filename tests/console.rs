//! The page for people, as it is served and as a real browser shows it.

mod changed;

mod files;

mod missing;

mod people;

mod pictures;

mod refusals;

mod views;

mod waits;

mod webdriver;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::console::webdriver::Browser;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::wishes::SEAT;
use crate::support::wishes::SUITCASE;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
const AXE: &str = include_str!("console/axe.min.js");

/// What would run if the page made HTML of a text, and shows that it is a text where it does not.
const INJECTED: &str = r#"<img src=x onerror="window.alive=1">"#;

/// Words for what a test waits for at most once a view: a client that is told nothing else.
const OLGA: (&str, &str) = ("Otherwise-Client", "olga");

/// Every view by its address after `#/`, with a text that only it shows, the last that comes.
const VIEWS: [(&str, &str, &str); 7] = [
    ("scenarios", "scenarios", "Where to look first"),
    (
        "waits",
        "s/flight_booking/waits",
        "As proposed, tried on the last 30 days",
    ),
    ("missing", "s/flight_booking/missing", "What it takes to become a key"),
    ("changed", "s/flight_booking/changed", "gravest first"),
    ("uses", "s/flight_booking/uses", "Payloads, 7 d"),
    ("overview", "s/flight_booking/overview", "Learned keys"),
    ("try", "s/flight_booking/try", "A payload for"),
];

/// A booking of flights in which every key waits for a person, with gates that open after a few wishes.
fn flight() -> Value {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["policy"] = json!({
        "pool": {
            "look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4,
        },
        "evolution": {"autonomy": "review"},
    });
    template["owner"] = json!(INJECTED);
    template["labels"] = json!({"team": INJECTED});
    template["description"] = json!(format!("Books a flight. {INJECTED}"));
    template
}

fn served(change: impl FnOnce(&mut Settings)) -> Server {
    Server::start(&[("template.json", flight())], change, PartsOverride::default())
}

/// A service with two proposals that wait, and a wish that is still cold.
fn with_proposals() -> Server {
    let server = served(|_| {});
    fill(&server, &[]);
    server
}

/// What a handful of agents say, each with these headers beside its name.
fn fill(server: &Server, headers: &[(&str, &str)]) {
    for said in [&SEAT, &SUITCASE] {
        for (number, said) in said.iter().enumerate() {
            wish(server, &format!("agent-{}", number % 5), said, headers);
        }
    }
    for client in 0..3 {
        wish(server, &format!("agent-{client}"), INJECTED, headers);
    }
}

fn wish(server: &Server, client: &str, said: &str, headers: &[(&str, &str)]) -> Reply {
    let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": said});
    let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
    let headers = if headers.is_empty() {
        vec![("Otherwise-Client", client)]
    } else {
        headers.to_vec()
    };
    let reply = server.call("POST", "/v1/submissions", &headers, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    server.settle();
    reply
}

/// The patches, oldest first.
fn patches(server: &Server) -> Vec<Value> {
    let reply = server.get("olga", "/v1/scenarios/flight_booking/patches");
    reply.body["patches"].as_array().expect("patches").clone()
}

/// Opens the page there as olga, who is asked for her name.
fn enter(browser: &Browser, server: &Server, place: &str) {
    browser.open(&format!("{}/console/#/{place}", server.base()));
    sign_in(browser, "olga");
    browser.until("document.querySelector('nav.side')");
}

/// The same, once the page hears keys.
fn enter_live(browser: &Browser, server: &Server, place: &str) {
    enter(browser, server, place);
    browser.sees("live");
}

/// Says who looks, once the field has the focus: a key before that goes nowhere.
fn sign_in(browser: &Browser, who: &str) {
    browser.until("document.activeElement?.matches('input[name=who]')");
    browser.press(who);
    browser.until(&format!("document.activeElement?.value === '{who}'"));
    browser.press(webdriver::ENTER);
}

/// Goes to another place of a page that is open.
fn go(browser: &Browser, place: &str) {
    browser.script("location.hash = arguments[0]", &[json!(format!("#/{place}"))]);
}
