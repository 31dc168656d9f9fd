//! Secrets in parts of data: what a template declares is its own affair, whatever it is called; what it does not, and what no
//! template reads, is taken out by its name before anything is kept.

use std::sync::Arc;

use otherwise::edge::boot::parts::PartsOverride;
use otherwise::edge::store::memory::Memory;
use otherwise::service::ports::Journal;
use otherwise::service::ports::JournalName;
use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::DONE;
use super::message;
use super::result;
use crate::support::server::Server;

/// What nothing may ever show.
const HIDDEN: &str = "swordfish-4711";
/// What a key of the template holds.
const PASS: &str = "T-2044-88";

/// A template with a key that is called as a secret is.
fn server() -> (Server, Arc<Memory>) {
    let gate = json!({"schema_id": "gate_pass_v1", "scenario": "gate_pass", "keys": [
        {"key_name": "token", "key_type": "string", "required": true, "semantic_description": "The token that opens the gate."},
        {"key_name": "holder", "key_type": "object", "required": false, "semantic_description": "Who holds it."}]});
    let journal: Arc<Memory> = Arc::new(Memory::default());
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

fn sealed(journal: &Memory) -> String {
    let names = ["tasks/default", "scenarios/gate_pass", "gate_pass"];
    let records = names.iter().flat_map(|name| {
        journal
            .read(&JournalName((*name).to_owned()), 1, 1_000)
            .unwrap_or_default()
    });
    let texts = records.map(|record| String::from_utf8_lossy(&record.sealed).into_owned());
    texts.collect()
}

#[test]
fn what_a_template_declares_stays_in_a_part_and_what_it_does_not_is_taken_out_p030_p038_x02() {
    let (server, journal) = server();
    let typed = json!({"data": payload(), "metadata": {"type": "gate_pass", "schemaVersion": "1.0"}});
    let whole = json!({"data": {"schema_id": "gate_pass_v1", "payload": payload()}});
    for part in [typed, whole] {
        let task = result(&server, ADA, "SendMessage", &message(json!([part])))["task"].clone();
        assert_eq!(task["status"]["state"], DONE, "{task}");
        let taken = &task["artifacts"][0]["parts"][0]["data"]["payload"];
        assert_eq!(
            (&taken["token"], &taken["holder"]["password"]),
            (&json!(PASS), &json!(PASS)),
            "{task}"
        );
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
