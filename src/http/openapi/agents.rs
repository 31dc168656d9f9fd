//! What the addresses of A2A 1.0 answer beside the protocol's own objects: why not, in the forms of the protocol.
//!
//! What is sent and answered there is that protocol's, so that messages and tasks are objects here; more of them
//! stands in `docs/a2a.md`. The address with a slash at its end is the one without.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::Content;
use utoipa::openapi::ContentBuilder;
use utoipa::openapi::Ref;
use utoipa::openapi::RefOr;
use utoipa::openapi::Response;
use utoipa::openapi::ResponseBuilder;
use utoipa::openapi::example::Example;
use utoipa::openapi::path::Operation;

use crate::a2a::failure::Failure;
use crate::api::rpc::AgentFailure;
use crate::http::openapi::examples::Ask;
use crate::http::openapi::failures;
use crate::http::openapi::handlers::Described;
use crate::http::openapi::shown;
use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::problem::Problem;

/// Where JSON-RPC is spoken, whose own errors are answered with 200.
const RPC: &str = "/a2a";

/// Whether an address is one of the protocol's.
pub fn speaks(path: &str) -> bool {
    path == RPC || path.starts_with("/a2a/")
}

/// Adds to what a handler says who may come, why a call may fail, and the examples.
pub fn complete(described: Described, asks: &[&Ask], answers: &Map<String, Value>) -> Operation {
    let id = described.id().to_owned();
    let mut operation = described.operation;
    let sends = operation.request_body.is_some();
    shown::show_what_is_sent(&mut operation, asks);
    operation.security = Some(shown::security());
    let responses = &mut operation.responses.responses;
    if let Some(RefOr::T(answer)) = responses.get_mut("200") {
        for (media, content) in &mut answer.content {
            let RefOr::T(content) = content else { continue };
            let told = shown::told(asks, answers, 200);
            content.examples.extend(shown::named(told));
            content.examples.extend(shown::named(shown::beginning(&id, media)));
        }
    }
    let content = ContentBuilder::new().schema(Some(failure())).build();
    let other = response("Why not else, in the form of the protocol.", content);
    responses.insert("default".to_owned(), other.into());
    for (status, response) in refusals(&described.path, sends, shown::told(asks, answers, 400)) {
        responses.insert(status.to_string(), response.into());
    }
    operation
}

fn failure() -> Ref {
    Ref::from_schema_name(AgentFailure::name())
}

/// Why not, by status; those of JSON-RPC are of what comes before its envelope is read, whose own errors are answered with 200.
fn refusals(path: &str, sends: bool, told: Vec<(&'static str, Example)>) -> Vec<(u16, Response)> {
    let in_envelope = path == RPC;
    let mut by_status: BTreeMap<u16, Vec<(Code, Failure)>> = BTreeMap::new();
    for code in failures::of_agents(path, sends, !in_envelope) {
        let failure = Failure::from(Problem::new(code, code.row().meaning));
        by_status.entry(failure.status).or_default().push((code, failure));
    }
    let mut told = Some(told).filter(|told| !told.is_empty());
    by_status
        .into_iter()
        .map(|(status, failures)| {
            let what: Vec<&str> = failures.iter().map(|(code, _)| code.row().meaning).collect();
            let shown = failures.iter().map(|(code, failure)| {
                let text = if in_envelope {
                    json_rpc::failure("null", &failure.json_rpc())
                } else {
                    failure.rest()
                };
                let value = serde_json::from_str(&text).unwrap_or_default();
                (code.row().code, shown::example(code.row().title, value))
            });
            let given = told.take_if(|_| status == 400).unwrap_or_default();
            let content = ContentBuilder::new()
                .schema(Some(failure()))
                .examples_from_iter(shown)
                .examples_from_iter(given);
            let mut response = ResponseBuilder::new()
                .description(what.join("\n"))
                .content("application/json", content.build());
            if failures.iter().any(|(_, failure)| failure.retry_after_s.is_some()) {
                response = response.header_ref("Retry-After", shown::header_ref("Retry-After"));
            }
            if failures.iter().any(|(_, failure)| failure.challenge.is_some()) {
                response = response.header_ref("WWW-Authenticate", shown::header_ref("WWW-Authenticate"));
            }
            (status, response.build())
        })
        .collect()
}

fn response(what: &str, content: Content) -> Response {
    ResponseBuilder::new()
        .description(what)
        .content("application/json", content)
        .build()
}
