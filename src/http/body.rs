//! A request's body as JSON text: within the limit, in time, in whole characters, and no deeper than any reader goes. Whether it is
//! JSON is for the reader to say.

use std::future::Future;
use std::pin::Pin;

use actix_web::FromRequest;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::http::header::HeaderMap;
use actix_web::web;

use crate::http::accept;
use crate::http::app_state::Limits;
use crate::http::call::mouth;
use crate::wire::codes::Code;
use crate::wire::lone_surrogate;
use crate::wire::problem::Problem;
use schema::exchange::length::TooLong;
use schema::json_text;

/// The whole body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body(pub String);

/// The whole body where it frames what is answered within the frame: calls with ids of their own, or several submissions. Half a
/// character in one of them is told where that one is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framed(pub String);

impl FromRequest for Body {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Body, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let read = read(request, payload);
        Box::pin(async move {
            let text = read.await?;
            lone_surrogate::refused(&text).map(|()| Body(text))
        })
    }
}

impl FromRequest for Framed {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Framed, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let read = read(request, payload);
        Box::pin(async move { read.await.map(Framed) })
    }
}

fn read(request: &HttpRequest, payload: &mut Payload) -> impl Future<Output = Result<String, Problem>> + use<> {
    let checked = mouth(request).and_then(|mouth| check_head(request, mouth.limits).map(|()| mouth.limits));
    let payload = web::Payload::from_request(request, payload);
    async move {
        let limits = checked?;
        let payload = payload.await.map_err(|_| broken())?;
        let read = payload.to_bytes_limited(limits.body.0);
        match actix_web::rt::time::timeout(limits.body_timeout, read).await {
            Err(_) => Err(Problem::new(
                Code::BodyTimeout,
                format!("the body did not arrive within {} s", limits.body_timeout.as_secs()),
            )),
            Ok(Err(_)) => Err(too_large(limits.body.exceeded())),
            Ok(Ok(Err(_))) => Err(broken()),
            Ok(Ok(Ok(bytes))) => text(bytes.to_vec()),
        }
    }
}

/// What can be refused before a byte of the body is read.
fn check_head(request: &HttpRequest, limits: Limits) -> Result<(), Problem> {
    let headers = request.headers();
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Problem::new(
            Code::UnsupportedMediaType,
            "a content encoding is not supported",
        ));
    }
    let json = headers
        .get(header::CONTENT_TYPE)
        .is_none_or(|value| value.to_str().is_ok_and(accept::is_json));
    if !json {
        return Err(Problem::new(
            Code::UnsupportedMediaType,
            "the body must be sent with `Content-Type: application/json`",
        ));
    }
    check_length(headers, limits)
}

/// Whether the length that a head says is within the limit.
///
/// # Errors
/// 413 where it is not.
pub fn check_length(headers: &HeaderMap, limits: Limits) -> Result<(), Problem> {
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse::<u64>().ok());
    length
        .map_or(Ok(()), |length| limits.body.admit(length))
        .map_err(too_large)
}

fn text(bytes: Vec<u8>) -> Result<String, Problem> {
    json_text::check_depth(&bytes).map_err(|deep| Problem::new(Code::TooDeep, deep.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        Problem::new(
            Code::NotUtf8,
            format!(
                "the body is not UTF-8 from byte {} on",
                error.utf8_error().valid_up_to()
            ),
        )
    })
}

fn too_large(body: TooLong) -> Problem {
    Problem::new(Code::TooLarge, body.to_string())
}

fn broken() -> Problem {
    Problem::new(Code::BadRequest, "the body broke off")
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::wire::codes::Code;
    use schema::json_text::DEPTH_MAX;

    #[test]
    fn a_body_that_nests_too_deep_is_called_so_before_it_is_read() {
        assert!(text(vec![b'['; DEPTH_MAX]).is_ok());
        let problem = text(vec![b'['; 1 << 20]).expect_err("deep");
        assert_eq!(problem.code, Code::TooDeep);
        assert!(problem.detail.ends_with("at byte 128"), "{}", problem.detail);
    }

    #[test]
    fn the_first_byte_that_is_not_utf8_is_named() {
        assert_eq!(text(b"{}".to_vec()), Ok("{}".to_owned()));
        let problem = text(b"{\"k\":\"\xff\"}".to_vec()).expect_err("not UTF-8");
        assert!(problem.detail.contains("byte 6"), "{}", problem.detail);
    }
}
