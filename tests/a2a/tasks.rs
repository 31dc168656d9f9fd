//! Tasks: who sees them, how they are listed, canceled and followed, and what a restart leaves of them.

use std::sync::Arc;
use std::time::Duration;

use otherwise::domain::time::At;
use otherwise::domain::time::DAY_MS;
use otherwise::edge::boot::parts::PartsOverride;
use otherwise::edge::settings::Settings;
use otherwise::edge::store::memory::Memory;
use otherwise::service::ports::Journal;
use otherwise::service::ports::JournalName;
use otherwise::service::ports::Record;
use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::BEN;
use super::VERSION;
use super::error;
use super::guests;
use super::message;
use super::reply;
use super::rest;
use super::result;
use super::server;
use super::started;
use super::task_in;
use crate::support::agent::Act;
use crate::support::agent::Agent;
use crate::support::clock::VirtualClock;
use crate::support::events;
use crate::support::events::Said;
use crate::support::patience::eventually;
use crate::support::server::Server;

const DONE: &str = "TASK_STATE_COMPLETED";
const WAITS: &str = "TASK_STATE_INPUT_REQUIRED";

#[test]
fn a_task_is_its_owners_alone_and_others_learn_nothing_of_it() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let id = json!({"id": task["id"], "taskId": task["id"]});
    let nowhere = json!({"id": "task_0", "taskId": "task_0"});
    for method in [
        "GetTask",
        "CancelTask",
        "SubscribeToTask",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    ] {
        let of_another = error(&server, BEN, method, &id);
        assert_eq!(
            (&of_another["code"], &of_another["data"][0]["reason"]),
            (&json!(-32001), &json!("TASK_NOT_FOUND"))
        );
        assert_eq!(
            error(&server, BEN, method, &nowhere)["data"],
            of_another["data"],
            "{method}"
        );
    }
    let said = reply(&task["id"], json!([{"data": guests(&json!(2))}]));
    assert_eq!(error(&server, BEN, "SendMessage", &said)["code"], -32001);
    let path = format!("/tasks/{}", task["id"].as_str().expect("an id"));
    let of_another = rest(&server, BEN, "GET", &path, &Value::Null);
    assert_eq!(
        (of_another.status, &of_another.body["error"]["status"]),
        (404, &json!("NOT_FOUND"))
    );
    assert_eq!(
        rest(&server, ADA, "GET", &path, &Value::Null).body,
        result(&server, ADA, "GetTask", &id)
    );
    assert_eq!(result(&server, BEN, "ListTasks", &json!({}))["totalSize"], 0);
}

#[test]
fn tasks_are_listed_page_by_page_last_changed_first() {
    let server = server();
    let ids: Vec<Value> = (0..5).map(|_| task_in(&server, ADA, DONE)["id"].clone()).collect();
    let waiting = task_in(&server, ADA, WAITS);
    let mut token = String::new();
    let mut listed = Vec::new();
    loop {
        let path = format!("/tasks?pageSize=2&pageToken={token}");
        let page = rest(&server, ADA, "GET", &path, &Value::Null).body;
        assert_eq!((&page["totalSize"], &page["pageSize"]), (&json!(6), &json!(2)));
        for task in page["tasks"].as_array().expect("a list") {
            assert!(
                task.get("artifacts").is_none(),
                "they are left out unless they are asked for"
            );
            listed.push(task["id"].clone());
        }
        token = page["nextPageToken"].as_str().expect("a token").to_owned();
        if token.is_empty() {
            break;
        }
    }
    let mut expected = vec![waiting["id"].clone()];
    expected.extend(ids.into_iter().rev());
    assert_eq!(listed, expected);
    let filtered = result(
        &server,
        ADA,
        "ListTasks",
        &json!({"status": WAITS, "includeArtifacts": true}),
    );
    assert_eq!(
        (&filtered["totalSize"], &filtered["tasks"][0]["artifacts"]),
        (&json!(1), &json!([]))
    );
    let in_context = json!({"contextId": waiting["contextId"]});
    assert_eq!(result(&server, ADA, "ListTasks", &in_context)["totalSize"], 1);
    for wrong in ["pageSize=0", "pageSize=101", "pageToken=x", "status=done"] {
        let reply = rest(&server, ADA, "GET", &format!("/tasks?{wrong}"), &Value::Null);
        assert_eq!(reply.status, 400, "{wrong}: {}", reply.body);
    }
}

