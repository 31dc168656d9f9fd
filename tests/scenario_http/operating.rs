//! The operator's hand on a scenario and on the service: freeze and thaw, approvals, demotion, read-only mode.

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::SEAT;
use super::airline;
use super::book;
use super::flight;
use super::get;
use super::id_of;
use super::learned;
use super::name_of;
use super::patches;
use super::small_gates;
use super::wanted_by_many;
use crate::support::server::Reply;
use crate::support::server::Server;

const OLGA: (&str, &str) = ("Otherwise-Client", "olga");
const SCENARIO: &str = "/v1/scenarios/flight_booking";

fn post(server: &Server, path: &str, body: &str) -> Reply {
    server.call("POST", path, &[OLGA], body)
}

/// Who froze the scenario, as the list of scenarios tells it.
fn frozen(server: &Server) -> Value {
    get(server, "olga", "/v1/scenarios").body["scenarios"][0]["frozen"].clone()
}

fn metric(server: &Server, line: &str) -> bool {
    server.page("/metrics").lines().any(|said| said == line)
}

#[test]
fn a_frozen_scenario_takes_and_counts_but_proposes_nothing_until_it_is_thawed_z073() {
    let server = airline(&json!({}));
    let reply = post(
        &server,
        &format!("{SCENARIO}:freeze"),
        r#"{"reason": "audit of the third quarter"}"#,
    );
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.body["frozen"]["by"]["principal"], "olga");
    assert_eq!(reply.body["frozen"]["reason"], "audit of the third quarter");
    let again = post(&server, &format!("{SCENARIO}:freeze"), r#"{"reason": "another"}"#);
    assert_eq!((again.status, &again.body), (200, &reply.body), "the first stands");
    assert_eq!(frozen(&server), reply.body["frozen"]);
    assert_eq!(
        get(&server, "olga", &format!("{SCENARIO}/pool")).body["frozen"],
        reply.body["frozen"]
    );
    assert!(metric(
        &server,
        r#"otherwise_scenario_frozen{scenario="flight_booking"} 1"#
    ));

    for (n, wish) in SEAT.iter().enumerate() {
        assert_eq!(book(&server, &format!("c{n}"), &[("other", json!(wish))]).status, 200);
    }
    server.settle();
    server.tick();
    server.settle();
    assert_eq!(patches(&server), Vec::<Value>::new(), "nothing is proposed");
    let pool = get(&server, "olga", &format!("{SCENARIO}/pool")).body;
    assert!(pool["demand"].as_u64() >= Some(8), "everything is counted: {pool}");

    let thawed = post(&server, &format!("{SCENARIO}:thaw"), "");
    assert_eq!(thawed.body, json!({"scenario": "flight_booking", "frozen": null}));
    server.settle();
    assert_eq!(
        patches(&server).len(),
        1,
        "what was asked for meanwhile is proposed now"
    );
    assert_eq!(frozen(&server), Value::Null);
    assert!(metric(
        &server,
        r#"otherwise_scenario_frozen{scenario="flight_booking"} 0"#
    ));
}

