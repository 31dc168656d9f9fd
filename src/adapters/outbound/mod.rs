//! Calls that this service makes: one HTTP/1.1 client with TLS by rustls.
//!
//! Knows addresses, headers and bytes, nothing of what they are for. Follows no redirect, keeps no cookie, asks no proxy.
//! Invariants: no more of an answer is read than the caller allows, and no fault holds anything that was sent or received.
//! How long a call may take is the caller's to bound.

pub mod bearer;

pub mod breaker;

pub mod public;

pub mod egress_policy;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use http_body_util::Full;
use http_body_util::LengthLimitError;
use http_body_util::Limited;
use hyper::HeaderMap;
use hyper::Method;
use hyper::Request;
use hyper::Response;
use hyper::Uri;
use hyper::body::Bytes;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use hyper::header::RETRY_AFTER;
use hyper_rustls::HttpsConnector;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use hyper_util::rt::TokioTimer;
use rustls::ClientConfig;
use rustls::RootCertStore;
use rustls::crypto::ring;

use crate::adapters::outbound::egress_policy::Inner;
use crate::adapters::outbound::egress_policy::Reach;
use crate::adapters::outbound::egress_policy::Screen;

/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept, and how many to one host.
const IDLE: Duration = Duration::from_secs(30);
const IDLE_MAX: usize = 8;

const NO_ROOTS: &str = "this machine holds no root certificates to check https with; install them (often the package \
                        ca-certificates), or set SSL_CERT_FILE";

/// Makes calls.
#[derive(Clone, Debug)]
pub struct Outbound {
    client: Client<HttpsConnector<HttpConnector<Screen>>, Full<Bytes>>,
    reach: Reach,
}

/// What came back, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// `Retry-After` in seconds; the form with a date is passed over.
    pub retry_after_s: Option<u64>,
    /// As it came; `None` when there is none, or it is not visible ASCII.
    pub content_type: Option<String>,
    pub body: Vec<u8>,
}

/// An answer whose body is still coming.
#[derive(Debug)]
pub struct Coming {
    pub status: u16,
    pub headers: HeaderMap,
    body: Incoming,
}

impl Coming {
    /// The next bytes, never none of them; `None` at the end.
    ///
    /// # Errors
    /// [`OutboundFault::Cut`].
    pub async fn next(&mut self) -> Result<Option<Bytes>, OutboundFault> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|_| OutboundFault::Cut)?;
            if let Ok(bytes) = frame.into_data()
                && !bytes.is_empty()
            {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}

/// Why nothing came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutboundFault {
    #[error("it cannot be reached")]
    Unreachable,
    /// It lies where only whoever runs the service may send calls.
    #[error("it leads to an inner address")]
    Inner,
    /// The connection stood, and broke.
    #[error("the connection broke off")]
    Cut,
    #[error("the answer is too large")]
    TooLarge,
}

impl Outbound {
    /// A client for https addresses, by the certificates that this machine trusts.
    ///
    /// # Errors
    /// A sentence when there are none.
    pub fn https() -> Result<Outbound, String> {
        Outbound::https_within(Reach::Anywhere)
    }

    /// The same, no farther than this.
    ///
    /// # Errors
    /// A sentence when there are no certificates.
    pub fn https_within(reach: Reach) -> Result<Outbound, String> {
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(ring::default_provider())
            .map_err(|_| NO_ROOTS.to_owned())?;
        let connector = connector.https_only().enable_http1().wrap_connector(tcp(reach));
        Ok(Outbound::over(connector, reach))
    }

    /// A client for addresses without TLS: on this machine, or where the caller was told what that means.
    ///
    /// # Errors
    /// When the cryptography that comes with the program refuses its own defaults, which no input can bring about.
    pub fn plain() -> Result<Outbound, String> {
        Outbound::plain_within(Reach::Anywhere)
    }

