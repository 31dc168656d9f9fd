//! Why an endpoint does not answer as it should: what follows from who may come, from its method, and from whether it has a body or
//! records; and how the document says so, as problems or in the forms of A2A.

use std::collections::BTreeMap;

use utoipa::ToSchema;
use utoipa::openapi::ContentBuilder;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::Ref;
use utoipa::openapi::RefOr;
use utoipa::openapi::Response;
use utoipa::openapi::ResponseBuilder;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::path::ParameterIn;
use utoipa::openapi::schema::AllOfBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::schema::Type;

use crate::a2a::failure::Failure;
use crate::api::a2a::AgentFailure;
use crate::api::problems::ProblemDocument;
use crate::http::access::Access;
use crate::http::openapi::examples;
use crate::http::routes::Endpoint;
use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::problem::Problem;

/// Before anyone is let in: the service may run open, and the address may not have the method.
const EVERYWHERE: &[Code] = &[
    Code::NotEncrypted,
    Code::BadHost,
    Code::BadOrigin,
    Code::MethodNotAllowed,
    Code::Fault,
];

/// Where it is asked who calls.
const WHO: &[Code] = &[Code::Unauthenticated, Code::Forbidden, Code::BadHeader];

/// Where [`crate::http::call::Call`] reads the head.
const HEAD: &[Code] = &[
    Code::UnknownParameter,
    Code::NotAcceptable,
    Code::RateLimited,
    Code::NotReady,
];

/// Where a body is read.
const BODY: &[Code] = &[
    Code::BadRequest,
    Code::NotUtf8,
    Code::TooDeep,
    Code::BodyTimeout,
    Code::TooLarge,
    Code::UnsupportedMediaType,
];

/// Where something is recorded.
const RECORD: &[Code] = &[
    Code::Busy,
    Code::ShuttingDown,
    Code::ReadOnly,
    Code::StoreStalled,
    Code::DiskFull,
];

/// What may not be there, by how an address names it.
const NAMED: [(&str, Code); 7] = [
    ("{scenario}", Code::UnknownScenario),
    ("{schema_id}", Code::UnknownSchema),
    ("{patch_id}", Code::UnknownPatch),
    ("{cluster}", Code::UnknownCluster),
    ("{webhook_id}", Code::UnknownWebhook),
    ("{audit_id}", Code::UnknownAudit),
    ("{code}", Code::UnknownProblem),
];

/// What may be wrong with a call of A2A, by what its address holds.
const OF_CALLS: [(&str, &[Code]); 6] = [
    ("/message:", &[Code::UnknownTask, Code::TaskForbids, Code::LimitReached]),
    ("{task_id}", &[Code::UnknownTask]),
    ("{config_id}", &[Code::UnknownPush]),
    (":cancel", &[Code::NotCancelable]),
    (":subscribe", &[Code::TaskForbids, Code::LimitReached]),
    ("/pushNotificationConfigs", &[Code::LimitReached]),
];

/// Where JSON-RPC is spoken by agents, whose own errors are answered with 200.
const AGENTS_RPC: &str = "/a2a";

/// Whether an address is one of the A2A protocol.
pub fn is_of_agents(path: &str) -> bool {
    path == AGENTS_RPC || path.starts_with("/a2a/")
}

/// Every failure of an endpoint, in the order of the table of codes.
pub fn of(endpoint: &Endpoint) -> Vec<Code> {
    let sends = endpoint.operation.request_body.is_some();
    if is_of_agents(&endpoint.path) {
        return of_agents(&endpoint.path, sends);
    }
    // What is published need not be there.
    let publishes = endpoint.id() == "publish_schema";
    let named = NAMED
        .iter()
        .filter(|(part, _)| !publishes && endpoint.path.contains(part));
    let mut of_address: Vec<Code> = named.map(|(_, code)| *code).collect();
    let parameters = endpoint.operation.parameters.iter().flatten();
    let of_query = |one: &RefOr<Parameter>| matches!(one, RefOr::T(one) if one.parameter_in == ParameterIn::Query);
    of_address.extend(parameters.filter(|one| of_query(one)).map(|_| Code::BadParameter));
    let mut all = vec![EVERYWHERE, endpoint.codes.as_slice(), of_address.as_slice()];
    match endpoint.access {
        Access::Anyone => {}
        Access::Scraper => all.push(WHO),
        Access::For(_) => all.extend([WHO, HEAD]),
    }
    if endpoint.path.contains('{') {
        // A segment that cannot be one, such as one with a colon, is no address.
        all.push(&[Code::NotFound]);
    }
    if sends {
        all.push(BODY);
    }
    // What may be refused for that records something, and fails as everything fails that does.
    if endpoint.codes.contains(&Code::ReadOnly) {
        all.push(RECORD);
    }
    in_order(&all)
}

