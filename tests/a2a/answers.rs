//! What a message is answered with: dry runs, stored replies, what goes on with a task, and what cannot be read.

use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::DONE;
use super::VERSION;
use super::WAITS;
use super::error;
use super::guests;
use super::message;
use super::reply;
use super::rest;
use super::result;
use super::server;
use super::state;
use super::task_in;

#[test]
fn a_dry_run_is_answered_at_once_and_leaves_nothing() {
    let server = server();
    let mut tried = guests(&json!(2));
    tried["dry_run"] = json!(true);
    let olga = ("Otherwise-Client", "olga");
    for read_only in [false, true] {
        if read_only {
            assert_eq!(server.call("POST", "/v1/service:read-only", &[olga], "{}").status, 200);
        }
        let fits = result(&server, ADA, "SendMessage", &message(json!([{ "data": tried }])));
        let reply = &fits["message"]["parts"][1]["data"];
        assert_eq!(reply["exchange"]["status"], "accepted", "{fits}");
        assert!(reply["exchange"].get("submission_id").is_none(), "{fits}");
        let mut wrong = tried.clone();
        wrong["payload"]["guests"] = json!("many");
        let told = result(&server, ADA, "SendMessage", &message(json!([{ "data": wrong }])));
        let problem = &told["message"]["parts"][1]["data"];
        assert_eq!(problem["code"], "invalid_payload", "{told}");
        assert!(problem["violations"][0]["pointer"].is_string(), "{told}");
    }
    assert_eq!(result(&server, ADA, "ListTasks", &json!({}))["totalSize"], 0);
    let mut keyed = tried;
    keyed["idempotency_key"] = json!("k");
    let refused = error(&server, ADA, "SendMessage", &message(json!([{ "data": keyed }])));
    assert_eq!(refused["code"], -32602, "a dry run has no key: {refused}");
}

#[test]
fn a_dry_run_is_told_what_the_submission_would_be_told_and_in_the_context_of_its_task() {
    let server = server();
    let problem = |answer: &Value| answer["parts"][1]["data"]["detail"].clone();
    for wrong in [json!({"revision": 99_999}), json!({"pinned": true})] {
        let mut body = guests(&json!(2));
        for (name, value) in wrong.as_object().expect("an object") {
            body[name] = value.clone();
        }
        let sent = result(&server, ADA, "SendMessage", &message(json!([{ "data": body }])));
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_REJECTED", "{sent}");
        body["dry_run"] = json!(true);
        let tried = result(&server, ADA, "SendMessage", &message(json!([{ "data": body }])));
        let told = problem(&tried["message"]);
        assert!(told.is_string(), "{tried}");
        assert_eq!(told, problem(&sent["task"]["status"]["message"]), "{wrong}");
    }
    // What is no submission is an error, and begins no task.
    for (name, value) in [
        ("revision", json!("1")),
        ("utterance", json!(5)),
        ("payload", Value::Null),
    ] {
        for dry_run in [false, true] {
            let mut body = guests(&json!(2));
            body["dry_run"] = json!(dry_run);
            body[name] = value.clone();
            if value.is_null() {
                body.as_object_mut().expect("an object").shift_remove(name);
            }
            let refused = error(&server, ADA, "SendMessage", &message(json!([{ "data": body }])));
            assert_eq!(refused["code"], -32602, "{name}: {refused}");
        }
    }
    let task = task_in(&server, ADA, WAITS);
    let mut tried = guests(&json!(2));
    tried["dry_run"] = json!(true);
    let answer = result(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{ "data": tried }])),
    );
    assert_eq!(answer["message"]["contextId"], task["contextId"], "{answer}");
}

#[test]
fn a_task_goes_on_with_the_scenario_that_it_was_begun_for() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let flight = json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": 2}});
    let other = error(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{ "data": flight }])),
    );
    assert_eq!(other["code"], -32602, "{other}");
    assert_eq!(other["data"][1]["fieldViolations"][0]["field"], "message.parts");
    assert_eq!(state(&server, &task["id"]), WAITS);
}

#[test]
fn a_stored_reply_says_so_and_the_header_is_not_passed_over() {
    let server = server();
    let mut body = guests(&json!(2));
    body["idempotency_key"] = json!("k-1");
    let sent = message(json!([{ "data": body }]));
    let replayed = || {
        let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
        task["artifacts"][0]["parts"][0]["data"]["exchange"]["replayed"].clone()
    };
    assert_eq!([replayed(), replayed()], [Value::Null, json!(true)]);
    body["payload"]["guests"] = json!("many");
    body["idempotency_key"] = json!("k-2");
    let wrong = message(json!([{ "data": body }]));
    let replayed = || {
        let task = result(&server, ADA, "SendMessage", &wrong)["task"].clone();
        task["status"]["message"]["parts"][1]["data"]["exchange"]["replayed"].clone()
    };
    assert_eq!([replayed(), replayed()], [Value::Null, json!(true)]);
    let headers = [ADA, VERSION, ("Idempotency-Key", "k-3")];
    let by_rest = server.call("POST", "/a2a/message:send", &headers, &sent.to_string());
    assert_eq!(by_rest.status, 400, "{}", by_rest.body);
    assert!(
        by_rest.body["error"]["message"]
            .as_str()
            .is_some_and(|what| what.contains("idempotency_key"))
    );
}

