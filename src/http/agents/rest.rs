//! The HTTP+JSON binding under `/a2a` (A2A §11): path, query and body become the params that JSON-RPC has.

use actix_web::HttpResponse;
use actix_web::web;
use actix_web::web::Path;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::a2a::call::Method;
use crate::a2a::call::Reply;
use crate::a2a::failure::Failure;
use crate::a2a::headers;
use crate::a2a::params;
use crate::api::a2a::A2aTask;
use crate::api::a2a::AgentCard;
use crate::api::a2a::ListTasksResponse;
use crate::api::a2a::SendMessageRequest;
use crate::api::a2a::StreamResponse;
use crate::api::a2a::TaskPushNotificationConfig;
use crate::api::a2a::TaskPushNotificationConfigs;
use crate::http::agents;
use crate::http::agents::cached;
use crate::http::agents::events;
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
    request_body = SendMessageRequest,
    responses((status = 200, description = "`task` or `message`.", body = StreamResponse))
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
    request_body = SendMessageRequest,
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
    responses((status = 200, description = "The tasks.", body = ListTasksResponse))
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
    responses((status = 200, description = "The task.", body = A2aTask))
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
    responses((status = 200, description = "The task.", body = A2aTask))
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
    request_body = TaskPushNotificationConfig,
    responses((status = 200, description = "As it is kept.", body = TaskPushNotificationConfig))
)]
pub async fn tell_of_task(incoming: Incoming, path: Path<String>) -> HttpResponse {
    let params = incoming.taken().and_then(|(_, body)| {
        let mut params = params::object(body)?;
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
    responses((status = 200, description = "Who is told.", body = TaskPushNotificationConfigs))
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
    responses((status = 200, description = "As it is kept.", body = TaskPushNotificationConfig))
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
    responses((status = 200, description = "Nothing.", body = Object))
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
    answer(incoming, method, incoming.taken().map(|(_, body)| body.clone())).await
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

/// A parameter as a member of the params: numbers and flags by their own types, as a body would hold them. What is not of its type
/// stays text, for the reader to say so. `None` of one that is not known.
fn member(name: &str, value: &str) -> Option<Value> {
    let joined = name.replace('_', "");
    let known = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(&joined))?;
    let read = match *known {
        "pageSize" | "historyLength" => value.parse::<i64>().map(Value::from).ok(),
        "includeArtifacts" => value.parse::<bool>().map(Value::from).ok(),
        _ => None,
    };
    Some(read.unwrap_or_else(|| Value::from(value)))
}

/// A query with what a path names, as the params of JSON-RPC.
fn params_of(query: &str, path: &[(&str, &str)]) -> Result<String, Failure> {
    let bad = |what: &str| Failure::from(Problem::new(Code::BadRequest, what));
    let query = web::Query::<Vec<(String, String)>>::from_query(query);
    let pairs = query.map_err(|_| bad("the query cannot be read"))?.into_inner();
    let mut params = Map::new();
    for (name, value) in pairs {
        let member = member(&name, &value).ok_or_else(|| {
            let name: String = name.chars().take(64).collect();
            bad(&format!("the parameter {name:?} is unknown"))
        })?;
        params.insert(name, member);
    }
    params.extend(path.iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
    Ok(Value::Object(params).to_string())
}

/// A call whose params stand in the path and the query.
async fn queried(incoming: &Incoming, method: Method, path: &[(&str, &str)]) -> HttpResponse {
    let taken = incoming.taken();
    let params = taken.and_then(|_| params_of(incoming.request.query_string(), path));
    answer(incoming, method, params).await
}

async fn answer(incoming: &Incoming, method: Method, params: Result<String, Failure>) -> HttpResponse {
    let media = if incoming.wants_own_media_type() { OWN } else { JSON };
    let made = match params.and_then(|params| incoming.speaks(Some(method), &params).map(|()| params)) {
        Ok(params) => incoming.make(method, &params).await,
        Err(failure) => Err(failure),
    };
    let answered = made.and_then(|reply| match reply {
        Reply::Text(card) if method == Method::GetExtendedAgentCard => {
            Ok(cached(&incoming.request, card, "private, no-cache", media))
        }
        Reply::Text(text) => Ok(HttpResponse::Ok().content_type(media).body(text)),
        Reply::Stream(stream) => events::stream(incoming, stream, None),
    });
    incoming.answered(answered.unwrap_or_else(|failure| refused(&failure, media)))
}

/// What is said of an address that an older version has.
pub fn older() -> HttpResponse {
    refused(&Failure::version(headers::UNSAID), JSON)
}

/// What is said of an address under `/a2a` where there is nothing, or not by this method.
pub fn refuse(problem: Problem) -> HttpResponse {
    refused(&Failure::from(problem), JSON)
}

fn refused(failure: &Failure, media: &str) -> HttpResponse {
    agents::refused(failure, failure.status, media, failure.rest())
}

#[cfg(test)]
mod tests {
    use super::params_of;

    #[test]
    fn a_query_is_read_as_a_body_is() {
        let query = "page_size=5&includeArtifacts=true&contextId=7&historyLength=x";
        let params = params_of(query, &[("id", "t")]).expect("params");
        let members = r#"{"page_size":5,"includeArtifacts":true,"contextId":"7","historyLength":"x","id":"t"}"#;
        assert_eq!(params, members);
        assert_eq!(params_of("colour=7", &[]).expect_err("unknown").number, -32602);
    }
}
