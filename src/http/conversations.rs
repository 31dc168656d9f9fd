//! Conversations: what was said, and what of it goes to whom.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::conversations::Conversation;
use crate::api::conversations::Conversations;
use crate::api::conversations::Declaration;
use crate::api::conversations::Declared;
use crate::api::conversations::Embedded;
use crate::api::conversations::Embedding;
use crate::api::conversations::ForAgent;
use crate::api::conversations::Recorded;
use crate::api::conversations::RemovedContext;
use crate::api::conversations::TurnSaid;
use crate::app;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Conversations of one page, and turns of one answer, where nothing is said.
pub const LIMIT: u64 = 100;
/// The most of both.
pub const LIMIT_MAX: u64 = 1_000;

/// Begin a conversation
///
/// The context id is given out here. The body may hold the first turn.
#[utoipa::path(
    post,
    path = "/v1/conversations",
    tag = "Conversations",
    request_body = Option<TurnSaid>,
    responses((status = 201, description = "It has begun.", body = Recorded, headers(("Location")))),
    extensions(("x-fails" = json!([Code::NothingTaken, Code::LimitReached, Code::ReadOnly])))
)]
pub async fn open_conversation(call: Call, body: Body) -> Answer {
    let conversations = kept(&call)?;
    let begun = conversations.open(&call.caller, &body.0).await?;
    let location = format!("/v1/conversations/{}", begun.context_id);
    Ok(HttpResponse::Created()
        .insert_header((header::LOCATION, location))
        .json(begun))
}

/// Your conversations
#[utoipa::path(
    get,
    path = "/v1/conversations",
    tag = "Conversations",
    params(parameters::ConversationsLimit),
    responses((status = 200, description = "The one that changed last first.", body = Conversations)),
    extensions(("x-fails" = json!([Code::BadParameter])))
)]
pub async fn list_conversations(call: Call) -> Result<Json<Conversations>, Problem> {
    let limit = call.query(&["limit"])?.count("limit", LIMIT, LIMIT_MAX)?;
    let conversations = call.service()?.conversations(&call.caller)?;
    Ok(Json(conversations.list(&call.caller, limit)?))
}

/// One of your conversations
#[utoipa::path(
    get,
    path = "/v1/conversations/{context_id}",
    tag = "Conversations",
    params(parameters::ContextId, parameters::LastTurns),
    responses(
        (status = 200, description = "What was said, summarised, shared and declared.", body = Conversation),
    ),
    extensions(("x-fails" = json!([Code::BadParameter, Code::UnknownConversation])))
)]
pub async fn read_conversation(call: Call, id: Path<String>) -> Result<Json<Conversation>, Problem> {
    let last_turns = call.query(&["last_turns"])?.count("last_turns", LIMIT, LIMIT_MAX)?;
    let conversations = call.service()?.conversations(&call.caller)?;
    Ok(Json(conversations.show(&call.caller, &id, last_turns)?))
}

/// Remove a conversation
///
/// What was said in it is erased.
#[utoipa::path(
    delete,
    path = "/v1/conversations/{context_id}",
    tag = "Conversations",
    params(parameters::ContextId, parameters::AsOperator),
    responses((status = 200, description = "It is gone.", body = RemovedContext)),
    extensions(("x-fails" = json!([Code::BadParameter, Code::Nameless, Code::UnknownConversation, Code::ReadOnly])))
)]
pub async fn delete_conversation(call: Call, id: Path<String>) -> Result<Json<RemovedContext>, Problem> {
    let by = call.query(&["as"])?.right()?;
    let conversations = call.service()?.conversations(&call.caller)?;
    Ok(Json(conversations.remove(&call.caller, &id, by).await?))
}

