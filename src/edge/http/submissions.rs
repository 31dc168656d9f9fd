//! Submissions: the body goes to the service as it came.

use actix_web::HttpResponse;
use actix_web::ResponseError;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;
use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::body::Framed;
use crate::edge::http::call::Call;
use crate::edge::wire::problem::Problem;
use crate::service::error::ServiceError;
use crate::service::reply::SubmitReply;

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

/// `POST /v1/scenarios/{scenario}/extensions`: 202, for what becomes of the wishes shows later.
pub async fn extension(call: Call, scenario: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let key = call.idempotency_key()?;
    let service = call.service()?;
    let reply = service.request_extension(&call.caller, &scenario, &body.0, key).await?;
    let response = answer::json(StatusCode::ACCEPTED, reply.body);
    Ok(if reply.replayed { replayed(response) } else { response })
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
    call.no_idempotency_key("nothing is put on record")?;
    let reply = call.service()?.validate(&call.caller, &body.0)?;
    Ok(answer::json(StatusCode::OK, reply.body))
}

/// `POST /v1/submissions:batch`: 200 with `{"items": [{"status", "replayed"?, "body"}]}`, each as a single submission would
/// have been answered, in the order of the submissions.
pub async fn batch(call: Call, body: Framed) -> Answer {
    call.query(&[])?;
    call.no_idempotency_key("each submission of a batch has its own, as its member `idempotency_key`")?;
    let service = call.service()?;
    call.count_further(service.size_of_batch(&call.caller, &body.0)?)?;
    let outcomes = service.submit_batch(&call.caller, &body.0).await?;
    let items: Vec<String> = outcomes.into_iter().map(item).collect();
    Ok(answer::json(
        StatusCode::OK,
        format!("{{\"items\":[{}]}}", items.join(",")),
    ))
}

/// One item as JSON text; an accepted reply stands in it as it is.
fn item(outcome: Result<SubmitReply, ServiceError>) -> String {
    let (status, replayed, body) = match outcome {
        Ok(reply) => (StatusCode::OK.as_u16(), reply.replayed, reply.body),
        Err(error) => {
            let replayed = matches!(error, ServiceError::RefusedBefore(_));
            let problem = Problem::from(error);
            if let Some(inside) = &problem.inside {
                tracing::error!(%inside, "fault in a batch");
            }
            (problem.code.row().status, replayed, problem.told().to_string())
        }
    };
    let replayed = if replayed { "\"replayed\":true," } else { "" };
    format!("{{\"status\":{status},{replayed}\"body\":{body}}}")
}
