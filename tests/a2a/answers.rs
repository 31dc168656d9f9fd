//! What a message is answered with: dry runs, stored replies, what goes on with a task, and what cannot be read.

use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::DONE;
use super::OLGA;
use super::VERSION;
use super::WAITS;
use super::error;
use super::field;
use super::guests;
use super::message;
use super::refused;
use super::reply;
use super::rest;
use super::result;
use super::say;
use super::send;
use super::server;
use super::state;
use super::table;
use super::task_in;

/// A booking with this member beside its payload, as a part.
fn with(count: impl Into<Value>, name: &str, value: impl Into<Value>) -> Value {
    let mut body = guests(count);
    body[name] = value.into();
    json!([{ "data": body }])
}

#[test]
fn a_dry_run_is_told_what_the_submission_would_be_told_and_leaves_nothing() {
    let server = server();
    for read_only in [false, true] {
        if read_only {
            assert_eq!(server.call("POST", "/v1/service:read-only", &[OLGA], "{}").status, 200);
        }
        let fits = send(&server, with(2, "dry_run", true));
        let exchange = &fits["message"]["parts"][1]["data"]["exchange"];
        assert_eq!(exchange["status"], "accepted", "{fits}");
        assert!(exchange.get("submission_id").is_none(), "{fits}");
        let told = send(&server, with("many", "dry_run", true));
        let problem = &told["message"]["parts"][1]["data"];
        assert_eq!(problem["violations"][0]["pointer"], "/payload/guests", "{told}");
    }
    assert_eq!(result(&server, ADA, "ListTasks", &json!({}))["totalSize"], 0);
    assert_eq!(refused(&server, table(2))["code"], 50306, "nothing is recorded now");
    assert_eq!(server.call("POST", "/v1/service:read-write", &[OLGA], "{}").status, 200);
    let problem = |answer: &Value| answer["parts"][1]["data"]["detail"].clone();
    for (name, value) in [("revision", json!(99_999)), ("pinned", json!(true))] {
        let sent = send(&server, with(2, name, value.clone()));
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_REJECTED", "{sent}");
        let mut tried = with(2, name, value);
        tried[0]["data"]["dry_run"] = json!(true);
        let told = problem(&send(&server, tried)["message"]);
        assert!(
            told.is_string() && told == problem(&sent["task"]["status"]["message"]),
            "{told}"
        );
    }
    // What is no submission is an error, and begins no task.
    for (name, value) in [
        ("revision", json!("1")),
        ("utterance", json!(5)),
        ("payload", json!(null)),
    ] {
        for dry_run in [false, true] {
            let mut parts = with(2, name, value.clone());
            parts[0]["data"]["dry_run"] = json!(dry_run);
            parts[0]["data"]
                .as_object_mut()
                .expect("an object")
                .retain(|_, value| !value.is_null());
            assert_eq!(refused(&server, parts)["code"], -32602, "{name}");
        }
    }
    let mut keyed = with(2, "dry_run", true);
    keyed[0]["data"]["idempotency_key"] = json!("k");
    assert_eq!(refused(&server, keyed)["code"], -32602, "a dry run has no key");
    let task = task_in(&server, ADA, WAITS);
    let answer = say(&server, &task, with(2, "dry_run", true));
    assert_eq!(answer["message"]["contextId"], task["contextId"], "{answer}");
}

#[test]
fn a_task_goes_on_with_the_scenario_that_it_was_begun_for() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let flight = json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": 2}});
    let other = reply(&task["id"], json!([{ "data": flight }]));
    let other = error(&server, ADA, "SendMessage", &other);
    assert_eq!((&other["code"], field(&other)), (&json!(-32602), "message.parts"));
    assert_eq!(state(&server, &task["id"]), WAITS);
}

#[test]
fn a_stored_reply_says_so_and_what_is_mended_comes_under_a_new_key() {
    let server = server();
    for (count, key, place) in [
        (json!(2), "k-1", "/artifacts/0/parts/0/data/exchange/replayed"),
        (json!("many"), "k-2", "/status/message/parts/1/data/exchange/replayed"),
    ] {
        let replayed = || {
            let sent = send(&server, with(count.clone(), "idempotency_key", key));
            sent["task"].pointer(place).cloned()
        };
        assert_eq!([replayed(), replayed()], [None, Some(json!(true))], "{key}");
    }
    let headers = [ADA, VERSION, ("Idempotency-Key", "k-3")];
    let by_rest = server.call("POST", "/a2a/message:send", &headers, &message(table(2)).to_string());
    assert_eq!(by_rest.status, 400, "{}", by_rest.body);
    assert!(by_rest.body["error"]["message"].to_string().contains("idempotency_key"));
    let sent = send(&server, with("many", "idempotency_key", "k-3"))["task"].clone();
    assert_eq!(sent["status"]["state"], WAITS);
    let again = say(&server, &sent, with(2, "idempotency_key", "k-3"));
    let status = &again["task"]["status"];
    let problem = &status["message"]["parts"][1]["data"];
    assert_eq!(
        (&status["state"], &problem["code"]),
        (&json!(WAITS), &json!("idempotency_mismatch"))
    );
    assert!(problem["detail"].to_string().contains("takes a new one"), "{again}");
    let mended = say(&server, &sent, with(2, "idempotency_key", "k-4"));
    assert_eq!(mended["task"]["status"]["state"], DONE, "{mended}");
    // One that is begun so never was anything else.
    let begun = send(&server, with(3, "idempotency_key", "k-4"));
    assert_eq!(begun["task"]["status"]["state"], "TASK_STATE_REJECTED", "{begun}");
}

