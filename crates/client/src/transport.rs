//! One call after another over HTTP, with TLS by the certificates that the machine trusts, and another try where that makes sense.
//!
//! Knows addresses, headers and bytes, nothing of templates. Follows no redirect, keeps no cookie, asks no proxy. Invariants: no more
//! of an answer is read than its limit allows, and no error holds a key.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http::HeaderName;
use http::Method;
use http::header::CONTENT_TYPE;
use http::header::RETRY_AFTER;
use reqwest::Client;
use reqwest::Response;
use reqwest::redirect;
use rustls::ClientConfig;
use rustls::RootCertStore;
use rustls::crypto::ring;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::address::Address;
use crate::error::Error;
use crate::error::Problem;

/// Bytes of an answer that are read: a template of a thousand keys takes a few hundred kilobytes, a page of a list a few megabytes.
const ANSWER_BYTES_MAX: usize = 32 << 20;
/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(10);
/// Tries of one call.
const TRIES_MAX: u32 = 4;
/// The longest pause that chance gives before the second try; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause of all, whatever the service asks for.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// Codes of 502 that another try does not change: the executor has decided, or may not be called at all.
const FINAL: [&str; 3] = ["executor_refused", "bad_result", "executor_not_allowed"];

const NO_ROOTS: &str = "this machine holds no root certificates to check https with; install them (often the package \
                        ca-certificates), or set SSL_CERT_FILE";

/// Waits between two tries. Tests put a recorder in its place.
pub type Sleep = Arc<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    /// Path and query under the service's address; [`crate::address::segment`] encodes names.
    pub path: String,
    pub headers: Vec<(HeaderName, String)>,
    /// JSON.
    pub body: Option<String>,
}

impl Request {
    /// Asks for what lies under a path.
    pub fn get(path: impl Into<String>) -> Request {
        Request {
            method: Method::GET,
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// Sends a document to a path.
    pub fn post(path: impl Into<String>, body: String) -> Request {
        Request {
            method: Method::POST,
            body: Some(body),
            ..Request::get(path)
        }
    }

    /// With one more header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &str) -> Request {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// What came back, whatever its status.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body of a success, read into a type.
    ///
    /// # Errors
    /// What the service says of its refusal, or that the body cannot be read.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        if self.status != 200 {
            return Err(Error::Refused(self.problem()));
        }
        serde_json::from_slice(&self.body).map_err(|error| self.unreadable(&error))
    }

    /// That what came is not what a service answers.
    pub(crate) fn unreadable(&self, why: &dyn fmt::Display) -> Error {
        Error::Refused(Box::new(Problem {
            code: "bad_answer".to_owned(),
            status: self.status,
            title: "Answer cannot be read".to_owned(),
            detail: format!("what came cannot be read: {why}; is it the address of the service?"),
            document: Value::Null,
        }))
    }

    /// What the service says of its refusal.
    pub fn problem(&self) -> Box<Problem> {
        Box::new(Problem::read(self.status, self.json()))
    }

    /// Whether the same call may come to something else a moment later.
    fn invites_another_try(&self) -> bool {
        match self.status {
            429 | 503 | 504 => true,
            502 => !FINAL.iter().any(|code| self.json()["code"] == *code),
            409 => self.json()["code"] == "idempotency_in_flight",
            _ => false,
        }
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let seconds = self.header(RETRY_AFTER.as_str())?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }
}

/// An answer whose body is still coming.
#[derive(Debug)]
pub struct Coming {
    response: Response,
    /// How long the next bytes may take.
    patience: Duration,
}

impl Coming {
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The next bytes, never none of them; `None` at the end.
    ///
    /// # Errors
    /// It broke off, or nothing came in time.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Cut> {
        loop {
            let chunk = tokio::time::timeout(self.patience, self.response.chunk()).await;
            let chunk = chunk.map_err(|_| Cut::Late(self.patience))?.map_err(|_| Cut::Broken)?;
            if chunk.as_ref().is_none_or(|bytes| !bytes.is_empty()) {
                return Ok(chunk.map(|bytes| bytes.to_vec()));
            }
        }
    }

    /// The rest, up to so many bytes.
    ///
    /// # Errors
    /// As [`Coming::next`], or there is more.
    pub async fn whole(mut self, bytes_max: usize) -> Result<Answer, Cut> {
        let mut answer = Answer {
            status: self.status(),
            headers: std::mem::take(self.response.headers_mut()),
            body: Vec::new(),
        };
        while let Some(bytes) = self.next().await? {
            if answer.body.len() + bytes.len() > bytes_max {
                return Err(Cut::TooLarge);
            }
            answer.body.extend_from_slice(&bytes);
        }
        Ok(answer)
    }
}

