//! Messages: submissions and wishes, what is wrong with them, and which version is spoken.

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::ACTIVATED;
use super::ADA;
use super::CONTRACT;
use super::DONE;
use super::VERSION;
use super::WAITS;
use super::closed;
use super::error;
use super::events;
use super::field;
use super::guests;
use super::message;
use super::refused;
use super::reply;
use super::rest;
use super::result;
use super::rpc;
use super::say;
use super::send;
use super::server;
use super::table;
use crate::support::server::Server;

const WISH: &str = "I want to book a flight to Shanghai";

/// What a task brought forth.
fn brought(sent: &Value) -> Value {
    assert_eq!(sent["task"]["status"]["state"], DONE, "{sent}");
    sent["task"]["artifacts"][0]["parts"][0]["data"].clone()
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
    assert_eq!(by_rest.headers["content-type"], "application/json");
    for answer in [&by_rpc, &by_rest.body] {
        assert_eq!(nameless(brought(answer)), nameless(by_http.body.clone()));
        assert_eq!(answer["task"]["history"][0]["taskId"], answer["task"]["id"]);
    }
    let own = [ADA, VERSION, ("Accept", "application/a2a+json")];
    let mirrored = server.call("POST", "/a2a/message:send", &own, &sent.to_string());
    assert_eq!(mirrored.headers["content-type"], "application/a2a+json");
    let with_slash = server.call("POST", "/a2a/", &[ADA, VERSION], "{").body;
    assert_eq!(with_slash["error"]["code"], -32700);
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
fn a_part_names_its_schema_by_type_version_and_revision_p009_p011_p012_p013_p014_p038() {
    let server = server();
    let typed = |metadata: Value| json!([{"text": "for two"}, {"data": {"guests": 2}, "metadata": metadata}]);
    let revision = || {
        let path = "/v1/scenarios/table_booking/template";
        server.call("GET", path, &[ADA], "").body["revision"].clone()
    };
    let held = revision();
    let mut next = server.call("GET", "/v1/schemas/table_booking_v1", &[], "").body;
    (next["schema_id"], next["version"]) = (json!("table_booking_v1_3"), json!("1.3.0"));
    let published = server.call("PUT", "/v1/schemas/table_booking_v1_3", &[], &next.to_string());
    assert_eq!(published.status, 201, "{}", published.body);
    let (old, new) = ("table_booking_v1", "table_booking_v1_3");
    for (metadata, schema_id) in [
        (json!({"type": "table_booking_v1_3", "schemaVersion": "1.0"}), new),
        (json!({"type": "table_booking", "schemaVersion": "1.7.3"}), new),
        (json!({"type": "Table Booking"}), new),
        (
            json!({"type": "table_booking", "schemaVersion": "1.2", "revision": held, "pinned": true}),
            old,
        ),
        (json!({"type": "table_booking", "revision": held, "pinned": true}), old),
        (
            json!({"type": "table_booking", "revision": revision(), "pinned": true}),
            new,
        ),
    ] {
        let reply = brought(&send(&server, typed(metadata.clone())));
        assert_eq!(reply["exchange"]["schema_id"], schema_id, "{metadata}");
    }
    let higher = refused(&server, typed(json!({"type": "table_booking", "schemaVersion": "2.0"})));
    assert_eq!(field(&higher), "message.parts[1].metadata.schemaVersion");
    let beside = |metadata: Value| json!([{"data": guests(2), "metadata": metadata}]);
    brought(&send(
        &server,
        beside(json!({"type": "table_booking", "schemaVersion": "1.9"})),
    ));
    let other = refused(
        &server,
        beside(json!({"type": "flight_booking", "schemaVersion": "1.0"})),
    );
    assert_eq!(field(&other), "message.parts[0].metadata.type");
}

#[test]
fn a_part_of_another_type_is_passed_over_and_named_p016() {
    let server = server();
    let history = json!({"data": [{"role": "user", "content": "hi"}],
                         "metadata": {"type": "ConversationHistory", "schemaVersion": "1.0"}});
    let sent = send(&server, json!([history, {"data": guests(2)}]));
    brought(&sent);
    let skipped = &sent["task"]["status"]["message"]["metadata"]["skipped"];
    assert_eq!(skipped[0]["part"], 0, "{sent}");
    let nothing = send(&server, json!([history]));
    let data = &nothing["message"]["parts"][1]["data"];
    assert_eq!(data["outcome"], "no_submission", "{nothing}");
    let unknown = send(&server, json!([{"data": guests(2), "metadata": {"type": "zebra"}}]));
    let told = unknown["message"]["parts"][0]["text"].as_str().unwrap_or_default();
    assert!(
        told.contains(" Part 0 was passed over: no schema or scenario of its type"),
        "{told}"
    );
}

#[test]
fn a_refused_payload_waits_in_its_task_for_one_that_is_mended() {
    let server = server();
    let task = send(&server, table("many"))["task"].clone();
    assert_eq!(task["status"]["state"], WAITS);
    let part = &task["status"]["message"]["parts"][1];
    assert_eq!(part["mediaType"], "application/problem+json");
    assert_eq!(part["data"]["violations"][0]["key"], "guests", "{part}");
    let done = say(&server, &task, table(4));
    brought(&done);
    assert_eq!(done["task"]["id"], task["id"]);
    let history = done["task"]["history"].as_array().expect("a list").iter();
    let roles: Vec<&Value> = history.map(|said| &said["role"]).collect();
    assert_eq!(roles, ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"]);
    let late = error(&server, ADA, "SendMessage", &reply(&task["id"], table(4)));
    let told = (&late["code"], &late["data"][0]["reason"]);
    assert_eq!(told, (&json!(-32004), &json!("UNSUPPORTED_OPERATION")));
}

#[test]
fn who_activates_the_contract_is_told_violations_as_an_error() {
    let server = server();
    let params = message(table("many"));
    let refused = rpc(&server, &[ADA, ACTIVATED], "SendMessage", &params);
    assert_eq!(refused.headers["a2a-extensions"], CONTRACT);
    let told = &refused.body["error"];
    assert_eq!(told["code"], -32602);
    let refusal = &told["data"][2];
    assert_eq!(refusal["@type"], format!("{CONTRACT}/Refusal"));
    assert_eq!(refusal["violations"][0]["pointer"], "/payload/guests", "{told}");
    assert_eq!(refusal["exchange"]["status"], "refused");
    let task = result(&server, ADA, "GetTask", &json!({"id": refusal["taskId"]}));
    assert_eq!(task["status"]["state"], WAITS);
    let headers = [ADA, VERSION, ACTIVATED];
    let by_rest = server.call("POST", "/a2a/message:send", &headers, &params.to_string());
    let error = &by_rest.body["error"];
    assert_eq!((by_rest.status, &error["status"]), (400, &json!("INVALID_ARGUMENT")));
    assert_eq!(error["details"][2]["violations"], refusal["violations"]);
    assert_eq!(by_rest.headers["a2a-extensions"], CONTRACT);
    let good = rpc(&server, &[ADA, ACTIVATED], "SendMessage", &message(table(2))).body;
    assert_eq!(good["result"]["task"]["artifacts"][0]["extensions"], json!([CONTRACT]));
    let other = ("A2A-Extensions", "https://example.com/v1");
    let other = rpc(&server, &[ADA, other], "SendMessage", &params);
    assert!(other.body.get("result").is_some() && !other.headers.contains_key("a2a-extensions"));
}

#[test]
fn a_wish_is_answered_with_the_template_that_fits_in_a_form_that_its_client_can_take_z182() {
    let server = server();
    let wish = |metadata: Value| {
        let mut sent = message(json!([{"text": WISH}]));
        sent["message"]["metadata"] = metadata;
        sent
    };
    for (metadata, member, value) in [
        (json!({}), "schema_id", json!("flight_booking_v1")),
        (
            json!({"schema_id": "flight_booking_v1"}),
            "schema_id",
            json!("flight_booking_v1"),
        ),
        (json!({"version": "1.0.0"}), "schema_id", json!("flight_booking_v1")),
        (json!({"version": "^1"}), "schema_id", json!("flight_booking_v1")),
        (
            json!({"capabilities": {"formats": ["template"]}}),
            "capabilities",
            Value::Null,
        ),
        (
            json!({"capabilities": {"formats": ["protobuf", "typescript"], "streaming": true}}),
            "capabilities",
            json!({"ignored": ["formats.protobuf", "streaming"]}),
        ),
        (
            json!({"capabilities": {"formats": ["typescript"]}}),
            "format",
            json!("typescript"),
        ),
    ] {
        let answer = result(&server, ADA, "SendMessage", &wish(metadata.clone()))["message"].clone();
        assert_eq!(answer["role"], "ROLE_AGENT");
        assert!(answer["contextId"].as_str().is_some_and(|id| id.starts_with("ctx_")));
        let part = &answer["parts"][1];
        let told = (&part["metadata"]["type"], &part["data"]["outcome"]);
        assert_eq!(told, (&json!("TemplateAnswer"), &json!("match")));
        assert_eq!(part["data"]["template"][member], value, "{metadata}: {part}");
    }
    for (metadata, says) in [
        (json!({"capabilities": "typescript"}), "message.metadata.capabilities"),
        (json!({"version": "9.0.0"}), "flight_booking_v1 (1.0.0)"),
        (json!({"version": "^2"}), "flight_booking_v1 (1.0.0)"),
        (json!({"version": "newest"}), "message.metadata.version"),
        (json!({"schema_id": 7}), "message.metadata.schema_id"),
    ] {
        let refused = error(&server, ADA, "SendMessage", &wish(metadata));
        assert!(refused.to_string().contains(says), "{refused}");
    }
    let mut odd = message(json!([{"text": "qwzx vlurb gnarf"}]));
    odd["message"]["contextId"] = json!("mine");
    let none = result(&server, ADA, "SendMessage", &odd)["message"].clone();
    assert_eq!(none["parts"][1]["data"]["outcome"], "no_match", "{none}");
    assert_eq!(none["contextId"], "mine");
    let long = refused(&server, json!([{"text": format!("{WISH}. ").repeat(40)}]));
    assert_eq!(field(&long), "message.parts");
    assert!(long.to_string().contains("1000 characters"), "{long}");
    let tasks = result(&server, ADA, "ListTasks", &json!({}));
    assert_eq!(tasks["totalSize"], 0, "a wish begins no task");
}

#[test]
fn what_cannot_be_a_message_begins_no_task() {
    let server = server();
    for (parts, number, wrong) in [
        (json!([]), -32602, "message.parts"),
        (json!([{"kind": "text", "text": 1}]), -32602, "message.parts[0].text"),
        (json!([{"raw": "YQ=="}]), -32005, "message.parts[0].mediaType"),
        (
            json!([{"data": {"schema_id": 1, "payload": {}}}]),
            -32602,
            "message.parts",
        ),
    ] {
        let told = refused(&server, parts.clone());
        assert_eq!((&told["code"], field(&told)), (&json!(number), wrong), "{parts}");
        let by_rest = rest(&server, ADA, "POST", "/message:send", &message(parts));
        let details = &by_rest.body["error"]["details"];
        assert_eq!((by_rest.status, details), (400, &told["data"]));
    }
    let unknown = json!([{"data": {"schema_id": "nowhere_v1", "payload": {}}}]);
    assert_eq!(refused(&server, unknown.clone())["code"], 40402);
    assert_eq!(
        rest(&server, ADA, "POST", "/message:send", &message(unknown)).status,
        404
    );
    let mut agent = message(json!([{"text": "a"}]));
    agent["message"]["role"] = json!("ROLE_AGENT");
    assert_eq!(error(&server, ADA, "SendMessage", &agent)["code"], -32602);
    let mut picture = message(table(2));
    picture["configuration"] = json!({"acceptedOutputModes": ["image/png"]});
    assert_eq!(error(&server, ADA, "SendMessage", &picture)["code"], -32005);
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
    let skipped = json!([{"part": 1, "why": "it holds a file, and files are not read here"}]);
    assert_eq!(told["result"]["message"]["metadata"]["skipped"], skipped, "{told}");
    // Nothing else of that version is read: no other method, no version that is said, no message of 1.0 without one.
    let mut new = golden.clone();
    new["message"]["role"] = json!("ROLE_USER");
    for (method, headers, params) in [
        ("message/send", &[ADA][..], &golden),
        ("SendStreamingMessage", &[ADA], &golden),
        ("ListTasks", &[ADA], &json!({})),
        ("SendMessage", &[ADA, ("A2A-Version", "0.3")], &golden),
        ("SendMessage", &[ADA], &new),
    ] {
        assert_eq!(call(method, headers, params)["error"]["code"], -32009, "{method}");
    }
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
        assert_eq!(error["code"], -32009);
        let info = &error["data"][0];
        assert_eq!(info["metadata"], json!({"requested": "0.3", "supported": "1.0"}));
        for (method, path) in [("POST", "/a2a/v1/message:send"), ("GET", "/a2a/tasks")] {
            let there = server.call(method, path, &headers, "");
            assert_eq!((there.status, &there.body["error"]["details"]), (400, &error["data"]));
        }
    }
    assert_eq!(server.call("GET", "/a2a/tasks?A2A-Version=1.0", &[], "").status, 200);
    for (body, number) in [
        (old, -32601),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","method":"GetTask"}"#, -32600),
    ] {
        let told = server.call("POST", "/a2a", &[VERSION], body).body;
        assert_eq!(told["error"]["code"], number, "{body}: {told}");
    }
}

#[test]
fn who_may_not_submit_may_ask_for_a_template_alone() {
    let server = closed(&[("ada", Role::Client), ("odo", Role::Auditor)], |_| {});
    let odo = ("X-API-Key", "odo-key");
    let submission = message(table(2));
    assert_eq!(error(&server, odo, "SendMessage", &submission)["code"], 40301);
    let by_rest = rest(&server, odo, "POST", "/message:send", &submission);
    let told = (by_rest.status, &by_rest.body["error"]["status"]);
    assert_eq!(told, (403, &json!("PERMISSION_DENIED")));
    let wish = message(json!([{"text": "book a flight"}]));
    assert!(result(&server, odo, "SendMessage", &wish)["message"].is_object());
    let ada = ("X-API-Key", "ada-key");
    assert!(result(&server, ada, "SendMessage", &submission)["task"].is_object());
}

#[test]
fn a_stream_says_the_task_and_every_step_in_both_bindings() {
    let server = server();
    let headers = [ADA, VERSION];
    let stream = |body: &Value| server.call_with_text("POST", "/a2a/message:stream", &headers, &body.to_string());
    let kinds = |events: &[Value]| -> Vec<String> {
        let members = events
            .iter()
            .flat_map(|event| event.as_object().expect("an object").keys());
        members.cloned().collect()
    };
    let sent = message(table(2));
    let (by_rest, text) = stream(&sent);
    assert_eq!(
        (by_rest.status, &by_rest.headers["content-type"]),
        (200, &"text/event-stream".parse().expect("a value"))
    );
    let told = events(&text);
    assert_eq!(kinds(&told), ["task", "artifactUpdate", "statusUpdate"]);
    assert_eq!(told[2]["statusUpdate"]["status"]["state"], DONE);
    assert_eq!(told[1]["artifactUpdate"]["taskId"], told[0]["task"]["id"]);
    let call = json!({"jsonrpc": "2.0", "id": "s", "method": "SendStreamingMessage", "params": sent}).to_string();
    let told = events(&server.call_with_text("POST", "/a2a", &headers, &call).1);
    assert!(told.iter().all(|event| event["id"] == "s" && event["jsonrpc"] == "2.0"));
    let results: Vec<Value> = told.iter().map(|event| event["result"].clone()).collect();
    assert_eq!(kinds(&results), ["task", "artifactUpdate", "statusUpdate"]);
    let wish = message(json!([{"text": "book a flight"}]));
    assert_eq!(kinds(&events(&stream(&wish).1)), ["message"]);
    let refused = stream(&json!({})).0;
    assert_eq!((refused.status, &refused.body["error"]["code"]), (400, &json!(400)));
}
