//! An agent is told of its work as it is handed out, and of nothing that is not its own.

use std::sync::Arc;

use schema::time::At;
use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::FLIGHT;
use super::HOTEL;
use super::MASTER;
use super::done;
use super::subtask;
use super::word;
use crate::support::clock::VirtualClock;
use crate::support::events;
use crate::support::events::Events;
use crate::support::events::Said;
use crate::support::server::Server;
use crate::support::server::under;

fn follow(server: &Server, who: &str) -> Events {
    let path = format!("/v1/agents/{who}/tasks/events");
    let (status, _, events) = events::open(server.base(), &path, &[("Otherwise-Client", who)]);
    events.unwrap_or_else(|| panic!("{path}: {status}"))
}

/// The next event, which must be this one of this subtask.
fn told(events: &mut Events, event: &str, subtask: &str) -> Value {
    let (name, _, data) = events.told();
    assert_eq!((name.as_str(), &data["SubTaskID"]), (event, &json!(subtask)), "{data}");
    data
}

#[test]
fn an_agent_is_told_of_what_is_handed_out_to_it_and_of_nothing_else_c003_c035_c036_c063() {
    let server = Server::with(&[]);
    let (master, agent) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let path = master.begin(&[subtask("hotel", HOTEL, &[]), subtask("flight", FLIGHT, &["hotel"])]);
    let at = format!("{path}/subtasks/hotel");
    let (mut hotel, mut flight) = (follow(&server, HOTEL), follow(&server, FLIGHT));
    let sent = told(&mut hotel, "sent", "hotel");
    assert_eq!(
        sent,
        agent.get("/tasks?role=agent")["subtasks"][0],
        "as the list says it, and no context"
    );
    agent.gives_back(&at, "Capo d'Africa");
    told(&mut hotel, "returned", "hotel");
    master.post(&format!("{at}:evaluate"), &word(false));
    told(&mut hotel, "incomplete", "hotel");
    drop(hotel);
    // One that broke off begins with what waits.
    let mut hotel = follow(&server, HOTEL);
    told(&mut hotel, "incomplete", "hotel");
    agent.gives_back(&at, "Artemide");
    told(&mut hotel, "returned", "hotel");
    master.post(&format!("{at}:evaluate"), &word(true));
    told(&mut hotel, "complete", "hotel");
    // The other one's turn has come: nothing before was any business of its.
    told(&mut flight, "sent", "flight");
    let again = json!({"AgentContext": subtask("flight", HOTEL, &["hotel"])});
    master.post(&format!("{path}/subtasks/flight:resend"), &again);
    told(&mut hotel, "sent", "flight");
    told(&mut flight, "gone", "flight");
    master.ok(&format!("DELETE {path}"), &Value::Null);
    told(&mut hotel, "gone", "flight");
    told(&mut hotel, "gone", "hotel");
}

#[test]
fn what_waits_is_told_in_the_order_in_which_it_changed_c059_c063() {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let server = Server::start(&[], |_| {}, under(&clock));
    let (master, agent) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let path = master.begin(&["alpha", "beta", "gamma", "delta"].map(|name| subtask(name, HOTEL, &[])));
    // Neither as they are named, nor as they were handed out.
    let order = ["gamma", "alpha", "delta", "beta"];
    for name in order {
        // By half seconds, which are written longer than whole ones.
        clock.advance_ms(500);
        let at = format!("{path}/subtasks/{name}");
        agent.gives_back(&at, "Capo d'Africa");
        master.post(&format!("{at}:evaluate"), &word(false));
    }
    let mut hotel = follow(&server, HOTEL);
    for name in order {
        told(&mut hotel, "incomplete", name);
    }
}

#[test]
fn who_is_in_a_task_is_told_when_it_is_closed_and_its_list_is_empty_c059_c063() {
    let server = Server::with(&[]);
    let (master, agent) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let path = master.begin(&[subtask("hotel", HOTEL, &[]), subtask("flight", FLIGHT, &["hotel"])]);
    let mut hotel = follow(&server, HOTEL);
    told(&mut hotel, "sent", "hotel");
    master.post(&format!("{path}:close"), &Value::Null);
    let gone = told(&mut hotel, "gone", "hotel");
    assert_eq!(
        gone,
        json!({"TaskID": path.trim_start_matches("/tasks/"), "SubTaskID": "hotel"})
    );
    for query in ["", "&state=sent", "&state=complete"] {
        assert_eq!(
            agent.get(&format!("/tasks?role=agent{query}"))["subtasks"],
            json!([]),
            "{query}"
        );
    }
    let at = format!("{path}/subtasks/hotel");
    let own = agent.get(&at);
    assert_eq!(
        (&own["state"], &own["closed"]),
        (&json!("sent"), &json!(true)),
        "what was its own can be read"
    );
    let late = done(&own["AgentContext"], "Capo d'Africa");
    assert_eq!(agent.no(&format!("PUT {at}"), &late), "409 task_forbids");
    drop(hotel);
    // One that broke off before is told as well.
    assert_eq!(told(&mut follow(&server, HOTEL), "gone", "hotel"), gone);
}

#[test]
fn nobody_follows_another_ones_work_and_a_stream_ends_with_the_service_c065() {
    let server = Server::with(&[]);
    let path = format!("/agents/{HOTEL}/tasks/events");
    let reply = Agent::new(&server, FLIGHT).call(&format!("GET {path}"), &Value::Null);
    let detail = format!("the tasks of agent {HOTEL} are followed by that agent alone, and you are {FLIGHT}");
    assert_eq!(
        (&reply.body["code"], &reply.body["detail"]),
        (&json!("unknown_agent"), &json!(detail))
    );
    let nameless = server.call("GET", &format!("/v1{path}"), &[], "");
    assert_eq!((nameless.status, &nameless.body["code"]), (403, &json!("nameless")));
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
