//! The MCP transport of the real service, by a client that knows nothing but HTTP and the protocol.

mod example;
mod host;
mod misfits;
mod scenario_tools;
mod sessions;
mod sharing;
mod stdio;

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;

use engine::evolution::review::Seat;
use otherwise::app::caller::Role;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use serde_json::Value;
use serde_json::json;

use crate::support::principal::with_key;
use crate::support::server::Server;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
const TEMPLATE: &str = "otherwise://scenarios/flight_booking/template";
const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// By what a request of the revision without sessions stands for itself.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// What a session is opened with.
fn opening() -> Value {
    json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
}

/// A client of one revision.
struct Client<'a> {
    server: &'a Server,
    agent: ureq::Agent,
    revision: &'static str,
    session: Option<String>,
    headers: Vec<(&'static str, String)>,
}

/// Messages as they come.
struct Messages(BufReader<Box<dyn Read + Send>>);

impl Messages {
    /// The next message; `None` at the end.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            let data = line.strip_prefix("data:").map(str::trim);
            if let Some(data) = data.filter(|data| !data.is_empty()) {
                return Some(serde_json::from_str(data).expect("JSON"));
            }
        }
    }
}

impl<'a> Client<'a> {
    fn new(server: &'a Server, revision: &'static str, headers: &[(&'static str, &str)]) -> Client<'a> {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let headers = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect();
        let mut client = Client {
            server,
            agent,
            revision,
            session: None,
            headers,
        };
        if revision == LEGACY {
            client.initialize();
        }
        client
    }

    fn initialize(&mut self) {
        let opening = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening()});
        let (status, session, mut messages) = self.send(&opening);
        assert_eq!(status, 200);
        let said = messages.next().expect("an answer");
        assert_eq!(said["result"]["protocolVersion"], LEGACY, "{said}");
        assert_eq!(said["result"]["capabilities"]["resources"]["subscribe"], true);
        self.session = session;
        assert!(self.session.is_some());
        let (status, ..) = self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(status, 202);
    }

    fn send(&self, message: &Value) -> (u16, Option<String>, Messages) {
        let mut request = self
            .agent
            .post(format!("{}/mcp", self.server.base()))
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json")
            .header("MCP-Protocol-Version", self.revision);
        if self.revision == MODERN {
            request = request.header("Mcp-Method", message["method"].as_str().expect("a method"));
            let params = &message["params"];
            if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
                request = request.header("Mcp-Name", name);
            }
        }
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let response = request.send(message.to_string()).expect("a response");
        let session = response.headers().get("Mcp-Session-Id");
        let session = session.and_then(|value| value.to_str().ok()).map(str::to_owned);
        let status = response.status().as_u16();
        let is_json = response
            .headers()
            .get("Content-Type")
            .is_some_and(|media| media.as_bytes().ends_with(b"json"));
        let mut reader: Box<dyn Read + Send> = Box::new(response.into_body().into_reader());
        if is_json {
            let mut text = String::new();
            reader.read_to_string(&mut text).expect("text");
            reader = Box::new(std::io::Cursor::new(format!("data: {}\n\n", text.replace('\n', " "))));
        }
        (status, session, Messages(BufReader::new(reader)))
    }

    fn message(&self, method: &str, params: &Value) -> Value {
        let mut params = params.clone();
        if self.revision == MODERN {
            params["_meta"] = meta();
        }
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    }

    /// The answer to a request: `{"result"}` or `{"error"}`.
    fn ask(&self, method: &str, params: &Value) -> Value {
        let (_, _, mut messages) = self.send(&self.message(method, params));
        loop {
            let said = messages.next().unwrap_or_else(|| panic!("{method} is not answered"));
            if said["id"] == 1 || said.get("method").is_none() {
                return said;
            }
        }
    }

    fn result(&self, method: &str, params: &Value) -> Value {
        let said = self.ask(method, params);
        assert!(said["result"].is_object(), "{method}: {said}");
        said["result"].clone()
    }

