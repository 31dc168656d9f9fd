//! Encoding: JSON answers, and a problem as a response.

use std::sync::Arc;
use std::time::Duration;
use std::time::UNIX_EPOCH;

use actix_web::HttpRequest;
use actix_web::HttpResponse;
use actix_web::HttpResponseBuilder;
use actix_web::ResponseError;
use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::http::header::HeaderName;
use actix_web::http::header::HeaderValue;
use actix_web::http::header::HttpDate;
use actix_web::web::Bytes;

use crate::api::submissions::SchemaStatus;
use crate::app::error::ServiceError;
use crate::app::negotiation::News;
use crate::app::reply::Held;
use crate::app::reply::SubmitReply;
use crate::app::reply::TemplateReply;
use crate::http::call::holds;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::export::loss::Loss;
use schema::time::At;
use schema::time::SECOND_MS;

/// What a handler gives back.
pub type Answer = Result<HttpResponse, Problem>;

/// What a template's representation depends on beside its address.
const TEMPLATE_VARIES: &str = "Accept-Language, Authorization, X-API-Key, Otherwise-Client";

/// About how many tokens an export is.
const EXPORT_TOKENS: HeaderName = HeaderName::from_static("otherwise-export-tokens");

/// What an export does not hold as the template does.
const EXPORT_LOST: HeaderName = HeaderName::from_static("otherwise-export-lost");

/// What a template is, on whatever serves one: its schema, that schema's version, its revision, and the digest of its keys.
const SCHEMA_ID: HeaderName = HeaderName::from_static("otherwise-schema-id");
const VERSION: HeaderName = HeaderName::from_static("otherwise-version");
const REVISION: HeaderName = HeaderName::from_static("otherwise-revision");
const DIGEST: HeaderName = HeaderName::from_static("otherwise-digest");

/// What of a client's capabilities was not heeded.
const IGNORED: HeaderName = HeaderName::from_static("otherwise-capabilities-ignored");

/// That an answer, accepted or refused, is the stored one.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The version in force, where another one is served.
const LATEST: HeaderName = HeaderName::from_static("otherwise-latest");

/// Since when what is served is deprecated (RFC 9745).
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");

/// From when on what is served may be gone (RFC 8594).
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// The preference of the request that was heeded (RFC 7240).
const APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// Losses that the header names; a header has its limits in many a proxy.
const LOSSES_SAID_MAX: usize = 64;
/// The same for what changed, which is in no language.
const UPDATES_VARY: &str = "Authorization, X-API-Key, Otherwise-Client";

/// Kept only by the client itself, and asked for again each time.
const TEMPLATE_CACHE: &str = "private, no-cache";

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.row().code, self.detail)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code.row().status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        let document = self.document().to_string();
        refused(self, self.status_code(), "application/problem+json", document)
    }
}

/// A problem in the form that its carrier has, with what its headers say.
pub fn refused(problem: &Problem, status: StatusCode, media: &str, body: String) -> HttpResponse {
    let mut response = HttpResponse::build(status);
    insert_replayed(&mut response, problem.replayed);
    if let Some(seconds) = problem.retry_after_s {
        response.insert_header((header::RETRY_AFTER, seconds.to_string()));
    }
    if let Some(allow) = &problem.allow {
        response.insert_header((header::ALLOW, &**allow));
    }
    if let Some(challenge) = problem.challenge {
        response.insert_header((header::WWW_AUTHENTICATE, challenge));
    }
    if matches!(problem.code, Code::TooLarge | Code::BodyTimeout) {
        // The rest of the body is not read.
        response.force_close();
    }
    response.content_type(media).body(body)
}

/// JSON text.
pub fn json(status: StatusCode, text: String) -> HttpResponse {
    let media_type = HeaderValue::from_static("application/json");
    HttpResponse::build(status).content_type(media_type).body(text)
}

/// A template with what caches need to know of it, and an export with what its readers do; `ignored` names the capabilities that
/// were not heeded.
pub fn template(reply: &TemplateReply, ignored: &[String]) -> HttpResponse {
    let text: &Arc<str> = &reply.body;
    let mut response = identified(StatusCode::OK, reply);
    if !ignored.is_empty() {
        response.insert_header((IGNORED, ignored.join(", ")));
    }
    let mut media_type = "application/json";
    if let Some(exported) = &reply.exported {
        media_type = exported.form.media_type();
        response.insert_header((EXPORT_TOKENS, exported.tokens.to_string()));
        // An empty list is said by leaving the header out.
        if !exported.lost.is_empty() {
            response.insert_header((EXPORT_LOST, lost(&exported.lost)));
        }
    }
    let response = response
        .insert_header((header::CONTENT_LANGUAGE, reply.language.as_str()))
        .content_type(media_type)
        .body(text.to_string());
    with_status(response, reply.status)
}

/// An answer with what its readers and caches know a template by.
fn identified(status: StatusCode, reply: &TemplateReply) -> HttpResponseBuilder {
    let identity = &reply.identity;
    let mut response = HttpResponse::build(status);
    response
        .insert_header((SCHEMA_ID, identity.schema_id.as_str()))
        .insert_header((VERSION, identity.version.as_str()))
        .insert_header((REVISION, identity.revision.to_string()))
        .insert_header((DIGEST, identity.digest.as_str()))
        .insert_header((header::ETAG, reply.etag.as_str()))
        .insert_header((header::VARY, TEMPLATE_VARIES))
        .insert_header((header::CACHE_CONTROL, TEMPLATE_CACHE));
    response
}

