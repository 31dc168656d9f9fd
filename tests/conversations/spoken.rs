//! Conversations and A2A: context ids, turns that are messages, answers that nobody waits for.

use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use super::call;
use super::golden;
use super::opened;
use super::part;
use super::said;
use super::say_all;
use super::server;
use super::told;

#[test]
fn context_ids_are_given_out_and_one_of_them_maps_to_many_tasks_p001_p002_p003_p004() {
    let server = server();
    let first = json!({"role": "user", "content": "Hello, I need a flight.", "taskId": "task_1"});
    let begun = told(&server, "ada", "POST", "/v1/conversations", &first, 201);
    assert_eq!(begun["turn"], 1);
    let id = begun["context_id"].as_str().expect("an id");
    let at = format!("/v1/conversations/{id}");
    let second = json!({"role": "assistant", "content": "Where to?", "taskId": "task_2", "contextId": id});
    say_all(&server, "ada", &at, &[second, said("user", "To Ulm.")]);
    let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
    assert_eq!(shown["tasks"], json!(["task_1", "task_2"]));
    let words: Vec<&Value> = shown["said"]
        .as_array()
        .expect("turns")
        .iter()
        .map(|turn| &turn["content"])
        .collect();
    assert_eq!(words, ["Hello, I need a flight.", "Where to?", "To Ulm."]);
    let own = json!({"role": "user", "content": "a", "contextId": "ctx_mine"});
    let refused = told(&server, "ada", "POST", "/v1/conversations", &own, 400);
    assert_eq!(refused["fields"][0]["field"], "contextId");
    let other = told(&server, "ada", "POST", &format!("{at}/turns"), &own, 400);
    assert_eq!(other["fields"][0]["field"], "contextId");
}