    fn tool(&self, name: &str, arguments: &Value) -> Value {
        self.result("tools/call", &json!({"name": name, "arguments": arguments}))
    }
}

fn started(change: impl FnOnce(&mut Settings)) -> Server {
    let mut flight: Value = serde_json::from_str(FLIGHT).expect("a template");
    flight["description"] = json!("Book flights");
    flight["policy"] = json!({
        "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
    });
    Server::start(&[("flight_booking_v1.json", flight)], change, PartsOverride::default())
}

#[test]
fn the_address_may_end_with_a_slash() {
    let server = started(|_| {});
    let opening = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening()}).to_string();
    let headers = [("Accept", "application/json, text/event-stream")];
    let (reply, text) = server.call_with_text("POST", "/mcp/", &headers, &opening);
    assert!(reply.status == 200 && text.contains("serverInfo"), "{text}");
}

#[test]
fn a_tool_and_a_resource_take_the_schema_that_is_named_z182() {
    let server = started(|_| {});
    let client = Client::new(&server, MODERN, &[("Otherwise-Client", "ana")]);
    let asked = |member: &str, value: &str| {
        let named = json!({"scenario": "flight_booking", member: value, "preferred_language": ["ja", "en"]});
        client.tool("get_schema_template", &named).to_string()
    };
    assert!(asked("schema_id", "flight_booking_v1").contains("1.0.0"));
    assert!(asked("version", "^1").contains("1.0.0"));
    assert!(asked("version", "9.0.0").contains("flight_booking_v1 (1.0.0)"));
    assert!(asked("version", "newest").contains("such as ^1"));
    let news = json!({"scenario": "flight_booking", "version": "~1.0"});
    let news = client.tool("get_schema_updates", &news).to_string();
    assert!(news.contains("flight_booking_v1"), "{news}");
    for version in ["1.0.0", "%5E1"] {
        let uri = format!("{TEMPLATE}?version={version}");
        let read = client.result("resources/read", &json!({ "uri": uri }));
        assert!(read.to_string().contains("flight_booking_v1"), "{read}");
    }
}

fn booking(passengers: &Value) -> Value {
    json!({"schema_id": "flight_booking_v1", "payload": {
        "origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "passenger_count": passengers,
    }})
}

/// Text of the first block of content.
fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

#[test]
fn both_revisions_serve_tools_with_schemas_and_what_they_promise() {
    let server = started(|_| {});
    for revision in [LEGACY, MODERN] {
        let client = Client::new(&server, revision, &[("Otherwise-Client", "ana")]);
        let listed = client.result("tools/list", &json!({}));
        let tools = listed["tools"].as_array().expect("tools");
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        let all = "list_scenarios get_schema_template validate_payload submit_payload get_schema_updates request_extension shared_context \
                   flight_booking";
        assert_eq!(names.join(" "), all);
        for (name, arguments) in [
            ("list_scenarios", json!({})),
            ("get_schema_template", json!({"scenario": "flight_booking"})),
            (
                "get_schema_template",
                json!({"scenario": "flight_booking", "format": "markdown"}),
            ),
            ("validate_payload", booking(&json!(2))),
            ("submit_payload", booking(&json!(2.0))),
            ("get_schema_updates", json!({"scenario": "flight_booking"})),
            (
                "request_extension",
                json!({"scenario": "flight_booking", "wishes": ["a bicycle"]}),
            ),
        ] {
            let tool = tools.iter().find(|tool| tool["name"] == name).expect("a tool");
            let input = jsonschema::draft202012::new(&tool["inputSchema"]).expect("a schema");
            assert!(input.is_valid(&arguments), "{name}");
            let output = jsonschema::draft202012::new(&tool["outputSchema"]).expect("a schema");
            let result = client.tool(name, &arguments);
            assert_eq!(result["isError"], false, "{name}: {result}");
            let structured = &result["structuredContent"];
            assert!(output.is_valid(structured), "{name}: {structured}");
            assert_eq!(&serde_json::from_str::<Value>(text(&result)).expect("JSON"), structured);
        }
        assert_eq!(listed.get("resultType").is_some(), revision == MODERN);
    }
}

