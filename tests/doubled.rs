//! A member that is given twice is refused wherever context is spoken of, by its place: of two readers one would take the first and
//! one the last.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;

use crate::conversations::Talk;
use crate::conversations::started;
use crate::support::server::Server;

/// Method, path, body, and the place that the answer names.
type Case<'a> = (&'a str, &'a str, &'a str, &'a str);

/// What a call by "ada" is refused with.
fn refused(server: &Server, (method, path, body, place): Case<'_>) {
    let reply = server.call(method, path, &[("Otherwise-Client", "ada")], body);
    assert_eq!(reply.status, 400, "{method} {path} {body}: {}", reply.body);
    let detail = reply.body["detail"].as_str().expect("a detail");
    assert_eq!(detail, format!("{place} is given twice"), "{method} {path} {body}");
}

#[test]
fn a_member_that_is_given_twice_is_refused_whatever_the_context_c021_m008_s023_p024() {
    let server = started(|_| {}, PartsOverride::default());
    let at = Talk::begin(&server).at;
    let declared = format!("{at}/recipients/laptops");
    let (turns, embed) = (format!("{at}/turns"), format!("{at}:embed"));
    server.call(
        "POST",
        "/v1/sessions",
        &[("Otherwise-Client", "ada")],
        r#"{"session_id": "s"}"#,
    );
    let task = r#""TaskID": "", "UserQuery": "q", "TaskDescription": "d", "GoalStatus": [], "OverallStatus": """#;
    let named = format!(r#"{{"TaskContext": {{{task}, "TaskName": "a", "TaskName": "b"}}}}"#);
    let items = format!(
        r#"{{"TaskContext": {{{task}, "TaskName": "a"}}, "AgentContexts": [{{"todoItems": [{{"itemId": "1", "itemId": "2"}}]}}]}}"#
    );
    let cases: [Case<'_>; 13] = [
        ("POST", "/v1/tasks", &named, "TaskContext.TaskName"),
        ("POST", "/v1/tasks", &items, "AgentContexts[0].todoItems[0].itemId"),
        ("POST", "/v1/contents", r#"{"content": "a", "content": "b"}"#, "content"),
        (
            "POST",
            "/v1/sessions",
            r#"{"config": {"prefixes": true, "prefixes": false}}"#,
            "config.prefixes",
        ),
        (
            "POST",
            "/v1/sessions",
            r#"{"participants": [{"principal": "ben", "principal": "eve", "roles": ["subagent:a"]}]}"#,
            "participants[0].principal",
        ),
        (
            "PUT",
            "/v1/sessions/s/keys/k",
            r#"{"value": "a", "value": "b"}"#,
            "value",
        ),
        (
            "POST",
            "/v1/sessions/s/context",
            r#"{"action": "read", "action": "delete", "key": "k"}"#,
            "action",
        ),
        (
            "POST",
            "/v1/messages:render",
            r#"{"agentContext": {"taskContext": {"taskId": "a", "taskId": "b"}}}"#,
            "agentContext.taskContext.taskId",
        ),
        (
            "POST",
            "/v1/messages:convert",
            r#"{"TaskContext": {"TaskName": "a", "TaskName": "b"}}"#,
            "TaskContext.TaskName",
        ),
        (
            "PUT",
            "/v1/agents/ada/services",
            r#"{"mcpServiceList": [{"serviceName": "a", "serviceName": "b"}]}"#,
            "mcpServiceList[0].serviceName",
        ),
        (
            "PUT",
            &declared,
            r#"{"types": [], "sensitive": false, "sensitive": true}"#,
            "sensitive",
        ),
        (
            "POST",
            &turns,
            r#"{"role": "user", "role": "assistant", "content": "x"}"#,
            "role",
        ),
        ("POST", &embed, r#"{"agent": "a", "agent": "b"}"#, "agent"),
    ];
    for case in cases {
        refused(&server, case);
    }
    let kept = server.call("GET", "/v1/sessions/s/keys", &[("Otherwise-Client", "ada")], "");
    assert_eq!(kept.body["keys"], Value::Array(Vec::new()), "nothing was kept");
}
