//! The HTTP+JSON binding under `/a2a` (A2A §11): path, query and body become the params that JSON-RPC has.

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::http::header::HeaderValue;
use actix_web::web;
use actix_web::web::Path;
use serde_json::Value;
use serde_json::json;

use crate::a2a::call::Reply;
use crate::a2a::failure::Failure;
use crate::a2a::method::Method;
use crate::a2a::params;
use crate::a2a::version;
use crate::api::rpc::AgentCard;
use crate::http::agents;
use crate::http::agents::cached;
use crate::http::agents::events;
use crate::http::agents::events::Form;
use crate::http::agents::incoming::Incoming;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// What a body and an answer are called.
const OWN: &str = "application/a2a+json";
const JSON: &str = "application/json";

/// Send a message: a submission becomes a task, a wish in words or a dry run is answered with a message.
#[utoipa::path(
    post,
    path = "/a2a/message:send",
    tag = "Other agents",
    params(parameters::A2aVersion),
    request_body(content = Object, description = "SendMessageRequest: `message`, `configuration`."),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn send_message(incoming: Incoming) -> HttpResponse {
    whole(&incoming, Method::SendMessage).await
}

/// Send a message, and follow what becomes of it.
#[utoipa::path(
    post,
    path = "/a2a/message:stream",
    tag = "Other agents",
    params(parameters::A2aVersion),
    request_body(content = Object, description = "SendMessageRequest: `message`, `configuration`."),
    responses(
        (status = 200, description = "Stream responses, one an event.", body = String, content_type = "text/event-stream"),
    )
)]
pub async fn stream_message(incoming: Incoming) -> HttpResponse {
    whole(&incoming, Method::SendStreamingMessage).await
}

/// The caller's tasks, last changed first.
#[utoipa::path(
    get,
    path = "/a2a/tasks",
    tag = "Other agents",
    params(parameters::A2aVersion),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn list_a2a_tasks(incoming: Incoming) -> HttpResponse {
    queried(&incoming, Method::ListTasks, &[]).await
}

/// One of the caller's tasks.
#[utoipa::path(
    get,
    path = "/a2a/tasks/{task_id:[^/:]+}",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn read_a2a_task(incoming: Incoming, path: Path<String>) -> HttpResponse {
    queried(&incoming, Method::GetTask, &[("id", &path)]).await
}

/// Cancel a task that has not ended.
#[utoipa::path(
    post,
    path = "/a2a/tasks/{task_id}:cancel",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId),
    request_body(content = Option<Object>, description = "Anything, or nothing."),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn cancel_task(incoming: Incoming, path: Path<String>) -> HttpResponse {
    queried(&incoming, Method::CancelTask, &[("id", &path)]).await
}

/// Follow a task until it has ended.
#[utoipa::path(
    get,
    path = "/a2a/tasks/{task_id}:subscribe",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId),
    responses(
        (status = 200, description = "Stream responses, one an event.", body = String, content_type = "text/event-stream"),
    )
)]
pub async fn follow_task(incoming: Incoming, path: Path<String>) -> HttpResponse {
    queried(&incoming, Method::SubscribeToTask, &[("id", &path)]).await
}

/// Follow a task until it has ended; the specification has both methods.
#[utoipa::path(
    post,
    path = "/a2a/tasks/{task_id}:subscribe",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId),
    request_body(content = Option<Object>, description = "Anything, or nothing."),
    responses(
        (status = 200, description = "Stream responses, one an event.", body = String, content_type = "text/event-stream"),
    )
)]
pub async fn follow_task_by_post(incoming: Incoming, path: Path<String>) -> HttpResponse {
    follow_task(incoming, path).await
}

/// Have an address told of what becomes of a task.
#[utoipa::path(
    post,
    path = "/a2a/tasks/{task_id}/pushNotificationConfigs",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId),
    request_body(content = Object, description = "TaskPushNotificationConfig: `url`, `id`, `token`, `authentication`."),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn tell_of_task(incoming: Incoming, path: Path<String>) -> HttpResponse {
    let params = incoming.body().and_then(|body| {
        let mut params = params::object(body).map_err(|error| Failure::from(Problem::from(error)))?;
        params.insert("taskId".to_owned(), json!(*path));
        Ok(Value::Object(params).to_string())
    });
    answer(&incoming, Method::CreatePush, params).await
}

/// Who is told of a task, without tokens and credentials.
#[utoipa::path(
    get,
    path = "/a2a/tasks/{task_id}/pushNotificationConfigs",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn list_told_of_task(incoming: Incoming, path: Path<String>) -> HttpResponse {
    queried(&incoming, Method::ListPushes, &[("taskId", &path)]).await
}

