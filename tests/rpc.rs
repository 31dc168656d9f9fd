//! The JSON-RPC transport of the real service: it says what HTTP says, in an envelope.

use otherwise::app::caller::Role;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::support::principal::with_key;
use crate::support::server::Reply;
use crate::support::server::Server;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");

fn started(change: impl FnOnce(&mut Settings)) -> Server {
    let flight: Value = serde_json::from_str(FLIGHT).expect("a template");
    Server::set(&[("flight_booking_v1.json", flight)], change)
}

fn server() -> Server {
    started(|_| {})
}

fn call(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn send(server: &Server, body: &Value) -> Reply {
    server.call("POST", "/rpc", &[("Otherwise-Client", "ana")], &body.to_string())
}

/// The result of one call.
fn result(server: &Server, method: &str, params: &Value) -> Value {
    let reply = send(server, &call(method, params));
    assert_eq!((reply.status, &reply.body["id"]), (200, &json!(1)), "{}", reply.body);
    assert!(reply.body.get("error").is_none(), "{method}: {}", reply.body);
    reply.body["result"].clone()
}

/// The error of one call.
fn error(server: &Server, method: &str, params: &Value) -> Value {
    let reply = send(server, &call(method, params));
    assert_eq!((reply.status, &reply.body["id"]), (200, &json!(1)), "{}", reply.body);
    assert!(reply.body.get("result").is_none(), "{method}: {}", reply.body);
    reply.body["error"].clone()
}

fn booking(passengers: &Value) -> Value {
    json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": passengers,
    }})
}

#[test]
fn the_drafts_request_is_answered_bare_and_wrapped_z173_z174() {
    let server = server();
    let bare = json!({"method": "get_schema_template",
                      "params": {"scenario": "flight_booking", "preferred_language": "en-US"}});
    let as_is = send(&server, &bare);
    assert_eq!(as_is.status, 200, "{}", as_is.body);
    assert_eq!(as_is.body["schema_id"], "flight_booking_v1");
    assert_eq!(result(&server, "get_schema_template", &bare["params"]), as_is.body);
    let path = "/v1/scenarios/flight_booking/template?preferred_language=en-US";
    let by_http = server.call("GET", path, &[("Otherwise-Client", "ana")], "");
    assert_eq!(by_http.body, as_is.body);

    let unknown = json!({"method": "get_schema_template", "params": {"scenario": "nowhere"}});
    let reply = send(&server, &unknown);
    assert_eq!((reply.status, &reply.body["code"]), (404, &json!("unknown_scenario")));
    let other = json!({"method": "submit_payload", "params": booking(&json!(2))});
    assert_eq!(send(&server, &other).status, 400, "the draft has one bare request");
}

#[test]
fn a_template_comes_in_a_form_and_as_it_was_z105() {
    let server = server();
    let asked = json!({"scenario": "flight_booking", "format": "markdown"});
    let export = result(&server, "get_schema_template", &asked);
    let path = "/v1/scenarios/flight_booking/template?format=markdown";
    let (_, text) = server.call_with_text("GET", path, &[("Otherwise-Client", "ana")], "");
    assert_eq!(export["text"], text);
    assert_eq!(
        (&export["format"], &export["revision"]),
        (&json!("markdown"), &json!(1))
    );
    assert!(export["tokens"].as_u64().is_some_and(|tokens| tokens > 50));
    let earlier = json!({"scenario": "flight_booking", "as_of": 1.0});
    assert_eq!(result(&server, "get_schema_template", &earlier)["revision"], 1);
    let soon = json!({"scenario": "flight_booking", "as_of": "soon"});
    let wrong = error(&server, "get_schema_template", &soon);
    assert_eq!(
        (&wrong["code"], &wrong["data"]["code"]),
        (&json!(-32602), &json!("bad_parameter"))
    );
}

