//! Explicit requests for what a template cannot say.

use serde_json::Value;
use serde_json::json;

use super::airline;
use super::name_of;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

const PATH: &str = "/v1/scenarios/flight_booking/extensions";

fn request(server: &Server, headers: &[(&str, &str)], body: &Value) -> Reply {
    let reply = server.call("POST", PATH, headers, &body.to_string());
    server.settle();
    reply
}

fn ask(server: &Server, client: &str, wishes: &[&str]) -> Reply {
    request(server, &[("Otherwise-Client", client)], &json!({ "wishes": wishes }))
}

#[test]
fn what_several_clients_request_becomes_a_key_without_a_payload_z022() {
    let server = airline(&json!({}));
    let first = ask(&server, "agent-0", &[SEAT[0]]);
    first.has(202, json!({"wishes": [{"text": SEAT[0], "fate": "pooled"}]}));
    let exchange = &first.body["exchange"];
    has(
        exchange,
        json!({"status": "recorded", "schema_id": "flight_booking_v1"}),
    );
    for (number, said) in SEAT.iter().enumerate().skip(1) {
        ask(&server, &format!("agent-{}", number % 5), &[said]);
    }
    let patch = server.patches().pop().expect("a patch");
    assert_eq!(patch["stage"], "experimental", "{patch}");
    let ledger = server.ledger();
    has(&ledger, json!({"payloads": 0, "clients": 0}));
    let name = name_of(&patch);
    assert!(server.learned("agent-0", &name).is_some());
    let metrics = server.page("/metrics");
    let line = "otherwise_extension_requests_total{outcome=\"accepted\",scenario=\"flight_booking\"} 8";
    assert!(metrics.contains(line), "{metrics}");
    assert!(
        !metrics.contains("otherwise_submissions_total{outcome=\"accepted\",scenario=\"flight_booking\"} 8"),
        "it is no submission"
    );
}

#[test]
fn a_wish_that_a_key_holds_is_answered_with_the_key_and_what_is_new_with_it_z021_z022() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&SEAT);
    let received = || server.evidence(&patch)["ledger"]["received"].as_u64();
    let before = received().expect("a count");
    let reply = ask(&server, "newcomer", &["business class", SEAT[1], "thank you very much"]);
    assert_eq!(reply.status, 202, "{}", reply.body);
    let name = name_of(&patch);
    has(
        &reply.body,
        json!({
            "wishes/0": {"text": "business class", "fate": "covered", "key_name": "cabin_class"},
            "wishes/2/fate": "no_demand"
        }),
    );
    let suggestion = &reply.body["schema_update_suggestion"];
    assert_eq!(
        suggestion["new_keys"][0]["key_name"],
        json!(name),
        "it learns of the key at once"
    );
    assert_eq!(received(), Some(before + 1), "it was told, so it has received it");
}

#[test]
fn a_repeated_key_gets_the_first_answer_and_adds_nothing_z022() {
    let server = airline(&json!({}));
    let headers = [("Otherwise-Client", "ana"), ("Idempotency-Key", "wish-1")];
    let body = json!({"wishes": ["a window seat please"]});
    let first = request(&server, &headers, &body);
    let again = request(&server, &headers, &body);
    assert_eq!((first.status, again.status), (202, 202), "{}", again.body);
    assert_eq!(first.body, again.body);
    assert_eq!(again.headers["idempotent-replayed"], "true");
    let other = request(&server, &headers, &json!({"wishes": ["a quiet cabin please"]}));
    assert_eq!(other.told(), (422, "idempotency_mismatch"));
    let pool = server.pool();
    assert_eq!(pool["demand"], 1);
}

#[test]
fn what_is_no_request_is_refused_and_says_why_z022() {
    let server = airline(&json!({}));
    for (body, says) in [
        (json!({"wishes": []}), "`wishes` must be a list of 1 to"),
        (json!({"wishes": ["a seat"], "payload": {}}), "`payload` is no member"),
        (json!({"wishes": ["  "]}), "says nothing"),
        (json!([]), "a JSON object"),
    ] {
        let reply = request(&server, &[("Otherwise-Client", "ana")], &body);
        let detail = reply.body["detail"].as_str().unwrap_or_default();
        assert_eq!(reply.told(), (400, "bad_request"), "{}", reply.body);
        assert!(detail.contains(says), "{detail}");
    }
    let nowhere = server.call(
        "POST",
        "/v1/scenarios/nowhere/extensions",
        &[],
        "{\"wishes\":[\"a seat\"]}",
    );
    assert_eq!(nowhere.told(), (404, "unknown_scenario"));
    let pool = server.pool();
    assert_eq!(pool["demand"], 0, "nothing was pooled");
    let calm = server.book("ana", &[]);
    assert_eq!(calm.status, 200, "{}", calm.body);
}