/// Why nothing came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cut {
    #[error("it cannot be asked so: the address or a header holds what none can")]
    Unsendable,
    #[error("it cannot be reached")]
    Unreachable,
    /// The connection stood, and broke.
    #[error("the connection broke off")]
    Broken,
    #[error("nothing came for {} s", .0.as_secs())]
    Late(Duration),
    #[error("the answer is too large")]
    TooLarge,
}

/// Makes calls to one service.
#[derive(Clone)]
pub struct Transport {
    pub address: Address,
    /// The client as such, for a protocol that a library speaks.
    pub client: Client,
    /// What every call bears.
    pub headers: HeaderMap,
    pub timeout: Duration,
    /// How it waits between two tries.
    pub sleep: Sleep,
}

impl Transport {
    /// Calls with these headers, each of which may take so long.
    ///
    /// # Errors
    /// The machine has no certificates to check https with.
    pub fn new(address: Address, headers: HeaderMap, timeout: Duration) -> Result<Transport, Error> {
        let mut roots = RootCertStore::empty();
        if address.is_secure {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                return Err(Error::Misused(NO_ROOTS.to_owned()));
            }
        }
        let wrong = |error: &dyn fmt::Display| Error::Misused(format!("no calls can be made: {error}"));
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(&error))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .https_only(address.is_secure)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .user_agent(concat!("otherwise-client-rust/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .build()
            .map_err(|error| wrong(&error))?;
        Ok(Transport {
            address,
            client,
            headers,
            timeout,
            sleep: Arc::new(|pause| Box::pin(tokio::time::sleep(pause))),
        })
    }

    /// Makes one call, and reads its answer as it comes; its head and all that follows may each take as long as `patience`.
    ///
    /// # Errors
    /// Nothing came back.
    pub async fn open(&self, request: Request, patience: Duration) -> Result<Coming, Cut> {
        let Request {
            method,
            path,
            headers,
            body,
        } = request;
        let mut asked = self.client.request(method, format!("{}{path}", self.address.base));
        asked = asked.headers(self.headers.clone());
        for (name, value) in headers {
            asked = asked.header(name, value);
        }
        if let Some(body) = body {
            asked = asked.header(CONTENT_TYPE, "application/json").body(body);
        }
        let response = tokio::time::timeout(patience, asked.send()).await;
        let response = response.map_err(|_| Cut::Late(patience))?.map_err(|error| {
            if error.is_builder() {
                Cut::Unsendable
            } else if error.is_connect() {
                Cut::Unreachable
            } else {
                Cut::Broken
            }
        })?;
        Ok(Coming { response, patience })
    }

    /// Makes one call, once.
    ///
    /// # Errors
    /// Nothing came back.
    pub async fn call(&self, request: Request) -> Result<Answer, Cut> {
        let whole = async { self.open(request, self.timeout).await?.whole(ANSWER_BYTES_MAX).await };
        let answered = tokio::time::timeout(self.timeout, whole).await;
        answered.unwrap_or(Err(Cut::Late(self.timeout)))
    }

    /// Makes one call, and again after a pause where the connection failed or the service put it off.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where the last try ended so too.
    pub async fn insist(&self, request: Request) -> Result<Answer, Error> {
        let mut tried = 0;
        loop {
            tried += 1;
            let (asked_for, error) = match self.call(request.clone()).await {
                Ok(answer) if !answer.invites_another_try() => return Ok(answer),
                Ok(answer) => (answer.retry_after(), Self::put_off(answer.problem())),
                Err(cut @ (Cut::TooLarge | Cut::Unsendable)) => return Err(self.unreached(cut)),
                Err(cut) => (None, self.unreached(cut)),
            };
            if tried >= TRIES_MAX {
                return Err(error);
            }
            let pause = asked_for
                .unwrap_or_default()
                .saturating_add(jitter(tried - 1, fastrand::f64()));
            (self.sleep)(pause.min(PAUSE_MAX)).await;
        }
    }

    /// Waits: what was asked for, and by chance up to half a second that doubles with each failure.
    pub(crate) async fn pause(&self, asked_for: Duration, failed: u32) {
        (self.sleep)(asked_for.saturating_add(jitter(failed, fastrand::f64()))).await;
    }

    fn put_off(problem: Box<Problem>) -> Error {
        Error::Unavailable {
            why: format!(
                "the service answered {} at the last of {TRIES_MAX} tries: {}",
                problem.status, problem.detail
            ),
            problem: Some(problem),
        }
    }

    /// That nothing came back from this service.
    pub fn unreached(&self, cut: Cut) -> Error {
        Error::Unavailable {
            why: format!("the service at {}: {cut}", self.address.base),
            problem: None,
        }
    }
}

/// A share that chance gives of half a second, doubled with each failure, up to the longest pause (full jitter).
fn jitter(failed: u32, chance: f64) -> Duration {
    // Six doublings reach the longest pause.
    let longest = FIRST_PAUSE.saturating_mul(1 << failed.min(6));
    longest.min(PAUSE_MAX).mul_f64(chance)
}
