//! Versions of a scenario: who stays with one, what is laid over it, and how its end is announced.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::airline;
use super::flight;
use super::name_of;
use super::small_gates;
use super::timed;
use crate::support::events;
use crate::support::events::Events;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;
use crate::support::wishes::SUITCASE;

const READER: (&str, &str) = ("Otherwise-Client", "reader");
const PAUL: (&str, &str) = ("Otherwise-Client", "paul");
const UPDATES: &str = "/v1/scenarios/flight_booking/updates";
const TEMPLATE: &str = "/v1/scenarios/flight_booking/template";

/// What the headers of an answer say of the version that was served.
fn said(reply: &Reply) -> [Option<String>; 3] {
    ["otherwise-latest", "deprecation", "sunset"].map(|name| {
        let value = reply.headers.get(name)?.to_str().expect("text");
        Some(value.to_owned())
    })
}

fn newer_than(latest: &str) -> [Option<String>; 3] {
    [Some(latest.to_owned()), None, None]
}

fn listen(server: &Server, query: &str) -> Events {
    let path = format!("{UPDATES}/stream{query}");
    let (status, _, events) = events::open(server.base(), &path, &[READER]);
    assert_eq!(status, 200);
    events.expect("a stream")
}

fn key_of(template: &Value, name: &str) -> Option<Value> {
    let mut keys = template["keys"].as_array().expect("keys").iter();
    keys.find(|key| key["key_name"] == name).cloned()
}

#[test]
fn a_pinned_client_stays_with_its_version_and_is_told_what_changes_over_it_z105_z121_z182() {
    let server = Server::set(&[("template.json", flight(small_gates(&json!({}))))], |settings| {
        settings.delivery.stream_heartbeat_s = 1;
    });
    let get = |path: String| server.get("reader", &path);
    let seat = server.wanted_by_many(&SEAT);
    let name = name_of(&seat);
    assert_eq!(server.act(&seat, "promote", "").status, 200);
    let rebased = server.call("POST", "/v1/scenarios/flight_booking:rebase", &[PAUL], "");
    assert_eq!(rebased.status, 201, "{}", rebased.body);
    server.settle();

    // What the newer base took over still comes from the patch.
    let old = get(format!("{TEMPLATE}?version=1.0.0"));
    has(&old.body, json!({"schema_id": "flight_booking_v1", "left_out": null}));
    assert_eq!(key_of(&old.body, &name).expect("the key")["patch_id"], seat["patch_id"]);
    let new = get(format!("{TEMPLATE}?version=%5E1"));
    has(&new.body, json!({"schema_id": "flight_booking_v1_1"}));
    assert_eq!(key_of(&new.body, &name).expect("the key").get("patch_id"), None);
    assert_eq!((said(&old), said(&new)), (newer_than("1.1.0"), Default::default()));
    let tag = old.headers["etag"].to_str().expect("text").to_owned();
    let held = server.call(
        "GET",
        &format!("{TEMPLATE}?version=~1.0.0&format=markdown"),
        &[READER],
        "",
    );
    assert_eq!(said(&held), newer_than("1.1.0"), "every form");
    let held = server.call(
        "GET",
        &format!("{TEMPLATE}?version=~1.0.0"),
        &[READER, ("If-None-Match", &tag)],
        "",
    );
    assert_eq!((held.status, said(&held)), (304, newer_than("1.1.0")));

    let updates = get(format!("{UPDATES}?since=0&version=1.0.0"));
    has(
        &updates.body,
        json!({"schema_id": "flight_booking_v1", "revision": old.body["revision"]}),
    );
    assert_eq!(updates.body["patches"][0]["patch_id"], seat["patch_id"]);
    assert_eq!(said(&updates), newer_than("1.1.0"));
    let unpinned = get(format!("{UPDATES}?since=0"));
    has(
        &unpinned.body,
        json!({"schema_id": "flight_booking_v1_1", "patches": []}),
    );
    let booked = server.book("reader", &[]);
    assert_eq!((booked.status, said(&booked)), (200, newer_than("1.1.0")));
    let wrong = server.book("reader", &[("cabin_class", json!("busines"))]);
    assert_eq!((wrong.status, said(&wrong)), (422, newer_than("1.1.0")));

    let at = old.body["revision"].as_u64().expect("a revision");
    let mut stays = listen(&server, &format!("?version=1.0.0&since={at}"));
    let mut follows = listen(&server, &format!("?version=%5E1&since={}", new.body["revision"]));
    assert!(stays.is_quiet() && follows.is_quiet(), "nothing is new");
    let mut next = flight(small_gates(&json!({})));
    (next["schema_id"], next["version"]) = (json!("flight_booking_v1_2"), json!("1.2.0"));
    next["keys"][0]["semantic_description"] = json!("Departure city. Example: 'from Kiel' -> 'Kiel'.");
    let published = server.put("/v1/schemas/flight_booking_v1_2", &next);
    assert_eq!(published.status, 201, "{}", published.body);
    assert_eq!(follows.event().1["schema_id"], "flight_booking_v1_2");
    assert!(stays.is_quiet(), "nothing changed over that version");
    let suitcase = server.wanted_by_many(&SUITCASE);
    assert_eq!(server.act(&suitcase, "approve", "").status, 200);
    for (stream, schema_id) in [(&mut stays, "flight_booking_v1"), (&mut follows, "flight_booking_v1_2")] {
        let (_, news) = stream.event();
        has(&news, json!({"schema_id": schema_id}));
        assert_eq!(news["patches"][0]["patch_id"], suitcase["patch_id"]);
    }
    let mut resumed = listen(&server, "?version=~1.0");
    assert_eq!(
        resumed.event().1["patches"].as_array().map(Vec::len),
        Some(2),
        "since the beginning"
    );
}

