//! `GET /v1/sessions/{session_id}/events`: what changes in a session, as Server-Sent Events.
//!
//! `written`, `deleted`, `snapshot` and `archived` say what changed and never a value; `relist` that more went than is remembered;
//! `gone` that the session is there no more for who follows it; `bye` that the service is ending.

use actix_web::web::Bytes;
use actix_web::web::Path;

use crate::app::sessions::watch::ContextWatch;
use crate::app::sessions::watch::Told;
use crate::http::answer::Answer;
use crate::http::call::Listening;
use crate::http::openapi::parameters;
use crate::http::sse;
use crate::http::sse::Source;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// What changes, as it changes
///
/// Server-Sent Events without values: `written`, `deleted`, `snapshot`, `archived`; `relist` when more keys went since
/// than are remembered; `gone` when the session is there no more for the caller; `bye` when the service ends. Several
/// changes of one key may come as one. After a break, `Last-Event-ID` goes on where it was.
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/events",
    tag = "Sharing",
    params(
        parameters::SessionId,
        parameters::DeclaredRole,
        parameters::FollowedKeys,
        parameters::Since,
        parameters::LastEventId,
    ),
    responses(
        (status = 200, description = "The stream; it does not end by itself.", body = String, content_type = "text/event-stream"),
    ),
    extensions(("x-fails" = json!([
        Code::BadParameter, Code::RoleNotGranted, Code::SessionNotFound, Code::ExtensionOff, Code::LimitReached,
        Code::Busy, Code::ShuttingDown,
    ])))
)]
pub async fn follow_session(listening: Listening, session: Path<String>) -> Answer {
    let call = listening.0;
    let query = call.query(&["keys", "since"])?;
    let resumed = call.last_event_id()?;
    let since = resumed.or(query.number("since")?);
    let watch = call
        .service()?
        .follow_session(&call.caller, &session, query.text("keys"), since)
        .map_err(|error| {
            let mut problem = Problem::from(error);
            if resumed.is_some() && query.text("keys").is_none() && problem.code == Code::BadParameter {
                // The event came in the head.
                problem.code = Code::BadHeader;
            }
            problem
        })?;
    sse::open(&call, watch)
}

impl Source for ContextWatch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        ContextWatch::next(self).await.as_deref().map(lines)
    }
}

/// What is told, as events of the wire.
pub fn lines(told: &[Told]) -> Vec<Bytes> {
    let line = |told: &Told| sse::event(told.id, told.event, &told.data);
    told.iter().map(line).collect()
}
