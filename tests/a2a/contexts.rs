//! TaskContext and AgentContext over A2A: they reach the same tasks as over HTTP.

use serde_json::Value;
use serde_json::json;

use super::ADA;
use super::BEN;
use super::WAITS;
use super::error;
use super::field;
use super::message;
use super::reply;
use super::result;
use super::send;
use super::server;
use super::task_in;
use crate::support::server::Server;

fn task() -> Value {
    json!({"TaskID": "", "UserQuery": "plan me four days in Rome", "TaskName": "tour plan", "TaskDescription": "a hotel",
           "GoalStatus": [{"Goal": "hotel", "Status": "pending"}], "OverallStatus": "", "Optional": ["StartTime", "EndTime"]})
}

fn subtask(agent: &str) -> Value {
    json!({"AgentID": agent, "AgentName": "Hotel", "SubTaskID": "hotel", "SubTaskName": "Book a hotel", "Dependencies": [],
           "Context": "two guests", "todoItems": [{"itemId": "1", "description": "Find a hotel"}],
           "ItemstateUpdates": [{"itemId": "1", "state": 0}], "KeyInformation": [], "Optional": ["LastUpdated"]})
}

/// The data of the answer's part.
fn told(answer: &Value) -> Value {
    assert!(answer.get("task").is_none(), "{answer}");
    answer["message"]["parts"][1]["data"].clone()
}

#[test]
fn contexts_reach_the_tasks_that_http_shows_c015_c062_c063_x04() {
    let server = server();
    let begun = send(&server, json!([{"data": {"TaskContext": task()}}]));
    let id = told(&begun)["TaskContext"]["TaskID"].clone();
    let id = id.as_str().expect("an id");
    // The master makes a subtask out, by its type and in the template's wrapper.
    let data = json!({"TaskID": id, "agent_context": subtask("ben")});
    let sent = json!([{"data": data, "metadata": {"type": "agent_context", "schemaVersion": "1.0"}}]);
    let sent = send(&server, sent);
    assert_eq!(told(&sent)["state"], "sent");
    assert_eq!(sent["message"]["parts"][1]["metadata"]["type"], "AgentContext");
    let path = format!("/v1/tasks/{id}/subtasks/hotel");
    let own = server.call("GET", &path, &[BEN], "").body["AgentContext"].clone();
    assert_eq!(own, subtask("ben"));
    // The agent gives it back without knowing the task's id.
    let mut back = own;
    back["ItemStateUpdates"] = json!([{"itemId": "1", "state": 1}]);
    back.as_object_mut().expect("an object").remove("ItemstateUpdates");
    back["KeyInformation"] = json!([{"itemId": "1", "outputabstract": "Hotel Capo d'Africa"}]);
    let typed =
        json!([{"text": "here it is"}, {"data": back, "metadata": {"type": "AgentContext", "schemaVersion": "1.0"}}]);
    let returned = result(&server, BEN, "SendMessage", &message(typed));
    assert_eq!(told(&returned)["state"], "returned");
    let seen = server.call("GET", &path, &[ADA], "").body;
    let output = &seen["AgentContext"]["KeyInformation"][0]["outputabstract"];
    assert_eq!(
        (&seen["state"], output),
        (&json!("returned"), &json!("Hotel Capo d'Africa"))
    );
}

#[test]
fn nobody_reaches_another_ones_task_by_a_message_c036_c067() {
    let server = server();
    let body = json!({"TaskContext": task(), "AgentContexts": [subtask("ben")]});
    let begun = send(&server, json!([{"data": body}]));
    let id = told(&begun)["TaskContext"]["TaskID"].clone();
    let stranger = ("Otherwise-Client", "eve");
    for data in [
        json!({"AgentContext": subtask("ben")}),
        json!({"AgentContext": subtask("eve")}),
        json!({"TaskID": id, "AgentContext": subtask("ben")}),
        json!({"TaskID": id, "AgentContext": subtask("eve")}),
    ] {
        error(&server, stranger, "SendMessage", &message(json!([{"data": data}])));
    }
    let path = format!("/v1/tasks/{}", id.as_str().expect("an id"));
    let seen = server.call("GET", &path, &[ADA], "").body;
    assert_eq!(seen["subtasks"][0]["state"], "sent");
}

#[test]
fn a_context_goes_on_with_no_task_of_a2a_and_is_no_submission_c013_c015() {
    let folder = format!("{}/schemas", env!("CARGO_MANIFEST_DIR"));
    let shipped = Server::set(&[], |settings| settings.schemas.folder = folder);
    let submitted = json!([{"data": {"schema_id": "agent_context_v1", "payload": subtask("ben")}}]);
    let told = error(&shipped, ADA, "SendMessage", &message(submitted));
    assert_eq!(told["code"], 42221, "{told}");
    assert_eq!(result(&shipped, ADA, "ListTasks", &json!({}))["totalSize"], 0);
    let server = server();
    let task = task_in(&server, ADA, WAITS);
    let beside = reply(&task["id"], json!([{"data": {"AgentContext": subtask("ben")}}]));
    assert_eq!(field(&error(&server, ADA, "SendMessage", &beside)), "message.taskId");
}
