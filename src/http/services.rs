//! What agents offer by MCP: registered, read, and followed as Server-Sent Events.
//!
//! `services` brings what the address without `/stream` answers, with its version as the id; `bye` says that the service ends.

use actix_web::web::Bytes;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::messages::McpServices;
use crate::api::messages::OfferedServices;
use crate::api::messages::RegisteredServices;
use crate::app::directory::ServicesWatch;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::call::Listening;
use crate::http::openapi::parameters;
use crate::http::sse;
use crate::http::sse::Source;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Say what you offer by MCP
///
/// By the agent itself. Who follows it is told. The answer holds the policies, for an agent that starts.
#[utoipa::path(
    put,
    path = "/v1/agents/{agent}/services",
    tag = "Messages",
    params(parameters::Agent),
    request_body = McpServices,
    responses((status = 200, description = "What is kept, with the policies.", body = RegisteredServices)),
    extensions(("x-fails" = json!([Code::LimitReached, Code::ReadOnly])))
)]
pub async fn register_services(
    call: Call,
    agent: Path<String>,
    body: Body,
) -> Result<Json<RegisteredServices>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    Ok(Json(service.register_services(&call.caller, &agent, &body.0).await?))
}

/// What an agent offers by MCP
#[utoipa::path(
    get,
    path = "/v1/agents/{agent}/services",
    tag = "Messages",
    params(parameters::Agent),
    responses((status = 200, description = "What it registered last.", body = OfferedServices)),
    extensions(("x-fails" = json!([Code::UnknownAgent])))
)]
pub async fn read_services(call: Call, agent: Path<String>) -> Result<Json<OfferedServices>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.services(&call.caller)?.offered_by(&agent)?))
}

/// What an agent offers, as it changes
///
/// Server-Sent Events: `services` brings what the address without `/stream` answers, with its version as `id`; `bye` says
/// that the service ends. An agent may be followed before it registers.
#[utoipa::path(
    get,
    path = "/v1/agents/{agent}/services/stream",
    tag = "Messages",
    params(parameters::Agent, parameters::LastVersion),
    responses(
        (status = 200, description = "The stream; it does not end by itself.", body = String, content_type = "text/event-stream"),
    ),
    extensions(("x-fails" = json!([Code::UnknownAgent, Code::LimitReached, Code::Busy, Code::ShuttingDown])))
)]
pub async fn stream_services(listening: Listening, agent: Path<String>) -> Answer {
    let call = listening.0;
    call.query(&[])?;
    let seen = call.last_event_id()?.unwrap_or(0);
    let watch = call.service()?.services(&call.caller)?.follow(&agent, seen)?;
    sse::open(&call, watch)
}

impl Source for ServicesWatch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        let offered = ServicesWatch::next(self).await?;
        let body = serde_json::to_string(&offered).ok()?;
        Some(vec![sse::event(Some(offered.version), "services", &body)])
    }
}
