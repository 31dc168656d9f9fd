//! How long tasks and contents live, what is erased with them, and how many there may be.

use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use schema::time::At;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;

use super::HOTEL;
use super::MASTER;
use super::call;
use super::done;
use super::get;
use super::id;
use super::no;
use super::no_get;
use super::ok;
use super::post;
use super::put;
use super::subtask;
use super::task;
use super::tour;
use super::verified;
use crate::support::clock::VirtualClock;
use crate::support::server::Reply;
use crate::support::server::Server;

fn set(change: impl FnOnce(&mut Settings)) -> (Server, Arc<VirtualClock>, Arc<JournalStore>) {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let journal: Arc<JournalStore> = Arc::new(JournalStore::in_memory());
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    };
    (Server::start(&[], change, parts), clock, journal)
}

/// Every text that lies in the journal of tasks.
fn sealed(journal: &JournalStore) -> String {
    let records = journal
        .read(&JournalName("works/default".to_owned()), 1, 1_000)
        .expect("records");
    let texts = records
        .iter()
        .map(|record| String::from_utf8_lossy(&record.sealed).into_owned());
    texts.collect()
}

#[test]
fn a_closed_task_takes_nothing_more_and_a_deleted_one_is_erased_c021_c022_c066() {
    let (server, _, journal) = set(|_| {});
    let first = tour(&server);
    let kept = tour(&server);
    let at = format!("/tasks/{first}/subtasks/hotel");
    let sent = get(&server, HOTEL, &at)["AgentContext"].clone();
    post(&server, MASTER, &format!("/tasks/{first}:close"), &Value::Null);
    let forbids = (409, "task_forbids".to_owned());
    assert_eq!(
        no(&server, HOTEL, "PUT", &at, &done(&sent, "Hotel Capo d'Africa")),
        forbids
    );
    let goal = json!({"TaskContext": {"GoalStatus": []}});
    assert_eq!(no(&server, MASTER, "PATCH", &format!("/tasks/{first}"), &goal), forbids);
    assert_eq!(
        no(&server, MASTER, "POST", &format!("/tasks/{first}:close"), &Value::Null),
        forbids
    );
    let more = json!({"AgentContext": subtask("more", "x", &[], "do")});
    assert_eq!(
        no(&server, MASTER, "POST", &format!("/tasks/{first}/subtasks"), &more),
        forbids
    );
    assert_eq!(get(&server, HOTEL, &at)["state"], "sent", "it is still read");
    let listed = get(&server, MASTER, "/tasks?state=closed");
    assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(1));
    let before = sealed(&journal).matches("what hotel needs to know").count();
    assert_eq!(before, 2);
    ok(&server, MASTER, "DELETE", &format!("/tasks/{first}"), &Value::Null);
    assert_eq!(
        sealed(&journal).matches("what hotel needs to know").count(),
        1,
        "erased from the disk at once"
    );
    for (who, path) in [(MASTER, format!("/tasks/{first}")), (HOTEL, at)] {
        assert_eq!(no_get(&server, who, &path), (404, "unknown_task".to_owned()));
    }
    assert_eq!(get(&server, MASTER, "/tasks")["tasks"][0]["TaskID"], json!(kept));
}

