//! Limits at their edge, over HTTP: what is asked too often, too long or too much gets a clear answer, and nothing is lost.

use std::sync::Arc;

use otherwise::app::ports::Clock;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use otherwise::http::routes::ENDPOINTS;
use schema::json_text::DEPTH_MAX;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use crate::support::clock::VirtualClock;
use crate::support::patience::eventually;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::under;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

fn flights(change: impl FnOnce(&mut Settings)) -> Server {
    let flight = serde_json::from_str(FLIGHT).expect("a template");
    Server::set(&[("flight.json", flight)], change)
}

fn serve(per_second: u32, burst: u32) -> Server {
    flights(|settings| {
        settings.server.client_requests_per_s = per_second;
        settings.server.client_requests_burst = burst;
    })
}

fn booking() -> Value {
    json!({"schema_id": "flight_booking_v1",
        "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}})
}

/// Submits a booking, with an idempotency key where there is one.
fn submit(server: &Server, client: &str, key: Option<&str>) -> Reply {
    let mut headers = vec![("Otherwise-Client", client)];
    headers.extend(key.map(|key| ("Idempotency-Key", key)));
    let reply = server.call("POST", "/v1/submissions", &headers, &booking().to_string());
    server.settle();
    reply
}

/// Submits bookings in one batch, each with a key of its own where there are keys.
fn batch(server: &Server, client: &str, keys: impl Iterator<Item = Option<String>>) -> Reply {
    let items = keys.map(|key| {
        let mut item = booking();
        if let Some(key) = key {
            item["idempotency_key"] = json!(key);
        }
        item
    });
    let body = json!({"submissions": items.collect::<Vec<Value>>()}).to_string();
    server.call("POST", "/v1/submissions:batch", &[("Otherwise-Client", client)], &body)
}

#[test]
fn a_client_that_comes_too_often_is_asked_to_wait_and_others_are_not() {
    let server = serve(1, 3);
    let replies: Vec<Reply> = (0..50).map(|_| submit(&server, "eager", None)).collect();
    let accepted = replies.iter().filter(|reply| reply.status == 200).count();
    assert!(
        (3..50).contains(&accepted),
        "three at once, then one a second: {accepted}"
    );
    let refused = replies.iter().find(|reply| reply.status != 200).expect("a refusal");
    assert_eq!(refused.told(), (429, "rate_limited"), "{}", refused.body);
    assert_eq!(refused.headers["Retry-After"], "1");
    assert_eq!(submit(&server, "patient", None).status, 200);
    for path in ["/healthz", "/readyz", "/problems"] {
        assert_eq!(server.call("GET", path, &[], "").status, 200, "{path} is not counted");
    }
    let olga = [("Otherwise-Client", "olga")];
    let ledger = server.call("GET", "/v1/scenarios/flight_booking/ledger", &olga, "");
    let payloads = &ledger.body["payloads"];
    assert_eq!(*payloads, accepted + 1, "what was turned away is on no record");
}

#[test]
fn a_service_that_was_stopped_holds_nothing_any_more() {
    let clock = Arc::new(VirtualClock::at(At(0)));
    let parts = PartsOverride {
        clock: Some(Arc::clone(&clock) as Arc<dyn Clock>),
        ..PartsOverride::default()
    };
    let server = Server::start(&[], |_| {}, parts);
    assert_eq!(server.call("GET", "/metrics", &[], "").status, 200);
    assert!(Arc::strong_count(&clock) > 1, "the service goes by it");
    drop(server);
    eventually("nothing of the service is held any more", || {
        Arc::strong_count(&clock) == 1
    });
}

#[test]
fn a_template_has_as_many_keys_as_the_setting_says_beside_other_z032() {
    let server = Server::set(&[], |settings| settings.service.template_keys_max = 3);
    let publish = |name: &str, count: usize, with_other: bool| {
        let key = |key_name: String| {
            json!({"key_name": key_name, "key_type": "string", "required": false,
                "semantic_description": "Something that is wanted."})
        };
        let mut keys: Vec<_> = (0..count).map(|n| key(format!("k{n}"))).collect();
        keys.extend(with_other.then(|| key("other".to_owned())));
        let document = json!({"schema_id": name, "scenario": name, "keys": keys}).to_string();
        server.call("PUT", &format!("/v1/schemas/{name}"), &[], &document)
    };
    assert_eq!(publish("a_v1", 3, false).status, 201);
    let served = server.call("GET", "/v1/schemas/a_v1", &[("Otherwise-Client", "olga")], "");
    assert_eq!(served.body["keys"].as_array().map(Vec::len), Some(4));
    assert_eq!(publish("b_v1", 3, true).status, 201, "what is served can be published");
    for with_other in [false, true] {
        let reply = publish("c_v1", 4, with_other);
        assert_eq!(reply.told(), (422, "invalid_template"));
        let message = reply.body["defects"][0]["message"].as_str().expect("a message");
        assert!(
            message.contains("at most 3 keys") && message.contains("service.template_keys_max"),
            "{message}"
        );
    }
}

#[test]
fn a_template_as_large_as_a_body_is_published_by_a_call_and_from_the_folder_and_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let values: Vec<String> = (0..1_000).map(|n| format!("licence-{n:050}")).collect();
    let template = |name: &str, keys: usize| {
        let key = |number: usize| {
            json!({"key_name": format!("licence_{number}"), "key_type": "string", "required": number == 0,
                "constraints": {"enum": values}, "semantic_description": "Licence of the component."})
        };
        let keys: Vec<Value> = (0..keys).map(key).collect();
        json!({"schema_id": format!("{name}_v1"), "scenario": name, "keys": keys})
    };
    let (shelved, called) = (template("shelved", 1), template("called", 4));
    assert!(shelved.to_string().len() > 60_000 && called.to_string().len() > 240_000);
    for status in [201, 200] {
        let data = folder.path().join("data").display().to_string();
        let server = Server::set(&[("shelved_v1.json", shelved.clone())], |settings| {
            settings.data.folder = data
        });
        let checked = server.call("POST", "/v1/schemas:check", &[], &called.to_string());
        checked.has(200, json!({"publishable": true}));
        assert_eq!(server.put("/v1/schemas/called_v1", &called).status, status);
        for name in ["shelved", "called"] {
            let body = json!({"schema_id": format!("{name}_v1"), "payload": {"licence_0": values[7]}});
            assert_eq!(
                server.call("POST", "/v1/submissions", &[], &body.to_string()).status,
                200
            );
        }
    }
}

#[test]
fn what_is_published_stays_so_when_less_is_allowed_of_executors_later_z032() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut flight: Value = serde_json::from_str(FLIGHT).expect("a template");
    flight["executor"] = json!({"url": "http://127.0.0.1:9/book", "timeout_ms": 4_000, "attempts": 3});
    let start = |timeout_ms_max: u64, attempts_max: u64| {
        let bounded = |settings: &mut Settings| {
            settings.data.folder = folder.path().join("kept").display().to_string();
            settings.executors.timeout_ms_max = timeout_ms_max;
            settings.executors.attempts_max = attempts_max;
            settings.executors.inner_hosts = vec!["127.0.0.1".to_owned()];
        };
        Server::set(&[("flight.json", flight.clone())], bounded)
    };
    drop(start(5_000, 3));
    let server = start(1_000, 1);
    let id = flight["schema_id"].as_str().expect("an id");
    let publish = |name: &str| {
        let mut document = flight.clone();
        document["schema_id"] = json!(name);
        server.put(&format!("/v1/schemas/{name}"), &document)
    };
    assert_eq!(publish(id).status, 200, "the same content again");
    let checked = server.call("POST", "/v1/schemas:check", &[], &flight.to_string());
    checked.has(200, json!({"known": true}));
    let refused = publish("another_v1");
    assert_eq!(refused.status, 422);
    let said = refused.body.to_string();
    assert!(
        said.contains("timeout_ms_max") && said.contains("attempts_max"),
        "{said}"
    );
}

