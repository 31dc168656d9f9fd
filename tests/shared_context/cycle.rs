//! The document's cycle, its errors and sizes, and the same by addresses, by the body and by JSON-RPC.

use std::collections::BTreeSet;
use std::sync::Arc;

use schema::time::At;
use serde_json::Value;
use serde_json::json;
use store::journal::Erasure;
use store::journal::Journal;
use store::journal::JournalName;

use super::Agent;
use super::closed;
use super::read;
use super::timed;
use super::usual;
use super::written_by;
use crate::support::journals::journals;
use crate::support::server::over;

#[test]
fn the_documents_cycle_message_by_message_s001_s004_s007_s010_s018_s019_s046_s107() {
    let server = usual();
    let [lead, analysis, remediation] = ["lead", "analyst", "fixer"].map(|name| Agent::new(&server, name));
    lead.create(&json!({"session_id": "t", "participants": [
        {"principal": "analyst", "roles": ["subagent:analysis"]},
        {"principal": "fixer", "roles": ["subagent:remediation"]},
    ]}));
    for (key, value) in [
        ("current_phase", "analysis"),
        (
            "problem_summary",
            "Throughput dropped 30% after config change on Feb 18.",
        ),
        (
            "scope",
            "Identify which config parameter caused degradation. Do not modify production.",
        ),
        (
            "constraints",
            "Read-only access to prod. Staging available for experiments.",
        ),
    ] {
        let written = lead.write("t", key, value);
        assert_eq!((written_by(&written), &written["version"]), ("orchestrator", &json!(1)));
        assert!(At::parse(written["written_at"].as_str().expect("a moment")).is_some());
    }
    assert_eq!(
        analysis.keys("t"),
        ["constraints", "current_phase", "problem_summary", "scope"]
    );
    assert!(analysis.value("t", "scope").starts_with("Identify"));
    let findings = "Connection pool size reduced from 200 to 20 in Feb 18 config change.\n           Thread starvation under load.";
    assert_eq!(
        written_by(&analysis.write("t", "findings_summary", findings)),
        "subagent:analysis"
    );
    analysis.write("t", "open_questions", "Was the pool size change intentional?");
    let listed = lead.does("t", &json!({"action": "list_keys"}));
    let question = &listed["keys"][3];
    assert_eq!(
        (&question["key"], written_by(question)),
        (&json!("open_questions"), "subagent:analysis")
    );
    assert!(question.get("value").is_none(), "values are never listed");
    assert_eq!(
        lead.value("t", "open_questions"),
        "Was the pool size change intentional?"
    );
    lead.write(
        "t",
        "decisions_made",
        "Config change was accidental. User approves revert recommendation.",
    );
    let deleted = lead.does("t", &json!({"action": "delete", "key": "open_questions"}));
    assert_eq!(deleted, json!({"deleted": "open_questions", "previous_version": 1}));
    assert!(!remediation.keys("t").contains(&"open_questions".to_owned()));
    let found = remediation.does("t", &read("findings_summary"));
    assert_eq!(found["value"], findings, "word for word");
    let members: Vec<&String> = found.as_object().expect("an object").keys().collect();
    assert_eq!(
        members,
        ["key", "value", "written_by", "written_at", "version", "incarnation"]
    );
    let written = remediation.write("t", "deliverables_status", "Plan drafted.");
    assert_eq!(written_by(&written), "subagent:remediation");
}

