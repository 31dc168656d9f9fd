//! A2A 1.0 against the real service: both bindings, tasks that outlive a restart, streams, notifications, the card.

mod answers;

mod card;

mod contexts;

mod messages;

mod pushes;

mod restarts;

mod secrets;

mod tasks;

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
const VERSION: (&str, &str) = ("A2A-Version", "1.0");
const ADA: (&str, &str) = ("Otherwise-Client", "ada");
const BEN: (&str, &str) = ("Otherwise-Client", "ben");
const OLGA: (&str, &str) = ("Otherwise-Client", "olga");
const CONTRACT: &str = "https://otherwise.dev/a2a/schema-contract/v1";
const DONE: &str = "TASK_STATE_COMPLETED";
const WAITS: &str = "TASK_STATE_INPUT_REQUIRED";
const ACTIVATED: (&str, &str) = ("A2A-Extensions", CONTRACT);

/// The shipped flight booking, and a table booking.
fn schemas() -> Vec<(&'static str, Value)> {
    let table = json!({"schema_id": "table_booking_v1", "scenario": "table_booking", "version": "1.2.0",
        "description": "Books a table in a restaurant.", "labels": {"team": "restaurants"}, "keys": [
            {"key_name": "guests", "key_type": "integer", "required": true,
             "semantic_description": "How many come. Range: 1-12. Example mapping: 'the two of us' -> 2."}]});
    let flight = serde_json::from_str(FLIGHT).expect("a template");
    vec![("flight.json", flight), ("table.json", table)]
}

fn started(change: impl FnOnce(&mut Settings)) -> Server {
    Server::start(&schemas(), change, PartsOverride::default())
}

fn server() -> Server {
    started(|_| {})
}

/// A service with these callers, each with its role and the key `NAME-key`.
fn closed(callers: &[(&str, Role)], change: impl FnOnce(&mut Settings)) -> Server {
    let principals = callers
        .iter()
        .map(|(name, role)| with_key(name, *role, &format!("{name}-key")))
        .collect();
    started(|settings| {
        settings.principals = principals;
        change(settings);
    })
}

/// One call of the JSON-RPC binding.
fn rpc(server: &Server, headers: &[(&str, &str)], method: &str, params: &Value) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string();
    let headers: Vec<(&str, &str)> = headers.iter().copied().chain([VERSION]).collect();
    server.call("POST", "/a2a", &headers, &body)
}

/// Its result.
fn result(server: &Server, who: (&str, &str), method: &str, params: &Value) -> Value {
    let reply = rpc(server, &[who], method, params);
    assert_eq!((reply.status, &reply.body["id"]), (200, &json!(7)), "{}", reply.body);
    assert!(reply.body.get("error").is_none(), "{method}: {}", reply.body);
    reply.body["result"].clone()
}

/// Its error.
fn error(server: &Server, who: (&str, &str), method: &str, params: &Value) -> Value {
    let reply = rpc(server, &[who], method, params);
    assert_eq!((reply.status, &reply.body["id"]), (200, &json!(7)), "{}", reply.body);
    assert!(reply.body.get("result").is_none(), "{method}: {}", reply.body);
    reply.body["error"].clone()
}

/// One call of the HTTP+JSON binding.
fn rest(server: &Server, who: (&str, &str), method: &str, path: &str, body: &Value) -> Reply {
    let text = Some(body.to_string()).filter(|_| !body.is_null());
    server.call(
        method,
        &format!("/a2a{path}"),
        &[who, VERSION],
        &text.unwrap_or_default(),
    )
}

/// A message with these parts.
fn message(parts: Value) -> Value {
    json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": parts}})
}

/// The same within a task.
fn reply(task: &Value, parts: Value) -> Value {
    let mut message = message(parts);
    message["message"]["taskId"] = task.clone();
    message
}

/// A booking of a table for so many.
fn guests(count: impl Into<Value>) -> Value {
    let count: Value = count.into();
    json!({"schema_id": "table_booking_v1", "payload": {"guests": count}})
}

/// The same as the parts of a message.
fn table(count: impl Into<Value>) -> Value {
    json!([{"data": guests(count)}])
}

/// What a message of Ada's with these parts is answered with.
fn send(server: &Server, parts: Value) -> Value {
    result(server, ADA, "SendMessage", &message(parts))
}

/// The same within a task.
fn say(server: &Server, task: &Value, parts: Value) -> Value {
    result(server, ADA, "SendMessage", &reply(&task["id"], parts))
}

/// Why a message of Ada's with these parts is not taken.
fn refused(server: &Server, parts: Value) -> Value {
    error(server, ADA, "SendMessage", &message(parts))
}

/// The first member that an error names.
fn field(error: &Value) -> &str {
    let field = &error["data"][1]["fieldViolations"][0]["field"];
    field.as_str().unwrap_or_else(|| panic!("{error}"))
}

/// A task that was just brought into this state, completed or waiting.
fn task_in(server: &Server, who: (&str, &str), state: &str) -> Value {
    let parts = if state == DONE { table(2) } else { table("many") };
    let sent = result(server, who, "SendMessage", &message(parts));
    assert_eq!(sent["task"]["status"]["state"], state, "{sent}");
    sent["task"].clone()
}

/// What an answer with events says, one after another.
fn events(text: &str) -> Vec<Value> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Where a task of Ada's stands.
fn state(server: &Server, id: &Value) -> Value {
    result(server, ADA, "GetTask", &json!({"id": id}))["status"]["state"].clone()
}
