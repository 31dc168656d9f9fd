//! The audit queue: what waits for a person, one value, a person's verdict, and what that says of the judges.

use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::audits::Audit;
use crate::api::audits::Audits;
use crate::api::audits::Summary;
use crate::api::audits::VerdictGiven;
use crate::app::audits::Asked;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// The form of a verdict.
const VERDICT: &str = r#"{"verdict": "aligned" | "not_aligned" | "cannot_tell", "reason"?: "text"}"#;

/// Values that wait for a person
///
/// A sample of what clients gave to learned keys: keys on trial first, then the oldest.
#[utoipa::path(
    get,
    path = "/v1/audits",
    tag = "Audits",
    params(parameters::OfScenario, parameters::AuditsLimit, parameters::After),
    responses((status = 200, description = "One page.", body = Audits)),
    extensions(("x-fails" = json!([Code::BadParameter, Code::UnknownScenario])))
)]
pub async fn list_audits(call: Call) -> Result<Json<Audits>, Problem> {
    let query = call.query(&["scenario", "limit", "after"])?;
    let asked = Asked {
        scenario: query.text("scenario"),
        limit: query.number("limit")?,
        after: query.text("after"),
    };
    Ok(Json(call.service()?.audits(&call.caller, asked).await?))
}

/// What people say of the judges
#[utoipa::path(
    get,
    path = "/v1/audits:summary",
    tag = "Audits",
    params(parameters::OfScenario),
    responses((status = 200, description = "By scenario and basis.", body = Summary)),
    extensions(("x-fails" = json!([Code::UnknownScenario])))
)]
pub async fn summarise_audits(call: Call) -> Result<Json<Summary>, Problem> {
    let query = call.query(&["scenario"])?;
    let told = call.service()?.audits_summary(&call.caller, query.text("scenario"))?;
    Ok(Json(told))
}

/// One value
#[utoipa::path(
    get,
    path = "/v1/audits/{audit_id}",
    tag = "Audits",
    params(parameters::AuditId),
    responses((status = 200, description = "The value, waiting or answered.", body = Audit)),
    extensions(("x-fails" = json!([Code::UnknownAudit])))
)]
pub async fn read_audit(call: Call, audit_id: Path<String>) -> Result<Json<Audit>, Problem> {
    call.query(&[])?;
    Ok(Json(call.service()?.audit(&call.caller, &audit_id).await?))
}

/// Say whether a value is right
///
/// The first verdict stands, and counts in the judge's place.
#[utoipa::path(
    post,
    path = "/v1/audits/{audit_id}",
    tag = "Audits",
    params(parameters::AuditId),
    request_body = VerdictGiven,
    responses((status = 200, description = "The value with the verdict.", body = Audit)),
    extensions(("x-fails" = json!([Code::UnknownAudit, Code::Audited, Code::ReadOnly])))
)]
pub async fn answer_audit(call: Call, audit_id: Path<String>, body: Body) -> Result<Json<Audit>, Problem> {
    call.query(&[])?;
    let service = call.service()?;
    // Who may not audit is told that first.
    service.may_audit(&call.caller)?;
    let answered = service
        .answer_audit(&call.caller, &audit_id, body.read(VERDICT)?)
        .await?;
    Ok(Json(answered))
}
