//! Looking on: one stream of what happens in every scenario, for pages and programs that show it.

use actix_web::web::Bytes;

use crate::app::activity::ActivityWatch;
use crate::http::answer::Answer;
use crate::http::call::Listening;
use crate::http::openapi::parameters;
use crate::http::sse;
use crate::http::sse::Source;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// What happens, as it happens
///
/// Server-Sent Events in names and numbers, which say what to load anew: `patch`, `proposal` (one was made, or waits for a
/// person), `schema`, `scenario` (evolution stopped or went on), `audit` (a verdict was given), and every few
/// seconds `stats` of the scenarios whose figures moved. `data` is `{"scenario", "patch_id"?, "schema_id"?, "revision"?,
/// "counts"?: {"waits", "on_trial", "clusters", "audits", "pending"}}`; `stats` of more than a hundred at once name none.
/// `reset` says to load everything: it begins a stream that goes on from nothing, and comes where too much was missed. `bye`
/// says that the service ends. After a break, and after a restart, `Last-Event-ID` goes on where it was; what happened within
/// the last seconds before may come twice. Leaves no receipt, and takes one place of `delivery.streams_max`.
#[utoipa::path(
    get,
    path = "/v1/events",
    tag = "Telling",
    params(parameters::OfScenario, parameters::AfterEvent, parameters::LastTold),
    responses(
        (status = 200, description = "The stream; it does not end by itself.", body = String, content_type = "text/event-stream"),
    ),
    extensions(("x-fails" = json!([
        Code::UnknownScenario, Code::LimitReached, Code::Busy, Code::ShuttingDown,
    ])))
)]
pub async fn follow_events(listening: Listening) -> Answer {
    let call = listening.0;
    let query = call.query(&["scenario", "after"])?;
    let after = query.number("after")?;
    let after = call.last_event_id()?.or(after);
    let service = call.service()?;
    let watch = service.look_on(&call.caller, query.text("scenario"), after).await;
    sse::open(&call, watch.map_err(Problem::from)?)
}

impl Source for ActivityWatch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        Some(sse::lines(&ActivityWatch::next(self).await?))
    }
}
