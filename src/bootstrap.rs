//! Puts the parts together, starts and stops them. The only place that knows all parts of the edge.
//!
//! The listener is bound first, so that a port in use is found before journals are read; until the service is open and
//! the schemas are published it answers 503 `not_ready`. Invariant: [`start`] either gives a running service or leaves
//! nothing behind.

pub mod hints;
pub mod log;
pub mod parts;
mod runtimes;
pub mod schema_folder;

use std::net::SocketAddr;
use std::net::ToSocketAddrs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use serde_json::Value;
use tokio::runtime::Handle;

use crate::adapters::clock::SystemClock;
use crate::adapters::webhook::delivery_cursors::CursorsFile;
use crate::app::application::App;
use crate::app::delivery::Delivery;
use crate::app::error::ServiceError;
use crate::app::ports::Clock;
use crate::auth::Identity;
use crate::auth::api_keys::KeyChanges;
use crate::bootstrap::parts::PartsOverride;
use crate::bootstrap::runtimes::Runtimes;
use crate::config::Settings;
use crate::http::app_state::AppState;
use crate::http::app_state::Limits;
use crate::http::app_state::Names;
use crate::http::app_state::Terms;
use crate::http::listener;
use crate::http::streams::StreamLimits;
use crate::mcp::mcp_limits::McpLimits;
use crate::metrics::Metrics;
use crate::metrics::census::DeliveryCensus;
use crate::wire::authenticator::Authenticator;
use crate::wire::network::Network;
use crate::wire::problem::Problem;
use schema::export::safe_name::NAME_CHARACTERS_MAX;

/// How long effects that still block may take when the service stops: what they bring is recorded anew after a start.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Why the service did not start: one sentence that names what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BootFault {
    /// It was asked wrongly: a setting cannot be, or what it names is not there or has another form.
    #[error("{0}")]
    Asked(String),
    /// The world broke.
    #[error("{0}")]
    Broke(String),
}

/// A running service.
pub struct Running {
    addresses: Vec<SocketAddr>,
    state: Arc<AppState>,
    identity: Arc<Identity>,
    service: App,
    server: ServerHandle,
    /// Health and metrics on an address of their own.
    plain: Option<(ServerHandle, SocketAddr)>,
    /// Last, so that they outlive what runs on them.
    runtimes: Runtimes,
}

