//! Sends requests and reads responses, within bounds: time, bytes, attempts.
//!
//! Knows HTTP and nothing of what is asked. Follows no redirect and asks no proxy. Invariant: what it gives back holds no
//! header that was sent.

use std::io::ErrorKind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::crypto::ring;
use serde_json::Value;
use ureq::Agent;
use ureq::Error;
use ureq::http;
use ureq::http::HeaderValue;
use ureq::http::header::AUTHORIZATION;
use ureq::http::header::CONNECTION;
use ureq::http::header::CONTENT_LANGUAGE;
use ureq::http::header::CONTENT_TYPE;
use ureq::http::header::ETAG;
use ureq::http::header::HeaderName;
use ureq::http::header::IF_NONE_MATCH;
use ureq::http::header::RETRY_AFTER;
use ureq::tls::Certificate;
use ureq::tls::RootCerts;
use ureq::tls::TlsConfig;

use crate::request::Request;
use crate::server_url::ServerUrl;
use crate::transcript::Exchange;

/// Bytes of a response that are read.
const ANSWER_BYTES_MAX: u64 = 4 * 1_024 * 1_024;
/// Requests of one examination, those that are repeated counted: half as many again as a whole one needs.
const REQUESTS_MAX: u32 = 100;
/// How long is waited, once for each request, where a server says that it is asked too often.
const PAUSE_S_MAX: u64 = 5;
/// Bytes of a key: what a header may well hold.
const KEY_BYTES_MAX: usize = 8_192;

const NO_ROOTS: &str = "this machine holds no root certificates to check https with; install them (often the package \
                        ca-certificates), or set SSL_CERT_FILE";

/// Makes requests.
pub struct Client {
    agent: Agent,
    server: ServerUrl,
    key: Option<HeaderValue>,
    timeout: Duration,
    /// Requests so far.
    pub requests: u32,
}

/// The value of the header `Authorization`, marked as a secret.
///
/// # Errors
/// That the place holds no key, in a sentence that does not repeat what it holds.
pub fn authorization(place: &str, text: Option<String>) -> Result<HeaderValue, String> {
    let text = text.unwrap_or_default();
    let key = text.trim();
    let visible = !key.is_empty() && key.len() <= KEY_BYTES_MAX && key.bytes().all(|byte| byte.is_ascii_graphic());
    let value = HeaderValue::from_str(&format!("Bearer {key}")).ok();
    let mut value = value
        .filter(|_| visible)
        .ok_or_else(|| format!("{place} holds no key: a line of visible ASCII characters, and nothing else"))?;
    value.set_sensitive(true);
    Ok(value)
}

impl Client {
    /// A client of a server; each call ends within the time.
    ///
    /// # Errors
    /// What this machine lacks.
    pub fn new(server: ServerUrl, key: Option<HeaderValue>, timeout: Duration) -> Result<Client, String> {
        Ok(Client {
            agent: agent(&server, timeout)?,
            server,
            key,
            timeout,
            requests: 0,
        })
    }

    /// Makes a request; once more where the server asks for a short pause.
    ///
    /// # Errors
    /// Why nothing came back.
    pub fn send(&mut self, request: &Request) -> Result<Exchange, String> {
        let (exchange, pause_s) = self.once(request)?;
        match pause_s.filter(|_| matches!(exchange.status, 429 | 503)) {
            None => Ok(exchange),
            Some(seconds) => {
                thread::sleep(Duration::from_secs(seconds));
                Ok(self.once(request)?.0)
            }
        }
    }

    /// The exchange, and the pause that the server asks for where it is short.
    fn once(&mut self, request: &Request) -> Result<(Exchange, Option<u64>), String> {
        if self.requests >= REQUESTS_MAX {
            return Err(format!("{REQUESTS_MAX} requests were sent, and no more are"));
        }
        self.requests += 1;
        let mut call = http::Request::builder()
            .method(request.method.clone())
            .uri(format!("{}{}", self.server.base, request.path));
        if let Some(key) = &self.key {
            call = call.header(AUTHORIZATION, key.clone());
        }
        if let Some(tag) = &request.if_none_match {
            call = call.header(IF_NONE_MATCH, tag);
        }
        let agent = if request.fresh {
            call = call.header(CONNECTION, "close");
            agent(&self.server, self.timeout)?
        } else {
            self.agent.clone()
        };
        let sent = match &request.body {
            Some(body) => {
                let call = call.header(CONTENT_TYPE, "application/json").body(body.as_str());
                call.map(|call| agent.run(call))
            }
            None => call.body(()).map(|call| agent.run(call)),
        };
        let sent = sent.map_err(|_| "it would be no request".to_owned())?;
        let mut response = sent.map_err(|error| self.why(&error))?;
        let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let text = String::from_utf8_lossy(&body.map_err(|error| self.why(&error))?).into_owned();
        let header = |name: HeaderName| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let pause_s = header(RETRY_AFTER).and_then(|seconds| seconds.parse().ok());
        let exchange = Exchange {
            request: format!("{} {}", request.method, request.path),
            sent: request.body.clone(),
            status: response.status().as_u16(),
            media_type: header(CONTENT_TYPE),
            etag: header(ETAG),
            content_language: header(CONTENT_LANGUAGE),
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        };
        Ok((exchange, pause_s.filter(|seconds| *seconds <= PAUSE_S_MAX)))
    }

    fn why(&self, error: &Error) -> String {
        match error {
            Error::Timeout(_) => format!("nothing came within {} s", self.timeout.as_secs()),
            Error::BodyExceedsLimit(_) => "the answer is too large".to_owned(),
            Error::HostNotFound | Error::ConnectionFailed => "it cannot be reached".to_owned(),
            Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => "it cannot be reached".to_owned(),
            other => format!("the connection broke off: {other}"),
        }
    }
}

fn agent(server: &ServerUrl, timeout: Duration) -> Result<Agent, String> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(timeout));
    if !server.secure {
        return Ok(config.build().into());
    }
    let roots = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<Certificate<'static>> = roots
        .iter()
        .map(|root| Certificate::from_der(root).to_owned())
        .collect();
    if roots.is_empty() {
        return Err(NO_ROOTS.to_owned());
    }
    let tls = TlsConfig::builder()
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots));
    Ok(config.https_only(true).tls_config(tls.build()).build().into())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Client;
    use super::REQUESTS_MAX;
    use crate::probe;
    use crate::request;
    use crate::scratch::DEFECTS;
    use crate::server_url::ServerUrl;

    #[test]
    fn all_requests_fit_into_the_bound_and_none_is_sent_beyond_it() {
        let all = probe::all().len() + DEFECTS.len();
        assert!(u32::try_from(all).is_ok_and(|all| all < REQUESTS_MAX), "{all}");
        let server = ServerUrl::parse("http://127.0.0.1:1", false).expect("an address");
        let mut client = Client::new(server, None, Duration::from_secs(1)).expect("a client");
        let refused = |client: &mut Client| client.send(&request::retire("a_v1")).expect_err("nobody is there");
        client.requests = REQUESTS_MAX - 1;
        assert!(refused(&mut client).contains("reached"));
        assert!(refused(&mut client).contains("no more"));
        assert_eq!(client.requests, REQUESTS_MAX);
    }
}
