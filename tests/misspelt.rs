//! Members of a submission that are misspelt: the name that was meant is told, by every transport, and nothing is put on record.

use serde_json::Value;
use serde_json::json;

use crate::support::server::Server;

const ADA: (&str, &str) = ("Otherwise-Client", "ada");
const A2A: (&str, &str) = ("A2A-Version", "1.0");

fn server() -> Server {
    let tram = json!({"schema_id": "tram_v1", "scenario": "tram", "keys": [
        {"key_name": "stop", "key_type": "string", "required": true, "semantic_description": "Where to get on."}]});
    Server::with(&[("tram.json", tram)])
}

fn payloads(server: &Server) -> Value {
    server.settle();
    server.call("GET", "/v1/scenarios/tram/ledger", &[ADA], "").body["payloads"].clone()
}

fn with(member: &str) -> Value {
    let mut sent = json!({"schema_id": "tram_v1", "payload": {"stop": "castle"}});
    sent[member] = json!(true);
    sent
}

fn rpc(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// A call of a tool, in the revision without sessions.
fn tool(name: &str, arguments: &Value) -> Value {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}});
    rpc(
        "tools/call",
        &json!({"name": name, "arguments": arguments, "_meta": meta}),
    )
}

fn message(part: &Value) -> Value {
    json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [part]}})
}

#[test]
fn a_misspelt_member_is_refused_by_every_transport_and_nothing_is_recorded_z176() {
    let server = server();
    for member in ["dryrun", "dryRun", "Dry-Run", "dry_rum"] {
        let sent = with(member);
        let mut typed = json!({"data": {"stop": "castle"}, "metadata": {"type": "tram"}});
        typed["metadata"][member] = json!(true);
        let mut beside = json!({"data": {"schema_id": "tram_v1", "payload": {"stop": "castle"}}});
        beside[member] = json!(true);
        let calls = [
            ("/v1/submissions", sent.clone()),
            ("/v1/submissions:validate", sent.clone()),
            ("/v1/submissions:batch", json!({ "submissions": [sent] })),
            ("/rpc", rpc("submit_payload", &sent)),
            ("/rpc", rpc("validate_payload", &sent)),
            ("/a2a/message:send", message(&json!({ "data": sent }))),
            ("/a2a/message:send", message(&typed)),
            ("/a2a/message:send", message(&beside)),
            ("/mcp", tool("submit_payload", &sent)),
            ("/mcp", tool("validate_payload", &sent)),
        ];
        for (path, body) in calls {
            let mut headers = vec![ADA, A2A];
            if let Some(name) = body["params"]["name"].as_str() {
                headers.extend([
                    ("Accept", "application/json, text/event-stream"),
                    ("MCP-Protocol-Version", "2026-07-28"),
                    ("Mcp-Method", "tools/call"),
                    ("Mcp-Name", name),
                ]);
            }
            let (reply, text) = server.call_with_text("POST", path, &headers, &body.to_string());
            assert!(text.contains("`dry_run` is meant"), "{path}: {} {text}", reply.status);
            assert!(!text.contains("accepted"), "{path}: {text}");
        }
        let outer = json!({"submissions": [{"schema_id": "tram_v1", "payload": {"stop": "castle"}}], member: true});
        let reply = server.call("POST", "/v1/submissions:batch", &[ADA], &outer.to_string());
        assert_eq!(reply.status, 400, "{}", reply.body);
        let wish = json!({"wishes": ["a window seat"], member: true}).to_string();
        let reply = server.call("POST", "/v1/scenarios/tram/extensions", &[ADA], &wish);
        assert_eq!(reply.status, 400, "{}", reply.body);
    }
    for sent in [
        json!({"schemaId": "tram_v1", "payload": {"stop": "castle"}}),
        json!({"schemaId": "tram_v1", "Payload": {"stop": "castle"}}),
        json!({"schema_id": "tram_v1", "payloads": {"stop": "castle"}}),
    ] {
        let calls = [
            ("/v1/submissions", sent.clone()),
            ("/rpc", rpc("submit_payload", &sent)),
            ("/a2a/message:send", message(&json!({ "data": sent }))),
        ];
        for (path, body) in calls {
            let (reply, text) = server.call_with_text("POST", path, &[ADA, A2A], &body.to_string());
            assert!(text.contains("is meant"), "{path}: {} {text}", reply.status);
        }
    }
    assert_eq!(payloads(&server), 0);
}

#[test]
fn an_unknown_name_is_told_with_the_one_that_the_caller_may_see_z015_z030() {
    let server = server();
    for (path, near) in [
        ("/v1/scenarios/trm/template", Some("tram")),
        ("/v1/scenarios/trm/updates", Some("tram")),
        ("/v1/scenarios/bus/template", None),
        ("/v1/schemas/tram_v2", Some("tram_v1")),
        ("/v1/schemas/bus_v1", None),
        ("/v1/scenarios/tram/diff?from=tram_v9", Some("tram_v1")),
    ] {
        let reply = server.call("GET", path, &[ADA], "");
        let told = near.map(|near| format!("; the nearest is `{near}`"));
        assert_eq!(reply.status, 404, "{path}: {}", reply.body);
        assert_eq!(
            reply.detail().split_once("; the nearest").is_some(),
            near.is_some(),
            "{path}: {}",
            reply.detail()
        );
        assert!(
            told.is_none_or(|told| reply.detail().contains(&told)),
            "{path}: {}",
            reply.detail()
        );
    }
    let sent = json!({"schema_id": "tramv1", "payload": {"stop": "castle"}}).to_string();
    let reply = server.call("POST", "/v1/submissions", &[ADA], &sent);
    assert_eq!(reply.detail(), "there is no schema tramv1; the nearest is `tram_v1`");
}

#[test]
fn another_member_is_passed_over_with_a_warning_that_names_it_z176() {
    let server = server();
    let warned = |exchange: &Value| {
        let warnings = exchange["warnings"].as_array().expect("warnings").clone();
        let told = warnings
            .iter()
            .any(|warning| warning["key"] == "note" && warning["code"] == "unknown_member");
        assert!(told, "{exchange}");
    };
    for path in ["/v1/submissions", "/v1/submissions:validate"] {
        let reply = server.call("POST", path, &[ADA], &with("note").to_string());
        assert_eq!(reply.status, 200, "{}", reply.body);
        warned(&reply.body["exchange"]);
    }
    let wish = json!({"wishes": ["a window seat"], "note": 1}).to_string();
    let reply = server.call("POST", "/v1/scenarios/tram/extensions", &[ADA], &wish);
    assert_eq!(reply.status, 202, "{}", reply.body);
    warned(&reply.body["exchange"]);
    assert_eq!(payloads(&server), 1);
}
