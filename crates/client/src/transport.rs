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
use http::Method;
use http::header::CONTENT_TYPE;
use reqwest::Client;
use reqwest::RequestBuilder;
use reqwest::Response;
use reqwest::redirect;
use rustls::crypto::ring;
use serde_json::Value;
use serde_json::json;

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

const NO_CLIENT: &str = "no calls can be made: does this machine hold root certificates to check https with (often the package \
                         ca-certificates), or should SSL_CERT_FILE name them?";

/// Waits between two tries. Tests put a recorder in its place.
pub type Sleep = Arc<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

/// What came back, whatever its status.
#[derive(Clone, Debug, Default)]
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

    /// That what came is not what a service answers.
    pub(crate) fn unreadable(&self, why: &dyn fmt::Display) -> Error {
        let detail = format!("what came cannot be read: {why}; is it the address of the service?");
        let (status, document) = (self.status, json!({ "detail": detail }));
        Error::Refused(Problem { status, document })
    }

    /// What the service says of its refusal.
    pub fn problem(&self) -> Problem {
        let (status, document) = (self.status, self.json());
        Problem { status, document }
    }

    /// Whether the same call may come to something else a moment later.
    fn invites_another_try(&self) -> bool {
        match self.status {
            429 | 503 | 504 => true,
            502 => !FINAL.contains(&self.problem().code()),
            409 => self.problem().code() == "idempotency_in_flight",
            _ => false,
        }
    }

    /// How long the service asks to wait, which it says in seconds.
    pub(crate) fn retry_after(&self) -> Duration {
        let seconds = self.header("retry-after").and_then(|said| said.trim().parse().ok());
        Duration::from_secs(seconds.unwrap_or_default())
    }
}

/// An answer whose body is still coming.
#[derive(Debug)]
pub struct Coming {
    response: Response,
    /// How long the next bytes may take.
    patience: Duration,
    /// From whom it comes.
    base: String,
}

impl Coming {
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The next bytes, never none of them; `None` at the end.
    /// Fails where it broke off, or nothing came in time.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        loop {
            let chunk = in_time(&self.base, self.patience, self.response.chunk()).await?;
            if chunk.as_ref().is_none_or(|bytes| !bytes.is_empty()) {
                return Ok(chunk.map(|bytes| bytes.to_vec()));
            }
        }
    }

    /// The rest, up to so many bytes.
    /// Fails where there is more, and as [`Coming::next`].
    pub async fn whole(mut self, bytes_max: usize) -> Result<Answer, Error> {
        let mut answer = Answer {
            status: self.status(),
            headers: std::mem::take(self.response.headers_mut()),
            body: Vec::new(),
        };
        while let Some(bytes) = self.next().await? {
            if answer.body.len() + bytes.len() > bytes_max {
                return Err(answer.unreadable(&"it is too large"));
            }
            answer.body.extend_from_slice(&bytes);
        }
        Ok(answer)
    }
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
    /// Makes calls with these headers, each of which may take so long.
    /// Fails where the machine has no certificates to check https with.
    pub fn new(address: Address, headers: HeaderMap, timeout: Duration) -> Result<Transport, Error> {
        // Where the program chose another one before, that one is used.
        let _ = ring::default_provider().install_default();
        let mut client = Client::builder()
            .https_only(address.is_secure)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .user_agent(concat!("otherwise-client-rust/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT);
        if !address.is_secure {
            // The machine's certificates are not asked for where nothing is checked with them.
            client = client.tls_certs_only([]);
        }
        let client = client.build();
        Ok(Transport {
            client: client.map_err(|error| Error::Misused(format!("{NO_CLIENT} ({error:?})")))?,
            address,
            headers,
            timeout,
            sleep: Arc::new(|pause| Box::pin(tokio::time::sleep(pause))),
        })
    }

    /// Asks for what lies under a path, in which [`crate::address::segment`] encodes names.
    pub fn get(&self, path: &str) -> RequestBuilder {
        self.request(Method::GET, path)
    }

    /// Sends JSON to a path.
    pub fn send(&self, method: Method, path: &str, body: String) -> RequestBuilder {
        let request = self.request(method, path).header(CONTENT_TYPE, "application/json");
        request.body(body)
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.address.base));
        request.headers(self.headers.clone())
    }

    /// Makes one call, and reads its answer as it comes; its head and all that follows may each take as long as `patience`.
    /// Fails where nothing came back.
    pub async fn open(&self, request: RequestBuilder, patience: Duration) -> Result<Coming, Error> {
        let base = self.address.base.clone();
        let response = in_time(&base, patience, request.send()).await?;
        Ok(Coming {
            response,
            patience,
            base,
        })
    }

    /// Makes one call, once. Fails where nothing came back.
    pub async fn call(&self, request: RequestBuilder) -> Result<Answer, Error> {
        let whole = async { self.open(request, self.timeout).await?.whole(ANSWER_BYTES_MAX).await };
        in_time(&self.address.base, self.timeout, async { Ok(whole.await) }).await?
    }

    /// Makes one call, and again after a pause where the connection failed or the service put it off.
    /// Fails with [`Error::Unavailable`] where the last try ended so too.
    pub async fn insist(&self, request: RequestBuilder) -> Result<Answer, Error> {
        let mut failed = 0;
        while let Some(try_of_it) = request.try_clone() {
            failed += 1;
            let (asked_for, error) = match self.call(try_of_it).await {
                Ok(answer) if !answer.invites_another_try() => return Ok(answer),
                Ok(answer) => {
                    let (asked_for, problem) = (answer.retry_after(), answer.problem());
                    let (status, detail) = (problem.status, problem.detail());
                    let why = format!("the service answered {status} at the last of {TRIES_MAX} tries: {detail}");
                    let problem = Some(problem);
                    (asked_for, Error::Unavailable { why, problem })
                }
                Err(error @ Error::Unavailable { .. }) => (Duration::ZERO, error),
                Err(error) => return Err(error),
            };
            if failed >= TRIES_MAX {
                return Err(error);
            }
            (self.sleep)(PAUSE_MAX.min(asked_for.saturating_add(jitter(failed - 1)))).await;
        }
        self.call(request).await
    }
}

/// What comes of a part of a call within its time.
async fn in_time<T>(base: &str, time: Duration, part: impl Future<Output = reqwest::Result<T>>) -> Result<T, Error> {
    let why = match tokio::time::timeout(time, part).await {
        Ok(Ok(came)) => return Ok(came),
        Ok(Err(error)) if error.is_builder() => {
            return Err(Error::Misused(format!("{base} cannot be asked so: {error}")));
        }
        Ok(Err(error)) if error.is_connect() => "it cannot be reached".to_owned(),
        Ok(Err(_)) => "the connection broke off".to_owned(),
        Err(_) => format!("nothing came for {} s", time.as_secs()),
    };
    let why = format!("the service at {base}: {why}");
    Err(Error::Unavailable { why, problem: None })
}

/// A share that chance gives of half a second, doubled with each failure, up to the longest pause (full jitter).
pub(crate) fn jitter(failed: u32) -> Duration {
    // Six doublings reach the longest pause.
    let longest = FIRST_PAUSE.saturating_mul(1 << failed.min(6));
    longest.min(PAUSE_MAX).mul_f64(fastrand::f64())
}
