//! Settings of the service itself: transports, folders, store, delivery, log and metrics.

use serde::Deserialize;
use serde::Serialize;

use crate::config::setting::COUNT;
use crate::config::setting::Kind::Choice;
use crate::config::setting::Kind::Flag;
use crate::config::setting::Kind::Levels;
use crate::config::setting::Kind::Text;
use crate::config::setting::Kind::Whole;
use crate::config::setting::Kind::Words;
use crate::config::setting::Setting;
use crate::config::setting::section;

section! {
    /// The HTTP listener.
    "server" Server

    /// Address and port to listen on; port 0 picks a free one. Without principals it must be loopback.
    listen: String = "127.0.0.1:8080".to_owned(), Text;
    /// Address and port where health and metrics answer beside `server.listen`, with connections of their own; empty for none. Without
    /// principals it must be loopback.
    plain_listen: String = String::new(), Text;
    /// Threads that answer HTTP; 0 takes one for each processor.
    workers: usize = 0, Whole(0, 1_024), "threads";
    /// Largest request body; a larger one is refused with 413.
    body_bytes_max: usize = 256 * 1024, Whole(1_024, 67_108_864), "bytes";
    /// Connections held at once, over all workers; a further one waits in the backlog. The last eighth is for peer addresses that hold
    /// less than an even share; a further connection of another one is closed.
    connections_max: usize = 8_192, Whole(1, 1_000_000), "connections";
    /// Connections that wait to be accepted.
    backlog: u32 = 1_024, Whole(1, 65_535), "connections";
    /// How long an idle connection is kept; 0 closes it after each answer.
    keep_alive_s: u64 = 75, Whole(0, 3_600), "seconds";
    /// How long a client may take to send the head of a request; 408 and closed after that.
    head_timeout_s: u64 = 10, Whole(1, 3_600), "seconds";
    /// How long a client may take to send the body of a request; 408 after that.
    body_timeout_s: u64 = 30, Whole(1, 3_600), "seconds";
    /// How long a client may leave unread what is sent to it; its connection is cut after that.
    write_timeout_s: u64 = 60, Whole(1, 3_600), "seconds";
    /// How long a connection may take to close.
    disconnect_timeout_s: u64 = 2, Whole(1, 3_600), "seconds";
    /// How long requests under way may take to end after SIGTERM.
    shutdown_s: u64 = 30, Whole(0, 3_600), "seconds";
    /// How often one client may come; more often is answered 429. 0 for no bound.
    client_requests_per_s: u32 = 1_000, Whole(0, 1_000_000), "requests per second";
    /// How many requests of one client may come at once after a pause; 0 for no bound at all.
    client_requests_burst: u32 = 2_000, Whole(0, 1_000_000), "requests";
    /// How often the settings file is compared with what was read: where it changed, its principals are in force, as after SIGHUP.
    reload_s: u64 = 30, Whole(1, 86_400), "seconds";
    /// IP addresses of the proxies that end TLS, or networks of them such as `10.0.0.0/8`. Where there are any, a
    /// request is taken from them alone, and only if its header X-Forwarded-Proto says `https`; health and metrics are
    /// for everybody. Empty takes requests as they come.
    tls_proxies: Vec<String> = Vec::new(), Words;
}

section! {
    /// JSON-RPC.
    "rpc" Rpc

    /// Calls of one JSON-RPC batch; each counts for the rate of requests, and they are made one after another.
    batch_calls_max: usize = 50, Whole(1, 1_000), "calls";
}

section! {
    /// MCP.
    "mcp" Mcp

    /// Names under which `/mcp` answers beside loopback ones, as the header Host says them (`host` or `host:port`).
    allowed_hosts: Vec<String> = Vec::new(), Words;
    /// Origins of web pages that may call the service (CORS) beside its own, as the header Origin says them (`https://host`,
    /// `http://localhost:3000`).
    allowed_origins: Vec<String> = Vec::new(), Words;
    /// Sessions of MCP at once, of the revisions that have them; 503 `busy` after that.
    sessions_max: usize = 1_000, Whole(1, 1_000_000), "sessions";
    /// Sessions of MCP that one client holds at once; 429 `limit_reached` after that. Callers without a name count as
    /// one.
    sessions_per_client_max: usize = 100, Whole(1, 1_000_000), "sessions";
    /// How long a session of MCP may be idle before it is let go; it is not idle while a stream of it is open.
    session_idle_s: u64 = 300, Whole(1, 86_400), "seconds";
    /// Resources that one session or one subscription of MCP follows.
    follows_max: usize = 64, Whole(1, 10_000), "resources";
    /// Whether each scenario that a caller may submit for is a tool of MCP, named after it; the generic tools stay.
    scenario_tools: bool = true, Flag;
    /// Scenarios that MCP lists as tools: where there are more, `find_scenario` gives the likeliest instead, and 0 lists
    /// none. A list is told whole, at some thousand tokens a tool, and model interfaces take 128 tools at most as a rule.
    tools_max: usize = 64, Whole(0, 1_000), "tools";
    /// Characters that hosts put before the name of a tool (`mcp__otherwise__` has 16): they refuse every tool where one name is longer
    /// than 64 characters with them, some than 60. A longer name of a scenario is shortened and ends with digits of its hash.
    host_prefix_chars: usize = 20, Whole(0, 40), "characters";
}

