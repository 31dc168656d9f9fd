//! Settings: one TOML file, over it the environment, over both the command line.
//!
//! [`catalogue`] lists every setting with its unit, range and meaning; the structs here only hold values. Invariant:
//! [`Settings`] that came out of [`Settings::gather`] are within their ranges and do not contradict each other.

pub mod catalogue;

pub mod kind;

pub mod gather;

pub mod nearest;

pub mod cross;

pub mod endpoint;

pub mod page;

pub mod agents;

pub mod calls;

pub mod contexts;

pub mod sharing;

pub mod tasks;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::app::caller::Role;
use crate::app::dependencies::Options;
use crate::config::agents::A2a;
use crate::config::calls::Executors;
use crate::config::calls::Model;
use crate::config::contexts::Conversations;
use crate::config::contexts::Messages;
use crate::config::sharing::Sharing;
use crate::config::tasks::Tasks;
use engine::evolution::policy::EvolutionPolicy;
use engine::pool::cohort::Cohorts;
use engine::pool::policy::PoolPolicy;

/// Everything that can be set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub server: Server,
    pub rpc: Rpc,
    pub a2a: A2a,
    pub tasks: Tasks,
    pub mcp: Mcp,
    pub sessions: Sharing,
    pub conversations: Conversations,
    pub messages: Messages,
    pub data: Data,
    pub schemas: Schemas,
    pub models: Models,
    pub model: Model,
    pub executors: Executors,
    pub store: Store,
    pub service: Options,
    pub policy: Policies,
    pub delivery: Delivery,
    pub log: Log,
    pub metrics: Metrics,
    /// Cohort -> clients and patterns of clients' names; those of principals are named beside these.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub cohorts: BTreeMap<String, Vec<String>>,
    /// Who may call; nobody listed means open mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub principals: Vec<Principal>,
}

impl Settings {
    /// Who is in which cohort: as `[cohorts]` and the principals say (Z-098).
    ///
    /// # Errors
    /// What cannot be, with the place: a name, a client in two cohorts, too many.
    pub fn cohorts(&self) -> Result<Cohorts, BadSettings> {
        let mut cohorts = Cohorts::declare(&self.cohorts).map_err(|what| BadSettings(format!("[cohorts]: {what}")))?;
        for principal in &self.principals {
            if let Some(cohort) = &principal.cohort {
                cohorts
                    .add(cohort, &principal.name)
                    .map_err(|what| BadSettings(format!("[[principals]] ({:?}): {what}", principal.name)))?;
            }
        }
        Ok(cohorts)
    }
}

/// The HTTP listener.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    pub listen: String,
    pub workers: usize,
    pub body_bytes_max: usize,
    pub connections_max: usize,
    pub backlog: u32,
    pub keep_alive_s: u64,
    pub head_timeout_s: u64,
    pub body_timeout_s: u64,
    pub disconnect_timeout_s: u64,
    pub write_timeout_s: u64,
    pub shutdown_s: u64,
    pub client_requests_per_s: u32,
    pub client_requests_burst: u32,
    pub tls_proxies: Vec<String>,
}

impl Default for Server {
    fn default() -> Self {
        Server {
            listen: "127.0.0.1:8080".to_owned(),
            workers: 0,
            body_bytes_max: 256 * 1024,
            connections_max: 8_192,
            backlog: 1_024,
            keep_alive_s: 75,
            head_timeout_s: 10,
            body_timeout_s: 30,
            disconnect_timeout_s: 2,
            write_timeout_s: 60,
            shutdown_s: 30,
            client_requests_per_s: 1_000,
            client_requests_burst: 2_000,
            tls_proxies: Vec::new(),
        }
    }
}

/// The JSON-RPC mouth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rpc {
    pub batch_calls_max: usize,
}

impl Default for Rpc {
    fn default() -> Self {
        Rpc { batch_calls_max: 50 }
    }
}

