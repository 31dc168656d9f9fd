//! An agent is told of its work as it is handed out, and of nothing that is not its own.

use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use schema::time::At;
use serde_json::Value;
use serde_json::json;

use super::FLIGHT;
use super::HOTEL;
use super::MASTER;
use super::call;
use super::done;
use super::get;
use super::id;
use super::ok;
use super::post;
use super::put;
use super::server;
use super::subtask;
use super::task;
use crate::support::clock::VirtualClock;
use crate::support::events;
use crate::support::events::Events;
use crate::support::events::Said;
use crate::support::server::Server;

fn follow(server: &Server, who: &str) -> Events {
    let path = format!("/v1/agents/{who}/tasks/events");
    let (status, _, events) = events::open(server.base(), &path, &[("Otherwise-Client", who)]);
    events.unwrap_or_else(|| panic!("{path}: {status}"))
}

/// The next event: its name, and which subtask it is of.
fn next(events: &mut Events) -> (String, Value) {
    loop {
        match events.next() {
            Said::Event { name, data, .. } => return (name, data),
            Said::Alive | Said::Retry(_) => {}
            Said::End => panic!("the stream ended"),
        }
    }
}

fn told(events: &mut Events, event: &str, subtask: &str) -> Value {
    let (name, data) = next(events);
    assert_eq!((name.as_str(), &data["SubTaskID"]), (event, &json!(subtask)), "{data}");
    data
}

#[test]
fn an_agent_is_told_of_what_is_handed_out_to_it_and_of_nothing_else_c003_c035_c036_c063() {
    let server = server();
    let contexts = json!([
        subtask("hotel", HOTEL, &[], "Find a hotel near the Colosseum"),
        subtask("flight", FLIGHT, &["hotel"], "Find a flight from Berlin to Rome"),
    ]);
    let body = json!({"TaskContext": task(&["go"]), "AgentContexts": contexts});
    let task = id(&post(&server, MASTER, "/tasks", &body));
    let at = format!("/tasks/{task}/subtasks");
    let mut hotel = follow(&server, HOTEL);
    let mut flight = follow(&server, FLIGHT);
    let sent = told(&mut hotel, "sent", "hotel");
    assert_eq!(sent["TaskID"], json!(task), "what waited when the stream began");
    let listed = get(&server, HOTEL, "/tasks?role=agent");
    assert_eq!(sent, listed["subtasks"][0], "as the list says it, and no context");

    let own = get(&server, HOTEL, &format!("{at}/hotel"));
    let back = done(
        &own["AgentContext"],
        "A hotel near the Colosseum of Rome: Capo d'Africa",
    );
    put(&server, HOTEL, &format!("{at}/hotel"), &back);
    told(&mut hotel, "returned", "hotel");
    let refused = json!({"verdicts": [{"itemId": "1", "verified": false, "reason": "too far"}]});
    post(&server, MASTER, &format!("{at}/hotel:evaluate"), &refused);
    told(&mut hotel, "incomplete", "hotel");
    drop(hotel);
    // One that broke off begins with what waits.
    let mut hotel = follow(&server, HOTEL);
    told(&mut hotel, "incomplete", "hotel");
    put(&server, HOTEL, &format!("{at}/hotel"), &back);
    told(&mut hotel, "returned", "hotel");
    let verified = json!({"verdicts": [{"itemId": "1", "verified": true, "reason": "near enough"}]});
    post(&server, MASTER, &format!("{at}/hotel:evaluate"), &verified);
    told(&mut hotel, "complete", "hotel");
    // The other one's turn has come: nothing before was any business of its.
    let sent = told(&mut flight, "sent", "flight");
    assert_eq!(sent["TaskID"], json!(task));

    let again = json!({"AgentContext": subtask("flight", HOTEL, &["hotel"], "Find a flight from Berlin to Rome")});
    post(&server, MASTER, &format!("{at}/flight:resend"), &again);
    told(&mut hotel, "sent", "flight");
    told(&mut flight, "gone", "flight");
    ok(&server, MASTER, "DELETE", &format!("/tasks/{task}"), &Value::Null);
    told(&mut hotel, "gone", "flight");
    told(&mut hotel, "gone", "hotel");
}

