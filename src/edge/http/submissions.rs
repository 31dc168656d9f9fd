//! Submissions: the body goes to the service as it came.

use actix_web::HttpResponse;
use actix_web::ResponseError;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::problem::Problem;
use crate::service::error::ServiceError;

/// `POST /v1/submissions`
pub async fn submit(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let key = call.idempotency_key()?;
    match call.service()?.submit(&call.caller, &body.0, key).await {
        Ok(reply) if reply.replayed => Ok(replayed(answer::json(StatusCode::OK, reply.body))),
        Ok(reply) => Ok(answer::json(StatusCode::OK, reply.body)),
        Err(refused @ ServiceError::RefusedBefore(_)) => Ok(replayed(Problem::from(refused).error_response())),
        Err(error) => Err(error.into()),
    }
}

/// Says that an answer, accepted or refused, is the stored one of an earlier call with the same idempotency key.
fn replayed(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(
        HeaderName::from_static("idempotent-replayed"),
        HeaderValue::from_static("true"),
    );
    response
}

/// `POST /v1/submissions:validate`
pub async fn validate(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let reply = call.service()?.validate(&call.caller, &body.0)?;
    Ok(answer::json(StatusCode::OK, reply.body))
}
