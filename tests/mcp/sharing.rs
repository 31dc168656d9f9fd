//! The tool of shared context: for who takes part in a session, and nothing of how sessions begin and end.

use serde_json::Value;
use serde_json::json;

use super::Client;
use super::LEGACY;
use super::MODERN;
use super::closed;
use super::text;

#[test]
fn models_work_in_a_session_and_neither_begin_nor_end_one_s007_s014_s097() {
    let server = closed(|_| {});
    let made = json!({"session_id": "s", "participants": [{"principal": "paul", "roles": ["subagent:review", "subagent:review:*"]}]});
    let made = server.call("POST", "/v1/sessions", &[("X-API-Key", "ana-key")], &made.to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    for (revision, version) in [(LEGACY, 1), (MODERN, 2)] {
        let ana = Client::new(&server, revision, &[("X-API-Key", "ana-key")]);
        let as_reviewer = [("X-API-Key", "paul-key"), ("Otherwise-Role", "subagent:review:3")];
        let paul = Client::new(&server, revision, &as_reviewer);
        let listed = ana.result("tools/list", &json!({}));
        let mut tools = listed["tools"].as_array().expect("tools").iter();
        let tool = tools.find(|tool| tool["name"] == "shared_context").expect("the tool");
        let actions = tool["inputSchema"]["properties"]["action"]["enum"].to_string();
        for lifecycle in ["create", "archive", "remove", "grant"] {
            assert!(!actions.contains(lifecycle), "{lifecycle} is not for models");
        }
        let output = jsonschema::draft202012::new(&tool["outputSchema"]).expect("a schema");
        let action = |client: &Client<'_>, session: &str, action: Value| {
            let mut asked = action;
            asked["session_id"] = json!(session);
            client.tool("shared_context", &asked)
        };
        for (asked, by) in [
            (json!({"action": "write", "key": "scope", "value": "v"}), "orchestrator"),
            (json!({"action": "list_keys"}), ""),
            (json!({"action": "read", "key": "scope"}), "orchestrator"),
        ] {
            let result = action(&ana, "s", asked);
            assert_eq!(result["isError"], false, "{result}");
            assert!(output.is_valid(&result["structuredContent"]), "{result}");
            let written_by = result["structuredContent"]["written_by"].as_str();
            assert_eq!(written_by.unwrap_or_default(), by);
        }
        let written = action(&paul, "s", json!({"action": "write", "key": "verdict", "value": "v"}));
        let written = &written["structuredContent"];
        let told = (&written["written_by"], &written["version"]);
        assert_eq!(told, (&json!("subagent:review:3"), &json!(version)));
        let missing = action(&paul, "s", json!({"action": "read", "key": "nothing"}));
        assert_eq!(missing["isError"], true);
        assert!(text(&missing).contains("KEY_NOT_FOUND"), "{missing}");
        let elsewhere = action(&paul, "elsewhere", json!({"action": "list_keys"}));
        assert!(text(&elsewhere).contains("SESSION_NOT_FOUND"), "{elsewhere}");
    }
}
