//! What agents know of tasks, over HTTP: a master and its agents, who may see what, rounds, evaluation, contents, limits, time.

mod evaluating;
mod examples;
mod isolation;
mod life;
mod printed;

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;
use store::journal::Journal;

use crate::support::journals::journals;
use crate::support::server::Reply;
use crate::support::server::Server;
use crate::support::server::over;

const MASTER: &str = "travel-desk";
const HOTEL: &str = "hotel-agent";
const FLIGHT: &str = "flight-agent";
const WEATHER: &str = "weather-agent";

/// One caller.
#[derive(Clone, Copy)]
struct Agent<'a> {
    server: &'a Server,
    name: &'a str,
}

impl<'a> Agent<'a> {
    fn new(server: &'a Server, name: &'a str) -> Agent<'a> {
        Agent { server, name }
    }

    /// A call such as `PUT /tasks/…`.
    fn call(&self, request: &str, body: &Value) -> Reply {
        let (method, path) = request.split_once(' ').expect("a method and a path");
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let headers = [("Otherwise-Client", self.name)];
        self.server.call(method, &format!("/v1{path}"), &headers, &body)
    }

    /// The same where it must succeed.
    fn ok(&self, request: &str, body: &Value) -> Value {
        let reply = self.call(request, body);
        assert!(reply.status < 300, "{} {request}: {}", self.name, reply.body);
        reply.body
    }

    fn get(&self, path: &str) -> Value {
        self.ok(&format!("GET {path}"), &Value::Null)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ok(&format!("POST {path}"), body)
    }

    fn put(&self, path: &str, body: &Value) -> Value {
        self.ok(&format!("PUT {path}"), body)
    }

    /// Status and code where it must fail.
    fn no(&self, request: &str, body: &Value) -> String {
        let reply = self.call(request, body);
        assert!(reply.status >= 400, "{} {request}: {}", self.name, reply.body);
        format!("{} {}", reply.status, reply.body["code"].as_str().unwrap_or_default())
    }

    /// The places of what is wrong with contexts.
    fn violations(&self, request: &str, body: &Value) -> Vec<String> {
        let reply = self.call(request, body);
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (422, &json!("invalid_context")),
            "{}",
            reply.body
        );
        let violations = reply.body["violations"].as_array().expect("violations").iter();
        violations
            .map(|one| one["pointer"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Begins a task with these subtasks; where it lies.
    fn begin(&self, contexts: &[Value]) -> String {
        let begun = self.post(
            "/tasks",
            &json!({"TaskContext": task(&["g"]), "AgentContexts": contexts}),
        );
        at(&begun)
    }

    /// Gives the only item of a subtask back as done; the subtask.
    fn gives_back(&self, path: &str, said: &str) -> Value {
        let own = self.get(path);
        self.put(path, &done(&own["AgentContext"], said))
    }

    /// Stores a text; its address here.
    fn stores(&self, text: &str) -> String {
        let stored = self.post("/contents", &json!({"content": text}));
        let uri = stored["ContextURI"].as_str().expect("an address");
        uri.trim_start_matches("/v1").to_owned()
    }
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

fn subtask(id: &str, agent: &str, after: &[&str]) -> Value {
    json!({"AgentID": agent, "AgentName": agent, "SubTaskID": id, "SubTaskName": id, "Dependencies": after,
           "Context": format!("what {id} needs to know"), "todoItems": [{"itemId": "1", "description": "Find it"}],
           "ItemstateUpdates": [{"itemId": "1", "state": 0}], "KeyInformation": [], "Optional": ["LastUpdated"]})
}

/// The context as its agent gives it back.
fn done(context: &Value, said: &str) -> Value {
    let mut back = context.clone();
    back["ItemstateUpdates"] = json!([{"itemId": "1", "state": 1}]);
    back["KeyInformation"] = json!([{"itemId": "1", "outputabstract": said}]);
    json!({"AgentContext": back})
}

/// The master's word on the only item.
fn word(verified: bool) -> Value {
    json!({"verdicts": [{"itemId": "1", "verified": verified, "reason": "as a person sees it"}]})
}

fn id(task: &Value) -> String {
    task["TaskContext"]["TaskID"].as_str().expect("an id").to_owned()
}

fn at(task: &Value) -> String {
    format!("/tasks/{}", id(task))
}

/// A tour plan with three independent parts; where it lies.
fn tour(server: &Server) -> String {
    let contexts = [("hotel", HOTEL), ("flight", FLIGHT), ("weather", WEATHER)];
    Agent::new(server, MASTER).begin(&contexts.map(|(id, agent)| subtask(id, agent, &[])))
}

#[test]
fn independent_agents_work_side_by_side_c001_c002_c006_c018_c019_c020() {
    let server = Server::with(&[]);
    let master = Agent::new(&server, MASTER);
    let tour = tour(&server);
    for (agent, name) in [(WEATHER, "weather"), (HOTEL, "hotel"), (FLIGHT, "flight")] {
        let agent = Agent::new(&server, agent);
        let listed = agent.get("/tasks?role=agent&state=sent")["subtasks"].clone();
        assert_eq!(
            (listed.as_array().map(Vec::len), &listed[0]["SubTaskID"]),
            (Some(1), &json!(name))
        );
        let back = agent.gives_back(&format!("{tour}/subtasks/{name}"), "all that was asked for");
        assert_eq!(back["state"], "returned");
    }
    let told = master.get(&tour);
    assert_eq!(told["mode"], "asynchronous");
    assert!(
        told["subtasks"]
            .as_array()
            .expect("subtasks")
            .iter()
            .all(|own| own["state"] == "returned")
    );
    assert_eq!(
        told["rounds"],
        json!([{"round": 1, "state": "current", "subtasks": ["flight", "hotel", "weather"]}])
    );
}

#[test]
fn collaborative_agents_wait_for_their_round_and_the_master_mediates_c004_c007_c012_c016_c017_c059_c060_c061_c062_c063_c064()
 {
    let server = Server::with(&[]);
    let agents = [MASTER, "doctor", "prescriber", "pharmacy"];
    let [master, doctor, prescriber, pharmacy] = agents.map(|name| Agent::new(&server, name));
    // Steps 1 and 2: the TaskContext, and an AgentContext for each subtask.
    let contexts = json!([
        subtask("buy", "pharmacy", &["prescription"]),
        subtask("prescription", "prescriber", &["diagnosis"]),
        subtask("diagnosis", "doctor", &[]),
    ]);
    let body = json!({"TaskContext": task(&["know the disease", "have the medicine"]), "AgentContexts": contexts});
    let begun = master.post("/tasks", &body);
    let path = at(&begun);
    assert_eq!(begun["mode"], "synchronous");
    assert_eq!(
        begun["rounds"],
        json!([
            {"round": 1, "state": "current", "subtasks": ["diagnosis"]},
            {"round": 2, "state": "ahead", "subtasks": ["prescription"]},
            {"round": 3, "state": "ahead", "subtasks": ["buy"]},
        ])
    );
    let [diagnosis, prescription, buy] =
        ["diagnosis", "prescription", "buy"].map(|name| format!("{path}/subtasks/{name}"));
    let waits = |agent: Agent<'_>, path: &str| {
        assert_eq!(agent.no(&format!("GET {path}"), &Value::Null), "404 unknown_task");
        assert_eq!(agent.get("/tasks?role=agent")["subtasks"], json!([]));
    };
    // Steps 3 and 4: the first agent alone has its context, and gives back states and key information.
    waits(prescriber, &prescription);
    doctor.gives_back(&diagnosis, "The disease is influenza");
    waits(prescriber, &prescription);
    // The master passes on what the next agent needs, then evaluates: so the next one never has an old context.
    let mut next = subtask("prescription", "prescriber", &["diagnosis"]);
    next["Context"] = json!("The disease is influenza.");
    let resent = master.post(&format!("{prescription}:resend"), &json!({"AgentContext": next}));
    assert_eq!(resent["state"], "waiting");
    // Step 5: evaluation, and the TaskContext follows.
    let evaluated = master.post(&format!("{diagnosis}:evaluate"), &word(true));
    assert_eq!(
        (&evaluated["state"], &evaluated["evaluation"]["complete"]),
        (&json!("complete"), &json!(true))
    );
    let goal = json!({"TaskContext": {"GoalStatus": [{"Goal": "know the disease", "Status": "completed: influenza"}]}});
    let changed = master.ok(&format!("PATCH {path}"), &goal);
    assert_eq!(changed["TaskContext"]["OverallStatus"], "in_progress");
    assert_eq!(changed["rounds"][1]["state"], "current");
    let own = prescriber.get(&prescription);
    assert_eq!(own["AgentContext"]["Context"], "The disease is influenza.");
    waits(pharmacy, &buy);
    let again = done(&own["AgentContext"], "more");
    assert_eq!(doctor.no(&format!("PUT {diagnosis}"), &again), "409 task_forbids");
}

#[test]
fn tasks_contexts_and_contents_are_kept_without_secrets_c022_c051_c065_x02() {
    let journal = Arc::new(journals());
    let server = Server::start(&[], |_| {}, over(&journal));
    let (master, hotel) = (Agent::new(&server, MASTER), Agent::new(&server, HOTEL));
    let secret = "swordfish-4711";
    let mut said = task(&["hotel"]);
    said["UserQuery"] = json!(format!("plan it, password={secret}"));
    let mut context = subtask("hotel", HOTEL, &[]);
    context["DeviceContext"] = json!({"securityContext": {"authenticationInfo": {"token": secret}}, "apiKey": secret});
    let begun = master.post("/tasks", &json!({"TaskContext": said, "AgentContexts": [context]}));
    assert_eq!(begun["TaskContext"]["UserQuery"], "plan it, password=[redacted]");
    let path = format!("{}/subtasks/hotel", at(&begun));
    assert_eq!(
        hotel.get(&path)["AgentContext"]["DeviceContext"],
        json!({"securityContext": {"authenticationInfo": {"token": "[redacted]"}}, "apiKey": "[redacted]"})
    );
    // Given back as it was sent, secrets and all: nothing was changed by that.
    let back = hotel.put(
        &path,
        &done(&context, &format!("By the Colosseum; wifi password: {secret}")),
    );
    let said = &back["AgentContext"]["KeyInformation"][0]["outputabstract"];
    assert_eq!(said, "By the Colosseum; wifi password: [redacted]");
    for text in [
        format!("use api_key={secret}"),
        json!({"a": {"token": secret}}).to_string(),
    ] {
        let path = hotel.stores(&text);
        let kept = hotel.get(&path)["content"].as_str().expect("a text").to_owned();
        assert!(kept.contains("[redacted]") && !kept.contains(secret), "{kept}");
        assert_eq!(hotel.stores(&kept), path, "the address is that of what is kept");
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