#[test]
fn what_nobody_touches_is_over_after_its_time_c022_c058() {
    let (server, clock, journal) = set(|settings| {
        settings.tasks.open_kept_s = 100;
        settings.tasks.closed_kept_s = 10;
        settings.tasks.content_kept_s = 50;
    });
    let (open, closed) = (tour(&server), tour(&server));
    post(&server, MASTER, &format!("/tasks/{closed}:close"), &Value::Null);
    let stored = post(
        &server,
        MASTER,
        "/contents",
        &json!({"content": "a long text of its own"}),
    );
    let uri = stored["ContextURI"]
        .as_str()
        .expect("an address")
        .trim_start_matches("/v1")
        .to_owned();
    assert_eq!(stored["expires_at"], "2026-05-01T08:00:50Z");
    let there = |id: &str| call(&server, MASTER, "GET", &format!("/tasks/{id}"), &Value::Null).status;
    let readable = || call(&server, MASTER, "GET", &uri, &Value::Null).status;
    clock.advance_ms(9_999);
    assert_eq!((there(&open), there(&closed), readable()), (200, 200, 200));
    clock.advance_ms(1);
    assert_eq!((there(&open), there(&closed), readable()), (200, 404, 200));
    clock.advance_ms(39_999);
    assert_eq!(readable(), 200);
    clock.advance_ms(1);
    assert_eq!(readable(), 404);
    assert!(sealed(&journal).contains("a long text of its own"));
    server.tick();
    assert!(
        !sealed(&journal).contains("a long text of its own"),
        "it is erased with the next look"
    );
    clock.advance_ms(50_000);
    assert_eq!(there(&open), 404);
    let hotel = get(&server, HOTEL, "/tasks?role=agent");
    assert_eq!(hotel["subtasks"], json!([]));
}

#[test]
fn contents_are_read_by_who_is_told_of_them_and_kept_once_c051_c058_c065_c067() {
    let (server, clock, journal) = set(|settings| settings.tasks.content_kept_s = 50);
    let notes = "Everything about the guests: two of them, and a dog. ".repeat(900);
    let store = |who: &str| post(&server, who, "/contents", &json!({"content": notes}));
    let stored = store(MASTER);
    assert_eq!(stored["bytes"], json!(notes.len()));
    let uri = stored["ContextURI"].as_str().expect("an address").to_owned();
    let path = uri.trim_start_matches("/v1").to_owned();
    let reads = |who: &str| call(&server, who, "GET", &path, &Value::Null).status;
    assert_eq!([MASTER, HOTEL, "stranger"].map(reads), [200, 404, 404]);
    // Who may not read it cannot pass it on, be it to itself.
    let mut context = subtask("hotel", HOTEL, &[], "Find a hotel");
    context.as_object_mut().expect("members").remove("Context");
    context["ContextURI"] = json!(uri);
    let body = json!({"TaskContext": task(&["g"]), "AgentContexts": [context]});
    let reply = call(&server, "stranger", "POST", "/tasks", &body);
    assert_eq!(
        (reply.status, &reply.body["violations"][0]["pointer"]),
        (422, &json!("/AgentContexts/0/ContextURI"))
    );
    let id = id(&post(&server, MASTER, "/tasks", &body));
    assert_eq!([MASTER, HOTEL, "stranger"].map(reads), [200, 200, 404]);
    assert_eq!(get(&server, HOTEL, &path)["content"], json!(notes));
    // It is kept as long as the task, though its own time is over.
    clock.advance_ms(60_000);
    server.tick();
    assert_eq!([MASTER, HOTEL, "stranger"].map(reads), [200, 200, 404]);
    // The same text by another one is the same content, and each sees only that it is its own.
    assert_eq!(store("other")["ContextURI"], json!(uri));
    assert_eq!(
        sealed(&journal).matches("Everything about the guests").count(),
        900,
        "its text lies there once"
    );
    assert_eq!(
        no(&server, HOTEL, "DELETE", &path, &Value::Null),
        (404, "unknown_content".to_owned()),
        "it did not store it"
    );
    ok(&server, MASTER, "DELETE", &format!("/tasks/{id}"), &Value::Null);
    assert_eq!([MASTER, HOTEL, "other"].map(reads), [404, 404, 200]);
    ok(&server, "other", "DELETE", &path, &Value::Null);
    assert_eq!(reads("other"), 404);
    assert!(!sealed(&journal).contains("Everything about the guests"));
}