/// Wishes that lead to a key's name are kept while the gate is closed; then a version comes that has that key.
#[test]
fn a_patch_that_changes_a_key_which_a_version_has_not_is_left_out_and_named_z105_z114() {
    let scout = airline(&json!({}));
    let name = name_of(&scout.wanted_by_many(&SEAT));
    drop(scout);
    let server = Server::start(
        &[(
            "template.json",
            flight(json!({"pool": {"gate_clients_min": 1_000, "gate_occurrences_min": 1_000}})),
        )],
        |_| {},
        PartsOverride::default(),
    );
    for (number, said) in SEAT.iter().enumerate() {
        server.wish(&format!("agent-{}", number % 5), said);
    }
    let mut next = flight(small_gates(&json!({})));
    (next["schema_id"], next["version"]) = (json!("flight_booking_v2"), json!("2.0.0"));
    let keys = next["keys"].as_array_mut().expect("keys");
    keys.push(json!({"key_name": name, "key_type": "boolean", "required": false,
        "semantic_description": "Reserved for later."}));
    assert_eq!(server.put("/v1/schemas/flight_booking_v2", &next).status, 201);
    server.settle();
    server.tick();
    server.settle();
    let patches = server.patches();
    assert_eq!(patches.len(), 1, "{patches:?}");
    let patch = &patches[0];
    assert_eq!(patch["modified_keys"][0]["key_name"], name, "{patch}");
    let before = server.get("reader", &format!("{TEMPLATE}?version=%5E1"));
    assert_eq!(server.act(patch, "approve", "").status, 200);

    let now = server.get("reader", TEMPLATE);
    has(&now.body, json!({"schema_id": "flight_booking_v2", "left_out": null}));
    assert_eq!(now.body["patches"][0]["patch_id"], patch["patch_id"]);
    let left_out = json!([{
        "patch_id": patch["patch_id"], "key_name": name,
        "why": format!("it changes the key `{name}`, which version 1.0.0 has not"),
    }]);
    let old = server.get("reader", &format!("{TEMPLATE}?version=%5E1"));
    has(
        &old.body,
        json!({"schema_id": "flight_booking_v1", "left_out": left_out, "patches": []}),
    );
    assert_eq!(old.body["keys"], before.body["keys"], "its keys are what they were");
    let settled = server.get("reader", &format!("{TEMPLATE}?version=%5E1&experimental=false"));
    has(&settled.body, json!({"left_out": null}));
    let updates = server.get(
        "reader",
        &format!("{UPDATES}?since={}&version=%5E1", before.body["revision"]),
    );
    has(
        &updates.body,
        json!({"patches": [], "withdrawn_keys": [], "left_out": left_out}),
    );
    let unpinned = server.get("reader", &format!("{UPDATES}?since=0"));
    has(&unpinned.body, json!({"left_out": null}));
    assert_eq!(unpinned.body["patches"][0]["patch_id"], patch["patch_id"]);
}

