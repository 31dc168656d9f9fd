//! Negotiation: the effective template for the caller, and what changed since.

use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::entity_tag::Held;
use crate::edge::wire::negotiation;
use crate::edge::wire::negotiation::Negotiation;
use crate::service::pin::Pin;

/// `GET /v1/scenarios/{scenario}/template?schema_id=&version=&preferred_language=&format=&experimental=&as_of=`
pub async fn template(call: Call, scenario: Path<String>) -> Answer {
    let query = call.query(&[
        "schema_id",
        "version",
        "preferred_language",
        "format",
        "experimental",
        "as_of",
    ])?;
    let asked = Negotiation {
        scenario: scenario.into_inner(),
        pin: Pin {
            schema_id: query.text("schema_id").map(str::to_owned),
            version: query.text("version").map(str::to_owned),
        },
        preferred_language: query.text("preferred_language").map(str::to_owned),
        experimental: query.flag("experimental")?.unwrap_or(true),
        form: query.text("format").map(negotiation::form).transpose()?,
        as_of: query.text("as_of").map(negotiation::until).transpose()?,
        ignored: Vec::new(),
    };
    fetch(&call, asked, &call.held()).await
}

/// `POST /v1/scenarios:negotiate`: the draft's request (Z-173).
pub async fn negotiate(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    fetch(&call, Negotiation::parse(&body.0)?, &Held::Nothing).await
}

/// `GET /v1/scenarios/{scenario}/updates?since=`
pub async fn updates(call: Call, scenario: Path<String>) -> Answer {
    let since = call.query(&["since"])?.number("since")?.unwrap_or(0);
    let held = call.held();
    let news = call
        .service()?
        .updates(&call.caller, &scenario, since, |etag| held.holds(etag))?;
    Ok(match news {
        Ok(news) => answer::updates(&news),
        Err(held) => answer::unchanged_updates(&held.0),
    })
}

/// `GET /v1/scenarios/{scenario}/wishes?limit=`
pub async fn wishes(call: Call, scenario: Path<String>) -> Answer {
    let limit = call.query(&["limit"])?.number("limit")?;
    let told = call.service()?.wishes(&call.caller, &scenario, limit).await?;
    Ok(answer::document(&told))
}

async fn fetch(call: &Call, mut asked: Negotiation, held: &Held) -> Answer {
    asked.preferred_language = asked.preferred_language.or_else(|| call.accepted_language());
    Ok(match asked.fetch(call.service()?, &call.caller, held).await? {
        Ok(reply) => answer::template(&reply, &asked.ignored),
        Err(held) => answer::unchanged(&held.0),
    })
}
