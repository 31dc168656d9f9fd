//! Half a character (an unpaired surrogate, `\ud800`) in what is sent: no text holds one, so that it is refused with a reason by
//! which it is found, whatever the transport, and never as a fault of the service.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use crate::conversations::Talk;
use crate::conversations::started;

const HALF: &str = r#""\ud800""#;

#[test]
fn half_a_character_is_refused_with_a_reason_by_every_address_z019_s053_p016() {
    let server = started(|_| {}, PartsOverride::default());
    let at = Talk::begin(&server).at;
    let by_ada = [("Otherwise-Client", "ada")];
    server.call("POST", "/v1/sessions", &by_ada, r#"{"session_id": "s"}"#);
    let (turns, recipient) = (format!("{at}/turns"), format!("{at}/recipients/ben"));
    for (method, path, body) in [
        (
            "POST",
            "/v1/submissions",
            r#"{"schema_id": "user_context_v1", "payload": {"a": HALF}}"#,
        ),
        (
            "POST",
            "/v1/submissions:validate",
            r#"{"schema_id": HALF, "payload": {}}"#,
        ),
        ("POST", "/v1/sessions", r#"{"session_id": HALF}"#),
        (
            "POST",
            "/v1/sessions/s/context",
            r#"{"action": "write", "key": "k", "value": HALF}"#,
        ),
        ("PUT", "/v1/sessions/s/keys/k", r#"{"value": HALF}"#),
        ("POST", "/v1/messages:check", r#"{"role": "user", "content": HALF}"#),
        (
            "POST",
            "/v1/messages:check",
            r#"{"role": "user", "parts": [{"data": {"a": HALF}}]}"#,
        ),
        (
            "POST",
            "/v1/messages:render",
            r#"{"agentContext": {"taskContext": {"taskName": HALF}}}"#,
        ),
        ("POST", "/v1/messages:convert", r#"{"taskContext": {"taskName": HALF}}"#),
        (
            "PUT",
            "/v1/agents/ada/services",
            r#"{"mcpServiceList": [{"serviceName": HALF}]}"#,
        ),
        ("POST", turns.as_str(), r#"{"role": "user", "content": HALF}"#),
        ("PUT", recipient.as_str(), r#"{"types": [HALF]}"#),
        ("POST", "/v1/tasks", r#"{"TaskContext": {"TaskID": HALF}}"#),
        ("POST", "/v1/contents", r#"{"content": HALF}"#),
    ] {
        let reply = server.call(method, path, &by_ada, &body.replace("HALF", HALF));
        let detail = reply.body["detail"].as_str().unwrap_or_default();
        assert_eq!(reply.status, 400, "{method} {path}: {}", reply.body);
        assert!(
            detail.contains("\\u") || detail.contains("surrogate"),
            "{method} {path}: {detail}"
        );
    }
    let kept = server.call("GET", "/v1/sessions/s/keys", &by_ada, "");
    assert_eq!(kept.body["keys"], json!([]), "nothing was written");
}

#[test]
fn half_a_character_is_refused_over_json_rpc_and_a2a_z019() {
    let server = started(|_| {}, PartsOverride::default());
    let by_ada = [("Otherwise-Client", "ada")];
    server.call("POST", "/v1/sessions", &by_ada, r#"{"session_id": "s"}"#);
    let arguments = r#"{"session_id": "s", "action": "write", "key": "k", "value": "\ud800"}"#;
    let called = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "shared_context", "params": {arguments}}}"#);
    let told = server.call("POST", "/rpc", &by_ada, &called).body;
    let said = told["error"]["message"].as_str().unwrap_or_default();
    assert!(said.contains("\\u") || said.contains("surrogate"), "{told}");
    let message = r#"{"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "\ud800"}]}}"#;
    let headers = [by_ada[0], ("A2A-Version", "1.0")];
    let told = server.call("POST", "/a2a/message:send", &headers, message);
    assert_eq!(told.status, 400, "{}", told.body);
    let said: &Value = &told.body;
    assert!(
        said.to_string().contains("surrogate") || said.to_string().contains("\\\\u"),
        "{said}"
    );
}
