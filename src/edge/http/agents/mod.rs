//! A2A over HTTP: carries both bindings and the agent card. What they mean is [`crate::edge::a2a`]'s.
//!
//! Invariant: whatever hinders a call, the answer has the form of its binding.

pub mod incoming;

pub mod rpc;

pub mod rest;

pub mod events;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::http::header;

use crate::edge::a2a::card;
use crate::edge::a2a::card::Card;
use crate::edge::http::agents::incoming::called;
use crate::edge::http::answer::Answer;
use crate::edge::http::call::mouth;
use crate::edge::http::call::texts;
use crate::edge::wire::entity_tag::Held;

/// `GET /.well-known/agent-card.json`: for everyone, with or without a key.
pub async fn card(request: HttpRequest) -> Answer {
    let mouth = mouth(&request)?;
    let settings = &mouth.card;
    let called = called(&request);
    let card = Card {
        settings,
        called: &called,
        open: mouth.doorkeeper.is_open(),
    };
    let text = card.public(mouth.service()?)?;
    // Where the card says the address that was called, it is not for who called another one.
    let shared = if settings.public_url.is_empty() {
        "private"
    } else {
        "public"
    };
    let control = format!("{shared}, max-age={}", settings.max_age_s);
    let held = Held::parse(texts(request.headers(), "If-None-Match").into_iter());
    Ok(cached(&text, &control, &held, "application/json"))
}

/// A card, or that the caller holds it already.
pub fn cached(card: &str, control: &str, held: &Held, media: &str) -> HttpResponse {
    let etag = card::etag(card);
    let mut response = if held.holds(&etag) {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((header::ETAG, etag.as_str()))
        .insert_header((header::CACHE_CONTROL, control));
    if held.holds(&etag) {
        response.finish()
    } else {
        response.content_type(media).body(card.to_owned())
    }
}
