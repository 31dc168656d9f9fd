//! The pool as operators read it: page by page, one cluster with what it lacks, and what is no wish.

use std::sync::Arc;

use otherwise::config::Settings;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

use super::SCENARIO;
use super::airline;
use super::flight;
use super::small_gates;
use crate::support::clock::VirtualClock;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::server::under;
use crate::support::wishes::SEAT;

fn page(server: &Server, query: &str) -> Value {
    let reply = server.get("olga", &format!("{SCENARIO}/pool?{query}"));
    assert_eq!(reply.status, 200, "{query}: {}", reply.body);
    reply.body
}

fn clusters(page: &Value) -> Vec<Value> {
    page["clusters"].as_array().expect("clusters").clone()
}

fn ids(page: &Value) -> Vec<u64> {
    clusters(page)
        .iter()
        .map(|cluster| cluster["id"].as_u64().expect("an id"))
        .collect()
}

fn dismiss(server: &Server, cluster: u64, body: &str) -> Reply {
    server.post(&format!("{SCENARIO}/pool/{cluster}:dismiss"), body)
}

/// Three clients want a quiet cabin, one of them near a place that nobody else names; others want something each.
fn said_by_some() -> Server {
    let server = airline(&json!({"enabled": false}));
    for (client, said) in [
        ("a", "a quiet cabin please"),
        ("b", "quiet cabin"),
        ("c", "I want a quiet cabin"),
        ("a", "quiet cabin near Quuxville"),
        ("d", "a birthday cake with candles for my daughter"),
        ("e", "please let me bring my cello as hand luggage"),
        ("e", "please let me bring my cello as hand luggage"),
    ] {
        server.wish(client, said);
    }
    server
}