#[test]
fn a_context_groups_tasks_and_is_named_here_where_nobody_named_it_p001_p002_p003_p004() {
    let server = server();
    let first = task_in(&server, ADA, DONE);
    let context = first["contextId"].clone();
    assert!(context.as_str().is_some_and(|id| id.starts_with("ctx_")), "{first}");
    assert_eq!(first["history"][0]["contextId"], context);
    let mut later = message(json!([{"data": guests(&json!(3))}]));
    later["message"]["contextId"] = context.clone();
    let second = result(&server, ADA, "SendMessage", &later)["task"].clone();
    assert_eq!(second["contextId"], context);
    assert_ne!(second["id"], first["id"]);
    assert_ne!(task_in(&server, ADA, DONE)["contextId"], context);
    let listed = result(&server, ADA, "ListTasks", &json!({"contextId": context}));
    assert_eq!(listed["totalSize"], 2);
}

#[test]
fn what_was_said_in_a_task_that_is_gone_is_erased_from_the_disk_z167() {
    let journal: Arc<Memory> = Arc::new(Memory::default());
    let parts = PartsOverride {
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    };
    let server = Server::start(
        &super::schemas(),
        |settings| settings.a2a.tasks_per_client_max = 1,
        parts,
    );
    task_in(&server, ADA, DONE);
    let kept = task_in(&server, ADA, DONE);
    server.tick();
    let records = journal
        .read(&JournalName("tasks/default".to_owned()), 1, 100)
        .expect("records");
    let text = |record: &Record| String::from_utf8_lossy(&record.open).into_owned();
    let of_kept = |record: &&Record| text(record).contains(kept["id"].as_str().expect("an id"));
    assert!(records.iter().filter(of_kept).all(|record| !record.erased));
    let said = records
        .iter()
        .filter(|record| !of_kept(record) && !text(record).contains("removed"));
    let erased: Vec<bool> = said.map(|record| record.erased || record.sealed.is_empty()).collect();
    assert!(
        erased.len() >= 2 && erased.into_iter().all(|erased| erased),
        "{records:#?}"
    );
    assert_eq!(result(&server, ADA, "GetTask", &json!({"id": kept["id"]})), kept);
}

#[test]
fn what_was_said_is_erased_when_it_is_old_and_the_task_stays_with_what_is_left_z167() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    };
    let server = Server::start(
        &super::schemas(),
        |settings| settings.service.texts_kept_days = 2,
        parts,
    );
    let task = task_in(&server, ADA, DONE);
    let get = || result(&server, ADA, "GetTask", &json!({"id": task["id"]}));
    clock.advance_ms(2 * DAY_MS);
    server.tick();
    assert_eq!(get(), task, "it is as old as it may be");
    clock.advance_ms(1);
    server.tick();
    let left = get();
    assert_eq!((&left["status"], left.get("history")), (&task["status"], None));
    assert_eq!(left["artifacts"], json!([]));
}

#[test]
fn a_task_that_ended_long_ago_goes_when_another_begins_and_one_that_waits_long_makes_room() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    };
    let change = |settings: &mut Settings| {
        settings.a2a.ended_kept_s = 100;
        settings.a2a.waiting_kept_s = 50;
        settings.a2a.tasks_per_client_max = 2;
    };
    let server = Server::start(&super::schemas(), change, parts);
    let total = |who| result(&server, who, "ListTasks", &json!({}))["totalSize"].clone();
    task_in(&server, ADA, DONE);
    clock.advance_ms(99_999);
    task_in(&server, BEN, WAITS);
    assert_eq!(total(ADA), 1);
    clock.advance_ms(1);
    task_in(&server, BEN, WAITS);
    assert_eq!(total(ADA), 0);
    let another = message(json!([{"data": guests(&json!(2))}]));
    clock.advance_ms(49_998);
    assert_eq!(error(&server, BEN, "SendMessage", &another)["code"], 42901);
    clock.advance_ms(1);
    result(&server, BEN, "SendMessage", &another);
    assert_eq!(total(BEN), 2);
}

