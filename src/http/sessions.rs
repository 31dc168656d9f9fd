//! Sessions of shared context: how they begin and end, who takes part, what changes in them, and what whoever runs the service sees of
//! them.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::sessions::ContextAudit;
use crate::api::sessions::Prompt;
use crate::api::sessions::Session;
use crate::api::sessions::SessionDeleted;
use crate::api::sessions::SessionWanted;
use crate::api::sessions::Sessions;
use crate::app::caller::Permission;
use crate::app::sessions::SessionService;
use crate::app::sessions::watch::SessionWatch;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::call::Listening;
use crate::http::openapi::parameters;
use crate::http::sse;
use crate::http::sse::Source;
use crate::http::sse::lines;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use context::session::event::Grant;

/// Rows of a page where nothing is said, and at most.
const ROWS: u64 = 50;
const ROWS_MAX: u64 = 500;

/// Begin a session
///
/// An empty store. Whoever creates it leads (`orchestrator`) and says who else takes part, and as what.
#[utoipa::path(
    post,
    path = "/v1/sessions",
    tag = "Sharing",
    request_body = SessionWanted,
    responses((status = 201, description = "The session.", body = Session)),
    extensions(("x-fails" = json!([Code::SessionExists, Code::RoleTaken, Code::LimitReached, Code::ReadOnly])))
)]
pub async fn create_session(call: Call, body: Body) -> Result<(Json<Session>, StatusCode), Problem> {
    let session = sessions(&call)?.create(&call.caller, &body.0).await?;
    Ok((Json(session), StatusCode::CREATED))
}

/// The caller's sessions
///
/// Those that it created, and those in which it takes part, by id.
#[utoipa::path(
    get,
    path = "/v1/sessions",
    tag = "Sharing",
    params(parameters::SessionsLimit, parameters::After),
    responses((status = 200, description = "A page.", body = Sessions)),
    extensions(("x-fails" = json!([Code::BadParameter])))
)]
pub async fn list_sessions(call: Call) -> Result<Json<Sessions>, Problem> {
    let query = call.query(&["limit", "after"])?;
    let sessions = call.service()?.sessions(&call.caller, Permission::Share)?;
    Ok(Json(sessions.list(
        &call.caller,
        query.text("after"),
        query.count("limit", ROWS, ROWS_MAX)?,
    )))
}

/// One session
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}",
    tag = "Sharing",
    params(parameters::SessionId),
    responses((status = 200, description = "How it stands.", body = Session)),
    extensions(("x-fails" = json!([Code::SessionNotFound])))
)]
pub async fn read_session(call: Call, session: Path<String>) -> Result<Json<Session>, Problem> {
    Ok(Json(sessions(&call)?.session(&call.caller, &session)?))
}

/// Do away with a session
///
/// It is gone at once, and its values are erased from the disk.
#[utoipa::path(
    delete,
    path = "/v1/sessions/{session_id}",
    tag = "Sharing",
    params(parameters::SessionId, parameters::AsOperator),
    responses((status = 200, description = "It is gone.", body = SessionDeleted)),
    extensions(("x-fails" = json!([
        Code::BadParameter, Code::NotCreator, Code::Nameless, Code::SessionNotFound, Code::ReadOnly,
    ])))
)]
pub async fn delete_session(call: Call, session: Path<String>) -> Result<Json<SessionDeleted>, Problem> {
    let by = call.query(&["as"])?.right()?;
    let sessions = call.service()?.sessions(&call.caller, Permission::Share)?;
    Ok(Json(sessions.remove(&call.caller, &session, by).await?))
}

/// Make a session readable alone
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}:archive",
    tag = "Sharing",
    params(parameters::SessionId, parameters::AsOperator),
    responses((status = 200, description = "It is; once more changes nothing.", body = Session)),
    extensions(("x-fails" = json!([
        Code::BadParameter, Code::NotCreator, Code::Nameless, Code::SessionNotFound, Code::ReadOnly,
    ])))
)]
pub async fn archive_session(call: Call, session: Path<String>) -> Result<Json<Session>, Problem> {
    let by = call.query(&["as"])?.right()?;
    let sessions = call.service()?.sessions(&call.caller, Permission::Share)?;
    Ok(Json(sessions.archive(&call.caller, &session, by).await?))
}