#[test]
fn a_content_that_no_context_names_any_more_is_erased_c058_c066() {
    let (server, clock, journal) = set(|settings| settings.tasks.content_kept_s = 50);
    let stored = post(
        &server,
        MASTER,
        "/contents",
        &json!({"content": "known to nobody soon"}),
    );
    let mut context = subtask("hotel", HOTEL, &[], "Find a hotel");
    context["Context"] = stored["ContextURI"].clone();
    let body = json!({"TaskContext": task(&["g"]), "AgentContexts": [context]});
    let id = id(&post(&server, MASTER, "/tasks", &body));
    clock.advance_ms(60_000);
    server.tick();
    assert!(
        sealed(&journal).contains("known to nobody soon"),
        "a context refers to it"
    );
    let anew = json!({"AgentContext": subtask("hotel", HOTEL, &[], "Find a hotel")});
    post(&server, MASTER, &format!("/tasks/{id}/subtasks/hotel:resend"), &anew);
    assert!(!sealed(&journal).contains("known to nobody soon"));
}

#[test]
fn an_agent_passes_on_its_full_output_by_reference_c058_c063() {
    let (server, _, _) = set(|_| {});
    let body = json!({"TaskContext": task(&["g"]), "AgentContexts": [
        subtask("diagnosis", "doctor", &[], "Name the disease"),
        subtask("prescription", "prescriber", &["diagnosis"], "Prescribe a medicine"),
    ]});
    let id = id(&post(&server, MASTER, "/tasks", &body));
    let at = |name: &str| format!("/tasks/{id}/subtasks/{name}");
    let findings = "All findings, one after another.";
    let stored = post(&server, "doctor", "/contents", &json!({"content": findings}));
    let uri = stored["ContextURI"].as_str().expect("an address").to_owned();
    let path = uri.trim_start_matches("/v1").to_owned();
    assert_eq!(no_get(&server, MASTER, &path).0, 404);
    let sent = get(&server, "doctor", &at("diagnosis"))["AgentContext"].clone();
    put(
        &server,
        "doctor",
        &at("diagnosis"),
        &done(&sent, &format!("The disease is influenza; all of it: {uri}")),
    );
    assert_eq!(
        get(&server, MASTER, &path)["content"],
        findings,
        "the master is told of it"
    );
    let mut next = subtask("prescription", "prescriber", &["diagnosis"], "Prescribe a medicine");
    next.as_object_mut().expect("members").remove("Context");
    next["ContextURI"] = json!(uri);
    post(
        &server,
        MASTER,
        &format!("{}:resend", at("prescription")),
        &json!({"AgentContext": next}),
    );
    assert_eq!(no_get(&server, "prescriber", &path).0, 404, "its turn has not come");
    post(&server, MASTER, &format!("{}:evaluate", at("diagnosis")), &verified());
    assert_eq!(get(&server, "prescriber", &path)["content"], findings);
}

