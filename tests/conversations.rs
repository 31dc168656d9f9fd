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
    let headers = [("Otherwise-Client", who), ("A2A-Version", "1.0")];
    server.call(method, path, &headers, &text)
}

/// The same, which must be answered so.
pub fn told(server: &Server, who: &str, method: &str, path: &str, body: &Value, status: u16) -> Value {
    let reply = call(server, who, method, path, body);
    assert_eq!(reply.status, status, "{method} {path} by {who}: {}", reply.body);
    reply.body
}

/// The same where something is read.
fn read(server: &Server, who: &str, path: &str, status: u16) -> Value {
    told(server, who, "GET", path, &Value::Null, status)
}

fn said(role: &str, content: &str) -> Value {
    json!({"role": role, "content": content})
}

/// A conversation of Ada's.
pub struct Talk<'a> {
    server: &'a Server,
    /// Its address.
    pub at: String,
}

impl Talk<'_> {
    pub fn begin(server: &Server) -> Talk<'_> {
        let told = told(server, "ada", "POST", "/v1/conversations", &json!({}), 201);
        let id = told["context_id"].as_str().expect("an id");
        assert!(id.starts_with("ctx_") && id.len() == 36, "{id}");
        let at = format!("/v1/conversations/{id}");
        Talk { server, at }
    }

    fn id(&self) -> &str {
        self.at.rsplit('/').next().expect("an id")
    }

    fn turn(&self, turn: &Value, status: u16) -> Value {
        let turns = format!("{}/turns", self.at);
        told(self.server, "ada", "POST", &turns, turn, status)
    }

    pub fn say(&self, turns: &[Value]) {
        for (number, turn) in turns.iter().enumerate() {
            let told = self.turn(turn, 201);
            assert!(told["turn"].as_u64().expect("a number") > number as u64, "{told}");
        }
    }

    /// Declares what an agent gets.
    pub fn declare(&self, agent: &str, declared: &Value) -> Value {
        let recipient = format!("{}/recipients/{agent}", self.at);
        told(self.server, "ada", "PUT", &recipient, declared, 200)
    }

    /// The message to an agent.
    fn embed(&self, asked: &Value) -> Value {
        told(self.server, "ada", "POST", &format!("{}:embed", self.at), asked, 200)
    }

    /// The history that goes to an agent.
    pub fn history(&self, agent: &str) -> Value {
        let embedded = self.embed(&json!({"agent": agent, "text": "so?"}));
        of_type(&embedded["message"], "ConversationHistory")
            .cloned()
            .unwrap_or_default()
    }

    pub fn shown(&self) -> Value {
        read(self.server, "ada", &format!("{}?last_turns=1000", self.at), 200)
    }
}

/// Ten turns about a laptop, in their order.
pub fn shopping() -> Vec<Value> {
    let turns = [
        "Hi! I am looking for a lightweight laptop for travel.",
        "Great choice. Do you have any preferred brands, a budget, or a screen size in mind?",
        "My budget is 1,000 dollars at most, and I must have 16 GB of memory.",
        "Here are some laptops that match your preferences. They are all quite light.",
        "Nice ones! By the way, my e-mail is anna@example.org and I love the colour blue.",
        "Blue is a lovely colour. Some of the laptops come in blue.",
        "Let's go with option 4 for 899 dollars.",
        "Confirmed: option 4, to be delivered on 2026-05-04.",
        "Thanks!",
        "You're welcome! Is there anything else I can help you with?",
    ];
    alternating(&turns)
}

/// Turns of the user and the assistant, one after another.
fn alternating(turns: &[&str]) -> Vec<Value> {
    let turns = turns.iter().enumerate();
    turns
        .map(|(at, text)| said(["user", "assistant"][at % 2], text))
        .collect()
}

fn golden() -> Value {
    let golden: Value = serde_json::from_str(GOLDEN).expect("JSON");
    golden["message"].clone()
}

fn part(data: Value, name: &str, version: &str) -> Value {
    json!({"data": data, "metadata": {"type": name, "schemaVersion": version}})
}

/// The part of a message that is of this type.
fn of_type<'a>(message: &'a Value, name: &str) -> Option<&'a Value> {
    let parts = message["parts"].as_array().expect("parts");
    parts.iter().find(|part| part["metadata"]["type"] == name)
}

/// What a list says under this name, in its order.
fn each<'a>(list: &'a Value, name: &str) -> Vec<&'a Value> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|item| &item[name]).collect()
}
