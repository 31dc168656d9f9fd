//! The protocol over HTTP (Streamable HTTP), for whoever has a listener and knows who asks.
//!
//! Owns sessions, of the revisions that have them: so many at once, each let go when it is idle for long. Knows nothing of
//! hosts and origins: whoever carries it has checked them. Invariant: a session is there for the caller that opened it alone.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use http::Method;
use http::Request;
use http::Response;
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use hyper::body::Bytes;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::Deserialize;

use crate::domain::template::name::ClientId;
use crate::edge::mcp::asker::Asker;
use crate::edge::mcp::server::McpServer;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;
use crate::service::otherwise::Otherwise;

/// The header that names a session.
const SESSION: &str = "Mcp-Session-Id";

/// Bounds on what clients hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpLimits {
    /// Sessions at once.
    pub sessions_max: usize,
    /// How long a session may be idle.
    pub session_idle: Duration,
    /// Resources that one session, or one subscription, follows.
    pub follows_max: usize,
    /// How often a silent stream says that it is alive.
    pub heartbeat: Duration,
}

/// The mouth.
pub struct Mcp {
    inner: StreamableHttpService<McpServer, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    /// Who opened a session, by its id.
    owners: Mutex<BTreeMap<String, Option<ClientId>>>,
    limits: McpLimits,
}

/// What an opening request looks like.
#[derive(Deserialize)]
struct Opening<'a> {
    #[serde(borrow)]
    method: std::borrow::Cow<'a, str>,
}

impl Mcp {
    /// A mouth of a service.
    pub fn new(service: Otherwise, limits: McpLimits) -> Mcp {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(limits.session_idle);
        let sessions = Arc::new(sessions);
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_sse_keep_alive(Some(limits.heartbeat));
        let serve = move || Ok(McpServer::carried(service.clone(), limits.follows_max));
        Mcp {
            inner: StreamableHttpService::new(serve, Arc::clone(&sessions), config),
            sessions,
            owners: Mutex::default(),
            limits,
        }
    }

    /// Answers a request. Its body was read within the bounds of the listener.
    ///
    /// # Errors
    /// `busy` (503) when a session is asked for and there are as many as may be; `not_found` for one that somebody else opened,
    /// whatever is wanted of it.
    pub async fn answer(
        &self,
        head: http::request::Parts,
        body: String,
        asker: Asker,
    ) -> Result<Response<BoxBody<Bytes, Infallible>>, Problem> {
        let opens = head.method == Method::POST
            && !head.headers.contains_key(SESSION)
            && serde_json::from_str::<Opening<'_>>(&body).is_ok_and(|opening| opening.method == "initialize");
        if opens && self.sessions().await >= self.limits.sessions_max {
            let what = "as many sessions are open as may be (mcp.sessions_max)";
            return Err(Problem::new(Code::Busy, what));
        }
        let caller = asker.caller.client.clone();
        let named = head.headers.get(SESSION).map(|id| id.to_str().unwrap_or_default());
        if named.is_some_and(|id| !self.belongs(id, caller.as_ref())) {
            return Err(Problem::new(Code::NotFound, "Session not found"));
        }
        let mut request = Request::from_parts(head, Full::new(Bytes::from(body)));
        request.extensions_mut().insert(asker);
        let response = self.inner.handle(request).await;
        if opens && let Some(id) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.opened(id, caller).await;
        }
        Ok(response)
    }

    fn belongs(&self, id: &str, caller: Option<&ClientId>) -> bool {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(id).is_some_and(|owner| owner.as_ref() == caller)
    }

    /// Notes who opened a session, and forgets those that have ended.
    async fn opened(&self, id: &str, caller: Option<ClientId>) {
        let open = self.sessions.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|id, _| open.contains_key(id.as_str()));
        owners.insert(id.to_owned(), caller);
    }

    /// Sessions that are open.
    pub async fn sessions(&self) -> usize {
        self.sessions.sessions.read().await.len()
    }

    /// Ends every session and stream.
    pub fn end(&self) {
        self.inner.config.cancellation_token.cancel();
    }
}
