//! Negotiation: the effective template for the caller, and what changed since.

use actix_web::web::Bytes;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::pool::Wishes;
use crate::api::templates::EffectiveTemplate;
use crate::api::templates::NegotiationRequest;
use crate::api::templates::Updates;
use crate::app::caller::Caller;
use crate::app::negotiation::Pin;
use crate::app::negotiation::Watch;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::call::Listening;
use crate::http::openapi::parameters;
use crate::http::query::Query;
use crate::http::sse;
use crate::http::sse::Source;
use crate::wire::codes::Code;
use crate::wire::negotiation::Negotiation;
use crate::wire::negotiation::pinned;
use crate::wire::problem::Problem;

/// The effective template
///
/// The base in force with the patches that the caller sees, or an export of it (`format`). With `client`, as that client sees
/// it, which leaves no receipt.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/template",
    tag = "Negotiation",
    params(
        parameters::Scenario,
        parameters::PinnedSchema,
        parameters::PinnedVersion,
        parameters::PreferredLanguage,
        parameters::Format,
        parameters::Experimental,
        parameters::AsOf,
        parameters::SeenBy,
        parameters::Receipt,
        parameters::IfNoneMatch,
        parameters::AcceptLanguage,
    ),
    responses(
        (status = 200, description = "The template, or an export of it.", body = EffectiveTemplate, headers(("Content-Language"), ("Deprecation"), ("ETag"), ("Otherwise-Digest"), ("Otherwise-Export-Lost"), ("Otherwise-Export-Tokens"), ("Otherwise-Latest"), ("Otherwise-Revision"), ("Otherwise-Schema-Id"), ("Otherwise-Version"), ("Sunset"), ("Vary"))),
        (status = 304, description = "What the client holds is current.", headers(("Deprecation"), ("ETag"), ("Otherwise-Digest"), ("Otherwise-Latest"), ("Otherwise-Revision"), ("Otherwise-Schema-Id"), ("Otherwise-Version"), ("Sunset"), ("Vary"))),
    ),
    extensions(("x-fails" = json!([Code::UnknownSchema, Code::SchemaRetired, Code::LimitReached, Code::Busy])))
)]
pub async fn read_template(call: Call, scenario: Path<String>) -> Answer {
    let known = [&Negotiation::PARAMETERS[..], &["client"]].concat();
    let query = call.query(&known)?;
    let asked = Negotiation::by_parameters(scenario.into_inner(), |name| query.text(name))?;
    let seen_by = query.text("client").map(|client| call.caller.in_place_of(client));
    let seen_by = seen_by.transpose()?;
    fetch(&call, seen_by.as_ref(), asked, |etag| call.holds(etag)).await
}

/// The draft's request for a template
///
/// The same template by the message of the draft, bare or wrapped in JSON-RPC members.
#[utoipa::path(
    post,
    path = "/v1/scenarios:negotiate",
    tag = "Negotiation",
    params(parameters::Receipt, parameters::AcceptLanguage),
    request_body = NegotiationRequest,
    responses(
        (status = 200, description = "The template, or an export of it.", body = EffectiveTemplate, headers(("Content-Language"), ("Deprecation"), ("ETag"), ("Otherwise-Capabilities-Ignored"), ("Otherwise-Digest"), ("Otherwise-Export-Lost"), ("Otherwise-Export-Tokens"), ("Otherwise-Latest"), ("Otherwise-Revision"), ("Otherwise-Schema-Id"), ("Otherwise-Version"), ("Sunset"), ("Vary"))),
    ),
    extensions(("x-fails" = json!([
        Code::UnknownSchema, Code::UnknownScenario, Code::SchemaRetired, Code::LimitReached, Code::Busy,
    ])))
)]
pub async fn negotiate_template(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    fetch(&call, None, Negotiation::parse(&body.0)?, |_| false).await
}