#[test]
fn an_idempotency_key_stands_among_the_params() {
    let server = server();
    let mut body = booking(&json!(2));
    body["idempotency_key"] = json!("trip-1");
    let first = result(&server, "submit_payload", &body);
    let mut again = result(&server, "submit_payload", &body);
    assert_eq!(again["exchange"]["replayed"], true);
    again["exchange"]
        .as_object_mut()
        .expect("members")
        .shift_remove("replayed");
    assert_eq!(again, first);
    body["payload"]["passenger_count"] = json!(3);
    assert_eq!(error(&server, "submit_payload", &body)["code"], 42203);
    body["idempotency_key"] = json!("a b");
    assert_eq!(error(&server, "submit_payload", &body)["code"], -32602);
    // In the head it could only be passed over.
    let headers = [("Otherwise-Client", "ana"), ("Idempotency-Key", "trip-1")];
    let keyed = call("submit_payload", &booking(&json!(2))).to_string();
    let reply = server.call("POST", "/rpc", &headers, &keyed);
    assert_eq!((reply.status, &reply.body["code"]), (400, &json!("bad_header")));
}

#[test]
fn the_list_and_the_updates_are_those_of_http_z015_z025() {
    let server = server();
    let http = |path: &str| server.call("GET", path, &[("Otherwise-Client", "ana")], "").body;
    assert_eq!(result(&server, "list_scenarios", &json!({})), http("/v1/scenarios"));
    let labelled = result(&server, "list_scenarios", &json!({"label": "a:b"}));
    assert_eq!(labelled, json!({"scenarios": []}));
    let wish = json!({"q": "fly to shanghai", "limit": 1});
    while result(&server, "list_scenarios", &wish)["unread"] != 0 {}
    let found = result(&server, "list_scenarios", &wish);
    assert_eq!(found["scenarios"][0]["scenario"], "flight_booking");
    let since = json!({"scenario": "Flight Booking", "since": 0});
    let updates = result(&server, "get_schema_updates", &since);
    assert_eq!(updates, http("/v1/scenarios/flight_booking/updates?since=0"));
    let nowhere = json!({"schema_id": "nowhere_v1", "payload": {}});
    for (method, params, number) in [
        ("get_schema_updates", json!({"scenario": "nowhere"}), 40403),
        ("get_schema_updates", json!({}), -32602),
        ("get_schema_updates", json!(["flight_booking"]), -32602),
        ("list_scenarios", json!({"limit": "three"}), -32602),
        ("submit_payload", nowhere, 40402),
        ("submit_payload", json!({"payload": {}}), -32602),
        ("drop_everything", json!({}), -32601),
    ] {
        assert_eq!(error(&server, method, &params)["code"], number, "{method} {params}");
    }
}

#[test]
fn what_the_template_cannot_say_is_asked_for_as_over_http_z022() {
    let server = server();
    let params = json!({"scenario": "flight_booking", "wishes": ["a window seat please"], "idempotency_key": "w1"});
    let first = result(&server, "request_extension", &params);
    assert_eq!(
        first["wishes"],
        json!([{"text": "a window seat please", "fate": "pooled"}])
    );
    assert_eq!(first["exchange"]["status"], "recorded");
    let again = result(&server, "request_extension", &params);
    assert_eq!(again["exchange"]["submission_id"], first["exchange"]["submission_id"]);
    assert_eq!(again["exchange"]["replayed"], true);
    for (params, says) in [
        (json!({"scenario": "flight_booking", "wish": "a seat"}), "wish"),
        (
            json!({"scenari": "flight_booking"}),
            "`scenario` is missing; given is `scenari`",
        ),
    ] {
        let wrong = error(&server, "request_extension", &params);
        assert_eq!(
            (&wrong["code"], &wrong["data"]["code"]),
            (&json!(-32602), &json!("bad_request"))
        );
        assert!(wrong["message"].to_string().contains(says), "{wrong}");
    }
}

