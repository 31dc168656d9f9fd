//! The document beside the table of endpoints and the table of codes.

use std::collections::BTreeSet;

use serde_json::Value;
use utoipa::openapi::RefOr;

use crate::http::openapi::document;
use crate::http::openapi::examples::EXAMPLES;
use crate::http::openapi::failures;
use crate::http::routes::ENDPOINTS;
use crate::http::routes::Endpoint;
use crate::wire::codes::Code;

fn read() -> Value {
    serde_json::from_str(&document::text()).expect("a document")
}

#[test]
fn every_code_of_the_table_is_said_by_some_operation_z181() {
    let said: Vec<Code> = ENDPOINTS.iter().flat_map(failures::of).collect();
    let unsaid: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !said.contains(code))
        .map(|code| code.row().code)
        .collect();
    assert_eq!(unsaid, Vec::<&str>::new());
}

#[test]
fn every_operation_has_an_example_and_every_example_an_operation_and_an_answer() {
    let asked: BTreeSet<&str> = EXAMPLES.requests.iter().map(|one| one.operation.as_str()).collect();
    let ids: BTreeSet<&str> = ENDPOINTS.iter().map(Endpoint::id).collect();
    assert_eq!(ids.len(), ENDPOINTS.len(), "ids are distinct");
    assert_eq!(asked, ids);
    for one in &EXAMPLES.requests {
        let endpoint = ENDPOINTS.iter().find(|endpoint| endpoint.id() == one.operation);
        let operation = &endpoint.expect("an operation").operation;
        for name in one.parameters.keys() {
            let parameters = operation.parameters.iter().flatten();
            let known = parameters.filter(|param| matches!(param, RefOr::T(param) if param.name == *name));
            assert_eq!(known.count(), 1, "{}: {name} is no parameter", one.key());
        }
        assert!(
            one.body.is_none() || operation.request_body.is_some(),
            "{}: it takes no body",
            one.key()
        );
    }
}

#[test]
fn every_event_that_is_shown_ends_and_its_data_is_json() {
    let streams = EXAMPLES
        .beginnings
        .iter()
        .filter(|one| one.media_type == "text/event-stream");
    for one in streams {
        assert!(one.text.ends_with("\n\n"), "{}", one.operation);
        let data: Vec<&str> = one
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .collect();
        assert!(!data.is_empty(), "{}", one.operation);
        for line in data {
            serde_json::from_str::<Value>(line).expect("JSON");
        }
    }
}

#[test]
fn every_operation_shows_what_is_sent_a_success_and_mistakes() {
    let document = read();
    let mut without = Vec::new();
    let shown = |content: &Value| {
        let forms = content.as_object().into_iter().flatten();
        forms.clone().count() == 0 || forms.into_iter().any(|(_, form)| form["examples"].is_object())
    };
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let id = operation["operationId"].as_str().expect("an id");
            let said = operation["responses"].as_object().expect("responses");
            let mistakes = said.keys().filter(|status| status.starts_with('4'));
            assert!(mistakes.count() > 0, "{method} {path}");
            let successes: Vec<&Value> = said
                .iter()
                .filter(|(status, _)| status.starts_with('2'))
                .map(|(_, response)| &response["content"])
                .collect();
            let well = shown(&operation["requestBody"]["content"])
                && (successes.is_empty() || successes.into_iter().any(shown));
            if !well {
                without.push(format!("{method} {path}: {id}"));
            }
        }
    }
    assert_eq!(without, Vec::<String>::new(), "without an example");
}

#[test]
fn every_reference_leads_somewhere() {
    fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let document = read();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 100);
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("within the document");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn the_document_that_is_kept_is_the_one_that_is_served() {
    crate::config::page::assert_page("docs/openapi.json", &document::text());
}
