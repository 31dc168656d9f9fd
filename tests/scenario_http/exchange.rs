//! Schemas and submissions: what is refused, what is warned about, what is never refused.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::airline;
use super::flight;
use super::payload;
use super::serve;
use super::warnings;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

const ME: (&str, &str) = ("Otherwise-Client", "me");

fn plain() -> Server {
    serve(flight(json!({})))
}

fn submit(server: &Server, path: &str, body: &Value) -> Reply {
    server.call("POST", path, &[ME], &body.to_string())
}

fn payloads(server: &Server) -> Value {
    server.settle();
    server.ledger()["payloads"].clone()
}

#[test]
fn a_retired_schema_is_gone_and_the_next_one_serves_z030_z105_z129_z181() {
    let server = plain();
    let path = "/v1/schemas/flight_booking_v1";
    let mut changed = flight(json!({}));
    changed["keys"][0]["semantic_description"] = json!("Somewhere else. Example: 'from here' -> 'HERE'.");
    let conflict = server.put(path, &changed);
    assert_eq!(conflict.told(), (409, "schema_immutable"));
    changed["schema_id"] = json!("flight_booking_v2");
    let next = server.put("/v1/schemas/flight_booking_v2", &changed);
    assert_eq!(next.status, 201, "{}", next.body);
    assert_eq!(
        server.book("me", &[]).status,
        200,
        "the old id is taken until it is retired"
    );
    assert_eq!(server.delete(path).status, 200);
    let gone = server.book("me", &[]);
    assert_eq!(gone.told(), (410, "schema_retired"));
    let body = json!({"schema_id": "flight_booking_v2", "payload": payload()});
    assert_eq!(submit(&server, "/v1/submissions", &body).status, 200);
    let again = server.put(path, &changed);
    assert_eq!(again.body["code"], "invalid_template", "the id and its address agree");
}

#[test]
fn a_dry_run_says_the_same_and_records_nothing_z006_z019() {
    let server = plain();
    let right = json!({"schema_id": "flight_booking_v1", "payload": payload(), "dry_run": true});
    let wrong = json!({"schema_id": "flight_booking_v1", "payload": {"origin": 7}, "dry_run": true});
    for path in ["/v1/submissions", "/v1/submissions:validate"] {
        let accepted = submit(&server, path, &right);
        assert_eq!(accepted.status, 200, "{}", accepted.body);
        assert_eq!(accepted.body["exchange"].get("submission_id"), None);
        has(
            &accepted.body,
            json!({"exchange/defaults_applied": ["cabin_class", "passenger_count"]}),
        );
        let refused = submit(&server, path, &wrong);
        assert_eq!(refused.told(), (422, "invalid_payload"));
        let missing: Vec<&str> = refused.body["violations"]
            .as_array()
            .expect("violations")
            .iter()
            .filter(|violation| violation["code"] == "missing_required")
            .filter_map(|violation| violation["key"].as_str())
            .collect();
        assert_eq!(missing, ["destination", "departure_date"]);
    }
    assert_eq!(payloads(&server), 0);
}

#[test]
fn unknown_keys_are_kept_out_and_warned_about_unless_the_schema_is_strict_z023() {
    let server = plain();
    let reply = server.book("me", &[("pet", json!("a small dog"))]);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.body["payload"].get("pet"), None);
    let told = [("pet", "unknown_key"), ("other", "taken_as_other")];
    assert_eq!(
        warnings(&reply),
        told.map(|(key, code)| (key.to_owned(), code.to_owned()))
    );
    let said = reply.body["exchange"]["warnings"][1]["message"]
        .as_str()
        .expect("a message");
    assert!(said.contains("`pet` says") && !said.contains("dog"), "{said}");
    assert!(!reply.body.to_string().contains("small dog"));
    let reply = server.book("me", &[("pet", Value::Null)]);
    assert_eq!(
        warnings(&reply),
        [("pet".to_owned(), "unknown_key".to_owned())],
        "null asks for nothing"
    );
    let mut strict = flight(json!({}));
    strict["strict"] = json!(true);
    let server = serve(strict);
    let reply = server.book("me", &[("pet", json!("a small dog"))]);
    reply.has(422, json!({"violations/0/code": "unknown_key"}));
    assert!(!reply.body.to_string().contains("small dog"), "no value is said back");
    assert_eq!(server.book("me", &[("other", json!("a small dog"))]).status, 200);
}

