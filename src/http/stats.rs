//! Scenarios in figures, day by day.

use actix_web::HttpRequest;
use actix_web::web::Path;

use crate::api::stats::ScenarioDays;
use crate::app::error::ServiceError;
use crate::app::scenario_list::DAYS;
use crate::app::scenario_list::DAYS_MAX;
use crate::http::agents;
use crate::http::answer::Answer;
use crate::http::call::Call;
use crate::http::openapi::parameters;

/// Kept by the client alone, and asked for again each time: the last day goes on.
const STATS_CACHE: &str = "private, no-cache";

/// A scenario day by day
///
/// Submissions, how many of them were refused or said something in `other`, and clients, on each of the last days in UTC. Days on which
/// nothing came are told too. The entity tag changes with any of it.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/stats",
    tag = "What was learned",
    params(parameters::Scenario, parameters::Days, parameters::IfNoneMatch),
    responses(
        (status = 200, description = "The days.", body = ScenarioDays, headers(("ETag"))),
        (status = 304, description = "What the client holds is it.", headers(("ETag"))),
    )
)]
pub async fn read_scenario_stats(call: Call, request: HttpRequest, scenario: Path<String>) -> Answer {
    let days = call.query(&["days"])?.count("days", DAYS, DAYS_MAX)?;
    let told = call.service()?.scenario_days(&call.caller, &scenario, days)?;
    let text = serde_json::to_string(&told).map_err(ServiceError::from)?;
    Ok(agents::cached(&request, text, STATS_CACHE, "application/json"))
}
