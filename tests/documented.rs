//! The description of the interface beside the real service: every example is sent, and what comes back is what is described.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::evolution::review::Seat;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use otherwise::http::openapi::document;
use otherwise::http::openapi::examples::EXAMPLES;
use otherwise::http::openapi::examples::Recorded;
use otherwise::http::routes::ENDPOINTS;
use otherwise::http::routes::Endpoint;
use regex::Captures;
use regex::Regex;
use schema::time::At;
use serde_json::Value;
use serde_json::json;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::ParameterIn;

use crate::support::clock::VirtualClock;
use crate::support::receiver::Do;
use crate::support::receiver::Receiver;
use crate::support::server::Server;
use crate::support::wishes::SEAT;
use crate::support::wishes::SUITCASE;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
const KEPT: &str = "src/http/openapi/examples.json";

/// Who asks where an example names nobody.
const ASKER: &str = "olga";

/// Where webhooks are told, as the examples write it.
const DESK: &str = "https://desk.example/otherwise";

/// Which answer gives out what by chance: the example, where it stands in its answer, and how the examples write it.
const GIVEN_OUT: [(&str, &str, &str); 8] = [
    (
        "create_task/tour",
        "/TaskContext/TaskID",
        "work_5f0c2d3f6c1b4b7d9a1e2f3a4b5c6d7e",
    ),
    ("register_webhook/desk", "/id", "wh_7f1bb5301e1b1bbce2fe7d3381a1c5c1"),
    (
        "open_conversation/first",
        "/context_id",
        "ctx_5d0f6a4be0f64d1c9a1b2c3d4e5f6071",
    ),
    ("list_audits/first", "/audits/0/id", "flight_booking.p1.26"),
    (
        "send_message/booking",
        "/task/id",
        "task_1c9e4f7ab2d84e63a5f0918273645546",
    ),
    (
        "send_message/booking",
        "/task/contextId",
        "ctx_2b7d9a1e5f0c4d3f8c1b4b7d6c5d7e9f",
    ),
    (
        "send_message/wrong",
        "/task/id",
        "task_8f3a6b5c4d2e4f1a9b0c7d6e5f4a3b2c",
    ),
    (
        "send_message/wrong",
        "/task/contextId",
        "ctx_4e6f8a0b2c1d4e3f9a5b7c6d8e0f1a2b",
    ),
];

/// Schemas whose documents hold members of the caller's own.
const OPEN: [&str; 3] = ["Accepted", "SchemaTemplate", "KeyDefinition"];

fn described() -> Value {
    serde_json::from_str(&document::text()).expect("a document")
}

/// The document in which a schema takes no member that it does not name: what the service says and the document does not is
/// found as well. What is a part of another one is closed there.
fn strict() -> Value {
    let mut document = described();
    let schemas = document["components"]["schemas"].as_object_mut().expect("schemas");
    let parts = |schema: &Value| schema["allOf"].as_array().cloned().unwrap_or_default();
    let part_of = |part: Value| part["$ref"].as_str()?.rsplit('/').next().map(str::to_owned);
    let parts: BTreeSet<String> = schemas.values().flat_map(parts).filter_map(part_of).collect();
    for (name, schema) in schemas {
        if schema.get("allOf").is_some() {
            schema["unevaluatedProperties"] = json!(false);
        }
        let closes = schema.get("properties").is_some() && !OPEN.contains(&name.as_str()) && !parts.contains(name);
        if closes && schema.get("additionalProperties").is_none() {
            schema["additionalProperties"] = json!(false);
        }
    }
    document
}

/// What a value breaks of the schema at this place of the document.
fn misfits(document: &Value, pointer: &str, value: &Value) -> Vec<String> {
    let pointed = document.pointer(pointer).expect("a schema");
    let schema = json!({"allOf": [pointed], "components": document["components"]});
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    validator
        .iter_errors(value)
        .map(|error| format!("{} at {}", error, error.instance_path()))
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('~', "~0").replace('/', "~1")
}