#[test]
fn each_limit_is_said_when_it_is_reached_c058() {
    let (server, _, _) = set(|settings| {
        settings.tasks.tasks_max = 3;
        settings.tasks.tasks_per_client_max = 2;
        settings.tasks.subtasks_max = 3;
        settings.tasks.changes_max = 5;
        settings.tasks.context_bytes_max = 1_024;
        settings.tasks.content_bytes_max = 1_024;
        settings.tasks.contents_per_client_bytes_max = 2_048;
        settings.tasks.contents_bytes_max = 3_000;
    });
    let refused = |reply: &Reply, status: u16, code: &str, says: &str| {
        let detail = reply.body["detail"].as_str().unwrap_or_default();
        assert_eq!(
            (reply.status, reply.body["code"].as_str()),
            (status, Some(code)),
            "{}",
            reply.body
        );
        assert!(detail.contains(says), "{detail}");
    };
    let full = |who: &str, method: &str, path: &str, body: &Value, says: &str| {
        refused(&call(&server, who, method, path, body), 429, "limit_reached", says);
    };
    // Waiting does not help what is too long.
    let too_long = |path: &str, body: &Value, says: &str| {
        refused(&call(&server, MASTER, "POST", path, body), 422, "invalid_context", says);
    };
    let begin = json!({"TaskContext": task(&["g"])});
    let id = tour(&server);
    post(&server, MASTER, "/tasks", &begin);
    full(MASTER, "POST", "/tasks", &begin, "tasks.tasks_per_client_max");
    post(&server, "other", "/tasks", &begin);
    full("third", "POST", "/tasks", &begin, "tasks.tasks_max");
    let more = json!({"AgentContext": subtask("more", "x", &[], "do")});
    full(
        MASTER,
        "POST",
        &format!("/tasks/{id}/subtasks"),
        &more,
        "tasks.subtasks_max",
    );
    let goal = json!({"TaskContext": {"GoalStatus": [{"Goal": "hotel", "Status": "in_progress"}]}});
    ok(&server, MASTER, "PATCH", &format!("/tasks/{id}"), &goal);
    full(MASTER, "PATCH", &format!("/tasks/{id}"), &goal, "tasks.changes_max");
    let at = format!("/tasks/{id}/subtasks/hotel");
    let sent = get(&server, HOTEL, &at)["AgentContext"].clone();
    full(HOTEL, "PUT", &at, &done(&sent, "Hotel"), "tasks.changes_max");
    ok(&server, MASTER, "DELETE", &format!("/tasks/{id}"), &Value::Null);
    let mut long = task(&["g"]);
    long["UserQuery"] = json!("x".repeat(1_024));
    too_long("/tasks", &json!({"TaskContext": long}), "/v1/contents");
    let store = |who: &str, letter: &str| (who.to_owned(), json!({"content": letter.repeat(1_024)}));
    too_long(
        "/contents",
        &json!({"content": "x".repeat(1_025)}),
        "tasks.content_bytes_max",
    );
    for (who, body) in [store(MASTER, "a"), store(MASTER, "b"), store(MASTER, "a")] {
        post(&server, &who, "/contents", &body);
    }
    full(
        MASTER,
        "POST",
        "/contents",
        &store(MASTER, "c").1,
        "tasks.contents_per_client_bytes_max",
    );
    full(
        "other",
        "POST",
        "/contents",
        &store("other", "c").1,
        "tasks.contents_bytes_max",
    );
    post(&server, "other", "/contents", &store("other", "a").1);
    for wrong in [
        json!({}),
        json!({"content": 1}),
        json!({"content": ""}),
        json!({"text": "x"}),
    ] {
        assert_eq!(no(&server, MASTER, "POST", "/contents", &wrong).0, 400, "{wrong}");
    }
}

#[test]
fn lists_go_page_by_page_c059() {
    let (server, _, _) = set(|_| {});
    let ids: Vec<String> = (0..5).map(|_| tour(&server)).collect();
    for (role, name, who) in [("master", "tasks", MASTER), ("agent", "subtasks", HOTEL)] {
        let mut found = Vec::new();
        let mut after = String::new();
        loop {
            let page = get(&server, who, &format!("/tasks?role={role}&limit=2{after}"));
            let rows = page[name].as_array().expect("rows");
            assert!(rows.len() <= 2);
            found.extend(rows.iter().map(|row| row["TaskID"].as_str().expect("an id").to_owned()));
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={next}");
        }
        if role == "master" {
            assert_eq!(
                found,
                ids.iter().rev().cloned().collect::<Vec<_>>(),
                "the last begun first"
            );
        }
        let sorted = |ids: &[String]| {
            let mut ids = ids.to_vec();
            ids.sort();
            ids
        };
        assert_eq!(sorted(&found), sorted(&ids));
        for wrong in ["limit=0", "limit=201", "after=nowhere", "state=done", "role=boss"] {
            let path = format!("/tasks?role={role}&{wrong}").replace(&format!("role={role}&role"), "role");
            assert_eq!(
                no_get(&server, who, &path),
                (400, "bad_parameter".to_owned()),
                "{wrong}"
            );
        }
    }
}
