//! What agents know of tasks, over HTTP: a master and its agents, who may see what, rounds, evaluation, contents, limits, time.

mod examples;
mod following;
mod isolation;
mod kill;
mod labelled;
mod life;

use std::sync::Arc;

use otherwise::edge::boot::parts::PartsOverride;
use otherwise::edge::store::memory::Memory;
use otherwise::service::ports::Journal;
use serde_json::Value;
use serde_json::json;

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
    let begun = ok(server, MASTER, "POST", "/tasks", &body);
    assert_eq!(begun["mode"], "asynchronous");
    id(&begun)
}

#[test]
fn independent_agents_work_side_by_side_c001_c002_c006_c018_c019_c020() {
    let server = server();
    let id = tour(&server);
    let path = format!("/tasks/{id}/subtasks");
    for (agent, name) in [(WEATHER, "weather"), (HOTEL, "hotel"), (FLIGHT, "flight")] {
        let listed = ok(&server, agent, "GET", "/tasks?role=agent&state=sent", &Value::Null);
        assert_eq!(listed["subtasks"].as_array().map(Vec::len), Some(1), "{listed}");
        assert_eq!(
            (&listed["subtasks"][0]["TaskID"], &listed["subtasks"][0]["SubTaskID"]),
            (&json!(id), &json!(name))
        );
        let own = ok(&server, agent, "GET", &format!("{path}/{name}"), &Value::Null);
        assert_eq!(own["state"], "sent");
        let said = format!("The {name} of Rome: all that was asked for");
        let back = ok(
            &server,
            agent,
            "PUT",
            &format!("{path}/{name}"),
            &done(&own["AgentContext"], &said),
        );
        assert_eq!(back["state"], "returned");
    }
    let told = ok(&server, MASTER, "GET", &format!("/tasks/{id}"), &Value::Null);
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
    let begun = ok(&server, MASTER, "POST", "/tasks", &body);
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
        no(&server, "prescriber", "GET", &at("prescription"), &Value::Null),
        (404, "unknown_task".to_owned())
    );
    let none = ok(&server, "prescriber", "GET", "/tasks?role=agent", &Value::Null);
    assert_eq!(none["subtasks"], json!([]));
    let own = ok(&server, "doctor", "GET", &at("diagnosis"), &Value::Null);
    // Step 4: it gives back states and key information.
    let said = "The disease is influenza: fever of 39 and a dry cough";
    ok(
        &server,
        "doctor",
        "PUT",
        &at("diagnosis"),
        &done(&own["AgentContext"], said),
    );
    assert_eq!(
        no(&server, "prescriber", "GET", &at("prescription"), &Value::Null).0,
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
    let resent = ok(
        &server,
        MASTER,
        "POST",
        &format!("{}:resend", at("prescription")),
        &json!({"AgentContext": next}),
    );
    assert_eq!(resent["state"], "waiting");
    // Step 5: evaluation, and the TaskContext follows.
    let evaluated = ok(
        &server,
        MASTER,
        "POST",
        &format!("{}:evaluate", at("diagnosis")),
        &Value::Null,
    );
    assert_eq!(
        (&evaluated["state"], &evaluated["evaluation"]["complete"]),
        (&json!("complete"), &json!(true))
    );
    let goal = json!({"TaskContext": {"GoalStatus": [{"Goal": "know the disease", "Status": "completed: influenza"}]}});
    let changed = ok(&server, MASTER, "PATCH", &format!("/tasks/{id}"), &goal);
    assert_eq!(changed["TaskContext"]["OverallStatus"], "in_progress");
    assert_eq!(changed["rounds"][1]["state"], "current");
    let own = ok(&server, "prescriber", "GET", &at("prescription"), &Value::Null);
    assert_eq!(own["AgentContext"]["Context"], "The disease is influenza.");
    assert_eq!(no(&server, "pharmacy", "GET", &at("buy"), &Value::Null).0, 404);
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
fn what_was_given_back_is_evaluated_in_two_phases_with_reasons_c005_c054_c055_c056_c057() {
    let server = server();
    let id = tour(&server);
    let at = format!("/tasks/{id}/subtasks/hotel");
    let evaluate = format!("{at}:evaluate");
    assert_eq!(
        no(&server, MASTER, "POST", &evaluate, &Value::Null),
        (409, "task_forbids".to_owned())
    );
    let sent = ok(&server, HOTEL, "GET", &at, &Value::Null)["AgentContext"].clone();
    let judged = |state: u8, said: Option<&str>, body: &Value| {
        let mut back = sent.clone();
        back["ItemstateUpdates"] = json!([{"itemId": "1", "state": state}]);
        back["KeyInformation"] = json!(
            said.iter()
                .map(|said| json!({"itemId": "1", "outputabstract": said}))
                .collect::<Vec<_>>()
        );
        ok(&server, HOTEL, "PUT", &at, &json!({"AgentContext": back}));
        let told = ok(&server, MASTER, "POST", &evaluate, body);
        let verdict = told["evaluation"]["verdicts"][0].clone();
        assert!(verdict["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        assert_eq!(
            told["state"],
            if told["evaluation"]["complete"] == true {
                "complete"
            } else {
                "incomplete"
            }
        );
        // The agent is told of its own, so that it can do better.
        let own = ok(&server, HOTEL, "GET", &at, &Value::Null);
        assert_eq!(own["evaluation"], told["evaluation"]);
        (
            verdict["verdict"].clone(),
            verdict["phase"].clone(),
            verdict["basis"].clone(),
        )
    };
    let good = Some("Hotel Capo d'Africa near the Colosseum, 164 EUR");
    let is = |verdict: &str, phase: u8, basis: &str| (json!(verdict), json!(phase), json!(basis));
    assert_eq!(judged(0, good, &Value::Null), is("unfinished", 1, "state"));
    assert_eq!(judged(1, None, &Value::Null), is("unverified", 2, "information"));
    assert_eq!(
        judged(1, Some("I could not find a hotel"), &Value::Null),
        is("unverified", 2, "information")
    );
    assert_eq!(
        judged(1, Some("Quarterly revenue grew by four percent"), &Value::Null),
        is("unverified", 2, "meaning"),
        "no word in common, and the embeddings are asked"
    );
    let stay = Some("An inn with rooms for two beside the amphitheatre in Rome");
    assert_eq!(judged(1, stay, &Value::Null), is("verified", 2, "meaning"));
}

#[test]
fn the_master_may_overrule_with_a_reason_c005_c056() {
    let server = server();
    let id = tour(&server);
    let at = format!("/tasks/{id}/subtasks/hotel");
    let sent = ok(&server, HOTEL, "GET", &at, &Value::Null)["AgentContext"].clone();
    ok(
        &server,
        HOTEL,
        "PUT",
        &at,
        &done(&sent, "Hotel Capo d'Africa near the Colosseum"),
    );
    let evaluate = format!("{at}:evaluate");
    for wrong in [
        json!({"verdicts": [{"itemId": "2", "verified": true, "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": "yes", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verdict": "yes", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verdict": "unfinished", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "verdict": "unverified", "reason": "r"}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true, "reason": " "}]}),
        json!({"verdicts": [{"itemId": "1", "verified": true}]}),
        json!({"verdicts": {}}),
        json!({"verdict": []}),
    ] {
        assert_eq!(
            no(&server, MASTER, "POST", &evaluate, &wrong),
            (400, "bad_request".to_owned()),
            "{wrong}"
        );
    }
    let neither = json!({"verdicts": [{"itemId": "1", "accepted": true, "reason": "r"}]});
    let reply = call(&server, MASTER, "POST", &evaluate, &neither);
    let wanted =
        "verdicts[0] must have the member verified, true or false (or verdict, \"verified\" or \"unverified\")";
    assert_eq!((reply.status, &reply.body["detail"]), (400, &json!(wanted)));
    let verdict = json!({"itemId": "1", "verdict": "unverified", "phase": 2, "basis": "master", "reason": "the price is missing"});
    for own in [
        json!({"itemId": "1", "verified": false, "reason": "the price is missing"}),
        json!({"itemId": "1", "verdict": "unverified", "reason": "the price is missing"}),
        json!({"itemId": "1", "verified": false, "verdict": "unverified", "reason": "the price is missing"}),
    ] {
        let told = ok(&server, MASTER, "POST", &evaluate, &json!({"verdicts": [own]}));
        assert_eq!(
            told["evaluation"],
            json!({"complete": false, "verdicts": [verdict]}),
            "{own}"
        );
    }
    assert_eq!(
        ok(&server, MASTER, "POST", &evaluate, &Value::Null)["state"],
        "complete",
        "on second thought"
    );
}

#[test]
fn an_agent_gives_back_its_own_context_and_nothing_else_c035_c036_c049_c053() {
    let server = server();
    let id = tour(&server);
    let at = format!("/tasks/{id}/subtasks/hotel");
    let sent = ok(&server, HOTEL, "GET", &at, &Value::Null);
    let members: Vec<&String> = sent.as_object().expect("a subtask").keys().collect();
    assert_eq!(members, ["AgentContext", "state"], "nothing of the task is told");
    let pointer = |back: &Value| {
        let reply = call(&server, HOTEL, "PUT", &at, back);
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (422, &json!("invalid_context")),
            "{}",
            reply.body
        );
        reply.body["violations"][0]["pointer"]
            .as_str()
            .expect("a pointer")
            .to_owned()
    };
    let good = done(&sent["AgentContext"], "Hotel Capo d'Africa");
    let mut odd = good.clone();
    odd["AgentContext"]["AgentID"] = json!(FLIGHT);
    assert_eq!(pointer(&odd), "/AgentContext/AgentID");
    odd = good.clone();
    odd["AgentContext"]["todoItems"][0]["description"] = json!("do nothing");
    assert_eq!(pointer(&odd), "/AgentContext/todoItems");
    odd = good.clone();
    odd["AgentContext"]["KeyInformation"][0]["itemId"] = json!("9");
    assert_eq!(pointer(&odd), "/AgentContext/KeyInformation/0/itemId");
    odd = good.clone();
    odd["AgentContext"]["ItemstateUpdates"][0]["state"] = json!(2);
    assert!(pointer(&odd).starts_with("/AgentContext/ItemstateUpdates"));
    odd = good.clone();
    odd["AgentContext"]["Notes"] = json!("more");
    assert_eq!(pointer(&odd), "/AgentContext/Notes");
    // The spelling of the draft's flow is read, and that of its figure written; a context need not be sent back.
    let mut other = good;
    let states = other["AgentContext"]
        .as_object_mut()
        .expect("members")
        .remove("ItemstateUpdates");
    other["AgentContext"]["ItemStateUpdates"] = states.expect("states");
    other["AgentContext"]["Context"] = json!("");
    let back = ok(&server, HOTEL, "PUT", &at, &other);
    assert_eq!(
        back["AgentContext"]["ItemstateUpdates"],
        json!([{"itemId": "1", "state": 1}])
    );
    assert_eq!(back["AgentContext"]["Context"], "what hotel needs to know");
}

