//! Sends requests and reads answers, within bounds: time, bytes, attempts.
//!
//! Knows HTTP and nothing of what is asked. Invariant: what it gives back holds no header that was sent.

use std::time::Duration;

use hyper::HeaderMap;
use hyper::Uri;
use hyper::header::AUTHORIZATION;
use hyper::header::CONNECTION;
use hyper::header::CONTENT_LANGUAGE;
use hyper::header::CONTENT_TYPE;
use hyper::header::ETAG;
use hyper::header::HeaderName;
use hyper::header::HeaderValue;
use hyper::header::IF_NONE_MATCH;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::edge::cli::conformance::probe::Request;
use crate::edge::cli::conformance::scene::Exchange;
use crate::edge::outbound::Answer;
use crate::edge::outbound::Outbound;

/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: usize = 4 * 1_024 * 1_024;
/// Requests of one examination, those that are repeated counted.
const REQUESTS_MAX: u32 = 100;
/// How long is waited, once for each request, where a server says that it is asked too often.
const PAUSE_S_MAX: u64 = 5;

/// Who asks.
pub struct Caller {
    runtime: Runtime,
    outbound: Outbound,
    base: String,
    secure: bool,
    key: Option<HeaderValue>,
    timeout: Duration,
    /// Requests so far.
    pub requests: u32,
}

impl Caller {
    /// A caller of the server at an address; each call ends within the time.
    ///
    /// # Errors
    /// What this machine lacks.
    pub fn new(base: &str, secure: bool, key: Option<HeaderValue>, timeout: Duration) -> Result<Caller, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Caller {
            runtime: runtime.map_err(|error| error.to_string())?,
            outbound: client(secure)?,
            base: base.to_owned(),
            secure,
            key,
            timeout,
            requests: 0,
        })
    }

    /// Makes a request; once more where the server asks for a short pause.
    ///
    /// # Errors
    /// Why nothing came back.
    pub fn ask(&mut self, request: &Request) -> Result<Exchange, String> {
        let (answer, headers) = self.once(request)?;
        let pause = answer.retry_after_s.filter(|seconds| *seconds <= PAUSE_S_MAX);
        let (answer, headers) = match pause.filter(|_| matches!(answer.status, 429 | 503)) {
            None => (answer, headers),
            Some(seconds) => {
                std::thread::sleep(Duration::from_secs(seconds));
                self.once(request)?
            }
        };
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let header = |name: HeaderName| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok().map(str::to_owned))
        };
        Ok(Exchange {
            asked: format!("{} {}", request.method, request.path),
            sent: request.body.clone(),
            status: answer.status,
            media_type: answer.content_type,
            etag: header(ETAG),
            content_language: header(CONTENT_LANGUAGE),
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        })
    }

    fn once(&mut self, request: &Request) -> Result<(Answer, HeaderMap), String> {
        if self.requests >= REQUESTS_MAX {
            return Err(format!("{REQUESTS_MAX} requests were sent, and no more are"));
        }
        self.requests += 1;
        let address = format!("{}{}", self.base, request.path);
        let address: Uri = address.parse().map_err(|_| "it would be no address".to_owned())?;
        let mut headers = HeaderMap::new();
        if request.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        if let Some(tag) = &request.if_none_match {
            let tag = HeaderValue::from_str(tag).map_err(|_| "its entity tag is none".to_owned())?;
            headers.insert(IF_NONE_MATCH, tag);
        }
        let outbound = if request.fresh {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
            client(self.secure)?
        } else {
            self.outbound.clone()
        };
        let body = request.body.clone().unwrap_or_default().into_bytes();
        let (method, timeout) = (request.method.clone(), self.timeout);
        let called = self.runtime.block_on(async {
            let call = outbound.exchange(method, &address, headers, body, ANSWER_BYTES_MAX);
            tokio::time::timeout(timeout, call).await
        });
        match called {
            Err(_) => Err(format!("nothing came within {} s", timeout.as_secs())),
            Ok(Err(fault)) => Err(fault.to_string()),
            Ok(Ok(whole)) => Ok(whole),
        }
    }
}

fn client(secure: bool) -> Result<Outbound, String> {
    if secure { Outbound::https() } else { Outbound::plain() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Caller;
    use super::REQUESTS_MAX;
    use crate::edge::cli::conformance::probe;
    use crate::edge::cli::conformance::scratch::DEFECTS;

    #[test]
    fn all_requests_fit_into_the_bound_and_none_is_sent_beyond_it() {
        let all = probe::all().len() + DEFECTS.len();
        assert!(u32::try_from(all).is_ok_and(|all| all < REQUESTS_MAX), "{all}");
        let caller = Caller::new("http://127.0.0.1:1", false, None, Duration::from_secs(1));
        let mut caller = caller.expect("a caller");
        let refused = |caller: &mut Caller| caller.ask(&probe::retire("a_v1")).expect_err("nobody is there");
        caller.requests = REQUESTS_MAX - 1;
        assert!(refused(&mut caller).contains("reached"));
        assert!(refused(&mut caller).contains("no more"));
        assert_eq!(caller.requests, REQUESTS_MAX);
    }
}
