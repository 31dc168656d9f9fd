//! A2A over HTTP: carries both bindings and the agent card. What they mean is [`crate::a2a`]'s.
//!
//! Invariant: whatever hinders a call, the answer has the form of its binding.

pub mod incoming;

pub mod rpc;

pub mod rest;

pub mod events;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use sha2::Digest;
use sha2::Sha256;

use crate::a2a::card::Card;
use crate::a2a::failure::Failure;
use crate::api::a2a::AgentCard;
use crate::app::error::ServiceError;
use crate::http::agents::incoming::called;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::call::app_state;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use text::name::hexadecimal;

/// The agent card of A2A 1.0
///
/// Where A2A is spoken (JSON-RPC and HTTP+JSON under `/a2a`, as that protocol describes), and as skills the scenarios
/// that everyone may see. Who may call sees its own under `/a2a/extendedAgentCard`.
#[utoipa::path(
    get,
    path = "/.well-known/agent-card.json",
    tag = "Other transports",
    params(parameters::IfNoneMatch),
    responses(
        (status = 200, description = "The card.", body = AgentCard, headers(("Cache-Control"), ("ETag"))),
        (status = 304, description = "What the client holds is current.", headers(("Cache-Control"), ("ETag"))),
    ),
    extensions(("x-fails" = json!([Code::NotReady])))
)]
pub async fn read_agent_card(request: HttpRequest) -> Answer {
    let state = app_state(&request)?;
    let settings = &state.card;
    let called = called(&request);
    let card = Card {
        settings,
        called: &called,
        open: state.authenticator.is_open(),
    };
    let card = serde_json::to_string(&card.public(state.service()?)?);
    let card = card.map_err(|error| ServiceError::Fault(error.to_string()))?;
    // Where the card says the address that was called, it is not for who called another one.
    let shared = match settings.public_url.as_str() {
        "" => "private",
        _ => "public",
    };
    let control = format!("{shared}, max-age={}", settings.card_max_age_s);
    Ok(cached(&request, card, &control, "application/json"))
}

/// A text under its digest, or that the caller holds it already.
pub fn cached(request: &HttpRequest, text: String, control: &str, media: &str) -> HttpResponse {
    let digest = Sha256::digest(text.as_bytes());
    let etag = format!("\"{}\"", hexadecimal(&digest[..12]));
    answer::cached(request, &etag, control, media, text)
}

/// Why there is no answer, in the form of its binding, with what its headers say.
pub fn refused(failure: &Failure, status: u16, media: &str, body: String) -> HttpResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let problem = Problem::clone(&failure.problem).logged();
    answer::refused(&problem, status, media, body)
}