/// Record a turn
///
/// Words as `content`, or a message of A2A with its `parts`. Parts of data are held against the hosted template of their
/// type and version; of each type the last one is kept. After every `conversations.summarise_after_turns` turns they are
/// summarised. A part that is refused does not take the others with it; where it was all that was sent, nothing is on
/// record.
#[utoipa::path(
    post,
    path = "/v1/conversations/{context_id}/turns",
    tag = "Conversations",
    params(parameters::ContextId),
    request_body = TurnSaid,
    responses((status = 201, description = "It is on record; what became of each part.", body = Recorded)),
    extensions(("x-fails" = json!([Code::UnknownConversation, Code::NothingTaken, Code::LimitReached, Code::ReadOnly])))
)]
pub async fn say_turn(call: Call, id: Path<String>, body: Body) -> Result<(Json<Recorded>, StatusCode), Problem> {
    let conversations = kept(&call)?;
    let recorded = conversations.say(&call.caller, &id, &body.0).await?;
    Ok((Json(recorded), StatusCode::CREATED))
}

/// Declare what an agent gets
///
/// Nothing goes to an agent that is not declared here.
#[utoipa::path(
    put,
    path = "/v1/conversations/{context_id}/recipients/{agent}",
    tag = "Conversations",
    params(parameters::ContextId, parameters::Agent),
    request_body = Declaration,
    responses((status = 200, description = "It is declared.", body = Declared)),
    extensions(("x-fails" = json!([Code::UnknownConversation, Code::LimitReached, Code::ReadOnly])))
)]
pub async fn declare_recipient(
    call: Call,
    names: Path<(String, String)>,
    body: Body,
) -> Result<Json<Declared>, Problem> {
    let (id, agent) = names.into_inner();
    let conversations = kept(&call)?;
    let declared = conversations.declare(&call.caller, &id, &agent, &body.0).await?;
    Ok(Json(declared))
}

/// Let an agent get nothing more
#[utoipa::path(
    delete,
    path = "/v1/conversations/{context_id}/recipients/{agent}",
    tag = "Conversations",
    params(parameters::ContextId, parameters::Agent),
    responses((status = 200, description = "It gets nothing more.", body = RemovedContext)),
    extensions(("x-fails" = json!([
        Code::BadRequest, Code::UnknownConversation, Code::UnknownRecipient, Code::ReadOnly,
    ])))
)]
pub async fn remove_recipient(call: Call, names: Path<(String, String)>) -> Result<Json<RemovedContext>, Problem> {
    let (id, agent) = names.into_inner();
    let conversations = kept(&call)?;
    Ok(Json(conversations.undeclare(&call.caller, &id, &agent).await?))
}

/// The message for an agent
///
/// A message of A2A, to be sent as it is: the query, and what this agent's declaration lets out. Without `text` the query
/// is what the user said last.
#[utoipa::path(
    post,
    path = "/v1/conversations/{context_id}:embed",
    tag = "Conversations",
    params(parameters::ContextId),
    request_body = Embedding,
    responses((status = 200, description = "The message.", body = Embedded)),
    extensions(("x-fails" = json!([Code::UnknownConversation, Code::UnknownRecipient, Code::ReadOnly])))
)]
pub async fn embed_context(call: Call, id: Path<String>, body: Body) -> Result<Json<Embedded>, Problem> {
    let conversations = kept(&call)?;
    Ok(Json(conversations.embed(&call.caller, &id, &body.0).await?))
}

/// What you may see of a conversation
///
/// For an agent that is declared in it: the same parts that would be embedded for it.
#[utoipa::path(
    get,
    path = "/v1/conversations/{context_id}/context",
    tag = "Conversations",
    params(parameters::ContextId),
    responses((status = 200, description = "The parts.", body = ForAgent)),
    extensions(("x-fails" = json!([Code::UnknownConversation, Code::UnknownRecipient, Code::ReadOnly])))
)]
pub async fn fetch_context(call: Call, id: Path<String>) -> Result<Json<ForAgent>, Problem> {
    let conversations = kept(&call)?;
    Ok(Json(conversations.fetch(&call.caller, &id).await?))
}

/// The conversations, for a call without parameters.
fn kept(call: &Call) -> Result<&Arc<app::conversations::Conversations>, Problem> {
    call.query(&[])?;
    Ok(call.service()?.conversations(&call.caller)?)
}
