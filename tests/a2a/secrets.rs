//! Secrets in parts of data and in submissions by every transport: what a template declares is its own affair, whatever it is called; what it
//! does not, and what no template reads, is taken out by its name before anything is kept.

use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;

use super::ADA;
use super::DONE;
use super::message;
use super::result;
use super::send;
use crate::support::journals::journals;
use crate::support::server::Server;

/// What nothing may ever show.
const HIDDEN: &str = "swordfish-4711";
/// What a key of the template holds.
const PASS: &str = "T-2044-88";

/// A template with a key that is called as a secret is.
fn server() -> (Server, Arc<JournalStore>) {
    let gate = json!({"schema_id": "gate_pass_v1", "scenario": "gate_pass", "keys": [
        {"key_name": "token", "key_type": "string", "required": true, "semantic_description": "The token that opens the gate."},
        {"key_name": "holder", "key_type": "object", "required": false, "semantic_description": "Who holds it."}]});
    let journal: Arc<JournalStore> = Arc::new(journals());
    let parts = PartsOverride {
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    };
    (Server::start(&[("gate.json", gate)], |_| {}, parts), journal)
}

fn payload() -> Value {
    json!({"token": PASS, "holder": {"name": "Ada", "password": PASS}, "api_key": HIDDEN,
           "notes": {"password": HIDDEN, "words": format!("password={HIDDEN}")}})
}

fn sealed(journal: &JournalStore) -> String {
    let names = ["tasks/default", "scenario/default/gate_pass"];
    let read = |name: &&str| journal.read(&JournalName((*name).to_owned()), 1, 1_000);
    let records = names.iter().flat_map(|name| read(name).unwrap_or_default());
    let texts = records.map(|record| String::from_utf8_lossy(&record.sealed).into_owned());
    texts.collect()
}

#[test]
fn what_a_template_declares_stays_in_a_part_and_what_it_does_not_is_taken_out_p030_p038_x02() {
    let (server, journal) = server();
    let typed = json!({"data": payload(), "metadata": {"type": "gate_pass", "schemaVersion": "1.0"}});
    let whole = json!({"data": {"schema_id": "gate_pass_v1", "payload": payload()}});
    for part in [typed, whole] {
        let task = send(&server, json!([part]))["task"].clone();
        assert_eq!(task["status"]["state"], DONE, "{task}");
        let taken = &task["artifacts"][0]["parts"][0]["data"]["payload"];
        let passed = (&taken["token"], &taken["holder"]["password"]);
        assert_eq!(passed, (&json!(PASS), &json!(PASS)), "{task}");
        let kept = result(&server, ADA, "GetTask", &json!({"id": task["id"], "historyLength": 10}));
        let sent = kept["history"][0]["parts"][0]["data"].to_string();
        assert!(sent.contains(PASS) && sent.contains("[redacted]"), "{kept}");
        assert!(!kept.to_string().contains(HIDDEN), "{kept}");
    }
    assert!(sealed(&journal).contains(PASS) && !sealed(&journal).contains(HIDDEN));
}

#[test]
fn what_no_template_reads_is_kept_without_whatever_bears_the_name_of_a_secret_p016_x02() {
    let (server, journal) = server();
    let beside = json!({"data": {"schema_id": "gate_pass_v1", "payload": {"token": PASS}}});
    for metadata in [
        json!({}),
        json!({"type": "nobody"}),
        json!({"type": "gate_pass", "schemaVersion": "9.0"}),
    ] {
        let foreign = json!({"data": {"token": HIDDEN, "door": "north"}, "metadata": metadata});
        let sent = message(json!([foreign, beside]));
        let reply = server.call("POST", "/a2a/message:send", &[ADA, super::VERSION], &sent.to_string());
        assert!(!reply.body.to_string().contains(HIDDEN), "{metadata}: {}", reply.body);
        if reply.status == 200 {
            let first = &reply.body["task"]["history"][0]["parts"][0]["data"];
            assert_eq!(first, &json!({"token": "[redacted]", "door": "north"}), "{metadata}");
        }
    }
    assert!(sealed(&journal).contains(PASS) && !sealed(&journal).contains(HIDDEN));
}

