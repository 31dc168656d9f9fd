//! `GET /v1/agents/{agent}/tasks/events`: what is handed out to an agent, as Server-Sent Events.
//!
//! `sent`, `returned`, `incomplete` and `complete` say how a subtask of the agent's stands now, without its context; `gone` that it
//! is the agent's no more, or that its task was closed; `bye` that the service is ending.

use actix_web::web::Bytes;
use actix_web::web::Path;

use crate::edge::http::answer::Answer;
use crate::edge::http::call::Listening;
use crate::edge::http::events;
use crate::edge::http::events::Source;
use crate::edge::http::follow::lines;
use crate::service::task_contexts::watch::WorkWatch;

/// Opens a stream for the agent itself. A `HEAD` is told what it would be and takes no place.
pub async fn follow(listening: Listening, agent: Path<String>) -> Answer {
    let call = listening.0;
    call.query(&[])?;
    let watch = call.service()?.follow_work(&call.caller, &agent)?;
    events::open(&call, watch)
}

impl Source for WorkWatch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        WorkWatch::next(self).await.as_deref().map(lines)
    }
}
