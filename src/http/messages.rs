//! Messages between agents: what becomes of their parts here, and what they say as Markdown or in the other draft's shape.

use actix_web::web::Json;

use crate::api::conversations::MessageChecked;
use crate::api::messages::AgentContextMessage;
use crate::api::messages::CheckedParts;
use crate::api::messages::Converted;
use crate::api::messages::EitherTaskContext;
use crate::api::messages::Policies;
use crate::api::messages::Rendered;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// What becomes of a message's parts
///
/// Each part of data by its type and version beside what is hosted; files are skipped. Nothing is recorded.
#[utoipa::path(
    post,
    path = "/v1/messages:check",
    tag = "Messages",
    request_body = MessageChecked,
    responses((status = 200, description = "Part by part.", body = CheckedParts))
)]
pub async fn check_message(call: Call, body: Body) -> Result<Json<CheckedParts>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.check_message(&call.caller, &body.0)?))
}

/// An Agent Context Message as Markdown
///
/// Within a budget of tokens; what is left out is said in the text and in the answer, and no token is in it.
#[utoipa::path(
    post,
    path = "/v1/messages:render",
    tag = "Messages",
    params(parameters::TokensMax),
    request_body = AgentContextMessage,
    responses((status = 200, description = "The text.", body = Rendered)),
    extensions(("x-fails" = json!([Code::BadParameter])))
)]
pub async fn render_message(call: Call, body: Body) -> Result<Json<Rendered>, Problem> {
    let tokens_max = call.query(&["tokens_max"])?.number("tokens_max")?;
    let rendered = call.service()?.render_message(&call.caller, &body.0, tokens_max)?;
    Ok(Json(rendered))
}

/// A task context in the other draft's shape
///
/// `taskContext` becomes `TaskContext` and the other way round; what has no place there is named.
#[utoipa::path(
    post,
    path = "/v1/messages:convert",
    tag = "Messages",
    request_body = EitherTaskContext,
    responses((status = 200, description = "The other shape.", body = Converted))
)]
pub async fn convert_task_context(call: Call, body: Body) -> Result<Json<Converted>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.convert_message(&call.caller, &body.0)?))
}

/// Rules that agents are given
#[utoipa::path(
    get,
    path = "/v1/policies",
    tag = "Messages",
    responses((status = 200, description = "As configured.", body = Policies))
)]
pub async fn read_policies(call: Call) -> Result<Json<Policies>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.services(&call.caller)?.policies()))
}
