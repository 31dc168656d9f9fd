//! The program killed between the record of a submission and its result.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::executor::body;
use crate::executor::template;
use crate::executor::ticket;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::child::Folder;
use crate::support::child::Program;

/// A folder whose one template has this executor.
pub(super) fn folder(agent: &Agent) -> Folder {
    let template = template(agent, &json!({"timeout_ms": 20_000, "attempts": 1}));
    Folder::new(&[("tram_v1.json", &template)])
}

pub(super) fn serve(folder: &Folder, settings: &[(&str, &str)]) -> Program {
    folder.serve(&[&[("OTHERWISE_EXECUTORS__INNER_HOSTS", "127.0.0.1")], settings].concat())
}

/// An executor that stalls until it is told to answer.
pub(super) fn stalling() -> (Agent, Arc<AtomicBool>) {
    let well = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&well);
    let agent = Agent::start(move |number, _| {
        if seen.load(Ordering::SeqCst) {
            Act::Answer(ticket(number))
        } else {
            Act::Stall(Duration::from_secs(15), ticket(number))
        }
    });
    (agent, well)
}

/// Submits and kills the program while the executor has it.
fn cut(folder: &Folder, agent: &Agent, headers: &[(&str, &str)]) {
    cut_with(folder, agent, headers, &body("castle"));
}

/// The same with another body.
pub(super) fn cut_with(folder: &Folder, agent: &Agent, headers: &[(&str, &str)], body: &str) {
    let program = serve(folder, &[]);
    let caller = program.caller();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| caller.call("POST", "/v1/submissions", headers, body));
        agent.wait_for(1);
        program.kill();
        assert!(waiting.join().expect("no panic").is_none(), "nobody answered");
    });
}

#[test]
fn a_crash_between_record_and_result_is_made_good_under_the_same_id_z007() {
    let (agent, well) = stalling();
    let folder = folder(&agent);
    let headers = [("Otherwise-Client", "ada"), ("Idempotency-Key", "k")];
    cut(&folder, &agent, &headers);
    well.store(true, Ordering::SeqCst);
    let program = serve(&folder, &[]);
    let caller = program.caller();
    let reply = (0..100).find_map(|_| {
        let reply = caller
            .call("POST", "/v1/submissions", &headers, &body("castle"))
            .expect("an answer");
        if reply.status == 409 {
            thread::sleep(Duration::from_millis(50));
            return None;
        }
        Some(reply)
    });
    let reply = reply.expect("it ends");
    reply.has(200, json!({"ticket": "T1"}));
    let called = agent.called();
    assert_eq!(called.len(), 2, "again, and once");
    assert_eq!(called[0].body, called[1].body);
    assert_eq!(called[0].header("idempotency-key"), called[1].header("idempotency-key"));
    assert_eq!(
        called[1].header("idempotency-key"),
        reply.body["exchange"]["submission_id"].as_str()
    );
    program.kill();
    let program = serve(&folder, &[]);
    let again = program
        .caller()
        .call("POST", "/v1/submissions", &headers, &body("castle"))
        .expect("an answer");
    assert_eq!(again.body.to_string(), reply.body.to_string());
    assert_eq!(agent.called().len(), 2);
}

#[test]
fn without_a_key_it_is_executed_after_the_restart_once_z007() {
    let (agent, well) = stalling();
    let folder = folder(&agent);
    cut(&folder, &agent, &[]);
    well.store(true, Ordering::SeqCst);
    let program = serve(&folder, &[]);
    agent.wait_for(2);
    assert_eq!(agent.called()[0].body, agent.called()[1].body);
    thread::sleep(Duration::from_millis(300));
    assert!(program.stop().success());
    let program = serve(&folder, &[]);
    thread::sleep(Duration::from_millis(300));
    program.kill();
    assert_eq!(agent.called().len(), 2, "how it ended is on record");
}

#[test]
fn what_was_cut_short_too_long_ago_is_given_up_z007() {
    let (agent, well) = stalling();
    let folder = folder(&agent);
    cut(&folder, &agent, &[]);
    well.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let program = serve(&folder, &[("OTHERWISE_SERVICE__RESUME_S", "0")]);
        thread::sleep(Duration::from_millis(500));
        assert!(program.stop().success());
    }
    let program = serve(&folder, &[]);
    thread::sleep(Duration::from_millis(500));
    program.kill();
    assert_eq!(agent.called().len(), 1);
}

#[test]
fn an_executor_that_is_down_after_the_restart_is_waited_for_z007() {
    let (agent, well) = stalling();
    let folder = folder(&agent);
    cut(&folder, &agent, &[]);
    let program = serve(&folder, &[("OTHERWISE_EXECUTORS__TIMEOUT_MS_MAX", "20000")]);
    agent.wait_for(2);
    program.kill();
    well.store(true, Ordering::SeqCst);
    let program = serve(&folder, &[]);
    agent.wait_for(3);
    drop(program);
    let called = agent.called();
    assert!(called.iter().all(|one| one.body == called[0].body));
}

#[test]
fn what_was_canceled_before_a_crash_is_not_executed_after_it() {
    let (agent, well) = stalling();
    let folder = folder(&agent);
    let program = serve(&folder, &[]);
    let caller = program.caller();
    let headers = [("Otherwise-Client", "ada"), ("A2A-Version", "1.0")];
    let ask = |method: &str, params: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let reply = caller.call("POST", "/a2a", &headers, &call).expect("an answer");
        assert!(reply.body.get("error").is_none(), "{}", reply.body);
        reply.body["result"].clone()
    };
    let begin = |stop: &str, calls: usize| {
        let data = json!({"schema_id": "tram_v1", "payload": {"stop": stop}});
        let message = json!({"messageId": stop, "role": "ROLE_USER", "parts": [{"data": data}]});
        let configuration = json!({"returnImmediately": true});
        let begun = ask(
            "SendMessage",
            json!({"message": message, "configuration": configuration}),
        );
        agent.wait_for(calls);
        begun["task"]["id"].clone()
    };
    let canceled = begin("castle", 1);
    begin("harbour", 2);
    let told = ask("CancelTask", json!({"id": canceled}));
    assert_eq!(told["status"]["state"], "TASK_STATE_CANCELED", "{told}");
    program.kill();
    well.store(true, Ordering::SeqCst);
    let program = serve(&folder, &[]);
    let called = agent.wait_for(3);
    thread::sleep(Duration::from_millis(500));
    program.kill();
    assert_eq!(agent.called().len(), 3, "the other alone is executed again");
    assert_eq!(called[2].body, called[1].body);
}