#[test]
fn retries_at_once_under_one_key_are_all_answered_what_the_first_was_answered() {
    let server = server();
    let one = || send(&server, with(2, "idempotency_key", "r"))["task"].clone();
    let tasks: Vec<Value> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a task"))
            .collect()
    });
    let id = |task: &Value| task["artifacts"][0]["parts"][0]["data"]["exchange"]["submission_id"].clone();
    for task in &tasks {
        assert_eq!(task["status"]["state"], DONE, "{task}");
        assert_eq!(id(task), id(&tasks[0]));
    }
}

#[test]
fn what_cannot_be_read_or_is_nowhere_is_told_in_the_form_of_the_protocol() {
    let server = server();
    for (path, body, says) in [
        ("/message:send", "{\"message\":\n  {,}}", "line 2 column 4"),
        ("/message:stream", "{", "line 1 column 1"),
        ("/tasks/t/pushNotificationConfigs", "{\"url\": }", "line 1 column 9"),
        ("/message:send", "[]", "must be a JSON object"),
    ] {
        let said = server.call("POST", &format!("/a2a{path}"), &[ADA, VERSION], body);
        assert_eq!(said.status, 400, "{}", said.body);
        assert!(said.body.to_string().contains(says), "{path}: {}", said.body);
    }
    for (query, status) in [
        ("?nope=1", 400),
        ("?page_size=2", 200),
        ("?contextId=a&historyLength=1", 200),
    ] {
        let reply = rest(&server, ADA, "GET", &format!("/tasks{query}"), &Value::Null);
        assert_eq!(reply.status, status, "{query}");
    }
    for (method, path, status, grpc) in [
        ("GET", "/a2a/nope", 404, "NOT_FOUND"),
        ("PUT", "/a2a/tasks", 405, "INVALID_ARGUMENT"),
        ("GET", "/a2a", 405, "INVALID_ARGUMENT"),
    ] {
        let reply = server.call(method, path, &[ADA, VERSION], "");
        let told = (reply.status, &reply.body["error"]["status"]);
        assert_eq!(told, (status, &json!(grpc)), "{method} {path}: {}", reply.body);
        assert_eq!(reply.headers.contains_key("allow"), status == 405);
    }
    assert_eq!(server.call("GET", "/a2ab", &[], "").body["code"], "not_found");
}

#[test]
fn the_drafts_request_as_a_data_part_is_answered_with_its_template_z008_z173_z182() {
    let server = server();
    let figure: Value = serde_json::from_str(include_str!("../golden/figure_6.json")).expect("JSON");
    let sent = send(&server, json!([{ "data": figure }]));
    let served = &sent["message"]["parts"][1]["data"];
    assert_eq!(served["outcome"], "match", "{sent}");
    let template = server
        .call("GET", "/v1/scenarios/flight_booking/template", &[ADA], "")
        .body;
    assert_eq!(served["template"], template);
    let request = |params: Value| json!([{"data": {"method": "get_schema_template", "params": params}}]);
    for (params, place) in [
        (json!({}), "scenario"),
        (json!({"scenario": "flight_booking", "as_of": 1}), "as_of"),
        (json!({"scenario": "flight_booking", "version": 7}), "version"),
    ] {
        let error = refused(&server, request(params));
        assert_eq!(field(&error), format!("message.parts[0].data.params.{place}"));
    }
    assert_eq!(
        refused(&server, request(json!({"scenario": "boat_trip"})))["code"],
        40403
    );
    // Another method is no request for a template, and a submission beside one is what counts.
    let other = send(&server, json!([{"data": {"method": "list_scenarios", "params": {}}}]));
    assert_eq!(
        other["message"]["parts"][1]["data"]["outcome"], "no_submission",
        "{other}"
    );
    let mut both = table(2);
    both.as_array_mut().expect("parts").push(json!({ "data": figure }));
    assert_eq!(send(&server, both)["task"]["status"]["state"], DONE);
}
