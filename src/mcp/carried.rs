//! The protocol over HTTP (Streamable HTTP), for whoever has a listener and knows who asks.
//!
//! Owns sessions, of the revisions that have them: so many at once, so many of one caller, each let go when it is idle for
//! long. Knows nothing of hosts and origins: whoever carries it has checked them. Invariant: a session is there for the caller
//! that opened it alone, and it is not idle while an answer of it is open.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::Request;
use http::Response;
use http_body_util::BodyExt;
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::sync::watch;

use crate::app::application::App;
use crate::app::lock::locked;
use crate::app::reservations::Reservation;
use crate::app::reservations::Reservations;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::mcp_caller::Written;
use crate::mcp::mcp_limits::McpLimits;
use crate::mcp::param_errors;
use crate::mcp::server::McpServer;
use crate::wire::codes::Code;
use crate::wire::json_rpc;
use crate::wire::problem::Problem;
use schema::name::ClientId;

/// The header that names a session.
const SESSION: &str = "Mcp-Session-Id";

/// The transport.
pub struct Mcp {
    inner: StreamableHttpService<McpServer, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    places: Reservations,
    /// Open sessions, by their ids.
    held: Arc<Mutex<BTreeMap<String, Held>>>,
    limits: McpLimits,
}

/// A session that is open.
struct Held {
    owner: Option<ClientId>,
    /// How many answers of it are open.
    uses: watch::Sender<usize>,
    /// Free again when it is let go.
    _place: Reservation,
}

/// An answer of a session is open; over when this is dropped.
pub struct Use(watch::Sender<usize>);

impl Use {
    fn of(uses: &watch::Sender<usize>) -> Use {
        uses.send_modify(|uses| *uses += 1);
        Use(uses.clone())
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.0.send_modify(|uses| *uses -= 1);
    }
}

/// What a request is answered with, held as long as the answer is open where it is one of a session.
pub type Carried = (Response<BoxBody<Bytes, Infallible>>, Option<Use>);

impl Mcp {
    /// A transport of a service.
    pub fn new(service: App, limits: McpLimits) -> Mcp {
        let mut sessions = LocalSessionManager::default();
        // A stream that nobody writes to is idle to the library; what is idle is judged here.
        sessions.session_config.keep_alive = None;
        let sessions = Arc::new(sessions);
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_sse_keep_alive(Some(limits.heartbeat));
        let serve = move || Ok(McpServer::new(service.clone(), None, limits));
        Mcp {
            inner: StreamableHttpService::new(serve, Arc::clone(&sessions), config),
            sessions,
            places: Reservations::default(),
            held: Arc::default(),
            limits,
        }
    }

