//! Messages: submissions and wishes, what is wrong with them, and which version is spoken.

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::ACTIVATED;
use super::ADA;
use super::CONTRACT;
use super::VERSION;
use super::closed;
use super::error;
use super::events;
use super::guests;
use super::message;
use super::reply;
use super::rest;
use super::result;
use super::rpc;
use super::server;
use crate::support::server::Server;

fn artifact(task: &Value) -> Value {
    task["artifacts"][0]["parts"][0]["data"].clone()
}

/// A reply without what is of one submission alone.
fn nameless(mut reply: Value) -> Value {
    if let Some(exchange) = reply["exchange"].as_object_mut() {
        exchange.shift_remove("submission_id");
    }
    reply
}

#[test]
fn a_submission_is_answered_through_both_bindings_as_http_answers_it() {
    let server = server();
    let booking = json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": 2.0}});
    let by_http = server.call("POST", "/v1/submissions", &[ADA], &booking.to_string());
    assert_eq!(by_http.status, 200, "{}", by_http.body);
    let sent = message(json!([{"data": booking}]));
    let by_rpc = result(&server, ADA, "SendMessage", &sent);
    let by_rest = rest(&server, ADA, "POST", "/message:send", &sent);
    assert_eq!(by_rest.status, 200);
    assert_eq!(by_rest.headers["content-type"], "application/json");
    for task in [&by_rpc["task"], &by_rest.body["task"]] {
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
        assert_eq!(nameless(artifact(task)), nameless(by_http.body.clone()));
        assert_eq!(task["history"][0]["taskId"], task["id"]);
    }
    let own = [ADA, VERSION, ("Accept", "application/a2a+json")];
    let mirrored = server.call("POST", "/a2a/message:send", &own, &sent.to_string());
    assert_eq!(mirrored.headers["content-type"], "application/a2a+json");
    assert_eq!(
        server.call("POST", "/a2a/", &[ADA, VERSION], "{").body["error"]["code"],
        -32700
    );
}

#[test]
fn what_stands_twice_or_is_large_reaches_the_check_as_it_was_sent() {
    let server = server();
    for payload in [
        r#"{"guests":2,"guests":3}"#,
        r#"{"guests":12345678901234567890123}"#,
        r#"{"guests":1e400}"#,
    ] {
        let data = format!(r#"{{"schema_id":"table_booking_v1","payload":{payload}}}"#);
        let (by_http, text) = server.call_with_text("POST", "/v1/submissions", &[ADA], &data);
        let message = format!(r#"{{"messageId":"m","role":"ROLE_USER","parts":[{{"data":{data}}}]}}"#);
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{{"message":{message}}}}}"#);
        let (by_rpc, told) = server.call_with_text("POST", "/a2a", &[ADA, VERSION, ACTIVATED], &body);
        if by_http.status == 200 {
            let payload = text.split(",\"exchange\"").next().expect("a payload");
            assert!(told.contains(payload), "{payload} in {told}");
        } else {
            let refusal = &by_rpc.body["error"]["data"][2];
            assert_eq!(refusal["violations"], by_http.body["violations"], "{told}");
        }
    }
}

#[test]
fn a_part_names_its_schema_by_type_and_version_p009_p011_p014_p038() {
    let server = server();
    let typed =
        |metadata: Value| message(json!([{"text": "a table for two"}, {"data": {"guests": 2}, "metadata": metadata}]));
    for metadata in [
        json!({"type": "table_booking_v1", "schemaVersion": "1.0"}),
        json!({"type": "table_booking", "schemaVersion": "1.7.3"}),
        json!({"type": "Table Booking"}),
    ] {
        let sent = result(&server, ADA, "SendMessage", &typed(metadata.clone()));
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{metadata}");
        assert_eq!(artifact(&sent["task"])["exchange"]["schema_id"], "table_booking_v1");
    }
    let higher = error(
        &server,
        ADA,
        "SendMessage",
        &typed(json!({"type": "table_booking", "schemaVersion": "2.0"})),
    );
    assert_eq!(higher["code"], -32602);
    let violation = &higher["data"][1]["fieldViolations"][0];
    assert_eq!(
        violation["field"], "message.parts[1].metadata.schemaVersion",
        "{higher}"
    );
}

