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

use super::Agent;
use super::HOTEL;
use super::MASTER;
use super::at;
use super::done;
use super::subtask;
use super::task;
use super::tour;
use crate::support::clock::VirtualClock;
use crate::support::journals::journals;
use crate::support::server::Server;

fn set(change: impl FnOnce(&mut Settings)) -> (Server, Arc<VirtualClock>, Arc<JournalStore>) {
    let clock = Arc::new(VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment")));
    let journal: Arc<JournalStore> = Arc::new(journals());
    let parts = PartsOverride {
        clock: Some(clock.clone()),
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    };
    (Server::start(&[], change, parts), clock, journal)
}

/// How often a text lies in the journal of tasks.
fn sealed(journal: &JournalStore, text: &str) -> usize {
    let name = JournalName("works/default".to_owned());
    let records = journal.read(&name, 1, 1_000).expect("records");
    // A long text goes on in the next record.
    let texts: Vec<u8> = records.into_iter().flat_map(|record| record.sealed).collect();
    String::from_utf8_lossy(&texts).matches(text).count()
}

/// A subtask that is told of a text by its address.
fn referring(path: &str) -> Value {
    let mut context = subtask("hotel", HOTEL, &[]);
    context.as_object_mut().expect("members").remove("Context");
    context["ContextURI"] = json!(format!("/v1{path}"));
    context
}

#[test]
fn a_closed_task_takes_nothing_more_and_a_deleted_one_is_erased_c021_c022_c066() {
    let (server, _, journal) = set(|_| {});
    let (master, hotel) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let (first, kept) = (tour(&server), tour(&server));
    let path = format!("{first}/subtasks/hotel");
    let back = done(&hotel.get(&path)["AgentContext"], "Hotel Capo d'Africa");
    master.post(&format!("{first}:close"), &Value::Null);
    let more = json!({"AgentContext": subtask("more", "x", &[])});
    for (agent, request, body) in [
        (hotel, format!("PUT {path}"), &back),
        (
            master,
            format!("PATCH {first}"),
            &json!({"TaskContext": {"GoalStatus": []}}),
        ),
        (master, format!("POST {first}:close"), &Value::Null),
        (master, format!("POST {first}/subtasks"), &more),
    ] {
        assert_eq!(agent.no(&request, body), "409 task_forbids", "{request}");
    }
    assert_eq!(hotel.get(&path)["state"], "sent", "it is still read");
    assert_eq!(
        master.get("/tasks?state=closed")["tasks"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(sealed(&journal, "what hotel needs to know"), 2);
    master.ok(&format!("DELETE {first}"), &Value::Null);
    assert_eq!(
        sealed(&journal, "what hotel needs to know"),
        1,
        "erased from the disk at once"
    );
    assert_eq!(master.no(&format!("GET {first}"), &Value::Null), "404 unknown_task");
    assert_eq!(hotel.no(&format!("GET {path}"), &Value::Null), "404 unknown_task");
    assert_eq!(
        format!(
            "/tasks/{}",
            master.get("/tasks")["tasks"][0]["TaskID"].as_str().expect("an id")
        ),
        kept
    );
}

#[test]
fn what_nobody_touches_is_over_after_its_time_c022_c058() {
    let (server, clock, journal) = set(|settings| {
        settings.tasks.open_kept_s = 100;
        settings.tasks.closed_kept_s = 10;
        settings.tasks.content_kept_s = 50;
    });
    let master = Agent::new(&server, MASTER);
    let (open, closed) = (tour(&server), tour(&server));
    master.post(&format!("{closed}:close"), &Value::Null);
    let text = master.stores("a long text of its own");
    for (ms, there) in [
        (9_999, [200, 200, 200]),
        (1, [200, 404, 200]),
        (39_999, [200, 404, 200]),
        (1, [200, 404, 404]),
        (50_000, [404, 404, 404]),
    ] {
        clock.advance_ms(ms);
        let found = [&open, &closed, &text].map(|path| master.call(&format!("GET {path}"), &Value::Null).status);
        assert_eq!(found, there, "{ms}");
    }
    assert_eq!(sealed(&journal, "a long text of its own"), 1);
    server.tick();
    assert_eq!(
        sealed(&journal, "a long text of its own"),
        0,
        "it is erased with the next look"
    );
    assert_eq!(
        Agent::new(&server, HOTEL).get("/tasks?role=agent")["subtasks"],
        json!([])
    );
}

#[test]
fn contents_are_read_by_who_is_told_of_them_and_kept_once_c051_c058_c065_c066_c067() {
    let (server, clock, journal) = set(|settings| settings.tasks.content_kept_s = 50);
    let (master, hotel) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let [other, stranger] = ["other", "stranger"].map(|name| Agent::new(&server, name));
    let text = "Everything about the guests: two of them, and a dog. ".repeat(900);
    let path = master.stores(&text);
    let reads = |agents: [Agent<'_>; 3]| agents.map(|agent| agent.call(&format!("GET {path}"), &Value::Null).status);
    assert_eq!(reads([master, hotel, stranger]), [200, 404, 404]);
    // Who may not read it cannot pass it on, be it to itself.
    let body = json!({"TaskContext": task(&["g"]), "AgentContexts": [referring(&path)]});
    assert_eq!(
        stranger.violations("POST /tasks", &body),
        ["/AgentContexts/0/ContextURI"]
    );
    let begun = at(&master.post("/tasks", &body));
    assert_eq!(reads([master, hotel, stranger]), [200, 200, 404]);
    assert_eq!(hotel.get(&path)["content"], json!(text));
    let kept = master.ok(&format!("DELETE {path}"), &Value::Null);
    assert!(
        kept["deleted"] == json!(false) && kept["why"].is_string(),
        "a context names it: {kept}"
    );
    // It is kept as long as the task, though its own time is over.
    clock.advance_ms(60_000);
    server.tick();
    assert_eq!(reads([master, hotel, stranger]), [200, 200, 404]);
    // The same text by another one is the same content, and each sees only that it is its own.
    assert_eq!(other.stores(&text), path);
    assert_eq!(
        sealed(&journal, "Everything about the guests"),
        900,
        "its text lies there once"
    );
    assert_eq!(
        hotel.no(&format!("DELETE {path}"), &Value::Null),
        "404 unknown_content",
        "it did not store it"
    );
    // Made out anew without it, its agent and master see it no more.
    let anew = json!({"AgentContext": subtask("hotel", HOTEL, &[])});
    master.post(&format!("{begun}/subtasks/hotel:resend"), &anew);
    assert_eq!(reads([master, hotel, other]), [404, 404, 200]);
    let gone = other.ok(&format!("DELETE {path}"), &Value::Null);
    assert!(gone["deleted"] == json!(true) && gone.get("why").is_none(), "{gone}");
    assert_eq!(reads([master, hotel, other]), [404, 404, 404]);
    assert_eq!(sealed(&journal, "Everything about the guests"), 0);
}

/// The edges of each limit are tried where they are decided; here, what is said of them.
#[test]
fn each_limit_is_said_when_it_is_reached_c058() {
    let (server, _, _) = set(|settings| {
        settings.tasks.tasks_per_client_max = 1;
        settings.tasks.subtasks_max = 3;
        settings.tasks.changes_max = 4;
        settings.tasks.context_bytes_max = 1_024;
        settings.tasks.content_bytes_max = 1_024;
        settings.tasks.contents_per_client_bytes_max = 1_024;
    });
    let (master, hotel) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let begun = tour(&server);
    let path = format!("{begun}/subtasks/hotel");
    let back = done(&hotel.get(&path)["AgentContext"], "Hotel");
    let mut long = task(&["g"]);
    long["UserQuery"] = json!("x".repeat(1_024));
    master.stores(&"a".repeat(1_024));
    let begin = json!({"TaskContext": task(&["g"])});
    let more = json!({"AgentContext": subtask("more", "x", &[])});
    let store = |letter: &str, count: usize| json!({"content": letter.repeat(count)});
    for (agent, request, body, status, says) in [
        (
            master,
            "POST /tasks".to_owned(),
            &begin,
            429,
            "tasks.tasks_per_client_max",
        ),
        (hotel, format!("PUT {path}"), &back, 429, "tasks.changes_max"),
        (
            hotel,
            "POST /tasks".to_owned(),
            &json!({"TaskContext": long}),
            422,
            "/v1/contents",
        ),
        (
            master,
            "POST /contents".to_owned(),
            &store("b", 1_025),
            422,
            "tasks.content_bytes_max",
        ),
        (
            master,
            "POST /contents".to_owned(),
            &store("b", 1_024),
            429,
            "tasks.contents_per_client_bytes_max",
        ),
        (
            master,
            "POST /contents".to_owned(),
            &json!({}),
            400,
            "content, a string",
        ),
        (
            master,
            "POST /contents".to_owned(),
            &json!({"content": 1}),
            400,
            "content, a string",
        ),
        (
            master,
            "POST /contents".to_owned(),
            &store("", 1),
            400,
            "content must not be empty",
        ),
        (
            master,
            "POST /contents".to_owned(),
            &json!({"text": "x"}),
            400,
            "unknown field `text`",
        ),
        (master, format!("POST {begun}/subtasks"), &more, 429, "tasks."),
    ] {
        let reply = agent.call(&request, body);
        let detail = reply.body["detail"].as_str().unwrap_or_default();
        assert_eq!(
            (reply.status, detail.contains(says)),
            (status, true),
            "{request}: {}",
            reply.body
        );
    }
}

#[test]
fn lists_go_page_by_page_c059() {
    let (server, _, _) = set(|_| {});
    let ids: Vec<String> = (0..5).map(|_| tour(&server)).collect();
    for (role, name, who) in [("master", "tasks", MASTER), ("agent", "subtasks", HOTEL)] {
        let agent = Agent::new(&server, who);
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let page = agent.get(&format!("/tasks?role={role}&limit=2{after}"));
            let rows = page[name].as_array().expect("rows").iter();
            found.extend(rows.map(|row| format!("/tasks/{}", row["TaskID"].as_str().expect("an id"))));
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={next}");
        }
        let mut expected: Vec<String> = ids.iter().rev().cloned().collect();
        if role == "agent" {
            expected.sort();
        }
        assert_eq!(found, expected, "of a master, the last begun first");
        for wrong in ["limit=0", "limit=201", "after=nowhere", "state=done"] {
            let request = format!("GET /tasks?role={role}&{wrong}");
            assert_eq!(agent.no(&request, &Value::Null), "400 bad_parameter", "{request}");
        }
        assert_eq!(agent.no("GET /tasks?role=boss", &Value::Null), "400 bad_parameter");
    }
}