#[test]
fn the_six_errors_have_their_codes_words_and_status_s022_s030_s032_s038_s050_s051_s052_s053_s054_s055_s056() {
    let server = usual();
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    for n in 0..10 {
        lead.write("s", &format!("k{n}"), &"x".repeat(4_000));
    }
    let totals = lead.does("s", &json!({"action": "list_keys"}));
    assert_eq!(
        (&totals["total_size_tokens"], &totals["max_total_tokens"]),
        (&json!(10_000), &json!(10_000))
    );
    let write = |key: &str, value: &str| json!({"action": "write", "key": key, "value": value});
    let delete = |key: &str| json!({"action": "delete", "key": key});
    let wrong = |session: &str, action: &Value, spelled: &str, status: u16| {
        let reply = lead.act(session, action);
        assert_eq!(
            (reply.status, &reply.body["error"]["code"]),
            (status, &json!(spelled)),
            "{action}"
        );
        assert_eq!(reply.body["code"], spelled.to_lowercase());
        assert_eq!(reply.body["error"]["message"], reply.body["detail"]);
    };
    for (session, action, spelled, status) in [
        ("s", read("nothing"), "KEY_NOT_FOUND", 404),
        ("s", delete("nothing"), "KEY_NOT_FOUND", 404),
        ("s", write("k0", &"x".repeat(4_001)), "VALUE_TOO_LARGE", 422),
        ("s", write("more", "x"), "STORE_FULL", 409),
        ("s", write("a.b", "v"), "INVALID_KEY", 400),
        ("s", read(&"k".repeat(65)), "INVALID_KEY", 400),
        ("elsewhere", read("k0"), "SESSION_NOT_FOUND", 404),
        ("no%20id", read("k0"), "SESSION_NOT_FOUND", 404),
    ] {
        wrong(session, &action, spelled, status);
    }
    assert_eq!(
        lead.call("POST", "/v1/sessions/s:archive", "").body["status"],
        "archived"
    );
    wrong("s", &write("k0", "x"), "SESSION_ARCHIVED", 409);
    wrong("s", &delete("k0"), "SESSION_ARCHIVED", 409);
    assert_eq!(lead.value("s", "k0").len(), 4_000, "it can be read");
    let deleted = lead.call("DELETE", "/v1/sessions/s", "").body;
    assert_eq!(deleted, json!({"session_id": "s", "deleted": true}));
    wrong("s", &read("k0"), "SESSION_NOT_FOUND", 404);
    let unread = lead.act("s", &json!({"action": "jump"})).body;
    assert_eq!(
        (&unread["code"], &unread["fields"][0]["field"]),
        (&json!("bad_request"), &json!("action"))
    );
}

#[test]
fn a_session_spans_days_and_many_write_one_key_at_once_s005_s015_s042() {
    let (server, clock) = timed();
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s", "config": {"history_versions": 20}}));
    lead.write("s", "first", "kept");
    clock.advance_ms(40 * 86_400_000);
    server.tick();
    let versions: BTreeSet<u64> = std::thread::scope(|scope| {
        let server = &server;
        let write = move |writer: u64| {
            let agent = Agent::new(server, "lead");
            let write = |n: u64| agent.write("s", "shared", &format!("{writer}.{n}"))["version"].as_u64();
            (0..5).filter_map(write).collect::<Vec<u64>>()
        };
        let writers: Vec<_> = (0..4).map(|writer| scope.spawn(move || write(writer))).collect();
        writers
            .into_iter()
            .flat_map(|writer| writer.join().expect("a writer"))
            .collect()
    });
    assert_eq!(versions, (1..=20).collect(), "every write happened, one after another");
    let history = lead.does("s", &json!({"action": "read_history", "key": "shared"}));
    let last = history["history"]
        .as_array()
        .and_then(|all| all.last())
        .expect("a version");
    assert_eq!(
        (&last["version"], &last["value"]),
        (&json!(20), &json!(lead.value("s", "shared")))
    );
    assert_eq!(lead.value("s", "first"), "kept");
}

#[test]
fn a_value_is_read_from_memory_and_takes_no_disk_s087() {
    let journal = Arc::new(journals());
    let server = closed(|_| {}, over(&journal));
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    lead.write("s", "k", "written a moment ago");
    let all = Erasure {
        from: 1,
        through: 2,
        before: At(i64::MAX),
        records_max: 2,
    };
    let erased = journal
        .erase(&JournalName("sessions/default".to_owned()), all)
        .expect("an erasure");
    assert_eq!(erased.blocking_recv().expect("an answer").expect("erased").records, 1);
    assert_eq!(lead.value("s", "k"), "written a moment ago");
}

#[test]
fn a_deleted_sessions_values_are_erased_at_once_and_overwritten_ones_with_time_s047_s096_s099() {
    let journal = Arc::new(journals());
    let server = closed(|_| {}, over(&journal));
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "s", "config": {"history_versions": 2, "namespace": [
        {"title": "secretive", "keys": []}]}}),
    );
    for n in 0..4 {
        lead.write("s", "k", &format!("secretive {n}"));
    }
    // How many sealed parts hold the word, and whether any open part does.
    let holding = || {
        let records = journal
            .read(&JournalName("sessions/default".to_owned()), 1, 100)
            .expect("records");
        let has = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("secretive");
        let sealed = records.iter().filter(|record| has(&record.sealed)).count();
        (sealed, records.iter().any(|record| has(&record.open)))
    };
    assert_eq!(holding(), (5, false), "values lie in sealed parts alone");
    server.tick();
    assert_eq!(holding(), (3, false), "the namespace and two versions");
    assert_eq!(lead.told("DELETE", "/v1/sessions/s", &Value::Null), "200 ");
    assert_eq!(holding(), (0, false), "as soon as it is answered");
}