#[test]
fn as_many_messages_come_back_as_are_wanted() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    for _ in 0..2 {
        result(
            &server,
            ADA,
            "SendMessage",
            &reply(&task["id"], json!([{"data": guests(&json!("many"))}])),
        );
    }
    let messages = |length: Value| {
        let mut params = json!({"id": task["id"]});
        if !length.is_null() {
            params["historyLength"] = length;
        }
        result(&server, ADA, "GetTask", &params)["history"]
            .as_array()
            .map_or(0, Vec::len)
    };
    assert_eq!(
        [json!(null), json!(0), json!(1), json!(4), json!(9)].map(messages),
        [5, 0, 1, 4, 5]
    );
    let mut sent = reply(&task["id"], json!([{"data": guests(&json!(2))}]));
    sent["configuration"] = json!({"historyLength": 0});
    assert!(
        result(&server, ADA, "SendMessage", &sent)["task"]
            .get("history")
            .is_none()
    );
}

#[test]
fn a_task_is_canceled_until_it_has_ended() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let canceled = result(&server, ADA, "CancelTask", &json!({"id": task["id"]}));
    assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    let again = error(&server, ADA, "CancelTask", &json!({"id": task["id"]}));
    assert_eq!(
        (&again["code"], &again["data"][0]["reason"]),
        (&json!(-32002), &json!("TASK_NOT_CANCELABLE"))
    );
    let done = task_in(&server, ADA, DONE);
    let path = format!("/tasks/{}:cancel", done["id"].as_str().expect("an id"));
    assert_eq!(rest(&server, ADA, "POST", &path, &json!({})).status, 400);
    let mut elsewhere = reply(
        &task_in(&server, ADA, WAITS)["id"],
        json!([{"data": guests(&json!(2))}]),
    );
    elsewhere["message"]["contextId"] = json!("another");
    assert_eq!(error(&server, ADA, "SendMessage", &elsewhere)["code"], -32602);
}

#[test]
fn a_task_is_followed_until_it_has_ended() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let id = task["id"].as_str().expect("an id");
    let path = format!("/a2a/tasks/{id}:subscribe");
    let (status, _, followed) = events::open(server.base(), &path, &[ADA, VERSION]);
    assert_eq!(status, 200);
    let mut followed = followed.expect("a stream");
    let mut next = || match followed.next() {
        Said::Event { data, .. } => data,
        other => panic!("{other:?}"),
    };
    assert_eq!(next()["task"]["status"]["state"], WAITS);
    result(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{"data": guests(&json!(2))}])),
    );
    assert_eq!(next()["statusUpdate"]["status"]["state"], "TASK_STATE_SUBMITTED");
    assert_eq!(next()["artifactUpdate"]["lastChunk"], true);
    assert_eq!(next()["statusUpdate"]["status"]["state"], DONE);
    assert_eq!(followed.next(), Said::End);
    let (status, _, _) = events::open(server.base(), &path, &[ADA, VERSION]);
    assert_eq!(status, 400, "it has ended");
    assert_eq!(
        error(&server, ADA, "SubscribeToTask", &json!({"id": id}))["code"],
        -32004
    );
}

#[test]
fn tasks_and_messages_are_bounded_at_their_settings() {
    let server = started(|settings| {
        settings.a2a.tasks_max = 4;
        settings.a2a.tasks_per_client_max = 2;
        settings.a2a.task_messages_max = 2;
    });
    let first = task_in(&server, ADA, DONE);
    let second = task_in(&server, ADA, WAITS);
    let third = task_in(&server, ADA, WAITS);
    assert_eq!(
        error(&server, ADA, "GetTask", &json!({"id": first["id"]}))["code"],
        -32001,
        "it made room"
    );
    let full = error(
        &server,
        ADA,
        "SendMessage",
        &message(json!([{"data": guests(&json!(2))}])),
    );
    assert_eq!(full["code"], 42901, "{full}");
    let by_rest = rest(
        &server,
        ADA,
        "POST",
        "/message:send",
        &message(json!([{"data": guests(&json!(2))}])),
    );
    assert_eq!(
        (by_rest.status, &by_rest.body["error"]["status"]),
        (429, &json!("RESOURCE_EXHAUSTED"))
    );
    task_in(&server, BEN, WAITS);
    task_in(&server, BEN, WAITS);
    let cyd = ("Otherwise-Client", "cyd");
    assert_eq!(
        error(
            &server,
            cyd,
            "SendMessage",
            &message(json!([{"data": guests(&json!(2))}]))
        )["code"],
        42901
    );
    let again = |task: &Value| reply(&task["id"], json!([{"data": guests(&json!("many"))}]));
    result(&server, ADA, "SendMessage", &again(&second));
    assert_eq!(error(&server, ADA, "SendMessage", &again(&second))["code"], 42901);
    result(&server, ADA, "CancelTask", &json!({"id": third["id"]}));
    task_in(&server, ADA, DONE);
}

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

