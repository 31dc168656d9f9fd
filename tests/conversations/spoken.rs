//! Conversations and A2A: context ids, turns that are messages, answers that nobody waits for.

use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use super::Talk;
use super::call;
use super::each;
use super::golden;
use super::part;
use super::said;
use super::server;
use super::told;
use crate::support::server::Reply;
use crate::support::server::Server;

/// A message of a conversation's over A2A.
fn message(context: &str, parts: Value) -> Value {
    json!({"message": {"messageId": "m", "contextId": context, "role": "ROLE_USER", "parts": parts}})
}

fn send(server: &Server, who: &str, message: &Value) -> Reply {
    call(server, who, "POST", "/a2a/message:send", message)
}

fn booking() -> Value {
    json!({"schema_id": "flight_booking_v1",
        "payload": {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}})
}

#[test]
fn context_ids_are_given_out_and_one_of_them_maps_to_many_tasks_p001_p002_p003_p004() {
    let server = server();
    let first = json!({"role": "user", "content": "Hello, I need a flight.", "taskId": "task_1"});
    let begun = told(&server, "ada", "POST", "/v1/conversations", &first, 201);
    assert_eq!(begun["turn"], 1);
    let id = begun["context_id"].as_str().expect("an id");
    let at = format!("/v1/conversations/{id}");
    let talk = Talk { server: &server, at };
    let second = json!({"role": "assistant", "content": "Where to?", "taskId": "task_2", "contextId": id});
    talk.say(&[second, said("user", "To Ulm.")]);
    let shown = talk.shown();
    assert_eq!(shown["tasks"], json!(["task_1", "task_2"]));
    assert_eq!(
        each(&shown["said"], "content"),
        ["Hello, I need a flight.", "Where to?", "To Ulm."]
    );
    let own = json!({"role": "user", "content": "a", "contextId": "ctx_mine"});
    let begun = told(&server, "ada", "POST", "/v1/conversations", &own, 400);
    for refused in [begun, talk.turn(&own, 400)] {
        assert_eq!(refused["fields"][0]["field"], "contextId");
    }
}

#[test]
fn what_is_said_over_a2a_under_a_conversations_id_is_a_turn_of_it_p002_p004_p010() {
    let server = server();
    let talk = Talk::begin(&server);
    let mut golden = golden();
    golden["role"] = json!("ROLE_USER");
    golden["contextId"] = json!(talk.id());
    golden["parts"][0] = json!({"text": "book a flight from Beijing to Shanghai"});
    let answered = send(&server, "ada", &json!({ "message": golden }));
    assert_eq!(answered.status, 200, "{}", answered.body);
    let skipped = answered.body["message"]["metadata"].get("skipped");
    assert_eq!(skipped, None, "context is understood");
    // Data alone are a turn, named and not told.
    let tasks = [
        json!([{"text": "this one"}, {"data": booking()}]),
        json!([{"data": booking()}]),
    ]
    .map(|parts| {
        let sent = send(&server, "ada", &message(talk.id(), parts));
        sent.body["task"]["id"].clone()
    });
    // Who it does not belong to is answered, and speaks in no conversation.
    let other = send(&server, "ben", &message(talk.id(), json!([{"text": "hello flight"}])));
    assert_eq!(other.status, 200);
    let shown = talk.shown();
    let said = &shown["said"];
    assert_eq!(
        each(said, "role"),
        ["user", "assistant", "user", "assistant", "user", "assistant"],
        "{shown}"
    );
    assert_eq!(said[0]["content"], "book a flight from Beijing to Shanghai");
    assert_eq!(
        (&said[2]["content"], &said[4]["content"]),
        (&json!("this one"), &json!("[data: flight_booking_v1]"))
    );
    let [first, second] = &tasks;
    assert_eq!(each(said, "task_id")[2..], [first, first, second, second]);
    assert_eq!(
        (&shown["tasks"], &shown["parts"][0]["type"]),
        (&json!(tasks), &json!("UserContext"))
    );
}

