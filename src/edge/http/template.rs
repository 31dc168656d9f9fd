//! Negotiation: the effective template for the caller, and what changed since.

use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::codes::Code;
use crate::edge::wire::entity_tag::Held;
use crate::edge::wire::negotiation::Negotiation;
use crate::edge::wire::problem::Problem;

/// `GET /v1/scenarios/{scenario}/template?preferred_language=&experimental=`
pub async fn template(call: Call, scenario: Path<String>) -> Answer {
    let query = call.query(&["preferred_language", "experimental"])?;
    let experimental = query.flag("experimental")?.unwrap_or(true);
    let language = query
        .text("preferred_language")
        .map(str::to_owned)
        .or_else(|| call.accepted_language());
    fetch(&call, &scenario, language.as_deref(), experimental, &call.held())
}

/// `POST /v1/scenarios:negotiate`: the draft's request (Z-173).
pub async fn negotiate(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let asked = Negotiation::parse(&body.0).map_err(|what| Problem::new(Code::BadRequest, what))?;
    let language = asked.preferred_language.or_else(|| call.accepted_language());
    fetch(
        &call,
        &asked.scenario,
        language.as_deref(),
        asked.experimental,
        &Held::Nothing,
    )
}

/// `GET /v1/scenarios/{scenario}/updates?since=`
pub async fn updates(call: Call, scenario: Path<String>) -> Answer {
    let since = call.query(&["since"])?.number("since")?.unwrap_or(0);
    Ok(answer::document(&call.service()?.updates(
        &call.caller,
        &scenario,
        since,
    )?))
}

fn fetch(call: &Call, scenario: &str, language: Option<&str>, experimental: bool, held: &Held) -> Answer {
    let reply = call
        .service()?
        .template(&call.caller, scenario, language, experimental, held.first())?;
    Ok(match reply {
        Some(reply) if held.holds(&reply.etag) => answer::unchanged(&reply.etag),
        Some(reply) => answer::template(&reply),
        None => answer::unchanged(held.first().unwrap_or_default()),
    })
}
