//! Checks of every request: whether it came over TLS where it must, the checks of host and origin, a request id, one line in the log.
//!
//! The line holds who called, which scenario was meant, method, route pattern, status, duration and request id; never a path, a
//! query, another header or a body. It is one of many, and nothing that an operator must know: `log.level` says `debug` to see it.

use std::sync::Arc;
use std::time::Instant;

use actix_web::Error;
use actix_web::HttpMessage;
use actix_web::ResponseError;
use actix_web::body::BoxBody;
use actix_web::body::MessageBody;
use actix_web::dev::RequestHead;
use actix_web::dev::ServiceRequest;
use actix_web::dev::ServiceResponse;
use actix_web::http::ConnectionType;
use actix_web::http::header;
use actix_web::http::header::HeaderMap;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;
use actix_web::middleware::Next;
use actix_web::web;
use tracing::Instrument;
use tracing::field::Empty;

use crate::http::app_state::AppState;
use crate::http::origins;
use crate::wire::codes::Code;
use crate::wire::network::Network;
use crate::wire::problem::Problem;

/// The header that carries a request's id, both ways.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, for whoever answers it.
pub struct RequestId(pub Arc<str>);

/// The pattern that a request came by, as the log shows it; its resource says it.
pub struct Shown(pub String);

/// Passes one request through.
///
/// # Errors
/// Whatever lies within failed with and did not make a response of.
pub async fn apply(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let began = Instant::now();
    let method = request.method().clone();
    let state = request.app_data::<web::Data<AppState>>().cloned();
    let id = request_id(request.head(), state.as_ref().map(|data| data.get_ref()));
    request.extensions_mut().insert(RequestId(id.as_str().into()));
    // Filled in by whoever learns of it.
    let span = tracing::debug_span!("request", client = Empty, scenario = Empty);
    let head = request.head();
    let offers_another =
        head.connection_type() == ConnectionType::Upgrade || head.headers.contains_key(header::UPGRADE);
    let pages = state.as_ref().map(|state| &state.mcp_names);
    let origin = pages.and_then(|pages| origins::allowed(head, pages));
    let varies = pages.is_some_and(|pages| !pages.origins.is_empty());
    let refused = state.as_ref().and_then(|state| refused(head, state));
    let answered = match refused {
        Some(problem) => Some(problem.error_response()),
        None => pages.and_then(|pages| origins::preflight(head, pages)),
    };
    let mut response = match answered {
        Some(response) => request.into_response(response),
        None => next.call(request).instrument(span.clone()).await?.map_into_boxed_body(),
    };
    if offers_another {
        // A server may pass an offer of another protocol over (RFC 9110 §7.8); actix would take it up by name.
        response
            .response_mut()
            .head_mut()
            .set_connection_type(ConnectionType::Close);
    }
    dress(response.headers_mut(), &id);
    if varies {
        response
            .headers_mut()
            .append(header::VARY, HeaderValue::from_static("Origin"));
    }
    if let Some(origin) = origin {
        origins::expose(response.headers_mut(), origin);
    }
    let route = response.request().app_data::<Shown>();
    let route = route.map_or("-", |Shown(pattern)| pattern);
    let status = response.status().as_u16();
    let milliseconds = began.elapsed().as_micros() as f64 / 1000.0;
    let problem = response
        .response()
        .error()
        .and_then(|error| error.as_error::<Problem>());
    if let Some(inside) = problem.and_then(|problem| problem.inside.as_deref()) {
        tracing::error!(request_id = %id, %method, route, inside, "fault");
    }
    span.in_scope(|| tracing::debug!(request_id = %id, %method, route, status, milliseconds, "request"));
    Ok(response)
}

/// Headers that every answer has.
fn dress(headers: &mut HeaderMap, id: &str) {
    if let Ok(value) = HeaderValue::try_from(id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// Why a request is taken from nobody who sends it so, whatever it asks.
fn refused(head: &RequestHead, state: &AppState) -> Option<Problem> {
    let listed = &state.mcp_names;
    let named = || origins::check_names(head, &[], &listed.origins);
    unencrypted(head, &state.tls_proxies)
        .or_else(|| state.authenticator.is_open().then(named)?.err())
        .or_else(|| origins::check_fetch_site(head, listed).err())
}

/// The id that the request brought, when it is 1 to 128 visible ASCII characters, else a new one.
fn request_id(head: &RequestHead, state: Option<&AppState>) -> String {
    head.headers
        .get(&REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|id| (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic()))
        .map(str::to_owned)
        .or_else(|| state.map(AppState::request_id))
        .unwrap_or_default()
}

/// Addresses that say nothing of what agents do: answered without TLS too, and the only ones on `server.plain_listen`.
pub const PLAIN: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
/// In which scheme a request came to the proxy.
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Why a request is not known to have come over TLS, where it must (C-065, M-033).
fn unencrypted(head: &RequestHead, proxies: &[Network]) -> Option<Problem> {
    if proxies.is_empty() || PLAIN.contains(&head.uri.path()) {
        return None;
    }
    let peer = head.peer_addr.map(|peer| peer.ip());
    if !peer.is_some_and(|peer| proxies.iter().any(|proxy| proxy.holds(peer))) {
        let what = "the service is reached by its proxy alone, over https";
        return Some(Problem::new(Code::NotEncrypted, what));
    }
    // A proxy before this one may have said it too: all of them must.
    let mut said = head.headers.get_all(FORWARDED).peekable();
    let is_said = said.peek().is_some();
    let is_https = |scheme: &str| scheme.trim().eq_ignore_ascii_case("https");
    let right = said.all(|value| value.to_str().is_ok_and(|value| value.split(',').all(is_https)));
    (!is_said || !right).then(|| {
        let what = "the request did not come over https, or its proxy does not say so in X-Forwarded-Proto";
        Problem::new(Code::NotEncrypted, what)
    })
}