#[test]
fn what_is_said_beside_a_whole_submission_must_be_what_it_says_p009_p013_p014_p016() {
    let server = server();
    let whole = |metadata: &Value| message(json!([{"data": guests(&json!(2)), "metadata": metadata}]));
    for metadata in [
        json!({"type": "table_booking", "schemaVersion": "1.9"}),
        json!({"type": "table_booking_v1", "required": true}),
        json!({"schemaVersion": "1.0"}),
    ] {
        let sent = result(&server, ADA, "SendMessage", &whole(&metadata));
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{metadata}");
    }
    for (metadata, member) in [
        (
            json!({"type": "table_booking", "schemaVersion": "9.0"}),
            "schemaVersion",
        ),
        (json!({"schemaVersion": "9.0"}), "schemaVersion"),
        (
            json!({"type": "table_booking", "schemaVersion": "garbage"}),
            "schemaVersion",
        ),
        (json!({"type": "flight_booking", "schemaVersion": "1.0"}), "type"),
        (json!({"type": "zebra", "required": true}), "type"),
    ] {
        let refused = error(&server, ADA, "SendMessage", &whole(&metadata));
        let field = &refused["data"][1]["fieldViolations"][0]["field"];
        assert_eq!(*field, format!("message.parts[0].metadata.{member}"), "{refused}");
    }
    let unknown = result(&server, ADA, "SendMessage", &whole(&json!({"type": "zebra"})));
    assert_eq!(unknown["message"]["metadata"]["skipped"][0]["part"], 0, "{unknown}");
    let told = unknown["message"]["parts"][0]["text"].as_str().unwrap_or_default();
    assert!(
        told.contains(" Part 0 was passed over: no schema or scenario of its type"),
        "{told}"
    );
}

#[test]
fn an_answer_that_nobody_accepts_is_not_made() {
    let server = server();
    let mut sent = message(json!([{"data": guests(&json!(2))}]));
    sent["configuration"] = json!({"acceptedOutputModes": ["image/png"]});
    let refused = error(&server, ADA, "SendMessage", &sent);
    assert_eq!(
        (&refused["code"], &refused["data"][0]["reason"]),
        (&json!(-32005), &json!("CONTENT_TYPE_NOT_SUPPORTED")),
        "{refused}"
    );
    assert_eq!(rest(&server, ADA, "POST", "/message:send", &sent).status, 400);
    sent["configuration"] = json!({"acceptedOutputModes": ["image/png", "text/*"]});
    assert!(result(&server, ADA, "SendMessage", &sent)["task"].is_object());
}

#[test]
fn a_pinned_part_is_judged_by_the_schema_of_its_revision_though_a_newer_one_is_there_p012() {
    let server = server();
    let template = || {
        server
            .call("GET", "/v1/scenarios/table_booking/template", &[ADA], "")
            .body
    };
    let held = template()["revision"].clone();
    let mut next = server.call("GET", "/v1/schemas/table_booking_v1", &[], "").body;
    next["schema_id"] = json!("table_booking_v1_3");
    next["version"] = json!("1.3.0");
    let published = server.call("PUT", "/v1/schemas/table_booking_v1_3", &[], &next.to_string());
    assert_eq!(published.status, 201, "{}", published.body);
    let now = template()["revision"].clone();
    for version in [json!("1.2"), Value::Null] {
        for (revision, expected) in [(&held, "table_booking_v1"), (&now, "table_booking_v1_3")] {
            let metadata =
                json!({"type": "table_booking", "schemaVersion": version, "revision": revision, "pinned": true});
            let sent = message(json!([{"data": {"guests": 2}, "metadata": metadata}]));
            let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
            assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
            assert_eq!(artifact(&task)["exchange"]["schema_id"], expected, "{metadata}");
        }
    }
}