#[test]
fn addresses_say_what_the_body_form_says_s013_s014_s017_s021_s024_s029_s058_s080_s084() {
    let server = usual();
    let lead = Agent::new(&server, "lead");
    let made = lead.create(&json!({}));
    let id = made["session_id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("ses_") && id.len() == 36, "{id}");
    let at = |rest: &str| format!("/v1/sessions/{id}{rest}");
    let body = json!({"value": "text", "written_by": "subagent:forged"}).to_string();
    let written = lead.call("PUT", &at("/keys/scope"), &body).body;
    assert_eq!(
        (&written["key"], written_by(&written)),
        (&json!("scope"), "orchestrator")
    );
    assert_eq!(lead.get(&at("/keys")), lead.does(&id, &json!({"action": "list_keys"})));
    let found = lead.call("GET", &at("/keys/scope"), "");
    assert_eq!(found.headers["Cache-Control"], "no-store");
    assert_eq!(found.body, lead.does(&id, &read("scope")));
    let batch = lead
        .call("POST", &at("/keys:read"), r#"{"keys":["scope","nothing","A"]}"#)
        .body;
    let results = &batch["results"];
    assert_eq!(
        (&results[0]["value"], &results[1]["key"]),
        (&json!("text"), &json!("nothing"))
    );
    assert_eq!(results[1]["error"]["code"], "KEY_NOT_FOUND");
    assert_eq!(results[2]["error"]["code"], "INVALID_KEY");
    let incarnation = found.body["incarnation"].as_u64().expect("an incarnation");
    let stale = lead.call("DELETE", &at("/keys/scope?if_version=2"), "");
    assert_eq!((stale.status, &stale.body["current_version"]), (409, &json!(1)));
    assert_eq!(stale.body["current_incarnation"], incarnation);
    let delete = |wanted: u64| {
        let path = at(&format!("/keys/scope?if_version=1&if_incarnation={wanted}"));
        lead.call("DELETE", &path, "").body
    };
    assert_eq!(delete(0)["code"], "version_conflict");
    assert_eq!(delete(incarnation), json!({"deleted": "scope", "previous_version": 1}));
    let again = lead.call("PUT", &at("/keys/scope"), r#"{"value":"back"}"#).body;
    assert_eq!(again["version"], 1, "a key that is not there is created (S-026, S-031)");
    let stale = format!(r#"{{"value":"over it","if_version":1,"if_incarnation":{incarnation}}}"#);
    let refused = lead.call("PUT", &at("/keys/scope"), &stale);
    assert_eq!(
        (refused.status, &refused.body["current_incarnation"]),
        (409, &again["incarnation"])
    );
    assert_eq!(
        lead.get("/v1/sessions?limit=1")["sessions"][0]["session_id"],
        id.as_str()
    );
    assert_eq!(lead.get(&at(""))["key_count"], 1);
    assert_eq!(
        lead.told("GET", "/v1/sessions?limit=0", &Value::Null),
        "400 bad_parameter"
    );
    // An address that its body contradicts is refused.
    for (members, status) in [
        (json!({"key": "two", "value": "v"}), 400),
        (json!({"action": "delete", "value": "v"}), 400),
        (json!({"session_id": "t", "value": "v"}), 400),
        (
            json!({"session_id": id, "key": "one", "action": "write", "value": "v"}),
            200,
        ),
    ] {
        let reply = lead.call("PUT", &at("/keys/one"), &members.to_string());
        assert_eq!(reply.status, status, "{members}");
    }
}

#[test]
fn json_rpc_says_the_same_s007_s014() {
    let server = usual();
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "s", "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    let rpc = |name: &str, params: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "shared_context", "params": params});
        Agent::new(&server, name).call("POST", "/rpc", &call.to_string()).body
    };
    let written = rpc(
        "analyst",
        json!({"session_id": "s", "action": "write", "key": "k", "value": "v"}),
    );
    assert_eq!(written_by(&written["result"]), "subagent:analysis", "{written}");
    assert_eq!(lead.value("s", "k"), "v");
    let refused = rpc("stranger", json!({"session_id": "s", "action": "read", "key": "k"}));
    assert_eq!(refused["error"]["code"], 40_452, "{refused}");
    assert_eq!(refused["error"]["data"]["error"]["code"], "SESSION_NOT_FOUND");
    let nameless = rpc("lead", json!({"action": "list_keys"}));
    assert_eq!(nameless["error"]["code"], -32_602, "{nameless}");
}
