//! Limits at their edge, over HTTP: what is asked too often, too long or too much gets a clear answer, and nothing is lost.

use std::sync::Arc;

use otherwise::domain::time::At;
use otherwise::edge::boot::parts::PartsOverride;
use otherwise::service::ports::Clock;
use serde_json::json;

use crate::support::clock::VirtualClock;
use crate::support::server::Server;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

fn serve(per_second: u32, burst: u32) -> Server {
    let flight = serde_json::from_str(FLIGHT).expect("a template");
    Server::start(
        &[("flight.json", flight)],
        |settings| {
            settings.server.client_requests_per_s = per_second;
            settings.server.client_requests_burst = burst;
        },
        PartsOverride::default(),
    )
}

#[test]
fn a_client_that_comes_too_often_is_asked_to_wait_and_others_are_not() {
    let server = serve(1, 3);
    let submit = |client: &str| {
        let body = json!({"schema_id": "flight_booking_v1",
            "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}});
        server.call(
            "POST",
            "/v1/submissions",
            &[("Otherwise-Client", client)],
            &body.to_string(),
        )
    };
    let replies: Vec<_> = (0..50).map(|_| submit("eager")).collect();
    let accepted = replies.iter().filter(|reply| reply.status == 200).count();
    assert!(
        (3..50).contains(&accepted),
        "three at once, then one a second: {accepted}"
    );
    let refused = replies.iter().find(|reply| reply.status != 200).expect("a refusal");
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (429, &json!("rate_limited")),
        "{}",
        refused.body
    );
    assert_eq!(refused.headers["Retry-After"], "1");
    assert_eq!(submit("patient").status, 200);
    for path in ["/healthz", "/readyz", "/problems"] {
        assert_eq!(server.call("GET", path, &[], "").status, 200, "{path} is not counted");
    }
    server.settle();
    let ledger = server.call(
        "GET",
        "/v1/scenarios/flight_booking/ledger",
        &[("Otherwise-Client", "olga")],
        "",
    );
    assert_eq!(
        ledger.body["payloads"],
        accepted + 1,
        "what was turned away is on no record"
    );
}

#[test]
fn nought_lets_a_client_come_as_often_as_it_likes() {
    let server = serve(0, 0);
    for _ in 0..20 {
        let reply = server.call("GET", "/v1/scenarios", &[("Otherwise-Client", "eager")], "");
        assert_eq!(reply.status, 200);
    }
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
    assert_eq!(Arc::strong_count(&clock), 1, "something of the service is still held");
}