/// What changed since a revision
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/updates",
    tag = "Negotiation",
    params(
        parameters::Scenario,
        parameters::Since,
        parameters::PinnedSchema,
        parameters::PinnedVersion,
        parameters::Receipt,
        parameters::IfNoneMatch,
    ),
    responses(
        (status = 200, description = "Patches and withdrawn keys.", body = Updates, headers(("Deprecation"), ("ETag"), ("Otherwise-Latest"), ("Sunset"), ("Vary"))),
        (status = 304, description = "Nothing changed since the client asked last.", headers(("Deprecation"), ("ETag"), ("Otherwise-Latest"), ("Sunset"), ("Vary"))),
    ),
    extensions(("x-fails" = json!([Code::UnknownSchema, Code::SchemaRetired])))
)]
pub async fn list_updates(call: Call, scenario: Path<String>) -> Answer {
    let query = call.query(&FOLLOWED)?;
    let since = query.number("since")?.unwrap_or(0);
    let pin = pin(&query)?;
    let news = call
        .service()?
        .updates(&call.caller, &scenario, &pin, since, |etag| call.holds(etag))?;
    Ok(answer::updates(&news))
}

/// What chooses which changes are told.
const FOLLOWED: [&str; 3] = ["since", "schema_id", "version"];

fn pin(query: &Query) -> Result<Pin, Problem> {
    pinned(query.text("schema_id"), query.text("version"))
}

/// What changes, as it changes
///
/// Server-Sent Events: `update` brings what `updates` answers, with its revision as `id`; `bye` says that the service
/// ends. After a break, `Last-Event-ID` goes on where it was.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/updates/stream",
    tag = "Telling",
    params(
        parameters::Scenario,
        parameters::Since,
        parameters::PinnedSchema,
        parameters::PinnedVersion,
        parameters::Receipt,
        parameters::LastEventId,
    ),
    responses(
        (status = 200, description = "The stream; it does not end by itself.", body = String, content_type = "text/event-stream"),
    ),
    extensions(("x-fails" = json!([
        Code::UnknownSchema, Code::SchemaRetired, Code::LimitReached, Code::Busy, Code::ShuttingDown,
    ])))
)]
pub async fn stream_updates(listening: Listening, scenario: Path<String>) -> Answer {
    let call = listening.0;
    let query = call.query(&FOLLOWED)?;
    let asked = query.number("since")?;
    let resumed = call.last_event_id()?;
    let since = Some(resumed.or(asked).unwrap_or(0));
    let watch = call.service()?.watch(&call.caller, &scenario, pin(&query)?, since);
    let watch = watch.map_err(|error| {
        let mut problem = Problem::from(error);
        if resumed.is_some() && problem.code == Code::BadParameter {
            // The revision came in the head.
            problem.code = Code::BadHeader;
        }
        problem
    })?;
    sse::open(&call, watch)
}

impl Source for Watch {
    async fn next(&mut self) -> Option<Vec<Bytes>> {
        let news = Watch::next(self).await?;
        Some(vec![sse::event(Some(news.revision), "update", &news.body)])
    }

    fn given(&mut self) {
        self.received();
    }
}

/// What became of my wishes
///
/// What the calling client said in `other`, newest first, and what became of it. Nothing of any other client is told.
/// Looked through are the last 5,000 records of the scenario.
#[utoipa::path(
    get,
    path = "/v1/scenarios/{scenario}/wishes",
    tag = "Negotiation",
    params(parameters::Scenario, parameters::WishesLimit),
    responses((status = 200, description = "The wishes.", body = Wishes)),
    extensions(("x-fails" = json!([Code::BadRequest])))
)]
pub async fn list_wishes(call: Call, scenario: Path<String>) -> Result<Json<Wishes>, Problem> {
    let limit = call.query(&["limit"])?.number("limit")?;
    Ok(Json(call.service()?.wishes(&call.caller, &scenario, limit).await?))
}

async fn fetch(call: &Call, seen_by: Option<&Caller>, mut asked: Negotiation, held: impl Fn(&str) -> bool) -> Answer {
    asked.preferred_language = asked.preferred_language.or_else(|| call.accepted_language());
    let caller = seen_by.unwrap_or(&call.caller);
    Ok(match asked.fetch(call.service()?, caller, held).await? {
        Ok(reply) => answer::template(&reply, &asked.ignored),
        Err(held) => answer::unchanged(&held.0),
    })
}
