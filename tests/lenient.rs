//! A request that prefers a lenient reading: wrong values of optional keys are kept out where the template allows it, by every transport.

use serde_json::Value;
use serde_json::json;

use crate::support::server::Server;
use crate::support::server::has;

const ADA: (&str, &str) = ("Otherwise-Client", "ada");
const LENIENT: (&str, &str) = ("Prefer", "respond-async, handling=lenient; x=1, handling=strict");

fn template(id: &str, lenient: bool) -> Value {
    json!({"schema_id": id, "scenario": id, "lenient": lenient, "keys": [
        {"key_name": "stop", "key_type": "string", "required": true, "semantic_description": "Where to get on."},
        {"key_name": "zone", "key_type": "string", "required": false, "default_value": "inner",
         "constraints": {"enum": ["inner", "outer"]}, "semantic_description": "Which zone."},
        {"key_name": "card", "key_type": "string", "required": false, "sensitive": "payment",
         "constraints": {"maxLength": 4}, "semantic_description": "The last digits of the card."}]})
}

fn server() -> Server {
    Server::with(&[
        ("tram.json", template("tram", true)),
        ("bus.json", template("bus", false)),
    ])
}

fn sent(schema_id: &str) -> Value {
    json!({"schema_id": schema_id, "payload": {"stop": "castle", "zone": "the far one"}})
}

/// The answer to a payload whose zone was kept out.
fn told() -> Value {
    json!({
        "payload": {"stop": "castle", "zone": "inner"}, "exchange/kept_out": ["zone"], "exchange/handling": "lenient",
        "exchange/defaults_applied": ["zone"],
        "exchange/warnings/0/key": "zone", "exchange/warnings/0/code": "value_kept_out",
        "exchange/warnings/0/message": "`zone` must be one of \"inner\", \"outer\"",
    })
}

#[test]
fn a_wrong_value_of_an_optional_key_is_kept_out_on_request_and_is_on_record_z018_z019() {
    let server = server();
    let call =
        |path: &str, headers: &[(&str, &str)], body: &Value| server.call("POST", path, headers, &body.to_string());
    for path in ["/v1/submissions", "/v1/submissions:validate"] {
        let reply = call(path, &[ADA, LENIENT], &sent("tram"));
        reply.has(200, told());
        assert_eq!(reply.headers["preference-applied"], "handling=lenient");
        let refused = call(path, &[ADA], &sent("tram"));
        assert_eq!(refused.told(), (422, "invalid_payload"));
        assert!(refused.headers.get("preference-applied").is_none());
    }
    // Not allowed by the publisher, sensitive, or required: refused as ever.
    let card = json!({"schema_id": "tram", "payload": {"stop": "castle", "card": "12345"}});
    let stop = json!({"schema_id": "tram", "payload": {"stop": 7, "zone": "the far one"}});
    for (body, applied) in [(sent("bus"), false), (card, true), (stop, true)] {
        let refused = call("/v1/submissions", &[ADA, LENIENT], &body);
        assert_eq!(refused.told(), (422, "invalid_payload"), "{body}");
        assert_eq!(refused.headers.contains_key("preference-applied"), applied, "{body}");
    }
    for other in ["handling=strict, handling=lenient", "lenient", "return=minimal"] {
        let refused = call("/v1/submissions", &[ADA, ("Prefer", other)], &sent("tram"));
        assert_eq!(refused.told(), (422, "invalid_payload"), "{other}");
    }
}

#[test]
fn the_preference_is_a_member_where_there_is_no_header_z018_z181() {
    let server = server();
    let mut body = sent("tram");
    body["handling"] = json!("lenient");
    let call = |path: &str, body: &Value| {
        server
            .call("POST", path, &[ADA, ("A2A-Version", "1.0")], &body.to_string())
            .body
    };
    has(&call("/v1/submissions", &body), told());
    has(
        &call("/v1/submissions:batch", &json!({ "submissions": [body] }))["items"][0]["body"],
        told(),
    );
    for method in ["submit_payload", "validate_payload"] {
        let rpc = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": body});
        has(&call("/rpc", &rpc)["result"], told());
    }
    let typed = json!({"data": sent("tram")["payload"], "metadata": {"type": "tram", "handling": "lenient"}});
    for part in [json!({ "data": body }), typed] {
        let message = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [part]}});
        let answer = call("/a2a/message:send", &message);
        has(&answer["task"]["artifacts"][0]["parts"][0]["data"], told());
    }
    body["handling"] = json!("gentle");
    let wrong = call("/v1/submissions", &body);
    assert_eq!(wrong["detail"], "`handling` must be `lenient` or `strict`");
}
