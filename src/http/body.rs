//! A request's body as JSON text: within the limit, in time, in whole characters, and no deeper than any reader goes. Whether it is
//! JSON is for the reader to say.

use std::future::Future;
use std::pin::Pin;

use actix_web::FromRequest;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::http::header::HeaderValue;
use actix_web::web;
use actix_web::web::Bytes;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::Value;

use crate::api::service::OperatorReason;
use crate::http::accept;
use crate::http::app_state::Limits;
use crate::http::call::app_state;
use crate::wire::codes::Code;
use crate::wire::lone_surrogate;
use crate::wire::problem::Problem;
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

impl Body {
    /// What an object says by its members, which are those of a type; `form` says which.
    ///
    /// # Errors
    /// 400 when the body is anything else.
    pub fn read<T: DeserializeOwned>(&self, form: &str) -> Result<T, Problem> {
        // A list would be read as members in their order.
        let members: Option<Map<String, Value>> = serde_json::from_str(&self.0).ok();
        members
            .and_then(|members| serde_json::from_value(Value::Object(members)).ok())
            .ok_or_else(|| Problem::new(Code::BadRequest, format!("the body must be {form}")))
    }

    /// The same, where the body may be left out.
    ///
    /// # Errors
    /// 400 when the body is anything else.
    pub fn read_or_default<T: DeserializeOwned + Default>(&self, form: &str) -> Result<T, Problem> {
        match self.0.trim().is_empty() {
            true => Ok(T::default()),
            false => self.read(&format!("empty or {form}")),
        }
    }

    /// Why a person does something, where they say so.
    ///
    /// # Errors
    /// 400 when the body holds anything else.
    pub fn reason(&self) -> Result<Option<String>, Problem> {
        self.read_or_default::<OperatorReason>(r#"{"reason": "text"}"#)
            .map(|said| said.reason)
    }
}

fn read(request: &HttpRequest, payload: &mut Payload) -> impl Future<Output = Result<String, Problem>> + use<> {
    let checked = app_state(request).and_then(|state| check_head(request, state.limits).map(|()| state.limits));
    let payload = web::Payload::from_request(request, payload);
    let offers_another = request.headers().contains_key(header::UPGRADE);
    let declared = accept::declared_length(request).filter(|_| offers_another);
    let request = request.clone();
    async move {
        let limits = checked?;
        let payload = payload.await.map_err(|_| broken())?;
        let read = async {
            match declared {
                Some(length) => read_declared(payload, length).await,
                None => {
                    let bytes = payload.to_bytes_limited(limits.body).await;
                    bytes.map_err(|_| too_large(limits.body))?.map_err(|_| broken())
                }
            }
        };
        let late = |_| {
            let what = format!("the body did not arrive within {} s", limits.body_timeout.as_secs());
            Problem::new(Code::BodyTimeout, what)
        };
        let read = actix_web::rt::time::timeout(limits.body_timeout, read).await;
        let bytes = read.map_err(late)??;
        // One of a declared length was checked before it was read.
        accept::check_media_type(&request, bytes.len() as u64)?;
        text(bytes.to_vec())
    }
}

/// Reads as many bytes as the head declares. Where a request offers WebSocket, actix passes on everything that follows on the
/// connection, which has no end.
async fn read_declared(mut payload: web::Payload, length: u64) -> Result<Bytes, Problem> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < length {
        let part = payload.next().await.and_then(Result::ok).ok_or_else(broken)?;
        bytes.extend_from_slice(&part);
    }
    // No longer than a body may be, which the head was checked for.
    bytes.truncate(length as usize);
    Ok(bytes.into())
}

