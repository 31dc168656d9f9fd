//! What a client asked wrongly is refused in words that lead on, with the same code wherever the same mistake is made.

use std::time::Duration;

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::airline;
use super::flight;
use super::payload;
use super::serve;
use crate::support::receiver::Do;
use crate::support::receiver::Receiver;
use crate::support::server::Server;
use crate::support::wishes::SEAT;

const ME: (&str, &str) = ("Otherwise-Client", "me");

#[test]
fn an_idempotency_key_in_the_wrong_place_is_refused_and_told_where_it_belongs_z176() {
    let server = serve(flight(json!({})));
    let one = json!({"schema_id": "flight_booking_v1", "payload": payload()});
    let batch = json!({"submissions": [one]}).to_string();
    let key = ("Idempotency-Key", "k-1");
    let reply = server.call("POST", "/v1/submissions:batch", &[ME, key], &batch);
    assert_eq!(reply.told(), (400, "bad_header"), "{}", reply.body);
    assert!(reply.detail().contains("`idempotency_key`"), "{}", reply.body);
    assert_eq!(server.call("POST", "/v1/submissions:batch", &[ME], &batch).status, 200);

    let mut keyed = one.clone();
    keyed["idempotency_key"] = json!("k-1");
    for path in ["/v1/submissions", "/v1/submissions:validate"] {
        let reply = server.call("POST", path, &[ME], &keyed.to_string());
        assert_eq!(reply.told(), (400, "bad_request"), "{path}: {}", reply.body);
        assert!(reply.detail().contains("Idempotency-Key"), "{}", reply.body);
    }
    let other = server.call(
        "POST",
        "/v1/submissions",
        &[ME, ("Idempotency-Key", "k-2")],
        &keyed.to_string(),
    );
    assert_eq!(
        other.told(),
        (400, "bad_request"),
        "two keys, of which one would be passed over"
    );
    let same = server.call("POST", "/v1/submissions", &[ME, key], &keyed.to_string());
    assert_eq!(same.status, 200, "what both say alike is clear: {}", same.body);
    keyed["idempotency_key"] = Value::Null;
    assert_eq!(
        server.call("POST", "/v1/submissions", &[ME], &keyed.to_string()).status,
        200
    );
    server.settle();
    let ledger = server.get("olga", "/v1/scenarios/flight_booking/ledger").body;
    assert_eq!(ledger["payloads"], 3, "what was refused so is no submission");
}

#[test]
fn what_lies_in_the_future_is_refused_alike_by_poll_stream_and_history_z105_z121() {
    let server = serve(flight(json!({})));
    let now = server.get("me", "/v1/scenarios/flight_booking/template").body["revision"].clone();
    server.settle();
    let head = now.as_u64().expect("a revision");
    let base = "/v1/scenarios/flight_booking";
    let ask = |path: String| server.call("GET", &path, &[ME], "");
    assert_eq!(ask(format!("{base}/updates?since={head}")).status, 200);
    assert_eq!(ask(format!("{base}/template?as_of={head}")).status, 200);
    for path in [
        format!("{base}/updates?since={}", head + 1_000),
        format!("{base}/updates?since={}", u64::MAX),
        format!("{base}/updates/stream?since={}", head + 1_000),
        format!("{base}/template?as_of={}", head + 1_000),
        format!("{base}/template?as_of=2999-01-01T00:00:00Z"),
    ] {
        let reply = ask(path.clone());
        assert_eq!(reply.told(), (400, "bad_parameter"), "{path}: {}", reply.body);
        assert!(reply.detail().contains("future"), "{}", reply.body);
    }
    let later = server.call(
        "GET",
        &format!("{base}/updates/stream"),
        &[ME, ("Last-Event-ID", "4711")],
        "",
    );
    assert_eq!(later.told(), (400, "bad_header"), "{}", later.body);
}