/// Starts everything; returns once `/readyz` answers 200.
pub fn start(settings: &Settings, over: PartsOverride) -> Result<Running, BootFault> {
    let identity = Identity::of(&settings.principals).map_err(BootFault::Asked)?;
    let identity = Arc::new(identity);
    let addresses = resolve("server.listen", &settings.server.listen, identity.is_open())?;
    let plain_addresses = match settings.server.plain_listen.as_str() {
        "" => Vec::new(),
        listen => resolve("server.plain_listen", listen, identity.is_open())?,
    };
    let tls_proxies = tls_proxies(&settings.server.tls_proxies)?;
    if identity.is_open() {
        tracing::warn!(
            "running OPEN: no principals are configured, so whoever reaches {} has every role, and is whoever it says that it is: \
             names are not authenticated, so the gate, which counts clients, protects nobody; add [[principals]] to the settings \
             before anyone else uses this machine",
            settings.server.listen
        );
    }
    let (runtimes, clock, metrics) = ground(settings, &over)?;
    let runtime = &runtimes.answering;
    let seed = u64::try_from(clock.now().0).unwrap_or_default() ^ (u64::from(std::process::id()) << 44);
    let terms = Terms {
        metrics_public: settings.metrics.public,
        console: settings.console.enabled,
        limits: Limits {
            body: settings.server.body_bytes_max,
            body_timeout: Duration::from_secs(settings.server.body_timeout_s),
            client_requests: (
                settings.server.client_requests_per_s,
                settings.server.client_requests_burst,
            ),
            rpc_batch_calls_max: settings.rpc.batch_calls_max,
        },
        streams: StreamLimits {
            streams_max: settings.delivery.streams_max,
            per_client_max: settings.delivery.streams_per_client_max,
            heartbeat: Duration::from_secs(settings.delivery.stream_heartbeat_s),
            retry: Duration::from_secs(settings.delivery.stream_retry_s),
            stall: Duration::from_secs(settings.server.write_timeout_s),
        },
        card: settings.a2a.clone(),
        mcp_names: Names {
            hosts: settings.mcp.allowed_hosts.clone(),
            origins: settings.mcp.allowed_origins.clone(),
        },
        mcp_limits: mcp_limits(settings),
        tls_proxies,
    };
    let authenticator = Arc::clone(&identity) as Arc<dyn Authenticator>;
    let state = Arc::new(AppState::new(authenticator, metrics.clone(), terms, seed));
    let set = &settings.server;
    let (plain, opened) = {
        let _within = runtime.enter();
        let broke = |listen: &str, error| BootFault::Broke(format!("cannot listen on {listen}: {error}"));
        let plain = match plain_addresses.as_slice() {
            [] => None,
            some => Some(listener::serve(some, Arc::clone(&state), set, true)),
        };
        let plain = plain.transpose().map_err(|error| broke(&set.plain_listen, error))?;
        let opened = listener::serve(&addresses, Arc::clone(&state), set, false);
        (plain, opened.map_err(|error| broke(&set.listen, error))?)
    };
    let (server, addresses) = opened;
    let handle = server.handle();
    runtime.spawn(server);
    let plain = plain.map(|(server, addresses)| {
        let handle = server.handle();
        runtime.spawn(server);
        (handle, first(&addresses))
    });
    let opened = runtime.block_on(open(settings, over, &metrics, clock, runtimes.learning()));
    let (service, delivery) = match opened {
        Ok(opened) => opened,
        Err(fault) => {
            runtime.block_on(handle.stop(false));
            if let Some((plain, _)) = plain {
                runtime.block_on(plain.stop(false));
            }
            return Err(fault);
        }
    };
    let (streams, telling) = (Arc::clone(&state.streams), Arc::downgrade(&delivery));
    let (sessions, tasks) = (service.session_counts(), service.task_census());
    let (contexts, conversations) = (service.task_context_counts(), service.conversation_census());
    metrics.watch(move |families| {
        families.read_delivery(&DeliveryCensus {
            streams_open: streams.open(),
            webhooks: telling.upgrade().map(|telling| telling.census()).unwrap_or_default(),
        });
        families.read_sessions(&sessions());
        families.read_a2a_tasks(&tasks());
        families.read_task_contexts(&contexts());
        families.read_conversations(&conversations());
    });
    state.open(service.clone());
    Ok(Running {
        addresses,
        state,
        identity,
        service,
        server: handle,
        plain,
        runtimes,
    })
}

/// A running service that nobody can reach but whoever holds it, for a transport without a listener.
pub struct Alone {
    service: App,
    _delivery: Arc<Delivery>,
    runtimes: Runtimes,
}

/// Opens the data folder and publishes the schemas, without a listener.
pub fn start_alone(settings: &Settings) -> Result<Alone, BootFault> {
    let over = PartsOverride::default();
    let (runtimes, clock, metrics) = ground(settings, &over)?;
    let opening = open(settings, over, &metrics, clock, runtimes.learning());
    let (service, delivery) = runtimes.answering.block_on(opening)?;
    Ok(Alone {
        service,
        _delivery: delivery,
        runtimes,
    })
}

impl Alone {
    /// The service.
    pub fn service(&self) -> &App {
        &self.service
    }

    /// Runs a future on the service's runtime.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtimes.answering.block_on(future)
    }

    /// Closes the service.
    pub fn stop(self) {
        self.runtimes.answering.block_on(self.service.close());
        self.runtimes.stop(SHUTDOWN);
    }
}

