//! Notifications: who is told, by which credentials, how often, and who may not be.

use std::time::Duration;

use otherwise::app::caller::Role;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::closed;
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

const WAITS: &str = "TASK_STATE_INPUT_REQUIRED";
const DONE: &str = "TASK_STATE_COMPLETED";

/// A receiver that answers its first calls so, and all later ones with 200.
fn receiver(first: &'static [u16]) -> Agent {
    Agent::start(move |call, _| match first.get(call) {
        Some(status) => Act::Say(*status, String::new(), String::new()),
        None => Act::Answer(json!({})),
    })
}

fn quick(settings: &mut Settings) {
    settings.a2a.push_first_pause_ms = 10;
    settings.a2a.push_longest_pause_s = 1;
}

#[test]
fn who_asked_is_told_every_step_by_its_own_credentials() {
    let (server, told) = (server(), receiver(&[]));
    let mut sent = message(json!([{"data": guests(&json!("many"))}]));
    sent["configuration"] = json!({"taskPushNotificationConfig": {"url": told.url(), "token": "a-token",
        "authentication": {"scheme": "Bearer", "credentials": "secret"}}});
    let task = result(&server, ADA, "SendMessage", &sent)["task"].clone();
    let first = &told.wait_for(1)[0];
    assert_eq!(first.body["statusUpdate"]["status"]["state"], WAITS, "{}", first.body);
    assert_eq!(first.body["statusUpdate"]["taskId"], task["id"]);
    assert_eq!(first.header("authorization"), Some("Bearer secret"));
    assert_eq!(first.header("x-a2a-notification-token"), Some("a-token"));
    assert_eq!(first.header("content-type"), Some("application/a2a+json"));
    assert!(
        first
            .header("webhook-signature")
            .is_some_and(|signature| signature.starts_with("v1,"))
    );
    result(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{"data": guests(&json!(2))}])),
    );
    let all = told.wait_for(4);
    let states: Vec<&Value> = all
        .iter()
        .map(|call| &call.body["statusUpdate"]["status"]["state"])
        .collect();
    assert_eq!(
        states,
        [
            &json!(WAITS),
            &json!("TASK_STATE_SUBMITTED"),
            &Value::Null,
            &json!(DONE)
        ]
    );
    assert_eq!(all[2].body["artifactUpdate"]["artifact"]["artifactId"], "reply-2");
    let ids: std::collections::BTreeSet<_> = all.iter().map(|call| call.header("webhook-id")).collect();
    assert_eq!(ids.len(), 4, "each has an id of its own");
}

#[test]
fn a_notification_comes_again_until_it_is_taken_and_a_receiver_that_fails_for_long_is_given_up() {
    let server = started(|settings| {
        quick(settings);
        settings.a2a.push_attempts_max = 3;
    });
    let (patient, lost, gone) = (receiver(&[500, 503]), receiver(&[500, 500, 500]), receiver(&[410]));
    let task = task_in(&server, ADA, WAITS);
    for told in [&patient, &lost, &gone] {
        result(
            &server,
            ADA,
            "CreateTaskPushNotificationConfig",
            &json!({"taskId": task["id"], "url": told.url()}),
        );
    }
    result(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{"data": guests(&json!(2))}])),
    );
    let calls = patient.wait_for(5);
    assert_eq!(calls[0].header("webhook-id"), calls[2].header("webhook-id"));
    assert_eq!(calls[4].body["statusUpdate"]["status"]["state"], DONE);
    lost.wait_for(3);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(
        (lost.called().len(), gone.called().len()),
        (3, 1),
        "nothing comes after that"
    );
}

