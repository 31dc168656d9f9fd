//! Idempotency keys where there is an executor: one key, one submission id, one result.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::executor::replayed;
use crate::executor::server;
use crate::executor::ticket;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::server::has;

#[test]
fn the_same_key_gets_the_same_result_after_a_restart_too_z007() {
    let agent = Agent::start(|number, _| {
        let mut result = ticket(number);
        // Longer than one record of the journal.
        result["note"] = json!("x".repeat(100_000));
        Act::Answer(result)
    });
    let data = tempfile::tempdir().expect("a folder");
    let place = data.path().display().to_string();
    let first = {
        let server = server(&agent, &json!({}), |settings| settings.data.folder.clone_from(&place));
        let first = server.submit_with_key("k", "castle");
        assert_eq!((first.status, replayed(&first)), (200, false), "{}", first.body);
        let again = server.submit_with_key("k", "castle");
        assert_eq!((again.status, replayed(&again)), (200, true));
        assert_eq!(again.body.to_string(), first.body.to_string());
        first
    };
    for _ in 0..2 {
        let server = server(&agent, &json!({}), |settings| settings.data.folder.clone_from(&place));
        let again = server.submit_with_key("k", "castle");
        assert_eq!((again.status, replayed(&again)), (200, true));
        assert_eq!(again.body.to_string(), first.body.to_string());
        assert_eq!(
            server.submit_with_key("k", "harbour").told(),
            (422, "idempotency_mismatch")
        );
        assert_eq!(server.payloads(), 1);
    }
    assert_eq!(agent.called().len(), 1);
}

#[test]
fn a_key_is_in_flight_until_the_result_is_there_z007() {
    let agent = Agent::start(|number, _| Act::Stall(Duration::from_millis(700), ticket(number)));
    let server = server(&agent, &json!({}), |settings| settings.server.workers = 2);
    let first = thread::scope(|scope| {
        let first = scope.spawn(|| server.submit_with_key("k", "castle"));
        agent.wait_for(1);
        let meanwhile = server.submit_with_key("k", "castle");
        assert_eq!(meanwhile.told(), (409, "idempotency_in_flight"));
        assert!(meanwhile.headers.contains_key("retry-after"));
        first.join().expect("a reply")
    });
    assert_eq!(first.status, 200);
    let again = server.submit_with_key("k", "castle");
    assert!(replayed(&again));
    assert_eq!(again.body, first.body);
    assert_eq!(agent.called().len(), 1);
}

#[test]
fn after_a_failure_the_same_key_calls_again_under_the_same_id_z007() {
    let well = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&well);
    let agent = Agent::start(move |number, _| {
        if seen.load(Ordering::SeqCst) {
            Act::Answer(ticket(number))
        } else {
            Act::Say(500, String::new(), String::new())
        }
    });
    let data = tempfile::tempdir().expect("a folder");
    let place = data.path().display().to_string();
    let failed = {
        let server = server(&agent, &json!({}), |settings| settings.data.folder.clone_from(&place));
        let failed = server.submit_with_key("k", "castle");
        assert_eq!(failed.told(), (502, "executor_failed"));
        assert_eq!(server.submit_with_key("k", "castle").told(), (502, "executor_failed"));
        assert_eq!(
            server.submit_with_key("k", "harbour").told(),
            (422, "idempotency_mismatch")
        );
        failed
    };
    well.store(true, Ordering::SeqCst);
    let server = server(&agent, &json!({}), |settings| settings.data.folder.clone_from(&place));
    assert_eq!(
        agent.called().len(),
        2,
        "its caller was told; a restart changes nothing"
    );
    let done = server.submit_with_key("k", "castle");
    assert_eq!((done.status, replayed(&done)), (200, false), "{}", done.body);
    has(
        &done.body,
        json!({"exchange/submission_id": failed.body["exchange"]["submission_id"]}),
    );
    let again = server.submit_with_key("k", "castle");
    assert!(replayed(&again));
    assert_eq!(again.body.to_string(), done.body.to_string());
    let called = agent.called();
    assert_eq!(called.len(), 3);
    assert!(called.iter().all(|one| one.body == called[0].body));
    assert_eq!(server.payloads(), 1);
}