/// What everything else runs on, is told the time by, and is measured with.
type Ground = (Runtimes, Arc<dyn Clock>, Arc<Metrics>);

fn ground(settings: &Settings, over: &PartsOverride) -> Result<Ground, BootFault> {
    let runtimes =
        Runtimes::start().map_err(|error| BootFault::Broke(format!("the runtimes cannot be made: {error}")))?;
    let metrics = Metrics::new(settings.metrics.scenarios_max, settings.metrics.keys_max)
        .map_err(|error| BootFault::Broke(format!("the metrics cannot be made: {error}")))?;
    let clock = over.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::new()));
    Ok((runtimes, clock, Arc::new(metrics)))
}

/// What clients of MCP may hold, as set.
pub fn mcp_limits(settings: &Settings) -> McpLimits {
    McpLimits {
        sessions_max: settings.mcp.sessions_max,
        sessions_per_client_max: settings.mcp.sessions_per_client_max,
        session_idle: Duration::from_secs(settings.mcp.session_idle_s),
        follows_max: settings.mcp.follows_max,
        scenario_tools_max: settings.mcp.scenario_tools.then_some(settings.mcp.tools_max),
        tool_name_max: NAME_CHARACTERS_MAX - settings.mcp.host_prefix_chars,
        heartbeat: Duration::from_secs(settings.delivery.stream_heartbeat_s),
    }
}

/// Opens the service, publishes the schemas and lets everything begin that runs beside requests.
async fn open(
    settings: &Settings,
    over: PartsOverride,
    metrics: &Arc<Metrics>,
    clock: Arc<dyn Clock>,
    learning: Handle,
) -> Result<(App, Arc<Delivery>), BootFault> {
    let (files, left_out) = schema_folder::read(&settings.schemas.folder)?;
    let messages = parts::message_options(settings)?;
    let webhooks = parts::open_webhook_sender(settings, &clock)?;
    let worker = over.worker.clone();
    let parts = parts::gather(settings, over, metrics, clock, learning)?;
    let service = App::open(parts).await.map_err(|error| {
        let (folder, why) = (&settings.data.folder, said(&error));
        BootFault::Broke(format!("the data in {folder} cannot be opened: {why}"))
    })?;
    let begun = async {
        service.leave_out_schemas(left_out);
        let waiting = schema_folder::publish(&service, files).await?;
        if !waiting.is_empty() && !settings.service.read_only {
            tokio::spawn(schema_folder::publish_later(service.clone(), waiting));
        }
        let broke = |error| BootFault::Broke(said(&error));
        let tasks = parts::task_options(settings);
        let begun = service.work_at_tasks(Arc::clone(&webhooks), worker, tasks, told);
        begun.map_err(broke)?;
        let begun = service.open_sessions(Arc::clone(&webhooks), parts::session_options(settings));
        begun.map_err(broke)?;
        let conversations = parts::conversation_options(settings);
        let begun = service.converse(Arc::clone(&webhooks), conversations, messages);
        begun.map_err(broke)?;
        let begun = service.open_task_contexts(Arc::clone(&webhooks), parts::task_context_limits(settings));
        begun.map_err(broke)?;
        service.settle_erased().await;
        let marks = Arc::new(CursorsFile::within(Path::new(&settings.data.folder)));
        let begun = service
            .deliver(webhooks, marks, parts::delivery_options(settings))
            .await;
        begun.map_err(broke)
    };
    let begun = begun.await;
    if begun.is_err() {
        service.close().await;
    }
    begun.map(|delivery| (service, delivery))
}

/// What a failure is called in the status of a task; what is inside of it goes to the log.
fn told(error: ServiceError) -> Value {
    let problem = Problem::from(error);
    if let Some(inside) = problem.inside.as_deref() {
        tracing::error!(inside, "fault in a task");
    }
    problem.told()
}

/// What a service error says to an operator: with the inside of a fault.
pub fn said(error: &ServiceError) -> String {
    match error {
        ServiceError::Fault(inside) => inside.clone(),
        other => other.to_string(),
    }
}