#[test]
fn a_client_that_uses_too_many_idempotency_keys_gets_429_until_there_is_room() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = under(&clock);
    let flight = serde_json::from_str(FLIGHT).expect("a template");
    let few = |settings: &mut Settings| {
        settings.service.idempotency_client_keys_max = 2;
        settings.service.idempotency_s = 100;
        settings.service.idempotency_generated_s = 10;
        settings.service.tick_s = 86_400;
    };
    let server = Server::start(&[("flight.json", flight)], few, parts);
    let submit = |key: &str| submit(&server, "olga", Some(key));
    assert_eq!(submit("a").status, 200);
    clock.advance_ms(30_500);
    assert_eq!(submit("b").status, 200);
    let full = submit("c");
    assert_eq!(full.told(), (429, "limit_reached"));
    assert_eq!(full.headers["Retry-After"], "20", "19.5 seconds are left");
    assert_eq!(submit("a").status, 200, "what is remembered is answered");
    assert_eq!(
        submit("generated:a").status,
        200,
        "a tenth of the time takes a tenth of the room"
    );
    clock.advance_ms(24_499);
    assert_eq!(submit("c").headers["Retry-After"], "1");
    clock.advance_ms(1);
    assert_eq!(submit("c").status, 200);
}

#[test]
fn a_batch_counts_for_as_many_requests_as_it_holds() {
    let server = serve(1, 5);
    let batch = |client: &str, items: usize| batch(&server, client, (0..items).map(|_| None));
    assert_eq!(batch("ana", 5).status, 200, "as many as may come at once");
    assert_eq!(batch("ana", 5).told(), (429, "rate_limited"));
    assert_eq!(batch("ben", 5).status, 200, "others are not kept from theirs");
    let never = batch("cem", 6);
    assert_eq!(never.told(), (429, "rate_limited"));
    let said = never.body["detail"].as_str().unwrap_or_default();
    assert!(
        said.contains("this one for 6") && said.contains("may make 5 at once"),
        "{said}"
    );
    assert!(!never.headers.contains_key("Retry-After"), "no waiting lets it pass");
}

