//! Submissions: the body goes to the service as it came.

use actix_web::http::StatusCode;
use actix_web::web::Json;
use actix_web::web::Path;
use serde_json::value::RawValue;

use crate::api::submissions::Accepted;
use crate::api::submissions::Batch;
use crate::api::submissions::BatchItem;
use crate::api::submissions::BatchReply;
use crate::api::submissions::ExtensionReply;
use crate::api::submissions::ExtensionRequest;
use crate::api::submissions::Submission;
use crate::app::error::ServiceError;
use crate::app::reply::SubmitReply;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::body::Framed;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Submit a payload
///
/// The payload is judged by the template that the caller sees, recorded, and executed where the schema has an executor.
/// What no key holds stands in `other`, which never makes a submission fail.
#[utoipa::path(
    post,
    path = "/v1/submissions",
    tag = "Submissions",
    params(parameters::IdempotencyKey, parameters::Prefer),
    request_body = Submission,
    responses(
        (status = 200, description = "It is accepted and on record.", body = Accepted, headers(("Deprecation"), ("Idempotent-Replayed"), ("Otherwise-Latest"), ("Preference-Applied"), ("Sunset"))),
    ),
    extensions(("x-fails" = json!([
        Code::UnknownSchema, Code::IdempotencyInFlight, Code::SchemaRetired, Code::InvalidPayload,
        Code::IdempotencyMismatch, Code::LimitReached, Code::ExecutorFailed, Code::ExecutorRefused,
        Code::BadResult, Code::ExecutorNotAllowed, Code::ExecutorBusy, Code::ExecutorPaused,
        Code::ExecutorTimeout, Code::ReadOnly,
    ])))
)]
pub async fn submit(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let key = call.idempotency_key()?;
    let service = call.service()?;
    answer::submitted(StatusCode::OK, service.submit(&call.caller, &body.0, key).await)
}

/// Ask for what the template cannot say
///
/// Wishes in the client's own words, without a payload (Z-022). They are pooled as what stands in `other` is, with more
/// weight; a wish that a key of the template already holds is answered with its name.
#[utoipa::path(
    post,
    path = "/v1/scenarios/{scenario}/extensions",
    tag = "Submissions",
    params(parameters::Scenario, parameters::IdempotencyKey),
    request_body = ExtensionRequest,
    responses(
        (status = 202, description = "It is on record.", body = ExtensionReply, headers(("Idempotent-Replayed"))),
    ),
    extensions(("x-fails" = json!([
        Code::IdempotencyInFlight, Code::IdempotencyMismatch, Code::LimitReached, Code::ReadOnly,
    ])))
)]
pub async fn request_extension(call: Call, scenario: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let key = call.idempotency_key()?;
    let service = call.service()?;
    let ended = service.request_extension(&call.caller, &scenario, &body.0, key).await;
    answer::submitted(StatusCode::ACCEPTED, ended)
}

/// Say what submitting would say
///
/// The same check; nothing is recorded or executed.
#[utoipa::path(
    post,
    path = "/v1/submissions:validate",
    tag = "Submissions",
    params(parameters::Prefer),
    request_body = Submission,
    responses((status = 200, description = "It would be accepted.", body = Accepted, headers(("Deprecation"), ("Otherwise-Latest"), ("Preference-Applied"), ("Sunset")))),
    extensions(("x-fails" = json!([Code::UnknownSchema, Code::SchemaRetired, Code::InvalidPayload])))
)]
pub async fn validate_submission(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    call.no_idempotency_key("nothing is put on record")?;
    let service = call.service()?;
    answer::submitted(StatusCode::OK, service.validate(&call.caller, &body.0))
}

/// Submit many payloads
///
/// Each is judged by itself, all are recorded together, and each item is what a single submission would have got.
#[utoipa::path(
    post,
    path = "/v1/submissions:batch",
    tag = "Submissions",
    params(parameters::Prefer),
    request_body = Batch,
    responses((status = 200, description = "The answers, in the order of the submissions.", body = BatchReply)),
    extensions(("x-fails" = json!([Code::ReadOnly])))
)]
pub async fn submit_batch(call: Call, body: Framed) -> Result<Json<BatchReply>, Problem> {
    call.query(&[])?;
    call.no_idempotency_key("each submission of a batch has its own, as its member `idempotency_key`")?;
    let service = call.service()?;
    let count = |submissions| call.count_further(submissions);
    let outcomes = service.submit_batch(&call.caller, &body.0, count).await?;
    let items: Result<_, _> = outcomes.into_iter().map(item).collect();
    Ok(Json(BatchReply { items: items? }))
}

/// One item; an accepted reply stands in it as it is.
fn item(outcome: Result<SubmitReply, ServiceError>) -> Result<BatchItem, Problem> {
    let (status, replayed, body) = match outcome {
        Ok(reply) => (StatusCode::OK.as_u16(), reply.replayed, reply.body),
        Err(error) => {
            let mut problem = Problem::from(error);
            let replayed = std::mem::take(&mut problem.replayed);
            if let Some(inside) = &problem.inside {
                tracing::error!(%inside, "fault in a batch");
            }
            (problem.code.row().status, replayed, problem.told().to_string())
        }
    };
    let body = RawValue::from_string(body).map_err(|error| Problem::from(ServiceError::Fault(error.to_string())))?;
    Ok(BatchItem { status, replayed, body })
}
