//! The document's cycle, its errors and sizes, and sessions that span days.

use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use schema::time::At;
use serde_json::json;
use store::journal::Erasure;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;

use super::Agent;
use super::closed;
use super::timed;
use super::written_by;

#[test]
fn the_documents_cycle_message_by_message_s001_s004_s007_s010_s018_s019_s046_s107() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "throughput", "participants": [
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
        let written = lead.write("throughput", key, value);
        assert_eq!((written_by(&written), &written["version"]), ("orchestrator", &json!(1)));
        assert_eq!(written["key"], key);
        assert!(At::parse(written["written_at"].as_str().expect("a moment")).is_some());
    }
    let analysis = Agent::new(&server, "analyst");
    assert_eq!(
        analysis.keys("throughput"),
        ["constraints", "current_phase", "problem_summary", "scope"]
    );
    for key in ["problem_summary", "scope", "constraints"] {
        assert!(!analysis.value("throughput", key).is_empty());
    }
    let findings = "Connection pool size reduced from 200 to 20 in Feb 18 config change.\n           Thread starvation under load.";
    assert_eq!(
        written_by(&analysis.write("throughput", "findings_summary", findings)),
        "subagent:analysis"
    );
    analysis.write("throughput", "open_questions", "Was the pool size change intentional?");
    let listed = lead.does("throughput", &json!({"action": "list_keys"}));
    assert_eq!(lead.keys("throughput").len(), 6);
    let question = &listed["keys"][3];
    assert_eq!(
        (question["key"].as_str(), written_by(question)),
        (Some("open_questions"), "subagent:analysis")
    );
    assert!(question.get("value").is_none(), "values are never listed");
    assert_eq!(
        lead.value("throughput", "open_questions"),
        "Was the pool size change intentional?"
    );
    lead.write(
        "throughput",
        "decisions_made",
        "Config change was accidental. User approves revert recommendation.",
    );
    let deleted = lead.does("throughput", &json!({"action": "delete", "key": "open_questions"}));
    assert_eq!(deleted, json!({"deleted": "open_questions", "previous_version": 1}));
    let remediation = Agent::new(&server, "fixer");
    assert!(!remediation.keys("throughput").contains(&"open_questions".to_owned()));
    assert_eq!(
        remediation.value("throughput", "findings_summary"),
        findings,
        "word for word"
    );
    assert!(remediation.value("throughput", "decisions_made").contains("accidental"));
    let read = remediation.does("throughput", &json!({"action": "read", "key": "findings_summary"}));
    let members: Vec<&String> = read.as_object().expect("an object").keys().collect();
    assert_eq!(
        members,
        ["key", "value", "written_by", "written_at", "version", "incarnation"]
    );
    assert_eq!(
        written_by(&remediation.write("throughput", "deliverables_status", "Plan drafted.")),
        "subagent:remediation"
    );
}

#[test]
fn the_six_errors_have_their_codes_words_and_status_s022_s030_s032_s038_s050_s051_s052_s053_s054_s055_s056() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    let missing = json!({"action": "read", "key": "nothing"});
    let cases = [
        ("KEY_NOT_FOUND", "key_not_found", 404, missing.clone()),
        (
            "KEY_NOT_FOUND",
            "key_not_found",
            404,
            json!({"action": "delete", "key": "nothing"}),
        ),
        (
            "VALUE_TOO_LARGE",
            "value_too_large",
            422,
            json!({"action": "write", "key": "k", "value": "x".repeat(4_001)}),
        ),
        (
            "INVALID_KEY",
            "invalid_key",
            400,
            json!({"action": "write", "key": "a.b", "value": "v"}),
        ),
        (
            "INVALID_KEY",
            "invalid_key",
            400,
            json!({"action": "read", "key": "k".repeat(65)}),
        ),
    ];
    for (spelled, code, status, action) in cases {
        let reply = lead.act("s", &action);
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (status, &json!(code)),
            "{}",
            reply.body
        );
        assert_eq!(reply.body["error"]["code"], spelled);
        assert_eq!(reply.body["error"]["message"], reply.body["detail"]);
    }
    for n in 0..10 {
        lead.write("s", &format!("k{n}"), &"x".repeat(4_000));
    }
    for action in [&json!({"action": "delete", "key": "nothing"}), &missing] {
        assert_eq!(lead.refused("s", action), "KEY_NOT_FOUND", "{action} among other keys");
    }
    let more = json!({"action": "write", "key": "more", "value": "x"});
    assert_eq!(lead.refused("s", &more), "STORE_FULL");
    assert_eq!(lead.value("s", "k0").len(), 4_000);
    let totals = lead.does("s", &json!({"action": "list_keys"}));
    assert_eq!(
        (&totals["total_size_tokens"], &totals["max_total_tokens"]),
        (&json!(10_000), &json!(10_000))
    );
    assert_eq!(lead.refused("elsewhere", &missing), "SESSION_NOT_FOUND");
    assert_eq!(lead.refused("no%20id", &missing), "SESSION_NOT_FOUND");
    assert_eq!(
        lead.call("POST", "/v1/sessions/s:archive", "").body["status"],
        "archived"
    );
    assert_eq!(
        lead.refused("s", &json!({"action": "write", "key": "k0", "value": "x"})),
        "SESSION_ARCHIVED"
    );
    assert_eq!(
        lead.refused("s", &json!({"action": "delete", "key": "k0"})),
        "SESSION_ARCHIVED"
    );
    assert_eq!(lead.value("s", "k0").len(), 4_000, "it can be read");
    assert_eq!(
        lead.call("DELETE", "/v1/sessions/s", "").body,
        json!({"session_id": "s", "deleted": true})
    );
    assert_eq!(lead.refused("s", &missing), "SESSION_NOT_FOUND");
    let unread = lead.act("s", &json!({"action": "jump"}));
    assert_eq!((unread.status, &unread.body["code"]), (400, &json!("bad_request")));
    assert_eq!(unread.body["fields"][0]["field"], "action");
}