#[test]
fn what_waits_is_told_in_the_order_in_which_it_changed_c059_c063() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        ..PartsOverride::default()
    };
    let server = Server::start(&[], |_| {}, parts);
    let names = ["alpha", "beta", "gamma", "delta"];
    let contexts: Vec<Value> = names
        .iter()
        .map(|name| subtask(name, HOTEL, &[], "Find a hotel"))
        .collect();
    let body = json!({"TaskContext": task(&["go"]), "AgentContexts": contexts});
    let task = id(&post(&server, MASTER, "/tasks", &body));
    let refused = json!({"verdicts": [{"itemId": "1", "verified": false, "reason": "too far"}]});
    // Neither as they are named, nor as they were handed out.
    let order = ["gamma", "alpha", "delta", "beta"];
    for name in order {
        clock.advance_ms(1_000);
        let at = format!("/tasks/{task}/subtasks/{name}");
        let own = get(&server, HOTEL, &at);
        put(
            &server,
            HOTEL,
            &at,
            &done(&own["AgentContext"], "A hotel: Capo d'Africa"),
        );
        post(&server, MASTER, &format!("{at}:evaluate"), &refused);
    }
    let mut hotel = follow(&server, HOTEL);
    let told: Vec<Value> = order.map(|name| told(&mut hotel, "incomplete", name)).to_vec();
    let moments: Vec<At> = told
        .iter()
        .map(|data| At::parse(data["changed_at"].as_str().expect("a moment")).expect("a moment"))
        .collect();
    assert!(moments.windows(2).all(|pair| pair[0] < pair[1]), "{moments:?}");
}

#[test]
fn who_is_in_a_task_is_told_when_it_is_closed_and_its_list_is_empty_c059_c063() {
    let server = server();
    let contexts = json!([
        subtask("hotel", HOTEL, &[], "Find a hotel near the Colosseum"),
        subtask("flight", FLIGHT, &["hotel"], "Find a flight from Berlin to Rome"),
    ]);
    let body = json!({"TaskContext": task(&["go"]), "AgentContexts": contexts});
    let task = id(&post(&server, MASTER, "/tasks", &body));
    let mut hotel = follow(&server, HOTEL);
    told(&mut hotel, "sent", "hotel");
    post(&server, MASTER, &format!("/tasks/{task}:close"), &Value::Null);
    let gone = told(&mut hotel, "gone", "hotel");
    assert_eq!(gone, json!({"TaskID": task, "SubTaskID": "hotel"}));
    for query in ["", "&state=sent", "&state=complete"] {
        let listed = get(&server, HOTEL, &format!("/tasks?role=agent{query}"));
        assert_eq!(listed["subtasks"], json!([]), "{query}");
    }
    let at = format!("/tasks/{task}/subtasks/hotel");
    let own = get(&server, HOTEL, &at);
    let late = call(
        &server,
        HOTEL,
        "PUT",
        &at,
        &done(&own["AgentContext"], "A hotel near the Colosseum"),
    );
    assert_eq!(
        (late.status, &late.body["code"]),
        (409, &json!("task_forbids")),
        "what was its own can be read"
    );
    assert_eq!((&own["state"], &own["closed"]), (&json!("sent"), &json!(true)));
    drop(hotel);
    // One that broke off before is told as well.
    let mut hotel = follow(&server, HOTEL);
    assert_eq!(told(&mut hotel, "gone", "hotel"), gone);
}

#[test]
fn nobody_follows_another_ones_work_c065() {
    let server = server();
    let path = format!("/agents/{HOTEL}/tasks/events");
    let reply = call(&server, FLIGHT, "GET", &path, &Value::Null);
    assert_eq!((reply.status, &reply.body["code"]), (404, &json!("unknown_agent")));
    let detail = format!("the tasks of agent {HOTEL} are followed by that agent alone, and you are {FLIGHT}");
    assert_eq!(reply.body["detail"], json!(detail));
    let nameless = server.call("GET", &format!("/v1{path}"), &[], "");
    assert_eq!((nameless.status, &nameless.body["code"]), (403, &json!("nameless")));
}

#[test]
fn a_stream_of_work_ends_with_the_service() {
    let server = Server::start(&[], |_| {}, PartsOverride::default());
    let mut hotel = follow(&server, HOTEL);
    drop(server);
    loop {
        match hotel.next() {
            Said::Event { name, .. } => assert_eq!(name, "bye"),
            Said::Alive | Said::Retry(_) => {}
            Said::End => break,
        }
    }
}