section! {
    /// Where the journals lie.
    "data" Data

    /// Folder of the journals; made when it is missing.
    folder: String = "data".to_owned(), Text;
}

section! {
    /// What is published at start.
    "schemas" Schemas

    /// Folder whose `*.json` files are published at start; empty text for none.
    folder: String = "schemas".to_owned(), Text;
}

section! {
    /// The embedding model.
    "models" Models

    /// Folder of the embedding models, each a folder with its files, its calibration and their sums.
    folder: String = "models".to_owned(), Text;
    /// The folder in it of the model for English.
    english: String = "minilm-l6-v2".to_owned(), Text;
    /// The folder in it of the model for a pool that speaks another language; its vectors are made anew where another model is named.
    multilingual: String = "use-m-v3".to_owned(), Text;
    /// Threads that embed English.
    embed_workers: usize = 1, Whole(1, 64), "threads";
    /// Texts that wait for an embedding.
    embed_queue_max: usize = 4_096, COUNT, "texts";
    /// Texts whose vectors are remembered; 0 for none.
    embed_cache_max: usize = 20_000, Whole(0, 100_000_000), "texts";
}

section! {
    /// The embedded store.
    "store" Store

    /// Bytes that stay free on the disk: below them writes are answered 507 until there is an eighth more; 0 for none.
    free_bytes_min: u64 = 128 * 1024 * 1024, Whole(0, 1_099_511_627_776), "bytes";
    /// How long a write may take before the store is given up: who waits is answered 503 `store_stalled`, `/readyz`
    /// says so, and the next start checks what is on disk. Longer than a disk takes that works, shorter than what waits
    /// for the process to end.
    stall_s: u64 = 15, Whole(1, 3_600), "seconds";
    /// Memory for the store's page cache.
    cache_bytes: u64 = 64 * 1024 * 1024, Whole(1_048_576, 1_099_511_627_776), "bytes";
    /// Appends that wait for the disk; further ones are answered 503.
    queue_max: usize = 8_192, COUNT, "appends";
}

section! {
    /// How changes are told: streams and webhooks.
    "delivery" Delivery

    /// Update streams open at once; a further one is refused with 503.
    streams_max: usize = 2_048, Whole(1, 1_000_000), "streams";
    /// Update streams that one client may hold; a further one is refused with 429. Anonymous callers count as one
    /// client.
    streams_per_client_max: usize = 8, Whole(1, 1_000_000), "streams";
    /// How often a stream says that it lives while nothing changes.
    stream_heartbeat_s: u64 = 15, Whole(1, 3_600), "seconds";
    /// How long a client is asked to wait before it opens a stream again.
    stream_retry_s: u64 = 3, Whole(1, 3_600), "seconds";
    /// Webhooks registered at once; a further one is refused with 429.
    webhooks_max: usize = 32, Whole(0, 1_000), "webhooks";
    /// Webhooks called at once.
    webhook_concurrency_max: usize = 8, Whole(1, 1_000), "calls";
    /// From a call of a webhook to its answer.
    webhook_timeout_s: u64 = 10, Whole(1, 600), "seconds";
    /// Pause after a first call that failed; it doubles with each further one.
    webhook_first_pause_ms: u64 = 1_000, Whole(1, 3_600_000), "milliseconds";
    /// Longest pause between two calls of a webhook that is not paused.
    webhook_longest_pause_s: u64 = 600, Whole(1, 86_400), "seconds";
    /// Calls in a row that fail before a webhook is paused.
    webhook_attempts_max: u32 = 12, Whole(1, 1_000), "calls";
    /// How often a paused webhook is tried all the same.
    webhook_paused_retry_s: u64 = 3_600, Whole(1, 604_800), "seconds";
    /// Whether webhooks may be called on loopback, private and link-local addresses. Loopback is always allowed while
    /// the service runs open.
    webhook_private_addresses: bool = false, Flag;
}

section! {
    /// The log on standard error.
    "log" Log

    /// `error`, `warn`, `info`, `debug`, `trace`, or a filter such as `info,otherwise=debug`.
    level: String = "info".to_owned(), Levels;
    /// How lines on standard error are written.
    format: LogFormat = LogFormat::Text, Choice(&["text", "json"]);
}

section! {
    /// The metrics page.
    "metrics" Metrics

    /// Scenarios with series of their own; the others together are `_overflow`.
    scenarios_max: usize = 100, Whole(1, 100_000), "scenarios";
    /// Keys with series of their own in one scenario; the others together are `_overflow`.
    keys_max: usize = 50, Whole(1, 100_000), "keys";
    /// Whether /metrics is answered without a key when principals are configured.
    public: bool = false, Flag;
}

section! {
    /// The page for people.
    "console" Console

    /// Whether `/console/` is there, the page where people see what clients ask for and decide about it; it needs no login itself, the
    /// calls that it makes do.
    enabled: bool = true, Flag;
}

/// How a log line is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}