#[test]
fn tasks_outlive_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &super::schemas(), |_| {});
    let done = task_in(&first, ADA, DONE);
    let waiting = task_in(&first, ADA, WAITS);
    let canceled = task_in(&first, ADA, WAITS);
    result(&first, ADA, "CancelTask", &json!({"id": canceled["id"]}));
    let before = result(&first, ADA, "ListTasks", &json!({"includeArtifacts": true}));
    drop(first);
    let second = in_folder(&folder, &super::schemas(), |_| {});
    assert_eq!(
        result(&second, ADA, "ListTasks", &json!({"includeArtifacts": true})),
        before
    );
    assert_eq!(result(&second, ADA, "GetTask", &json!({"id": done["id"]})), done);
    let mended = result(
        &second,
        ADA,
        "SendMessage",
        &reply(&waiting["id"], json!([{"data": guests(&json!(2))}])),
    );
    assert_eq!(mended["task"]["status"]["state"], DONE);
}

fn tram(agent: &Agent) -> Vec<(&'static str, Value)> {
    let template = json!({"schema_id": "tram_v1", "scenario": "tram",
        "executor": {"url": agent.url(), "timeout_ms": 20_000},
        "keys": [{"key_name": "stop", "key_type": "string", "required": true, "semantic_description": "Where to get on."}]});
    vec![("tram.json", template)]
}

fn state(server: &Server, id: &Value) -> Value {
    result(server, ADA, "GetTask", &json!({"id": id}))["status"]["state"].clone()
}

#[test]
fn a_task_that_a_restart_cut_short_is_worked_at_again_for_the_same_submission() {
    let agent = Agent::start(|call, _| match call {
        0 => Act::Stall(Duration::from_secs(60), json!({"ticket": "late"})),
        _ => Act::Answer(json!({"ticket": "T-1"})),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &tram(&agent), |_| {});
    let mut sent = message(json!([{"data": {"schema_id": "tram_v1", "payload": {"stop": "castle"}}}]));
    sent["configuration"] = json!({"returnImmediately": true});
    let task = result(&first, ADA, "SendMessage", &sent)["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED");
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
    let agent = Agent::start(|_, _| Act::Stall(Duration::from_secs(60), json!({})));
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &tram(&agent), |_| {});
    let mut sent = message(json!([{"data": {"schema_id": "tram_v1", "payload": {"stop": "castle"}}}]));
    sent["configuration"] = json!({"returnImmediately": true});
    let task = result(&first, ADA, "SendMessage", &sent)["task"].clone();
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
        0 => Act::Stall(Duration::from_secs(60), json!({})),
        _ => Act::Say(400, String::new(), String::new()),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let server = in_folder(&folder, &tram(&agent), |_| {});
    let body = json!([{"data": {"schema_id": "tram_v1", "payload": {"stop": "castle"}}}]);
    let mut sent = message(body.clone());
    sent["configuration"] = json!({"returnImmediately": true});
    let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
    eventually("the executor is called", || !agent.called().is_empty());
    result(&server, ADA, "CancelTask", &json!({"id": task["id"]}));
    assert_eq!(state(&server, &task["id"]), "TASK_STATE_CANCELED");
    let failed = result(&server, ADA, "SendMessage", &message(body))["task"].clone();
    assert_eq!(failed["status"]["state"], "TASK_STATE_FAILED", "{failed}");
    let problem = &failed["status"]["message"]["parts"][1]["data"];
    assert_eq!(problem["code"], "executor_refused", "{failed}");
}