#[test]
fn a_deprecated_schema_works_on_and_says_so_until_that_is_lifted_z105() {
    let (server, clock) = timed(small_gates(&json!({})), |_| {});
    let path = "/v1/schemas/flight_booking_v1";
    let deprecate = |body: &str| server.call("POST", &format!("{path}:deprecate"), &[PAUL], body);
    for (body, says) in [
        (r#"{"sunset": "2026-05-01T08:00:00Z"}"#, "still to come"),
        (r#"{"sunset": "tomorrow"}"#, "RFC 3339"),
        (r#"{"sunset": 7}"#, r#"{"sunset": "moment", "reason": "text"}"#),
        (
            r#"{"until": "2027-01-01T00:00:00Z"}"#,
            r#"{"sunset": "moment", "reason": "text"}"#,
        ),
        (&*format!(r#"{{"reason": "{}"}}"#, "x".repeat(501)), "501 characters"),
    ] {
        let refused = deprecate(body);
        assert_eq!(refused.told(), (400, "bad_request"), "{body}: {}", refused.body);
        assert!(refused.detail().contains(says), "{body}: {}", refused.body);
    }
    let template = || server.get("reader", TEMPLATE);
    assert_eq!(said(&template()), <[Option<String>; 3]>::default());
    let before = template();

    // The first millisecond that is still to come.
    let announced = deprecate(r#"{"sunset": "2026-05-01T08:00:00.001Z", "reason": "version 2 is better"}"#);
    announced.has(
        200,
        json!({"schema_id": "flight_booking_v1", "deprecated_at": "2026-05-01T08:00:00Z"}),
    );
    let rows =
        |server: &Server| server.get("paul", "/v1/scenarios/flight_booking/versions").body["versions"][0].clone();
    has(
        &rows(&server),
        json!({"sunset": "2026-05-01T08:00:00.001Z", "reason": "version 2 is better"}),
    );
    clock.advance_ms(3_600_000);
    let later = deprecate(r#"{"sunset": "2026-08-01T00:00:00Z"}"#);
    later.has(
        200,
        json!({"deprecated_at": "2026-05-01T08:00:00Z", "sunset": "2026-08-01T00:00:00Z", "reason": null}),
    );
    let told = [
        None,
        Some("@1777622400".to_owned()),
        Some("Sat, 01 Aug 2026 00:00:00 GMT".to_owned()),
    ];
    let after = template();
    assert_eq!(
        (&after.body, said(&after)),
        (&before.body, told.clone()),
        "nothing else changed"
    );
    let tag = before.headers["etag"].to_str().expect("text");
    let held = server.call("GET", TEMPLATE, &[READER, ("If-None-Match", tag)], "");
    assert_eq!((held.status, said(&held)), (304, told.clone()));
    // Past its sunset it works as before.
    clock.advance_ms(200 * 86_400_000);
    let (booked, wrong) = (
        server.book("reader", &[]),
        server.book("reader", &[("cabin_class", json!("busines"))]),
    );
    assert_eq!((booked.status, said(&booked)), (200, told.clone()));
    assert_eq!((wrong.status, said(&wrong)), (422, told.clone()));
    let of_schema = json!({"deprecated_at": "2026-05-01T08:00:00Z", "sunset": "2026-08-01T00:00:00Z", "latest": null});
    for exchange in [&booked.body["exchange"], &wrong.body["exchange"]] {
        has(exchange, of_schema.clone());
    }
    // A stored answer tells it too, in its head; whoever gets no head is told in the exchange.
    for (class, status) in [("business", 200), ("busines", 422)] {
        let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": 1, "cabin_class": class});
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload});
        let keyed = [READER, ("Idempotency-Key", class)];
        for replayed in [false, true] {
            let reply = server.call("POST", "/v1/submissions", &keyed, &body.to_string());
            assert_eq!((reply.status, said(&reply)), (status, told.clone()));
            assert_eq!(reply.headers.contains_key("idempotent-replayed"), replayed);
        }
        let checked = server.call("POST", "/v1/submissions:validate", &[READER], &body.to_string());
        assert_eq!((checked.status, said(&checked)), (status, told.clone()));
        let batch = server.call(
            "POST",
            "/v1/submissions:batch",
            &[READER],
            &json!({"submissions": [body]}).to_string(),
        );
        has(&batch.body["items"][0]["body"]["exchange"], of_schema.clone());
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "submit_payload", "params": body});
        let rpc = server.call("POST", "/rpc", &[READER], &call.to_string()).body;
        let answer = rpc.get("result").unwrap_or(&rpc["error"]["data"]);
        has(&answer["exchange"], of_schema.clone());
    }
    has(
        &rows(&server),
        json!({"state": "deprecated", "in_force": true, "deprecated_at": "2026-05-01T08:00:00Z", "sunset": "2026-08-01T00:00:00Z", "retired_at": null}),
    );
    let read = server.get("reader", path);
    assert_eq!((read.status, said(&read)), (200, told));

    let restored = server.call("POST", &format!("{path}:restore"), &[PAUL], "");
    restored.has(200, json!({"retired": false}));
    assert_eq!(said(&template()), <[Option<String>; 3]>::default());
    has(
        &rows(&server),
        json!({"state": "published", "deprecated_at": null, "sunset": null, "reason": null}),
    );
    deprecate("").has(200, json!({"sunset": null, "reason": null}));
    assert_eq!(server.call("DELETE", path, &[PAUL], "").status, 200);
    has(&rows(&server), json!({"state": "retired"}));
    assert_eq!(deprecate("").told(), (410, "schema_retired"));
    let nobodys = server.call("POST", "/v1/schemas/nobodys_v1:deprecate", &[PAUL], "");
    assert_eq!(nobodys.told(), (404, "unknown_schema"));
}

#[test]
fn a_schema_is_kept_by_its_client_for_good_and_asked_for_again_once_it_is_retired_z030() {
    let server = airline(&json!({}));
    let path = "/v1/schemas/flight_booking_v1";
    let read = |headers: &[(&str, &str)]| {
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([READER]).collect();
        let reply = server.call("GET", path, &headers, "");
        let header = |name: &str| reply.headers[name].to_str().expect("text").to_owned();
        (
            reply.status,
            header("cache-control"),
            header("etag"),
            reply.body["retired"].clone(),
        )
    };
    let (status, control, tag, retired) = read(&[]);
    assert_eq!((status, &*control), (200, "private, max-age=31536000, immutable"));
    assert_eq!(retired, Value::Null);
    assert_eq!(read(&[("If-None-Match", &tag)]).0, 304);
    server.act(&server.wanted_by_many(&SEAT), "promote", "");
    assert_eq!(
        read(&[("If-None-Match", &tag)]).0,
        304,
        "what was learned is no part of it"
    );
    assert_eq!(server.delete(path).status, 200);
    let (status, control, _, retired) = read(&[("If-None-Match", &tag)]);
    assert_eq!((status, &*control, retired), (200, "private, no-cache", json!(true)));
    assert_eq!(server.call("POST", &format!("{path}:restore"), &[PAUL], "").status, 200);
    assert_eq!(read(&[]).2, tag);
}
