//! Notifications: who is told, by which credentials, how often, and who may not be.

use std::collections::BTreeSet;
use std::time::Duration;

use otherwise::app::caller::Role;
use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::DONE;
use super::WAITS;
use super::closed;
use super::error;
use super::field;
use super::message;
use super::rest;
use super::result;
use super::say;
use super::server;
use super::started;
use super::table;
use super::task_in;
use crate::support::agent::Act;
use crate::support::agent::Agent;

const CREATE: &str = "CreateTaskPushNotificationConfig";

/// A receiver that answers its first calls so, and all later ones with 200.
fn receiver(first: &'static [u16]) -> Agent {
    Agent::start(move |call, _| match first.get(call) {
        Some(status) => Act::Say(*status, String::new(), String::new()),
        None => Act::Answer(json!({})),
    })
}

#[test]
fn who_asked_is_told_every_step_by_its_own_credentials() {
    let (server, told) = (server(), receiver(&[]));
    let mut sent = message(table("many"));
    sent["configuration"] = json!({"taskPushNotificationConfig": {"url": told.url(), "token": "a-token",
        "authentication": {"scheme": "Bearer", "credentials": "secret"}}});
    let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
    let first = &told.wait_for(1)[0];
    assert_eq!(first.body["statusUpdate"]["taskId"], task["id"], "{}", first.body);
    for (header, value) in [
        ("authorization", "Bearer secret"),
        ("x-a2a-notification-token", "a-token"),
        ("content-type", "application/a2a+json"),
    ] {
        assert_eq!(first.header(header), Some(value));
    }
    let signature = first.header("webhook-signature");
    assert!(signature.is_some_and(|signature| signature.starts_with("v1,")));
    say(&server, &task, table(2));
    let all = told.wait_for(4);
    let states = all
        .iter()
        .map(|call| call.body["statusUpdate"]["status"]["state"].as_str());
    let submitted = "TASK_STATE_SUBMITTED";
    assert_eq!(
        states.collect::<Vec<_>>(),
        [Some(WAITS), Some(submitted), None, Some(DONE)]
    );
    assert_eq!(all[2].body["artifactUpdate"]["artifact"]["artifactId"], "reply-2");
    let ids: BTreeSet<_> = all.iter().map(|call| call.header("webhook-id")).collect();
    assert_eq!(ids.len(), 4, "each has an id of its own");
}

#[test]
fn a_notification_comes_again_until_it_is_taken_and_a_receiver_that_fails_for_long_is_given_up() {
    let server = started(|settings| {
        settings.a2a.push_first_pause_ms = 10;
        settings.a2a.push_longest_pause_s = 1;
        settings.a2a.push_attempts_max = 3;
    });
    let (patient, lost, gone) = (receiver(&[500, 503]), receiver(&[500, 500, 500]), receiver(&[410]));
    let task = task_in(&server, ADA, WAITS);
    for told in [&patient, &lost, &gone] {
        let config = json!({"taskId": task["id"], "url": told.url()});
        result(&server, ADA, CREATE, &config);
    }
    say(&server, &task, table(2));
    let calls = patient.wait_for(5);
    assert_eq!(calls[0].header("webhook-id"), calls[2].header("webhook-id"));
    assert_eq!(calls[4].body["statusUpdate"]["status"]["state"], DONE);
    lost.wait_for(3);
    std::thread::sleep(Duration::from_millis(200));
    let called = (lost.called().len(), gone.called().len());
    assert_eq!(called, (3, 1), "nothing comes after that");
}

#[test]
fn a_registration_is_kept_shown_and_taken_back() {
    let (server, told) = (server(), receiver(&[]));
    let task = task_in(&server, ADA, WAITS);
    let path = format!("/tasks/{}/pushNotificationConfigs", task["id"].as_str().expect("an id"));
    let config = json!({"id": "mine", "url": told.url(), "token": "a-token",
        "authentication": {"scheme": "Bearer", "credentials": "secret"}});
    let kept = rest(&server, ADA, "POST", &path, &config);
    assert_eq!((kept.status, &kept.body["taskId"]), (200, &task["id"]), "{}", kept.body);
    assert_eq!(
        kept.body["authentication"],
        json!({"scheme": "Bearer"}),
        "not shown again"
    );
    assert!(kept.body.get("token").is_none(), "nor is the token, which signs");
    let named = json!({"taskId": task["id"], "id": "mine"});
    assert_eq!(result(&server, ADA, "GetTaskPushNotificationConfig", &named), kept.body);
    let listed = rest(&server, ADA, "GET", &path, &Value::Null);
    assert_eq!(listed.body, json!({"configs": [kept.body], "nextPageToken": ""}));
    let own = format!("{path}/mine");
    for _ in 0..2 {
        let removed = rest(&server, ADA, "DELETE", &own, &Value::Null);
        assert_eq!((removed.status, removed.body), (200, json!({})));
    }
    assert_eq!(rest(&server, ADA, "GET", &own, &Value::Null).status, 404);
    say(&server, &task, table(2));
    std::thread::sleep(Duration::from_millis(200));
    assert!(told.called().is_empty(), "it was taken back");
}

#[test]
fn addresses_inside_are_not_called_for_others_and_wrong_ones_are_named() {
    let server = closed(&[("ada", Role::Client)], |settings| {
        settings.a2a.pushes_per_task_max = 0
    });
    let ada = ("X-API-Key", "ada-key");
    let task = task_in(&server, ada, WAITS);
    let url = "https://example.com/";
    let authentication = |scheme: &str, credentials: &str| json!({"url": url, "authentication": {"scheme": scheme, "credentials": credentials}});
    for (config, wrong) in [
        (json!({"url": "http://127.0.0.1:9/hook"}), "url"),
        (json!({"url": "https://10.0.0.1/hook"}), "url"),
        (json!({"url": "https://169.254.169.254/"}), "url"),
        (json!({"url": "http://example.com/"}), "url"),
        (json!({"url": ""}), "url"),
        (json!({"url": url, "id": "a/b"}), "id"),
        (json!({"url": url, "token": "a\nb"}), "token"),
        (authentication("a b", ""), "authentication.scheme"),
        (authentication("Bearer", "a\r\nb"), "authentication.credentials"),
    ] {
        let mut params = config.clone();
        params["taskId"] = task["id"].clone();
        let told = error(&server, ada, CREATE, &params);
        assert_eq!((&told["code"], field(&told)), (&json!(-32602), wrong), "{config}");
    }
    let full = error(&server, ada, CREATE, &json!({"taskId": task["id"], "url": url}));
    assert_eq!(full["code"], 42901, "{full}");
    let mut sent = message(table(2));
    sent["configuration"] = json!({"taskPushNotificationConfig": {"url": "http://127.0.0.1:9/"}});
    let told = error(&server, ada, "SendMessage", &sent);
    assert_eq!(field(&told), "configuration.taskPushNotificationConfig.url");
    let listed = result(&server, ada, "ListTasks", &json!({}));
    assert_eq!(listed["totalSize"], 1, "it began no task");
}
