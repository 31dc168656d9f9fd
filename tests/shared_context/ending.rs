//! What an operator does with what a creator that is gone left behind: end it, on record and by name, and read nothing of it.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::closed;

#[test]
fn an_operator_archives_and_deletes_a_session_whose_creator_is_gone_s095_s096_s098() {
    let server = closed(|_| {}, PartsOverride::default());
    let (lead, boss) = (Agent::new(&server, "lead"), Agent::new(&server, "boss"));
    lead.create(
        &json!({"session_id": "s", "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    lead.write("s", "k", "a value to be kept");
    let (archive, delete) = ("/v1/sessions/s:archive", "/v1/sessions/s");
    let ends = |who: &str, method: &str, path: &str, by: &str| {
        let reply = Agent::new(&server, who).call(method, &format!("{path}{by}"), "");
        (reply.status, reply.body)
    };
    assert_eq!(
        ends("boss", "POST", archive, "").0,
        404,
        "it takes no part, and must say as what it comes"
    );
    assert_eq!(ends("boss", "POST", archive, "?as=master").0, 400);
    for who in ["lead", "analyst", "fixer", "stranger", "checker"] {
        for (method, path) in [("POST", archive), ("DELETE", delete)] {
            assert_eq!(ends(who, method, path, "?as=operator").0, 403, "{who} {method}");
        }
    }
    let (status, archived) = ends("boss", "POST", archive, "?as=operator");
    assert_eq!((status, &archived["status"]), (200, &json!("archived")), "{archived}");
    assert!(!archived.to_string().contains("to be kept"), "nothing is read by it");
    assert_eq!(
        boss.refused("s", &json!({"action": "read", "key": "k"})),
        "SESSION_NOT_FOUND"
    );
    assert_eq!(
        Agent::new(&server, "analyst").does("s", &json!({"action": "read", "key": "k"}))["value"],
        "a value to be kept",
        "who took part still reads it"
    );
    assert_eq!(ends("boss", "DELETE", delete, "?as=operator").0, 200);
    assert_eq!(ends("boss", "DELETE", delete, "?as=operator").0, 404);
    assert_eq!(lead.refused("s", &json!({"action": "list_keys"})), "SESSION_NOT_FOUND");
    let log = boss.call("GET", "/v1/sessions:audit?session_id=s", "").body;
    let rows = log["entries"].as_array().expect("entries");
    let ended: Vec<(&Value, &Value)> = rows
        .iter()
        .filter_map(|row| Some((&row["action"], row.get("operator")?)))
        .collect();
    let mut by_operator = rows.iter().filter(|row| row.get("operator").is_some());
    assert!(by_operator.all(|row| row.get("principal").is_none()), "{log}");
    let boss = json!("boss");
    assert_eq!(ended, [(&json!("archive"), &boss), (&json!("remove"), &boss)], "{log}");
}

#[test]
fn an_operator_deletes_a_task_and_a_conversation_whose_creators_are_gone_c065_p035() {
    let server = closed(|_| {}, PartsOverride::default());
    let (lead, boss) = (Agent::new(&server, "lead"), Agent::new(&server, "boss"));
    let task = json!({"TaskContext": {"TaskID": "", "UserQuery": "q", "TaskName": "n", "TaskDescription": "d",
        "GoalStatus": [{"Goal": "g", "Status": "pending"}], "OverallStatus": "", "Optional": ["StartTime", "EndTime"]}});
    let begun = lead.call("POST", "/v1/tasks", &task.to_string());
    let task = begun.body["TaskContext"]["TaskID"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", begun.body));
    let begun = lead.call("POST", "/v1/conversations", r#"{"role": "user", "content": "hello"}"#);
    let conversation = begun.body["context_id"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", begun.body));
    for path in [format!("/v1/tasks/{task}"), format!("/v1/conversations/{conversation}")] {
        assert_eq!(boss.call("DELETE", &path, "").status, 404, "{path}");
        assert_eq!(boss.call("GET", &path, "").status, 404, "{path}: it reads nothing");
        for who in ["lead", "stranger", "checker"] {
            let reply = Agent::new(&server, who).call("DELETE", &format!("{path}?as=operator"), "");
            assert_eq!(reply.status, 403, "{who} {path}");
        }
        assert_eq!(lead.call("GET", &path, "").status, 200, "{path}");
        assert_eq!(
            boss.call("DELETE", &format!("{path}?as=operator"), "").status,
            200,
            "{path}"
        );
        assert_eq!(lead.call("GET", &path, "").status, 404, "{path}");
        assert_eq!(
            boss.call("DELETE", &format!("{path}?as=operator"), "").status,
            404,
            "{path}"
        );
    }
}
