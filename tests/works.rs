//! What agents know of tasks, over HTTP: a master and its agents, who may see what, rounds, evaluation, contents, limits, time.

mod evaluating;
mod examples;
mod following;
mod isolation;
mod kill;
mod life;
mod printed;
mod refused;

use std::sync::Arc;

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal_store::JournalStore;

use crate::support::server::Reply;
use crate::support::server::Server;

const MASTER: &str = "travel-desk";

const HOTEL: &str = "hotel-agent";

const FLIGHT: &str = "flight-agent";

const WEATHER: &str = "weather-agent";

fn server() -> Server {
    Server::start(&[], |_| {}, PartsOverride::default())
}

fn call(server: &Server, who: &str, method: &str, path: &str, body: &Value) -> Reply {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    server.call(method, &format!("/v1{path}"), &[("Otherwise-Client", who)], &body)
}

/// The same where it must succeed.
fn ok(server: &Server, who: &str, method: &str, path: &str, body: &Value) -> Value {
    let reply = call(server, who, method, path, body);
    assert!(
        reply.status < 300,
        "{who} {method} {path}: {} {}",
        reply.status,
        reply.body
    );
    reply.body
}

fn get(server: &Server, who: &str, path: &str) -> Value {
    ok(server, who, "GET", path, &Value::Null)
}

fn post(server: &Server, who: &str, path: &str, body: &Value) -> Value {
    ok(server, who, "POST", path, body)
}

fn put(server: &Server, who: &str, path: &str, body: &Value) -> Value {
    ok(server, who, "PUT", path, body)
}

/// Status and code where it must fail.
fn no(server: &Server, who: &str, method: &str, path: &str, body: &Value) -> (u16, String) {
    let reply = call(server, who, method, path, body);
    assert!(
        reply.status >= 400,
        "{who} {method} {path}: {} {}",
        reply.status,
        reply.body
    );
    (reply.status, reply.body["code"].as_str().unwrap_or_default().to_owned())
}

/// The same of a reading.
fn no_get(server: &Server, who: &str, path: &str) -> (u16, String) {
    no(server, who, "GET", path, &Value::Null)
}

fn task(goals: &[&str]) -> Value {
    let goals: Vec<Value> = goals
        .iter()
        .map(|goal| json!({"Goal": goal, "Status": "pending"}))
        .collect();
    json!({"TaskID": "", "UserQuery": "plan me four days in Rome", "TaskName": "tour plan",
           "TaskDescription": "hotel, flight, weather", "GoalStatus": goals, "OverallStatus": "",
           "Optional": ["StartTime", "EndTime"]})
}

fn subtask(id: &str, agent: &str, after: &[&str], asked: &str) -> Value {
    json!({"AgentID": agent, "AgentName": agent, "SubTaskID": id, "SubTaskName": id, "Dependencies": after,
           "Context": format!("what {id} needs to know"), "todoItems": [{"itemId": "1", "description": asked}],
           "ItemstateUpdates": [{"itemId": "1", "state": 0}], "KeyInformation": [], "Optional": ["LastUpdated"]})
}

/// The context as its agent gives it back.
fn done(context: &Value, said: &str) -> Value {
    let mut back = context.clone();
    back["ItemstateUpdates"] = json!([{"itemId": "1", "state": 1}]);
    back["KeyInformation"] = json!([{"itemId": "1", "outputabstract": said}]);
    json!({"AgentContext": back})
}

/// The master's word that the only item is what was asked for.
fn verified() -> Value {
    json!({"verdicts": [{"itemId": "1", "verified": true, "reason": "it is what was asked for"}]})
}

fn id(task: &Value) -> String {
    task["TaskContext"]["TaskID"].as_str().expect("an id").to_owned()
}

fn state(task: &Value, subtask: &str) -> String {
    let all = task["subtasks"].as_array().expect("subtasks");
    let own = all.iter().find(|own| own["SubTaskID"] == subtask).expect("the subtask");
    own["state"].as_str().expect("a state").to_owned()
}

/// A tour plan with three independent parts.
fn tour(server: &Server) -> String {
    let contexts = json!([
        subtask("hotel", HOTEL, &[], "Find a hotel near the Colosseum"),
        subtask("flight", FLIGHT, &[], "Find a flight from Berlin to Rome"),
        subtask("weather", WEATHER, &[], "Say what the weather in Rome will be"),
    ]);
    let body = json!({"TaskContext": task(&["hotel", "flight", "weather"]), "AgentContexts": contexts});
    let begun = post(server, MASTER, "/tasks", &body);
    assert_eq!(begun["mode"], "asynchronous");
    id(&begun)
}