/// One who is told of a task, without token and credentials.
#[utoipa::path(
    get,
    path = "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId, parameters::ConfigId),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn read_told_of_task(incoming: Incoming, path: Path<(String, String)>) -> HttpResponse {
    let (task, config) = path.into_inner();
    queried(&incoming, Method::GetPush, &[("taskId", &task), ("id", &config)]).await
}

/// Have an address told no more.
#[utoipa::path(
    delete,
    path = "/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}",
    tag = "Other agents",
    params(parameters::A2aVersion, parameters::A2aTaskId, parameters::ConfigId),
    responses((status = 200, description = "As the protocol has it.", body = Object))
)]
pub async fn tell_of_task_no_more(incoming: Incoming, path: Path<(String, String)>) -> HttpResponse {
    let (task, config) = path.into_inner();
    queried(&incoming, Method::DeletePush, &[("taskId", &task), ("id", &config)]).await
}

/// The agent card with the skills that the caller may use.
#[utoipa::path(
    get,
    path = "/a2a/extendedAgentCard",
    tag = "Other agents",
    params(parameters::A2aVersion),
    responses((status = 200, description = "The card.", body = AgentCard))
)]
pub async fn read_extended_agent_card(incoming: Incoming) -> HttpResponse {
    queried(&incoming, Method::GetExtendedAgentCard, &[]).await
}

/// A call whose params are the body.
async fn whole(incoming: &Incoming, method: Method) -> HttpResponse {
    answer(incoming, method, incoming.body().map(str::to_owned)).await
}

/// Parameters of queries, as the protocol's definition of HTTP takes them; readers of ProtoJSON take both spellings.
const KNOWN: [&str; 9] = [
    "A2A-Version",
    "contextId",
    "historyLength",
    "includeArtifacts",
    "pageSize",
    "pageToken",
    "status",
    "statusTimestampAfter",
    "tenant",
];

fn is_known(name: &str) -> bool {
    let joined: String = name.chars().filter(|letter| *letter != '_').collect();
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(&joined))
}

/// A call whose params stand in the path and the query.
async fn queried(incoming: &Incoming, method: Method, path: &[(&str, &str)]) -> HttpResponse {
    let params = incoming.body().and_then(|_| {
        let query = web::Query::<Vec<(String, String)>>::from_query(incoming.request.query_string());
        let pairs = query.map_err(|_| bad("the query cannot be read"))?.into_inner();
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_known(name)) {
            let name: String = name.chars().take(64).collect();
            return Err(bad(&format!("the parameter {name:?} is unknown")));
        }
        let pairs = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut params = params::of_query(pairs);
        for (name, value) in path {
            params.insert((*name).to_owned(), json!(value));
        }
        Ok(Value::Object(params).to_string())
    });
    answer(incoming, method, params).await
}

async fn answer(incoming: &Incoming, method: Method, params: Result<String, Failure>) -> HttpResponse {
    let media = if incoming.wants_own_media_type() { OWN } else { JSON };
    let made = match params.and_then(|params| incoming.speaks(Some(method), &params).map(|()| params)) {
        Ok(params) => incoming.make(method, &params).await,
        Err(failure) => Err(failure),
    };
    let answered = match made {
        Ok(Reply::Text(text)) if method == Method::GetExtendedAgentCard => incoming
            .call()
            .map(|call| cached(&text, "private, no-cache", &call.held(), media)),
        Ok(Reply::Text(text)) => Ok(HttpResponse::Ok().content_type(media).body(text)),
        Ok(Reply::Stream(stream)) => events::stream(incoming, stream, Form::Plain),
        Err(failure) => Err(failure),
    };
    incoming.answered(answered.unwrap_or_else(|failure| refused(&failure, media)))
}

/// What is said of an address that an older version has.
pub fn older() -> HttpResponse {
    refused(&Failure::version(version::UNSAID), JSON)
}

/// What is said of an address under `/a2a` where there is nothing, or not by this method.
pub fn refuse(problem: Problem) -> HttpResponse {
    let allow = problem.allow.clone();
    let mut response = refused(&Failure::from(problem), JSON);
    if let Some(allow) = allow.and_then(|allow| HeaderValue::from_str(&allow).ok()) {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

fn refused(failure: &Failure, media: &str) -> HttpResponse {
    agents::refused(failure, failure.status, media, failure.rest())
}

fn bad(what: &str) -> Failure {
    Failure::from(Problem::new(Code::BadRequest, what))
}