#[test]
fn a_result_that_comes_while_a_task_is_canceled_is_its_result() {
    let agent = Agent::start(|_, _| Act::Stall(Duration::from_secs(2), json!({"ticket": "T-1"})));
    let folder = tempfile::tempdir().expect("a folder");
    let server = in_folder(&folder, &tram(&agent), |_| {});
    // Under a key of the task's own, and under one of the client's.
    for (calls, key) in [(1, None), (2, Some("trip-1"))] {
        let mut body = json!({"schema_id": "tram_v1", "payload": {"stop": "castle"}});
        if let Some(key) = key {
            body["idempotency_key"] = json!(key);
        }
        let mut sent = message(json!([{ "data": body }]));
        sent["configuration"] = json!({"returnImmediately": true});
        let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
        agent.wait_for(calls);
        let refused = error(&server, ADA, "CancelTask", &json!({"id": task["id"]}));
        assert_eq!(
            (&refused["code"], &refused["data"][0]["reason"]),
            (&json!(-32002), &json!("TASK_NOT_CANCELABLE")),
            "{refused}"
        );
        let done = result(&server, ADA, "GetTask", &json!({"id": task["id"]}));
        assert_eq!(done["status"]["state"], DONE, "{done}");
        assert_eq!(done["artifacts"][0]["parts"][0]["data"]["ticket"], "T-1");
    }
    assert_eq!(agent.called().len(), 2, "nothing is executed twice");
}

#[test]
fn what_was_canceled_before_its_execution_ended_is_not_executed_at_the_next_start() {
    let agent = Agent::start(|_, _| Act::Stall(Duration::from_secs(60), json!({})));
    let folder = tempfile::tempdir().expect("a folder");
    let first = in_folder(&folder, &tram(&agent), |_| {});
    let mut calls = 0;
    // Under a key of the task's own, and under one of the client's.
    for key in [None, Some("trip-1")] {
        let mut body = json!({"schema_id": "tram_v1", "payload": {"stop": "castle"}});
        if let Some(key) = key {
            body["idempotency_key"] = json!(key);
        }
        let mut sent = message(json!([{ "data": body }]));
        sent["configuration"] = json!({"returnImmediately": true});
        let task = result(&first, ADA, "SendMessage", &sent)["task"].clone();
        calls += 1;
        agent.wait_for(calls);
        let canceled = result(&first, ADA, "CancelTask", &json!({"id": task["id"]}));
        assert_eq!(canceled["status"]["state"], "TASK_STATE_CANCELED");
    }
    let mut sent = message(json!([{"data": {"schema_id": "tram_v1", "payload": {"stop": "harbour"}}}]));
    sent["configuration"] = json!({"returnImmediately": true});
    result(&first, ADA, "SendMessage", &sent);
    agent.wait_for(3);
    drop(first);
    let second = in_folder(&folder, &tram(&agent), |_| {});
    let all = agent.wait_for(4);
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(agent.called().len(), 4, "the third alone is executed again");
    assert_eq!(all[3].body["submission_id"], all[2].body["submission_id"]);
    drop(second);
}

#[test]
fn a_dry_run_is_answered_at_once_and_leaves_nothing() {
    let server = server();
    let mut tried = guests(&json!(2));
    tried["dry_run"] = json!(true);
    let olga = ("Otherwise-Client", "olga");
    for read_only in [false, true] {
        if read_only {
            assert_eq!(server.call("POST", "/v1/service:read-only", &[olga], "{}").status, 200);
        }
        let fits = result(&server, ADA, "SendMessage", &message(json!([{ "data": tried }])));
        let reply = &fits["message"]["parts"][1]["data"];
        assert_eq!(reply["exchange"]["status"], "accepted", "{fits}");
        assert!(reply["exchange"].get("submission_id").is_none(), "{fits}");
        let mut wrong = tried.clone();
        wrong["payload"]["guests"] = json!("many");
        let told = result(&server, ADA, "SendMessage", &message(json!([{ "data": wrong }])));
        let problem = &told["message"]["parts"][1]["data"];
        assert_eq!(problem["code"], "invalid_payload", "{told}");
        assert!(problem["violations"][0]["pointer"].is_string(), "{told}");
    }
    assert_eq!(result(&server, ADA, "ListTasks", &json!({}))["totalSize"], 0);
    let mut keyed = tried;
    keyed["idempotency_key"] = json!("k");
    let refused = error(&server, ADA, "SendMessage", &message(json!([{ "data": keyed }])));
    assert_eq!(refused["code"], -32602, "a dry run has no key: {refused}");
}

