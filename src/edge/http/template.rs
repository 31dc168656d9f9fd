//! Negotiation: the effective template for the caller, and what changed since.

use actix_web::web::Path;

use crate::domain::template::export::Form;
use crate::domain::template::export::NAMES;
use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::codes::Code;
use crate::edge::wire::entity_tag::Held;
use crate::edge::wire::negotiation::Negotiation;
use crate::edge::wire::problem::Problem;
use crate::service::history::Until;
use crate::service::otherwise::Wanted;

/// `GET /v1/scenarios/{scenario}/template?preferred_language=&format=&experimental=&as_of=`
pub async fn template(call: Call, scenario: Path<String>) -> Answer {
    let query = call.query(&["preferred_language", "format", "experimental", "as_of"])?;
    let form = query.text("format").map(form).transpose()?;
    let experimental = query.flag("experimental")?.unwrap_or(true);
    let language = query
        .text("preferred_language")
        .map(str::to_owned)
        .or_else(|| call.accepted_language());
    let wanted = Wanted {
        language: language.as_deref(),
        experimental,
        form,
    };
    let Some(as_of) = query.text("as_of") else {
        return fetch(&call, &scenario, wanted, &call.held());
    };
    let until = Until::parse(as_of).ok_or_else(|| {
        let what = "the parameter as_of must be a revision or an RFC 3339 moment, such as 2026-05-01T09:00:00Z";
        Problem::new(Code::BadParameter, what)
    })?;
    let service = call.service()?;
    let reply = service.template_as_of(&call.caller, &scenario, wanted, until).await?;
    Ok(if call.held().holds(&reply.etag) {
        answer::unchanged(&reply.etag)
    } else {
        answer::template(&reply)
    })
}

/// `POST /v1/scenarios:negotiate`: the draft's request (Z-173).
pub async fn negotiate(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let asked = Negotiation::parse(&body.0).map_err(|what| Problem::new(Code::BadRequest, what))?;
    let language = asked.preferred_language.or_else(|| call.accepted_language());
    let wanted = Wanted {
        language: language.as_deref(),
        experimental: asked.experimental,
        form: None,
    };
    fetch(&call, &asked.scenario, wanted, &Held::Nothing)
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

/// A form by its name.
fn form(name: &str) -> Result<Form, Problem> {
    Form::parse(name).ok_or_else(|| {
        let what = format!("the parameter format must be one of {}", NAMES.join(", "));
        Problem::new(Code::BadParameter, what)
    })
}

fn fetch(call: &Call, scenario: &str, wanted: Wanted<'_>, held: &Held) -> Answer {
    let reply = call
        .service()?
        .template(&call.caller, scenario, wanted, |etag| held.holds(etag))?;
    Ok(match reply {
        Ok(reply) => answer::template(&reply),
        Err(held) => answer::unchanged(&held.0),
    })
}