/// Where, by which transport, with which headers and body, and how many submissions are on record then.
type Call<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], Value, usize);

/// What a template does not declare, and what stands beside its payload.
fn submission() -> Value {
    let mut payload = payload();
    payload["other"] = json!(["I need a ladder", format!("my password={HIDDEN}")]);
    payload["accessToken"] = json!(HIDDEN);
    payload["side"] = json!("north");
    json!({"schema_id": "gate_pass_v1", "payload": payload, "utterance": format!("api_key={HIDDEN} let me in"), "api_key": HIDDEN})
}

#[test]
fn every_transport_keeps_a_submission_without_what_bears_the_name_of_a_secret_c065_m033_x02() {
    let (server, journal) = server();
    let sent = submission();
    let rpc = |method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}});
    let arguments = json!({"name": "submit_payload", "arguments": sent, "_meta": meta});
    let tool = rpc("tools/call", &arguments);
    let mcp = [
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "submit_payload"),
    ];
    let wishes = json!({"wishes": [format!("I want to send my token={HIDDEN}")]});
    let keyed = [("Idempotency-Key", "k1")];
    let a2a = message(json!([{"data": sent}]));
    let calls: [Call<'_>; 8] = [
        ("/v1/submissions", "http", &[], sent.clone(), 1),
        ("/v1/submissions", "with a key", &keyed, sent.clone(), 1),
        ("/v1/submissions:validate", "checked", &[], sent.clone(), 0),
        (
            "/v1/submissions:batch",
            "many",
            &[],
            json!({"submissions": [sent, sent]}),
            2,
        ),
        ("/rpc", "rpc", &[], rpc("submit_payload", &sent), 1),
        ("/mcp", "mcp", &mcp, tool, 1),
        ("/a2a/message:send", "a2a", &[super::VERSION], a2a, 1),
        ("/v1/scenarios/gate_pass/extensions", "wish", &[], wishes, 0),
    ];
    let count = || sealed(&journal).matches(r#""payload":{"token""#).count();
    for (path, what, headers, body, kept) in calls {
        let before = count();
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([ADA]).collect();
        let (reply, text) = server.call_with_text("POST", path, &headers, &body.to_string());
        assert!([200, 202].contains(&reply.status), "{what}: {text}");
        assert!(!text.contains(HIDDEN), "{what}: {text}");
        assert!(count() >= before + kept, "{what} is on record");
    }
    let record = sealed(&journal);
    assert!(!record.contains(HIDDEN), "{record}");
    for (text, is_kept) in [
        (PASS, true),
        ("I need a ladder", true),
        ("side: north", true),
        // Nobody asks for a secret.
        ("api key: ", false),
        ("accessToken: ", false),
    ] {
        assert_eq!(record.contains(text), is_kept, "{text}: {record}");
    }
    // What is served of what was learned, looked at and waits for people.
    for path in [
        "/v1/scenarios/gate_pass/pool",
        "/v1/scenarios/gate_pass/patches",
        "/v1/audits",
        "/metrics",
    ] {
        let (_, text) = server.call_with_text("GET", path, &[ADA], "");
        assert!(!text.contains(HIDDEN), "{path}: {text}");
    }
}

#[test]
fn a_misspelt_key_of_a_secret_becomes_no_demand_x02() {
    let (server, journal) = server();
    let mut payload = payload();
    payload["tokne"] = json!("Tulip0mnw");
    payload["pasword"] = json!(format!("password={HIDDEN}"));
    payload["side"] = json!("north");
    let sent = json!({"schema_id": "gate_pass_v1", "payload": payload});
    let (reply, text) = server.call_with_text("POST", "/v1/submissions", &[ADA], &sent.to_string());
    assert!([200, 422].contains(&reply.status), "{text}");
    let record = sealed(&journal);
    assert!(record.contains("side: north"), "{record}");
    assert!(!record.contains("tokne: ") && !record.contains(HIDDEN), "{record}");
}