    /// The same, no farther than this.
    ///
    /// # Errors
    /// As [`Outbound::plain`].
    pub fn plain_within(reach: Reach) -> Result<Outbound, String> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth();
        let connector = HttpsConnectorBuilder::new().with_tls_config(config);
        let connector = connector.https_or_http().enable_http1().wrap_connector(tcp(reach));
        Ok(Outbound::over(connector, reach))
    }

    fn over(connector: HttpsConnector<HttpConnector<Screen>>, reach: Reach) -> Outbound {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_MAX)
            .build(connector);
        Outbound { client, reach }
    }

    /// Gets what lies at an address, piece by piece.
    ///
    /// # Errors
    /// Why nothing comes back; a status of any kind is an answer.
    pub async fn open(&self, address: &Uri, headers: HeaderMap) -> Result<Coming, OutboundFault> {
        self.ask(Method::GET, address, headers, Vec::new()).await
    }

    /// Sends a request; what comes back is read piece by piece.
    ///
    /// # Errors
    /// As [`Outbound::open`].
    pub async fn ask(
        &self,
        method: Method,
        address: &Uri,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Coming, OutboundFault> {
        let response = self.send(method, address, headers, body).await?;
        let (head, body) = response.into_parts();
        Ok(Coming {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
        })
    }

    async fn send(
        &self,
        method: Method,
        address: &Uri,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, OutboundFault> {
        // A host that is written as an address is not resolved, so the screen does not see it.
        if address.host().is_some_and(|host| !self.reach.admits_host(host)) {
            return Err(OutboundFault::Inner);
        }
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = method;
        *request.uri_mut() = address.clone();
        *request.headers_mut() = headers;
        self.client.request(request).await.map_err(|error| {
            if leads_inside(&error) {
                OutboundFault::Inner
            } else if error.is_connect() {
                OutboundFault::Unreachable
            } else {
                OutboundFault::Cut
            }
        })
    }

    /// Posts a body; reads at most so many bytes of what comes back.
    ///
    /// # Errors
    /// Why nothing came back; a status of any kind is an answer.
    pub async fn post(
        &self,
        address: &Uri,
        headers: HeaderMap,
        body: Vec<u8>,
        answer_bytes_max: usize,
    ) -> Result<Answer, OutboundFault> {
        self.call(Method::POST, address, headers, body, answer_bytes_max).await
    }

    /// Gets what lies at an address; reads at most so many bytes of it.
    ///
    /// # Errors
    /// As [`Outbound::post`].
    pub async fn get(
        &self,
        address: &Uri,
        headers: HeaderMap,
        answer_bytes_max: usize,
    ) -> Result<Answer, OutboundFault> {
        self.call(Method::GET, address, headers, Vec::new(), answer_bytes_max)
            .await
    }

    async fn call(
        &self,
        method: Method,
        address: &Uri,
        headers: HeaderMap,
        body: Vec<u8>,
        answer_bytes_max: usize,
    ) -> Result<Answer, OutboundFault> {
        let response = self.send(method, address, headers, body).await?;
        let (head, body) = response.into_parts();
        let collected = Limited::new(body, answer_bytes_max).collect().await;
        let body = collected.map_err(|error| {
            if too_large(error.as_ref()) {
                OutboundFault::TooLarge
            } else {
                OutboundFault::Cut
            }
        })?;
        Ok(Answer {
            status: head.status.as_u16(),
            retry_after_s: head.headers.get(RETRY_AFTER).and_then(seconds),
            content_type: head
                .headers
                .get(CONTENT_TYPE)
                .and_then(|value| value.to_str().ok().map(str::to_owned)),
            body: body.to_bytes().to_vec(),
        })
    }
}

fn tcp(reach: Reach) -> HttpConnector<Screen> {
    let mut tcp = HttpConnector::new_with_resolver(Screen::within(reach));
    tcp.set_connect_timeout(Some(CONNECT));
    tcp.set_nodelay(true);
    // The connector around it looks at the scheme.
    tcp.enforce_http(false);
    tcp
}

/// Whether somewhere behind an error stands a name that leads inside.
fn leads_inside(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<Inner>() {
            return true;
        }
        next = error.source();
    }
    false
}

fn too_large(error: &(dyn Error + 'static)) -> bool {
    error.is::<LengthLimitError>()
}

fn seconds(value: &HeaderValue) -> Option<u64> {
    value.to_str().ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::io::Write;
    use std::net::TcpListener;

    use hyper::HeaderMap;
    use hyper::Uri;

    use super::Answer;
    use super::Outbound;
    use super::OutboundFault;
    use super::Reach;

    /// Answers one request with these bytes.
    fn server(answer: String) -> Uri {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a caller");
            let mut bytes = [0; 4_096];
            let _ = stream.read(&mut bytes);
            let _ = stream.write_all(answer.as_bytes());
        });
        format!("http://{address}/").parse().expect("an address")
    }

    fn post(address: &Uri, max: usize) -> Result<Answer, OutboundFault> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let outbound = Outbound::plain().expect("a client");
        runtime.block_on(outbound.post(address, HeaderMap::new(), b"{}".to_vec(), max))
    }

    #[test]
    fn an_answer_is_read_up_to_its_limit() {
        let five = || server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".to_owned());
        assert_eq!(post(&five(), 5).expect("it fits").body, b"hello");
        assert_eq!(post(&five(), 4), Err(OutboundFault::TooLarge));
        let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(100_000));
        assert_eq!(post(&server(endless), 1_024), Err(OutboundFault::TooLarge));
    }

    #[test]
    fn a_redirect_is_an_answer_and_is_not_followed() {
        let moved =
            server("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nRetry-After: 7\r\n\r\n".to_owned());
        let answer = post(&moved, 100).expect("an answer");
        assert_eq!((answer.status, answer.retry_after_s), (302, Some(7)));
    }

    #[test]
    fn nobody_there_and_a_broken_connection_are_told_apart() {
        let free = TcpListener::bind("127.0.0.1:0")
            .expect("a port")
            .local_addr()
            .expect("an address");
        let nobody: Uri = format!("http://{free}/").parse().expect("an address");
        assert_eq!(post(&nobody, 100), Err(OutboundFault::Unreachable));
        assert_eq!(post(&server(String::new()), 100), Err(OutboundFault::Cut));
        let cut = server("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe".to_owned());
        assert_eq!(post(&cut, 100), Err(OutboundFault::Cut));
    }

    #[test]
    fn no_farther_than_its_reach_is_called() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        for (loopback, reached) in [(true, true), (false, false)] {
            let outbound = Outbound::plain_within(Reach::Public { loopback }).expect("a client");
            for host in ["127.0.0.1", "localhost"] {
                let address = server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned());
                let port = address.port_u16().expect("a port");
                let address: Uri = format!("http://{host}:{port}/").parse().expect("an address");
                let answer = runtime.block_on(outbound.post(&address, HeaderMap::new(), Vec::new(), 100));
                assert_eq!(answer.is_ok(), reached, "{host}: {answer:?}");
            }
        }
    }

    #[test]
    fn plain_http_is_no_way_for_what_needs_https() {
        let Ok(outbound) = Outbound::https() else {
            eprintln!("skipped: this machine holds no root certificates");
            return;
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let address = server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned());
        let answer = runtime.block_on(outbound.post(&address, HeaderMap::new(), Vec::new(), 100));
        assert_eq!(answer, Err(OutboundFault::Unreachable));
    }
}
