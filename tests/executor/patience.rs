//! Attempts, the circuit breaker, and how much is called at once.

use std::net::TcpListener;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use crate::executor::server;
use crate::executor::ticket;
use crate::support::agent::Act;
use crate::support::agent::Agent;

#[test]
fn an_executor_that_recovers_is_tried_again_under_the_same_id_z007() {
    let agent = Agent::start(|number, _| match number {
        0 => Act::Say(503, "Retry-After: 1\r\n".to_owned(), String::new()),
        1 => Act::Hang,
        _ => Act::Answer(ticket(number)),
    });
    let server = server(&agent, &json!({"attempts": 3}), |_| {});
    let begun = Instant::now();
    let reply = server.submit("castle");
    reply.has(200, json!({"ticket": "T2"}));
    assert!(begun.elapsed() >= Duration::from_secs(1), "Retry-After is kept to");
    let called = agent.called();
    assert_eq!(called.len(), 3);
    let id = called[0].header("idempotency-key");
    assert!(
        id.is_some()
            && called
                .iter()
                .all(|one| one.header("idempotency-key") == id && one.body == called[0].body)
    );
}

#[test]
fn a_stalled_attempt_leaves_time_for_the_next_one_z007() {
    let agent = Agent::start(|number, _| match number {
        0 => Act::Stall(Duration::from_secs(5), ticket(0)),
        _ => Act::Answer(ticket(number)),
    });
    let server = server(&agent, &json!({"attempt_timeout_ms": 300, "attempts": 2}), |_| {});
    let reply = server.submit("castle");
    reply.has(200, json!({"ticket": "T1"}));
}

#[test]
fn what_asks_for_more_patience_than_there_is_time_is_not_waited_for_z007() {
    let agent = Agent::start(|_, _| Act::Say(503, "Retry-After: 60\r\n".to_owned(), String::new()));
    let server = server(&agent, &json!({}), |_| {});
    let begun = Instant::now();
    assert_eq!(server.submit("castle").told(), (502, "executor_failed"));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(agent.called().len(), 1);
}

#[test]
fn nobody_there_is_a_failure_and_after_some_in_a_row_it_is_left_alone_until_one_call_succeeds_z007() {
    let well = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = std::sync::Arc::clone(&well);
    let agent = Agent::start(move |number, _| {
        if seen.load(std::sync::atomic::Ordering::SeqCst) {
            Act::Answer(ticket(number))
        } else {
            Act::Hang
        }
    });
    let server = server(&agent, &json!({"attempts": 1}), |settings| {
        settings.executors.pause_after_faults = 2;
        settings.executors.pause_s = 1;
    });
    assert_eq!(server.submit("castle").told(), (502, "executor_failed"));
    assert_eq!(server.submit("castle").told(), (502, "executor_failed"));
    let paused = server.submit("castle");
    assert_eq!(paused.told(), (503, "executor_paused"), "{}", paused.body);
    assert_eq!(paused.headers["retry-after"], "1");
    assert!(
        paused.body["exchange"]["submission_id"].is_string(),
        "on record all the same"
    );
    assert_eq!(agent.called().len(), 2);
    assert!(server.measured(r#"otherwise_executors_left_alone{state="open"} 1"#));
    thread::sleep(Duration::from_millis(1_100));
    assert_eq!(
        server.submit("castle").told(),
        (502, "executor_failed"),
        "one call tries"
    );
    assert_eq!(
        server.submit("castle").told(),
        (503, "executor_paused"),
        "and it decides"
    );
    well.store(true, std::sync::atomic::Ordering::SeqCst);
    thread::sleep(Duration::from_millis(1_100));
    assert_eq!(server.submit("castle").status, 200);
    assert_eq!(server.submit("castle").status, 200);
    assert!(server.measured(r#"otherwise_executors_left_alone{state="open"} 0"#));
    assert!(server.measured(r#"otherwise_submissions_total{outcome="not_executed",scenario="tram"} 5"#));
}

#[test]
fn an_address_where_nobody_listens_is_told_from_a_bad_answer_z007() {
    let agent = Agent::start(|_, _| Act::Hang);
    let free = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address");
    let server = server(
        &agent,
        &json!({"url": format!("http://{free}/"), "attempts": 2}),
        |_| {},
    );
    let refused = server.submit("castle");
    assert_eq!(refused.told(), (502, "executor_failed"));
    assert_eq!(refused.body["exchange"]["status"], "not_executed", "nothing was sent");
    let retried = server.submit_with_key("k", "castle");
    assert_eq!(retried.body["exchange"]["status"], "not_executed");
    let again = server.submit_with_key("k", "castle");
    assert_eq!(
        again.body["exchange"]["status"], "maybe_executed",
        "of an earlier call no more is known than that it failed"
    );
}

#[test]
fn beyond_the_calls_at_once_the_answer_is_to_come_again_z007() {
    let agent = Agent::start(|number, _| Act::Stall(Duration::from_millis(800), ticket(number)));
    let server = server(&agent, &json!({}), |settings| {
        settings.server.workers = 2;
        settings.executors.calls_each_max = 2;
        settings.executors.calls_max = 2;
    });
    thread::scope(|scope| {
        let first: Vec<_> = (0..2).map(|_| scope.spawn(|| server.submit("castle"))).collect();
        agent.wait_for(2);
        let more = server.submit("castle");
        assert_eq!(more.told(), (503, "executor_busy"), "{}", more.body);
        assert_eq!(more.headers["retry-after"], "1");
        for one in first {
            assert_eq!(one.join().expect("a reply").status, 200);
        }
    });
    assert_eq!(server.submit("castle").status, 200, "a turn is free again");
}
