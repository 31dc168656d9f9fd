//! An executor whose answers are not what they should be.

use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::executor::server;
use crate::support::agent::Act;
use crate::support::agent::Agent;

const JSON: &str = "Content-Type: application/json\r\n";

fn say(headers: &str, body: &str) -> Act {
    Act::Say(200, headers.to_owned(), body.to_owned())
}

/// The code that an act leads to, how often it was called, and the problem.
fn ends(act: Act, executor: &Value) -> (u16, String, usize, Value) {
    let agent = Agent::start(move |_, _| act.clone());
    let server = server(&agent, executor, |settings| settings.executors.answer_bytes_max = 4_096);
    let reply = server.submit("castle");
    let (status, code) = reply.told();
    if status != 200 {
        let exchange = &reply.body["exchange"];
        // A redirect says neither yes nor no.
        let is_no = reply.body["executor_status"]
            .as_u64()
            .is_none_or(|status| status >= 400);
        let known = if code == "executor_refused" && is_no {
            "not_executed"
        } else {
            "maybe_executed"
        };
        assert_eq!(exchange["status"], known, "{}", reply.body);
        let id = exchange["submission_id"].as_str().unwrap_or_default();
        assert_eq!(
            agent
                .called()
                .first()
                .and_then(|called| called.header("idempotency-key")),
            Some(id)
        );
    }
    assert_eq!(server.payloads(), 1, "on record either way");
    (status, code.to_owned(), agent.called().len(), reply.body.clone())
}

#[test]
fn a_result_that_is_not_what_was_promised_is_named_without_its_values_z020() {
    for (act, misfits) in [
        (
            Act::Answer(json!({"ticket": 8128})),
            json!([{"pointer": "/ticket", "keyword": "type"}]),
        ),
        (
            Act::Answer(json!({"seat": 8128})),
            json!([{"pointer": "", "keyword": "required"}]),
        ),
        (
            Act::Answer(json!({"ticket": "8128", "exchange": {"status": "8128"}, "schema_update_suggestion": 8128})),
            json!([{"pointer": "/exchange", "keyword": "reserved"},
                   {"pointer": "/schema_update_suggestion", "keyword": "reserved"}]),
        ),
    ] {
        let (status, code, calls, problem) = ends(act, &json!({}));
        assert_eq!((status, code.as_str(), calls), (502, "bad_result", 1), "{problem}");
        assert_eq!(problem["misfits"], misfits);
        assert!(!problem.to_string().contains("8128"), "{problem}");
    }
}

#[test]
fn an_answer_that_is_no_object_of_json_is_a_bad_result_z007() {
    let long = json!({"ticket": "x".repeat(4_096)}).to_string();
    for (act, said) in [
        (Act::Answer(json!([{"ticket": "T"}])), "not a JSON object"),
        (Act::Answer(json!("T")), "not a JSON object"),
        (say(JSON, "{\"ticket\": "), "not JSON"),
        (say(JSON, ""), "not JSON"),
        (
            say("Content-Type: text/html\r\n", "{\"ticket\": \"T\"}"),
            "Content-Type",
        ),
        (say("", "{\"ticket\": \"T\"}"), "Content-Type"),
        (Act::Say(204, JSON.to_owned(), String::new()), "not JSON"),
        (say(JSON, &long), "too large"),
    ] {
        let (status, code, calls, problem) = ends(act, &json!({}));
        assert_eq!((status, code.as_str(), calls), (502, "bad_result", 1), "{problem}");
        assert!(
            problem["detail"].as_str().is_some_and(|detail| detail.contains(said)),
            "{problem}"
        );
    }
    let fits = 4_096 - "{\"ticket\":\"\"}".len();
    let (status, ..) = ends(Act::Answer(json!({"ticket": "x".repeat(fits)})), &json!({}));
    assert_eq!(status, 200, "the largest answer that is read");
}

#[test]
fn a_redirect_is_never_followed_and_a_refusal_is_the_last_word_z007() {
    let elsewhere = Agent::start(|_, _| Act::Answer(json!({"ticket": "stolen"})));
    for (act, status) in [
        (
            Act::Say(302, format!("Location: {}\r\n", elsewhere.url()), String::new()),
            302,
        ),
        (
            Act::Say(307, format!("Location: {}\r\n", elsewhere.url()), String::new()),
            307,
        ),
        (Act::Say(409, JSON.to_owned(), "{\"ticket\": \"T\"}".to_owned()), 409),
    ] {
        let (told, code, calls, problem) = ends(act, &json!({}));
        assert_eq!((told, code.as_str(), calls), (502, "executor_refused", 1), "{problem}");
        assert_eq!(problem["executor_status"], status);
    }
    assert_eq!(elsewhere.called().len(), 0);
}

#[test]
fn a_failure_is_tried_again_only_where_that_may_help_z007() {
    for (act, calls) in [
        (Act::Say(500, String::new(), String::new()), 1),
        (Act::Say(501, String::new(), String::new()), 1),
        (Act::Say(502, String::new(), String::new()), 2),
        (Act::Say(503, String::new(), String::new()), 2),
        (Act::Say(504, String::new(), String::new()), 2),
        (Act::Say(429, String::new(), String::new()), 2),
        (Act::Hang, 2),
        (Act::Cut, 2),
    ] {
        let (status, code, made, problem) = ends(act.clone(), &json!({"attempts": 2}));
        assert_eq!(
            (status, code.as_str(), made),
            (502, "executor_failed", calls),
            "{act:?} {problem}"
        );
    }
}

#[test]
fn a_stall_and_a_drip_end_with_the_executors_time_z007() {
    let begun = std::time::Instant::now();
    let result = json!({"ticket": "T"});
    for act in [
        Act::Stall(Duration::from_secs(5), result.clone()),
        Act::Drip(Duration::from_millis(100), result.clone()),
    ] {
        let (status, code, _, problem) = ends(act, &json!({"timeout_ms": 600, "attempts": 2}));
        assert_eq!((status, code.as_str()), (504, "executor_timeout"), "{problem}");
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let (status, ..) = ends(Act::Drip(Duration::from_millis(1), result), &json!({}));
    assert_eq!(status, 200, "slow, and in time");
}
