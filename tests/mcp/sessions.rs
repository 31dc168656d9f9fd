//! Sessions: how many there may be, how long they last, what their clients are told by themselves, and what is said of a body
//! that is no message.

use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use super::Client;
use super::LEGACY;
use super::MODERN;
use super::Messages;
use super::TEMPLATE;
use super::closed;
use super::republish;
use super::started;

const OPENING: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

pub fn stream(client: &Client<'_>) -> Messages {
    let mut request = client
        .agent
        .get(format!("{}/mcp", client.server.base()))
        .header("Accept", "text/event-stream")
        .header("MCP-Protocol-Version", LEGACY)
        .header("Mcp-Session-Id", client.session.as_deref().expect("a session"));
    for (name, value) in &client.headers {
        request = request.header(*name, value);
    }
    let response = request.call().expect("a stream");
    assert_eq!(response.status().as_u16(), 200);
    Messages(std::io::BufReader::new(Box::new(response.into_body().into_reader())))
}

#[test]
fn a_session_that_only_listens_is_not_idle_and_one_that_is_left_alone_is_let_go() {
    let server = started(|settings| settings.mcp.session_idle_s = 1);
    let listener = Client::new(&server, LEGACY, &[("Otherwise-Client", "ana")]);
    listener.result("resources/subscribe", &json!({ "uri": TEMPLATE }));
    let mut told = stream(&listener);
    let left = Client::new(&server, LEGACY, &[("Otherwise-Client", "ben")]);
    std::thread::sleep(Duration::from_millis(3_500));
    assert_eq!(left.send(&left.message("tools/list", &json!({}))).0, 404, "it was idle");
    republish(&server);
    while told.next().expect("a notification")["method"] != "notifications/resources/updated" {}
    assert!(listener.result("tools/list", &json!({}))["tools"].is_array());
}

#[test]
fn sessions_are_bounded_for_each_client_and_in_all_and_end() {
    let server = closed(|settings| {
        settings.mcp.sessions_max = 3;
        settings.mcp.sessions_per_client_max = 2;
        settings.mcp.session_idle_s = 240;
    });
    let open = |key: &str| {
        let headers = [
            ("X-API-Key", key),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", LEGACY),
        ];
        server.call("POST", "/mcp", &headers, OPENING)
    };
    let first = open("ana-key");
    assert_eq!([first.status, open("ana-key").status], [200, 200]);
    let refused = open("ana-key");
    assert_eq!((refused.status, &refused.body["code"]), (429, &json!("limit_reached")));
    assert_eq!(refused.headers["retry-after"], "240", "idle ones are let go by then");
    assert_eq!(open("paul-key").status, 200, "another client has room");
    assert_eq!(open("paul-key").status, 503, "as many as may be");
    let modern = Client::new(&server, MODERN, &[("X-API-Key", "paul-key")]);
    let listed = modern.result("tools/list", &json!({}));
    assert!(listed["tools"].is_array(), "without a session it goes on");
    let session = first.headers["mcp-session-id"].to_str().expect("an id").to_owned();
    let headers = [
        ("X-API-Key", "ana-key"),
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", LEGACY),
    ];
    assert_eq!(server.call("DELETE", "/mcp", &headers, "").status, 204);
    assert_eq!(server.call("DELETE", "/mcp", &headers, "").status, 404);
    assert_eq!(open("ana-key").status, 200, "one has ended");
}

#[test]
fn a_body_that_is_no_message_is_answered_as_json_rpc_says() {
    let server = started(|_| {});
    let post = |body: &str| {
        let headers = [
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", MODERN),
        ];
        server.call("POST", "/mcp", &headers, body)
    };
    for (body, number, id) in [
        ("{", -32700, json!(null)),
        ("7", -32600, json!(null)),
        ("{}", -32600, json!(null)),
        ("[]", -32600, json!(null)),
        (r#"{"id":4,"method":"tools/list"}"#, -32600, json!(4)),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            -32600,
            json!(null),
        ),
    ] {
        let told = post(body);
        assert_eq!(told.status, 400, "{body}: {}", told.body);
        let said = (&told.body["error"]["code"], &told.body["id"]);
        assert_eq!(said, (&json!(number), &id), "{body}");
    }
    let client = Client::new(&server, MODERN, &[]);
    let request = client.agent.post(format!("{}/mcp", server.base()));
    let other = request.header("Content-Type", "text/plain").send("{}");
    assert_eq!(other.expect("a response").status().as_u16(), 415, "of another type");
}

