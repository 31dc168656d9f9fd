//! What another agent sends over A2A: a message that becomes a task, one that waits in its task, and who is told of it.

use serde_json::Value;
use serde_json::json;

use super::Ask;
use super::DESK;
use super::ask;
use super::flight;

/// The task of a booking, and the context that it is in; those of a payload that does not fit. The service gives them other ids.
pub const BOOKED: &str = "task_1c9e4f7ab2d84e63a5f0918273645546";
pub const BOOKED_IN: &str = "ctx_2b7d9a1e5f0c4d3f8c1b4b7d6c5d7e9f";
pub const WAITING: &str = "task_8f3a6b5c4d2e4f1a9b0c7d6e5f4a3b2c";
pub const WAITING_IN: &str = "ctx_4e6f8a0b2c1d4e3f9a5b7c6d8e0f1a2b";

/// The version that the examples speak, in the header that says so.
pub const VERSION: (&str, &str) = ("A2A-Version", "1.0");

fn message(id: &str, part: &Value) -> Value {
    json!({"message": {"messageId": id, "role": "ROLE_USER", "parts": [part]}})
}

/// In the order in which they can be sent.
pub fn asks() -> Vec<Ask> {
    let payload = |passengers: &Value| {
        let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04",
            "passenger_count": passengers});
        json!({"data": flight(&payload)})
    };
    let right = payload(&json!(2));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": WAITING}});
    let of_waiting = |operation, name, summary| ask(operation, name, summary).with("task_id", WAITING);
    let asks = vec![
        ask("send_message", "booking", "A payload becomes a task").sending(message("m-1", &right)),
        ask(
            "stream_message",
            "booking",
            "The same, with what becomes of it as events",
        )
        .sending(message("m-2", &right)),
        ask("send_message", "wrong", "A payload that does not fit waits in its task")
            .sending(message("m-3", &payload(&json!("two")))),
        ask("call_a2a", "task", "That task, over JSON-RPC").sending(call),
        of_waiting("read_a2a_task", "waiting", "The same"),
        of_waiting("tell_of_task", "desk", "Another system is told of it")
            .sending(json!({"id": "desk", "url": DESK, "token": "of-this-task"})),
        of_waiting("list_told_of_task", "all", "Who is told of it"),
        of_waiting("read_told_of_task", "desk", "One of them").with("config_id", "desk"),
        of_waiting("tell_of_task_no_more", "desk", "It is told no more").with("config_id", "desk"),
        of_waiting("cancel_task", "waiting", "It is not wanted any more").sending(json!({})),
        ask("list_a2a_tasks", "all", "The caller's tasks"),
        ask("follow_task", "ended", "One that has ended")
            .with("task_id", BOOKED)
            .answered(400),
        ask("follow_task_by_post", "ended", "One that has ended")
            .with("task_id", BOOKED)
            .sending(json!({}))
            .answered(400),
        ask("read_extended_agent_card", "card", "What the caller may use"),
    ];
    let (name, version) = VERSION;
    asks.into_iter().map(|ask| ask.with(name, version)).collect()
}
