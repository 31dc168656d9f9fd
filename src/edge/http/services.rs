//! What agents offer by MCP: registered, read, and followed as Server-Sent Events.
//!
//! `services` brings what the address without `/stream` answers, with its version as the id; `bye` says that the service ends.

use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::http::call::Listening;
use crate::edge::http::events;
use crate::edge::http::events::Source;
use crate::service::directory::ServicesWatch;

/// `PUT /v1/agents/{agent}/services`
pub async fn register(call: Call, agent: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.register_services(&call.caller, &agent, &body.0).await?;
    Ok(answer::document(&told))
}

/// `GET /v1/agents/{agent}/services`
pub async fn one(call: Call, agent: Path<String>) -> Answer {
    call.query(&[])?;
    let offered = call.service()?.services(&call.caller, &agent)?;
    Ok(answer::json(StatusCode::OK, offered.body))
}

/// `GET /v1/agents/{agent}/services/stream`. A `HEAD` is told what it would be and takes no place.
pub async fn stream(listening: Listening, agent: Path<String>) -> Answer {
    let call = listening.0;
    call.query(&[])?;
    let seen = call.last_event_id()?.unwrap_or(0);
    let watch = call.service()?.follow_services(&call.caller, &agent, seen)?;
    events::open(&call, watch)
}

impl Source for ServicesWatch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        let offered = ServicesWatch::next(self).await?;
        Some(vec![events::event(Some(offered.version), "services", &offered.body)])
    }
}
