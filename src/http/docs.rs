//! The description of the interface: `/openapi.json` for programs, `/docs/` for people, and `/`, which leads there.
//!
//! Swagger UI is a part of the program: nothing is loaded from elsewhere, which the page's Content-Security-Policy holds
//! browsers to. Needs no service, so that it answers before the service is open.

use std::sync::Arc;
use std::sync::LazyLock;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::http::header::HeaderName;
use actix_web::web::Bytes;
use actix_web::web::Data;
use actix_web::web::Path;
use serde_json::Map;
use serde_json::Value;
use utoipa_swagger_ui::Config;

use crate::api::service::Front;
use crate::http::answer;
use crate::http::answer::Answer;
use crate::http::console;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;

/// What the page may do: load its own files and call its own service. Swagger UI sets styles in its elements and holds its
/// pictures as `data:`.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A newer program may bring newer files under the same names.
const FILE_CACHE: &str = "max-age=3600";

/// Asked for again each time; the entity tag spares the body.
const DOCUMENT_CACHE: &str = "no-cache";

/// Without the check that Swagger UI would have made elsewhere.
static CONFIG: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    let config = Config::from("../openapi.json").validator_url("none").deep_linking(true);
    Arc::new(config)
});

/// The description as it is served.
pub struct Served {
    pub text: Bytes,
    /// With its quotes.
    pub etag: String,
}

/// Where everything else is found.
const FRONT: [(&str, &str); 9] = [
    ("docs", "/docs/"),
    ("openapi", "/openapi.json"),
    ("health", "/healthz"),
    ("readiness", "/readyz"),
    ("problems", "/problems"),
    ("scenarios", "/v1/scenarios"),
    ("json_rpc", "/rpc"),
    ("mcp", "/mcp"),
    ("agent_card", "/.well-known/agent-card.json"),
];

/// What this is, and where to go
#[utoipa::path(
    get,
    path = "/",
    tag = "Operations",
    responses(
        (status = 200, description = "Addresses by what they are for.", body = Front),
        (status = 303, description = "To `/console/`, where `Accept` names `text/html`.", headers(("Location"))),
    )
)]
pub async fn read_front(request: HttpRequest) -> HttpResponse {
    if let Some(page) = console::for_people(&request) {
        return page;
    }
    let links: Map<String, Value> = FRONT
        .iter()
        .map(|(name, at)| ((*name).to_owned(), Value::from(*at)))
        .collect();
    HttpResponse::Ok().json(Front {
        service: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        description: env!("CARGO_PKG_DESCRIPTION").to_owned(),
        links,
    })
}

/// This description
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "Operations",
    params(parameters::IfNoneMatch),
    responses(
        (status = 200, description = "OpenAPI 3.1.", body = Object, headers(("ETag"))),
        (status = 304, description = "What the client holds is current.", headers(("ETag"))),
    )
)]
pub async fn read_openapi(request: HttpRequest, served: Data<Served>) -> HttpResponse {
    let Served { text, etag } = &**served;
    answer::cached(&request, etag, DOCUMENT_CACHE, "application/json", text.clone())
}

/// This description for people
#[utoipa::path(
    get,
    path = "/docs",
    tag = "Operations",
    responses((status = 308, description = "To `/docs/`.", headers(("Location"))))
)]
pub async fn read_docs() -> Answer {
    Ok(HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, "docs/"))
        .finish())
}

/// A file of Swagger UI
///
/// Without a name, the page itself.
#[utoipa::path(
    get,
    path = "/docs/{file:[^/]*}",
    tag = "Operations",
    params(parameters::DocsFile),
    responses(
        (status = 200, description = "The file.", content(("text/html"), ("text/css"), ("text/javascript"), ("image/png"), ("text/markdown")), headers(("Content-Security-Policy"))),
    )
)]
pub async fn read_docs_file(name: Path<String>) -> Answer {
    let nothing = || Problem::new(Code::NotFound, "there is nothing at this address");
    let found = utoipa_swagger_ui::serve(&name, Arc::clone(&CONFIG)).map_err(|error| {
        let mut problem = Problem::new(Code::Fault, "the service failed");
        problem.inside = Some(error.to_string().into());
        problem
    })?;
    let file = found.ok_or_else(nothing)?;
    Ok(HttpResponse::Ok()
        .insert_header((HeaderName::from_static("content-security-policy"), POLICY))
        .insert_header((header::CACHE_CONTROL, FILE_CACHE))
        .content_type(file.content_type)
        .body(file.bytes.into_owned()))
}
