//! Sessions of shared context: how they begin and end, who takes part, and what whoever runs the service sees of them.

use actix_web::http::StatusCode;
use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::http::query::Query;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;

/// Rows of a page where nothing is said, and at most.
const ROWS: usize = 50;
const ROWS_MAX: u64 = 500;

/// `POST /v1/sessions`: 201 with the session.
pub async fn create(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let session = call.service()?.create_session(&call.caller, &body.0).await?;
    Ok(answer::json(StatusCode::CREATED, session.to_string()))
}

/// `GET /v1/sessions?limit=&after=`
pub async fn list(call: Call) -> Answer {
    let query = call.query(&["limit", "after"])?;
    let page = call
        .service()?
        .list_sessions(&call.caller, query.text("after"), rows(&query)?)?;
    Ok(answer::document(&page))
}

/// `GET /v1/sessions/{session_id}`
pub async fn one(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.session(&call.caller, &session)?))
}

/// `DELETE /v1/sessions/{session_id}?as=`
pub async fn delete(call: Call, session: Path<String>) -> Answer {
    let by = call.query(&["as"])?.right()?;
    let deleted = call.service()?.delete_session(&call.caller, &session, by).await?;
    Ok(answer::document(&deleted))
}

/// `POST /v1/sessions/{session_id}:archive?as=`
pub async fn archive(call: Call, session: Path<String>) -> Answer {
    let by = call.query(&["as"])?.right()?;
    let archived = call.service()?.archive_session(&call.caller, &session, by).await?;
    Ok(answer::document(&archived))
}

/// `POST /v1/sessions/{session_id}/participants`
pub async fn grant(call: Call, session: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let granted = call.service()?.grant_session(&call.caller, &session, &body.0).await?;
    Ok(answer::document(&granted))
}

/// `DELETE /v1/sessions/{session_id}/participants/{principal}`
pub async fn revoke(call: Call, path: Path<(String, String)>) -> Answer {
    call.query(&[])?;
    let (session, principal) = path.into_inner();
    let revoked = call
        .service()?
        .revoke_session(&call.caller, &session, &principal)
        .await?;
    Ok(answer::document(&revoked))
}

/// `GET /v1/sessions/{session_id}/prompt`
pub async fn prompt(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.session_prompt(&call.caller, &session)?,
    ))
}

/// `GET /v1/sessions/{session_id}/inspection`
pub async fn inspect(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.inspect_session(&call.caller, &session)?,
    ))
}

/// `GET /v1/sessions:audit?session_id=&after=&limit=`
pub async fn audit(call: Call) -> Answer {
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