/// Let a principal take part
///
/// Or change as what it does. A role is one principal's alone.
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}/participants",
    tag = "Sharing",
    params(parameters::SessionId),
    request_body = Grant,
    responses((status = 200, description = "The session.", body = Session)),
    extensions(("x-fails" = json!([
        Code::NotCreator, Code::SessionNotFound, Code::SessionArchived, Code::RoleTaken, Code::LimitReached,
        Code::ReadOnly,
    ])))
)]
pub async fn grant_session(call: Call, session: Path<String>, body: Body) -> Result<Json<Session>, Problem> {
    Ok(Json(sessions(&call)?.grant(&call.caller, &session, &body.0).await?))
}

/// Let a principal take part no more
#[utoipa::path(
    delete,
    path = "/v1/sessions/{session_id}/participants/{principal}",
    tag = "Sharing",
    params(parameters::SessionId, parameters::Principal),
    responses((status = 200, description = "The session.", body = Session)),
    extensions(("x-fails" = json!([
        Code::NotCreator, Code::SessionNotFound, Code::ParticipantNotFound, Code::ReadOnly,
    ])))
)]
pub async fn revoke_session(call: Call, path: Path<(String, String)>) -> Result<Json<Session>, Problem> {
    let (session, principal) = path.into_inner();
    Ok(Json(sessions(&call)?.revoke(&call.caller, &session, &principal).await?))
}

/// What a system prompt is to say
///
/// Which session it is and as what the caller takes part, which keys there are, what to write, how to read.
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/prompt",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole),
    responses((status = 200, description = "Three blocks, and all of them as one text.", body = Prompt)),
    extensions(("x-fails" = json!([Code::RoleNotGranted, Code::SessionNotFound])))
)]
pub async fn read_session_prompt(call: Call, session: Path<String>) -> Result<Json<Prompt>, Problem> {
    Ok(Json(sessions(&call)?.prompt(&call.caller, &session)?))
}

/// Everything in a session
///
/// For whoever runs the service, to find out what went wrong.
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/inspection",
    tag = "Sharing",
    params(parameters::SessionId),
    responses((status = 200, description = "With values.", body = Session)),
    extensions(("x-fails" = json!([Code::SessionNotFound])))
)]
pub async fn inspect_session(call: Call, session: Path<String>) -> Result<Json<Session>, Problem> {
    call.query(&[])?;
    let sessions = call.service()?.sessions(&call.caller, Permission::Operate)?;
    Ok(Json(sessions.inspect(&session)?))
}

/// Who wrote and deleted what
///
/// Without values, for as long as the journal: sessions that are gone are in it.
#[utoipa::path(
    get,
    path = "/v1/sessions:audit",
    tag = "Sharing",
    params(parameters::OfSession, parameters::EntriesLimit, parameters::AfterRecord),
    responses((status = 200, description = "A page, oldest first.", body = ContextAudit)),
    extensions(("x-fails" = json!([Code::BadParameter, Code::SessionNotFound])))
)]
pub async fn audit_sessions(call: Call) -> Result<Json<ContextAudit>, Problem> {
    let query = call.query(&["session_id", "after", "limit"])?;
    let after = query.number("after")?.unwrap_or(0);
    let sessions = call.service()?.sessions(&call.caller, Permission::Audit)?;
    Ok(Json(sessions.audit(
        query.text("session_id"),
        after,
        query.count("limit", ROWS, ROWS_MAX)?,
    )?))
}

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
    let sessions = call.service()?.sessions(&call.caller, Permission::Share)?;
    let watch = sessions.follow(&call.caller, &session, query.text("keys"), since);
    let watch = watch.map_err(|error| {
        let mut problem = Problem::from(error);
        if resumed.is_some() && query.text("keys").is_none() && problem.code == Code::BadParameter {
            // The event came in the head.
            problem.code = Code::BadHeader;
        }
        problem
    })?;
    sse::open(&call, watch)
}

impl Source for SessionWatch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        SessionWatch::next(self).await.as_deref().map(lines)
    }
}

/// The sessions, for who takes part in some, by a call without parameters.
pub fn sessions(call: &Call) -> Result<&Arc<SessionService>, Problem> {
    call.query(&[])?;
    Ok(call.service()?.sessions(&call.caller, Permission::Share)?)
}
