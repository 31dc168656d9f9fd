//! Webhooks: who else is told of changes.

use actix_web::http::StatusCode;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::webhooks::Deleted;
use crate::api::webhooks::Registration;
use crate::api::webhooks::Tried;
use crate::api::webhooks::Webhook;
use crate::api::webhooks::Webhooks;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Have another system told
///
/// CloudEvents 1.0, signed as Standard Webhooks says. The secret is shown this once.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    tag = "Telling",
    request_body = Registration,
    responses((status = 201, description = "The webhook, with its secret.", body = Webhook)),
    extensions(("x-fails" = json!([Code::LimitReached, Code::ReadOnly])))
)]
pub async fn register_webhook(call: Call, body: Body) -> Result<(Json<Webhook>, StatusCode), Problem> {
    call.query(&[])?;
    let registered = call.service()?.register_webhook(&call.caller, &body.0).await?;
    Ok((Json(registered), StatusCode::CREATED))
}

/// Who is told
#[utoipa::path(
    get,
    path = "/v1/webhooks",
    tag = "Telling",
    responses((status = 200, description = "All, by id.", body = Webhooks))
)]
pub async fn list_webhooks(call: Call) -> Result<Json<Webhooks>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.webhooks(&call.caller)?))
}

/// One webhook
#[utoipa::path(
    get,
    path = "/v1/webhooks/{webhook_id}",
    tag = "Telling",
    params(parameters::WebhookId),
    responses((status = 200, description = "How it fares.", body = Webhook))
)]
pub async fn read_webhook(call: Call, id: Path<String>) -> Result<Json<Webhook>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.webhook(&call.caller, &id)?))
}

/// Tell it nothing more
#[utoipa::path(
    delete,
    path = "/v1/webhooks/{webhook_id}",
    tag = "Telling",
    params(parameters::WebhookId),
    responses((status = 200, description = "It is gone.", body = Deleted)),
    extensions(("x-fails" = json!([Code::ReadOnly])))
)]
pub async fn delete_webhook(call: Call, id: Path<String>) -> Result<Json<Deleted>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.delete_webhook(&call.caller, &id).await?))
}

/// Try a webhook once
///
/// One call, now; where it is taken, a webhook that was paused goes on.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{webhook_id}:test",
    tag = "Telling",
    params(parameters::WebhookId),
    responses((status = 200, description = "What became of the call.", body = Tried))
)]
pub async fn test_webhook(call: Call, id: Path<String>) -> Result<Json<Tried>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.test_webhook(&call.caller, &id).await?))
}
