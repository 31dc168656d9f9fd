//! The addresses of A2A 1.0, as much as the protocol's own specification leaves to say of them.
//!
//! What is sent and answered there is that protocol's, so that messages and tasks are objects here; more of them
//! stands in `docs/a2a.md`. Invariant: every address of [`crate::edge::http::routes::AGENTS`] is described; the one with a slash at its end is
//! the one without.

use std::collections::BTreeMap;

use serde_json::Map;
use serde_json::Value;
use utoipa::openapi::Content;
use utoipa::openapi::ContentBuilder;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::Ref;
use utoipa::openapi::RefOr;
use utoipa::openapi::Required;
use utoipa::openapi::Response;
use utoipa::openapi::ResponseBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::path::OperationBuilder;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::path::ParameterBuilder;
use utoipa::openapi::path::ParameterIn;
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::schema::Type;
use utoipa::openapi::security::SecurityRequirement;

use crate::edge::a2a::failure::Failure;
use crate::edge::http::openapi::described::Shape;
use crate::edge::http::openapi::described::shape;
use crate::edge::http::openapi::document;
use crate::edge::http::openapi::examples::Ask;
use crate::edge::http::openapi::failures;
use crate::edge::http::openapi::shapes::calling::AgentCard;
use crate::edge::http::openapi::shapes::calling::AgentFailure;
use crate::edge::http::openapi::shapes::calling::RpcAnswer;
use crate::edge::http::openapi::shapes::calling::RpcCall;
use crate::edge::wire::codes::Code;
use crate::edge::wire::json_rpc;
use crate::edge::wire::problem::Problem;

/// As the document names it.
pub const GROUP: &str = "Other agents";

/// What comes back.
#[derive(Clone, Copy)]
enum Back {
    /// An object of the protocol.
    Object,
    /// Stream responses as Server-Sent Events.
    Events,
    Card,
    Rpc,
}

/// Method, path, id, what it is for, what is sent (`""` for nothing), what comes back.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Back,
);

const ROWS: [Row; 13] = [
    (
        "POST",
        "/a2a",
        "call_a2a",
        "The JSON-RPC binding: SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask, the four operations of \
         push notifications, GetExtendedAgentCard. What streams is answered with events.",
        "A call; no batches.",
        Back::Rpc,
    ),
    (
        "POST",
        "/a2a/message:send",
        "send_message",
        "Send a message: a submission becomes a task, a wish in words or a dry run is answered with a message.",
        "SendMessageRequest: `message`, `configuration`.",
        Back::Object,
    ),
    (
        "POST",
        "/a2a/message:stream",
        "stream_message",
        "Send a message, and follow what becomes of it.",
        "SendMessageRequest: `message`, `configuration`.",
        Back::Events,
    ),
    (
        "GET",
        "/a2a/tasks",
        "list_a2a_tasks",
        "The caller's tasks, last changed first.",
        "",
        Back::Object,
    ),
    (
        "GET",
        "/a2a/tasks/{task_id}",
        "read_a2a_task",
        "One of the caller's tasks.",
        "",
        Back::Object,
    ),
    (
        "POST",
        "/a2a/tasks/{task_id}:cancel",
        "cancel_task",
        "Cancel a task that has not ended.",
        "Anything, or nothing.",
        Back::Object,
    ),
    (
        "GET",
        "/a2a/tasks/{task_id}:subscribe",
        "follow_task",
        "Follow a task until it has ended.",
        "",
        Back::Events,
    ),
    (
        "POST",
        "/a2a/tasks/{task_id}:subscribe",
        "follow_task_by_post",
        "Follow a task until it has ended; the specification has both methods.",
        "Anything, or nothing.",
        Back::Events,
    ),
    (
        "POST",
        "/a2a/tasks/{task_id}/pushNotificationConfigs",
        "tell_of_task",
        "Have an address told of what becomes of a task.",
        "TaskPushNotificationConfig: `url`, `id`, `token`, `authentication`.",
        Back::Object,
    ),
    (
        "GET",
        "/a2a/tasks/{task_id}/pushNotificationConfigs",
        "list_told_of_task",
        "Who is told of a task, without tokens and credentials.",
        "",
        Back::Object,
    ),
    (
        "GET",
        "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
        "read_told_of_task",
        "One who is told of a task, without token and credentials.",
        "",
        Back::Object,
    ),
    (
        "DELETE",
        "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
        "tell_of_task_no_more",
        "Have an address told no more.",
        "",
        Back::Object,
    ),
    (
        "GET",
        "/a2a/extendedAgentCard",
        "read_extended_agent_card",
        "The agent card with the skills that the caller may use.",
        "",
        Back::Card,
    ),
];

/// Every operation with its method and path, and with its examples.
pub fn operations(asks: &[Ask], answers: &Map<String, Value>) -> Vec<(&'static str, &'static str, Operation)> {
    ROWS.iter()
        .map(|row| {
            let asked: Vec<&Ask> = asks.iter().filter(|ask| ask.operation == row.2).collect();
            (row.0, row.1, operation(row, &asked, answers))
        })
        .collect()
}

