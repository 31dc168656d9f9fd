//! Operator actions on a scenario and on the service: freeze and thaw, approvals, read-only mode.

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::OLGA;
use super::SCENARIO;
use super::airline;
use super::flight;
use super::operator_actions::PAYMENT;
use super::payload;
use super::small_gates;
use super::timed;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;
use crate::support::wishes::SUITCASE;

/// Who froze the scenario, as the list of scenarios tells it.
fn frozen(server: &Server) -> Value {
    server.get("olga", "/v1/scenarios").body["scenarios"][0]["frozen"].clone()
}

#[test]
fn a_frozen_scenario_takes_and_counts_but_proposes_nothing_until_it_is_thawed_z073() {
    let server = airline(&json!({}));
    let reply = server.post(
        &format!("{SCENARIO}:freeze"),
        r#"{"reason": "audit of the third quarter"}"#,
    );
    reply.has(
        200,
        json!({"frozen/by/principal": "olga", "frozen/reason": "audit of the third quarter"}),
    );
    let again = server.post(&format!("{SCENARIO}:freeze"), r#"{"reason": "another"}"#);
    assert_eq!((again.status, &again.body), (200, &reply.body), "the first stands");
    assert_eq!(frozen(&server), reply.body["frozen"]);
    assert_eq!(server.pool()["frozen"], reply.body["frozen"]);
    assert!(server.measured(r#"otherwise_scenario_frozen{scenario="flight_booking"} 1"#));

    for (n, wish) in SEAT.iter().enumerate() {
        assert_eq!(server.book(&format!("c{n}"), &[("other", json!(wish))]).status, 200);
    }
    server.settle();
    server.tick();
    server.settle();
    assert_eq!(server.patches(), Vec::<Value>::new(), "nothing is proposed");
    let pool = server.pool();
    assert!(pool["demand"].as_u64() >= Some(8), "everything is counted: {pool}");

    let thawed = server.post(&format!("{SCENARIO}:thaw"), "");
    assert_eq!(thawed.body, json!({"scenario": "flight_booking", "frozen": null}));
    server.settle();
    assert_eq!(
        server.patches().len(),
        1,
        "what was asked for meanwhile is proposed now"
    );
    assert_eq!(frozen(&server), Value::Null);
    assert!(server.measured(r#"otherwise_scenario_frozen{scenario="flight_booking"} 0"#));
}

#[test]
fn what_waits_for_a_person_is_listed_longest_first_and_in_pages_z127_z165() {
    let server = airline(&json!({"autonomy": "review"}));
    let empty = server.get("olga", "/v1/approvals");
    assert_eq!(empty.body, json!({"waiting": 0, "approvals": [], "next": null}));
    let first = server.wanted_by_many(&SEAT);
    for (n, wish) in PAYMENT.iter().enumerate() {
        server.book(&format!("p{n}"), &[("other", json!(wish))]);
    }
    server.settle();
    server.tick();
    server.settle();

    let page = server.get("olga", "/v1/approvals?limit=1").body;
    assert_eq!(
        (&page["waiting"], page["approvals"].as_array().map(Vec::len)),
        (&json!(2), Some(1))
    );
    let waits = &page["approvals"][0];
    has(
        waits,
        json!({
            "patch_id": first["patch_id"], "scenario": "flight_booking", "sensitive": null,
            "new_keys": first["new_keys"]
        }),
    );
    assert!(
        waits["why"].as_str().is_some_and(|why| why.contains("every proposal")),
        "{waits}"
    );
    assert!(
        waits["evidence"]["explanation"]
            .as_array()
            .is_some_and(|said| !said.is_empty())
    );
    assert!(waits["evidence"]["clients"].as_u64() >= Some(3), "{waits}");
    let next = page["next"].as_str().expect("there is more");
    let page = server.get("olga", &format!("/v1/approvals?limit=1&after={next}")).body;
    assert_eq!(
        (page["approvals"][0]["sensitive"].as_str(), &page["next"]),
        (Some("payment"), &Value::Null)
    );
    assert!(
        page["approvals"][0]["why"]
            .as_str()
            .is_some_and(|why| why.contains("payment"))
    );

    // A place in the list stays one when what stood there is decided.
    server.act(&first, "reject", "");
    let rest = server.get("olga", &format!("/v1/approvals?after={next}")).body;
    assert_eq!(
        (&rest["waiting"], rest["approvals"].as_array().map(Vec::len)),
        (&json!(1), Some(1))
    );
    for (query, status) in [
        ("limit=0", 400),
        ("limit=200", 200),
        ("limit=201", 400),
        ("after=x", 400),
        ("after=1.x", 400),
    ] {
        assert_eq!(
            server.get("olga", &format!("/v1/approvals?{query}")).status,
            status,
            "{query}"
        );
    }
}

#[test]
fn what_waits_is_listed_of_one_scenario_and_in_the_order_that_is_asked_for_z127() {
    let (server, clock) = timed(small_gates(&json!({"autonomy": "review"})), |_| {});
    let first = server.wanted_by_many(&SEAT);
    clock.advance_ms(60_000);
    let second = server.wanted_by_many(&SUITCASE);
    // One more asks for what came second.
    for (n, wish) in SUITCASE.iter().enumerate() {
        server.wish(&format!("late-{n}"), wish);
    }
    let tram = json!({"schema_id": "tram_v1", "scenario": "tram", "keys": [
        {"key_name": "zone", "key_type": "string", "required": true, "semantic_description": "Zone of the ticket."}]});
    assert_eq!(server.put("/v1/schemas/tram_v1", &tram).status, 201);
    let page = |query: &str| server.get("olga", &format!("/v1/approvals?{query}"));
    let listed = |query: &str| -> Vec<Value> {
        let told = page(query).body;
        let rows = told["approvals"].as_array().expect("approvals");
        rows.iter().map(|row| row["patch_id"].clone()).collect()
    };
    let (one, other) = (first["patch_id"].clone(), second["patch_id"].clone());
    for query in [
        "",
        "sort=longest",
        "scenario=Flight%20Booking",
        "scenario=flight_booking&sort=longest",
    ] {
        assert_eq!(listed(query), [one.clone(), other.clone()], "{query}");
    }
    assert_eq!(listed("sort=newest"), [other.clone(), one.clone()]);
    let rows = page("").body["approvals"].as_array().expect("approvals").clone();
    for sort in ["clients", "occurrences"] {
        let mut ranked = rows.clone();
        ranked.sort_by_key(|row| std::cmp::Reverse(row["evidence"][sort].as_u64()));
        let expected: Vec<Value> = ranked.iter().map(|row| row["patch_id"].clone()).collect();
        assert_eq!(listed(&format!("sort={sort}")), expected, "{sort}");
    }
    assert_eq!(
        page("scenario=tram").body,
        json!({"waiting": 0, "approvals": [], "next": null})
    );
    assert_eq!(page("scenario=nowhere").told(), (404, "unknown_scenario"));
    assert_eq!(page("sort=oldest").told(), (400, "bad_parameter"));
    for sort in ["longest", "newest", "clients", "occurrences"] {
        let begin = page(&format!("sort={sort}&limit=1")).body;
        let next = begin["next"].as_str().expect("there is more").to_owned();
        let rest = page(&format!("sort={sort}&limit=1&after={next}")).body;
        let both = [&begin, &rest].map(|page| page["approvals"][0]["patch_id"].clone());
        assert_eq!(both.to_vec(), listed(&format!("sort={sort}")), "{sort}");
        assert_eq!((&begin["waiting"], &rest["next"]), (&json!(2), &Value::Null), "{sort}");
        let another = if sort == "newest" { "clients" } else { "newest" };
        let mixed = page(&format!("sort={another}&after={next}"));
        assert_eq!(mixed.told(), (400, "bad_parameter"), "a place in another order");
    }
}

#[test]
fn a_read_only_service_answers_what_reads_and_records_nothing_until_it_is_opened_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let start = |change: &dyn Fn(&mut Settings)| {
        let shelf = [("template.json", flight(small_gates(&json!({}))))];
        let set = |settings: &mut Settings| {
            settings.data.folder.clone_from(&data);
            change(settings);
        };
        Server::start(&shelf, set, PartsOverride::default())
    };
    let ends = |server: &Server| {
        let live = server.service().handle("flight_booking").expect("it is hosted");
        live.state().seq
    };
    let server = start(&|_| {});
    assert_eq!(server.book("c1", &[("other", json!("a window seat"))]).status, 200);
    let body = json!({"schema_id": "flight_booking_v1", "payload": payload()}).to_string();
    let keyed = |server: &Server, key| server.call("POST", "/v1/submissions", &[("Idempotency-Key", key)], &body);
    let first = keyed(&server, "k1");
    server.settle();
    let closed = server.post("/v1/service:read-only", r#"{"reason": "moving house"}"#);
    closed.has(200, json!({"writes": "read_only"}));
    let told = server.get("olga", "/v1/service").body;
    has(&told, json!({"by/principal": "olga", "reason": "moving house"}));
    assert_eq!(
        server.post("/v1/service:read-only", "").body["reason"],
        "moving house",
        "the first stands"
    );

    assert_eq!(keyed(&server, "k1").body, first.body, "a stored reply is read");
    assert_eq!(keyed(&server, "k2").status, 503);
    let end = ends(&server);
    let refused = |server: &Server| {
        let writes = [
            (
                "POST",
                "/v1/submissions",
                r#"{"schema_id":"flight_booking_v1","payload":{}}"#,
            ),
            ("POST", "/v1/scenarios/flight_booking:freeze", ""),
            ("POST", "/v1/patches/flight_booking.p1:promote", ""),
            ("DELETE", "/v1/schemas/flight_booking_v1", ""),
            ("POST", "/v1/schemas/flight_booking_v1:restore", ""),
            (
                "PUT",
                "/v1/schemas/train_v1",
                r#"{"schema_id":"train_v1","scenario":"train","keys":[]}"#,
            ),
        ];
        for (method, path, body) in writes {
            let reply = server.call(method, path, &[OLGA], body);
            assert_eq!(reply.told(), (503, "read_only"), "{method} {path}");
            assert!(reply.headers.contains_key("Retry-After"), "{method} {path}");
        }
        let ready = server.get("olga", "/readyz");
        assert_eq!((ready.status, &ready.body["writes"]), (200, &json!("read_only")));
        assert!(server.measured("otherwise_read_only 1"));
        for path in ["template", "updates", "pool", "patches", "ledger"] {
            assert_eq!(
                server.get("reader", &format!("{SCENARIO}/{path}")).status,
                200,
                "{path}"
            );
        }
        let dry = server.post("/v1/submissions:validate", &body);
        assert_eq!(dry.status, 200, "a dry run records nothing");
        server.tick();
        server.settle();
    };
    refused(&server);
    assert_eq!(
        ends(&server),
        end,
        "neither calls nor effects nor receipts were recorded"
    );

    // It is on record: a start does not open it.
    drop(server);
    let server = start(&|_| {});
    refused(&server);
    let opened = server.post("/v1/service:read-write", "");
    assert_eq!((opened.status, &opened.body["writes"]), (200, &json!("open")));
    assert_eq!(server.book("c2", &[]).status, 200);
    assert!(server.measured("otherwise_read_only 0"));

    // What the settings say, no call undoes.
    drop(server);
    let server = start(&|settings| settings.service.read_only = true);
    refused(&server);
    let reply = server.post("/v1/service:read-write", "");
    assert_eq!(reply.told(), (409, "read_only_by_setting"));
    assert_eq!(server.post("/v1/service:read-only", "").body["by_setting"], true);
}

#[test]
fn what_lay_on_the_shelf_while_nothing_was_written_is_published_once_something_may_be_z029_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let old = ("a.json", flight(small_gates(&json!({}))));
    let new = (
        "b.json",
        json!({"schema_id": "ferry_v1", "scenario": "ferry", "keys": [
            {"key_name": "port", "key_type": "string", "required": true, "semantic_description": "Port of departure."}]}),
    );
    let start = |shelf: &[(&str, Value)]| {
        let set = |settings: &mut Settings| settings.data.folder.clone_from(&data);
        Server::start(shelf, set, PartsOverride::default())
    };
    let server = start(std::slice::from_ref(&old));
    assert_eq!(server.post("/v1/service:read-only", "").status, 200);
    drop(server);

    let server = start(&[old.clone(), new]);
    assert_eq!(server.get("olga", "/v1/scenarios/ferry/template").status, 404);
    let known = server.call("PUT", "/v1/schemas/flight_booking_v1", &[OLGA], &old.1.to_string());
    assert_eq!(
        known.status, 200,
        "what is published already writes nothing: {}",
        known.body
    );
    let other = server.call(
        "PUT",
        "/v1/schemas/flight_booking_v1",
        &[OLGA],
        &json!({"schema_id": "flight_booking_v1"}).to_string(),
    );
    assert_eq!(other.status, 503, "{}", other.body);
    assert_eq!(server.post("/v1/service:read-write", "").status, 200);
    let begun = std::time::Instant::now();
    while server.get("olga", "/v1/scenarios/ferry/template").status != 200 {
        assert!(begun.elapsed().as_secs() < 20, "the shelf is not looked at again");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
