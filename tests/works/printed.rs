//! Figures 3 and 4 as they are printed, and everything that a master may write beyond them.

use std::sync::Arc;
use std::thread;

use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::HOTEL;
use super::MASTER;
use super::at;
use super::id;
use super::subtask;
use super::task;
use crate::support::server::Server;

/// Figure 3, letter by letter.
const FIGURE_3: &str = r#"{"TaskContext": {
   "TaskID": "",
   "UserQuery": "",
   "TaskName": "",
   "TaskDescription": "",
   "GoalStatus": [
       {"Goal": "", "Status": ""},
       {"Goal": "", "Status": ""},
       {"Goal": "", "Status": ""}
   ],
   "OverallStatus": "",
   "StartTime": "",
   "EndTime": "",
   "Optional": ["StartTime", "EndTime"]
}}"#;

#[test]
fn figure_3_is_taken_as_printed_c027_c029_c030() {
    let server = Server::with(&[]);
    let master = Agent::new(&server, MASTER);
    let printed: Value = serde_json::from_str(FIGURE_3).expect("JSON");
    let begun = master.post("/tasks", &printed);
    let context = &begun["TaskContext"];
    assert_eq!(context["OverallStatus"], "pending");
    assert!(
        context.get("StartTime").is_none() && context.get("EndTime").is_none(),
        "{context}"
    );
    assert_eq!(&master.get(&at(&begun))["TaskContext"], context);
    // What is blank and not named by `Optional` is missing.
    let mut strict = printed;
    strict["TaskContext"]["Optional"] = json!(["StartTime"]);
    assert_eq!(master.violations("POST /tasks", &strict), ["/TaskContext/EndTime"]);
}

#[test]
fn a_master_may_give_its_task_an_id_that_nobody_has_c022_c023() {
    let server = Arc::new(Server::with(&[]));
    let mut said = task(&["g"]);
    said["TaskID"] = json!("T123456");
    let body = json!({"TaskContext": said});
    // Of several that come at once, one begins.
    let begins: Vec<_> = (0..8)
        .map(|n| {
            let (server, body) = (Arc::clone(&server), body.clone());
            thread::spawn(move || Agent::new(&server, &format!("master-{n}")).call("POST /tasks", &body))
        })
        .collect();
    let replies: Vec<_> = begins.into_iter().map(|begin| begin.join().expect("a reply")).collect();
    let (begun, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!((begun.len(), id(&begun[0].body).as_str()), (1, "T123456"));
    for reply in refused {
        assert_eq!((reply.status, &reply.body["code"]), (409, &json!("task_forbids")));
    }
    // It is free again once it is deleted, and of nobody else.
    let owner = replies.iter().position(|reply| reply.status == 201).expect("a master");
    let (owner, master) = (format!("master-{owner}"), Agent::new(&server, MASTER));
    assert_eq!(master.no("POST /tasks", &body), "409 task_forbids");
    Agent::new(&server, &owner).ok("DELETE /tasks/T123456", &Value::Null);
    master.post("/tasks", &body);
    assert_eq!(
        Agent::new(&server, &owner).no("GET /tasks/T123456", &Value::Null),
        "404 unknown_task"
    );
    let mut other = body;
    other["TaskContext"]["TaskID"] = json!("no id: spaces");
    assert_eq!(master.violations("POST /tasks", &other), ["/TaskContext/TaskID"]);
}

#[test]
fn figure_4_is_taken_with_what_it_leaves_blank_c044_c047_c050_c053() {
    let server = Server::with(&[]);
    let hotel = Agent::new(&server, HOTEL);
    let context = json!({"AgentID": HOTEL, "AgentName": "", "SubTaskID": "hotel", "SubTaskName": "", "Dependencies": [],
        "Context/ContextURI": "two guests",
        "todoItems": [{"itemId": "1", "description": "Find a hotel"}, {"itemId": "", "description": ""}],
        "ItemstateUpdates": [{"itemId": "1", "state": 0}, {"itemId": "", "state": 0}],
        "KeyInformation": [{"itemId": "", "outputabstract": ""}],
        "LastUpdated": "", "Optional": ["LastUpdated"]});
    let path = format!("{}/subtasks/hotel", Agent::new(&server, MASTER).begin(&[context]));
    let told = hotel.get(&path)["AgentContext"].clone();
    let expected = json!({"AgentID": HOTEL, "AgentName": "", "SubTaskID": "hotel", "SubTaskName": "", "Dependencies": [],
        "Context": "two guests", "todoItems": [{"itemId": "1", "description": "Find a hotel"}],
        "ItemstateUpdates": [{"itemId": "1", "state": 0}], "KeyInformation": [], "Optional": ["LastUpdated"]});
    assert_eq!(told, expected);
    // Given back in the spelling of the flow text, with the times left blank; a context need not be sent back.
    let mut back = told;
    back["ItemStateUpdates"] = json!([{"itemId": "1", "state": 1}]);
    back.as_object_mut().expect("an object").remove("ItemstateUpdates");
    back["KeyInformation"] = json!([{"itemId": "1", "outputabstract": "Hotel Capo d'Africa"}]);
    (back["LastUpdated"], back["Context"]) = (json!(""), json!(""));
    let back = hotel.put(&path, &json!({"AgentContext": back}));
    assert_eq!(back["state"], "returned");
    let states = &back["AgentContext"]["ItemstateUpdates"];
    assert_eq!(
        (states, &back["AgentContext"]["Context"]),
        (&json!([{"itemId": "1", "state": 1}]), &json!("two guests"))
    );
}

#[test]
fn both_spellings_reach_the_same_place_and_fit_the_published_templates_c010_x04() {
    let folder = format!("{}/schemas", env!("CARGO_MANIFEST_DIR"));
    let server = Server::set(&[], |settings| settings.schemas.folder = folder);
    let master = Agent::new(&server, MASTER);
    let context = subtask("hotel", HOTEL, &[]);
    let template = master.get("/scenarios/agent_context/template");
    let keys = template["keys"].as_array().expect("keys").iter();
    // The same context in the spelling of its template.
    let spelt = keys.filter_map(|key| {
        let value = context.get(key["wire_name"].as_str()?)?;
        Some((key["key_name"].as_str()?.to_owned(), value.clone()))
    });
    let snake = Value::Object(spelt.collect());
    let body = json!({"task_context": task(&["g"]), "agent_contexts": [snake]});
    let path = format!("{}/subtasks/hotel", at(&master.post("/tasks", &body)));
    let told = Agent::new(&server, HOTEL).get(&path);
    assert_eq!(told["AgentContext"], context, "one spelling is written");
    // The templates take both as well, whichever way a payload comes.
    let mut more = context.clone();
    more["Tone"] = json!("warm");
    let figure: Value = serde_json::from_str(FIGURE_3).expect("JSON");
    for (schema, payload) in [
        ("agent_context_v1", &snake),
        ("agent_context_v1", &context),
        ("agent_context_v1", &more),
        ("task_context_v1", &figure["TaskContext"]),
    ] {
        master.post(
            "/submissions:validate",
            &json!({"schema_id": schema, "payload": payload}),
        );
    }
}
