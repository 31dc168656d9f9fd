//! Tasks: who sees them, how they are listed, canceled, followed and forgotten, and how many there may be.

use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::time::At;
use schema::time::DAY_MS;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal::Record;
use store::journal_store::JournalStore;

use super::ADA;
use super::BEN;
use super::DONE;
use super::VERSION;
use super::WAITS;
use super::error;
use super::message;
use super::refused;
use super::reply;
use super::rest;
use super::result;
use super::say;
use super::server;
use super::started;
use super::table;
use super::task_in;
use crate::support::clock::VirtualClock;
use crate::support::events;
use crate::support::events::Said;
use crate::support::journals::journals;
use crate::support::server::Server;

/// A service whose time is set.
fn timed(change: impl FnOnce(&mut Settings)) -> (Server, Arc<VirtualClock>) {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    };
    (Server::start(&super::schemas(), change, parts), clock)
}

/// How many tasks somebody has of which this is true.
fn count(server: &Server, who: (&str, &str), of: &Value) -> Value {
    result(server, who, "ListTasks", of)["totalSize"].clone()
}

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
    let said = reply(&task["id"], table(2));
    assert_eq!(error(&server, BEN, "SendMessage", &said)["code"], -32001);
    let path = format!("/tasks/{}", task["id"].as_str().expect("an id"));
    let of_another = rest(&server, BEN, "GET", &path, &Value::Null);
    assert_eq!(
        (of_another.status, &of_another.body["error"]["status"]),
        (404, &json!("NOT_FOUND"))
    );
    let own = rest(&server, ADA, "GET", &path, &Value::Null).body;
    assert_eq!(own, result(&server, ADA, "GetTask", &id));
    assert_eq!(count(&server, BEN, &json!({})), 0);
}

#[test]
fn tasks_are_listed_page_by_page_last_changed_first_and_grouped_by_context_p001_p002_p003_p004() {
    let server = server();
    let done = [task_in(&server, ADA, DONE), task_in(&server, ADA, DONE)];
    let waiting = task_in(&server, ADA, WAITS);
    let context = &done[0]["contextId"];
    assert!(context.as_str().is_some_and(|id| id.starts_with("ctx_")), "{}", done[0]);
    assert_eq!(done[0]["history"][0]["contextId"], *context);
    assert_ne!(done[1]["contextId"], *context);
    let mut token = String::new();
    let mut listed = Vec::new();
    for _ in 0..2 {
        let path = format!("/tasks?pageSize=2&pageToken={token}");
        let page = rest(&server, ADA, "GET", &path, &Value::Null).body;
        assert_eq!((&page["totalSize"], &page["pageSize"]), (&json!(3), &json!(2)));
        for task in page["tasks"].as_array().expect("a list") {
            assert!(task.get("artifacts").is_none(), "left out unless they are asked for");
            listed.push(task["id"].clone());
        }
        page["nextPageToken"].as_str().expect("a token").clone_into(&mut token);
    }
    assert_eq!(token, "", "that was the last page");
    assert_eq!(listed, [&waiting, &done[1], &done[0]].map(|task| task["id"].clone()));
    let filter = json!({"status": WAITS, "includeArtifacts": true});
    let filtered = result(&server, ADA, "ListTasks", &filter);
    assert_eq!(
        (&filtered["totalSize"], &filtered["tasks"][0]["artifacts"]),
        (&json!(1), &json!([]))
    );
    let mut later = message(table(3));
    later["message"]["contextId"] = context.clone();
    let later = result(&server, ADA, "SendMessage", &later)["task"].clone();
    assert!(
        later["contextId"] == *context && later["id"] != done[0]["id"],
        "{later}"
    );
    assert_eq!(count(&server, ADA, &json!({"contextId": context})), 2);
    let wrong = rest(&server, ADA, "GET", "/tasks?status=done", &Value::Null);
    assert_eq!(wrong.status, 400, "{}", wrong.body);
}

#[test]
fn what_was_said_in_a_task_that_is_gone_is_erased_from_the_disk_z167() {
    let journal: Arc<JournalStore> = Arc::new(journals());
    let parts = PartsOverride {
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    };
    let one = |settings: &mut Settings| settings.a2a.tasks_per_client_max = 1;
    let server = Server::start(&super::schemas(), one, parts);
    task_in(&server, ADA, DONE);
    let kept = task_in(&server, ADA, DONE);
    server.tick();
    let name = JournalName("tasks/default".to_owned());
    let records = journal.read(&name, 1, 100).expect("records");
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
    let (server, clock) = timed(|settings| settings.service.texts_kept_days = 2);
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
fn tasks_and_messages_are_bounded_at_their_settings_and_what_ended_or_waits_long_makes_room() {
    let (server, clock) = timed(|settings| {
        settings.a2a.ended_kept_s = 100;
        settings.a2a.waiting_kept_s = 50;
        settings.a2a.tasks_per_client_max = 2;
        settings.a2a.task_messages_max = 2;
    });
    let everything = json!({});
    task_in(&server, ADA, DONE);
    clock.advance_ms(99_999);
    let waiting = task_in(&server, BEN, WAITS);
    assert_eq!(count(&server, ADA, &everything), 1);
    clock.advance_ms(1);
    task_in(&server, BEN, WAITS);
    assert_eq!(count(&server, ADA, &everything), 0);
    let another = message(table(2));
    clock.advance_ms(49_998);
    assert_eq!(error(&server, BEN, "SendMessage", &another)["code"], 42901);
    let by_rest = rest(&server, BEN, "POST", "/message:send", &another);
    assert_eq!(
        (by_rest.status, &by_rest.body["error"]["status"]),
        (429, &json!("RESOURCE_EXHAUSTED"))
    );
    clock.advance_ms(1);
    result(&server, BEN, "SendMessage", &another);
    assert_eq!(count(&server, BEN, &everything), 2);
    let gone = error(&server, BEN, "GetTask", &json!({"id": waiting["id"]}));
    assert_eq!(gone["code"], -32001, "it made room");
    let task = task_in(&server, ADA, WAITS);
    say(&server, &task, table("many"));
    let full = error(&server, ADA, "SendMessage", &reply(&task["id"], table("many")));
    assert_eq!(full["code"], 42901);
    let few = started(|settings| settings.a2a.tasks_max = 1);
    task_in(&few, BEN, WAITS);
    assert_eq!(refused(&few, table(2))["code"], 42901);
}

#[test]
fn as_many_messages_come_back_as_are_wanted() {
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    for _ in 0..2 {
        say(&server, &task, table("many"));
    }
    let messages = |length: Value| {
        let got = result(
            &server,
            ADA,
            "GetTask",
            &json!({"id": task["id"], "historyLength": length}),
        );
        got["history"].as_array().map_or(0, Vec::len)
    };
    let lengths = [json!(null), json!(0), json!(1), json!(4), json!(9)];
    assert_eq!(lengths.map(messages), [5, 0, 1, 4, 5]);
    let mut sent = reply(&task["id"], table(2));
    sent["configuration"] = json!({"historyLength": 0});
    let sent = result(&server, ADA, "SendMessage", &sent);
    assert!(sent["task"].get("history").is_none());
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
    let path = format!("/tasks/{}:cancel", task["id"].as_str().expect("an id"));
    assert_eq!(rest(&server, ADA, "POST", &path, &json!({})).status, 400);
    let mut elsewhere = reply(&task_in(&server, ADA, WAITS)["id"], table(2));
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
    say(&server, &task, table(2));
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
