//! What no context may hold, and what an agent may not give back, each told by its place.

use otherwise::bootstrap::parts::PartsOverride;
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
use super::tour;
use crate::support::server::Server;

#[test]
fn an_agent_gives_back_its_own_context_and_nothing_else_c035_c036_c049_c053() {
    let server = server();
    let id = tour(&server);
    let at = format!("/tasks/{id}/subtasks/hotel");
    let sent = get(&server, HOTEL, &at);
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
    // The spelling of the draft's flow is read, and that of its figure written; a context need not be sent back.
    let mut other = good;
    let states = other["AgentContext"]
        .as_object_mut()
        .expect("members")
        .remove("ItemstateUpdates");
    other["AgentContext"]["ItemStateUpdates"] = states.expect("states");
    other["AgentContext"]["Context"] = json!("");
    let back = put(&server, HOTEL, &at, &other);
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
    assert_eq!(get(&server, MASTER, "/tasks")["tasks"], json!([]), "nothing was begun");
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
    let stored = post(&server, MASTER, "/contents", &json!({"content": "short"}));
    let uri = stored["ContextURI"]
        .as_str()
        .expect("an address")
        .trim_start_matches("/v1")
        .to_owned();
    let mut context = subtask("hotel", HOTEL, &[], "Find a hotel");
    context["Context"] = json!(format!("see /v1{uri}"));
    let body = json!({"TaskContext": task(&["hotel"]), "AgentContexts": [context]});
    let begun = post(&server, MASTER, "/tasks", &body);
    let kept = ok(&server, MASTER, "DELETE", &uri, &Value::Null);
    assert!(kept["deleted"] == json!(false) && kept["why"].is_string(), "{kept}");
    get(&server, MASTER, &uri);
    ok(
        &server,
        MASTER,
        "DELETE",
        &format!("/tasks/{}", id(&begun)),
        &Value::Null,
    );
    // What was not deleted is kept as before, by who stored it.
    get(&server, MASTER, &uri);
    let gone = ok(&server, MASTER, "DELETE", &uri, &Value::Null);
    assert!(gone["deleted"] == json!(true) && gone.get("why").is_none(), "{gone}");
}
