//! Webhooks: who else is told of changes.

use actix_web::http::StatusCode;
use actix_web::web::Path;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;

/// `POST /v1/webhooks`: 201 with the secret, this once.
pub async fn register(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let (mut document, secret) = call.service()?.register_webhook(&call.caller, &body.0).await?;
    document["secret"] = json!(format!("whsec_{}", STANDARD.encode(secret)));
    Ok(answer::json(StatusCode::CREATED, document.to_string()))
}

/// `GET /v1/webhooks`
pub async fn list(call: Call) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.webhooks(&call.caller)?))
}

/// `GET /v1/webhooks/{webhook_id}`
pub async fn one(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.webhook(&call.caller, &id)?))
}

/// `DELETE /v1/webhooks/{webhook_id}`
pub async fn delete(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.delete_webhook(&call.caller, &id).await?,
    ))
}

/// `POST /v1/webhooks/{webhook_id}:test`
pub async fn test(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.test_webhook(&call.caller, &id).await?,
    ))
}
