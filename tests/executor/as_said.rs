//! What an executor gets is what was said; what is kept, shown and answered holds no secret.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use crate::executor::ADA;
use crate::executor::crash::cut_with;
use crate::executor::crash::folder;
use crate::executor::crash::serve;
use crate::executor::crash::stalling;
use crate::executor::template;
use crate::executor::ticket;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::journals::journals;
use crate::support::server::Server;
use crate::support::server::over;

/// What may stand with the executor alone.
const PIN: &str = "4711-0815";

fn said() -> Value {
    json!([
        format!("please set the safe PIN to {PIN}"),
        format!("my password={PIN}\u{202e}!"),
        "a seat"
    ])
}

/// As the executor gets it.
fn handed_on() -> Value {
    json!([
        format!("please set the safe PIN to {PIN}"),
        format!("my password={PIN}<U+202E>!"),
        "a seat"
    ])
}

fn submission() -> Value {
    json!({"schema_id": "tram_v1", "payload": {"stop": "castle", "other": said(), "api_key": PIN}})
}

fn served(agent: &Agent) -> (Server, Arc<JournalStore>) {
    let journal: Arc<JournalStore> = Arc::new(journals());
    let parts = over(&journal);
    let server = Server::start(
        &[("tram_v1.json", template(agent, &json!({"attempts": 1})))],
        |settings| settings.executors.inner_hosts = vec!["127.0.0.1".to_owned()],
        parts,
    );
    (server, journal)
}

/// All sealed parts that are there.
fn sealed(journal: &dyn Journal) -> String {
    let names = ["tasks/default", "scenario/default/tram"];
    let records = names.iter().flat_map(|name| {
        let name = JournalName((*name).to_owned());
        journal.read(&name, 1, 1_000).unwrap_or_default()
    });
    let texts = records.map(|record| String::from_utf8_lossy(&record.sealed).into_owned());
    texts.collect()
}

#[test]
fn every_transport_hands_on_what_was_said_and_keeps_it_without_secrets_z007_x02() {
    let agent = Agent::start(|number, _| Act::Answer(ticket(number)));
    let (server, journal) = served(&agent);
    let sent = submission();
    let rpc = |method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}});
    let tool = rpc(
        "tools/call",
        &json!({"name": "submit_payload", "arguments": sent, "_meta": meta}),
    );
    let mcp = [
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "submit_payload"),
    ];
    let a2a = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"data": sent}]}});
    type Headers<'a> = &'a [(&'a str, &'a str)];
    let calls: [(&str, Headers, Value); 6] = [
        ("/v1/submissions", &[], sent.clone()),
        ("/v1/submissions", &[("Idempotency-Key", "k")], sent.clone()),
        ("/v1/submissions:batch", &[], json!({ "submissions": [sent] })),
        ("/rpc", &[], rpc("submit_payload", &sent)),
        ("/mcp", &mcp, tool),
        ("/a2a/message:send", &[("A2A-Version", "1.0")], a2a),
    ];
    for (number, (path, headers, body)) in calls.into_iter().enumerate() {
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([ADA]).collect();
        let (reply, text) = server.call_with_text("POST", path, &headers, &body.to_string());
        assert_eq!(reply.status, 200, "{path}: {text}");
        let called = agent.wait_for(number + 1).remove(number);
        assert_eq!(
            called.body["payload"],
            json!({"stop": "castle", "tickets": 1, "other": handed_on()}),
            "{path}"
        );
        assert!(!text.contains(PIN), "{path}: {text}");
        let kept = sealed(journal.as_ref());
        assert!(!kept.contains(PIN), "{path}: erased once it was executed: {kept}");
        assert!(kept.contains("[redacted]") && kept.contains("a seat"), "{path}: {kept}");
    }
    let tried = server.call_with_text("POST", "/v1/submissions:validate", &[ADA], &sent.to_string());
    assert!(!tried.1.contains(PIN) && tried.1.contains("[redacted]"), "{}", tried.1);
}

#[test]
fn without_an_executor_nothing_is_kept_as_it_was_said_x02() {
    let agent = Agent::start(|number, _| Act::Answer(ticket(number)));
    let journal: Arc<JournalStore> = Arc::new(journals());
    let parts = over(&journal);
    let mut document = template(&agent, &json!({}));
    document.as_object_mut().expect("an object").remove("executor");
    let server = Server::start(&[("tram_v1.json", document)], |_| {}, parts);
    let headers = [ADA, ("Idempotency-Key", "k")];
    let (reply, text) = server.call_with_text("POST", "/v1/submissions", &headers, &submission().to_string());
    assert_eq!(reply.status, 200, "{text}");
    assert!(!text.contains(PIN) && text.contains("[redacted]"), "{text}");
    let (_, again) = server.call_with_text("POST", "/v1/submissions", &headers, &submission().to_string());
    assert_eq!(again, text, "the stored reply is the first one");
    assert!(!sealed(journal.as_ref()).contains(PIN));
    assert!(agent.called().is_empty());
}

#[test]
fn what_failed_is_handed_on_again_as_it_is_said_again_z007_x02() {
    let well = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&well);
    let agent = Agent::start(move |number, _| {
        if seen.load(Ordering::SeqCst) {
            Act::Answer(ticket(number))
        } else {
            Act::Say(500, String::new(), String::new())
        }
    });
    let (server, journal) = served(&agent);
    let call = || {
        let headers = [ADA, ("Idempotency-Key", "k")];
        server.call("POST", "/v1/submissions", &headers, &submission().to_string())
    };
    assert_eq!(call().status, 502);
    assert!(!sealed(journal.as_ref()).contains(PIN), "its execution has ended");
    well.store(true, Ordering::SeqCst);
    assert_eq!(call().status, 200);
    let called = agent.called();
    assert_eq!(called.len(), 2);
    assert_eq!(called[0].body, called[1].body);
    assert!(called[1].body.to_string().contains(PIN));
    assert!(!sealed(journal.as_ref()).contains(PIN));
}

#[test]
fn after_a_crash_the_executor_gets_what_was_said_and_then_it_is_erased_z007_x02() {
    let (agent, well) = stalling();
    let folder = folder(&agent);
    cut_with(&folder, &agent, &[], &submission().to_string());
    well.store(true, Ordering::SeqCst);
    let program = serve(&folder, &[]);
    agent.wait_for(2);
    thread::sleep(Duration::from_millis(500));
    assert!(program.stop().success());
    let called = agent.called();
    assert_eq!(called[0].body, called[1].body);
    assert_eq!(called[1].body["payload"]["other"], handed_on());
    let store = JournalStore::open(&folder.path("data"), StoreOptions::default()).expect("a store");
    assert!(!sealed(&store).contains(PIN));
}
