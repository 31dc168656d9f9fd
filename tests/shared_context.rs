//! Sessions of shared context through the real service: the document's cycle, its limits and errors, every extension, and who may
//! what.

mod access;

mod cycle;

mod extensions;

mod isolation;

mod kill;

use std::sync::Arc;

use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use crate::support::clock::VirtualClock;
use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::under;

/// Who has a key, and which role.
const PRINCIPALS: [(&str, Role); 6] = [
    ("lead", Role::Client),
    ("analyst", Role::Client),
    ("fixer", Role::Publisher),
    ("stranger", Role::Client),
    ("boss", Role::Operator),
    ("checker", Role::Auditor),
];

fn closed(change: impl FnOnce(&mut Settings), parts: PartsOverride) -> Server {
    let principals = PRINCIPALS
        .iter()
        .map(|(name, role)| with_key(name, *role, &format!("{name}-key")));
    let change = |settings: &mut Settings| {
        settings.principals = principals.collect();
        settings.server.client_requests_per_s = 0;
        change(settings);
    };
    Server::start(&[], change, parts)
}

/// The same as it is set usually.
fn usual() -> Server {
    closed(|_| {}, PartsOverride::default())
}

/// The same, and a clock that is set by hand.
fn timed() -> (Server, Arc<VirtualClock>) {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    (closed(|_| {}, under(&clock)), clock)
}

/// One caller, and as what it says that it takes part.
struct Agent<'a> {
    server: &'a Server,
    key: String,
    role: Option<&'static str>,
}

impl<'a> Agent<'a> {
    fn new(server: &'a Server, name: &str) -> Agent<'a> {
        Agent {
            server,
            key: format!("{name}-key"),
            role: None,
        }
    }

    fn call(&self, method: &str, path: &str, body: &str) -> Reply {
        let mut headers = vec![("X-API-Key", self.key.as_str())];
        headers.extend(self.role.map(|role| ("Otherwise-Role", role)));
        self.server.call(method, path, &headers, body)
    }

    fn get(&self, path: &str) -> Value {
        self.call("GET", path, "").body
    }

    /// Status and code of a call.
    fn told(&self, method: &str, path: &str, body: &Value) -> String {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let reply = self.call(method, path, &body);
        format!("{} {}", reply.status, reply.body["code"].as_str().unwrap_or_default())
    }

    fn create(&self, body: &Value) -> Value {
        let reply = self.call("POST", "/v1/sessions", &body.to_string());
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.body
    }

    /// An action in the document's form.
    fn act(&self, session: &str, action: &Value) -> Reply {
        self.call("POST", &format!("/v1/sessions/{session}/context"), &action.to_string())
    }

    fn does(&self, session: &str, action: &Value) -> Value {
        let reply = self.act(session, action);
        assert_eq!(reply.status, 200, "{action}: {}", reply.body);
        reply.body
    }

    /// The code, as the document spells it, with which an action is refused.
    fn refused(&self, session: &str, action: &Value) -> String {
        let reply = self.act(session, action);
        assert!(reply.status >= 400, "{action}: {}", reply.body);
        assert!(reply.body["error"]["message"].is_string(), "{}", reply.body);
        reply.body["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    fn write(&self, session: &str, key: &str, value: &str) -> Value {
        self.does(session, &json!({"action": "write", "key": key, "value": value}))
    }

    fn keys(&self, session: &str) -> Vec<String> {
        let listed = self.does(session, &json!({"action": "list_keys"}));
        let keys = listed["keys"].as_array().expect("keys").iter();
        keys.map(|key| key["key"].as_str().expect("a name").to_owned())
            .collect()
    }

    fn value(&self, session: &str, key: &str) -> String {
        let read = self.does(session, &json!({"action": "read", "key": key}));
        read["value"].as_str().expect("a value").to_owned()
    }
}

fn read(key: &str) -> Value {
    json!({"action": "read", "key": key})
}

fn written_by(answer: &Value) -> &str {
    answer["written_by"].as_str().unwrap_or_default()
}
