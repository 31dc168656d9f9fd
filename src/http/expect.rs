//! Whether the body that a client holds back (`Expect: 100-continue`) is worth sending: asked before `100 Continue` is.
//!
//! What only the service can say is said after the body, as for everybody. Invariant: nothing is refused here that would be taken
//! without `Expect`.

use std::sync::LazyLock;

use actix_http::Request;
use actix_web::HttpResponse;
use actix_web::ResponseError;
use actix_web::body::BoxBody;
use actix_web::dev::RequestHead;
use actix_web::dev::ResourceDef;
use actix_web::dev::Response;
use actix_web::dev::Url;
use actix_web::http::ConnectionType;
use actix_web::http::Method;

use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::http::access::Access;
use crate::http::app_state::AppState;
use crate::http::body;
use crate::http::call;
use crate::http::middleware;
use crate::http::routes;
use crate::http::routes::Endpoint;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// Every endpoint by its patterns. Those of A2A are left to the protocol, which has a form of its own for each refusal.
static PATTERNS: LazyLock<Vec<(ResourceDef, &'static Endpoint)>> = LazyLock::new(|| {
    let under = |endpoint: &'static Endpoint| {
        let patterns = endpoint.patterns().into_iter();
        patterns.map(move |pattern| (ResourceDef::new(pattern), endpoint))
    };
    routes::ENDPOINTS.iter().flat_map(under).collect()
});

/// Lets the body come, or answers at once.
///
/// # Errors
/// The answer, after which the connection ends.
pub fn admit(state: &AppState, request: Request) -> Result<Request, Response<BoxBody>> {
    let head = request.head();
    let refused = middleware::refused(head, state).or_else(|| checked(state, head).err());
    let Some(problem) = refused else {
        return Ok(request);
    };
    let id = middleware::request_id(head, Some(state));
    let mut response: HttpResponse = problem.error_response();
    response.head_mut().set_connection_type(ConnectionType::Close);
    middleware::dress(response.headers_mut(), &id);
    let status = response.status().as_u16();
    tracing::debug!(request_id = %id, method = %head.method, status, "request without its body");
    Err(response.into())
}

fn checked(state: &AppState, head: &RequestHead) -> Result<(), Problem> {
    // As the router reads it.
    let address = Url::new(head.uri.clone());
    let path = address.path();
    if !path.starts_with("/a2a") {
        let here: Vec<&Endpoint> = PATTERNS
            .iter()
            .filter(|(pattern, _)| pattern.is_match(path))
            .map(|(_, endpoint)| *endpoint)
            .collect();
        if here.is_empty() {
            return Err(Problem::new(Code::NotFound, "there is nothing at this address"));
        }
        let permissions: Vec<Permission> = here
            .iter()
            .filter(|endpoint| head.method.as_str() == endpoint.method)
            .filter_map(|endpoint| match endpoint.access {
                Access::For(permission) => Some(permission),
                Access::Anyone | Access::Scraper => None,
            })
            .collect();
        if !permissions.is_empty() {
            let caller = call::caller(state, &head.headers)?;
            if !permissions.iter().any(|permission| caller.may(*permission)) {
                return Err(Problem::from(ServiceError::Forbidden));
            }
        }
    }
    // Of other requests no body is read.
    if [Method::POST, Method::PUT, Method::PATCH].contains(&head.method) {
        body::check_length(&head.headers, state.limits)?;
    }
    Ok(())
}
