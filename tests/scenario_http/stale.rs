//! Clients that hold an older template: they are answered, and told what they do not know.

use serde_json::Value;
use serde_json::json;

use super::airline;
use super::payload;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

fn submit(server: &Server, client: &str, envelope: &Value, payload: &Value) -> Reply {
    let mut body = json!({"schema_id": "flight_booking_v1", "payload": payload});
    for (name, value) in envelope.as_object().expect("members") {
        body[name.as_str()] = value.clone();
    }
    let reply = server.call(
        "POST",
        "/v1/submissions",
        &[("Otherwise-Client", client)],
        &body.to_string(),
    );
    server.settle();
    reply
}

#[test]
fn a_submission_by_an_older_revision_is_answered_and_told_what_changed_z001_z120() {
    let server = airline(&json!({}));
    let first = server.template_of("ana")["revision"].clone();
    let current = submit(&server, "ana", &json!({"revision": first}), &payload());
    assert_eq!(
        current.body["exchange"].get("template_change"),
        None,
        "{}",
        current.body
    );
    let silent = submit(&server, "ana", &json!({}), &payload());
    assert_eq!(silent.body["exchange"].get("template_change"), None);

    let patch = server.wanted_by_many(&SEAT);
    let key = patch["new_keys"][0]["key_name"].clone();
    let stale = submit(&server, "ana", &json!({"revision": first}), &payload());
    stale.has(
        200,
        json!({"exchange/template_change": {
            "since": first, "schema_id": "flight_booking_v1", "revision": patch["revision"], "class": "additive",
            "changes": [{"kind": "key_added", "key_name": key, "class": "additive"}],
        }}),
    );
    let known = patch["revision"].clone();
    let refused = submit(&server, "ana", &json!({"revision": first}), &json!({"origin": "PEK"}));
    refused.has(422, json!({"exchange/template_change/class": "additive"}));
    assert_eq!(server.act(&patch, "withdraw", "").status, 200);
    let gone = submit(&server, "ana", &json!({"revision": known}), &payload());
    assert_eq!(gone.body["exchange"]["template_change"]["class"], "may_break");
    let never = submit(&server, "ana", &json!({"revision": first}), &payload());
    assert_eq!(never.body["exchange"]["template_change"]["class"], "none");
}

#[test]
fn a_client_that_holds_a_schema_of_before_is_told_of_the_one_in_force_z120() {
    let server = airline(&json!({}));
    let first = server.template_of("ana");
    let mut next: Value = server.get("ana", "/v1/schemas/flight_booking_v1").body;
    next["schema_id"] = json!("flight_booking_v2");
    next["version"] = json!("2.0.0");
    next["keys"]
        .as_array_mut()
        .expect("keys")
        .retain(|key| key["key_name"] != "cabin_class");
    let reply = server.put("/v1/schemas/flight_booking_v2", &next);
    assert_eq!(reply.status, 201, "{}", reply.body);
    let stale = submit(&server, "ana", &json!({"revision": first["revision"]}), &payload());
    assert_eq!(stale.status, 200);
    let told = &stale.body["exchange"]["template_change"];
    has(
        told,
        json!({"schema_id": "flight_booking_v2", "class": "may_break", "changes/0/kind": "key_removed"}),
    );
}

#[test]
fn a_pinned_revision_judges_by_the_template_that_the_client_holds_z105() {
    let server = airline(&json!({}));
    let first = server.template_of("ana")["revision"].clone();
    let patch = server.wanted_by_many(&SEAT);
    let key = patch["new_keys"][0]["key_name"].as_str().expect("a name");
    let mut with_key = payload();
    with_key[key] = json!(true);
    let pinned = submit(&server, "zoe", &json!({"revision": first, "pinned": true}), &with_key);
    assert_eq!(pinned.status, 200, "{}", pinned.body);
    let exchange = &pinned.body["exchange"];
    has(
        exchange,
        json!({"revision": first, "template_change/class": "additive", "warnings/0/code": "unknown_key"}),
    );
    assert!(pinned.body["payload"].get(key).is_none());
    assert_eq!(pinned.body.get("schema_update_suggestion"), None);
    let current = submit(&server, "zoe", &json!({"revision": first}), &payload());
    assert!(current.body["schema_update_suggestion"].is_object());

    for (envelope, said) in [
        (json!({"pinned": true}), "`revision`"),
        (json!({"pinned": true, "revision": 1_000_000}), "future"),
        (json!({"pinned": 1, "revision": 1}), "`pinned`"),
    ] {
        let reply = submit(&server, "zoe", &envelope, &payload());
        assert_eq!(reply.status, 400, "{envelope}");
        assert!(
            reply.body["detail"]
                .as_str()
                .is_some_and(|detail| detail.contains(said)),
            "{}",
            reply.body
        );
    }
}

#[test]
fn a_revision_of_the_future_or_from_before_a_schema_was_there_is_refused_z105() {
    let server = airline(&json!({}));
    let before = server.template_of("ana")["revision"].clone();
    let mut next: Value = server.get("ana", "/v1/schemas/flight_booking_v1").body;
    next["schema_id"] = json!("flight_booking_v1_1");
    next["version"] = json!("1.1.0");
    let reply = server.put("/v1/schemas/flight_booking_v1_1", &next);
    assert_eq!(reply.status, 201, "{}", reply.body);
    let published = server.template_of("ana")["revision"].as_u64().expect("a revision");
    let of_next = |revision: u64, pinned: bool| {
        let envelope = json!({"schema_id": "flight_booking_v1_1", "revision": revision, "pinned": pinned});
        submit(&server, "ana", &envelope, &payload())
    };
    let refused = |reply: &Reply, said: &str| {
        assert_eq!(reply.told(), (400, "bad_request"), "{}", reply.body);
        let detail = reply.body["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(said), "{detail}");
    };
    refused(&of_next(published - 1, true), "was published after");
    assert_eq!(of_next(published, true).status, 200);
    assert_eq!(
        of_next(published - 1, false).status,
        200,
        "it says what it holds of another base"
    );
    // A retired schema that is restored was there all the time.
    for (method, path) in [
        ("DELETE", "/v1/schemas/flight_booking_v1_1"),
        ("POST", "/v1/schemas/flight_booking_v1_1:restore"),
    ] {
        assert_eq!(server.call(method, path, &[], "").status, 200, "{path}");
    }
    assert_eq!(of_next(published, true).status, 200);
    for pinned in [true, false] {
        let envelope = json!({"revision": 1_000_000, "pinned": pinned});
        refused(&submit(&server, "ana", &envelope, &payload()), "lies in the future");
    }
    let wish = json!({"wishes": ["a window seat"], "revision": 1_000_000}).to_string();
    let asked = server.call(
        "POST",
        "/v1/scenarios/flight_booking/extensions",
        &[("Otherwise-Client", "ana")],
        &wish,
    );
    refused(&asked, "lies in the future");
    assert!(before.as_u64().is_some_and(|before| before < published));
}