fn publish(server: &crate::support::server::Server, id: &str, scenario: &str) {
    let template = json!({"schema_id": id, "scenario": scenario, "keys": [
        {"key_name": "stop", "key_type": "string", "required": true, "semantic_description": "Where to get on."}]});
    let reply = server.call("PUT", &format!("/v1/schemas/{id}"), &[], &template.to_string());
    assert_eq!(reply.status, 201, "{}", reply.body);
}

#[test]
fn who_listens_is_told_of_changes_and_when_scenarios_come_and_go_z008_z121() {
    let server = started(|_| {});
    let session = Client::new(&server, LEGACY, &[("Otherwise-Client", "ana")]);
    let mut told = stream(&session);
    let modern = Client::new(&server, MODERN, &[("Otherwise-Client", "ana")]);
    let nowhere = "otherwise://scenarios/nowhere/template";
    let filter = json!({"notifications": {"resourcesListChanged": true, "promptsListChanged": true,
        "toolsListChanged": true, "resourceSubscriptions": [nowhere, TEMPLATE]}});
    let (status, _, mut heard) = modern.send(&modern.message("subscriptions/listen", &filter));
    assert_eq!(status, 200);
    let accepted = heard.next().expect("an acknowledgment")["params"]["notifications"].clone();
    assert_eq!(
        accepted,
        json!({"resourcesListChanged": true, "promptsListChanged": true, "toolsListChanged": true,
            "resourceSubscriptions": [TEMPLATE]}),
        "there is no such scenario"
    );
    let three = |messages: &mut Messages| {
        let mut methods: Vec<Value> = (0..3)
            .map(|_| messages.next().expect("one")["method"].clone())
            .collect();
        methods.sort_by_key(Value::to_string);
        methods
    };
    let lists = [
        json!("notifications/prompts/list_changed"),
        json!("notifications/resources/list_changed"),
        json!("notifications/tools/list_changed"),
    ];
    publish(&server, "tram_v1", "tram");
    assert_eq!(three(&mut told), lists);
    assert_eq!(three(&mut heard), lists);
    republish(&server);
    let mut news = [heard.next().expect("one"), heard.next().expect("another")];
    news.sort_by_key(|said| said["method"].to_string());
    assert_eq!(
        news.each_ref().map(|said| &said["method"]),
        ["notifications/resources/updated", "notifications/tools/list_changed"],
        "the lists of resources and prompts read as before"
    );
    assert_eq!(news[0]["params"]["uri"], TEMPLATE);
    assert_eq!(told.next().expect("one")["method"], "notifications/tools/list_changed");
    assert_eq!(server.call("DELETE", "/v1/schemas/tram_v1", &[], "").status, 200);
    assert_eq!(three(&mut told), lists);
    assert_eq!(three(&mut heard), lists);
}

#[test]
fn both_media_types_may_be_asked_for_by_a_range_that_holds_them() {
    let server = started(|_| {});
    let opened = |accept: &[(&str, &str)]| {
        let headers = [&[("Otherwise-Client", "ana"), ("MCP-Protocol-Version", LEGACY)], accept].concat();
        server.call("POST", "/mcp", &headers, OPENING).status
    };
    for (accept, status) in [
        ("*/*", 200),
        ("application/json, text/*;q=0.5", 200),
        ("application/json, text/event-stream", 200),
        ("application/json", 406),
        ("text/event-stream", 406),
        ("application/json, text/event-stream;q=0", 406),
    ] {
        assert_eq!(opened(&[("Accept", accept)]), status, "{accept}");
    }
}
