//! `GET /v1/scenarios/{scenario}/updates/stream`: what changes for the caller, as Server-Sent Events.
//!
//! `update` brings what `updates` answers, with the revision as its id; `bye` says that the service is ending.

use actix_web::web::Bytes;
use actix_web::web::Path;

use crate::app::updates::Watch;
use crate::http::answer::Answer;
use crate::http::call::Listening;
use crate::http::events;
use crate::http::events::Source;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// What changes, as it changes
///
/// Server-Sent Events: `update` brings what `updates` answers, with its revision as `id`; `bye` says that the service
/// ends. After a break, `Last-Event-ID` goes on where it was.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/updates/stream",
    tag = "Telling",
    params(parameters::Scenario, parameters::Since, parameters::LastEventId),
    responses(
        (status = 200, description = "The stream; it does not end by itself.", body = String, content_type = "text/event-stream"),
    ),
    extensions(("x-fails" = json!([
        Code::BadParameter, Code::UnknownScenario, Code::LimitReached, Code::Busy, Code::ShuttingDown,
    ])))
)]
pub async fn stream_updates(listening: Listening, scenario: Path<String>) -> Answer {
    let call = listening.0;
    let asked = call.query(&["since"])?.number("since")?;
    let resumed = call.last_event_id()?;
    let since = resumed.or(asked).unwrap_or(0);
    let watch = call.service()?.watch(&call.caller, &scenario, since).map_err(|error| {
        let mut problem = Problem::from(error);
        if resumed.is_some() && problem.code == Code::BadParameter {
            // The revision came in the head.
            problem.code = Code::BadHeader;
        }
        problem
    })?;
    events::open(&call, watch)
}

impl Source for Watch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        let news = Watch::next(self).await?;
        Some(vec![events::event(Some(news.revision), "update", &news.body)])
    }

    fn given(&mut self) {
        self.received();
    }
}