#[test]
fn independent_agents_work_side_by_side_c001_c002_c006_c018_c019_c020() {
    let server = server();
    let id = tour(&server);
    let path = format!("/tasks/{id}/subtasks");
    for (agent, name) in [(WEATHER, "weather"), (HOTEL, "hotel"), (FLIGHT, "flight")] {
        let listed = get(&server, agent, "/tasks?role=agent&state=sent");
        assert_eq!(listed["subtasks"].as_array().map(Vec::len), Some(1), "{listed}");
        assert_eq!(
            (&listed["subtasks"][0]["TaskID"], &listed["subtasks"][0]["SubTaskID"]),
            (&json!(id), &json!(name))
        );
        let own = get(&server, agent, &format!("{path}/{name}"));
        assert_eq!(own["state"], "sent");
        let said = format!("The {name} of Rome: all that was asked for");
        let back = put(
            &server,
            agent,
            &format!("{path}/{name}"),
            &done(&own["AgentContext"], &said),
        );
        assert_eq!(back["state"], "returned");
    }
    let told = get(&server, MASTER, &format!("/tasks/{id}"));
    assert_eq!(
        ["hotel", "flight", "weather"].map(|name| state(&told, name)),
        ["returned"; 3]
    );
    assert_eq!(
        told["rounds"],
        json!([{"round": 1, "state": "current", "subtasks": ["flight", "hotel", "weather"]}])
    );
}

#[test]
fn collaborative_agents_wait_for_their_round_and_the_master_mediates_c004_c007_c012_c016_c017_c059_c060_c061_c062_c063_c064()
 {
    let server = server();
    // Steps 1 and 2: the TaskContext, and an AgentContext for each subtask.
    let contexts = json!([
        subtask(
            "buy",
            "pharmacy",
            &["prescription"],
            "Buy the medicine that is prescribed"
        ),
        subtask(
            "prescription",
            "prescriber",
            &["diagnosis"],
            "Prescribe a medicine for the disease"
        ),
        subtask("diagnosis", "doctor", &[], "Name the disease behind fever and cough"),
    ]);
    let body = json!({"TaskContext": task(&["know the disease", "have the medicine"]), "AgentContexts": contexts});
    let begun = post(&server, MASTER, "/tasks", &body);
    let id = id(&begun);
    assert_eq!(begun["mode"], "synchronous");
    assert_eq!(
        begun["rounds"],
        json!([
            {"round": 1, "state": "current", "subtasks": ["diagnosis"]},
            {"round": 2, "state": "ahead", "subtasks": ["prescription"]},
            {"round": 3, "state": "ahead", "subtasks": ["buy"]},
        ])
    );
    let at = |name: &str| format!("/tasks/{id}/subtasks/{name}");
    // Step 3: the first agent alone has its context.
    assert_eq!(
        no_get(&server, "prescriber", &at("prescription")),
        (404, "unknown_task".to_owned())
    );
    let none = get(&server, "prescriber", "/tasks?role=agent");
    assert_eq!(none["subtasks"], json!([]));
    let own = get(&server, "doctor", &at("diagnosis"));
    // Step 4: it gives back states and key information.
    let said = "The disease is influenza: fever of 39 and a dry cough";
    put(&server, "doctor", &at("diagnosis"), &done(&own["AgentContext"], said));
    assert_eq!(
        no_get(&server, "prescriber", &at("prescription")).0,
        404,
        "given back is not complete"
    );
    // The master passes on what the next agent needs, then evaluates: so the next one never has an old context.
    let mut next = subtask(
        "prescription",
        "prescriber",
        &["diagnosis"],
        "Prescribe a medicine for the disease",
    );
    next["Context"] = json!("The disease is influenza.");
    let resent = post(
        &server,
        MASTER,
        &format!("{}:resend", at("prescription")),
        &json!({"AgentContext": next}),
    );
    assert_eq!(resent["state"], "waiting");
    // Step 5: evaluation, and the TaskContext follows.
    let evaluated = post(&server, MASTER, &format!("{}:evaluate", at("diagnosis")), &verified());
    assert_eq!(
        (&evaluated["state"], &evaluated["evaluation"]["complete"]),
        (&json!("complete"), &json!(true))
    );
    let goal = json!({"TaskContext": {"GoalStatus": [{"Goal": "know the disease", "Status": "completed: influenza"}]}});
    let changed = ok(&server, MASTER, "PATCH", &format!("/tasks/{id}"), &goal);
    assert_eq!(changed["TaskContext"]["OverallStatus"], "in_progress");
    assert_eq!(changed["rounds"][1]["state"], "current");
    let own = get(&server, "prescriber", &at("prescription"));
    assert_eq!(own["AgentContext"]["Context"], "The disease is influenza.");
    assert_eq!(no_get(&server, "pharmacy", &at("buy")).0, 404);
    assert_eq!(
        no(
            &server,
            "doctor",
            "PUT",
            &at("diagnosis"),
            &done(&own["AgentContext"], "more")
        )
        .0,
        409
    );
}

