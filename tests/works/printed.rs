//! Figures 3 and 4 as they are printed, and everything that a master may write beyond them.

use std::sync::Arc;
use std::thread;

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::HOTEL;
use super::MASTER;
use super::call;
use super::get;
use super::id;
use super::no;
use super::ok;
use super::post;
use super::put;
use super::server;
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
    let server = server();
    let printed: Value = serde_json::from_str(FIGURE_3).expect("JSON");
    let begun = post(&server, MASTER, "/tasks", &printed);
    let context = &begun["TaskContext"];
    assert_eq!(context["OverallStatus"], "pending");
    assert!(
        context.get("StartTime").is_none() && context.get("EndTime").is_none(),
        "{context}"
    );
    let again = get(&server, MASTER, &format!("/tasks/{}", id(&begun)));
    assert_eq!(&again["TaskContext"], context);
    // What is blank and not named by `Optional` is missing.
    let mut strict = printed;
    strict["TaskContext"]["Optional"] = json!(["StartTime"]);
    let refused = call(&server, MASTER, "POST", "/tasks", &strict);
    assert_eq!(
        (refused.status, &refused.body["violations"][0]["pointer"]),
        (422, &json!("/TaskContext/EndTime"))
    );
}

#[test]
fn a_master_may_give_its_task_an_id_that_nobody_has_c023() {
    let server = Arc::new(server());
    let mut said = task(&["g"]);
    said["TaskID"] = json!("T123456");
    let body = json!({"TaskContext": said});
    // Of several that come at once, one begins.
    let begins: Vec<_> = (0..8)
        .map(|n| {
            let (server, body) = (Arc::clone(&server), body.clone());
            thread::spawn(move || call(&server, &format!("master-{n}"), "POST", "/tasks", &body))
        })
        .collect();
    let replies: Vec<_> = begins.into_iter().map(|begin| begin.join().expect("a reply")).collect();
    let begun: Vec<&Value> = replies
        .iter()
        .filter(|reply| reply.status == 201)
        .map(|reply| &reply.body)
        .collect();
    assert_eq!(begun.len(), 1);
    assert_eq!(id(begun[0]), "T123456");
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!((reply.status, &reply.body["code"]), (409, &json!("task_forbids")));
    }
    assert_eq!(no(&server, MASTER, "POST", "/tasks", &body).0, 409);
    let mut other = body;
    other["TaskContext"]["TaskID"] = json!("no id: spaces");
    assert_eq!(no(&server, MASTER, "POST", "/tasks", &other).0, 422);
}

#[test]
fn a_masters_own_id_is_free_again_after_it_is_deleted_c022_c023() {
    let server = server();
    let mut said = task(&["g"]);
    said["TaskID"] = json!("mine");
    let body = json!({"TaskContext": said});
    post(&server, MASTER, "/tasks", &body);
    ok(&server, MASTER, "DELETE", "/tasks/mine", &Value::Null);
    assert_eq!(call(&server, "another", "POST", "/tasks", &body).status, 201);
    assert_eq!(call(&server, MASTER, "GET", "/tasks/mine", &Value::Null).status, 404);
}

#[test]
fn figure_4_is_taken_with_what_it_leaves_blank_c044_c047_c050() {
    let server = server();
    let context = json!({"AgentID": HOTEL, "AgentName": "", "SubTaskID": "hotel", "SubTaskName": "", "Dependencies": [],
        "Context/ContextURI": "",
        "todoItems": [{"itemId": "1", "description": "Find a hotel"}, {"itemId": "", "description": ""}],
        "ItemstateUpdates": [{"itemId": "1", "state": 0}, {"itemId": "", "state": 0}],
        "KeyInformation": [{"itemId": "", "outputabstract": ""}],
        "LastUpdated": "", "Optional": ["LastUpdated"]});
    let body = json!({"TaskContext": task(&["g"]), "AgentContexts": [context]});
    let id = id(&post(&server, MASTER, "/tasks", &body));
    let path = format!("/tasks/{id}/subtasks/hotel");
    let told = get(&server, HOTEL, &path)["AgentContext"].clone();
    let expected = json!({"AgentID": HOTEL, "AgentName": "", "SubTaskID": "hotel", "SubTaskName": "", "Dependencies": [],
        "Context": "", "todoItems": [{"itemId": "1", "description": "Find a hotel"}],
        "ItemstateUpdates": [{"itemId": "1", "state": 0}], "KeyInformation": [], "Optional": ["LastUpdated"]});
    assert_eq!(told, expected);
    // Given back in the spelling of the flow text, with the times left blank.
    let mut back = told;
    back["ItemStateUpdates"] = json!([{"itemId": "1", "state": 1}]);
    back.as_object_mut().expect("an object").remove("ItemstateUpdates");
    back["KeyInformation"] = json!([{"itemId": "1", "outputabstract": "Hotel Capo d'Africa"}]);
    back["LastUpdated"] = json!("");
    let back = put(&server, HOTEL, &path, &json!({"AgentContext": back}));
    assert_eq!(back["state"], "returned");
}

/// The same context in the spelling of its template.
fn snake(context: &Value) -> Value {
    let names = [
        ("AgentID", "agent_id"),
        ("AgentName", "agent_name"),
        ("SubTaskID", "sub_task_id"),
        ("SubTaskName", "sub_task_name"),
        ("Dependencies", "dependencies"),
        ("Context", "context"),
        ("todoItems", "todo_items"),
        ("ItemstateUpdates", "itemstate_updates"),
        ("KeyInformation", "key_information"),
        ("Optional", "optional"),
    ];
    let spelt = names.map(|(wire, key)| (key.to_owned(), context[wire].clone()));
    Value::Object(serde_json::Map::from_iter(spelt))
}

#[test]
fn both_spellings_reach_the_same_place_c010_x04() {
    let server = Server::start(
        &[],
        |settings| settings.schemas.folder = format!("{}/schemas", env!("CARGO_MANIFEST_DIR")),
        PartsOverride::default(),
    );
    let context = subtask("hotel", HOTEL, &[], "Find a hotel");
    let body = json!({"task_context": task(&["g"]), "agent_contexts": [snake(&context)]});
    let begun = post(&server, MASTER, "/tasks", &body);
    let path = format!("/tasks/{}/subtasks/hotel", id(&begun));
    let told = get(&server, HOTEL, &path);
    assert_eq!(told["AgentContext"], context, "one spelling is written");
    // The template takes both as well, whichever way a payload comes.
    let mut more = context.clone();
    more["Tone"] = json!("warm");
    for payload in [snake(&context), context, more] {
        let body = json!({"schema_id": "agent_context_v1", "payload": payload});
        let reply = call(&server, MASTER, "POST", "/submissions:validate", &body);
        assert_eq!(reply.status, 200, "{payload} {}", reply.body);
    }
    let figure: Value = serde_json::from_str(FIGURE_3).expect("JSON");
    let body = json!({"schema_id": "task_context_v1", "payload": figure["TaskContext"]});
    let reply = call(&server, MASTER, "POST", "/submissions:validate", &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
}
