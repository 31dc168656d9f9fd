//! How a key comes, for all and for one client, and how clients come to know of it.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::LEGROOM;
use super::QUIET;
use super::airline;
use super::flight;
use super::id_of;
use super::name_of;
use super::small_gates;
use crate::support::patience::eventually;
use crate::support::principal::with_key;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

fn suggested(server: &Server, client: &str) -> Option<Value> {
    let reply = server.book(client, &[]);
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body.get("schema_update_suggestion").cloned()
}

#[test]
fn what_many_want_becomes_a_key_for_all_on_trial_z021_z025_z106_z109_z125_z140_z142() {
    let server = airline(&json!({}));
    let before = server.template_of("reader");
    let patch = server.wanted_by_many(&SEAT);
    assert_eq!(server.patches().len(), 1);
    has(&patch, json!({"audience": {"kind": "global"}, "stage": "experimental"}));
    let key = server.learned("reader", &name_of(&patch)).expect("everybody sees it");
    has(
        &key,
        json!({"experimental": true, "required": false, "patch_id": patch["patch_id"]}),
    );
    let after = server.template_of("reader");
    let base = before["keys"].as_array().expect("keys");
    assert_eq!(&after["keys"].as_array().expect("keys")[..base.len()], &base[..]);
    assert_eq!(after["schema_id"], before["schema_id"]);
}

#[test]
fn what_one_wants_becomes_its_own_key_and_nobody_elses_z122_z123_z124_z130() {
    let server = airline(&json!({}));
    let legroom = server.wanted_by_one("traveller", &LEGROOM);
    let quiet = server.wanted_by_one("traveller", &QUIET);
    for patch in [&legroom, &quiet] {
        assert_eq!(patch["audience"], json!({"kind": "client", "id": "traveller"}));
        assert!(server.learned("traveller", &name_of(patch)).is_some(), "{patch}");
        assert_eq!(server.learned("somebody", &name_of(patch)), None);
    }
    assert_ne!(legroom["patch_id"], quiet["patch_id"]);
    assert_eq!(server.template_of("somebody")["patches"], json!([]));
    assert_eq!(suggested(&server, "somebody"), None);
    let updates = server.get("somebody", "/v1/scenarios/flight_booking/updates?since=0");
    assert_eq!(updates.body["patches"], json!([]));
    let used = server.book("traveller", &[(&name_of(&legroom), json!(true))]);
    assert_eq!(used.body["payload"][name_of(&legroom)], true, "{}", used.body);
    // To somebody else it is an unknown key.
    let foreign = server.book("somebody", &[(&name_of(&legroom), json!(true))]);
    assert_eq!(super::warnings(&foreign)[0].1, "unknown_key");
}

#[test]
fn a_patch_for_another_client_is_not_there_z123() {
    use otherwise::app::caller::Role;

    let principal = |name: &str, role: Role| with_key(name, role, name);
    let server = Server::start(
        &[("flight.json", flight(small_gates(&json!({}))))],
        |settings| {
            settings.principals = vec![
                principal("traveller", Role::Client),
                principal("somebody", Role::Client),
                principal("olga", Role::Operator),
            ];
        },
        PartsOverride::default(),
    );
    let call = |who: &str, path: &str| server.call("GET", path, &[("X-API-Key", who)], "");
    for said in LEGROOM.iter().cycle().take(8) {
        let body = json!({"schema_id": "flight_booking_v1", "payload": {
            "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": said,
        }});
        let reply = server.call(
            "POST",
            "/v1/submissions",
            &[("X-API-Key", "traveller")],
            &body.to_string(),
        );
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
    }
    let all = call("olga", "/v1/scenarios/flight_booking/patches");
    let path = format!("/v1/patches/{}", id_of(&all.body["patches"][0]));
    assert_eq!(call("olga", &path).status, 200);
    assert_eq!(call("traveller", &path).status, 200);
    let foreign = call("somebody", &path);
    let unknown = call("somebody", "/v1/patches/flight_booking.p77");
    assert_eq!(foreign.told(), (404, "unknown_patch"));
    assert_eq!(unknown.status, 404);
    // A name that is near is told to the client that sees it, and to no other.
    let near = |who: &str| {
        call(who, "/v1/patches/flight_bookin.p1")
            .detail()
            .contains("the nearest is `flight_booking.p1`")
    };
    assert_eq!((near("traveller"), near("olga"), near("somebody")), (true, true, false));
    assert!(!foreign.detail().contains("nearest"), "{}", foreign.body);
    assert_eq!(call("somebody", &format!("{path}/evidence")).status, 403);
    assert_eq!(call("somebody", "/v1/scenarios/flight_booking/patches").status, 403);
}

#[test]
fn a_suggestion_comes_ten_times_and_not_once_it_is_known_z120_x06() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&SEAT);
    let times = (0..13).filter(|_| suggested(&server, "deaf").is_some()).count();
    assert_eq!(times, 10);
    assert!(suggested(&server, "fetcher").is_some());
    server.template_of("fetcher");
    assert_eq!(suggested(&server, "fetcher"), None);
    assert!(suggested(&server, "poller").is_some());
    server.get("poller", "/v1/scenarios/flight_booking/updates?since=0");
    assert_eq!(suggested(&server, "poller"), None);
    let user = suggested(&server, "user").expect("a suggestion");
    assert_eq!(user["new_keys"][0]["key_name"], json!(name_of(&patch)));
    server.book("user", &[(&name_of(&patch), json!(true))]);
    assert_eq!(suggested(&server, "user"), None);
}

