//! Forty-five days of a flight-booking service and thirty clients, over HTTP, with a clock that is set by hand.
//!
//! Most clients ask for a seat, in their own words: a key is born, tried, adopted and promoted. For two days everybody
//! wants champagne: that key is born too, nobody uses it, and it goes. One traveller asks for one thing again and again
//! and gets a key that nobody else sees. The whole state is pictured at each stage.

use std::sync::Arc;

use regex::Regex;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

use crate::support::clock::VirtualClock;
use crate::support::picture::picture;
use crate::support::random::Random;
use crate::support::server::Server;
use crate::support::server::under;
use crate::support::wishes::SEAT;

const FAD: [&str; 4] = [
    "a glass of champagne on boarding",
    "champagne when we board, please",
    "serve me champagne on board",
    "I want champagne on boarding",
];
const TRAVELLER: [&str; 4] = [
    "extra legroom for my long legs",
    "I need extra legroom",
    "extra legroom as always",
    "please give me extra legroom",
];
const CLIENTS: u64 = 30;

struct Journey {
    server: Server,
    clock: Arc<VirtualClock>,
    random: Random,
    /// Seats asked for so far: the wordings come in turn.
    wishes: usize,
}

impl Journey {
    fn begin() -> Journey {
        let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
        let template: Value =
            serde_json::from_str(include_str!("../schemas/flight_booking_v1.json")).expect("a template");
        let parts = under(&clock);
        let server = Server::start(
            &[("flight_booking_v1.json", template)],
            |settings| settings.service.tick_s = 86_400,
            parts,
        );
        Journey {
            server,
            clock,
            random: Random::new(45),
            wishes: 0,
        }
    }

    fn submit(&mut self, client: &str, more: &[(&str, Value)], utterance: &str) -> Value {
        let mut payload = json!({
            "origin": "PEK", "destination": "SHA", "departure_date": "2026-06-04", "cabin_class": "business",
        });
        for (key, value) in more {
            payload[*key] = value.clone();
        }
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload, "utterance": utterance}).to_string();
        self.clock.advance_ms(60_000);
        let reply = self
            .server
            .call("POST", "/v1/submissions", &[("Otherwise-Client", client)], &body);
        assert_eq!(reply.status, 200, "{:?}", reply.body);
        self.server.settle();
        reply.body
    }

    fn template(&self, client: &str) -> Value {
        let reply = self.server.call(
            "GET",
            "/v1/scenarios/flight_booking/template",
            &[("Otherwise-Client", client)],
            "",
        );
        assert_eq!(reply.status, 200);
        self.server.settle();
        reply.body
    }

    /// The key that the client's template has beyond the base's and whose description says this.
    fn learned(&self, client: &str, about: &str) -> Option<Value> {
        let template = self.template(client);
        let keys = template["keys"].as_array().expect("keys").clone();
        keys.into_iter().find(|key| {
            key.get("patch_id").is_some()
                && key["semantic_description"]
                    .as_str()
                    .is_some_and(|text| text.to_lowercase().contains(about))
        })
    }

    /// One day: each client books once or not at all; what it says beyond the schema is up to the day.
    fn day(&mut self, day: u64) {
        let begin = At::parse("2026-05-01T08:00:00Z").expect("a moment");
        self.clock
            .set(begin.plus_ms(i64::try_from(day).expect("a day") * DAY_MS));
        self.server.tick();
        for number in 0..CLIENTS {
            if self.random.one_in(3) {
                continue;
            }
            let client = format!("agent-{number:02}");
            let fad = day < 2 && self.random.one_in(3);
            if fad {
                let said = FAD[self.pick(FAD.len())];
                self.submit(&client, &[("other", json!(said))], said);
            } else if number == 29 {
                let said = TRAVELLER[self.pick(TRAVELLER.len())];
                match self.learned(&client, "legroom") {
                    None => {
                        for _ in 0..3 {
                            self.submit(&client, &[("other", json!(said))], said);
                        }
                    }
                    Some(key) => {
                        let name = key["key_name"].as_str().expect("a name").to_owned();
                        let value = if key["key_type"] == "boolean" {
                            json!(true)
                        } else {
                            json!("extra legroom")
                        };
                        self.submit(&client, &[(&name, value)], said);
                    }
                }
            } else if number < 20 && !self.random.one_in(4) {
                let said = SEAT[self.wishes % SEAT.len()];
                self.wishes += 1;
                // Every fourth client never looks at the template again (Z-074): it goes on saying it in `other`.
                let learned = if number % 4 == 3 {
                    None
                } else {
                    self.learned(&client, "window")
                };
                match learned {
                    None => self.submit(&client, &[("other", json!(said))], said),
                    Some(key) => {
                        let name = key["key_name"].as_str().expect("a name").to_owned();
                        self.submit(&client, &[(&name, json!(true))], said)
                    }
                };
            } else {
                self.submit(
                    &client,
                    &[],
                    "Book me a flight from Beijing to Shanghai, business class.",
                );
            }
        }
        self.server.tick();
        self.server.settle();
    }

    fn picture(&self) -> String {
        let live = self.server.service().handle("flight_booking").expect("a scenario");
        let state = live.state().clone();
        let drawn = picture(&state, otherwise::app::ports::Clock::now(&*self.clock));
        // Two effects that run side by side come to the journal in either order: what stands there is the same, its number is not.
        let number = Regex::new(r"(?m)(^patch .*, revision|^agent-.* by \S+ at) \d+").expect("a pattern");
        number.replace_all(&drawn, "$1 _").into_owned()
    }

    fn patches(&self) -> Vec<Value> {
        let reply = self.server.call("GET", "/v1/scenarios/flight_booking/patches", &[], "");
        reply.body["patches"].as_array().expect("patches").clone()
    }

    fn pick(&mut self, of: usize) -> usize {
        usize::try_from(self.random.below(of as u64)).unwrap_or(0)
    }
}