#[test]
fn a_dry_run_is_told_what_the_submission_would_be_told_and_in_the_context_of_its_task() {
    let server = server();
    let problem = |answer: &Value| answer["parts"][1]["data"]["detail"].clone();
    for wrong in [json!({"revision": 99_999}), json!({"pinned": true})] {
        let mut body = guests(&json!(2));
        for (name, value) in wrong.as_object().expect("an object") {
            body[name] = value.clone();
        }
        let sent = result(&server, ADA, "SendMessage", &message(json!([{ "data": body }])));
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_REJECTED", "{sent}");
        body["dry_run"] = json!(true);
        let tried = result(&server, ADA, "SendMessage", &message(json!([{ "data": body }])));
        let told = problem(&tried["message"]);
        assert!(told.is_string(), "{tried}");
        assert_eq!(told, problem(&sent["task"]["status"]["message"]), "{wrong}");
    }
    // What is no submission is an error, and begins no task.
    for (name, value) in [
        ("revision", json!("1")),
        ("utterance", json!(5)),
        ("payload", Value::Null),
    ] {
        for dry_run in [false, true] {
            let mut body = guests(&json!(2));
            body["dry_run"] = json!(dry_run);
            body[name] = value.clone();
            if value.is_null() {
                body.as_object_mut().expect("an object").shift_remove(name);
            }
            let refused = error(&server, ADA, "SendMessage", &message(json!([{ "data": body }])));
            assert_eq!(refused["code"], -32602, "{name}: {refused}");
        }
    }
    let task = task_in(&server, ADA, WAITS);
    let mut tried = guests(&json!(2));
    tried["dry_run"] = json!(true);
    let answer = result(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{ "data": tried }])),
    );
    assert_eq!(answer["message"]["contextId"], task["contextId"], "{answer}");
}

#[test]
fn a_task_goes_on_with_the_scenario_that_it_was_begun_for() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let flight = json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": 2}});
    let other = error(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{ "data": flight }])),
    );
    assert_eq!(other["code"], -32602, "{other}");
    assert_eq!(other["data"][1]["fieldViolations"][0]["field"], "message.parts");
    assert_eq!(state(&server, &task["id"]), WAITS);
}

#[test]
fn a_stored_reply_says_so_and_the_header_is_not_passed_over() {
    let server = server();
    let mut body = guests(&json!(2));
    body["idempotency_key"] = json!("k-1");
    let sent = message(json!([{ "data": body }]));
    let replayed = || {
        let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
        task["artifacts"][0]["parts"][0]["data"]["exchange"]["replayed"].clone()
    };
    assert_eq!([replayed(), replayed()], [Value::Null, json!(true)]);
    body["payload"]["guests"] = json!("many");
    body["idempotency_key"] = json!("k-2");
    let wrong = message(json!([{ "data": body }]));
    let replayed = || {
        let task = result(&server, ADA, "SendMessage", &wrong)["task"].clone();
        task["status"]["message"]["parts"][1]["data"]["exchange"]["replayed"].clone()
    };
    assert_eq!([replayed(), replayed()], [Value::Null, json!(true)]);
    let headers = [ADA, VERSION, ("Idempotency-Key", "k-3")];
    let by_rest = server.call("POST", "/a2a/message:send", &headers, &sent.to_string());
    assert_eq!(by_rest.status, 400, "{}", by_rest.body);
    assert!(
        by_rest.body["error"]["message"]
            .as_str()
            .is_some_and(|what| what.contains("idempotency_key"))
    );
}