/// Those before anything is read of a call, and those of the call itself but where its envelope has a form for them.
fn of_agents(path: &str, sends: bool) -> Vec<Code> {
    let mut all: Vec<&[Code]> = vec![WHO, &[Code::RateLimited, Code::NotReady, Code::Fault]];
    if sends {
        all.push(BODY);
    }
    if path != AGENTS_RPC {
        all.push(&[Code::BadRequest]);
        if sends {
            all.push(RECORD);
        }
        let of_calls = OF_CALLS.iter().filter(|(part, _)| path.contains(part));
        all.extend(of_calls.map(|(_, codes)| *codes));
    }
    in_order(&all)
}

fn in_order(all: &[&[Code]]) -> Vec<Code> {
    let known = |code: &Code| all.iter().any(|codes| codes.contains(code));
    Code::ALL.iter().copied().filter(known).collect()
}

/// Codes by the status that they are answered with.
pub fn by_status(codes: Vec<Code>) -> BTreeMap<u16, Vec<Code>> {
    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status.entry(code.row().status).or_default().push(code);
    }
    by_status
}

/// The answer that says one of these codes, which all have one status.
pub fn problem(codes: &[Code]) -> Response {
    let what: Vec<String> = codes
        .iter()
        .map(|code| format!("- `{}`: {}", code.row().code, code.row().meaning))
        .collect();
    let names = codes.iter().map(|code| code.row().code);
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(names.clone()));
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name(ProblemDocument::name()))
        .item(ObjectBuilder::new().property("code", code.build()));
    let examples = names.map(|name| (name, RefOr::Ref(Ref::new(format!("#/components/examples/{name}")))));
    let content = ContentBuilder::new()
        .schema(Some(Schema::from(schema.build())))
        .examples_from_iter(examples);
    let response = ResponseBuilder::new()
        .description(what.join("\n"))
        .header_ref("X-Request-Id", header_ref("X-Request-Id"))
        .content("application/problem+json", content.build());
    let problems: Vec<Problem> = codes.iter().map(|code| Problem::new(*code, "")).collect();
    let with = [
        (
            "Retry-After",
            problems.iter().any(|problem| problem.retry_after_s.is_some()),
        ),
        ("Allow", codes.contains(&Code::MethodNotAllowed)),
        (
            "WWW-Authenticate",
            problems.iter().any(|problem| problem.challenge.is_some()),
        ),
    ];
    with_headers(response, with).build()
}

/// Why an endpoint of A2A does not answer, by status; and whatever else goes wrong, in the same form.
pub fn refusals(endpoint: &Endpoint) -> Vec<(String, Response)> {
    let content = || ContentBuilder::new().schema(Some(Ref::from_schema_name(AgentFailure::name())));
    let other = ResponseBuilder::new()
        .description("Why not else, in the form of the protocol.")
        .content("application/json", content().build());
    let mut all = vec![("default".to_owned(), other.build())];
    let mut by_status: BTreeMap<u16, Vec<(Code, Failure)>> = BTreeMap::new();
    for code in of(endpoint) {
        let failure = Failure::from(Problem::new(code, code.row().meaning));
        by_status.entry(failure.status).or_default().push((code, failure));
    }
    for (status, failures) in by_status {
        let what: Vec<&str> = failures.iter().map(|(code, _)| code.row().meaning).collect();
        let shown = failures.iter().map(|(code, failure)| {
            let text = match endpoint.path == AGENTS_RPC {
                true => json_rpc::failure("null", &failure.json_rpc()),
                false => failure.rest(),
            };
            let value = serde_json::from_str(&text).unwrap_or_default();
            (code.row().code.to_owned(), examples::example(code.row().title, value))
        });
        let given = examples::answers(endpoint.id(), 400, true).filter(|_| status == 400);
        let content = content().examples_from_iter(shown.chain(given));
        let response = ResponseBuilder::new()
            .description(what.join("\n"))
            .content("application/json", content.build());
        let waits = failures
            .iter()
            .any(|(_, failure)| failure.problem.retry_after_s.is_some());
        let challenges = failures.iter().any(|(_, failure)| failure.problem.challenge.is_some());
        let with = [("Retry-After", waits), ("WWW-Authenticate", challenges)];
        all.push((status.to_string(), with_headers(response, with).build()));
    }
    all
}

fn with_headers<const N: usize>(response: ResponseBuilder, headers: [(&str, bool); N]) -> ResponseBuilder {
    headers
        .into_iter()
        .filter(|(_, is_there)| *is_there)
        .fold(response, |response, (name, _)| {
            response.header_ref(name, header_ref(name))
        })
}

/// A header that components describe.
pub fn header_ref(name: &str) -> Ref {
    Ref::new(format!("#/components/headers/{name}"))
}
