//! The same by addresses of their own, by the body and by JSON-RPC.

use otherwise::bootstrap::parts::PartsOverride;
use serde_json::Value;
use serde_json::json;

use super::Agent;
use super::closed;
use super::written_by;

#[test]
fn addresses_say_what_the_body_form_says_s014_s017_s021_s024_s029_s080_s084() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    let made = lead.create(&json!({}));
    let id = made["session_id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("ses_") && id.len() == 36, "{id}");
    let at = |rest: &str| format!("/v1/sessions/{id}{rest}");
    let body = json!({"value": "text", "written_by": "subagent:forged"}).to_string();
    let written = lead.call("PUT", &at("/keys/scope"), &body);
    assert_eq!(
        (written.status, written_by(&written.body)),
        (200, "orchestrator"),
        "who wrote is nobody's to say"
    );
    assert_eq!(written.body["key"], "scope", "the address says which key");
    assert_eq!(
        lead.call("GET", &at("/keys"), "").body,
        lead.does(&id, &json!({"action": "list_keys"}))
    );
    let read = lead.call("GET", &at("/keys/scope"), "");
    assert_eq!(read.headers["Cache-Control"], "no-store");
    assert_eq!(read.body, lead.does(&id, &json!({"action": "read", "key": "scope"})));
    let batch = lead
        .call("POST", &at("/keys:read"), r#"{"keys":["scope","nothing","A"]}"#)
        .body;
    assert_eq!(batch["results"][0]["value"], "text");
    assert_eq!(
        (&batch["results"][1]["key"], &batch["results"][1]["error"]["code"]),
        (&json!("nothing"), &json!("KEY_NOT_FOUND"))
    );
    assert_eq!(batch["results"][2]["error"]["code"], "INVALID_KEY");
    let stale = lead.call("DELETE", &at("/keys/scope?if_version=2"), "");
    assert_eq!((stale.status, &stale.body["current_version"]), (409, &json!(1)));
    let incarnation = read.body["incarnation"].as_u64().expect("an incarnation");
    assert_eq!(stale.body["current_incarnation"], incarnation);
    let same = format!("/keys/scope?if_version=1&if_incarnation={incarnation}");
    let other = lead.call("DELETE", &at("/keys/scope?if_version=1&if_incarnation=0"), "");
    assert_eq!(other.status, 409);
    let deleted = lead.call("DELETE", &at(&same), "");
    assert_eq!(deleted.body, json!({"deleted": "scope", "previous_version": 1}));
    let again = lead.call("PUT", &at("/keys/scope"), r#"{"value":"back"}"#);
    assert_eq!(
        again.body["version"], 1,
        "a key that is not there is created (S-026, S-031)"
    );
    let stale = format!(r#"{{"value":"over it","if_version":1,"if_incarnation":{incarnation}}}"#);
    let refused = lead.call("PUT", &at("/keys/scope"), &stale);
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (409, &json!("version_conflict"))
    );
    assert_eq!(refused.body["current_incarnation"], again.body["incarnation"]);
    let page = lead.call("GET", "/v1/sessions?limit=1", "").body;
    assert_eq!(page["sessions"][0]["session_id"], id.as_str());
    assert_eq!(lead.call("GET", &at(""), "").body["key_count"], 1);
    assert_eq!(lead.call("GET", "/v1/sessions?limit=0", "").status, 400);
}

#[test]
fn other_mouths_say_the_same_s007_s014() {
    let server = closed(|_| {}, PartsOverride::default());
    let lead = Agent::new(&server, "lead");
    lead.create(
        &json!({"session_id": "s", "participants": [{"principal": "analyst", "roles": ["subagent:analysis"]}]}),
    );
    let rpc = |name: &str, params: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "shared_context", "params": params});
        Agent::new(&server, name).call("POST", "/rpc", &call.to_string()).body
    };
    let written = rpc(
        "analyst",
        json!({"session_id": "s", "action": "write", "key": "k", "value": "v"}),
    );
    assert_eq!(written["result"]["written_by"], "subagent:analysis", "{written}");
    assert_eq!(lead.value("s", "k"), "v");
    let refused = rpc("stranger", json!({"session_id": "s", "action": "read", "key": "k"}));
    assert_eq!(refused["error"]["code"], 40_452, "{refused}");
    assert_eq!(refused["error"]["data"]["error"]["code"], "SESSION_NOT_FOUND");
    let nameless = rpc("lead", json!({"action": "list_keys"}));
    assert_eq!(nameless["error"]["code"], -32_602, "{nameless}");
}
