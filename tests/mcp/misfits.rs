//! Requests that do not fit their method, and arguments that no library reads: what is wrong is said where it can be mended.

use serde_json::Value;
use serde_json::json;

use super::Client;
use super::LEGACY;
use super::MODERN;
use super::TEMPLATE;
use super::meta;
use super::started;
use super::text;
use crate::support::server::Server;

/// The answer to a message as it is written.
fn written(server: &Server, revision: &str, session: Option<&str>, tool: &str, body: &str) -> Value {
    let mut headers = vec![
        ("Otherwise-Client", "ana"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", revision),
    ];
    headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
    if revision == MODERN {
        headers.extend([("Mcp-Method", "tools/call"), ("Mcp-Name", tool)]);
    }
    let (_, text) = server.call_with_text("POST", "/mcp", &headers, body);
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let data = data.map(str::trim).find(|data| data.starts_with('{'));
    serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn params_that_do_not_fit_a_method_that_is_known_are_invalid_and_the_member_is_named() {
    let server = started(|_| {});
    for revision in [LEGACY, MODERN] {
        let client = Client::new(&server, revision, &[("Otherwise-Client", "ana")]);
        let mut cases = vec![
            ("tools/call", json!({}), "`name` is missing"),
            ("resources/read", json!({}), "`uri` is missing"),
            ("resources/read", json!({"uri": 7}), "the params do not fit the method"),
            ("prompts/get", json!({}), "`name` is missing"),
            ("completion/complete", json!({}), "`ref` is missing"),
        ];
        let strange = json!({"uri": format!("{TEMPLATE}?zz=1")});
        cases.push(("resources/read", strange, "\"zz\" is unknown"));
        let utterance = json!({"name": "flight_booking", "arguments": {"utterance": 5}});
        cases.push(("prompts/get", utterance, "`utterance` is a string"));
        for list in [
            "tools/list",
            "resources/list",
            "resources/templates/list",
            "prompts/list",
        ] {
            cases.push((list, json!({"cursor": 5}), "`cursor` was not given out"));
            cases.push((list, json!({"cursor": "garbage"}), "`cursor` was not given out"));
        }
        if revision == LEGACY {
            cases.push(("resources/subscribe", json!({}), "`uri` is missing"));
            cases.push(("initialize", json!({}), "`protocolVersion` is missing"));
        } else {
            for removed in ["initialize", "resources/subscribe", "resources/unsubscribe"] {
                let told = client.ask(removed, &json!({}));
                assert_eq!(told["error"]["code"], -32601, "{removed} is of sessions: {told}");
            }
            cases.push(("subscriptions/listen", json!({}), "`notifications` is missing"));
            cases.push((
                "subscriptions/listen",
                json!({"notifications": {"resourceSubscriptions": "x"}}),
                "the params do not fit the method",
            ));
        }
        for (method, params, says) in cases {
            let told = client.ask(method, &params);
            assert_eq!(told["error"]["code"], -32602, "{revision} {method} {params}: {told}");
            let message = told["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains(says), "{revision} {method} {params}: {told}");
        }
        let unknown = client.ask("zz", &json!({}));
        assert_eq!(unknown["error"]["code"], -32601);
        assert!(unknown.to_string().contains(r#"\"zz\" is unknown"#), "{unknown}");
    }
}

#[test]
fn an_opening_that_cannot_be_read_is_told_why_and_a_call_outside_a_session_how_to_come() {
    let server = started(|_| {});
    let opening = r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}"#;
    let told = written(&server, LEGACY, None, "", opening);
    assert_eq!((&told["error"]["code"], &told["id"]), (&json!(-32602), &json!(3)));
    assert_eq!(told["error"]["message"], "`protocolVersion` is missing");
    let outside = written(
        &server,
        LEGACY,
        None,
        "",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    );
    let told = outside["detail"].as_str().unwrap_or_default();
    assert!(
        told.contains("initialize") && told.contains("MCP-Protocol-Version: 2026-07-28"),
        "{outside}"
    );
}

#[test]
fn a_model_is_told_that_its_arguments_are_no_object_z019() {
    let server = started(|_| {});
    for revision in [LEGACY, MODERN] {
        let client = Client::new(&server, revision, &[("Otherwise-Client", "ana")]);
        for arguments in [json!("{\"schema_id\": \"flight_booking_v1\"}"), json!([]), json!(7)] {
            let told = client.tool("submit_payload", &arguments);
            assert_eq!(told["isError"], true, "{told}");
            let problem: Value = serde_json::from_str(text(&told)).expect("a document");
            assert_eq!(problem["code"], "bad_request");
            let detail = problem["detail"].as_str().expect("a text");
            assert!(detail.contains("must be a JSON object"), "{detail}");
        }
        let told = client.tool("list_scenarios", &Value::Null);
        assert_eq!(told["isError"], json!(false), "{told}");
        let nowhere = client.ask("tools/call", &json!({"name": "nothing", "arguments": []}));
        assert_eq!(nowhere["error"]["code"], -32602, "{nowhere}");
    }
}

#[test]
fn what_http_refuses_by_name_is_a_result_that_says_the_same_z019() {
    let server = started(|_| {});
    let session = Client::new(&server, LEGACY, &[("Otherwise-Client", "ana")])
        .session
        .clone();
    for value in [
        "1e400",
        r#""\ud800""#,
        "9007199254740993123456789",
        r#"2,"passenger_count":3"#,
    ] {
        let body = format!(r#"{{"schema_id":"flight_booking_v1","payload":{{"passenger_count":{value}}}}}"#);
        let by_http = server.call("POST", "/v1/submissions", &[("Otherwise-Client", "ana")], &body);
        assert!([400, 422].contains(&by_http.status), "{}", by_http.body);
        for revision in [LEGACY, MODERN] {
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"submit_payload","arguments":{body},"_meta":{}}}}}"#,
                if revision == MODERN { meta() } else { json!({}) }
            );
            let session = session.as_deref().filter(|_| revision == LEGACY);
            let told = written(&server, revision, session, "submit_payload", &call);
            assert_eq!(told["result"]["isError"], true, "{revision} {value}: {told}");
            let problem: Value = serde_json::from_str(text(&told["result"])).expect("a document");
            for member in ["code", "detail", "violations"] {
                assert_eq!(problem[member], by_http.body[member], "{revision} {value}");
            }
        }
    }
}
