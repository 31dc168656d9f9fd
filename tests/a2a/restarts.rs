//! What a restart leaves of tasks, and what becomes of those that it cut short.

use std::time::Duration;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::DONE;
use super::WAITS;
use super::error;
use super::message;
use super::result;
use super::say;
use super::send;
use super::state;
use super::table;
use super::task_in;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::patience::eventually;
use crate::support::server::Server;

const CANCELED: &str = "TASK_STATE_CANCELED";
const LONG: Duration = Duration::from_secs(60);

/// The service in a folder that outlives it.
fn in_folder(folder: &tempfile::TempDir, schemas: &[(&str, Value)], change: impl FnOnce(&mut Settings)) -> Server {
    let data = folder.path().display().to_string();
    let with = |settings: &mut Settings| {
        settings.data.folder = data;
        settings.executors.inner_hosts = vec!["127.0.0.1".to_owned()];
        change(settings);
    };
    Server::start(schemas, with, PartsOverride::default())
}

fn tram(agent: &Agent) -> Vec<(&'static str, Value)> {
    let template = json!({"schema_id": "tram_v1", "scenario": "tram",
        "executor": {"url": agent.url(), "timeout_ms": 20_000},
        "keys": [{"key_name": "stop", "key_type": "string", "required": true, "semantic_description": "Where to get on."}]});
    vec![("tram.json", template)]
}

/// The parts that ask for a tram, under the client's own key or the task's.
fn ride(key: Option<&str>) -> Value {
    let mut body = json!({"schema_id": "tram_v1", "payload": {"stop": "castle"}});
    if let Some(key) = key {
        body["idempotency_key"] = json!(key);
    }
    json!([{ "data": body }])
}

/// A task that is begun and not waited for.
fn begun(server: &Server, key: Option<&str>) -> Value {
    let mut sent = message(ride(key));
    sent["configuration"] = json!({"returnImmediately": true});
    let task = result(server, ADA, "SendMessage", &sent)["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED");
    task
}

fn cancel(server: &Server, task: &Value) {
    let canceled = result(server, ADA, "CancelTask", &json!({"id": task["id"]}));
    assert_eq!(canceled["status"]["state"], CANCELED);
}

#[test]
fn tasks_outlive_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &super::schemas(), |_| {});
    let done = task_in(&first, ADA, DONE);
    let waiting = task_in(&first, ADA, WAITS);
    cancel(&first, &task_in(&first, ADA, WAITS));
    let list = |server: &Server| result(server, ADA, "ListTasks", &json!({"includeArtifacts": true}));
    let before = list(&first);
    drop(first);
    let second = in_folder(&folder, &super::schemas(), |_| {});
    assert_eq!(list(&second), before);
    assert_eq!(result(&second, ADA, "GetTask", &json!({"id": done["id"]})), done);
    let mended = say(&second, &waiting, table(2));
    assert_eq!(mended["task"]["status"]["state"], DONE);
}

#[test]
fn a_task_that_a_restart_cut_short_is_worked_at_again_for_the_same_submission() {
    let agent = Agent::start(|call, _| match call {
        0 => Act::Stall(LONG, json!({"ticket": "late"})),
        _ => Act::Answer(json!({"ticket": "T-1"})),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &tram(&agent), |_| {});
    let task = begun(&first, None);
    // That it is worked at goes on record beside the call, and may be told a moment later.
    eventually("the executor is called", || {
        !agent.called().is_empty() && state(&first, &task["id"]) == "TASK_STATE_WORKING"
    });
    drop(first);
    let second = in_folder(&folder, &tram(&agent), |_| {});
    eventually("it is done", || state(&second, &task["id"]) == DONE);
    let done = result(&second, ADA, "GetTask", &json!({"id": task["id"]}));
    assert_eq!(done["artifacts"][0]["parts"][0]["data"]["ticket"], "T-1");
    let of = |call: usize| agent.called()[call].body["submission_id"].clone();
    assert_eq!(of(0), of(1), "the executor is called for one submission");
}

#[test]
fn a_task_that_was_cut_short_too_long_ago_has_failed() {
    let agent = Agent::start(|_, _| Act::Stall(LONG, json!({})));
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &tram(&agent), |_| {});
    let task = begun(&first, None);
    eventually("the executor is called", || !agent.called().is_empty());
    drop(first);
    std::thread::sleep(Duration::from_millis(1_100));
    let late = |settings: &mut Settings| (settings.a2a.resume_s, settings.service.resume_s) = (1, 1);
    let second = in_folder(&folder, &tram(&agent), late);
    eventually("it has failed", || state(&second, &task["id"]) == "TASK_STATE_FAILED");
}

#[test]
fn a_canceled_task_waits_for_no_executor_and_a_failing_one_is_told() {
    let agent = Agent::start(|call, _| match call {
        0 => Act::Stall(LONG, json!({})),
        _ => Act::Say(400, String::new(), String::new()),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let server = in_folder(&folder, &tram(&agent), |_| {});
    let task = begun(&server, None);
    eventually("the executor is called", || !agent.called().is_empty());
    cancel(&server, &task);
    assert_eq!(state(&server, &task["id"]), CANCELED);
    let failed = send(&server, ride(None))["task"].clone();
    assert_eq!(failed["status"]["state"], "TASK_STATE_FAILED", "{failed}");
    let problem = &failed["status"]["message"]["parts"][1]["data"];
    assert_eq!(problem["code"], "executor_refused", "{failed}");
}

#[test]
fn a_result_that_comes_while_a_task_is_canceled_is_its_result() {
    let agent = Agent::start(|_, _| Act::Stall(Duration::from_secs(2), json!({"ticket": "T-1"})));
    let folder = tempfile::tempdir().expect("a folder");
    let server = in_folder(&folder, &tram(&agent), |_| {});
    for (calls, key) in [(1, None), (2, Some("trip-1"))] {
        let task = begun(&server, key);
        agent.wait_for(calls);
        let refused = error(&server, ADA, "CancelTask", &json!({"id": task["id"]}));
        let told = (&refused["code"], &refused["data"][0]["reason"]);
        assert_eq!(told, (&json!(-32002), &json!("TASK_NOT_CANCELABLE")));
        let done = result(&server, ADA, "GetTask", &json!({"id": task["id"]}));
        assert_eq!(done["status"]["state"], DONE, "{done}");
        assert_eq!(done["artifacts"][0]["parts"][0]["data"]["ticket"], "T-1");
    }
    assert_eq!(agent.called().len(), 2, "nothing is executed twice");
}

#[test]
fn what_was_canceled_before_its_execution_ended_is_not_executed_at_the_next_start() {
    let agent = Agent::start(|_, _| Act::Stall(LONG, json!({})));
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &tram(&agent), |_| {});
    for (calls, key) in [(1, None), (2, Some("trip-1"))] {
        let task = begun(&first, key);
        agent.wait_for(calls);
        cancel(&first, &task);
    }
    begun(&first, None);
    agent.wait_for(3);
    drop(first);
    let second = in_folder(&folder, &tram(&agent), |_| {});
    let all = agent.wait_for(4);
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(agent.called().len(), 4, "the third alone is executed again");
    assert_eq!(all[3].body["submission_id"], all[2].body["submission_id"]);
    drop(second);
}