#[test]
fn a_client_that_never_fetches_goes_on_as_before_z001_z074_z080() {
    let server = airline(&json!({}));
    let first = server.wish("deaf", "an umbrella");
    let patch = server.wanted_by_many(&LEGROOM);
    // It is told of the key with every reply, and reads none of that: nothing is filled in for it.
    for _ in 0..3 {
        let last = server.wish("deaf", "an umbrella");
        assert_eq!(last.body["payload"], first.body["payload"]);
        assert_eq!(last.body["exchange"]["warnings"], first.body["exchange"]["warnings"]);
        assert!(last.body["schema_update_suggestion"].is_object(), "{}", last.body);
    }
    // A value of the wrong type on a key that it never asked for does not refuse either.
    let name = name_of(&patch);
    let guess = server.book("deaf", &[(&name, json!({"by": "the window"}))]);
    assert_eq!(guess.status, 200, "{}", guess.body);
    assert_eq!(super::warnings(&guess)[0], (name.clone(), "patch_value".to_owned()));
    assert_eq!(guess.body["exchange"]["kept_out"], json!([name]), "{}", guess.body);
    assert_eq!(guess.body["payload"].get(&name), None);
    // Nor does it on a stable key, for who was only told of that.
    server.wish("told", "an umbrella");
    assert_eq!(server.act(&patch, "promote", "").status, 200);
    let wrong = |client: &str| server.book(client, &[(&name, json!({"by": "the window"}))]);
    let guess = wrong("told");
    guess.has(200, json!({"exchange/kept_out": [name]}));
    server.get("reader", "/v1/scenarios/flight_booking/template");
    eventually("what was fetched is known", || wrong("reader").status == 422);
}

#[test]
fn no_learned_default_is_filled_in_before_the_publisher_took_the_key_over_z043_z074() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&LEGROOM);
    let name = name_of(&patch);
    let filled = |client: &str, schema: &str| {
        let mut payload = super::payload();
        payload["other"] = json!("an umbrella");
        let body = json!({"schema_id": schema, "payload": payload}).to_string();
        let reply = server.call("POST", "/v1/submissions", &[("Otherwise-Client", client)], &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
        reply.body["payload"].get(&name).cloned()
    };
    server.get("reader", "/v1/scenarios/flight_booking/template");
    let default = patch["new_keys"][0].get("default_value").cloned();
    let value = default.clone().unwrap_or(json!(true));
    let used = server.book("user", &[(&name, value.clone())]);
    assert_eq!(used.body["payload"][&name], value, "{}", used.body);
    for client in ["stranger", "reader", "user"] {
        assert_eq!(filled(client, "flight_booking_v1"), None, "{client}");
    }
    assert_eq!(server.act(&patch, "promote", "").status, 200);
    assert_eq!(filled("reader", "flight_booking_v1"), None, "stable");
    let rebased = server.call(
        "POST",
        "/v1/scenarios/flight_booking:rebase",
        &[("Otherwise-Client", "publisher")],
        "",
    );
    assert_eq!(rebased.status, 201, "{}", rebased.body);
    server.settle();
    let base = rebased.body["schema_id"].as_str().expect("a schema");
    assert_eq!(filled("stranger", base), default, "it is the publisher's now: {patch}");
}

#[test]
fn without_evolution_everything_else_works_z073_z074_z080() {
    let server = airline(&json!({"enabled": false}));
    for (number, said) in SEAT.iter().chain(&SEAT).enumerate() {
        let reply = server.wish(&format!("agent-{}", number % 5), said);
        assert_eq!(reply.body.get("schema_update_suggestion"), None);
    }
    assert_eq!(server.patches(), Vec::<Value>::new());
    assert_eq!(server.template_of("reader")["patches"], json!([]));
    let pool = server.get("operator", "/v1/scenarios/flight_booking/pool");
    assert!(pool.body["clusters"][0]["members"].as_u64() >= Some(8), "{}", pool.body);
    let refused = server.book("me", &[("passenger_count", json!(10))]);
    assert_eq!(refused.body["violations"][0]["code"], "out_of_range");
    let server = airline(&json!({"personal": false}));
    for said in LEGROOM.iter().cycle().take(8) {
        server.wish("traveller", said);
    }
    assert_eq!(
        server.patches(),
        Vec::<Value>::new(),
        "patches for one client are switched off"
    );
    let patch = server.wanted_by_many(&SEAT);
    assert_eq!(patch["audience"], json!({"kind": "global"}));
}

#[test]
fn a_scenario_begins_with_a_pool_of_its_own_z097() {
    let server = airline(&json!({}));
    let clusters = |scenario: &str| {
        let pool = server.get("operator", &format!("/v1/scenarios/{scenario}/pool"));
        pool.body["clusters"].as_array().map(Vec::len)
    };
    server.wish("ada", SEAT[0]);
    assert!(clusters("flight_booking") > Some(0));
    let mut trains = flight(small_gates(&json!({})));
    trains["schema_id"] = json!("train_booking_v1");
    trains["scenario"] = json!("train_booking");
    let put = server.put("/v1/schemas/train_booking_v1", &trains);
    assert_eq!(put.status, 201, "{}", put.body);
    assert_eq!(clusters("train_booking"), Some(0));
}
