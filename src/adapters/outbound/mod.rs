//! Calls that this service makes: one HTTP/1.1 client with TLS by rustls.
//!
//! Knows addresses, headers and bytes, nothing of what they are for. Follows no redirect, keeps no cookie, asks no proxy.
//! Invariants: no more of an answer is read than the caller allows, and no fault holds anything that was sent or received.
//! How long a call may take is the caller's to bound.

pub mod bearer;
pub mod breaker;
pub mod egress_policy;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http::Uri;
use http::header::CONTENT_TYPE;
use http::header::HeaderValue;
use http::header::RETRY_AFTER;
use reqwest::Client;
use reqwest::Response;
use reqwest::redirect;
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
/// Who calls.
const AGENT: &str = concat!("otherwise/", env!("CARGO_PKG_VERSION"));

const NO_ROOTS: &str = "this machine holds no root certificates to check https with; install them (often the package \
                        ca-certificates), or set SSL_CERT_FILE";

/// Makes calls.
#[derive(Clone, Debug)]
pub struct Outbound {
    client: Client,
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
    /// A client for https addresses alone, by the certificates that this machine trusts.
    pub fn https(reach: Reach) -> Result<Outbound, String> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(NO_ROOTS.to_owned());
        }
        Outbound::trusting(roots, true, reach)
    }

    /// A client for addresses without TLS: on this machine, or where the caller was told what that means.
    pub fn plain(reach: Reach) -> Result<Outbound, String> {
        Outbound::trusting(RootCertStore::empty(), false, reach)
    }

    fn trusting(roots: RootCertStore, https_only: bool, reach: Reach) -> Result<Outbound, String> {
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .https_only(https_only)
            .dns_resolver(Screen(reach))
            .user_agent(AGENT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_MAX)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Outbound { client, reach })
    }

    /// Posts a body; reads at most so many bytes of what comes back.
    pub async fn post(
        &self,
        address: &Uri,
        headers: HeaderMap,
        body: Vec<u8>,
        answer_bytes_max: usize,
    ) -> Result<Answer, OutboundFault> {
        let response = self.send(address, headers, body).await?;
        whole(response, answer_bytes_max).await
    }

    async fn send(&self, address: &Uri, headers: HeaderMap, body: Vec<u8>) -> Result<Response, OutboundFault> {
        // A host that is written as an address is not resolved, so the screen does not see it.
        if address.host().is_some_and(|host| !self.reach.admits_host(host)) {
            return Err(OutboundFault::Inner);
        }
        let request = self.client.post(address.to_string());
        request.headers(headers).body(body).send().await.map_err(|error| {
            if leads_inside(&error) {
                OutboundFault::Inner
            } else if error.is_connect() || error.is_builder() {
                OutboundFault::Unreachable
            } else {
                OutboundFault::Cut
            }
        })
    }
}

async fn whole(mut response: Response, bytes_max: usize) -> Result<Answer, OutboundFault> {
    let header = |name| {
        response
            .headers()
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let mut answer = Answer {
        status: response.status().as_u16(),
        retry_after_s: header(RETRY_AFTER).and_then(|value| value.trim().parse().ok()),
        content_type: header(CONTENT_TYPE).map(str::to_owned),
        body: Vec::new(),
    };
    while let Some(bytes) = response.chunk().await.map_err(|_| OutboundFault::Cut)? {
        if answer.body.len() + bytes.len() > bytes_max {
            return Err(OutboundFault::TooLarge);
        }
        answer.body.extend_from_slice(&bytes);
    }
    Ok(answer)
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

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::io::Write;
    use std::net::TcpListener;

    use http::HeaderMap;
    use http::Uri;

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

    fn post_by(outbound: &Outbound, address: &Uri, max: usize) -> Result<Answer, OutboundFault> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let posted = outbound.post(address, HeaderMap::new(), b"{}".to_vec(), max);
        runtime.expect("a runtime").block_on(posted)
    }

    fn post(answer: &str, max: usize) -> Result<Answer, OutboundFault> {
        let outbound = Outbound::plain(Reach::Anywhere).expect("a client");
        post_by(&outbound, &server(answer.to_owned()), max)
    }

    #[test]
    fn an_answer_is_read_up_to_its_limit_and_a_redirect_is_one() {
        let five = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(post(five, 5).expect("it fits").body, b"hello");
        assert_eq!(post(five, 4), Err(OutboundFault::TooLarge));
        let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(100_000));
        assert_eq!(post(&endless, 1_024), Err(OutboundFault::TooLarge));
        let moved = "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nRetry-After: 7\r\n\r\n";
        let answer = post(moved, 100).expect("an answer");
        assert_eq!((answer.status, answer.retry_after_s), (302, Some(7)));
    }

    #[test]
    fn nobody_there_and_a_broken_connection_are_told_apart() {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let nobody: Uri = format!("http://{}/", free.expect("a port"))
            .parse()
            .expect("an address");
        let outbound = Outbound::plain(Reach::Anywhere).expect("a client");
        assert_eq!(post_by(&outbound, &nobody, 100), Err(OutboundFault::Unreachable));
        for cut in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe"] {
            assert_eq!(post(cut, 100), Err(OutboundFault::Cut));
        }
    }

    #[test]
    fn no_farther_than_its_reach_is_called_and_plain_http_is_no_way_for_what_needs_https() {
        let empty = || server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned());
        for loopback in [true, false] {
            let outbound = Outbound::plain(Reach::Public { loopback }).expect("a client");
            for host in ["127.0.0.1", "localhost"] {
                let port = empty().port_u16().expect("a port");
                let address: Uri = format!("http://{host}:{port}/").parse().expect("an address");
                assert_eq!(post_by(&outbound, &address, 100).is_ok(), loopback, "{host}");
            }
        }
        match Outbound::https(Reach::Anywhere) {
            Ok(outbound) => assert_eq!(post_by(&outbound, &empty(), 100), Err(OutboundFault::Unreachable)),
            Err(why) => eprintln!("skipped: {why}"),
        }
    }
}
