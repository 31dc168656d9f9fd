//! The description of the interface beside the real service: every example is sent, and what comes back is what is described.

use std::sync::Arc;

use otherwise::domain::time::At;
use otherwise::edge::boot::parts::PartsOverride;
use otherwise::edge::http::openapi;
use otherwise::edge::http::openapi::described::Described;
use otherwise::edge::http::openapi::document;
use otherwise::edge::http::openapi::examples;
use otherwise::edge::http::openapi::examples::Ask;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use utoipa::openapi::path::ParameterIn;

use crate::support::clock::VirtualClock;
use crate::support::server::Server;
use crate::support::wishes::SEAT;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
const ANSWERS: &str = "src/edge/http/openapi/answers.json";

/// Schemas whose documents hold members of the caller's own.
const OPEN: [&str; 3] = ["Accepted", "SchemaTemplate", "KeyDefinition"];

fn described() -> Value {
    serde_json::from_str(&document::text()).expect("a document")
}

/// The document in which a schema takes no member that it does not name: what the service says and the document does not is
/// found as well.
fn strict() -> Value {
    let mut document = described();
    let schemas = document["components"]["schemas"].as_object_mut().expect("schemas");
    for (name, schema) in schemas {
        let closes = schema.get("properties").is_some() && !OPEN.contains(&name.as_str());
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
        "evolution": {"approval_required": true},
    });
    let clock = VirtualClock::at(At::parse("2026-05-01T08:00:00Z").expect("a moment"));
    let parts = PartsOverride {
        clock: Some(Arc::new(clock)),
        ..PartsOverride::default()
    };
    let server = Server::start(&[("flight_booking_v1.json", template)], |_| {}, parts);
    for (number, said) in SEAT.iter().enumerate() {
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
fn address(path: &str, described: &Described, ask: &Ask) -> (String, Vec<(&'static str, &'static str)>) {
    let mut path = path.to_owned();
    let mut query: Vec<String> = Vec::new();
    let mut headers = vec![("Otherwise-Client", "olga")];
    for param in &described.parameters {
        let Some(value) = ask.value(param.name) else { continue };
        match param.place {
            ParameterIn::Path => path = path.replace(&format!("{{{}}}", param.name), value),
            ParameterIn::Header => headers.push((param.name, value)),
            ParameterIn::Query | ParameterIn::Cookie | ParameterIn::QueryString => {
                query.push(format!("{}={}", param.name, percent(value)));
            }
        }
    }
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    (path, headers)
}

/// What differs from one run to the next.
fn steady(mut answer: Value) -> Value {
    if let Some(free) = answer.get_mut("free_bytes") {
        *free = json!(50_000_000_000_u64);
    }
    // Chance, and shown once.
    if answer.get("secret").is_some() {
        answer["id"] = json!("wh_7f1bb5301e1b1bbce2fe7d3381a1c5c1");
        answer["secret"] = json!("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
        answer["waiting"] = json!(0);
    }
    let given_out = json!("ctx_5d0f6a4be0f64d1c9a1b2c3d4e5f6071");
    let begun = answer.get_mut("context_id");
    if let Some(id) = begun.filter(|id| id.as_str().is_some_and(|id| id.starts_with("ctx_"))) {
        *id = given_out.clone();
    }
    let rows = answer.get_mut("conversations").and_then(Value::as_array_mut);
    for row in rows.into_iter().flatten() {
        row["context_id"] = given_out.clone();
    }
    // Chance.
    for task in [
        &["TaskContext", "TaskID"][..],
        &["TaskID"],
        &["tasks", "0", "TaskID"],
        &["subtasks", "0", "TaskID"],
    ] {
        let pointer = format!("/{}", task.join("/"));
        if let Some(task) = answer.pointer_mut(&pointer) {
            *task = json!(examples::TASK);
        }
    }
    // The port that was picked.
    if let Some(interfaces) = answer["supportedInterfaces"].as_array() {
        let url = interfaces[0]["url"].as_str().unwrap_or_default();
        let base = url.trim_end_matches("/a2a").to_owned();
        let text = answer.to_string().replace(&base, "http://localhost:8080");
        answer = serde_json::from_str(&text).expect("JSON");
    }
    // The page is its own description: not twice.
    if answer.get("openapi").is_some() {
        answer = json!({"openapi": answer["openapi"], "info": {"title": "Otherwise"}, "paths": {}});
    }
    answer
}

#[test]
fn every_example_is_answered_as_it_is_described() {
    let server = agency();
    let (document, strict) = (described(), strict());
    let all = openapi::all();
    let addresses = document::addresses();
    let mut answers = Map::new();
    let mut task = String::new();
    for ask in examples::story() {
        let key = ask.key();
        let described = all
            .iter()
            .find(|described| described.id == ask.operation)
            .expect("an operation");
        let (path, row) = addresses
            .iter()
            .find(|(_, row)| document::description(&all, row).is_some_and(|found| found.id == ask.operation))
            .expect("an address");
        let place = format!("/paths/{}/{}", escaped(path), row.method.to_lowercase());
        let (path, headers) = address(path, described, &ask);
        let path = path.replace(examples::TASK, &task);
        let body = ask.body.as_ref().map(Value::to_string).unwrap_or_default();
        let sent = format!("{place}/requestBody/content/application~1json/schema");
        if let Some(body) = &ask.body {
            assert_eq!(
                misfits(&document, &sent, body),
                Vec::<String>::new(),
                "{key}: what is sent"
            );
        }
        let (reply, text) = server.call_with_text(row.method, &path, &headers, &body);
        server.settle();
        assert_eq!(reply.status, ask.status, "{key}: {text}");
        if ask.operation == "create_task" {
            task = reply.body["TaskContext"]["TaskID"].as_str().expect("an id").to_owned();
        }
        let responses = format!("{place}/responses/{}", ask.status);
        let said = match document.pointer(&format!("{responses}/$ref")).and_then(Value::as_str) {
            Some(shared) => shared.trim_start_matches('#').to_owned(),
            None => responses,
        };
        let response = document
            .pointer(&said)
            .unwrap_or_else(|| panic!("{key}: {} is not described", ask.status));
        for (name, _) in response["headers"].as_object().into_iter().flatten() {
            // These stand there where there is something to say.
            if !matches!(name.as_str(), "Retry-After" | "Allow" | "Idempotent-Replayed")
                && !name.starts_with("Otherwise-Export")
            {
                assert!(reply.headers.contains_key(name), "{key}: the header {name}");
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
            answers.insert(key, steady(reply.body));
        } else if !matches!(ask.operation, "read_docs_file" | "read_backup") {
            let lines: Vec<&str> = text.lines().take(3).collect();
            answers.insert(key, json!(lines.join("\n")));
        }
    }
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(ANSWERS);
    let text = serde_json::to_string_pretty(&answers).expect("text") + "\n";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &text).expect("the answers are written");
        return;
    }
    for (key, answer) in &answers {
        assert_eq!(
            Some(answer),
            examples::answers().get(key),
            "{key}: rewrite {ANSWERS} with UPDATE_DOCS=1 cargo test --test otherwise documented"
        );
    }
    assert_eq!(answers.len(), examples::answers().len());
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
    let server = Server::start(&[], |_| {}, PartsOverride::default());
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
    let server = Server::start(&[], |_| {}, PartsOverride::default());
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
    assert_eq!((missing.status, &missing.body["code"]), (404, &json!("not_found")));
}