#[test]
fn contexts_and_order_are_refused_with_their_place_c021_c030_c042() {
    let server = server();
    let begin = |body: &Value| {
        let reply = call(&server, MASTER, "POST", "/tasks", body);
        let pointers = reply.body["violations"].as_array().into_iter().flatten();
        let pointers: Vec<String> = pointers
            .map(|one| one["pointer"].as_str().unwrap_or_default().to_owned())
            .collect();
        (reply.status, pointers)
    };
    let contexts = |contexts: Value| json!({"TaskContext": task(&["g"]), "AgentContexts": contexts});
    let cycle = contexts(json!([
        subtask("a", "x", &["b"], "do"),
        subtask("b", "y", &["a"], "do")
    ]));
    assert_eq!(begin(&cycle), (422, vec!["/AgentContexts/0/Dependencies".to_owned()]));
    let unknown = contexts(json!([subtask("a", "x", &["z"], "do")]));
    assert_eq!(
        begin(&unknown),
        (422, vec!["/AgentContexts/0/Dependencies/0".to_owned()])
    );
    let mut lacks = task(&["g"]);
    lacks["Optional"] = json!(["EndTime"]);
    assert_eq!(
        begin(&json!({"TaskContext": lacks})),
        (422, vec!["/TaskContext/StartTime".to_owned()])
    );
    let mut second = subtask("a", "x", &[], "do");
    second["Dependencies"] = json!("none");
    let two = contexts(json!([subtask("b", "x", &[], "do"), second]));
    assert_eq!(begin(&two), (422, vec!["/AgentContexts/1/Dependencies".to_owned()]));
    for (body, says) in [
        (json!([]), "JSON object"),
        (json!({}), "TaskContext"),
        (json!({"TaskContext": task(&[]), "mode": "fast"}), "mode"),
        (json!({"TaskContext": task(&[]), "AgentContexts": {}}), "AgentContexts"),
        (json!({"TaskContext": task(&[]), "agents": []}), "agents"),
    ] {
        let reply = call(&server, MASTER, "POST", "/tasks", &body);
        let detail = reply.body["detail"].as_str().unwrap_or_default().to_owned();
        assert_eq!((reply.status, detail.contains(says)), (400, true), "{body}: {detail}");
    }
    assert_eq!(
        ok(&server, MASTER, "GET", "/tasks", &Value::Null)["tasks"],
        json!([]),
        "nothing was begun"
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
        let template = ok(
            &server,
            MASTER,
            "GET",
            &format!("/scenarios/{scenario}/template"),
            &Value::Null,
        );
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
    let journal = Arc::new(Memory::new());
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
    let begun = ok(
        &server,
        MASTER,
        "POST",
        "/tasks",
        &json!({"TaskContext": said, "AgentContexts": [context]}),
    );
    assert_eq!(begun["TaskContext"]["UserQuery"], "plan it, password=[redacted]");
    let path = format!("/tasks/{}/subtasks/hotel", id(&begun));
    let own = ok(&server, HOTEL, "GET", &path, &Value::Null);
    assert_eq!(
        own["AgentContext"]["DeviceContext"],
        json!({"securityContext": {"authenticationInfo": {"token": "[redacted]"}}, "apiKey": "[redacted]"})
    );
    // Given back as it was sent, secrets and all: nothing was changed by that.
    let back = done(&context, &format!("Hotel by the Colosseum; wifi password: {secret}"));
    let back = ok(&server, HOTEL, "PUT", &path, &back);
    let abstract_ = &back["AgentContext"]["KeyInformation"][0]["outputabstract"];
    assert_eq!(abstract_, "Hotel by the Colosseum; wifi password: [redacted]");
    for text in [
        format!("use api_key={secret}"),
        json!({"a": {"token": secret}}).to_string(),
    ] {
        let stored = ok(&server, HOTEL, "POST", "/contents", &json!({"content": text}));
        let sha256 = stored["ContextURI"]
            .as_str()
            .expect("an address")
            .rsplit(':')
            .next()
            .expect("a hash");
        let sha256 = sha256.rsplit('/').next().expect("a hash");
        let kept = ok(&server, HOTEL, "GET", &format!("/contents/{sha256}"), &Value::Null);
        let kept = kept["content"].as_str().expect("a text").to_owned();
        assert!(kept.contains("[redacted]") && !kept.contains(secret), "{kept}");
        let again = ok(&server, HOTEL, "POST", "/contents", &json!({"content": kept}));
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

#[test]
fn a_wrong_verdict_is_not_for_ever_c005_c055() {
    let server = server();
    let id = tour(&server);
    let path = format!("/tasks/{id}/subtasks/hotel");
    let own = ok(&server, HOTEL, "GET", &path, &Value::Null);
    let evaluate = format!("{path}:evaluate");
    let failed = done(&own["AgentContext"], "No hotel near the Colosseum was found");
    ok(&server, HOTEL, "PUT", &path, &failed);
    let told = ok(&server, MASTER, "POST", &evaluate, &Value::Null);
    assert_eq!(
        (&told["state"], &told["evaluation"]["verdicts"][0]["verdict"]),
        (&json!("incomplete"), &json!("unverified"))
    );
    ok(
        &server,
        HOTEL,
        "PUT",
        &path,
        &done(&own["AgentContext"], "Hotel Capo d'Africa near the Colosseum"),
    );
    assert_eq!(
        ok(&server, MASTER, "POST", &evaluate, &Value::Null)["state"],
        "complete"
    );
    let forbids = (409, "task_forbids".to_owned());
    let yes = json!({"verdicts": [{"itemId": "1", "verified": true, "reason": "it is"}]});
    assert_eq!(no(&server, MASTER, "POST", &evaluate, &Value::Null), forbids);
    assert_eq!(no(&server, MASTER, "POST", &evaluate, &yes), forbids);
    let not = json!({"verdicts": [{"itemId": "1", "verified": false, "reason": "there is no such hotel"}]});
    let again = ok(&server, MASTER, "POST", &evaluate, &not);
    assert_eq!(
        (&again["state"], &again["evaluation"]["verdicts"][0]["basis"]),
        (&json!("incomplete"), &json!("master"))
    );
    let back = done(&own["AgentContext"], "Hotel Artemide near the Colosseum");
    assert_eq!(ok(&server, HOTEL, "PUT", &path, &back)["state"], "returned");
}

#[test]
fn what_is_too_long_or_foreign_is_told_by_its_place_c058_c067() {
    let server = Server::start(
        &[],
        |settings| settings.tasks.content_bytes_max = 1_024,
        PartsOverride::default(),
    );
    let long = json!({"content": "x".repeat(1_025)});
    let reply = call(&server, MASTER, "POST", "/contents", &long);
    assert_eq!(
        (reply.status, &reply.body["violations"][0]["pointer"]),
        (422, &json!("/content")),
        "{}",
        reply.body
    );
    let foreign = format!("/v1/contents/{}", "0f".repeat(32));
    for (member, place) in [
        ("Context", "/AgentContexts/0/Context"),
        ("todoItems", "/AgentContexts/0/todoItems/0/description"),
        ("KeyInformation", "/AgentContexts/0/KeyInformation/0/outputabstract"),
    ] {
        let mut context = subtask("hotel", HOTEL, &[], "Find a hotel");
        match member {
            "Context" => context["Context"] = json!(format!("see {foreign}")),
            "todoItems" => context["todoItems"][0]["description"] = json!(format!("read {foreign}")),
            _ => context["KeyInformation"] = json!([{"itemId": "1", "outputabstract": format!("see {foreign}")}]),
        }
        let body = json!({"TaskContext": task(&["hotel"]), "AgentContexts": [context]});
        let reply = call(&server, MASTER, "POST", "/tasks", &body);
        assert_eq!(
            (reply.status, &reply.body["violations"][0]["pointer"]),
            (422, &json!(place)),
            "{}",
            reply.body
        );
    }
    let stored = ok(&server, MASTER, "POST", "/contents", &json!({"content": "short"}));
    let uri = stored["ContextURI"]
        .as_str()
        .expect("an address")
        .trim_start_matches("/v1")
        .to_owned();
    let mut context = subtask("hotel", HOTEL, &[], "Find a hotel");
    context["Context"] = json!(format!("see /v1{uri}"));
    let body = json!({"TaskContext": task(&["hotel"]), "AgentContexts": [context]});
    let begun = ok(&server, MASTER, "POST", "/tasks", &body);
    let kept = ok(&server, MASTER, "DELETE", &uri, &Value::Null);
    assert!(kept["deleted"] == json!(false) && kept["why"].is_string(), "{kept}");
    ok(&server, MASTER, "GET", &uri, &Value::Null);
    ok(
        &server,
        MASTER,
        "DELETE",
        &format!("/tasks/{}", id(&begun)),
        &Value::Null,
    );
    let stored = ok(&server, MASTER, "POST", "/contents", &json!({"content": "short"}));
    assert_eq!(stored["ContextURI"], json!(format!("/v1{uri}")));
    let gone = ok(&server, MASTER, "DELETE", &uri, &Value::Null);
    assert!(gone["deleted"] == json!(true) && gone.get("why").is_none(), "{gone}");
}