#[test]
fn a_part_of_another_type_is_passed_over_and_named_p016() {
    let server = server();
    let history = json!({"data": [{"role": "user", "content": "hi"}],
                         "metadata": {"type": "ConversationHistory", "schemaVersion": "1.0"}});
    let sent = result(
        &server,
        ADA,
        "SendMessage",
        &message(json!([history, {"data": guests(&json!(2))}])),
    );
    let task = &sent["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(task["status"]["message"]["metadata"]["skipped"][0]["part"], 0, "{task}");
    let sent = result(&server, ADA, "SendMessage", &message(json!([history])));
    assert_eq!(
        sent["message"]["parts"][1]["data"]["outcome"], "no_submission",
        "{sent}"
    );
}

#[test]
fn a_refused_payload_waits_in_its_task_for_one_that_is_mended() {
    let server = server();
    let sent = result(
        &server,
        ADA,
        "SendMessage",
        &message(json!([{"data": guests(&json!("many"))}])),
    );
    let task = &sent["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let parts = &task["status"]["message"]["parts"];
    assert_eq!(parts[1]["mediaType"], "application/problem+json");
    assert_eq!(parts[1]["data"]["violations"][0]["key"], "guests", "{parts}");
    let mended = reply(&task["id"], json!([{"data": guests(&json!(4))}]));
    let done = result(&server, ADA, "SendMessage", &mended);
    assert_eq!(done["task"]["id"], task["id"]);
    assert_eq!(done["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let roles: Vec<&Value> = done["task"]["history"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|said| &said["role"])
        .collect();
    assert_eq!(roles, ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]);
    let late = error(&server, ADA, "SendMessage", &mended);
    assert_eq!(
        (&late["code"], &late["data"][0]["reason"]),
        (&json!(-32004), &json!("UNSUPPORTED_OPERATION"))
    );
}

#[test]
fn who_activates_the_contract_is_told_violations_as_an_error() {
    let server = server();
    let params = message(json!([{"data": guests(&json!("many"))}]));
    let refused = rpc(&server, &[ADA, ACTIVATED], "SendMessage", &params);
    assert_eq!(refused.headers["a2a-extensions"], CONTRACT);
    let told = &refused.body["error"];
    assert_eq!(told["code"], -32602);
    let refusal = &told["data"][2];
    assert_eq!(refusal["@type"], format!("{CONTRACT}/Refusal"));
    assert_eq!(refusal["violations"][0]["pointer"], "/payload/guests", "{told}");
    assert_eq!(refusal["exchange"]["status"], "refused");
    let task = result(&server, ADA, "GetTask", &json!({"id": refusal["taskId"]}));
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");

    let headers = [ADA, VERSION, ACTIVATED];
    let by_rest = server.call("POST", "/a2a/message:send", &headers, &params.to_string());
    assert_eq!(
        (by_rest.status, &by_rest.body["error"]["status"]),
        (400, &json!("INVALID_ARGUMENT"))
    );
    assert_eq!(by_rest.body["error"]["details"][2]["violations"], refusal["violations"]);
    assert_eq!(by_rest.headers["a2a-extensions"], CONTRACT);

    let good = rpc(
        &server,
        &[ADA, ACTIVATED],
        "SendMessage",
        &message(json!([{"data": guests(&json!(2))}])),
    );
    assert_eq!(
        good.body["result"]["task"]["artifacts"][0]["extensions"],
        json!([CONTRACT])
    );
    let other = rpc(
        &server,
        &[ADA, ("A2A-Extensions", "https://example.com/v1")],
        "SendMessage",
        &params,
    );
    assert!(other.body.get("result").is_some() && !other.headers.contains_key("a2a-extensions"));
}

#[test]
fn a_wish_is_answered_in_a_form_that_its_client_can_take_z182() {
    let server = server();
    let wish = |capabilities: Value| {
        let mut sent = message(json!([{"text": "I want to book a flight to Shanghai"}]));
        sent["message"]["metadata"] = json!({ "capabilities": capabilities });
        sent
    };
    let takes = wish(json!({"formats": ["protobuf", "typescript"], "streaming": true}));
    let sent = result(&server, ADA, "SendMessage", &takes);
    let template = &sent["message"]["parts"][1]["data"]["template"];
    assert_eq!(template["format"], "typescript", "{sent}");
    assert_eq!(
        template["capabilities"],
        json!({"ignored": ["formats.protobuf", "streaming"]})
    );
    let plain = result(&server, ADA, "SendMessage", &wish(json!({"formats": ["template"]})));
    let template = &plain["message"]["parts"][1]["data"]["template"];
    assert_eq!(
        (&template["schema_id"], template.get("capabilities")),
        (&json!("flight_booking_v1"), None)
    );
    let refused = error(&server, ADA, "SendMessage", &wish(json!("typescript")));
    assert_eq!(refused["code"], -32602, "{refused}");
    assert!(
        refused.to_string().contains("message.metadata.capabilities"),
        "{refused}"
    );
}

#[test]
fn a_wish_is_answered_with_the_schema_that_its_client_names_z182() {
    let server = server();
    let wish = |metadata: Value| {
        let mut sent = message(json!([{"text": "I want to book a flight to Shanghai"}]));
        sent["message"]["metadata"] = metadata;
        sent
    };
    for named in [json!({"schema_id": "flight_booking_v1"}), json!({"version": "1.0.0"})] {
        let sent = result(&server, ADA, "SendMessage", &wish(named));
        let template = &sent["message"]["parts"][1]["data"]["template"];
        assert_eq!(template["schema_id"], "flight_booking_v1", "{sent}");
    }
    let refused = error(&server, ADA, "SendMessage", &wish(json!({"version": "9.0.0"})));
    assert!(refused.to_string().contains("flight_booking_v1 (1.0.0)"), "{refused}");
    let wrong = error(&server, ADA, "SendMessage", &wish(json!({"schema_id": 7})));
    assert!(wrong.to_string().contains("message.metadata.schema_id"), "{wrong}");
}

#[test]
fn a_wish_is_answered_with_the_template_that_fits_or_not_at_all() {
    let server = server();
    let sent = result(
        &server,
        ADA,
        "SendMessage",
        &message(json!([{"text": "I want to book a flight to Shanghai"}])),
    );
    let answer = &sent["message"];
    assert_eq!(
        (&answer["role"], &answer["parts"][1]["metadata"]["type"]),
        (&json!("ROLE_AGENT"), &json!("TemplateAnswer"))
    );
    let data = &answer["parts"][1]["data"];
    assert_eq!(
        (&data["outcome"], &data["template"]["schema_id"]),
        (&json!("match"), &json!("flight_booking_v1"))
    );
    assert!(answer["contextId"].as_str().is_some_and(|id| id.starts_with("ctx_")));
    let mut odd = message(json!([{"text": "qwzx vlurb gnarf"}]));
    odd["message"]["contextId"] = json!("mine");
    let none = result(&server, ADA, "SendMessage", &odd);
    assert_eq!(none["message"]["parts"][1]["data"]["outcome"], "no_match", "{none}");
    assert_eq!(none["message"]["contextId"], "mine");
    let tasks = result(&server, ADA, "ListTasks", &json!({}));
    assert_eq!(tasks["totalSize"], 0, "a wish begins no task");
    let long = message(json!([{"text": "I want to book a flight to Shanghai. ".repeat(40)}]));
    let told = error(&server, ADA, "SendMessage", &long);
    assert_eq!(told["code"], -32602, "{told}");
    let violation = &told["data"][1]["fieldViolations"][0];
    assert_eq!(violation["field"], "message.parts", "{told}");
    assert!(
        violation["description"]
            .as_str()
            .is_some_and(|said| said.contains("1000 characters")),
        "{told}"
    );
}

#[test]
fn what_cannot_be_a_message_begins_no_task() {
    let server = server();
    for (parts, number, field) in [
        (json!([]), -32602, "message.parts"),
        (json!([{"kind": "text", "text": 1}]), -32602, "message.parts[0].text"),
        (json!([{"raw": "YQ=="}]), -32005, "message.parts[0].mediaType"),
        (
            json!([{"data": {"schema_id": 1, "payload": {}}}]),
            -32602,
            "message.parts",
        ),
    ] {
        let told = error(&server, ADA, "SendMessage", &message(parts.clone()));
        assert_eq!(told["code"], number, "{parts}: {told}");
        assert_eq!(told["data"][1]["fieldViolations"][0]["field"], field, "{parts}: {told}");
        let by_rest = rest(&server, ADA, "POST", "/message:send", &message(parts));
        assert_eq!(
            (by_rest.status, &by_rest.body["error"]["details"]),
            (400, &told["data"])
        );
    }
    let unknown = json!([{"data": {"schema_id": "nowhere_v1", "payload": {}}}]);
    assert_eq!(
        error(&server, ADA, "SendMessage", &message(unknown.clone()))["code"],
        40402
    );
    assert_eq!(
        rest(&server, ADA, "POST", "/message:send", &message(unknown)).status,
        404
    );
    let mut agent = message(json!([{"text": "a"}]));
    agent["message"]["role"] = json!("ROLE_AGENT");
    assert_eq!(error(&server, ADA, "SendMessage", &agent)["code"], -32602);
    assert_eq!(result(&server, ADA, "ListTasks", &json!({}))["totalSize"], 0);
}

/// The article's message, letter by letter.
const GOLDEN: &str = include_str!("../conversations/golden.json");

#[test]
fn the_golden_message_is_read_as_it_is_printed_without_a_version_p006_p007_p017() {
    let server = Server::start(&crate::conversations::schemas(), |_| {}, PartsOverride::default());
    let call = |method: &str, headers: &[(&str, &str)], params: &Value| {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
        server.call("POST", "/a2a", headers, &body).body
    };
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    let told = call("SendMessage", &[ADA], &golden);
    assert_eq!(told["result"]["message"]["role"], "ROLE_AGENT", "{told}");
    assert_eq!(server.call("POST", "/a2a/message:send", &[ADA], GOLDEN).status, 200);
    assert!(call("SendMessage", &[ADA, VERSION], &golden)["result"].is_object());
    // With `kind`, and with a file beside the words, which is passed over by its name.
    let mut old = golden.clone();
    old["message"]["kind"] = json!("message");
    old["message"]["parts"] = json!([{"kind": "text", "text": "a flight to Rome"},
        {"kind": "file", "file": {"uri": "https://a.example/b.png", "mimeType": "image/png"}}]);
    let told = call("SendMessage", &[ADA], &old);
    let skipped = &told["result"]["message"]["metadata"]["skipped"];
    assert_eq!(
        skipped,
        &json!([{"part": 1, "why": "it holds a file, and files are not read here"}]),
        "{told}"
    );
    // Nothing else of that version is read: no other method, no version that is said, no message of 1.0 without one.
    let refused = |told: &Value| told["error"]["code"].clone();
    let unsaid = json!(-32009);
    assert_eq!(refused(&call("message/send", &[ADA], &golden)), unsaid);
    assert_eq!(refused(&call("SendStreamingMessage", &[ADA], &golden)), unsaid);
    assert_eq!(refused(&call("ListTasks", &[ADA], &json!({}))), unsaid);
    assert_eq!(
        refused(&call("SendMessage", &[ADA, ("A2A-Version", "0.3")], &golden)),
        unsaid
    );
    let mut new = golden;
    new["message"]["role"] = json!("ROLE_USER");
    assert_eq!(refused(&call("SendMessage", &[ADA], &new)), unsaid);
}

#[test]
fn another_version_is_refused_before_anything_else() {
    let server = server();
    let old = r#"{"jsonrpc":"2.0","id":"a","method":"message/send","params":{"message":{"kind":"message"}}}"#;
    for version in [None, Some("0.3"), Some("")] {
        let headers: Vec<(&str, &str)> = version.map(|version| ("A2A-Version", version)).into_iter().collect();
        let told = server.call("POST", "/a2a", &headers, old);
        assert_eq!((told.status, &told.body["id"]), (200, &json!("a")));
        let error = &told.body["error"];
        assert_eq!(
            (&error["code"], &error["data"][0]["reason"]),
            (&json!(-32009), &json!("VERSION_NOT_SUPPORTED"))
        );
        assert_eq!(
            error["data"][0]["metadata"],
            json!({"requested": "0.3", "supported": "1.0"})
        );
        let there = server.call("POST", "/a2a/v1/message:send", &headers, "{}");
        assert_eq!((there.status, &there.body["error"]["details"]), (400, &error["data"]));
        let by_rest = server.call("GET", "/a2a/tasks", &headers, "");
        assert_eq!(
            (by_rest.status, &by_rest.body["error"]["details"]),
            (400, &error["data"])
        );
    }
    assert_eq!(server.call("GET", "/a2a/tasks?A2A-Version=1.0", &[], "").status, 200);
    let spoken = server.call("POST", "/a2a", &[("A2A-Version", "1.0")], old);
    assert_eq!(
        spoken.body["error"]["code"], -32601,
        "the method is of the older version"
    );
    let batch = server.call("POST", "/a2a", &[VERSION], "[]");
    assert_eq!(
        (&batch.body["error"]["code"], &batch.body["error"]["message"]),
        (&json!(-32600), &json!("batches are not taken here: send one call"))
    );
    let notification = server.call("POST", "/a2a", &[VERSION], r#"{"jsonrpc":"2.0","method":"GetTask"}"#);
    assert_eq!(notification.body["error"]["code"], -32600);
}

#[test]
fn who_may_not_submit_may_ask_for_a_template_alone() {
    let server = closed(&[("ada", Role::Client), ("odo", Role::Auditor)], |_| {});
    let odo = ("X-API-Key", "odo-key");
    let submission = message(json!([{"data": guests(&json!(2))}]));
    assert_eq!(error(&server, odo, "SendMessage", &submission)["code"], 40301);
    let by_rest = rest(&server, odo, "POST", "/message:send", &submission);
    assert_eq!(
        (by_rest.status, &by_rest.body["error"]["status"]),
        (403, &json!("PERMISSION_DENIED"))
    );
    let wish = message(json!([{"text": "book a flight"}]));
    assert!(result(&server, odo, "SendMessage", &wish)["message"].is_object());
    let ada = ("X-API-Key", "ada-key");
    assert!(result(&server, ada, "SendMessage", &submission)["task"].is_object());
}

#[test]
fn a_stream_says_the_task_and_every_step_in_both_bindings() {
    let server = server();
    let sent = message(json!([{"data": guests(&json!(2))}]));
    let (by_rest, text) = server.call_with_text("POST", "/a2a/message:stream", &[ADA, VERSION], &sent.to_string());
    assert_eq!(by_rest.status, 200);
    assert_eq!(by_rest.headers["content-type"], "text/event-stream");
    let kinds = |events: &[Value]| -> Vec<String> {
        events
            .iter()
            .map(|event| {
                event
                    .as_object()
                    .expect("one member")
                    .keys()
                    .next()
                    .expect("a name")
                    .clone()
            })
            .collect()
    };
    let told = events(&text);
    assert_eq!(kinds(&told), ["task", "artifactUpdate", "statusUpdate"]);
    assert_eq!(told[2]["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(told[1]["artifactUpdate"]["taskId"], told[0]["task"]["id"]);
    let call = json!({"jsonrpc": "2.0", "id": "s", "method": "SendStreamingMessage", "params": sent}).to_string();
    let (_, text) = server.call_with_text("POST", "/a2a", &[ADA, VERSION], &call);
    let told = events(&text);
    assert!(told.iter().all(|event| event["id"] == "s" && event["jsonrpc"] == "2.0"));
    let results: Vec<Value> = told.iter().map(|event| event["result"].clone()).collect();
    assert_eq!(kinds(&results), ["task", "artifactUpdate", "statusUpdate"]);
    let wish = message(json!([{"text": "book a flight"}])).to_string();
    let (_, text) = server.call_with_text("POST", "/a2a/message:stream", &[ADA, VERSION], &wish);
    assert_eq!(kinds(&events(&text)), ["message"]);
    let (refused, _) = server.call_with_text("POST", "/a2a/message:stream", &[ADA, VERSION], "{}");
    assert_eq!((refused.status, &refused.body["error"]["code"]), (400, &json!(400)));
}