/// Who ends TLS.
fn tls_proxies(named: &[String]) -> Result<Vec<Network>, BootFault> {
    let parse = |text: &String| {
        let wrong = |what| BootFault::Asked(format!("server.tls_proxies names {text:?}, which {what}"));
        Network::parse(text).map_err(wrong)
    };
    named.iter().map(parse).collect()
}

/// The first of the addresses that were bound.
fn first(addresses: &[SocketAddr]) -> SocketAddr {
    let none = SocketAddr::from(([127, 0, 0, 1], 0));
    addresses.first().copied().unwrap_or(none)
}

/// The addresses to listen on, as a setting names them. Open mode takes loopback ones only.
fn resolve(setting: &str, listen: &str, open: bool) -> Result<Vec<SocketAddr>, BootFault> {
    let mut addresses: Vec<SocketAddr> = listen
        .to_socket_addrs()
        .map_err(|error| BootFault::Asked(format!("{setting} ({listen}) is no address with a port: {error}")))?
        .collect();
    if addresses.is_empty() {
        return Err(BootFault::Asked(format!("{setting} ({listen}) names no address")));
    }
    if open && !addresses.iter().all(|address| address.ip().is_loopback()) {
        return Err(BootFault::Asked(format!(
            "refusing to listen on {listen} without principals: whoever reaches it could do everything; configure \
             [[principals]], or listen on 127.0.0.1"
        )));
    }
    if addresses.iter().any(|address| address.port() == 0) {
        // Two sockets would be given two ports.
        addresses.truncate(1);
    }
    Ok(addresses)
}

impl Running {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        first(&self.addresses)
    }

    /// Address of the listener of health and metrics (`server.plain_listen`).
    pub fn plain_address(&self) -> Option<SocketAddr> {
        self.plain.as_ref().map(|(_, address)| *address)
    }

    /// The service behind it.
    pub fn service(&self) -> &App {
        &self.service
    }

    /// Puts the principals of these settings in force, with their keys and roles, and ends open streams of callers whose keys or roles are
    /// no longer so; returns what changed. Every other setting counts from the next start.
    ///
    /// # Errors
    /// Why the principals cannot be taken; the previous ones stay in force.
    pub fn reload(&self, settings: &Settings) -> Result<KeyChanges, String> {
        let changes = self.identity.replace(&settings.principals)?;
        self.service.set_principals(parts::principals(settings));
        self.state.streams.recheck();
        Ok(changes)
    }

    /// Runs a future on the service's runtime.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtimes.answering.block_on(future)
    }

    /// Runs a future beside everything else, until the service stops.
    pub fn spawn<F>(&self, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.runtimes.answering.spawn(future);
    }

    /// Stops accepting, lets requests under way end, closes the service.
    pub fn stop(self) {
        let Running {
            addresses: _,
            state,
            identity: _,
            service,
            server,
            plain,
            runtimes,
        } = self;
        state.drain();
        runtimes.answering.block_on(async {
            server.stop(true).await;
            service.close().await;
            if let Some((plain, _)) = plain {
                plain.stop(false).await;
            }
        });
        drop(state);
        runtimes.stop(SHUTDOWN);
    }
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn open_mode_listens_on_loopback_alone() {
        for (listen, open, ok) in [
            ("127.0.0.1:0", true, true),
            ("[::1]:8080", true, true),
            ("0.0.0.0:8080", true, false),
            ("0.0.0.0:8080", false, true),
            ("192.0.2.1:8080", true, false),
            ("127.0.0.1", false, false),
            ("127.0.0.1:99999", false, false),
        ] {
            assert_eq!(
                resolve("server.listen", listen, open).is_ok(),
                ok,
                "{listen} open={open}"
            );
        }
        let fault = resolve("server.listen", "0.0.0.0:8080", true).expect_err("not loopback");
        assert!(fault.to_string().contains("[[principals]]"), "{fault}");
    }
}