#[test]
fn a_batch_is_answered_in_its_order_and_notifications_are_not() {
    let server = started(|settings| settings.rpc.batch_calls_max = 4);
    let mut second = call("list_scenarios", &json!({}));
    second["id"] = json!("x");
    let mut silent = call("submit_payload", &booking(&json!(2)));
    silent.as_object_mut().expect("members").shift_remove("id");
    let bare = json!({"method": "get_schema_template", "params": {"scenario": "flight_booking"}});
    let batch = json!([call("validate_payload", &booking(&json!("2"))), silent, second, bare]);
    let reply = send(&server, &batch);
    let answers = reply.body.as_array().expect("a list");
    let read: Vec<Value> = answers
        .iter()
        .map(|answer| json!([answer["id"], answer["error"]["code"]]))
        .collect();
    assert_eq!(json!(read), json!([[1, 42201], ["x", null], [null, -32600]]));
    assert_eq!(
        answers[2]["error"]["data"]["code"], "bad_request",
        "as every error has it"
    );
    server.settle();
    let ledger = server.call("GET", "/v1/scenarios/flight_booking/ledger", &[], "").body;
    assert_eq!(ledger["payloads"], 1, "the notification was carried out");
    assert_eq!(send(&server, &silent).status, 204);
    assert_eq!(send(&server, &json!([silent])).status, 204);
    let beyond = json!([silent, silent, silent, silent, silent]);
    let reply = send(&server, &beyond);
    assert_eq!((reply.status, &reply.body["error"]["code"]), (200, &json!(-32600)));
    let broken = server.call("POST", "/rpc", &[], "{");
    assert_eq!((broken.status, &broken.body["error"]["code"]), (200, &json!(-32700)));
}

#[test]
fn every_call_of_a_batch_counts_for_the_rate() {
    let server = started(|settings| {
        settings.server.client_requests_per_s = 1;
        settings.server.client_requests_burst = 3;
    });
    let one = call("list_scenarios", &json!({}));
    let reply = send(&server, &json!([one, one, one, one]));
    let codes: Vec<Option<i64>> = (0..4).map(|n| reply.body[n]["error"]["code"].as_i64()).collect();
    assert_eq!(codes, [None, None, None, Some(42910)], "{}", reply.body);
    assert_eq!(reply.body[3]["error"]["data"]["retry_after_s"], 1);
}

#[test]
fn roles_are_asked_for_each_call() {
    let server = started(|settings| {
        settings.principals = vec![with_key("paul", Role::Publisher, "publisher-key")];
    });
    let ask = |body: &Value| server.call("POST", "/rpc", &[("X-API-Key", "publisher-key")], &body.to_string());
    assert!(ask(&call("list_scenarios", &json!({}))).body["result"].is_object());
    let refused = ask(&call("submit_payload", &booking(&json!(2))));
    assert_eq!((refused.status, &refused.body["error"]["code"]), (200, &json!(40301)));
}

#[test]
fn nothing_is_written_while_the_service_is_read_only() {
    let server = server();
    assert_eq!(server.call("POST", "/v1/service:read-only", &[], "").status, 200);
    let error = error(&server, "submit_payload", &booking(&json!(2)));
    assert_eq!(
        (&error["code"], &error["data"]["retry_after_s"]),
        (&json!(50306), &json!(30))
    );
    let template = result(&server, "get_schema_template", &json!({"scenario": "flight_booking"}));
    assert!(template["keys"].is_array());
}

#[test]
fn a_context_of_distributed_work_is_refused_where_nobody_would_get_it_z002_c013_c015() {
    let folder = format!("{}/schemas", env!("CARGO_MANIFEST_DIR"));
    let server = Server::set(&[], |settings| settings.schemas.folder = folder);
    let context = json!({"AgentID": "hotel", "AgentName": "hotel", "SubTaskID": "s", "SubTaskName": "s", "Dependencies": [],
        "Context": "Rome", "todoItems": [{"itemId": "1", "description": "Find it"}],
        "ItemstateUpdates": [{"itemId": "1", "state": 0}], "KeyInformation": [], "Optional": ["LastUpdated"]});
    let task = json!({"TaskID": "t", "UserQuery": "q", "TaskName": "n", "TaskDescription": "d",
        "GoalStatus": [{"Goal": "g", "Status": "pending"}], "OverallStatus": "pending", "Optional": ["StartTime", "EndTime"]});
    for (schema_id, payload) in [("agent_context_v1", context), ("task_context_v1", task)] {
        let submission = json!({"schema_id": schema_id, "payload": payload});
        let checked = result(&server, "validate_payload", &submission);
        assert_eq!(checked["exchange"]["status"], "accepted", "{checked}");
        let error = error(&server, "submit_payload", &submission);
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(42221), &json!("context_not_delivered"))
        );
        let told = error["data"]["detail"].as_str().expect("a detail");
        assert!(
            told.contains("/v1/tasks") && told.contains("nothing was recorded"),
            "{told}"
        );
    }
}
