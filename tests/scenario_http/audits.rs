//! Audits over HTTP and in the terminal: values are drawn, shown redacted, judged by a person once, and tell of the judge.

use std::io::Write;
use std::process::Output;
use std::process::Stdio;
use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;

use super::airline;
use super::flight;
use super::name_of;
use super::payload;
use super::small_gates;
use crate::support::child::program;
use crate::support::clock::VirtualClock;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::has;
use crate::support::wishes::SEAT;

/// A service that wants every value looked at, with a key on trial.
fn audited() -> (Server, Value) {
    let server = airline(&json!({"audit_share": 1.0}));
    let patch = server.wanted_by_many(&SEAT);
    (server, patch)
}

/// A booking with a value of the key.
fn said(server: &Server, key: &str, value: &Value, utterance: &str) {
    let mut payload = payload();
    payload[key] = value.clone();
    let body = json!({"schema_id": "flight_booking_v1", "payload": payload, "utterance": utterance}).to_string();
    let reply = server.call("POST", "/v1/submissions", &[("Otherwise-Client", "agent-9")], &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    server.settle();
}

/// A value that the key takes.
fn value(patch: &Value) -> Value {
    let key = &patch["new_keys"][0];
    match key["key_type"].as_str() {
        Some("boolean") => json!(true),
        _ => key["constraints"]["enum"]
            .as_array()
            .and_then(|values| values.iter().find(|value| *value != "none"))
            .cloned()
            .unwrap_or_else(|| json!("window")),
    }
}

fn audits(server: &Server, query: &str) -> Value {
    let reply = server.get("ada", &format!("/v1/audits{query}"));
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

fn answer(server: &Server, reviewer: &str, id: &str, body: &Value) -> Reply {
    let path = format!("/v1/audits/{id}");
    server.call("POST", &path, &[("Otherwise-Client", reviewer)], &body.to_string())
}

fn of_key(server: &Server, name: &str) -> Value {
    server.ledger()["keys"][name].clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn a_person_sees_a_drawn_value_redacted_and_judges_it_once_z137_z169() {
    let (server, patch) = audited();
    let name = name_of(&patch);
    said(
        &server,
        &name,
        &value(&patch),
        "a window seat please, mail me at ada@example.org",
    );
    let queue = audits(&server, "");
    assert_eq!((&queue["waiting"], &queue["next"]), (&json!(1), &Value::Null));
    let item = &queue["audits"][0];
    has(
        item,
        json!({"key/key_name": name, "key/key_type": patch["new_keys"][0]["key_type"]}),
    );
    assert!(!text(&item["key"]["semantic_description"]).is_empty());
    assert_eq!(item["value"], value(&patch));
    assert_eq!(item["utterance"], "a window seat please, mail me at [email]");
    assert_eq!(item["judged"], json!({"aligned": true, "basis": "lexical"}));
    assert_eq!((&item["gone"], &item["answer"]), (&json!(false), &Value::Null));
    let before = of_key(&server, &name);
    has(
        &before,
        json!({"aligned": 1, "judged": 1, "semantic_alignment_accuracy_interval/1": 1.0}),
    );

    let id = text(&item["id"]).to_owned();
    let verdict = json!({"verdict": "not_aligned", "reason": "not what was meant"});
    let reply = answer(&server, "ada", &id, &verdict);
    reply.has(
        200,
        json!({
            "answer/verdict": "not_aligned", "answer/by": "ada", "answer/reason": "not what was meant"
        }),
    );
    assert!(text(&reply.body["answer"]["at"]).ends_with('Z'));
    let again = answer(&server, "bea", &id, &json!({"verdict": "aligned"}));
    assert_eq!((again.status, text(&again.body["code"])), (409, "audited"));
    assert!(text(&again.body["detail"]).starts_with("ada looked"), "{}", again.body);
    assert_eq!(server.get("ada", &format!("/v1/audits/{id}")).body, reply.body);
    assert_eq!(audits(&server, "")["waiting"], json!(0));

    let after = of_key(&server, &name);
    has(
        &after,
        json!({"aligned": 0, "judged": 1, "basis/lexical": 0, "basis/audit": 1}),
    );
    let told = audits(&server, ":summary?scenario=flight_booking");
    let told = &told["scenarios"][0];
    has(
        told,
        json!({"verdicts": {"aligned": 0, "not_aligned": 1, "cannot_tell": 0}}),
    );
    let judge = &told["judges"]["lexical"];
    has(
        judge,
        json!({"audited": 1, "agreement": 0.0, "specificity_interval/0": 0.0, "sensitivity": null}),
    );
    let page = server.page("/metrics");
    for line in [
        r#"otherwise_audits_waiting{scenario="flight_booking"} 0"#,
        r#"otherwise_audits_total{scenario="flight_booking",verdict="not_aligned"} 1"#,
        r#"otherwise_audits_total{scenario="flight_booking",verdict="aligned"} 0"#,
    ] {
        assert!(page.lines().any(|said| said == line), "{line}");
    }
}

#[test]
fn the_queue_is_read_page_by_page_and_wrong_requests_are_told_so_z137() {
    let (server, patch) = audited();
    for n in 0..5 {
        said(&server, &name_of(&patch), &value(&patch), &format!("a window seat {n}"));
    }
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let page = audits(&server, &format!("?limit=2&scenario=flight_booking{after}"));
        assert_eq!(page["waiting"], json!(5));
        seen.extend(
            page["audits"]
                .as_array()
                .expect("values")
                .iter()
                .map(|item| text(&item["id"]).to_owned()),
        );
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 5);
    let mut sorted = seen.clone();
    sorted.dedup();
    assert_eq!(sorted, seen, "each once");
    for (path, status, code) in [
        ("/v1/audits?limit=0", 400, "bad_parameter"),
        ("/v1/audits?limit=201", 400, "bad_parameter"),
        ("/v1/audits?after=x", 400, "bad_parameter"),
        ("/v1/audits?scenario=nowhere", 404, "unknown_scenario"),
        ("/v1/audits:summary?scenario=nowhere", 404, "unknown_scenario"),
        ("/v1/audits/x", 404, "unknown_audit"),
        ("/v1/audits/flight_booking.p1.999999", 404, "unknown_audit"),
    ] {
        let reply = server.get("ada", path);
        assert_eq!((reply.status, text(&reply.body["code"])), (status, code), "{path}");
    }
    assert_eq!(server.get("ada", "/v1/audits?limit=200").status, 200);
    for body in [
        json!({}),
        json!({"verdict": "maybe"}),
        json!({"verdict": "aligned", "reason": "x".repeat(501)}),
    ] {
        let reply = answer(&server, "ada", &seen[0], &body);
        assert_eq!(
            (reply.status, text(&reply.body["code"])),
            (400, "bad_request"),
            "{body}"
        );
    }
    let reply = answer(
        &server,
        "ada",
        &seen[0],
        &json!({"verdict": "aligned", "reason": "x".repeat(500)}),
    );
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[test]
fn what_retention_erased_is_gone_from_the_queue_and_an_answer_stays_z137_z167() {
    let clock = Arc::new(VirtualClock::at(At(1_780_000_000_000)));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    };
    let template = flight(small_gates(&json!({"audit_share": 1.0})));
    let set = |settings: &mut otherwise::config::Settings| {
        settings.service.texts_kept_days = 2;
        settings.service.tick_s = 3_600;
    };
    let server = Server::start(&[("template.json", template)], set, parts);
    let patch = server.wanted_by_many(&SEAT);
    said(&server, &name_of(&patch), &value(&patch), "a window seat");
    said(&server, &name_of(&patch), &value(&patch), "window seat");
    let queue = audits(&server, "");
    let ids: Vec<&str> = queue["audits"]
        .as_array()
        .expect("values")
        .iter()
        .map(|item| text(&item["id"]))
        .collect();
    let [answered, waits] = ids[..] else {
        panic!("two wait: {queue}")
    };
    assert_eq!(
        answer(&server, "ada", answered, &json!({"verdict": "aligned"})).status,
        200
    );
    clock.advance_ms(3 * DAY_MS);
    server.tick();
    server.settle();
    assert_eq!(audits(&server, "")["waiting"], json!(0));
    let reply = answer(&server, "ada", waits, &json!({"verdict": "aligned"}));
    assert_eq!((reply.status, text(&reply.body["code"])), (404, "unknown_audit"));
    let shown = server.get("ada", &format!("/v1/audits/{answered}")).body;
    has(
        &shown,
        json!({"gone": true, "value": null, "utterance": null, "answer/by": "ada"}),
    );
}

/// `otherwise audit` against a server, with these lines at its standard input.
fn terminal(server: &Server, arguments: &[&str], lines: &str) -> Output {
    let mut child = program(&[&["audit", "--url", server.base(), "--name", "ada"], arguments].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = child.stdin.take().expect("a pipe");
    // It may end before it has read everything.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    child.wait_with_output().expect("it ends")
}

#[test]
fn the_queue_is_worked_through_in_the_terminal_or_by_a_pipe_z137() {
    let (server, patch) = audited();
    for n in 0..4 {
        said(&server, &name_of(&patch), &value(&patch), &format!("a window seat {n}"));
    }
    let listed = terminal(&server, &["--json"], "");
    assert_eq!(listed.status.code(), Some(0));
    let document: Value = serde_json::from_slice(&listed.stdout).expect("one document");
    has(&document, json!({"command": "audit", "waiting": 4}));
    assert_eq!(document["audits"].as_array().map(Vec::len), Some(4));
    let first = text(&document["audits"][0]["id"]).to_owned();

    let worked = terminal(
        &server,
        &["--scenario", "flight_booking"],
        "what?\nn the aisle was meant\ns\na\nq\n",
    );
    let (said, shown) = (
        String::from_utf8_lossy(&worked.stdout).into_owned(),
        String::from_utf8_lossy(&worked.stderr).into_owned(),
    );
    assert_eq!(worked.status.code(), Some(0), "{shown}");
    assert_eq!(said, "2 answered, 1 skipped, 0 not taken\n");
    assert!(
        shown.contains("a window seat 0") && shown.contains("a, n, c, s or q, please"),
        "{shown}"
    );
    let answered = server.get("ada", &format!("/v1/audits/{first}")).body;
    has(
        &answered,
        json!({
            "answer/verdict": "not_aligned", "answer/by": "ada", "answer/reason": "the aisle was meant"
        }),
    );
    assert_eq!(audits(&server, "")["waiting"], json!(2));

    let ended = terminal(&server, &[], "c\n");
    assert_eq!(
        String::from_utf8_lossy(&ended.stdout),
        "1 answered, 0 skipped, 0 not taken\n",
        "the end of input ends it"
    );
    let unknown = terminal(&server, &["--scenario", "nowhere"], "");
    assert_eq!(unknown.status.code(), Some(2));
    let nobody = program(&["audit", "--url", "http://127.0.0.1:1", "--json"])
        .output()
        .expect("it runs");
    assert_eq!(nobody.status.code(), Some(3));
    let no_key = program(&["audit", "--key-env", "OTHERWISE_NO_SUCH_KEY"])
        .output()
        .expect("it runs");
    assert_eq!(no_key.status.code(), Some(2));
}
