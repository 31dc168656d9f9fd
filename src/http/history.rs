//! What changed: the difference between two templates, and the log of decisions.

use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::history::DecisionLog;
use crate::api::history::TemplateDifference;
use crate::app::history::Wanted;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// What differs between two templates
///
/// Of one scenario, as a client is served them, its own keys included: each change with its class and payloads that show it, and the
/// digest of each key on both sides.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/diff",
    tag = "Negotiation",
    params(parameters::Scenario, parameters::DiffFrom, parameters::DiffTo, parameters::DiffClient),
    responses((status = 200, description = "The difference.", body = TemplateDifference)),
    extensions(("x-fails" = json!([Code::UnknownSchema])))
)]
pub async fn read_difference(call: Call, scenario: Path<String>) -> Result<Json<TemplateDifference>, Problem> {
    let query = call.query(&["from", "to", "client"])?;
    let wanted = Wanted {
        from: query.text("from"),
        to: query.text("to"),
        client: query.text("client"),
    };
    let told = call.service()?.difference(&call.caller, &scenario, wanted);
    Ok(Json(told.await?))
}

/// What was decided
///
/// Every decision about a scenario, by a rule or by a person, newest first, page by page: gates, keys and their stages, audits, schemas,
/// dismissals, freezes. Who decided it and why stands beside it.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/decision-log",
    tag = "What was learned",
    params(parameters::Scenario, parameters::DecisionsLimit, parameters::After),
    responses((status = 200, description = "A page.", body = DecisionLog))
)]
pub async fn read_decision_log(call: Call, scenario: Path<String>) -> Result<Json<DecisionLog>, Problem> {
    let query = call.query(&["limit", "after"])?;
    let (limit, after) = (query.number("limit")?, query.text("after"));
    let page = call.service()?.decision_log(&call.caller, &scenario, limit, after);
    Ok(Json(page.await?))
}
