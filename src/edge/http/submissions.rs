//! Submissions: the body goes to the service as it came.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;

/// `POST /v1/submissions`
pub async fn submit(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let key = call.idempotency_key()?;
    let reply = call.service()?.submit(&call.caller, &body.0, key).await?;
    let mut response = answer::json(StatusCode::OK, reply.body);
    if reply.replayed {
        response.headers_mut().insert(
            HeaderName::from_static("idempotent-replayed"),
            HeaderValue::from_static("true"),
        );
    }
    Ok(response)
}

/// `POST /v1/submissions:validate`
pub async fn validate(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let reply = call.service()?.validate(&call.caller, &body.0)?;
    Ok(answer::json(StatusCode::OK, reply.body))
}