#[test]
fn a_hand_with_a_reason_that_cannot_be_kept_does_nothing() {
    let server = airline(&json!({}));
    for (body, code) in [
        (format!(r#"{{"reason": "{}"}}"#, "x".repeat(501)), "bad_request"),
        (r#"{"because": "x"}"#.to_owned(), "bad_request"),
        ("{".to_owned(), "bad_request"),
    ] {
        let reply = post(&server, &format!("{SCENARIO}:freeze"), &body);
        assert_eq!((reply.status, &reply.body["code"]), (400, &json!(code)), "{body}");
    }
    assert_eq!(frozen(&server), Value::Null);
    let longest = format!(r#"{{"reason": "{}"}}"#, "x".repeat(500));
    assert_eq!(post(&server, &format!("{SCENARIO}:freeze"), &longest).status, 200);
    assert_eq!(post(&server, "/v1/scenarios/nowhere:freeze", "").status, 404);
}

#[test]
fn a_promotion_is_taken_back_by_hand_and_the_evidence_says_why_z127_z142_z145() {
    let server = airline(&json!({"autonomy": "review"}));
    let patch = wanted_by_many(&server, &SEAT);
    let hand = |deed: &str, body: &str| {
        let reply = post(&server, &format!("/v1/patches/{}:{deed}", id_of(&patch)), body);
        server.settle();
        reply
    };
    assert_eq!(hand("demote", "").status, 409, "what waits was not promoted");
    assert_eq!(
        hand("approve", r#"{"reason": "asked for daily"}"#).body["stage"],
        "experimental"
    );
    assert_eq!(hand("promote", "").body["stage"], "stable");
    let back = hand("demote", r#"{"reason": "its examples\nare wrong"}"#);
    assert_eq!((back.status, &back.body["stage"]), (200, &json!("experimental")));
    let key = learned(&server, "reader", &name_of(&patch)).expect("it is still served");
    assert_eq!(key["experimental"], true);

    let evidence = get(&server, "olga", &format!("/v1/patches/{}/evidence", id_of(&patch))).body;
    let told: Vec<_> = evidence["history"]
        .as_array()
        .expect("a history")
        .iter()
        .map(|change| {
            json!([
                change["to"],
                change["hand"],
                change["by"]["principal"],
                change["because"]
            ])
        })
        .collect();
    assert_eq!(
        told,
        [
            json!(["awaiting_approval", null, null, null]),
            json!(["experimental", "approve", "olga", "asked for daily"]),
            json!(["stable", "promote", "olga", null]),
            json!(["experimental", "demote", "olga", "its examples are wrong"]),
        ]
    );
    assert!(metric(
        &server,
        r#"otherwise_key_changes_total{change="demoted",scenario="flight_booking"} 1"#
    ));
}

#[test]
fn what_waits_for_a_person_is_listed_longest_first_and_in_pages_z127_z165() {
    let server = airline(&json!({"autonomy": "review"}));
    let empty = get(&server, "olga", "/v1/approvals");
    assert_eq!(empty.body, json!({"waiting": 0, "approvals": [], "next": null}));
    let first = wanted_by_many(&server, &SEAT);
    for (n, wish) in [
        "pay with my credit card",
        "I want to pay by credit card",
        "charge it to my credit card",
        "please use my credit card to pay",
        "pay with credit card",
        "I pay by credit card",
        "take my credit card for the payment",
        "payment by credit card please",
    ]
    .iter()
    .enumerate()
    {
        book(&server, &format!("p{n}"), &[("other", json!(wish))]);
    }
    server.settle();
    server.tick();
    server.settle();

    let page = get(&server, "olga", "/v1/approvals?limit=1").body;
    assert_eq!(
        (&page["waiting"], page["approvals"].as_array().map(Vec::len)),
        (&json!(2), Some(1))
    );
    let waits = &page["approvals"][0];
    assert_eq!(waits["patch_id"], first["patch_id"]);
    assert_eq!(
        (&waits["scenario"], &waits["sensitive"]),
        (&json!("flight_booking"), &Value::Null)
    );
    assert_eq!(waits["new_keys"], first["new_keys"]);
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
    let page = get(&server, "olga", &format!("/v1/approvals?limit=1&after={next}")).body;
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
    post(&server, &format!("/v1/patches/{}:reject", id_of(&first)), "");
    let rest = get(&server, "olga", &format!("/v1/approvals?after={next}")).body;
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
            get(&server, "olga", &format!("/v1/approvals?{query}")).status,
            status,
            "{query}"
        );
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
    assert_eq!(book(&server, "c1", &[("other", json!("a window seat"))]).status, 200);
    server.settle();
    let closed = post(&server, "/v1/service:read-only", r#"{"reason": "moving house"}"#);
    assert_eq!(
        (closed.status, &closed.body["writes"]),
        (200, &json!("read_only")),
        "{}",
        closed.body
    );
    let told = get(&server, "olga", "/v1/service").body;
    assert_eq!(
        (&told["by"]["principal"], &told["reason"]),
        (&json!("olga"), &json!("moving house"))
    );
    assert_eq!(
        post(&server, "/v1/service:read-only", "").body["reason"],
        "moving house",
        "the first stands"
    );

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
            assert_eq!(
                (reply.status, &reply.body["code"]),
                (503, &json!("read_only")),
                "{method} {path}"
            );
            assert!(reply.headers.contains_key("Retry-After"), "{method} {path}");
        }
        let ready = get(server, "olga", "/readyz");
        assert_eq!((ready.status, &ready.body["writes"]), (200, &json!("read_only")));
        assert!(metric(server, "otherwise_read_only 1"));
        for path in ["template", "updates", "pool", "patches", "ledger"] {
            assert_eq!(
                get(server, "reader", &format!("{SCENARIO}/{path}")).status,
                200,
                "{path}"
            );
        }
        let dry = r#"{"schema_id":"flight_booking_v1","payload":{"origin":"PEK","destination":"SHA","departure_date":"2026-05-04"}}"#;
        assert_eq!(
            post(server, "/v1/submissions:validate", dry).status,
            200,
            "a dry run records nothing"
        );
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
    let opened = post(&server, "/v1/service:read-write", "");
    assert_eq!((opened.status, &opened.body["writes"]), (200, &json!("open")));
    assert_eq!(book(&server, "c2", &[]).status, 200);
    assert!(metric(&server, "otherwise_read_only 0"));

    // What the settings say, no call undoes.
    drop(server);
    let server = start(&|settings| settings.service.read_only = true);
    refused(&server);
    let reply = post(&server, "/v1/service:read-write", "");
    assert_eq!(
        (reply.status, &reply.body["code"]),
        (409, &json!("read_only_by_setting"))
    );
    assert_eq!(post(&server, "/v1/service:read-only", "").body["by_setting"], true);
}

#[test]
fn a_stored_reply_is_read_while_nothing_is_written() {
    let server = airline(&json!({}));
    let body = r#"{"schema_id":"flight_booking_v1","payload":{"origin":"PEK","destination":"SHA","departure_date":"2026-05-04"}}"#;
    let submit = |key: &str| server.call("POST", "/v1/submissions", &[("Idempotency-Key", key)], body);
    let first = submit("k1");
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(post(&server, "/v1/service:read-only", "").status, 200);
    assert_eq!(submit("k1").body, first.body);
    assert_eq!(submit("k2").status, 503);
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
    assert_eq!(post(&server, "/v1/service:read-only", "").status, 200);
    drop(server);

    let server = start(&[old.clone(), new]);
    assert_eq!(get(&server, "olga", "/v1/scenarios/ferry/template").status, 404);
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
    assert_eq!(post(&server, "/v1/service:read-write", "").status, 200);
    let begun = std::time::Instant::now();
    while get(&server, "olga", "/v1/scenarios/ferry/template").status != 200 {
        assert!(begun.elapsed().as_secs() < 20, "the shelf is not looked at again");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
