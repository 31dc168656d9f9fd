//! Conversations: what was said, what of it goes to whom, and what an agent keeps of its own.

use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::http::header::HeaderValue;
use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;

/// Conversations of one page, and turns of one answer, where nothing is said.
pub const LIMIT: u64 = 100;
/// The most of both.
pub const LIMIT_MAX: u64 = 1_000;

/// `POST /v1/conversations`: 201 with the context id that is given out.
pub async fn open(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.open_conversation(&call.caller, &body.0).await?;
    let mut response = answer::json(StatusCode::CREATED, told.to_string());
    let id = told["context_id"].as_str().unwrap_or_default();
    if let Ok(location) = HeaderValue::try_from(format!("/v1/conversations/{id}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// `GET /v1/conversations?limit=`
pub async fn list(call: Call) -> Answer {
    let limit = bounded(&call, "limit")?;
    Ok(answer::document(&call.service()?.conversations(&call.caller, limit)?))
}

/// `GET /v1/conversations/{context_id}?last_turns=`
pub async fn one(call: Call, id: Path<String>) -> Answer {
    let last_turns = bounded(&call, "last_turns")?;
    let shown = call.service()?.conversation(&call.caller, &id, last_turns)?;
    Ok(answer::document(&shown))
}

/// `DELETE /v1/conversations/{context_id}?as=`
pub async fn remove(call: Call, id: Path<String>) -> Answer {
    let by = call.query(&["as"])?.right()?;
    let told = call.service()?.remove_conversation(&call.caller, &id, by).await?;
    Ok(answer::document(&told))
}

/// `POST /v1/conversations/{context_id}/turns`: 201.
pub async fn say(call: Call, id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.say(&call.caller, &id, &body.0).await?;
    Ok(answer::json(StatusCode::CREATED, told.to_string()))
}

/// `PUT /v1/conversations/{context_id}/recipients/{agent}`
pub async fn declare(call: Call, names: Path<(String, String)>, body: Body) -> Answer {
    call.query(&[])?;
    let (id, agent) = names.into_inner();
    let service = call.service()?;
    let told = service.declare_recipient(&call.caller, &id, &agent, &body.0).await?;
    Ok(answer::document(&told))
}

/// `DELETE /v1/conversations/{context_id}/recipients/{agent}`
pub async fn undeclare(call: Call, names: Path<(String, String)>) -> Answer {
    call.query(&[])?;
    let (id, agent) = names.into_inner();
    let told = call.service()?.remove_recipient(&call.caller, &id, &agent).await?;
    Ok(answer::document(&told))
}

/// `POST /v1/conversations/{context_id}:embed`
pub async fn embed(call: Call, id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.embed(&call.caller, &id, &body.0).await?;
    Ok(answer::document(&told))
}

/// `GET /v1/conversations/{context_id}/context`
pub async fn context(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    let told = call.service()?.fetch_context(&call.caller, &id).await?;
    Ok(answer::document(&told))
}

/// `PUT /v1/conversations/{context_id}/state`
pub async fn keep(call: Call, id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.keep_state(&call.caller, &id, &body.0).await?;
    Ok(answer::json(StatusCode::OK, told))
}

/// `GET /v1/conversations/{context_id}/state`
pub async fn kept(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    let told = call.service()?.kept_state(&call.caller, &id)?;
    Ok(answer::json(StatusCode::OK, told))
}

/// `DELETE /v1/conversations/{context_id}/state`
pub async fn drop_kept(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    let told = call.service()?.drop_state(&call.caller, &id).await?;
    Ok(answer::document(&told))
}

fn bounded(call: &Call, name: &'static str) -> Result<usize, Problem> {
    let asked = call.query(&[name])?.number(name)?.unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&asked) {
        let what = format!("the parameter {name} must be 1 to {LIMIT_MAX}");
        return Err(Problem::new(Code::BadParameter, what));
    }
    Ok(usize::try_from(asked).unwrap_or(usize::MAX))
}
