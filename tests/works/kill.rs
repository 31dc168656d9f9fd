//! Killed while masters and agents write: what was acknowledged is there after the next start.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use super::done;
use super::subtask;
use super::task;
use crate::support::child::Caller;
use crate::support::child::Program;

const ROUNDS: u64 = 6;
const MASTERS: u64 = 3;
/// Snapshots come often, so that kills fall into their writing too.
const SETTINGS: [(&str, &str); 2] = [
    ("OTHERWISE_SERVICE__SNAPSHOT_EVERY_RECORDS", "40"),
    ("OTHERWISE_LOG__LEVEL", "warn"),
];

/// Everything that was acknowledged, by who asked and where it is read.
type Known = BTreeMap<(String, String), Value>;

fn call(caller: &Caller, who: &str, method: &str, path: &str, body: &Value) -> Option<Value> {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let reply = caller.call(method, &format!("/v1{path}"), &[("Otherwise-Client", who)], &body)?;
    (reply.status < 300).then_some(reply.body)
}

/// One master with its agent, until nobody answers any more.
fn load(caller: &Caller, round: u64, nth: u64, over: &AtomicBool) -> Known {
    let (master, agent) = (format!("master-{nth}"), format!("agent-{nth}"));
    let mut known = Known::new();
    let mut number = 0;
    while !over.load(Ordering::Relaxed) {
        number += 1;
        let mut context = task(&["g"]);
        context["TaskName"] = json!(format!("{round}-{nth}-{number}"));
        let body = json!({"TaskContext": context, "AgentContexts": [subtask("s", &agent, &[], "Find a hotel")]});
        let Some(begun) = call(caller, &master, "POST", "/tasks", &body) else {
            break;
        };
        let path = format!("/tasks/{}", super::id(&begun));
        let at = format!("{path}/subtasks/s");
        known.insert((master.clone(), path.clone()), begun["TaskContext"].clone());
        let Some(own) = call(caller, &agent, "GET", &at, &Value::Null) else {
            break;
        };
        let back = done(&own["AgentContext"], &format!("Hotel number {number}"));
        let Some(back) = call(caller, &agent, "PUT", &at, &back) else {
            break;
        };
        known.insert((agent.clone(), at), back["AgentContext"].clone());
        let text = format!("{round}-{nth}-{number} ").repeat(200);
        let Some(stored) = call(caller, &agent, "POST", "/contents", &json!({"content": text})) else {
            break;
        };
        let uri = stored["ContextURI"]
            .as_str()
            .expect("an address")
            .trim_start_matches("/v1")
            .to_owned();
        known.insert((agent.clone(), uri), json!(text));
        let goal = json!({"TaskContext": {"GoalStatus": [{"Goal": "g", "Status": "completed"}]}});
        // Whether a change that nobody acknowledged is on record is not known.
        let Some(changed) = call(caller, &master, "PATCH", &path, &goal) else {
            known.remove(&(master, path));
            break;
        };
        known.insert((master.clone(), path), changed["TaskContext"].clone());
    }
    known
}

#[test]
fn what_was_acknowledged_of_tasks_survives_every_kill_c022_c065() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, schemas, log] = ["data", "schemas", "log"].map(|name| folder.path().join(name));
    std::fs::create_dir(&schemas).expect("the shelf");
    let serve = || Program::serve(&data, &schemas, &log, &SETTINGS);
    let mut known = Known::new();
    for round in 0..ROUNDS {
        let serving = serve();
        let over = AtomicBool::new(false);
        let made = thread::scope(|scope| {
            let masters: Vec<_> = (0..MASTERS)
                .map(|nth| {
                    let (caller, over) = (serving.caller(), &over);
                    scope.spawn(move || load(&caller, round, nth, over))
                })
                .collect();
            thread::sleep(Duration::from_millis(150 + 70 * round));
            serving.kill();
            over.store(true, Ordering::Relaxed);
            masters
                .into_iter()
                .map(|master| master.join().expect("a master"))
                .collect::<Vec<_>>()
        });
        known.extend(made.into_iter().flatten());
    }
    assert!(known.len() > 30, "hardly any load: {}", known.len());
    let serving = serve();
    let caller = serving.caller();
    for ((who, path), value) in &known {
        let found = call(&caller, who, "GET", path, &Value::Null).unwrap_or_else(|| panic!("{who} lost {path}"));
        let own = ["TaskContext", "AgentContext", "content"]
            .into_iter()
            .find_map(|name| found.get(name));
        assert_eq!(own, Some(value), "{who} {path}");
    }
    assert_eq!(serving.stop().code(), Some(0));
}