#[test]
fn what_is_said_over_a2a_under_a_conversations_id_is_a_turn_of_it_p002_p004_p010() {
    let server = server();
    let at = opened(&server, "ada");
    let id = at.rsplit('/').next().expect("an id");
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let booking = json!({"schema_id": "flight_booking_v1",
        "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}});
    let mut golden = golden();
    golden["role"] = json!("ROLE_USER");
    golden["contextId"] = json!(id);
    golden["parts"][0] = json!({"text": "book a flight from Beijing to Shanghai"});
    let wish = json!({"message": golden}).to_string();
    let answered = server.call("POST", "/a2a/message:send", &headers, &wish);
    assert_eq!(answered.status, 200, "{}", answered.body);
    assert!(
        answered.body["message"]["metadata"].get("skipped").is_none(),
        "context is understood: {}",
        answered.body
    );
    let message = json!({"message": {"messageId": "m-2", "contextId": id, "role": "ROLE_USER",
        "parts": [{"text": "this one"}, {"data": booking}]}});
    let sent = server.call("POST", "/a2a/message:send", &headers, &message.to_string());
    let task = sent.body["task"]["id"].as_str().expect("a task");
    let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
    let said = shown["said"].as_array().expect("turns");
    assert_eq!(said[0]["content"], "book a flight from Beijing to Shanghai");
    assert_eq!(said[1]["role"], "assistant");
    assert_eq!(
        (&said[2]["content"], &said[2]["task_id"]),
        (&json!("this one"), &json!(task))
    );
    assert_eq!(
        (&shown["tasks"], &shown["parts"][0]["type"]),
        (&json!([task]), &json!("UserContext"))
    );
    assert_eq!(
        (&said[3]["role"], &said[3]["task_id"]),
        (&json!("assistant"), &json!(task)),
        "the reply is a turn as well: {shown}"
    );
    // Data alone are a turn, named and not told; their reply is one too.
    let alone =
        json!({"message": {"messageId": "m-4", "contextId": id, "role": "ROLE_USER", "parts": [{"data": booking}]}});
    let sent = server.call("POST", "/a2a/message:send", &headers, &alone.to_string());
    let second = sent.body["task"]["id"].as_str().expect("a task");
    let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
    assert_eq!(
        (&shown["said"][4]["content"], &shown["said"][4]["task_id"]),
        (&json!("[data: flight_booking_v1]"), &json!(second))
    );
    assert_eq!(
        (&shown["said"][5]["role"], &shown["tasks"]),
        (&json!("assistant"), &json!([task, second]))
    );
    let other = json!({"message": {"messageId": "m-3", "contextId": id, "role": "ROLE_USER", "parts": [{"text": "hello flight"}]}});
    let ben = [("Otherwise-Client", "ben"), ("A2A-Version", "1.0")];
    assert_eq!(
        server
            .call("POST", "/a2a/message:send", &ben, &other.to_string())
            .status,
        200
    );
    let still = told(&server, "ada", "GET", &at, &Value::Null, 200);
    assert_eq!(still["turns"], 6, "nobody else speaks in it");
}

#[test]
fn an_answer_that_nobody_waits_for_is_a_turn_too_p002_p010() {
    let server = server();
    let at = opened(&server, "ada");
    let id = at.rsplit('/').next().expect("an id");
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let booking = json!({"schema_id": "flight_booking_v1",
        "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}});
    let sent = |number: usize| {
        json!({"message": {"messageId": format!("m-{number}"), "contextId": id, "role": "ROLE_USER", "parts": [{"data": booking}]},
            "configuration": {"returnImmediately": true}})
    };
    let turns = |count: u64| {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let shown = told(&server, "ada", "GET", &at, &Value::Null, 200);
            if shown["turns"] == count {
                return shown["said"].clone();
            }
            assert!(Instant::now() < deadline, "{count} turns: {shown}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    server.call("POST", "/a2a/message:send", &headers, &sent(1).to_string());
    let said = turns(2);
    assert_eq!(
        (&said[0]["role"], &said[1]["role"]),
        (&json!("user"), &json!("assistant"))
    );
    let (status, _) = server.call_with_text("POST", "/a2a/message:stream", &headers, &sent(2).to_string());
    assert_eq!(status.status, 200);
    let said = turns(4);
    assert_eq!(
        (&said[2]["role"], &said[3]["role"]),
        (&json!("user"), &json!("assistant"))
    );
    assert_eq!(said[2]["task_id"], said[3]["task_id"]);
}

#[test]
fn a_part_that_does_not_fit_is_passed_over_over_a2a_p014_p016() {
    let server = server();
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let mut golden = golden();
    golden["role"] = json!("ROLE_USER");
    golden["parts"] = json!([{"text": "book a flight to Shanghai"},
        part(json!([7]), "ConversationHistory", "1.0"), part(json!({}), "UserContext", "2.0")]);
    let answered = server.call(
        "POST",
        "/a2a/message:send",
        &headers,
        &json!({"message": golden}).to_string(),
    );
    assert_eq!(answered.status, 200, "{}", answered.body);
    let skipped = &answered.body["message"]["metadata"]["skipped"];
    assert_eq!(
        (&skipped[0]["part"], &skipped[1]["part"]),
        (&json!(1), &json!(2)),
        "{skipped}"
    );
    assert!(
        skipped[1]["why"].as_str().expect("a reason").contains("1.0.0"),
        "{skipped}"
    );
    golden["parts"][2]["metadata"]["required"] = json!(true);
    let refused = server.call(
        "POST",
        "/a2a/message:send",
        &headers,
        &json!({"message": golden}).to_string(),
    );
    assert_eq!(refused.status, 400, "{}", refused.body);
    let reply = call(&server, "ada", "GET", "/v1/conversations", &Value::Null);
    assert_eq!(reply.body["total"], 0);
}

#[test]
fn a_message_over_a2a_of_which_only_refused_parts_are_there_is_refused_and_recorded_nowhere_p014_p016() {
    let server = server();
    let at = opened(&server, "ada");
    let id = at.rsplit('/').next().expect("an id");
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let place = |version: &str| part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", version);
    let misfit = part(json!({"userProfile": "Ulm"}), "UserContext", "1.0");
    let foreign = part(json!({}), "Nobody", "1.0");
    let turns = || told(&server, "ada", "GET", &at, &Value::Null, 200)["turns"].clone();
    let mut kept = 0;
    for (parts, refused) in [
        (json!([place("9.0")]), Some(0)),
        (json!([foreign, misfit]), Some(1)),
        (json!([place("9.0"), place("1.0")]), None),
        (json!([foreign]), None),
        (json!([{"text": "book a flight"}, place("9.0")]), None),
    ] {
        let sent = json!({"message": {"messageId": "m", "contextId": id, "role": "ROLE_USER", "parts": parts}});
        let reply = server.call("POST", "/a2a/message:send", &headers, &sent.to_string());
        let by_rpc = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": sent}).to_string();
        let Some(refused) = refused else {
            assert_eq!(reply.status, 200, "{parts}: {}", reply.body);
            kept += 2;
            assert_eq!(turns(), kept, "{parts}");
            continue;
        };
        let error = &reply.body["error"];
        assert_eq!(
            (reply.status, &error["status"]),
            (422, &json!("INVALID_ARGUMENT")),
            "{error}"
        );
        assert_eq!(error["details"][0]["reason"], "NOTHING_TAKEN", "{error}");
        let named = error["details"][1]["fieldViolations"].as_array().expect("the parts");
        let place = format!("message.parts[{refused}]");
        assert!(
            named
                .iter()
                .any(|one| one["field"] == *place && one["description"].is_string()),
            "{error}"
        );
        assert_eq!(
            named.len(),
            parts.as_array().map_or(0, Vec::len),
            "each is named: {error}"
        );
        let told = server.call("POST", "/a2a", &headers, &by_rpc).body;
        assert_eq!(
            told["error"]["data"], error["details"],
            "both bindings say the same: {told}"
        );
        assert_eq!(turns(), kept, "{parts}");
    }
    // A task of which nothing more could be taken stays as it is.
    let booking = json!({"schema_id": "flight_booking_v1", "payload": {}});
    let begun =
        json!({"message": {"messageId": "m", "contextId": id, "role": "ROLE_USER", "parts": [{"data": booking}]}});
    let task = server
        .call("POST", "/a2a/message:send", &headers, &begun.to_string())
        .body["task"]
        .clone();
    let before = turns();
    let more = json!({"message": {"messageId": "n", "taskId": task["id"], "contextId": id, "role": "ROLE_USER", "parts": [place("9.0")]}});
    let reply = server.call("POST", "/a2a/message:send", &headers, &more.to_string());
    assert_eq!((reply.status, turns()), (422, before), "{}", reply.body);
}