#[test]
fn many_idempotency_keys_at_once_are_no_more_than_one_after_another_and_others_have_theirs() {
    let server = flights(|settings| {
        settings.service.idempotency_client_keys_max = 10;
        settings.server.workers = 4;
    });
    let server = &server;
    let taken = |client: &str, from: usize| {
        let reply = batch(server, client, (from..from + 20).map(|number| Some(number.to_string())));
        let items = reply.body["items"].as_array().expect("items");
        items.iter().filter(|item| item["status"] == 200).count()
    };
    assert_eq!(taken("greedy", 0), 10, "within one batch");
    let all: usize = std::thread::scope(|scope| {
        let all: Vec<_> = (1..5)
            .map(|turn| scope.spawn(move || taken("hasty", turn * 20)))
            .collect();
        all.into_iter().map(|one| one.join().expect("answered")).sum()
    });
    assert_eq!(all, 10);
    assert_eq!(taken("ana", 0), 10, "others have theirs");
    assert_eq!(
        submit(server, "ana", None).status,
        200,
        "without a key there is no bound"
    );
}

#[test]
fn what_nests_too_deep_is_refused_by_name_wherever_it_comes_in() {
    let server = serve(0, 0);
    let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let mut tried = 0;
    let endpoints = ENDPOINTS
        .iter()
        .filter(|endpoint| ["POST", "PUT"].contains(&endpoint.method));
    for (method, pattern) in endpoints.map(|endpoint| (endpoint.method, &endpoint.path)) {
        let parts = pattern.split('{').map(|part| match part.split_once('}') {
            Some((_, after)) => format!("a_v1{after}"),
            None => part.to_owned(),
        });
        let path: String = parts.collect();
        let reply = server.call(method, &path, &[], &deep(DEPTH_MAX + 1));
        let said = reply.body.to_string();
        if said.contains("128 levels") {
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried}");
    for path in ["/rpc", "/mcp", "/a2a"] {
        let reply = server.call("POST", path, &[], &"[".repeat(200_000));
        let said = reply.body.to_string();
        assert!(said.contains("128 levels"), "{path}: {said}");
    }
    // As deep as may be: what it means is looked at.
    let body = |levels: usize| {
        format!(
            r#"{{"schema_id": "flight_booking_v1", "payload": {{"other": {}}}}}"#,
            deep(levels)
        )
    };
    let reply = server.call("POST", "/v1/submissions:validate", &[], &body(DEPTH_MAX - 2));
    assert_eq!(reply.told(), (422, "invalid_payload"), "{}", reply.body);
    let reply = server.call("POST", "/v1/submissions:validate", &[], &body(DEPTH_MAX - 1));
    assert_eq!(reply.told(), (400, "too_deep"), "{}", reply.body);
}