#[test]
fn a_task_that_waits_goes_on_waiting_where_what_is_mended_comes_under_the_old_key() {
    let server = server();
    let keyed = |count: Value, key: &str| {
        let mut body = guests(&count);
        body["idempotency_key"] = json!(key);
        json!([{ "data": body }])
    };
    let sent = result(&server, ADA, "SendMessage", &message(keyed(json!("many"), "k-1")));
    let waits = |answer: &Value| {
        assert_eq!(
            answer["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
            "{answer}"
        )
    };
    waits(&sent);
    let id = &sent["task"]["id"];
    let again = result(&server, ADA, "SendMessage", &reply(id, keyed(json!(2), "k-1")));
    waits(&again);
    let problem = &again["task"]["status"]["message"]["parts"][1]["data"];
    assert_eq!(problem["code"], "idempotency_mismatch", "{again}");
    assert!(
        problem["detail"]
            .as_str()
            .is_some_and(|what| what.contains("takes a new one"))
    );
    let mended = result(&server, ADA, "SendMessage", &reply(id, keyed(json!(2), "k-2")));
    assert_eq!(mended["task"]["status"]["state"], DONE, "{mended}");
    // One that is begun so never was anything else.
    let begun = result(&server, ADA, "SendMessage", &message(keyed(json!(3), "k-2")));
    assert_eq!(begun["task"]["status"]["state"], "TASK_STATE_REJECTED", "{begun}");
}

#[test]
fn what_is_not_json_is_told_by_its_line_and_column() {
    let server = server();
    for (path, body, at) in [
        ("/message:send", "{\"message\":\n  {,}}", "line 2 column 4"),
        ("/message:stream", "{", "line 1 column 1"),
        ("/tasks/t/pushNotificationConfigs", "{\"url\": }", "line 1 column 9"),
    ] {
        let said = server.call("POST", &format!("/a2a{path}"), &[ADA, VERSION], body);
        assert_eq!(said.status, 400, "{}", said.body);
        let told = said.body.to_string();
        assert!(told.contains("cannot be parsed") && told.contains(at), "{path}: {told}");
    }
    let said = server.call("POST", "/a2a/message:send", &[ADA, VERSION], "[]");
    assert!(said.body.to_string().contains("must be a JSON object"), "{}", said.body);
}

#[test]
fn a_parameter_that_nobody_knows_is_refused() {
    let server = server();
    let status = |query: &str| rest(&server, ADA, "GET", &format!("/tasks{query}"), &Value::Null).status;
    assert_eq!(status("?nope=1"), 400);
    for query in ["", "?pageSize=2", "?page_size=2", "?contextId=a&historyLength=1"] {
        assert_eq!(status(query), 200, "{query}");
    }
}

#[test]
fn retries_at_once_under_one_key_are_all_answered_what_the_first_was_answered() {
    let server = server();
    for round in 0..3 {
        let mut body = guests(&json!(2));
        body["idempotency_key"] = json!(format!("r-{round}"));
        let sent = message(json!([{ "data": body }]));
        let tasks: Vec<Value> = std::thread::scope(|scope| {
            let one = || result(&server, ADA, "SendMessage", &sent)["task"].clone();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a task"))
                .collect()
        });
        let id = |task: &Value| task["artifacts"][0]["parts"][0]["data"]["exchange"]["submission_id"].clone();
        for task in &tasks {
            assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
            assert_eq!(id(task), id(&tasks[0]));
        }
    }
}

#[test]
fn an_address_where_there_is_nothing_is_answered_in_the_form_of_the_protocol() {
    let server = server();
    for (method, path, status, grpc) in [
        ("GET", "/a2a/nope", 404, "NOT_FOUND"),
        ("PUT", "/a2a/tasks", 405, "INVALID_ARGUMENT"),
        ("GET", "/a2a", 405, "INVALID_ARGUMENT"),
    ] {
        let reply = server.call(method, path, &[ADA, VERSION], "");
        assert_eq!(
            (reply.status, &reply.body["error"]["status"]),
            (status, &json!(grpc)),
            "{method} {path}: {}",
            reply.body
        );
        assert_eq!(reply.headers.contains_key("allow"), status == 405);
    }
    let other = server.call("GET", "/a2ab", &[], "");
    assert_eq!(other.body["code"], "not_found");
}

#[test]
fn nothing_begins_while_nothing_may_be_written_and_tasks_are_still_shown() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let olga = ("Otherwise-Client", "olga");
    assert_eq!(server.call("POST", "/v1/service:read-only", &[olga], "{}").status, 200);
    let refused = error(
        &server,
        ADA,
        "SendMessage",
        &message(json!([{"data": guests(&json!(2))}])),
    );
    assert_eq!(refused["code"], 50306);
    assert_eq!(state(&server, &task["id"]), WAITS);
}