/// A travel agency with a scenario that learns quickly and asks a person, at a moment that is set.
fn agency() -> Server {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["policy"] = json!({
        "pool": {"look_every_fragments": 4, "gate_occurrences_min": 4, "gate_clients_min": 3, "mature_members_min": 4},
        "evolution": {"autonomy": "review", "audit_share": 1.0},
    });
    let clock = VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment"));
    let parts = PartsOverride {
        clock: Some(Arc::new(clock)),
        ..PartsOverride::default()
    };
    let seat = |settings: &mut Settings| settings.policy.evolution.reader = Seat::Outside;
    let server = Server::start(&[("flight_booking_v1.json", template)], seat, parts);
    for (number, said) in SEAT.iter().chain(&SUITCASE).enumerate() {
        let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": said});
        let body = json!({"schema_id": "flight_booking_v1", "payload": payload}).to_string();
        let client = format!("agent-{}", number % 5);
        let reply = server.call("POST", "/v1/submissions", &[("Otherwise-Client", &client)], &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        server.settle();
    }
    server
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

/// Path with query, and headers.
fn address<'e>(endpoint: &Endpoint, ask: &'e Recorded) -> (String, Vec<(&'e str, &'e str)>) {
    let mut path = endpoint.path.clone();
    let mut query: Vec<String> = Vec::new();
    let mut headers = vec![("Otherwise-Client", ask.who.as_deref().unwrap_or(ASKER))];
    let place = |name: &str| {
        let mut parameters = endpoint.operation.parameters.iter().flatten();
        parameters.find_map(|param| match param {
            RefOr::T(param) if param.name == name => Some(param.parameter_in.clone()),
            RefOr::T(_) | RefOr::Ref(_) => None,
        })
    };
    for (name, value) in &ask.parameters {
        let value = value.as_str().expect("a text");
        match place(name) {
            Some(ParameterIn::Query | ParameterIn::Cookie | ParameterIn::QueryString) => {
                query.push(format!("{name}={}", percent(value)));
            }
            _ if path.contains(&format!("{{{name}}}")) => path = path.replace(&format!("{{{name}}}"), value),
            Some(ParameterIn::Path | ParameterIn::Header) | None => headers.push((name, value)),
        }
    }
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    (path, headers)
}

/// What is given out by chance: as the examples write it, and as it is here.
#[derive(Default)]
struct Given(Vec<(&'static str, String)>);

impl Given {
    /// As the service knows it.
    fn here(&self, text: &str) -> String {
        let replaced = |text: String, (written, real): &(&str, String)| text.replace(written, real);
        self.0.iter().fold(text.to_owned(), replaced)
    }

    /// As the examples write it; an id that no example names is always the same.
    fn written(&self, text: &str) -> String {
        let replaced = |text: String, (written, real): &(&str, String)| text.replace(real.as_str(), written);
        let text = self.0.iter().fold(text.to_owned(), replaced);
        let chance = Regex::new(r"\b(wh|task|work|ctx|msg|push)_[0-9a-z]{16,}").expect("a pattern");
        let named = |id: &str| self.0.iter().any(|(written, _)| *written == id);
        let same = |found: &Captures<'_>| match &found[0] {
            id if named(id) => id.to_owned(),
            _ => format!("{}_5d0f6a4be0f64d1c9a1b2c3d4e5f6071", &found[1]),
        };
        chance.replace_all(&text, same).into_owned()
    }

    /// Takes out of an answer what later examples name.
    fn learn(&mut self, ask: &Recorded, answer: &Value) {
        for (key, pointer, written) in GIVEN_OUT {
            if key == ask.key() {
                let real = answer.pointer(pointer).and_then(Value::as_str);
                let real = real.unwrap_or_else(|| panic!("{key}: nothing at {pointer}: {answer}"));
                self.0.push((written, real.to_owned()));
            }
        }
    }
}

/// What differs from one run to the next.
fn steady(mut answer: Value) -> Value {
    if let Some(free) = answer.get_mut("free_bytes") {
        *free = json!(50_000_000_000_u64);
    }
    // Another one with each change of the page.
    if let Some(digest) = answer.get_mut("console").filter(|digest| digest.is_string()) {
        *digest = json!("5f1c0b7e9a4d2c3881b6f0e7d5a4932c1b0a9f8e7d6c5b4a3928170605f4e3d2");
    }
    // Chance, and shown once.
    if answer.get("secret").is_some() {
        answer["secret"] = json!("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
    }
    // How far a webhook is, and how long a call of it took.
    for (member, usual) in [
        ("waiting", json!(0)),
        ("delivered", json!(0)),
        ("latency_s", json!(0.004)),
    ] {
        let of_webhook = answer.get("url").is_some() || member == "latency_s";
        if let Some(found) = answer.get_mut(member).filter(|found| of_webhook && found.is_number()) {
            *found = usual;
        }
    }
    // The port that was picked.
    if let Some(interfaces) = answer["supportedInterfaces"].as_array() {
        let url = interfaces[0]["url"].as_str().unwrap_or_default();
        let base = url.trim_end_matches("/a2a").to_owned();
        let text = answer.to_string().replace(&base, "http://localhost:8080");
        answer = serde_json::from_str(&text).expect("JSON");
    }
    number_requests(&mut answer);
    // The page is its own description: not twice.
    if answer.get("openapi").is_some() {
        answer = json!({"openapi": answer["openapi"], "info": {"title": "Otherwise"}, "paths": {}});
    }
    answer
}

/// Gives every request the same id: a real one begins with what the process drew by chance.
fn number_requests(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if name == "request_id" && value.is_string() {
                    *value = json!("0038919de28d3c00-42");
                }
                number_requests(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(number_requests),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_example_is_answered_as_it_is_described() {
    let server = agency();
    let desk = Receiver::start(|_, _| Do::Answer(204, ""));
    let mut given = Given(vec![(DESK, desk.url())]);
    let (document, strict) = (described(), strict());
    let mut answered = EXAMPLES.clone();
    for ask in &mut answered.requests {
        let key = ask.key();
        let endpoint = ENDPOINTS.iter().find(|endpoint| endpoint.id() == ask.operation);
        let endpoint = endpoint.expect("an operation");
        let (method, path) = (endpoint.method, endpoint.path.as_str());
        let place = format!("/paths/{}/{}", escaped(path), method.to_lowercase());
        let (path, headers) = address(endpoint, ask);
        let path = given.here(&path);
        let body = ask.body.as_ref().map(Value::to_string).unwrap_or_default();
        let sent = format!("{place}/requestBody/content/application~1json/schema");
        if let Some(body) = &ask.body {
            assert_eq!(
                misfits(&document, &sent, body),
                Vec::<String>::new(),
                "{key}: what is sent"
            );
        }
        let (reply, text) = server.call_with_text(method, &path, &headers, &given.here(&body));
        server.settle();
        assert_eq!(reply.status, ask.status, "{key}: {text}");
        given.learn(ask, &reply.body);
        let responses = format!("{place}/responses/{}", ask.status);
        let responses = match document.pointer(&responses) {
            // A2A describes its failures together.
            None if path.starts_with("/a2a") => format!("{place}/responses/default"),
            Some(_) | None => responses,
        };
        let said = match document.pointer(&format!("{responses}/$ref")).and_then(Value::as_str) {
            Some(shared) => shared.trim_start_matches('#').to_owned(),
            None => responses,
        };
        let response = document
            .pointer(&said)
            .unwrap_or_else(|| panic!("{key}: {} is not described", ask.status));
        for (name, _) in response["headers"].as_object().into_iter().flatten() {
            // These stand there where there is something to say.
            if !matches!(
                name.as_str(),
                "Retry-After"
                    | "Allow"
                    | "Idempotent-Replayed"
                    | "Otherwise-Capabilities-Ignored"
                    | "Otherwise-Latest"
                    | "Preference-Applied"
                    | "Deprecation"
                    | "Sunset"
            ) && !name.starts_with("Otherwise-Export")
            {
                assert!(reply.headers.contains_key(name), "{key}: the header {name}");
            }
            if let Some(shown) = response["headers"][name]["example"].as_str() {
                assert_eq!(reply.headers[name.as_str()], *shown, "{key}: where {name} leads");
            }
        }
        let media = reply.headers.get("Content-Type").and_then(|value| value.to_str().ok());
        let Some(media) = media.and_then(|media| media.split(';').next()) else {
            assert!(response.get("content").is_none(), "{key}: a body is described");
            continue;
        };
        assert!(
            response["content"].get(media).is_some(),
            "{key}: {media} is not described"
        );
        let schema = format!("{said}/content/{}/schema", escaped(media));
        if media.ends_with("json") {
            if document.pointer(&schema).is_some() {
                assert_eq!(misfits(&strict, &schema, &reply.body), Vec::<String>::new(), "{key}");
            }
            let answer = given.written(&reply.body.to_string());
            ask.answer = Some(steady(serde_json::from_str(&answer).expect("JSON")));
        } else if !matches!(ask.operation.as_str(), "read_docs_file" | "read_backup") {
            let lines: Vec<&str> = text.lines().take(3).collect();
            ask.answer = Some(json!(given.written(&lines.join("\n"))));
        }
    }
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(KEPT);
    let text = serde_json::to_string_pretty(&answered).expect("text") + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &text).expect("the answers are written");
        return;
    }
    for (now, kept) in answered.requests.iter().zip(&EXAMPLES.requests) {
        assert_eq!(
            now.answer,
            kept.answer,
            "{}: rewrite {KEPT} with UPDATE_DOCS=1 cargo test --test otherwise documented",
            now.key()
        );
    }
}

#[test]
fn the_examples_of_failures_are_what_is_described() {
    let (document, strict) = (described(), strict());
    let responses = document["components"]["responses"].as_object().expect("responses");
    for (name, response) in responses {
        let pointer = format!("/components/responses/{name}/content/application~1problem+json/schema");
        for (code, _) in response["content"]["application/problem+json"]["examples"]
            .as_object()
            .expect("examples")
        {
            let problem = &document["components"]["examples"][code]["value"];
            assert_eq!(misfits(&strict, &pointer, problem), Vec::<String>::new(), "{code}");
        }
    }
}

#[test]
fn the_description_is_served_without_a_key_and_cached_by_its_tag() {
    let server = Server::with(&[]);
    let reply = server.call("GET", "/openapi.json", &[], "");
    assert_eq!((reply.status, &reply.body), (200, &described()));
    assert_eq!(reply.body["openapi"], "3.1.0");
    let tag = reply.headers["ETag"].to_str().expect("a tag");
    for (held, status) in [(tag, 304), ("*", 304), ("\"other\"", 200)] {
        assert_eq!(
            server
                .call("GET", "/openapi.json", &[("If-None-Match", held)], "")
                .status,
            status,
            "{held}"
        );
    }
}

#[test]
fn the_page_for_people_loads_nothing_from_elsewhere() {
    let server = Server::with(&[]);
    let on = server.call("GET", "/docs", &[], "");
    assert_eq!(
        (on.status, &on.headers["Location"]),
        (308, &"docs/".parse().expect("a value"))
    );
    let (page, text) = server.call_with_text("GET", "/docs/", &[], "");
    assert_eq!(page.status, 200);
    let policy = page.headers["Content-Security-Policy"].to_str().expect("a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    let mut files = 0;
    for part in text.split(['"', '\'']) {
        assert!(!part.starts_with("http"), "{part}");
        if let Some(file) = part.strip_prefix("./") {
            files += 1;
            assert_eq!(
                server.call("GET", &format!("/docs/{file}"), &[], "").status,
                200,
                "{file}"
            );
        }
    }
    assert!(files >= 4, "style, pictures and scripts: {text}");
    assert!(
        !text.contains("<script>") && !text.contains("onload="),
        "nothing inline: {text}"
    );
    let start = server.page("/docs/swagger-initializer.js");
    assert!(start.contains("openapi.json") && !start.contains("petstore"), "{start}");
    assert!(start.contains(r#""validatorUrl": "none""#), "{start}");
    let missing = server.call("GET", "/docs/nothing.js", &[], "");
    assert_eq!(missing.told(), (404, "not_found"));
}
