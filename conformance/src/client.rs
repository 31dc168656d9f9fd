//! Sends requests and reads responses, within bounds: time, bytes, attempts.
//!
//! Knows nothing of what is asked. Follows no redirect and asks no proxy. Invariant: what it gives back holds no header that was sent.

use std::thread;
use std::time::Duration;

use http::HeaderMap;
use http::HeaderName;
use http::HeaderValue;
use http::Method;
use http::header::AUTHORIZATION;
use http::header::CONTENT_LANGUAGE;
use http::header::CONTENT_TYPE;
use http::header::ETAG;
use http::header::RETRY_AFTER;
use otherwise_client::address::Address;
use otherwise_client::transport::Transport;
use tokio::runtime::Builder;
use tokio::runtime::Runtime;

use crate::transcript::Exchange;

/// Bytes of a response that are read.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Requests of one examination, those that are repeated counted: half as many again as a whole one needs.
const REQUESTS_MAX: u32 = 100;
/// How long is waited, once for each request, where a server says that it is asked too often.
const PAUSE_S_MAX: u64 = 5;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: Method,
    /// Path and query under the server's address.
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

/// Makes requests.
pub struct Client {
    runtime: Runtime,
    transport: Transport,
    /// Requests so far.
    pub requests: u32,
}

impl Client {
    /// A client of a server; each call ends within the time.
    ///
    /// # Errors
    /// What this machine lacks.
    pub fn new(server: Address, key: Option<HeaderValue>, timeout: Duration) -> Result<Client, String> {
        let headers = HeaderMap::from_iter(key.map(|key| (AUTHORIZATION, key)));
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Client {
            runtime: runtime.map_err(|error| error.to_string())?,
            transport: Transport::new(server, headers, timeout).map_err(|error| error.to_string())?,
            requests: 0,
        })
    }

    /// Gives up the connections that are open, so that the next request begins with one of its own.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn reconnect(&mut self) -> Result<(), String> {
        let now = &self.transport;
        let new = Transport::new(now.address.clone(), now.headers.clone(), now.timeout);
        self.transport = new.map_err(|error| error.to_string())?;
        Ok(())
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
        let (transport, within) = (&self.transport, self.transport.timeout);
        let (method, path) = (request.method.clone(), &request.path);
        let mut asked = match &request.body {
            Some(body) => transport.send(method, path, body.clone()),
            None => transport.request(method, path),
        };
        for (name, value) in &request.headers {
            asked = asked.header(name, value);
        }
        let answered = self.runtime.block_on(async {
            let whole = async { transport.open(asked, within).await?.whole(ANSWER_BYTES_MAX).await };
            tokio::time::timeout(within, whole).await
        });
        let answered = answered.map_err(|_| format!("nothing came within {} s", within.as_secs()))?;
        let answer = answered.map_err(|error| error.to_string())?;
        let header = |name: HeaderName| answer.header(name.as_str()).map(str::to_owned);
        let pause_s = header(RETRY_AFTER).and_then(|seconds| seconds.parse().ok());
        let exchange = Exchange {
            request: format!("{} {}", request.method, request.path),
            sent: request.body.clone(),
            status: answer.status,
            media_type: header(CONTENT_TYPE),
            etag: header(ETAG),
            content_language: header(CONTENT_LANGUAGE),
            body: answer.json(),
            text: String::from_utf8_lossy(&answer.body).into_owned(),
        };
        Ok((exchange, pause_s.filter(|seconds| *seconds <= PAUSE_S_MAX)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use otherwise_client::address::Address;

    use super::Client;
    use super::REQUESTS_MAX;
    use crate::probe;
    use crate::request;
    use crate::scratch::DEFECTS;

    #[test]
    fn all_requests_fit_into_the_bound_and_none_is_sent_beyond_it() {
        let all = probe::all().len() + DEFECTS.len();
        assert!(u32::try_from(all).is_ok_and(|all| all < REQUESTS_MAX), "{all}");
        let server = Address::parse("http://127.0.0.1:1", false).expect("an address");
        let mut client = Client::new(server, None, Duration::from_secs(1)).expect("a client");
        let refused = |client: &mut Client| client.send(&request::retire("a_v1")).expect_err("nobody is there");
        client.requests = REQUESTS_MAX - 1;
        assert!(refused(&mut client).contains("reached"));
        assert!(refused(&mut client).contains("no more"));
        assert_eq!(client.requests, REQUESTS_MAX);
    }
}