#[test]
fn both_contexts_are_published_as_templates_and_submitted_like_any_other_c010_c022() {
    let server = Server::start(
        &[],
        |settings| settings.schemas.folder = format!("{}/schemas", env!("CARGO_MANIFEST_DIR")),
        PartsOverride::default(),
    );
    for scenario in ["task_context", "agent_context"] {
        let template = get(&server, MASTER, &format!("/scenarios/{scenario}/template"));
        let keys = template["keys"].as_array().expect("keys");
        assert!(keys.iter().any(|key| key["wire_name"].is_string()), "{template}");
    }
    let payload = json!({"task_id": "", "user_query": "q", "task_name": "n", "task_description": "d",
        "goal_status": [{"Goal": "g", "Status": "pending"}], "overall_status": ""});
    let body = json!({"schema_id": "task_context_v1", "payload": payload});
    assert_eq!(
        call(&server, MASTER, "POST", "/submissions:validate", &body).status,
        200
    );
}

#[test]
fn tasks_contexts_and_contents_are_kept_without_secrets_c051_c065_x02() {
    let journal = Arc::new(JournalStore::in_memory());
    let parts = PartsOverride {
        journal: Some(journal.clone()),
        ..PartsOverride::default()
    };
    let server = Server::start(&[], |_| {}, parts);
    let secret = "swordfish-4711";
    let mut said = task(&["hotel"]);
    said["UserQuery"] = json!(format!("plan it, password={secret}"));
    let mut context = subtask("hotel", HOTEL, &[], "Find a hotel near the Colosseum");
    context["DeviceContext"] = json!({"securityContext": {"authenticationInfo": {"token": secret}}, "apiKey": secret});
    let begun = post(
        &server,
        MASTER,
        "/tasks",
        &json!({"TaskContext": said, "AgentContexts": [context]}),
    );
    assert_eq!(begun["TaskContext"]["UserQuery"], "plan it, password=[redacted]");
    let path = format!("/tasks/{}/subtasks/hotel", id(&begun));
    let own = get(&server, HOTEL, &path);
    assert_eq!(
        own["AgentContext"]["DeviceContext"],
        json!({"securityContext": {"authenticationInfo": {"token": "[redacted]"}}, "apiKey": "[redacted]"})
    );
    // Given back as it was sent, secrets and all: nothing was changed by that.
    let back = done(&context, &format!("Hotel by the Colosseum; wifi password: {secret}"));
    let back = put(&server, HOTEL, &path, &back);
    let abstract_ = &back["AgentContext"]["KeyInformation"][0]["outputabstract"];
    assert_eq!(abstract_, "Hotel by the Colosseum; wifi password: [redacted]");
    for text in [
        format!("use api_key={secret}"),
        json!({"a": {"token": secret}}).to_string(),
    ] {
        let stored = post(&server, HOTEL, "/contents", &json!({"content": text}));
        let sha256 = stored["ContextURI"]
            .as_str()
            .expect("an address")
            .rsplit(':')
            .next()
            .expect("a hash");
        let sha256 = sha256.rsplit('/').next().expect("a hash");
        let kept = get(&server, HOTEL, &format!("/contents/{sha256}"));
        let kept = kept["content"].as_str().expect("a text").to_owned();
        assert!(kept.contains("[redacted]") && !kept.contains(secret), "{kept}");
        let again = post(&server, HOTEL, "/contents", &json!({"content": kept}));
        assert_eq!(
            again["ContextURI"], stored["ContextURI"],
            "the address is that of what is kept"
        );
    }
    for name in journal.journals().expect("journals") {
        for record in journal.read(&name, 1, 10_000).expect("records") {
            assert!(
                !String::from_utf8_lossy(&record.sealed).contains(secret),
                "{name:?}, {}",
                record.seq
            );
        }
    }
}
