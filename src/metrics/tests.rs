//! What the metrics page says.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Command;
use std::process::Stdio;

use super::Metrics;
use super::census::DeliveryCensus;
use crate::app::conversations::ConversationCensus;
use crate::app::delivery::WebhookCensus;
use crate::app::learning::KeyStats;
use crate::app::learning::ScenarioStats;
use crate::app::ports::Observer;
use crate::app::sessions::SessionCounts;
use crate::app::task_contexts::TaskContextCounts;
use crate::app::telemetry::FETCHED;
use crate::app::telemetry::Fate;
use crate::app::telemetry::Outcome;
use crate::app::telemetry::ReaderOutcome;
use crate::app::telemetry::SENSITIVE_PART;
use crate::app::telemetry::SENSITIVE_TURN;
use crate::app::telemetry::TaskContextStep;
use crate::wire::authenticator::Health;
use crate::wire::authenticator::MetricsPage;
use context::task_context::evaluation::Judged;
use engine::scenario::submission::Ending;
use schema::time::At;

const WELL: Health = Health {
    ready: true,
    writable: Some(true),
    read_only: Some(false),
    free_bytes: Some(4_096),
};

fn scenario(name: &str, keys: usize) -> ScenarioStats {
    ScenarioStats {
        scenario: name.to_owned(),
        other_ratio: Some(0.25),
        clients: 5,
        pending: 2,
        stalled: name == "b",
        frozen: name == "b",
        approval_waits_s: 60,
        waits: vec![("gate", 2), ("sensitive", 1)],
        languages: [("de".to_owned(), 0.25), ("en".to_owned(), 0.75)].into(),
        audits_waiting: 3,
        audits: vec![("aligned", 7), ("not_aligned", 1)],
        reembedding: 5,
        clusters: 3,
        heat_max: 51.5,
        keys_by_stage: vec![("experimental", 2), ("stable", 1), ("expired", 0)],
        keys: (0..keys)
            .map(|n| KeyStats {
                key: format!("key_{n}"),
                stage: "experimental",
                usage_ratio: Some(0.5),
                alignment_ratio: None,
                type_ratio: Some(1.0),
                adoption_ratio: Some(0.0),
            })
            .collect(),
        queue_length: 4,
    }
}

fn full_page() -> String {
    let metrics = Metrics::new(2, 2).expect("metrics");
    metrics.submission("a", Outcome::Accepted, 0.002);
    metrics.fragment("a", Fate::Joined);
    metrics.trigger("a", "global");
    metrics.change("a", "stable");
    metrics.review("a", ReaderOutcome::Answered { refused: 2 });
    metrics.review("b", ReaderOutcome::Failed);
    metrics.backed_up(At(1_750));
    metrics.on_commit()(0.004, 17);
    metrics.on_embed()(0.02, 1);
    let webhook = WebhookCensus {
        id: "wh_1".to_owned(),
        paused: true,
        delivered: 5,
        failed: 2,
        waiting: 4,
    };
    let delivery = DeliveryCensus {
        streams_open: 3,
        webhooks: vec![webhook],
    };
    metrics.watch(move |families| families.read_delivery(&delivery));
    metrics.on_model(|| (7, 900))("judge", "answered", 0.5, 120);
    metrics.execution("a", Ending::TimedOut, 1.5);
    metrics.watch(|families| families.read_executors((2, 1)));
    metrics.context("write", Outcome::Accepted, 0.002);
    let sessions = SessionCounts {
        open: 3,
        archived: 1,
        keys: 17,
    };
    metrics.watch(move |families| families.read_sessions(&sessions));
    metrics.task_context(TaskContextStep::Begun);
    metrics.verdict(Judged::Unverified);
    let task_contexts = TaskContextCounts {
        open: 2,
        closed: 1,
        subtasks: BTreeMap::from([("sent", 4)]),
        contents: 3,
        content_bytes: 700,
        content_bytes_max: 1_000,
    };
    metrics.watch(move |families| families.read_task_contexts(&task_contexts));
    metrics.conversation("said");
    metrics.passed(FETCHED);
    metrics.withheld(SENSITIVE_TURN, 2);
    metrics.withheld(SENSITIVE_PART, 0);
    metrics.message("render", Outcome::TurnedAway);
    let conversations = ConversationCensus {
        conversations: 3,
        turns: 31,
        summarised_turns: 20,
    };
    metrics.watch(move |families| families.read_conversations(&conversations));
    let scenarios = [("a", 4), ("b", 1), ("c", 1), ("d", 1)].map(|(name, keys)| scenario(name, keys));
    metrics.page(&scenarios, WELL).expect("a page")
}

