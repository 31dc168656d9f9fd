//! Sessions of shared context: how they begin and end, who takes part, and what whoever runs the service sees of them.

use actix_web::http::StatusCode;
use actix_web::web::Path;

use crate::api::session_audit::ContextAudit;
use crate::api::sessions::Grant;
use crate::api::sessions::Inspection;
use crate::api::sessions::Prompt;
use crate::api::sessions::Session;
use crate::api::sessions::SessionDeleted;
use crate::api::sessions::SessionWanted;
use crate::api::sessions::Sessions;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::http::query::Query;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Rows of a page where nothing is said, and at most.
const ROWS: usize = 50;
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
pub async fn create_session(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let session = call.service()?.create_session(&call.caller, &body.0).await?;
    Ok(answer::json(StatusCode::CREATED, session.to_string()))
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
pub async fn list_sessions(call: Call) -> Answer {
    let query = call.query(&["limit", "after"])?;
    let page = call
        .service()?
        .list_sessions(&call.caller, query.text("after"), rows(&query)?)?;
    Ok(answer::document(&page))
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
pub async fn read_session(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.session(&call.caller, &session)?))
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
pub async fn delete_session(call: Call, session: Path<String>) -> Answer {
    let by = call.query(&["as"])?.right()?;
    let deleted = call.service()?.delete_session(&call.caller, &session, by).await?;
    Ok(answer::document(&deleted))
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
pub async fn archive_session(call: Call, session: Path<String>) -> Answer {
    let by = call.query(&["as"])?.right()?;
    let archived = call.service()?.archive_session(&call.caller, &session, by).await?;
    Ok(answer::document(&archived))
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
pub async fn grant_session(call: Call, session: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let granted = call.service()?.grant_session(&call.caller, &session, &body.0).await?;
    Ok(answer::document(&granted))
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
pub async fn revoke_session(call: Call, path: Path<(String, String)>) -> Answer {
    call.query(&[])?;
    let (session, principal) = path.into_inner();
    let revoked = call
        .service()?
        .revoke_session(&call.caller, &session, &principal)
        .await?;
    Ok(answer::document(&revoked))
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
pub async fn read_session_prompt(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.session_prompt(&call.caller, &session)?,
    ))
}

/// Everything in a session
///
/// For whoever runs the service, to find out what went wrong.
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/inspection",
    tag = "Sharing",
    params(parameters::SessionId),
    responses((status = 200, description = "With values.", body = Inspection)),
    extensions(("x-fails" = json!([Code::SessionNotFound])))
)]
pub async fn inspect_session(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.inspect_session(&call.caller, &session)?,
    ))
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
pub async fn audit_sessions(call: Call) -> Answer {
    let query = call.query(&["session_id", "after", "limit"])?;
    let after = query.number("after")?.unwrap_or(0);
    let page = call
        .service()?
        .audit_sessions(&call.caller, query.text("session_id"), after, rows(&query)?)?;
    Ok(answer::document(&page))
}

fn rows(query: &Query) -> Result<usize, Problem> {
    match query.number("limit")? {
        None => Ok(ROWS),
        Some(limit) if (1..=ROWS_MAX).contains(&limit) => Ok(usize::try_from(limit).unwrap_or(ROWS)),
        Some(_) => {
            let what = format!("the parameter limit must be 1 to {ROWS_MAX}");
            Err(Problem::new(Code::BadParameter, what))
        }
    }
}