#[test]
fn a_model_mends_its_own_call_by_the_repairs_z019_z181() {
    let server = started(|_| {});
    let client = Client::new(&server, MODERN, &[("Otherwise-Client", "ana")]);
    let wrong = booking(&json!("2"));
    let refused = client.tool("submit_payload", &wrong);
    assert_eq!(refused["isError"], true);
    assert_eq!(refused.get("structuredContent"), None);
    let problem: Value = serde_json::from_str(text(&refused)).expect("JSON");
    let ana = [("Otherwise-Client", "ana")];
    let http = server.call("POST", "/v1/submissions:validate", &ana, &wrong.to_string());
    assert_eq!(problem["violations"], http.body["violations"], "as on HTTP");
    let patch =
        serde_json::from_value::<json_patch::Patch>(problem["violations"][0]["repair"].clone()).expect("a patch");
    let mut right = wrong;
    json_patch::patch(&mut right, &patch).expect("applied");
    assert_eq!(client.tool("submit_payload", &right)["isError"], false);
    let nowhere = json!({"schema_id": "nowhere_v1", "payload": {}});
    for (name, arguments, code) in [
        ("submit_payload", json!({"payload": {}}), "bad_request"),
        ("submit_payload", nowhere, "unknown_schema"),
        (
            "get_schema_template",
            json!({"scenario": "nowhere"}),
            "unknown_scenario",
        ),
        ("get_schema_updates", json!({}), "bad_request"),
    ] {
        let refused = client.tool(name, &arguments);
        assert_eq!(refused["isError"], true, "{name}");
        assert!(text(&refused).contains(code), "{name}: {refused}");
    }
    let unknown = client.ask("tools/call", &json!({"name": "drop_everything"}));
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn templates_are_resources_and_prompts_z055() {
    let server = started(|_| {});
    for revision in [LEGACY, MODERN] {
        let client = Client::new(&server, revision, &[("Otherwise-Client", "ana")]);
        let listed = client.result("resources/list", &json!({}));
        assert_eq!(listed["resources"][0]["uri"], TEMPLATE);
        let templates = client.result("resources/templates/list", &json!({}));
        assert!(
            templates["resourceTemplates"][0]["uriTemplate"]
                .to_string()
                .contains("{scenario}")
        );
        let read = client.result("resources/read", &json!({ "uri": TEMPLATE }));
        let path = "/v1/scenarios/flight_booking/template";
        let http = server.call("GET", path, &[("Otherwise-Client", "ana")], "");
        let template: Value = serde_json::from_str(read["contents"][0]["text"].as_str().expect("text")).expect("JSON");
        assert_eq!(template, http.body);
        let markdown = client.result("resources/read", &json!({"uri": format!("{TEMPLATE}?format=markdown")}));
        let markdown = &markdown["contents"][0];
        assert!(markdown["mimeType"].to_string().contains("text/markdown"));
        let nowhere = json!({"uri": "otherwise://scenarios/nowhere/template"});
        let number = if revision == MODERN { -32602 } else { -32002 };
        assert_eq!(client.ask("resources/read", &nowhere)["error"]["code"], number);
        let prompts = client.result("prompts/list", &json!({}));
        assert_eq!(prompts["prompts"][0]["name"], "flight_booking");
        assert!(prompts["prompts"][0]["description"].is_string());
        let asked = json!({"name": "flight_booking", "arguments": {"utterance": "fly me to Shanghai"}});
        let prompt = client.result("prompts/get", &asked);
        let told = prompt["messages"][0]["content"]["text"].as_str().expect("text");
        assert!(told.contains(markdown["text"].as_str().expect("text")));
        assert!(
            told.contains(r#""schema_id": "flight_booking_v1", "revision": 1"#),
            "{told}"
        );
        assert_eq!(prompt["messages"][1]["content"]["text"], "fly me to Shanghai");
        assert!(client.ask("prompts/get", &json!({"name": "nowhere"}))["error"].is_object());
    }
}

/// Somebody publishes a new version of the flight booking.
fn republish(server: &Server) {
    let mut next: Value = server.call("GET", "/v1/schemas/flight_booking_v1", &[], "").body;
    next["schema_id"] = json!("flight_booking_v1_1");
    next["version"] = json!("1.1.0");
    let reply = server.call("PUT", "/v1/schemas/flight_booking_v1_1", &[], &next.to_string());
    assert_eq!(reply.status, 201, "{}", reply.body);
}

#[test]
fn a_session_is_notified_of_what_it_subscribed_to() {
    let server = started(|settings| settings.mcp.follows_max = 1);
    let client = Client::new(&server, LEGACY, &[("Otherwise-Client", "ana")]);
    let nowhere = json!({"uri": "otherwise://scenarios/nowhere/template"});
    assert!(client.ask("resources/subscribe", &nowhere)["error"].is_object());
    client.result("resources/subscribe", &json!({ "uri": TEMPLATE }));
    client.result("resources/subscribe", &json!({ "uri": TEMPLATE }));
    let other = format!("{TEMPLATE}?format=markdown");
    let another = client.ask("resources/subscribe", &json!({ "uri": other }));
    assert!(another["error"].is_object(), "one is all it may");
    let mut messages = sessions::stream(&client);
    republish(&server);
    let mut told = messages.next().expect("a notification");
    while told["method"] != "notifications/resources/updated" {
        assert_eq!(told["method"], "notifications/tools/list_changed");
        told = messages.next().expect("a notification");
    }
    assert_eq!(told["params"]["uri"], TEMPLATE);
    client.result("resources/unsubscribe", &json!({ "uri": TEMPLATE }));
}

fn closed(change: impl FnOnce(&mut Settings)) -> Server {
    started(|settings| {
        settings.principals = vec![
            with_key("ana", Role::Client, "ana-key"),
            with_key("paul", Role::Publisher, "paul-key"),
        ];
        change(settings);
    })
}

#[test]
fn tools_and_sessions_belong_to_who_asks() {
    let server = closed(|_| {});
    let paul = Client::new(&server, MODERN, &[("X-API-Key", "paul-key")]);
    let tools = |client: &Client<'_>| {
        let listed = client.result("tools/list", &json!({}));
        listed["tools"].as_array().expect("tools").len()
    };
    assert_eq!(tools(&paul), 4, "a publisher submits nothing");
    let refused = paul.tool("submit_payload", &booking(&json!(2)));
    assert!(text(&refused).contains("forbidden"), "{refused}");

    let mut ana = Client::new(&server, LEGACY, &[("X-API-Key", "ana-key")]);
    assert_eq!(tools(&ana), 8, "and the scenario's own");
    ana.headers = vec![("X-API-Key", "paul-key".to_owned())];
    let (status, ..) = ana.send(&ana.message("tools/list", &json!({})));
    assert_eq!(status, 404, "it is ana's session");
    let id = ana.session.clone().expect("a session");
    for method in ["GET", "DELETE"] {
        let headers = [
            ("X-API-Key", "paul-key"),
            ("Mcp-Session-Id", id.as_str()),
            ("MCP-Protocol-Version", LEGACY),
            ("Accept", "application/json, text/event-stream"),
        ];
        let reply = server.call(method, "/mcp", &headers, "");
        assert_eq!((reply.status, &reply.body["code"]), (404, &json!("not_found")));
    }
    ana.headers = vec![("X-API-Key", "ana-key".to_owned())];
    assert_eq!(tools(&ana), 8, "it is still hers");
    ana.headers.clear();
    let (status, ..) = ana.send(&ana.message("tools/list", &json!({})));
    assert_eq!(status, 401);
}

#[test]
fn hosts_and_origins_are_those_that_are_listed() {
    let server = closed(|settings| {
        settings.mcp.allowed_hosts = vec!["agents.example".to_owned()];
        settings.mcp.allowed_origins = vec!["https://app.example".to_owned()];
    });
    for (host, origin, status) in [
        ("localhost", None, 200),
        ("agents.example", None, 200),
        ("AGENTS.example", Some("https://app.example"), 200),
        ("agents.example", Some("https://agents.example"), 200),
        ("agents.example", Some("http://localhost:3000"), 403),
        ("agents.example:81", None, 403),
        ("evil.example", None, 403),
        ("localhost", Some("https://evil.example"), 403),
        ("localhost", Some("null"), 403),
    ] {
        let mut headers = vec![("X-API-Key", "ana-key"), ("Host", host)];
        headers.extend(origin.map(|origin| ("Origin", origin)));
        let client = Client::new(&server, MODERN, &headers);
        let (got, ..) = client.send(&client.message("tools/list", &json!({})));
        assert_eq!(got, status, "{host} {origin:?}");
    }
}

#[test]
fn an_agent_of_an_operator_reads_by_a_prompt_and_answers_by_a_tool_z096_z137() {
    let server = started(|settings| settings.policy.evolution.reader = Seat::Outside);
    for client in ["a", "b", "c"] {
        let body = json!({"schema_id": "flight_booking_v1", "payload":
            {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": "somewhere calm on board"}});
        let headers = [("Otherwise-Client", client)];
        server.call("POST", "/v1/submissions", &headers, &body.to_string());
    }
    server.settle();
    for revision in [LEGACY, MODERN] {
        let client = Client::new(&server, revision, &[("Otherwise-Client", "olga")]);
        let asked = json!({"name": "review_pool", "arguments": {"scenario": "flight_booking"}});
        let prompt = client.result("prompts/get", &asked);
        let said = prompt["messages"][0]["content"]["text"].as_str().expect("a text");
        assert!(said.contains("somewhere calm on board") && said.contains("propose_keys"));
        let given = client.result("tools/call", &asked);
        let id = given["structuredContent"]["material"]["fragments"][0]["id"].clone();
        let answer = json!({"scenario": "flight_booking", "wishes": [], "held": [], "nothing": [id]});
        let taken = client.result("tools/call", &json!({"name": "propose_keys", "arguments": answer}));
        assert_eq!(
            taken["structuredContent"],
            json!({"wishes": 0, "refused": []}),
            "{taken}"
        );
    }
    let path = "/v1/scenarios/flight_booking/pool";
    let pool = server.call("GET", path, &[("Otherwise-Client", "olga")], "").body;
    assert_eq!(pool["clusters"][0]["waits_for"]["code"], "nothing", "{pool}");
}

#[test]
fn a_context_of_distributed_work_is_no_tool_and_no_submission_c013_c015() {
    let folder = format!("{}/schemas", env!("CARGO_MANIFEST_DIR"));
    let server = Server::set(&[], |settings| settings.schemas.folder = folder);
    let client = Client::new(&server, MODERN, &[("Otherwise-Client", "ana")]);
    let listed = client.result("tools/list", &json!({"_meta": meta()}));
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(
        names.contains(&"flight_booking") && !names.contains(&"agent_context"),
        "{names:?}"
    );
    for (tool, arguments) in [
        ("agent_context", json!({"AgentID": "hotel"})),
        (
            "submit_payload",
            json!({"schema_id": "task_context_v1", "payload": {"TaskID": "t"}}),
        ),
    ] {
        let refused = client.tool(tool, &arguments);
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(text(&refused).contains("context_not_delivered"), "{refused}");
    }
}