#[test]
fn an_answer_that_nobody_waits_for_is_a_turn_too_p002_p010() {
    let server = server();
    let talk = Talk::begin(&server);
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let sent = |number: usize| {
        let mut sent = message(talk.id(), json!([{"data": booking()}]));
        sent["message"]["messageId"] = json!(format!("m-{number}"));
        sent["configuration"] = json!({"returnImmediately": true});
        sent.to_string()
    };
    let turns = |count: u64| {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let shown = talk.shown();
            if shown["turns"] == count {
                return shown["said"].clone();
            }
            assert!(Instant::now() < deadline, "{count} turns: {shown}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    server.call("POST", "/a2a/message:send", &headers, &sent(1));
    turns(2);
    let (status, _) = server.call_with_text("POST", "/a2a/message:stream", &headers, &sent(2));
    assert_eq!(status.status, 200);
    let said = turns(4);
    assert_eq!(each(&said, "role"), ["user", "assistant", "user", "assistant"]);
    assert_eq!(said[2]["task_id"], said[3]["task_id"]);
}

#[test]
fn a_part_that_does_not_fit_is_passed_over_over_a2a_p014_p016() {
    let server = server();
    let talk = Talk::begin(&server);
    let user = part(json!({}), "UserContext", "2.0");
    let history = part(json!([7]), "ConversationHistory", "1.0");
    let mut sent = message("", json!([{"text": "book a flight to Shanghai"}, history, user]));
    let answered = send(&server, "ada", &sent);
    assert_eq!(answered.status, 200, "{}", answered.body);
    let skipped = &answered.body["message"]["metadata"]["skipped"];
    assert_eq!(each(skipped, "part"), [&json!(1), &json!(2)]);
    assert!(skipped[1]["why"].to_string().contains("1.0.0"), "{skipped}");
    sent["message"]["parts"][2]["metadata"]["required"] = json!(true);
    sent["message"]["contextId"] = json!(talk.id());
    let refused = send(&server, "ada", &sent);
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert_eq!(talk.shown()["turns"], 0);
}

#[test]
fn a_message_over_a2a_of_which_only_refused_parts_are_there_is_refused_and_recorded_nowhere_p014_p016() {
    let server = server();
    let talk = Talk::begin(&server);
    let place = |version: &str| part(json!({"userProfile": {"location": "Ulm"}}), "UserContext", version);
    let misfit = part(json!({"userProfile": "Ulm"}), "UserContext", "1.0");
    let foreign = part(json!({}), "Nobody", "1.0");
    let turns = || talk.shown()["turns"].clone();
    let mut kept = 0;
    for (parts, refused) in [
        (json!([place("9.0")]), Some(0)),
        (json!([foreign, misfit]), Some(1)),
        (json!([place("9.0"), place("1.0")]), None),
        (json!([foreign]), None),
        (json!([{"text": "book a flight"}, place("9.0")]), None),
    ] {
        let sent = message(talk.id(), parts.clone());
        let reply = send(&server, "ada", &sent);
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
        let named = each(&error["details"][1]["fieldViolations"], "field");
        assert!(named.contains(&&json!(format!("message.parts[{refused}]"))), "{error}");
        assert_eq!(
            named.len(),
            parts.as_array().map_or(0, Vec::len),
            "each is named: {error}"
        );
        let by_rpc = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": sent});
        let told = call(&server, "ada", "POST", "/a2a", &by_rpc).body;
        assert_eq!(
            told["error"]["data"], error["details"],
            "both bindings say the same: {told}"
        );
        assert_eq!(turns(), kept, "{parts}");
    }
    // A task of which nothing more could be taken stays as it is.
    let data = json!({"schema_id": "flight_booking_v1", "payload": {}});
    let task = send(&server, "ada", &message(talk.id(), json!([{"data": data}]))).body["task"]["id"].clone();
    let before = turns();
    let mut more = message(talk.id(), json!([place("9.0")]));
    more["message"]["taskId"] = task;
    let reply = send(&server, "ada", &more);
    assert_eq!((reply.status, turns()), (422, before), "{}", reply.body);
}
