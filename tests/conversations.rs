//! Conversations over HTTP and A2A: kept, summarised, passed on as declared in each of the three patterns, and nobody else's.

mod declared;

mod isolation;

mod kept;

mod parts;

mod passing;

mod sensitive;

mod spoken;

mod summaries;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::support::server::Reply;
use crate::support::server::Server;

const HISTORY: &str = include_str!("../schemas/conversation_history_v1.json");
const USER: &str = include_str!("../schemas/user_context_v1.json");
const MESSAGE: &str = include_str!("../schemas/agent_context_message_v1.json");
const RULES: &str = include_str!("../schemas/message_policy_context_v1.json");
const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
const GOLDEN: &str = include_str!("conversations/golden.json");

/// The shipped context templates beside a booking.
pub fn schemas() -> Vec<(&'static str, Value)> {
    [
        ("history.json", HISTORY),
        ("user.json", USER),
        ("message.json", MESSAGE),
        ("rules.json", RULES),
        ("flight.json", FLIGHT),
    ]
    .map(|(name, text)| (name, serde_json::from_str(text).expect("a template")))
    .to_vec()
}

/// The service with these settings.
pub fn started(change: impl FnOnce(&mut Settings), parts: PartsOverride) -> Server {
    Server::start(&schemas(), change, parts)
}

fn server() -> Server {
    started(|_| {}, PartsOverride::default())
}

/// One call by somebody.
pub fn call(server: &Server, who: &str, method: &str, path: &str, body: &Value) -> Reply {
    let text = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    server.call(method, path, &[("Otherwise-Client", who)], &text)
}

/// The same, which must be answered so.
pub fn told(server: &Server, who: &str, method: &str, path: &str, body: &Value, status: u16) -> Value {
    let reply = call(server, who, method, path, body);
    assert_eq!(reply.status, status, "{method} {path} by {who}: {}", reply.body);
    reply.body
}

fn said(role: &str, content: &str) -> Value {
    json!({"role": role, "content": content})
}

/// A new conversation's address.
pub fn opened(server: &Server, who: &str) -> String {
    let told = told(server, who, "POST", "/v1/conversations", &json!({}), 201);
    let id = told["context_id"].as_str().expect("an id");
    assert!(id.starts_with("ctx_") && id.len() == 36, "{id}");
    format!("/v1/conversations/{id}")
}

/// Ada declares what an agent gets of her conversation.
fn declare(server: &Server, at: &str, agent: &str, declared: &Value) -> Value {
    told(server, "ada", "PUT", &format!("{at}/recipients/{agent}"), declared, 200)
}

/// Ada asks for the message to an agent.
fn embed(server: &Server, at: &str, asked: &Value) -> Value {
    told(server, "ada", "POST", &format!("{at}:embed"), asked, 200)
}

/// Ten turns about a laptop, in their order.
pub fn shopping() -> Vec<Value> {
    vec![
        said("user", "Hi! I am looking for a lightweight laptop for travel."),
        said(
            "assistant",
            "Great choice. Do you have any preferred brands, a budget, or a screen size in mind?",
        ),
        said(
            "user",
            "My budget is 1,000 dollars at most, and I must have 16 GB of memory.",
        ),
        said(
            "assistant",
            "Here are some laptops that match your preferences. They are all quite light.",
        ),
        said(
            "user",
            "Nice ones! By the way, my e-mail is anna@example.org and I love the colour blue.",
        ),
        said(
            "assistant",
            "Blue is a lovely colour. Some of the laptops come in blue.",
        ),
        said("user", "Let's go with option 4 for 899 dollars."),
        said("assistant", "Confirmed: option 4, to be delivered on 2026-05-04."),
        said("user", "Thanks!"),
        said(
            "assistant",
            "You're welcome! Is there anything else I can help you with?",
        ),
    ]
}

pub fn say_all(server: &Server, who: &str, at: &str, turns: &[Value]) {
    for (number, turn) in turns.iter().enumerate() {
        let told = told(server, who, "POST", &format!("{at}/turns"), turn, 201);
        assert!(told["turn"].as_u64().expect("a number") > number as u64, "{told}");
    }
}

fn golden() -> Value {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    golden["message"].clone()
}

fn part(data: Value, name: &str, version: &str) -> Value {
    json!({"data": data, "metadata": {"type": name, "schemaVersion": version}})
}

/// The parts of a message but its text, by their types.
fn of_type<'a>(message: &'a Value, name: &str) -> Option<&'a Value> {
    let parts = message["parts"].as_array().expect("parts");
    parts.iter().find(|part| part["metadata"]["type"] == name)
}