/// Method, path and id of every operation.
pub fn addresses() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    ROWS.iter().map(|row| (row.0, row.1, row.2))
}

/// The shapes that the operations name.
pub fn shapes() -> [Shape; 4] {
    [
        shape::<AgentCard>(),
        shape::<AgentFailure>(),
        shape::<RpcAnswer>(),
        shape::<RpcCall>(),
    ]
}

fn operation(&(_, path, id, summary, sent, back): &Row, asks: &[&Ask], answers: &Map<String, Value>) -> Operation {
    let mut parameters = vec![version()];
    parameters.extend(
        ["task_id", "config_id"]
            .into_iter()
            .filter(|name| path.contains(&format!("{{{name}}}")))
            .map(segment),
    );
    let mut operation = OperationBuilder::new()
        .tag(GROUP)
        .operation_id(Some(id))
        .summary(Some(summary))
        .parameters(Some(parameters))
        .securities(Some(
            ["key", "header", "name"].map(|scheme| SecurityRequirement::new(scheme, [""; 0])),
        ))
        .response("200", answer(id, back, document::told(asks, answers, 200)))
        .response(
            "default",
            response(
                "Why not else, in the form of the protocol.",
                json((shape::<AgentFailure>().reference)()),
            ),
        );
    for (status, response) in refusals(path, back, !sent.is_empty(), document::told(asks, answers, 400)) {
        operation = operation.response(status.to_string(), response);
    }
    if !sent.is_empty() {
        let content = match back {
            Back::Rpc => ContentBuilder::new().schema(Some((shape::<RpcCall>().reference)())),
            Back::Object | Back::Events | Back::Card => ContentBuilder::new().schema(Some(object())),
        };
        let content = content.examples_from_iter(document::sent(asks)).build();
        let body = RequestBodyBuilder::new()
            .description(Some(sent))
            .content("application/json", content);
        operation = operation.request_body(Some(body.build()));
    }
    operation.build()
}

/// Why not, by status; those of JSON-RPC are of what comes before its envelope is read, whose own errors are answered with 200.
fn refusals(path: &str, back: Back, sends: bool, told: Vec<(&'static str, ExampleBuilder)>) -> Vec<(u16, Response)> {
    let in_envelope = matches!(back, Back::Rpc);
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
                (code.row().code, document::example(code.row().title, value))
            });
            let given = told.take_if(|_| status == 400).unwrap_or_default();
            let content = ContentBuilder::new()
                .schema(Some((shape::<AgentFailure>().reference)()))
                .examples_from_iter(shown)
                .examples_from_iter(given);
            let mut response = ResponseBuilder::new()
                .description(what.join("\n"))
                .content("application/json", content.build());
            if failures.iter().any(|(_, failure)| failure.retry_after_s.is_some()) {
                response = response.header_ref("Retry-After", document::header_ref("Retry-After"));
            }
            if failures.iter().any(|(_, failure)| failure.challenge.is_some()) {
                response = response.header_ref("WWW-Authenticate", document::header_ref("WWW-Authenticate"));
            }
            (status, response.build())
        })
        .collect()
}

fn answer(id: &str, back: Back, told: Vec<(&'static str, ExampleBuilder)>) -> Response {
    let content = |schema: RefOr<Schema>| {
        ContentBuilder::new()
            .schema(Some(schema))
            .examples_from_iter(told)
            .examples_from_iter(document::beginning(id, "text/event-stream"))
            .build()
    };
    match back {
        Back::Object => response("As the protocol has it.", content(object().into())),
        Back::Card => response("The card.", content((shape::<AgentCard>().reference)().into())),
        Back::Rpc => response(
            "The answer, or its error.",
            content((shape::<RpcAnswer>().reference)().into()),
        ),
        Back::Events => {
            let text = ObjectBuilder::new().schema_type(Type::String).build();
            ResponseBuilder::new()
                .description("Stream responses, one an event.")
                .content("text/event-stream", content(Schema::from(text).into()))
                .build()
        }
    }
}

fn response(what: &str, content: Content) -> Response {
    ResponseBuilder::new()
        .description(what)
        .content("application/json", content)
        .build()
}

fn json(reference: Ref) -> Content {
    ContentBuilder::new().schema(Some(reference)).build()
}

fn object() -> Schema {
    Schema::from(ObjectBuilder::new().schema_type(Type::Object).build())
}

fn version() -> Parameter {
    let served = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(["1.0"]));
    ParameterBuilder::new()
        .name("A2A-Version")
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some(
            "The version that is spoken; what says none speaks 0.3, which is refused.",
        ))
        .schema(Some(Schema::from(served.build())))
        .build()
}

fn segment(name: &'static str) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String);
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(Schema::from(text.build())))
        .build()
}