#[test]
fn a_task_that_waits_goes_on_waiting_where_what_is_mended_comes_under_the_old_key() {
    let server = server();
    let keyed = |count: Value, key: &str| {
        let mut body = guests(&count);
        body["idempotency_key"] = json!(key);
        json!([{ "data": body }])
    };
    let sent = result(&server, ADA, "SendMessage", &message(keyed(json!("many"), "k-1")));
    let waits = |answer: &Value| {
        assert_eq!(
            answer["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
            "{answer}"
        )
    };
    waits(&sent);
    let id = &sent["task"]["id"];
    let again = result(&server, ADA, "SendMessage", &reply(id, keyed(json!(2), "k-1")));
    waits(&again);
    let problem = &again["task"]["status"]["message"]["parts"][1]["data"];
    assert_eq!(problem["code"], "idempotency_mismatch", "{again}");
    assert!(
        problem["detail"]
            .as_str()
            .is_some_and(|what| what.contains("takes a new one"))
    );
    let mended = result(&server, ADA, "SendMessage", &reply(id, keyed(json!(2), "k-2")));
    assert_eq!(mended["task"]["status"]["state"], DONE, "{mended}");
    // One that is begun so never was anything else.
    let begun = result(&server, ADA, "SendMessage", &message(keyed(json!(3), "k-2")));
    assert_eq!(begun["task"]["status"]["state"], "TASK_STATE_REJECTED", "{begun}");
}

#[test]
fn what_is_not_json_is_told_by_its_line_and_column() {
    let server = server();
    for (path, body, at) in [
        ("/message:send", "{\"message\":\n  {,}}", "line 2 column 4"),
        ("/message:stream", "{", "line 1 column 1"),
        ("/tasks/t/pushNotificationConfigs", "{\"url\": }", "line 1 column 9"),
    ] {
        let said = server.call("POST", &format!("/a2a{path}"), &[ADA, VERSION], body);
        assert_eq!(said.status, 400, "{}", said.body);
        let told = said.body.to_string();
        assert!(told.contains("cannot be parsed") && told.contains(at), "{path}: {told}");
    }
    let said = server.call("POST", "/a2a/message:send", &[ADA, VERSION], "[]");
    assert!(said.body.to_string().contains("must be a JSON object"), "{}", said.body);
}

#[test]
fn a_parameter_that_nobody_knows_is_refused() {
    let server = server();
    let status = |query: &str| rest(&server, ADA, "GET", &format!("/tasks{query}"), &Value::Null).status;
    assert_eq!(status("?nope=1"), 400);
    for query in ["", "?pageSize=2", "?page_size=2", "?contextId=a&historyLength=1"] {
        assert_eq!(status(query), 200, "{query}");
    }
}

#[test]
fn retries_at_once_under_one_key_are_all_answered_what_the_first_was_answered() {
    let server = server();
    for round in 0..3 {
        let mut body = guests(&json!(2));
        body["idempotency_key"] = json!(format!("r-{round}"));
        let sent = message(json!([{ "data": body }]));
        let tasks: Vec<Value> = std::thread::scope(|scope| {
            let one = || result(&server, ADA, "SendMessage", &sent)["task"].clone();
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("a task"))
                .collect()
        });
        let id = |task: &Value| task["artifacts"][0]["parts"][0]["data"]["exchange"]["submission_id"].clone();
        for task in &tasks {
            assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{task}");
            assert_eq!(id(task), id(&tasks[0]));
        }
    }
}

#[test]
fn an_address_where_there_is_nothing_is_answered_in_the_form_of_the_protocol() {
    let server = server();
    for (method, path, status, grpc) in [
        ("GET", "/a2a/nope", 404, "NOT_FOUND"),
        ("PUT", "/a2a/tasks", 405, "INVALID_ARGUMENT"),
        ("GET", "/a2a", 405, "INVALID_ARGUMENT"),
    ] {
        let reply = server.call(method, path, &[ADA, VERSION], "");
        assert_eq!(
            (reply.status, &reply.body["error"]["status"]),
            (status, &json!(grpc)),
            "{method} {path}: {}",
            reply.body
        );
        assert_eq!(reply.headers.contains_key("allow"), status == 405);
    }
    let other = server.call("GET", "/a2ab", &[], "");
    assert_eq!(other.body["code"], "not_found");
}

#[test]
fn nothing_begins_while_nothing_may_be_written_and_tasks_are_still_shown() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let olga = ("Otherwise-Client", "olga");
    assert_eq!(server.call("POST", "/v1/service:read-only", &[olga], "{}").status, 200);
    let refused = error(
        &server,
        ADA,
        "SendMessage",
        &message(json!([{"data": guests(&json!(2))}])),
    );
    assert_eq!(refused["code"], 50306);
    assert_eq!(state(&server, &task["id"]), WAITS);
}