/// The MCP mouth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mcp {
    pub allowed_hosts: Vec<String>,
    pub allowed_origins: Vec<String>,
    pub sessions_max: usize,
    pub sessions_per_client_max: usize,
    pub session_idle_s: u64,
    pub follows_max: usize,
}

impl Default for Mcp {
    fn default() -> Self {
        Mcp {
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            sessions_max: 1_000,
            sessions_per_client_max: 100,
            session_idle_s: 300,
            follows_max: 64,
        }
    }
}

/// Where the journals lie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Data {
    pub folder: String,
}

impl Default for Data {
    fn default() -> Self {
        Data {
            folder: "data".to_owned(),
        }
    }
}

/// What is published at start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Schemas {
    pub folder: String,
}

impl Default for Schemas {
    fn default() -> Self {
        Schemas {
            folder: "schemas".to_owned(),
        }
    }
}

/// The embedding model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Models {
    pub folder: String,
    pub embed_workers: usize,
    pub embed_queue_max: usize,
    pub embed_cache_max: usize,
}

impl Default for Models {
    fn default() -> Self {
        Models {
            folder: "models".to_owned(),
            embed_workers: 1,
            embed_queue_max: 4_096,
            embed_cache_max: 20_000,
        }
    }
}

/// The embedded store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    pub cache_bytes: u64,
    pub queue_max: usize,
    pub batch_records_max: usize,
    pub free_bytes_min: u64,
    pub stall_s: u64,
}

impl Default for Store {
    fn default() -> Self {
        Store {
            cache_bytes: 64 * 1024 * 1024,
            queue_max: 8_192,
            batch_records_max: 1_024,
            free_bytes_min: 128 * 1024 * 1024,
            stall_s: 15,
        }
    }
}

/// The numbers of the domain, for every scenario whose template does not set its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policies {
    pub pool: PoolPolicy,
    pub evolution: EvolutionPolicy,
}

/// How changes are told: streams and webhooks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Delivery {
    pub streams_max: usize,
    pub streams_per_client_max: usize,
    pub stream_heartbeat_s: u64,
    pub stream_retry_s: u64,
    pub webhooks_max: usize,
    pub webhook_concurrency_max: usize,
    pub webhook_timeout_s: u64,
    pub webhook_first_pause_ms: u64,
    pub webhook_longest_pause_s: u64,
    pub webhook_attempts_max: u32,
    pub webhook_paused_retry_s: u64,
    pub webhook_private_addresses: bool,
}

impl Default for Delivery {
    fn default() -> Self {
        Delivery {
            streams_max: 2_048,
            streams_per_client_max: 8,
            stream_heartbeat_s: 15,
            stream_retry_s: 3,
            webhooks_max: 32,
            webhook_concurrency_max: 8,
            webhook_timeout_s: 10,
            webhook_first_pause_ms: 1_000,
            webhook_longest_pause_s: 600,
            webhook_attempts_max: 12,
            webhook_paused_retry_s: 3_600,
            webhook_private_addresses: false,
        }
    }
}

/// The log on standard error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    pub level: String,
    pub format: LogFormat,
}

impl Default for Log {
    fn default() -> Self {
        Log {
            level: "info".to_owned(),
            format: LogFormat::Text,
        }
    }
}

/// How a log line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

/// The metrics page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metrics {
    pub scenarios_max: usize,
    pub keys_max: usize,
    pub public: bool,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics {
            scenarios_max: 100,
            keys_max: 50,
            public: false,
        }
    }
}

/// Who may call (docs/design.md §11).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Principal {
    pub name: String,
    pub roles: Vec<Role>,
    /// SHA-256 of each of its keys, in hexadecimal.
    pub key_sha256: OneOrMany,
    /// The cohort that the client is in (Z-098).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohort: Option<String>,
    #[serde(default)]
    pub disabled: bool,
}

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    /// All of them.
    pub fn all(&self) -> &[String] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

/// Why there are no settings: a sentence that names the place and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSettings(pub String);