#[test]
fn sizes_are_characters_whatever_the_script_and_large_values_are_spoken_of_s034_s064_s091() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "s"}));
    for (letter, count, warned, hinted) in [
        ("語", 4_000, true, false),
        ("ö", 3_197, true, false),
        ("ö", 3_196, false, true),
        ("ж", 2_001, false, true),
        ("ж", 2_000, false, false),
    ] {
        let written = lead.write("s", "k", &letter.repeat(count));
        assert_eq!(written.get("warning").is_some(), warned, "{letter} {count}: {written}");
        assert_eq!(written.get("hint").is_some(), hinted, "{letter} {count}: {written}");
        assert_eq!(lead.value("s", "k"), letter.repeat(count));
    }
    let large = json!({"action": "write", "key": "k", "value": "語".repeat(4_001)});
    assert_eq!(lead.refused("s", &large), "VALUE_TOO_LARGE");
}

#[test]
fn prompts_speak_of_the_session_s013_s058_s059_s060() {
    let server = closed(
        |settings| settings.sessions.value_tokens_hinted = 333,
        PartsOverride::default(),
    );
    let lead = Agent::new(&server, "lead");
    lead.create(&json!({"session_id": "usual"}));
    let usual = lead.call("GET", "/v1/sessions/usual/prompt", "").body;
    assert!(
        usual["namespace"]
            .as_str()
            .is_some_and(|text| text.contains("decisions_made"))
    );
    assert!(
        usual["write_discipline"]
            .as_str()
            .is_some_and(|text| text.contains("about 333 tokens"))
    );
    assert!(
        usual["text"]
            .as_str()
            .is_some_and(|text| text.contains("list_keys first"))
    );
    let namespace = json!([{"title": "CAPA", "keys": [{"key": "root_cause", "purpose": "why it happened"}]}]);
    lead.create(&json!({"session_id": "own", "config": {"namespace": namespace},
        "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}));
    let own = Agent::new(&server, "analyst")
        .call("GET", "/v1/sessions/own/prompt", "")
        .body;
    assert!(
        own["namespace"]
            .as_str()
            .is_some_and(|text| text.contains("root_cause: why it happened"))
    );
    assert_eq!(
        (&own["session_id"], &own["role"]),
        (&json!("own"), &json!("subagent:analysis"))
    );
    assert!(
        own["text"]
            .as_str()
            .is_some_and(|text| text.contains("session own as subagent:analysis"))
    );
    assert_eq!(
        Agent::new(&server, "stranger")
            .call("GET", "/v1/sessions/own/prompt", "")
            .status,
        404
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
    let versions: std::collections::BTreeSet<u64> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let server = &server;
                scope.spawn(move || {
                    let agent = Agent::new(server, "lead");
                    let write = |n| agent.write("s", "shared", &format!("{writer}.{n}"))["version"].as_u64();
                    (0..5).filter_map(write).collect::<Vec<u64>>()
                })
            })
            .collect();
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
        .cloned()
        .expect("a version");
    assert_eq!(
        (&last["version"], &last["value"]),
        (&json!(20), &json!(lead.value("s", "shared")))
    );
    assert_eq!(lead.value("s", "first"), "kept");
}

#[test]
fn a_value_is_read_from_memory_and_takes_no_disk_s087() {
    let journal = Arc::new(JournalStore::in_memory());
    let parts = PartsOverride {
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    };
    let server = closed(|_| {}, parts);
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
