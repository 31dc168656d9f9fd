//! What one scenario does for its clients and its operators, over HTTP.

mod approving;

mod audits;

mod clients;

mod cohorts;

mod exchange;

mod explained;

mod extensions;

mod exported;

mod looking;

mod looking_on;

mod evolution;

mod history;

mod operator_actions;

mod misasked;

mod operating;

mod owned;

mod pool;

mod privacy;

mod probing;

mod reading;

mod rebase;

mod stale;

mod stats;

mod updates;

mod versions;

mod waiting;

mod webhooks;

use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use crate::support::clock::VirtualClock;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::under;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

const OLGA: (&str, &str) = ("Otherwise-Client", "olga");

const SCENARIO: &str = "/v1/scenarios/flight_booking";

/// What one traveller wants (Z-124).
const LEGROOM: [&str; 4] = [
    "extra legroom for my long legs",
    "I need extra legroom",
    "extra legroom as always",
    "please give me extra legroom",
];
const QUIET: [&str; 4] = [
    "a quiet cabin please",
    "quiet cabin",
    "put me in a quiet cabin",
    "I want a quiet cabin as always",
];

/// Gates that open after a few wishes.
fn small_gates(evolution: &Value) -> Value {
    json!({
        "pool": {
            "look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4,
        },
        "evolution": evolution,
    })
}

/// The shipped flight booking, with this policy.
fn flight(policy: Value) -> Value {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["policy"] = policy;
    template
}

fn serve(template: Value) -> Server {
    Server::start(&[("template.json", template)], |_| {}, PartsOverride::default())
}

/// The same under a clock that is set by hand.
fn timed(policy: Value, change: impl FnOnce(&mut Settings)) -> (Server, Arc<VirtualClock>) {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let set = |settings: &mut Settings| {
        settings.service.tick_s = 86_400;
        change(settings);
    };
    (
        Server::start(&[("template.json", flight(policy))], set, under(&clock)),
        clock,
    )
}

fn airline(evolution: &Value) -> Server {
    serve(flight(small_gates(evolution)))
}

fn payload() -> Value {
    json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"})
}

impl Server {
    /// Submits a booking with more in it.
    fn book(&self, client: &str, more: &[(&str, Value)]) -> Reply {
        let mut payload = payload();
        for (key, value) in more {
            payload[*key] = value.clone();
        }
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
        let reply = self.call("POST", "/v1/submissions", &[("Otherwise-Client", client)], &body);
        self.settle();
        reply
    }

    /// Submits a booking with a wish that the template has no key for.
    fn wish(&self, client: &str, said: &str) -> Reply {
        let reply = self.book(client, &[("other", json!(said))]);
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply
    }

    /// Several clients want the same thing until there is a key for it, which is given back.
    fn wanted_by_many(&self, said: &[&str]) -> Value {
        for (number, said) in said.iter().enumerate() {
            self.wish(&format!("agent-{}", number % 5), said);
        }
        let found = self.patches();
        found.last().expect("a patch").clone()
    }

    /// One client wants the same thing again and again.
    fn wanted_by_one(&self, client: &str, said: &[&str]) -> Value {
        for said in said.iter().cycle().take(8) {
            self.wish(client, said);
        }
        let found = self.patches();
        found.last().expect("a patch").clone()
    }

    /// What an operator asks for.
    fn post(&self, path: &str, body: &str) -> Reply {
        let reply = self.call("POST", path, &[OLGA], body);
        self.settle();
        reply
    }

    /// What an operator does with a patch.
    fn act(&self, patch: &Value, action: &str, body: &str) -> Reply {
        self.post(&format!("/v1/patches/{}:{action}", id_of(patch)), body)
    }

    fn evidence(&self, patch: &Value) -> Value {
        let reply = self.get("olga", &format!("/v1/patches/{}/evidence", id_of(patch)));
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body
    }

    fn pool(&self) -> Value {
        self.get("olga", &format!("{SCENARIO}/pool")).body
    }

    fn ledger(&self) -> Value {
        self.get("olga", &format!("{SCENARIO}/ledger")).body
    }

    fn patches(&self) -> Vec<Value> {
        let reply = self.get("operator", "/v1/scenarios/flight_booking/patches");
        reply.body["patches"].as_array().expect("patches").clone()
    }

    fn template_of(&self, client: &str) -> Value {
        let reply = self.get(client, "/v1/scenarios/flight_booking/template");
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body
    }

    /// A client's key beyond the base's.
    fn learned(&self, client: &str, name: &str) -> Option<Value> {
        let template = self.template_of(client);
        let keys = template["keys"].as_array().expect("keys").clone();
        keys.into_iter().find(|key| key["key_name"] == name)
    }
}

fn name_of(patch: &Value) -> String {
    patch["new_keys"][0]["key_name"]
        .as_str()
        .expect("a key's name")
        .to_owned()
}

fn id_of(patch: &Value) -> String {
    patch["patch_id"].as_str().expect("an id").to_owned()
}

fn warnings(reply: &Reply) -> Vec<(String, String)> {
    let warnings = reply.body["exchange"]["warnings"].as_array().expect("warnings");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    warnings
        .iter()
        .map(|warning| (text(&warning["key"]), text(&warning["code"])))
        .collect()
}
