//! `GET /v1/agents/{agent}/tasks/events`: what is handed out to an agent, as Server-Sent Events.
//!
//! `sent`, `returned`, `incomplete` and `complete` say how a subtask of the agent's stands now, without its context; `gone` that it
//! is the agent's no more, or that its task was closed; `bye` that the service is ending.

use actix_web::web::Bytes;
use actix_web::web::Path;

use crate::app::task_contexts::watch::WorkWatch;
use crate::http::answer::Answer;
use crate::http::call::Listening;
use crate::http::follow::lines;
use crate::http::openapi::parameters;
use crate::http::sse;
use crate::http::sse::Source;
use crate::wire::codes::Code;

/// What is handed out to an agent, as it happens
///
/// Server-Sent Events for the agent itself, without contexts: `sent`, `returned`, `incomplete` and `complete` bring what
/// the list of its subtasks says of one that changed, `gone` that one is its own no more or that its task was closed,
/// `bye` that the service ends. A stream begins with what waits for the agent, so that nothing is lost where one broke
/// off.
#[utoipa::path(
    get,
    path = "/v1/agents/{agent}/tasks/events",
    tag = "Working",
    params(parameters::Agent),
    responses(
        (status = 200, description = "The stream; it does not end by itself.", body = String, content_type = "text/event-stream"),
    ),
    extensions(("x-fails" = json!([Code::Nameless, Code::UnknownAgent, Code::Busy, Code::ShuttingDown])))
)]
pub async fn follow_tasks(listening: Listening, agent: Path<String>) -> Answer {
    let call = listening.0;
    call.query(&[])?;
    let watch = call.service()?.follow_work(&call.caller, &agent)?;
    sse::open(&call, watch)
}

impl Source for WorkWatch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        WorkWatch::next(self).await.as_deref().map(lines)
    }
}