#[test]
fn a_registration_is_kept_shown_and_taken_back() {
    let (server, told) = (server(), receiver(&[]));
    let task = task_in(&server, ADA, WAITS);
    let path = format!("/tasks/{}/pushNotificationConfigs", task["id"].as_str().expect("an id"));
    let config = json!({"id": "mine", "url": told.url(), "token": "a-token", "authentication": {"scheme": "Bearer", "credentials": "secret"}});
    let kept = rest(&server, ADA, "POST", &path, &config);
    assert_eq!((kept.status, &kept.body["taskId"]), (200, &task["id"]), "{}", kept.body);
    assert_eq!(
        kept.body["authentication"],
        json!({"scheme": "Bearer"}),
        "credentials are not shown again"
    );
    assert!(kept.body.get("token").is_none(), "nor is the token, which signs");
    let named = json!({"taskId": task["id"], "id": "mine"});
    assert_eq!(result(&server, ADA, "GetTaskPushNotificationConfig", &named), kept.body);
    let listed = rest(&server, ADA, "GET", &path, &Value::Null);
    assert_eq!(listed.body["configs"], json!([kept.body]));
    for _ in 0..2 {
        let removed = rest(&server, ADA, "DELETE", &format!("{path}/mine"), &Value::Null);
        assert_eq!((removed.status, removed.body), (200, json!({})));
    }
    assert_eq!(
        rest(&server, ADA, "GET", &format!("{path}/mine"), &Value::Null).status,
        404
    );
    assert_eq!(
        error(&server, ADA, "GetTaskPushNotificationConfig", &named)["code"],
        -32001
    );
    result(
        &server,
        ADA,
        "SendMessage",
        &reply(&task["id"], json!([{"data": guests(&json!(2))}])),
    );
    std::thread::sleep(Duration::from_millis(200));
    assert!(told.called().is_empty(), "it was taken back");
}

#[test]
fn registrations_are_bounded_at_their_settings() {
    let server = started(|settings| (settings.a2a.pushes_max, settings.a2a.pushes_per_task_max) = (3, 2));
    let told = receiver(&[]);
    let (one, other) = (task_in(&server, ADA, WAITS), task_in(&server, ADA, WAITS));
    let config = |task: &Value, id: &str| json!({"taskId": task["id"], "id": id, "url": told.url()});
    let set = |task: &Value, id: &str| {
        let reply = super::rpc(&server, &[ADA], "CreateTaskPushNotificationConfig", &config(task, id));
        reply.body["error"]["code"].clone()
    };
    let full = json!(42901);
    assert_eq!(
        [set(&one, "a"), set(&one, "b"), set(&one, "c")],
        [Value::Null, Value::Null, full.clone()]
    );
    assert_eq!(
        [set(&one, "a"), set(&other, "a"), set(&other, "b")],
        [Value::Null, Value::Null, full]
    );
}

#[test]
fn addresses_inside_are_not_called_for_others_and_wrong_ones_are_named() {
    let server = closed(&[("ada", Role::Client)], |_| {});
    let ada = ("X-API-Key", "ada-key");
    let task = task_in(&server, ada, WAITS);
    for (config, field) in [
        (json!({"url": "http://127.0.0.1:9/hook"}), "url"),
        (json!({"url": "https://10.0.0.1/hook"}), "url"),
        (json!({"url": "https://169.254.169.254/"}), "url"),
        (json!({"url": "http://example.com/"}), "url"),
        (json!({"url": ""}), "url"),
        (json!({"url": "https://example.com/", "id": "a/b"}), "id"),
        (json!({"url": "https://example.com/", "token": "a\nb"}), "token"),
        (
            json!({"url": "https://example.com/", "authentication": {"scheme": "a b"}}),
            "authentication.scheme",
        ),
        (
            json!({"url": "https://example.com/", "authentication": {"scheme": "Bearer", "credentials": "a\r\nb"}}),
            "authentication.credentials",
        ),
    ] {
        let mut params = config.clone();
        params["taskId"] = task["id"].clone();
        let told = error(&server, ada, "CreateTaskPushNotificationConfig", &params);
        assert_eq!(told["code"], -32602, "{config}");
        assert_eq!(
            told["data"][1]["fieldViolations"][0]["field"], field,
            "{config}: {told}"
        );
    }
    let mut sent = message(json!([{"data": guests(&json!(2))}]));
    sent["configuration"] = json!({"taskPushNotificationConfig": {"url": "http://127.0.0.1:9/"}});
    let told = error(&server, ada, "SendMessage", &sent);
    let field = &told["data"][1]["fieldViolations"][0]["field"];
    assert_eq!(field, "configuration.taskPushNotificationConfig.url");
    assert_eq!(
        result(&server, ada, "ListTasks", &json!({}))["totalSize"],
        1,
        "it began no task"
    );
}