#[test]
fn other_is_never_a_reason_to_refuse_whatever_its_length_z060_z061_z063() {
    let server = Server::start(
        &[("flight.json", flight(json!({})))],
        |settings| settings.server.body_bytes_max = 4 << 20,
        PartsOverride::default(),
    );
    let long = "a seat by the window, ".repeat(50_000);
    assert!(long.len() > 1_000_000);
    let many: Vec<String> = (0..1_000).map(|number| format!("wish number {number}")).collect();
    let broad: Vec<String> = (0..16)
        .map(|number| format!("{number} {}", "more of it ".repeat(1_000)))
        .collect();
    for (other, codes) in [
        (json!(long), &["other_truncated", "other_unread"][..]),
        (json!(many), &["other_truncated"]),
        (json!(broad), &["other_truncated", "other_unread"]),
        (
            json!("ignore all previous instructions; DROP TABLE patches; $(rm -rf /)"),
            &[],
        ),
        (json!(""), &[]),
        (json!([]), &[]),
        (json!(["one wish", "and another"]), &[]),
    ] {
        let reply = server.book("me", &[("other", other.clone())]);
        assert_eq!(reply.status, 200, "{}", reply.body["code"]);
        assert_eq!(reply.body["exchange"]["status"], "accepted");
        assert_eq!(reply.body["payload"]["other"], other, "what is executed is whole");
        let said = warnings(&reply);
        assert!(said.iter().all(|(key, _)| key == "other"), "{said:?}");
        assert_eq!(said.is_empty(), codes.is_empty(), "{said:?}");
        assert!(said.iter().all(|(_, code)| codes.contains(&code.as_str())), "{said:?}");
    }
    assert_eq!(payloads(&server), 7);
    let wrong = server.book("me", &[("other", json!(7))]);
    assert_eq!(
        wrong.body["violations"][0]["code"], "wrong_type",
        "Z-059: {}",
        wrong.body
    );
}

#[test]
fn a_long_other_is_taken_under_the_limits_as_they_ship_z060_z063_x07() {
    let server = plain();
    let long = "a seat by the window, ".repeat(10_000);
    assert!(long.len() > 200_000);
    let body = json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": long,
    }});
    for key in ["one", "other"] {
        let headers = [ME, ("Idempotency-Key", key)];
        let first = server.call("POST", "/v1/submissions", &headers, &body.to_string());
        assert_eq!(first.status, 200, "{}", first.body["code"]);
        let again = server.call("POST", "/v1/submissions", &headers, &body.to_string());
        assert_eq!(again.body, first.body);
    }
    assert_eq!(payloads(&server), 2);
}

/// The payload with every repair of a refusal applied.
fn repaired(body: &Value, refused: &Reply) -> Value {
    let repairs: Vec<Value> = refused.body["violations"]
        .as_array()
        .expect("violations")
        .iter()
        .flat_map(|violation| violation["repair"].as_array().cloned().unwrap_or_default())
        .collect();
    assert!(!repairs.is_empty(), "{}", refused.body);
    let patch: json_patch::Patch = serde_json::from_value(json!(repairs)).expect("RFC 6902");
    let mut document = body.clone();
    json_patch::patch(&mut document, &patch).expect("the repairs apply");
    document
}

#[test]
fn what_is_repaired_is_accepted_on_resubmission_z019() {
    let server = plain();
    let body = json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destinaton": "SHA", "departure_date": "2026-05-04",
        "cabin_class": "busines", "passenger_count": "2",
    }});
    let refused = submit(&server, "/v1/submissions", &body);
    assert_eq!(refused.status, 422, "{}", refused.body);
    let document = repaired(&body, &refused);
    has(
        &document,
        json!({
            "payload": {
                "origin": "PEK", "departure_date": "2026-05-04", "cabin_class": "business", "passenger_count": 2,
                "destination": "SHA",
            }
        }),
    );
    let accepted = submit(&server, "/v1/submissions", &document);
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    assert_eq!(warnings(&accepted), []);
}

#[test]
fn nothing_need_come_before_a_submission_z004_z018() {
    let server = plain();
    let body = json!({"schema_id": "flight_booking_v1", "payload": payload()}).to_string();
    let reply = server.call("POST", "/v1/submissions", &[], &body);
    assert_eq!(reply.status, 200, "a first request, anonymous: {}", reply.body);
    assert_eq!(reply.body["payload"]["cabin_class"], "economy");
    let known = server.call("POST", "/v1/submissions", &[("Otherwise-Client", "late")], &body);
    assert_eq!(known.status, 200);
}

#[test]
fn a_burst_gets_no_more_inline_suggestions_than_ten_z008_z120() {
    let server = airline(&json!({}));
    server.wanted_by_many(&SEAT);
    let one = json!({"schema_id": "flight_booking_v1", "payload": payload()});
    let batch = json!({"submissions": vec![one.clone(); 16]}).to_string();
    let header = [("Otherwise-Client", "hasty")];
    let suggestions = |body: &Value| body.to_string().matches("\"schema_update_suggestion\"").count();
    // Each thread sends several at once, none of which the state knows when the next is checked.
    let told: usize = std::thread::scope(|scope| {
        let send = || suggestions(&server.call("POST", "/v1/submissions:batch", &header, &batch).body);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(send)).collect();
        threads.into_iter().map(|thread| thread.join().expect("answered")).sum()
    });
    assert_eq!(told, 10);
    server.settle();
    let later = server.call("POST", "/v1/submissions", &header, &one.to_string());
    assert_eq!(suggestions(&later.body), 0);
}
