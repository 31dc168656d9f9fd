//! Executors against a real HTTP server on loopback: what is sent, what of its answers is passed on, and what happens when it
//! stalls, fails, lies or dies.

mod as_said;

mod batch;

mod crash;

mod keyed;

mod lies;

mod patience;

use std::time::Duration;

use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::server::Reply;
use crate::support::server::Server;

const ADA: (&str, &str) = ("Otherwise-Client", "ada");

/// A template whose executor is this one.
fn template(agent: &Agent, more: &Value) -> Value {
    let mut executor = json!({"url": agent.url(), "timeout_ms": 3_000});
    for (name, value) in more.as_object().expect("members") {
        executor[name] = value.clone();
    }
    json!({"schema_id": "tram_v1", "scenario": "tram", "executor": executor,
    "response_schema": {"type": "object", "required": ["ticket"],
        "properties": {"ticket": {"type": "string"}, "seat": {"type": "integer"}}},
    "keys": [
        {"key_name": "stop", "key_type": "string", "required": true,
         "semantic_description": "Where to get on. Example: 'at the castle' -> 'castle'."},
        {"key_name": "tickets", "key_type": "integer", "required": false, "default_value": 1,
         "semantic_description": "Number of tickets. Example: 'for two' -> 2."},
    ]})
}

/// A service whose one template has this executor.
fn server(agent: &Agent, executor: &Value, change: impl FnOnce(&mut Settings)) -> Server {
    Server::set(&[("tram_v1.json", template(agent, executor))], |settings| {
        settings.executors.inner_hosts = vec!["127.0.0.1".to_owned()];
        change(settings);
    })
}

fn body(stop: &str) -> String {
    json!({"schema_id": "tram_v1", "payload": {"stop": stop, "other": "a seat", "unheard_of": 5}}).to_string()
}

impl Server {
    fn submit(&self, stop: &str) -> Reply {
        self.call("POST", "/v1/submissions", &[ADA], &body(stop))
    }

    fn submit_with_key(&self, key: &str, stop: &str) -> Reply {
        let headers = [ADA, ("Idempotency-Key", key)];
        self.call("POST", "/v1/submissions", &headers, &body(stop))
    }

    /// How many submissions are on record.
    fn payloads(&self) -> Value {
        self.settle();
        self.call("GET", "/v1/scenarios/tram/ledger", &[], "").body["payloads"].clone()
    }
}

fn replayed(reply: &Reply) -> bool {
    reply.headers.contains_key("idempotent-replayed")
}

fn ticket(number: usize) -> Value {
    json!({"ticket": format!("T{number}"), "seat": 7, "more": {"deep": [null]}})
}

#[test]
fn what_was_accepted_is_executed_and_the_result_is_the_reply_z007_z020_z177() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "s3cret\n").expect("written");
    let agent = Agent::start(|number, _| Act::Answer(ticket(number)));
    let token = format!("127.0.0.1=file:{}", file.display());
    let server = server(&agent, &json!({}), |settings| settings.executors.tokens = vec![token]);
    let reply = server.submit("castle");
    assert_eq!(reply.status, 200, "{}", reply.body);
    let id = reply.body["exchange"]["submission_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let members: Vec<&String> = reply.body.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["ticket", "seat", "more", "exchange"], "the result, flat");
    assert_eq!(reply.body["exchange"]["defaults_applied"], json!(["tickets"]));
    let called = agent.called().remove(0);
    assert!(called.head.starts_with("POST /book HTTP/1.1\r\n"), "{}", called.head);
    assert_eq!(called.header("idempotency-key"), Some(id.as_str()));
    assert_eq!(called.header("content-type"), Some("application/json"));
    assert_eq!(called.header("authorization"), Some("Bearer s3cret"));
    let revision = reply.body["exchange"]["revision"].clone();
    assert_eq!(
        called.body,
        json!({"submission_id": id, "schema_id": "tram_v1", "scenario": "tram", "revision": revision,
            "payload": {"stop": "castle", "tickets": 1, "other": "a seat"}, "client": "ada"}),
        "normalised, defaults applied, unknown keys kept out"
    );
    assert!(server.measured(r#"otherwise_executions_total{outcome="answered",scenario="tram"} 1"#));
    let nobody = server.call("POST", "/v1/submissions", &[], &body("harbour"));
    assert_eq!(nobody.status, 200);
    assert!(agent.called()[1].body.get("client").is_none());
}

#[test]
fn a_dry_run_a_validation_and_a_refused_payload_call_nobody_z007() {
    let agent = Agent::start(|number, _| Act::Answer(ticket(number)));
    let server = server(&agent, &json!({}), |_| {});
    let dry = json!({"schema_id": "tram_v1", "payload": {"stop": "castle"}, "dry_run": true}).to_string();
    assert_eq!(server.call("POST", "/v1/submissions", &[ADA], &dry).status, 200);
    assert_eq!(
        server
            .call("POST", "/v1/submissions:validate", &[ADA], &body("castle"))
            .status,
        200
    );
    let wrong = json!({"schema_id": "tram_v1", "payload": {}}).to_string();
    assert_eq!(server.call("POST", "/v1/submissions", &[ADA], &wrong).status, 422);
    assert_eq!(agent.called().len(), 0);
}

#[test]
fn an_executor_that_may_not_be_called_cannot_be_published_z007() {
    let agent = Agent::start(|number, _| Act::Answer(ticket(number)));
    let server = Server::with(&[]);
    let publish = |executor: &Value| {
        let document = template(&agent, executor).to_string();
        server.call("PUT", "/v1/schemas/tram_v1", &[], &document)
    };
    for executor in [
        json!({}),
        json!({"url": "https://169.254.169.254/latest"}),
        json!({"url": "https://agent.example/", "timeout_ms": 30_001}),
        json!({"url": "https://agent.example/", "attempts": 6}),
        json!({"url": "https://agent.example/", "token": "secret"}),
    ] {
        let reply = publish(&executor);
        assert_eq!(reply.told(), (422, "invalid_template"), "{executor}: {}", reply.body);
        assert_eq!(
            reply.body["defects"].as_array().map(Vec::len),
            Some(1),
            "{}",
            reply.body
        );
        assert_eq!(reply.body["defects"][0]["requirement"], "Z-007");
    }
    assert_eq!(
        publish(&json!({"url": "https://agent.example/", "timeout_ms": 30_000})).status,
        201
    );
    let served = server.call("GET", "/v1/scenarios/tram/template", &[ADA], "");
    assert!(served.body.get("executor").is_none(), "{}", served.body);
}

#[test]
fn a_caller_that_hangs_up_changes_nothing_z007() {
    use std::io::Write;
    let agent = Agent::start(|number, _| Act::Stall(Duration::from_millis(500), ticket(number)));
    let server = server(&agent, &json!({}), |_| {});
    let address = server.base().trim_start_matches("http://").to_owned();
    let text = body("castle");
    let mut stream = std::net::TcpStream::connect(&address).expect("a connection");
    write!(
        stream,
        "POST /v1/submissions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
        text.len()
    )
    .expect("sent");
    agent.wait_for(1);
    drop(stream);
    let line = r#"otherwise_executions_total{outcome="answered",scenario="tram"} 1"#;
    for _ in 0..200 {
        if server.measured(line) {
            return;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    panic!("the execution did not end: {}", server.page("/metrics"));
}