#[test]
fn words_and_metadata_of_a_message_are_kept_without_secrets_x02() {
    let (server, journal) = server();
    let typed = json!({"type": "gate_pass", "schemaVersion": "1.0", "idempotency_key": "sk-abcdefgh1234", "note": {"password": HIDDEN}});
    let mut sent =
        message(json!([{"text": format!("the password={HIDDEN}")}, {"data": {"token": PASS}, "metadata": typed}]));
    sent["message"]["metadata"] = json!({"api_key": HIDDEN});
    for _ in 0..2 {
        let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
        assert_eq!(task["status"]["state"], DONE, "{task}");
        let kept = result(&server, ADA, "GetTask", &json!({"id": task["id"], "historyLength": 10}));
        assert!(!kept.to_string().contains(HIDDEN), "{kept}");
        let key = &kept["history"][0]["parts"][1]["metadata"]["idempotency_key"];
        assert_eq!(key, "sk-abcdefgh1234", "{kept}");
    }
    assert!(!sealed(&journal).contains(HIDDEN));
}

#[test]
fn what_is_told_in_plain_words_is_kept_by_no_transport_and_the_rest_is_pooled_x02() {
    let (server, journal) = server();
    let told = [
        format!("I need a ladder, my password is {HIDDEN}"),
        format!("mot de passe : {HIDDEN}"),
        format!("set the PIN to {HIDDEN} and bring a lamp"),
    ];
    let sent = json!({"schema_id": "gate_pass_v1", "payload": {"token": PASS, "other": told, "side": format!("north, pw: {HIDDEN}")},
        "utterance": format!("minha senha é {HIDDEN}")});
    let wishes = json!({"wishes": told});
    let messages = message(json!([{"text": told[0]}, {"data": sent}]));
    for (path, headers, body) in [
        ("/v1/submissions", &[ADA][..], sent.clone()),
        ("/v1/scenarios/gate_pass/extensions", &[ADA][..], wishes),
        ("/a2a/message:send", &[ADA, super::VERSION][..], messages),
    ] {
        let (reply, text) = server.call_with_text("POST", path, headers, &body.to_string());
        assert!([200, 202].contains(&reply.status), "{path}: {text}");
        assert!(!text.contains(HIDDEN), "{path}: {text}");
        if path.ends_with("extensions") {
            let pooled = json!({"text": "I need a ladder", "fate": "pooled"});
            assert_eq!(reply.body["wishes"][0], pooled, "{text}");
            assert_eq!(reply.body["wishes"][1]["fate"], "no_demand", "{text}");
        }
    }
    let record = sealed(&journal);
    assert!(!record.contains(HIDDEN), "{record}");
    for left in [r#""I need a ladder""#, r#""bring a lamp""#, r#""side: north""#] {
        assert!(record.contains(left), "{left}: {record}");
    }
}

#[test]
fn an_address_that_looks_like_a_secret_is_not_repeated_x02() {
    let (server, _) = server();
    let key = "sk-live-abcdefgh1234";
    for (method, path, body) in [
        ("GET", format!("/v1/scenarios/{key}/template"), ""),
        ("GET", format!("/v1/scenarios/{key}/patches"), ""),
        ("GET", format!("/v1/patches/{key}"), ""),
        ("GET", format!("/v1/patches/{key}/evidence"), ""),
        ("GET", format!("/v1/schemas/{key}"), ""),
        ("GET", format!("/v1/conversations/{key}"), ""),
        ("GET", format!("/v1/tasks/{key}"), ""),
        ("GET", format!("/v1/sessions/{key}"), ""),
        ("GET", format!("/v1/agents/{key}/services"), ""),
        ("GET", format!("/a2a/tasks/{key}"), ""),
        ("DELETE", format!("/v1/webhooks/{key}"), ""),
    ] {
        let (reply, text) = server.call_with_text(method, &path, &[ADA, super::VERSION], body);
        assert!((400..500).contains(&reply.status), "{path}: {text}");
        assert!(!text.contains("live"), "{path}: {text}");
    }
    let submission = json!({"schema_id": key, "payload": {}});
    let (_, text) = server.call_with_text("POST", "/v1/submissions", &[ADA], &submission.to_string());
    assert!(text.contains("there is no schema [redacted]"), "{text}");
}