/// The names of the keys that patches in this stage add.
fn keys_in(patches: &[Value], stage: &str) -> Vec<String> {
    let in_stage = patches.iter().filter(|patch| patch["stage"] == stage);
    in_stage
        .filter_map(|patch| patch["new_keys"][0]["key_name"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn a_key_is_born_promoted_another_deprecated_and_one_is_a_clients_own_z001_z069_z089_z123_z132_z135_z139_z145_z147() {
    let mut journey = Journey::begin();
    insta::assert_snapshot!("day_00_published", journey.picture());
    journey.day(0);
    insta::assert_snapshot!("day_01_first_fragments", journey.picture());
    for day in 1..4 {
        journey.day(day);
    }
    insta::assert_snapshot!("day_04_keys_on_trial", journey.picture());
    let on_trial = keys_in(&journey.patches(), "experimental");
    assert!(on_trial.len() >= 2, "{on_trial:?}");
    assert!(journey.learned("agent-00", "window").is_some(), "no key for a seat");
    for day in 4..9 {
        journey.day(day);
    }
    insta::assert_snapshot!("day_09_after_the_first_trial", journey.picture());
    for day in 9..24 {
        journey.day(day);
    }
    insta::assert_snapshot!("day_24_promoted_and_deprecated", journey.picture());
    let seat = journey.learned("agent-00", "window").expect("the key for a seat");
    assert_eq!(seat.get("experimental"), None, "promoted: no flag any more");
    let patches = journey.patches();
    assert!(keys_in(&patches, "stable").contains(&seat["key_name"].as_str().expect("a name").to_owned()));
    assert!(
        journey.learned("agent-29", "legroom").is_some(),
        "the traveller's own key"
    );
    assert!(journey.learned("agent-00", "legroom").is_none(), "nobody else sees it");
    for day in 24..45 {
        journey.day(day);
    }
    insta::assert_snapshot!("day_45", journey.picture());
    let patches = journey.patches();
    let ended: Vec<&Value> = patches
        .iter()
        .filter(|patch| patch["stage"] == "deprecated" || patch["stage"] == "withdrawn" || patch["stage"] == "expired")
        .collect();
    assert!(!ended.is_empty(), "the fad is over");
}
