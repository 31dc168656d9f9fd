//! What every handler shares: who may call, the service once it is open, metrics, limits.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::app::application::App;
use crate::config::agents::A2a;
use crate::http::streams::StreamLimits;
use crate::http::streams::Streams;
use crate::mcp::carried::Mcp;
use crate::mcp::mcp_limits::McpLimits;
use crate::wire::authenticator::Authenticator;
use crate::wire::authenticator::MetricsPage;
use crate::wire::codes::Code;
use crate::wire::network::Network;
use crate::wire::problem::Problem;
use crate::wire::rate::Rate;

/// Bounds on what a request may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub body: usize,
    pub body_timeout: Duration,
    /// Requests of one client a second, and at once; 0 for no bound.
    pub client_requests: (u32, u32),
    /// Calls of one JSON-RPC batch.
    pub rpc_batch_calls_max: usize,
}

/// Names from which browsers may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Hosts under which the transport of MCP answers beside loopback ones, as `Host` names them, with the port where there is one.
    pub hosts: Vec<String>,
    /// Origins of pages that may call beside the service's own, as `Origin` names them.
    pub origins: Vec<String>,
}

/// On which terms calls are taken.
#[derive(Clone, Debug)]
pub struct Terms {
    pub metrics_public: bool,
    /// Whether there is a page for people.
    pub console: bool,
    pub limits: Limits,
    pub streams: StreamLimits,
    pub card: A2a,
    pub mcp_names: Names,
    pub mcp_limits: McpLimits,
    /// From whom requests are taken that came over TLS; where there is nobody, from whoever comes.
    pub tls_proxies: Vec<Network>,
}

/// One per process; the listener is up before the service is open.
pub struct AppState {
    pub authenticator: Arc<dyn Authenticator>,
    pub metrics: Arc<dyn MetricsPage>,
    pub metrics_public: bool,
    pub console: bool,
    pub limits: Limits,
    /// How often one client may come; `None` for as often as it likes.
    pub rate: Option<Rate>,
    pub streams: Arc<Streams>,
    /// What is set of the agent card.
    pub card: A2a,
    pub mcp_names: Names,
    /// Who ends TLS, where anybody must.
    pub tls_proxies: Vec<Network>,
    mcp_limits: McpLimits,
    mcp: OnceLock<Mcp>,
    service: OnceLock<App>,
    ready: AtomicBool,
    /// What this process's request ids begin with.
    request_seed: u64,
    requests: AtomicU64,
}

impl AppState {
    /// A transport without a service yet: everything but health is answered 503.
    pub fn new(
        authenticator: Arc<dyn Authenticator>,
        metrics: Arc<dyn MetricsPage>,
        terms: Terms,
        request_seed: u64,
    ) -> AppState {
        let Terms {
            metrics_public,
            console,
            limits,
            streams,
            card,
            mcp_names,
            mcp_limits,
            tls_proxies,
        } = terms;
        AppState {
            authenticator,
            metrics,
            metrics_public,
            console,
            limits,
            rate: Rate::new(limits.client_requests.0, limits.client_requests.1),
            streams: Arc::new(Streams::new(streams)),
            card,
            mcp_names,
            tls_proxies,
            mcp_limits,
            mcp: OnceLock::new(),
            service: OnceLock::new(),
            ready: AtomicBool::new(false),
            request_seed,
            requests: AtomicU64::new(0),
        }
    }

    /// Gives it the service, once; calls are answered from now on.
    pub fn open(&self, service: App) {
        let _ = self.mcp.set(Mcp::new(service.clone(), self.mcp_limits));
        if self.service.set(service).is_ok() {
            self.ready.store(true, Ordering::SeqCst);
        }
    }

    /// Says on `/readyz` that no more calls should come; those that come are still answered. Streams end.
    pub fn drain(&self) {
        self.streams.end();
        if let Some(mcp) = self.mcp.get() {
            mcp.end();
        }
        self.ready.store(false, Ordering::SeqCst);
    }

    /// Whether calls should come.
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::SeqCst)
    }

    /// The service.
    ///
    /// # Errors
    /// `not_ready` until it is open.
    pub fn service(&self) -> Result<&App, Problem> {
        self.service
            .get()
            .ok_or_else(|| Problem::new(Code::NotReady, "the service is starting"))
    }

    /// The transport of MCP.
    ///
    /// # Errors
    /// `not_ready` until the service is open.
    pub fn mcp(&self) -> Result<&Mcp, Problem> {
        self.mcp
            .get()
            .ok_or_else(|| Problem::new(Code::NotReady, "the service is starting"))
    }

    /// An id for a request that brought none; distinct within the process and, by the seed, almost surely beyond.
    pub fn request_id(&self) -> String {
        let n = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}-{n:x}", self.request_seed)
    }
}