/// A list of RFC 9651: `price.multipleOf;unenforced, extras.additionalProperties;narrowed`, and after the first
/// [`LOSSES_SAID_MAX`] how many more there are, as `more;count=3`.
fn lost(losses: &[Loss]) -> String {
    let mut said: Vec<String> = losses
        .iter()
        .take(LOSSES_SAID_MAX)
        .map(|loss| format!("{};{}", loss.path(), loss.effect.name()))
        .collect();
    let more = losses.len().saturating_sub(LOSSES_SAID_MAX);
    if more > 0 {
        said.push(format!("more;count={more}"));
    }
    said.join(", ")
}

/// What became of a submission, with what is known of its schema.
///
/// # Errors
/// What came to no schema.
pub fn submitted(status: StatusCode, ended: Result<SubmitReply, ServiceError>) -> Answer {
    let reply = match ended {
        Ok(reply) => reply,
        Err(error) => {
            let schema = error.schema();
            let problem = Problem::from(error);
            return match schema {
                Some(schema) => Ok(with_status(problem.error_response(), schema)),
                None => Err(problem),
            };
        }
    };
    let mut response = HttpResponse::build(status);
    insert_replayed(&mut response, reply.replayed);
    let response = response.content_type("application/json").body(reply.body);
    Ok(with_status(response, reply.schema))
}

/// Says of an answer that is the stored one of an earlier call with the same idempotency key that it is that.
fn insert_replayed(response: &mut HttpResponseBuilder, replayed: bool) {
    if replayed {
        response.insert_header((REPLAYED, "true"));
    }
}

/// The answer with what a schema is to its scenario, where there is anything to say.
pub fn with_status(mut response: HttpResponse, status: SchemaStatus) -> HttpResponse {
    let SchemaStatus {
        latest,
        deprecated_at,
        sunset,
        lenient,
    } = status;
    let date = |at: At| HttpDate::from(UNIX_EPOCH + Duration::from_secs(seconds(at))).to_string();
    let latest = latest.map(|version| (LATEST, version.to_string()));
    let deprecation = deprecated_at.map(|at| (DEPRECATION, format!("@{}", seconds(at))));
    let sunset = sunset.map(|at| (SUNSET, date(at)));
    let applied = lenient.then(|| (APPLIED, "handling=lenient".to_owned()));
    for (name, value) in latest.into_iter().chain(deprecation).chain(sunset).chain(applied) {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Whole seconds since 1970, which a header says a moment in.
fn seconds(at: At) -> u64 {
    u64::try_from(at.0 / SECOND_MS).unwrap_or_default()
}

/// 304: the template that the client holds is current.
pub fn unchanged(held: &TemplateReply) -> HttpResponse {
    with_status(identified(StatusCode::NOT_MODIFIED, held).finish(), held.status)
}

/// What changed with what caches need to know of it, or that nothing did since the client asked last.
pub fn updates(news: &Result<News, Held<News>>) -> HttpResponse {
    let (mut response, told) = match news {
        Ok(news) => (HttpResponse::Ok(), news),
        Err(Held(news)) => (HttpResponse::NotModified(), news),
    };
    response
        .insert_header((header::ETAG, told.etag()))
        .insert_header((header::VARY, UPDATES_VARY))
        .insert_header((header::CACHE_CONTROL, TEMPLATE_CACHE));
    let response = match news {
        Ok(news) => response.content_type("application/json").body(news.body.clone()),
        Err(_) => response.finish(),
    };
    with_status(response, told.status)
}

/// What bears an entity tag, or only that the client holds it already.
pub fn cached(request: &HttpRequest, etag: &str, control: &str, media: &str, body: impl Into<Bytes>) -> HttpResponse {
    let held = holds(request, etag);
    let mut response = match held {
        true => HttpResponse::NotModified(),
        false => HttpResponse::Ok(),
    };
    response
        .insert_header((header::ETAG, etag))
        .insert_header((header::CACHE_CONTROL, control));
    match held {
        true => response.finish(),
        false => response.content_type(media).body(body.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::LOSSES_SAID_MAX;
    use super::lost;
    use schema::export::loss::Effect;
    use schema::export::loss::Loss;

    #[test]
    fn losses_are_said_up_to_the_limit_and_counted_beyond() {
        let losses = |count: usize| -> Vec<Loss> {
            let loss = |n: usize| Loss {
                key_name: format!("k{n}"),
                pointer: "/pattern".to_owned(),
                keyword: "pattern",
                effect: Effect::Narrowed,
            };
            (0..count).map(loss).collect()
        };
        assert_eq!(lost(&losses(2)), "k0.pattern;narrowed, k1.pattern;narrowed");
        assert!(!lost(&losses(LOSSES_SAID_MAX)).contains("more"));
        assert!(lost(&losses(LOSSES_SAID_MAX + 2)).ends_with("k63.pattern;narrowed, more;count=2"));
    }
}