#[test]
fn one_mistake_in_a_query_has_one_code_everywhere_z181() {
    let server = serve(flight(json!({})));
    let long = format!("/v1/scenarios?q={}", "a".repeat(5_000));
    for path in [
        "/v1/approvals?limit=0",
        "/v1/approvals?limit=x",
        "/v1/approvals?after=nowhere",
        "/v1/audits?limit=201",
        "/v1/audits?limit=-1",
        "/v1/audits?after=nowhere",
        "/v1/scenarios?q=flight&limit=0",
        "/v1/scenarios?q=",
        &long,
        "/v1/scenarios?q=%zz",
        "/v1/scenarios?q=flight%2",
        "/v1/scenarios?q=%ff",
        "/v1/scenarios/flight_booking/updates?since=%",
        "/v1/scenarios/flight_booking/template?format=%zz",
    ] {
        let reply = server.get("olga", path);
        let shown: String = path.chars().take(60).collect();
        assert_eq!(reply.told(), (400, "bad_parameter"), "{shown}: {}", reply.body);
    }
    let reply = server.get("olga", "/v1/scenarios?q=book%20a%20fl%C3%AFght+%2B");
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[test]
fn an_id_is_written_in_one_way_z103() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&SEAT);
    assert_eq!(patch["patch_id"], "flight_booking.p1");
    assert_eq!(server.get("me", "/v1/patches/flight_booking.p1").status, 200);
    for id in [
        "flight_booking.p01",
        "flight_booking.p+1",
        "Flight_Booking.p1",
        "flight-booking.p1",
        "flight_booking.p",
    ] {
        let reply = server.get("me", &format!("/v1/patches/{id}"));
        assert_eq!(reply.told(), (404, "unknown_patch"), "{id}: {}", reply.body);
        assert!(
            reply.detail().ends_with("the nearest is `flight_booking.p1`"),
            "{id}: {}",
            reply.body
        );
    }
}

#[test]
fn a_member_that_is_not_known_is_named_z173() {
    let server = serve(flight(json!({})));
    let webhook = json!({"url": "http://127.0.0.1:9/", "scenario": "flight_booking"});
    let reply = server.call("POST", "/v1/webhooks", &[ME], &webhook.to_string());
    assert_eq!(reply.told(), (400, "bad_request"));
    assert!(reply.detail().contains("`scenario`"), "{}", reply.body);
    let unreadable = server.call(
        "POST",
        "/v1/webhooks",
        &[ME],
        &json!({"url": "http://127.0.0.1:9/", "x\u{7}": 1}).to_string(),
    );
    assert!(!unreadable.detail().contains('\u{7}'), "{}", unreadable.body);
    let asked = json!({"method": "get_schema_template", "params": {"scenario_name": "flight_booking"}});
    let reply = server.call("POST", "/v1/scenarios:negotiate", &[ME], &asked.to_string());
    assert_eq!(reply.told(), (400, "bad_request"), "{}", reply.body);
    assert!(reply.detail().contains("`scenario_name`"), "{}", reply.body);
}

#[test]
fn a_new_webhook_waits_for_nothing_and_says_which_of_its_scenarios_is_not_hosted() {
    let receiver = Receiver::start(|_, _| Do::Answer(204, ""));
    let server: Server = Server::start(
        &[("template.json", flight(json!({})))],
        |settings| settings.delivery.webhook_first_pause_ms = 10,
        PartsOverride::default(),
    );
    let asked = json!({"url": receiver.url(), "scenarios": ["flight_booking", "Boat Trip"]});
    let reply = server.call("POST", "/v1/webhooks", &[ME], &asked.to_string());
    assert_eq!(reply.status, 201, "{}", reply.body);
    assert_eq!(reply.body["waiting"], 0, "nothing happened since: {}", reply.body);
    assert_eq!(reply.body["not_hosted"], json!(["boat_trip"]), "{}", reply.body);
    let known = server.call(
        "POST",
        "/v1/webhooks",
        &[ME],
        &json!({"url": receiver.url()}).to_string(),
    );
    assert!(known.body.get("not_hosted").is_none(), "{}", known.body);
    std::thread::sleep(Duration::from_millis(100));
    assert!(receiver.got().is_empty(), "what happened before is not told");
}