/// Says of each line that it is on the page.
fn holds(page: &str, lines: &[&str]) {
    for line in lines {
        assert!(page.lines().any(|found| found == *line), "{line}\n{page}");
    }
}

#[test]
fn a_models_calls_tokens_and_budget_are_shown_where_there_is_one() {
    let page = full_page();
    holds(
        &page,
        &[
            r#"otherwise_model_questions_total{outcome="answered",use="judge"} 1"#,
            r#"otherwise_model_tokens_total{use="judge"} 120"#,
            r#"otherwise_model_questions_total{outcome="answered",use="reader"} 0"#,
            r#"otherwise_model_tokens_total{use="reader"} 0"#,
            r#"otherwise_model_budget_left{unit="calls"} 7"#,
            r#"otherwise_model_budget_left{unit="tokens"} 900"#,
            "otherwise_model_seconds_count 1",
        ],
    );
    let without = Metrics::new(2, 2).expect("metrics").page(&[], WELL).expect("a page");
    assert!(!without.contains("otherwise_model"), "{without}");
}

#[test]
fn series_beyond_the_caps_are_counted_together() {
    let page = full_page();
    holds(
        &page,
        &[
            r#"otherwise_submissions_total{outcome="accepted",scenario="a"} 1"#,
            r#"otherwise_pool_clusters{scenario="_overflow"} 6"#,
            r#"otherwise_pool_reembedding{scenario="_overflow"} 10"#,
            r#"otherwise_queue_length{scenario="_overflow"} 8"#,
            r#"otherwise_heat_max{scenario="_overflow"} 51.5"#,
            r#"otherwise_submissions_pending{scenario="_overflow"} 4"#,
            r#"otherwise_clients{scenario="_overflow"} 10"#,
            r#"otherwise_scenario_stalled{scenario="b"} 1"#,
            r#"otherwise_scenario_stalled{scenario="_overflow"} 0"#,
            r#"otherwise_scenario_frozen{scenario="a"} 0"#,
            r#"otherwise_scenario_frozen{scenario="b"} 1"#,
            r#"otherwise_approval_waiting_seconds{scenario="_overflow"} 60"#,
            r#"otherwise_waits{reason="sensitive",scenario="a"} 1"#,
            r#"otherwise_waits{reason="gate",scenario="_overflow"} 4"#,
            r#"otherwise_pool_languages{language="de",scenario="a"} 0.25"#,
            r#"otherwise_audits_waiting{scenario="_overflow"} 6"#,
            r#"otherwise_audits_total{scenario="a",verdict="aligned"} 7"#,
            r#"otherwise_audits_total{scenario="_overflow",verdict="not_aligned"} 2"#,
            "otherwise_read_only 0",
            "otherwise_store_free_bytes 4096",
            r#"otherwise_keys{scenario="_overflow",stage="experimental"} 4"#,
            r#"otherwise_keys{scenario="a",stage="expired"} 0"#,
            r#"otherwise_key_usage_ratio{key="_overflow",scenario="a",stage="experimental"} 0.5"#,
            r#"otherwise_key_usage_ratio{key="key_1",scenario="a",stage="experimental"} 0.5"#,
        ],
    );
    assert!(!page.contains("key_2"), "{page}");
    assert!(!page.contains(r#"scenario="c""#), "{page}");
    for none in [
        r#"otherwise_other_ratio{scenario="_overflow"}"#,
        r#"otherwise_pool_languages{language="de",scenario="_overflow"}"#,
        // A ratio that is undefined everywhere has no series (Z-160).
        "otherwise_key_alignment_ratio",
    ] {
        assert!(!page.contains(none), "{page}");
    }
}

#[test]
fn counters_stand_at_zero_before_their_first_event() {
    let page = full_page();
    holds(
        &page,
        &[
            r#"otherwise_key_changes_total{change="stable",scenario="a"} 1"#,
            r#"otherwise_key_changes_total{change="proposed",scenario="a"} 0"#,
            r#"otherwise_submissions_total{outcome="failed",scenario="b"} 0"#,
            r#"otherwise_fragments_total{fate="failed",scenario="_overflow"} 0"#,
            r#"otherwise_triggers_total{audience="client",scenario="b"} 0"#,
            r#"otherwise_reader_reviews_total{outcome="answered",scenario="a"} 1"#,
            r#"otherwise_reader_reviews_total{outcome="failed",scenario="a"} 0"#,
            r#"otherwise_reader_reviews_total{outcome="failed",scenario="b"} 1"#,
            r#"otherwise_reader_refusals_total{scenario="a"} 2"#,
            r#"otherwise_reader_refusals_total{scenario="_overflow"} 0"#,
        ],
    );
}

#[test]
fn what_agents_share_and_who_is_called_is_counted_from_zero_z007() {
    let page = full_page();
    holds(
        &page,
        &[
            r#"otherwise_executions_total{outcome="timed_out",scenario="a"} 1"#,
            r#"otherwise_executions_total{outcome="answered",scenario="a"} 0"#,
            r#"otherwise_executors_left_alone{state="open"} 2"#,
            r#"otherwise_executors_left_alone{state="half_open"} 1"#,
            "otherwise_execution_seconds_count 1",
            r#"otherwise_context_operations_total{operation="write",outcome="accepted"} 1"#,
            r#"otherwise_context_operations_total{operation="rollback",outcome="failed"} 0"#,
            r#"otherwise_context_seconds_count{operation="write"} 1"#,
            r#"otherwise_context_sessions{state="open"} 3"#,
            r#"otherwise_context_sessions{state="archived"} 1"#,
            "otherwise_context_keys 17",
            r#"otherwise_task_context_events_total{event="begun"} 1"#,
            r#"otherwise_task_context_events_total{event="removed"} 0"#,
            r#"otherwise_task_context_verdicts_total{verdict="unverified"} 1"#,
            r#"otherwise_task_context_verdicts_total{verdict="verified"} 0"#,
            r#"otherwise_task_contexts{state="open"} 2"#,
            r#"otherwise_task_contexts{state="closed"} 1"#,
            r#"otherwise_task_context_subtasks{state="sent"} 4"#,
            r#"otherwise_task_context_subtasks{state="waiting"} 0"#,
            "otherwise_task_context_contents 3",
            "otherwise_task_context_content_bytes 700",
            "otherwise_task_context_content_bytes_max 1000",
            r#"otherwise_conversation_events_total{event="said"} 1"#,
            r#"otherwise_conversation_events_total{event="removed"} 0"#,
            r#"otherwise_conversation_contexts_total{how="fetched"} 1"#,
            r#"otherwise_conversation_contexts_total{how="embedded"} 0"#,
            r#"otherwise_conversation_withheld_total{what="sensitive_turn"} 2"#,
            r#"otherwise_conversation_withheld_total{what="sensitive_part"} 0"#,
            r#"otherwise_message_operations_total{operation="render",outcome="turned_away"} 1"#,
            r#"otherwise_message_operations_total{operation="register",outcome="failed"} 0"#,
            "otherwise_conversations 3",
            "otherwise_conversation_turns 31",
            "otherwise_conversation_summarised_turns 20",
        ],
    );
}

#[test]
fn what_is_gone_leaves_no_series_behind() {
    let metrics = Metrics::new(2, 2).expect("metrics");
    let before = metrics.page(&[scenario("a", 1)], WELL).expect("a page");
    let after = metrics.page(&[], WELL).expect("a page");
    for name in [
        "otherwise_clients",
        "otherwise_key_usage_ratio",
        "otherwise_audits_total",
    ] {
        assert!(before.contains(name) && !after.contains(name), "{name}\n{after}");
    }
    let again = metrics.page(&[scenario("a", 1)], WELL).expect("a page");
    assert!(
        again.contains("otherwise_clients{scenario=\"a\"} 5"),
        "it is not added up: {again}"
    );
}

#[test]
fn health_is_told_as_it_is() {
    let metrics = Metrics::new(2, 2).expect("metrics");
    for (ready, writable) in [
        (true, Some(true)),
        (false, Some(true)),
        (false, Some(false)),
        (false, None),
    ] {
        let health = Health {
            ready,
            writable,
            ..WELL
        };
        let page = metrics.page(&[], health).expect("a page");
        holds(&page, &[&format!("otherwise_ready {}", u8::from(ready))]);
        match writable {
            Some(writable) => holds(&page, &[&format!("otherwise_store_writable {}", u8::from(writable))]),
            None => assert!(
                !page.contains("otherwise_store_writable"),
                "nothing is known yet: {page}"
            ),
        }
    }
}

#[test]
fn promtool_finds_nothing_to_say() {
    let child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: promtool is not installed");
        return;
    };
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(full_page().as_bytes())
        .expect("written");
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.trim().is_empty(), "{said}");
}