/// What can be refused before a byte of the body is read.
fn check_head(request: &HttpRequest, limits: Limits) -> Result<(), Problem> {
    let mut encodings = request.headers().get_all(header::CONTENT_ENCODING);
    let is_plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if !encodings.all(is_plain) {
        return Err(Problem::new(
            Code::UnsupportedMediaType,
            "a content encoding is not supported: send the body as it is, without Content-Encoding or as identity",
        ));
    }
    let length = accept::declared_length(request);
    accept::check_media_type(request, length.unwrap_or_default())?;
    match length {
        Some(length) if length > limits.body as u64 => Err(too_large(limits.body)),
        Some(_) | None => Ok(()),
    }
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

fn too_large(most: usize) -> Problem {
    Problem::new(Code::TooLarge, format!("a body may have {most} bytes"))
}

fn broken() -> Problem {
    Problem::new(Code::BadRequest, "the body broke off")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Body;
    use super::text;
    use crate::api::audits::VerdictGiven;
    use crate::api::evolution::Approving;
    use crate::api::evolution::Rejecting;
    use crate::wire::codes::Code;
    use engine::evolution::audit::Verdict;
    use engine::evolution::operator_action::Scope;
    use schema::json_text::DEPTH_MAX;

    #[test]
    fn where_a_body_nests_too_deep_or_ceases_to_be_utf8_is_named_before_it_is_read() {
        assert!(text(vec![b'['; DEPTH_MAX]).is_ok());
        assert_eq!(text(b"{}".to_vec()), Ok("{}".to_owned()));
        for (bytes, code, says) in [
            (vec![b'['; 1 << 20], Code::TooDeep, "at byte 128"),
            (b"{\"k\":\"\xff\"}".to_vec(), Code::NotUtf8, "byte 6"),
        ] {
            let problem = text(bytes).expect_err("refused");
            assert_eq!(problem.code, code);
            assert!(problem.detail.contains(says), "{}", problem.detail);
        }
    }

    #[test]
    fn a_person_s_decision_is_read_by_its_type_and_nothing_else_is_taken_z137() {
        let body = |text: &str| Body(text.to_owned());
        for (text, verdict, reason) in [
            (r#"{"verdict": "aligned"}"#, Verdict::Aligned, None),
            (
                r#"{"verdict": "not_aligned", "reason": null}"#,
                Verdict::NotAligned,
                None,
            ),
            (
                r#"{"verdict": "cannot_tell", "reason": "x"}"#,
                Verdict::CannotTell,
                Some("x"),
            ),
        ] {
            let given: VerdictGiven = body(text).read("a verdict").expect(text);
            assert_eq!((given.verdict, given.reason.as_deref()), (verdict, reason), "{text}");
        }
        for text in [
            r#"{"verdict": "wrong"}"#,
            r#"{"verdict": true}"#,
            r#"{"verdict": "aligned", "reason": 7}"#,
            r#"{"verdict": "aligned", "more": 7}"#,
            "{}",
            "",
            r#"["aligned", "x"]"#,
        ] {
            let refused = body(text).read::<VerdictGiven>("a verdict").expect_err(text);
            assert_eq!(refused.detail, "the body must be a verdict");
        }
        for text in ["", " ", "{}", r#"{"reason": null}"#] {
            assert_eq!(body(text).reason(), Ok(None), "{text}");
        }
        assert_eq!(body(r#"{"reason": "why"}"#).reason(), Ok(Some("why".to_owned())));
        for text in [r#"{"reason": 1}"#, r#"{"because": "x"}"#, "[]", r#"["x"]"#, "null", "{"] {
            let refused = body(text).reason().expect_err(text);
            assert_eq!(
                refused.detail, r#"the body must be empty or {"reason": "text"}"#,
                "{text}"
            );
        }
        let rejecting: Rejecting = body(r#"{"scope": "key"}"#).read_or_default("").expect("a scope");
        assert_eq!((rejecting.scope, rejecting.reason), (Scope::Key, None));
        let approving: Approving = body(r#"{"edit": {"title": "Seat"}}"#)
            .read_or_default("")
            .expect("an edit");
        assert_eq!(approving.edit, Some(json!({"title": "Seat"})));
    }
}
