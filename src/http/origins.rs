//! Requests that web pages make: the origins that may call, and the headers that a browser needs before it shows an answer to a page (CORS).
//!
//! The service's own origin may call, and those in `mcp.allowed_origins`; a loopback address with another port is another origin.
//! actix-cors is not used: it decides on the origin a second time, and answers a refused preflight in plain text, where each failure of
//! this service is a problem document.

use actix_web::HttpResponse;
use actix_web::dev::RequestHead;
use actix_web::http::Method;
use actix_web::http::header;
use actix_web::http::header::HeaderMap;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;

use crate::http::app_state::Names;
use crate::wire::codes::Code;
use crate::wire::loopback;
use crate::wire::problem::Problem;

/// Header in which a browser says how the calling page is related to the service.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE";
/// Headers of answers that a page may read beside those that CORS always allows.
const EXPOSED: &str = "Mcp-Session-Id, ETag, Retry-After, Location, Allow, WWW-Authenticate, X-Request-Id, Idempotent-Replayed, \
    Deprecation, Sunset, A2A-Extensions, Otherwise-Schema-Id, Otherwise-Version, Otherwise-Revision, Otherwise-Digest, \
    Otherwise-Latest, Otherwise-Export-Tokens, Otherwise-Export-Lost, Otherwise-Capabilities-Ignored";
/// Seconds for which a browser keeps the answer to a preflight.
const PREFLIGHT_KEPT_S: &str = "600";

const REFUSED: &str = "a web page of another origin may not call the service unless mcp.allowed_origins lists the origin (scheme, host \
    and port, such as http://localhost:3000)";

/// Checks that a request is addressed to this machine, or to one of these hosts, and that a page of an allowed origin sent it, if a page
/// did: against DNS rebinding and cross-site requests.
///
/// # Errors
/// 403 `bad_host` and `bad_origin`.
pub fn check_names(head: &RequestHead, hosts: &[String], origins: &[String]) -> Result<(), Problem> {
    let host = |value: &str| loopback::host(value) || lists(hosts, value);
    let origin = |value: &str| is_own(head, value) || lists(origins, value);
    let all = |name: HeaderName, right: &dyn Fn(&str) -> bool| {
        let mut values = head.headers.get_all(name);
        values.all(|value| value.to_str().is_ok_and(right))
    };
    // In absolute form (`GET http://evil/ …`) the authority stands in the request line and overrules the header.
    let authority = head.uri.authority().map(|authority| authority.as_str());
    let is_named = authority.is_some() || head.headers.contains_key(header::HOST);
    if !is_named || !authority.is_none_or(host) || !all(header::HOST, &host) {
        let what = "what is open answers only under a loopback name such as localhost, and /mcp under those of mcp.allowed_hosts";
        return Err(Problem::new(Code::BadHost, what));
    }
    if !all(header::ORIGIN, &origin) {
        return Err(Problem::new(Code::BadOrigin, REFUSED));
    }
    Ok(())
}

/// Checks that a request that changes something does not come from a page of another site, as the browser says, unless its origin is
/// listed. Such a request may come without a preflight, and in old browsers without `Origin`.
///
/// # Errors
/// 403 `bad_origin`.
pub fn check_fetch_site(head: &RequestHead, listed: &Names) -> Result<(), Problem> {
    let is_elsewhere = |site: &HeaderValue| !matches!(site.as_bytes(), b"same-origin" | b"none");
    let elsewhere = head.headers.get_all(FETCH_SITE).any(is_elsewhere);
    if elsewhere && !head.method.is_safe() && allowed(head, listed).is_none() {
        return Err(Problem::new(Code::BadOrigin, REFUSED));
    }
    Ok(())
}

/// The origin of a request, if it is listed.
pub fn allowed(head: &RequestHead, listed: &Names) -> Option<HeaderValue> {
    let origin = head.headers.get(header::ORIGIN)?;
    let is_listed = origin.to_str().is_ok_and(|origin| lists(&listed.origins, origin));
    is_listed.then(|| origin.clone())
}

/// The answer to the preflight of a listed origin; any other `OPTIONS` is answered as an unknown method.
pub fn preflight(head: &RequestHead, listed: &Names) -> Option<HttpResponse> {
    let asks = head.method == Method::OPTIONS && head.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    allowed(head, listed).filter(|_| asks)?;
    let mut response = HttpResponse::NoContent();
    response
        .insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, METHODS))
        .insert_header((header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_KEPT_S));
    if let Some(wanted) = head.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        response.insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, wanted));
    }
    Some(response.finish())
}

/// Lets a page of a listed origin read the answer.
pub fn expose(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
}

fn lists(names: &[String], value: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(value))
}

/// Returns whether an origin (`scheme://host[:port]`) is the one that the request is addressed to.
fn is_own(head: &RequestHead, origin: &str) -> bool {
    let authority = head.uri.authority().map(|authority| authority.as_str());
    let host = || head.headers.get(header::HOST)?.to_str().ok();
    let host = origin
        .split_once("://")
        .filter(|(scheme, _)| ["http", "https"].contains(scheme))
        .zip(authority.or_else(host));
    host.is_some_and(|((_, page), own)| page.eq_ignore_ascii_case(own))
}