    /// Answers a request. Its body was read within the bounds of the listener.
    ///
    /// # Errors
    /// `busy` (503) when a session is asked for and there are as many as may be, `limit_reached` (429) when this caller holds
    /// as many as it may; `not_found` for one that has ended or that somebody else opened, whatever is wanted of it.
    pub async fn answer(&self, head: http::request::Parts, body: String, asker: McpCaller) -> Result<Carried, Problem> {
        let written = Written::of(&body);
        let opens = head.method == Method::POST && !head.headers.contains_key(SESSION) && written.opens;
        if let Some(told) = opens.then(|| param_errors::of_opening(&body)).flatten() {
            return Ok((bad_request(told), None));
        }
        let caller = asker.caller.client.clone();
        let place = opens.then(|| self.place(&caller)).transpose()?;
        let named = head.headers.get(SESSION);
        let named = named.map(|id| id.to_str().unwrap_or_default().to_owned());
        let mut held = match &named {
            None => None,
            Some(id) => Some(self.used(id, caller.as_ref()).ok_or_else(|| {
                let what = "Session not found: it has ended, or another caller opened it; open a new one (initialize)";
                Problem::new(Code::NotFound, what)
            })?),
        };
        let ends = head.method == Method::DELETE;
        let is_json = head
            .headers
            .get(http::header::CONTENT_TYPE)
            .is_some_and(|media| media.as_bytes().starts_with(b"application/json"));
        let read = Bytes::from(written.without_arguments().into_owned());
        let mut request = Request::from_parts(head, Full::new(read));
        request.extensions_mut().insert(asker);
        request.extensions_mut().insert(written);
        let mut response = self.inner.handle(request).await;
        if is_json && response.status() == http::StatusCode::UNSUPPORTED_MEDIA_TYPE {
            // The library says so of every body that it cannot read.
            response = bad_request(json_rpc::misread(&body));
        }
        if let Some(id) = named.filter(|_| ends && response.status().is_success()) {
            locked(&self.held).remove(&id);
        }
        if let Some(place) = place
            && let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok())
        {
            held = Some(self.opened(id, caller, place));
        }
        Ok((response, held))
    }

    /// A place for one more session of this caller.
    fn place(&self, caller: &Option<ClientId>) -> Result<Reservation, Problem> {
        let (place, (own, all)) = self.places.reserve(caller.clone());
        if all >= self.limits.sessions_max {
            let what = "as many sessions are open as may be (mcp.sessions_max)";
            return Err(Problem::new(Code::Busy, what));
        }
        if own >= self.limits.sessions_per_client_max {
            let what = format!(
                "this client holds {own} sessions, which is as many as it may (mcp.sessions_per_client_max); end one, or use \
                 the revision without sessions"
            );
            // Whichever is not used any more is let go by then.
            return Err(Problem {
                retry_after_s: Some(self.limits.session_idle.as_secs().max(1)),
                ..Problem::new(Code::LimitReached, what)
            });
        }
        Ok(place)
    }

    /// Uses a session of this caller; `None` where there is none.
    fn used(&self, id: &str, caller: Option<&ClientId>) -> Option<Use> {
        let held = locked(&self.held);
        let held = held.get(id).filter(|held| held.owner.as_ref() == caller)?;
        Some(Use::of(&held.uses))
    }

    /// Holds a session until it is idle for long or ended.
    fn opened(&self, id: &str, owner: Option<ClientId>, place: Reservation) -> Use {
        let uses = watch::Sender::new(0);
        let used = Use::of(&uses);
        let idle = wait_until_idle(uses.subscribe(), self.limits.session_idle);
        let (sessions, held, name) = (Arc::clone(&self.sessions), Arc::clone(&self.held), id.to_owned());
        tokio::spawn(async move {
            idle.await;
            locked(&held).remove(&name);
            // One that has ended already is closed as well.
            let _ = sessions.close_session(&name.into()).await;
        });
        let session = Held {
            owner,
            uses,
            _place: place,
        };
        locked(&self.held).insert(id.to_owned(), session);
        used
    }

    /// Ends every session and stream.
    pub fn end(&self) {
        self.inner.config.cancellation_token.cancel();
    }
}

/// Waits until nothing of a session was open for so long, or nobody holds it any more.
async fn wait_until_idle(mut uses: watch::Receiver<usize>, idle: Duration) {
    loop {
        if uses.wait_for(|uses| *uses == 0).await.is_err() {
            return;
        }
        tokio::select! {
            changed = uses.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(idle) => return,
        }
    }
}

/// The answer to a body that is no message, or opens nothing: 400 with what JSON-RPC says of it.
fn bad_request(said: String) -> Response<BoxBody<Bytes, Infallible>> {
    let mut response = Response::new(Full::new(Bytes::from(said)).boxed());
    *response.status_mut() = http::StatusCode::BAD_REQUEST;
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Use;
    use super::wait_until_idle;
    use super::watch;

    const IDLE: Duration = Duration::from_millis(400);

    #[tokio::test]
    async fn a_session_is_idle_only_when_nothing_of_it_is_open() {
        let uses = watch::Sender::new(0);
        let stream = Use::of(&uses);
        let mut idle = tokio::spawn(wait_until_idle(uses.subscribe(), IDLE));
        let within = tokio::time::timeout(IDLE * 2, &mut idle).await;
        assert!(within.is_err(), "a stream is open");
        let call = Use::of(&uses);
        drop(stream);
        let within = tokio::time::timeout(IDLE * 2, &mut idle).await;
        assert!(within.is_err(), "a call is open");
        drop(call);
        assert!(tokio::time::timeout(IDLE * 50, idle).await.is_ok());
        let gone = tokio::spawn(wait_until_idle(uses.subscribe(), IDLE * 100));
        drop(uses);
        assert!(
            tokio::time::timeout(IDLE * 50, gone).await.is_ok(),
            "nobody holds it any more"
        );
    }
}