#[test]
fn a_pool_is_told_in_pages_in_the_order_that_is_asked_for() {
    let server = said_by_some();
    let whole = page(&server, "limit=200");
    let total = clusters(&whole).len();
    assert!(total >= 3, "{whole}");
    assert_eq!(whole["total"], total);
    assert_eq!(whole["next"], Value::Null);
    assert_eq!(page(&server, "")["clusters"].as_array().map(Vec::len), Some(total));
    for sort in ["heat", "growth", "clients"] {
        let whole = page(&server, &format!("sort={sort}&limit=200"));
        let figures: Vec<f64> = clusters(&whole)
            .iter()
            .map(|cluster| cluster[sort].as_f64().expect("a figure"))
            .collect();
        assert!(figures.is_sorted_by(|one, other| one >= other), "{sort}: {figures:?}");
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let one = page(&server, &format!("sort={sort}&limit=1{after}"));
            assert_eq!(one["total"], total);
            seen.extend(ids(&one));
            match one["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        assert_eq!(seen, ids(&whole), "{sort}");
    }
    // A place stays one when what stood there has gone, and is nothing to fail on beyond the end.
    assert_eq!(ids(&page(&server, "limit=200&after=1.999999")), ids(&whole)[1..]);
    assert_eq!(ids(&page(&server, "after=99.999999")), Vec::<u64>::new());
    for wrong in [
        "limit=0",
        "limit=201",
        "sort=name",
        "state=warm",
        "after=x",
        "after=1.x",
        "words=maybe",
    ] {
        let reply = server.get("olga", &format!("{SCENARIO}/pool?{wrong}"));
        assert_eq!(reply.told(), (400, "bad_parameter"), "{wrong}");
    }
    let long = format!("{SCENARIO}/pool?q={}", "a".repeat(201));
    assert_eq!(server.get("olga", &long).told(), (400, "bad_parameter"));
    assert_eq!(
        server.get("olga", &format!("{SCENARIO}/pool?heat=1")).told(),
        (400, "unknown_parameter")
    );
}

#[test]
fn a_cluster_is_found_by_words_that_are_shown_of_it_and_by_how_it_stands_z171() {
    let server = said_by_some();
    let quiet = ids(&page(&server, "q=quiet"));
    assert_eq!(quiet.len(), 1, "{}", page(&server, "words=true"));
    assert_eq!(
        ids(&page(&server, "q=CABIN%20qui&words=true")),
        quiet,
        "each is a part of some word"
    );
    for unsaid in ["Quuxville", "quiet%20cake", "cake", "cello"] {
        assert_eq!(
            page(&server, &format!("q={unsaid}"))["total"],
            0,
            "{unsaid}: too few said so"
        );
    }
    let cold = page(&server, "state=cold");
    let open = page(&server, "state=open");
    assert_eq!(ids(&open), quiet);
    assert!(clusters(&cold).iter().all(|cluster| cluster["state"] == "cold"));
    let all = page(&server, "limit=200")["total"].as_u64();
    assert_eq!(cold["total"].as_u64().map(|cold| cold + 1), all);
    for none in ["proposed", "settled", "read", "dismissed"] {
        assert_eq!(page(&server, &format!("state={none}"))["total"], 0, "{none}");
    }
    dismiss(&server, quiet[0], "").has(200, json!({"state": "dismissed"}));
    assert_eq!(ids(&page(&server, "state=dismissed&q=quiet")), quiet);
    assert_eq!(page(&server, "state=open")["total"], 0);
}

#[test]
fn what_came_to_a_key_is_found_by_its_name() {
    let server = airline(&json!({}));
    let patch = server.wanted_by_many(&SEAT);
    let name = super::name_of(&patch);
    let found = page(&server, &format!("q={}&state=proposed", name.replace('_', "%20")));
    assert_eq!(found["total"], 1, "{found}");
    assert_eq!(found["clusters"][0]["triggers"][0]["patch_id"], patch["patch_id"]);
}

#[test]
fn a_cluster_is_told_with_what_it_lacks_and_what_lies_near_and_asked_for_again_z096_z171() {
    let server = said_by_some();
    let quiet = ids(&page(&server, "q=quiet"))[0];
    let path = format!("{SCENARIO}/pool/{quiet}");
    let read = |tag: Option<&str>| {
        let tag = tag.map(|tag| ("If-None-Match", tag));
        let headers: Vec<(&str, &str)> = tag.into_iter().chain([super::OLGA]).collect();
        server.call("GET", &path, &headers, "")
    };
    let told = read(None);
    told.has(
        200,
        json!({"id": quiet, "clients": 3, "state": "open", "phrases/0/text": "quiet cabin", "phrases/0/clients": 3}),
    );
    let words = told.body.to_string().to_lowercase();
    assert!(!words.contains("quuxville"), "{words}");
    let curve = told.body["heat_curve"].as_array().expect("a curve");
    assert_eq!(curve.len(), 1, "{curve:?}");
    assert!(
        curve[0]["heat"].as_f64() >= told.body["heat"].as_f64().map(|heat| heat - 1.0),
        "{}",
        told.body
    );
    let gate = |what: &str| {
        let gates = told.body["gates"].as_array().expect("gates");
        gates
            .iter()
            .find(|gate| gate["what"] == what)
            .expect("it is told")
            .clone()
    };
    has(&gate("clients"), json!({"needs": 3.0, "has": 3.0, "met": true}));
    has(&gate("heat"), json!({"needs": 50.0, "met": true}));
    has(&gate("fragments"), json!({"needs": 4.0, "has": 4.0, "met": true}));
    has(&gate("occurrence_clients"), json!({"met": true}));
    let near = told.body["near"].as_array().expect("neighbours");
    let cosines: Vec<f64> = near
        .iter()
        .map(|near| near["cosine"].as_f64().expect("a cosine"))
        .collect();
    assert!(
        !near.is_empty() && near.len() <= 5 && cosines.is_sorted_by(|one, other| one >= other),
        "{near:?}"
    );
    assert!(near.iter().all(|near| near["cluster"] != quiet), "{near:?}");

    let tag = told.headers["etag"].to_str().expect("a tag").to_owned();
    assert_eq!(told.headers["cache-control"], "private, no-cache");
    assert_eq!(read(Some(&tag)).status, 304);
    server.wish("f", "a quiet cabin please");
    read(Some(&tag)).has(200, json!({"clients": 4}));

    for unknown in ["999999", "01", "x", "-1"] {
        let path = format!("{SCENARIO}/pool/{unknown}");
        assert_eq!(server.get("olga", &path).told(), (404, "unknown_cluster"), "{unknown}");
        let dismissed = server.post(&format!("{path}:dismiss"), "");
        assert_eq!(dismissed.told(), (404, "unknown_cluster"), "{unknown}");
    }
    let nowhere = server.get("olga", "/v1/scenarios/nowhere/pool/1");
    assert_eq!(nowhere.told(), (404, "unknown_scenario"));
}

#[test]
fn what_is_no_wish_is_not_proposed_until_the_days_are_over_whatever_restarts_z093_z127() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data").display().to_string();
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let start = || {
        let set = |settings: &mut Settings| {
            settings.service.tick_s = 86_400;
            settings.data.folder.clone_from(&data);
        };
        Server::start(
            &[("template.json", flight(small_gates(&json!({}))))],
            set,
            under(&clock),
        )
    };
    let server = start();
    for (client, said) in [("agent-8", SEAT[0]), ("agent-9", SEAT[1]), ("agent-9", SEAT[2])] {
        server.wish(client, said);
    }
    let seat = ids(&page(&server, ""))[0];
    for (days, status) in [(-1, 400), (0, 400), (366, 400), (365, 200), (1, 200)] {
        let reply = dismiss(
            &server,
            seat,
            &json!({"days": days, "reason": "they mean the bus"}).to_string(),
        );
        assert_eq!(reply.status, status, "{days}: {}", reply.body);
    }
    for wrong in [r#"{"days": 1.5}"#, r#"{"until": "2026-05-02"}"#, r#"{"reason": 7}"#] {
        assert_eq!(dismiss(&server, seat, wrong).told(), (400, "bad_request"), "{wrong}");
    }
    let dismissed = json!({
        "state": "dismissed", "dismissed/until": "2026-05-02T08:00:00Z", "dismissed/since": "2026-05-01T08:00:00Z",
        "dismissed/by/principal": "olga", "dismissed/reason": "they mean the bus", "waits_for/code": "dismissed",
    });
    let shown = |server: &Server| server.get("olga", &format!("{SCENARIO}/pool/{seat}"));
    shown(&server).has(200, dismissed.clone());

    for (number, said) in SEAT.iter().enumerate() {
        server.wish(&format!("agent-{}", number % 5), said);
    }
    let quiet = |server: &Server| {
        server.tick();
        server.settle();
        assert_eq!(server.patches(), Vec::<Value>::new());
        shown(server).has(200, dismissed.clone());
    };
    quiet(&server);
    assert!(server.measured(r#"otherwise_waits{reason="dismissed",scenario="flight_booking"} 1"#));
    drop(server);
    let server = start();
    quiet(&server);
    clock.advance_ms(DAY_MS - 1);
    quiet(&server);
    clock.advance_ms(1);
    server.tick();
    server.settle();
    assert_eq!(server.patches().len(), 1, "{}", server.pool());
    let now = shown(&server).body;
    has(&now, json!({"state": "proposed"}));
    assert_eq!(now["dismissed"], Value::Null);
    // A key that is there is not touched by it; a read-only service notes nothing.
    dismiss(&server, seat, "").has(
        200,
        json!({"dismissed/until": "2026-06-01T08:00:00Z", "dismissed/reason": null}),
    );
    assert_eq!(server.patches()[0]["stage"], "experimental");
    assert_eq!(server.post("/v1/service:read-only", "").status, 200);
    assert_eq!(dismiss(&server, seat, "").told(), (503, "read_only"));
}
