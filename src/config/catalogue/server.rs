//! Settings of what touches the world: listener, folders, embedding model, store.

use crate::config::catalogue::COUNT;
use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Text;
use crate::config::kind::Kind::Whole;
use crate::config::kind::Kind::Words;

/// `[server]` to `[models]`
pub const SERVER: &[Setting] = &[
    setting(
        "server.listen",
        Text,
        "",
        "Address and port to listen on; port 0 picks a free one. Without principals it must be loopback.",
    ),
    setting(
        "server.workers",
        Whole(0, 1_024),
        "threads",
        "Threads that answer HTTP; 0 takes one for each processor.",
    ),
    setting(
        "server.body_bytes_max",
        Whole(1_024, 67_108_864),
        "bytes",
        "Largest request body; a larger one is refused with 413.",
    ),
    setting(
        "server.connections_max",
        Whole(1, 1_000_000),
        "connections",
        "Connections held at once, over all workers; for a further one that which has been idle for longest is closed, and where none is \
         idle it waits in the backlog.",
    ),
    setting(
        "server.backlog",
        Whole(1, 65_535),
        "connections",
        "Connections that wait to be accepted.",
    ),
    setting(
        "server.keep_alive_s",
        Whole(0, 3_600),
        "seconds",
        "How long an idle connection is kept; 0 closes it after each answer.",
    ),
    setting(
        "server.head_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a client may take to send the head of a request; 408 and closed after that.",
    ),
    setting(
        "server.body_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a client may take to send the body of a request; 408 after that.",
    ),
    setting(
        "server.write_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a client may leave unread what is sent to it; its connection is cut after that.",
    ),
    setting(
        "server.disconnect_timeout_s",
        Whole(1, 3_600),
        "seconds",
        "How long a connection may take to close.",
    ),
    setting(
        "server.shutdown_s",
        Whole(0, 3_600),
        "seconds",
        "How long requests under way may take to end after SIGTERM.",
    ),
    setting(
        "server.client_requests_per_s",
        Whole(0, 1_000_000),
        "requests per second",
        "How often one client may come; more often is answered 429. 0 for no bound.",
    ),
    setting(
        "server.client_requests_burst",
        Whole(0, 1_000_000),
        "requests",
        "How many requests of one client may come at once after a pause; 0 for no bound at all.",
    ),
    setting(
        "server.tls_proxies",
        Words,
        "",
        "IP addresses of the proxies that end TLS, or networks of them such as `10.0.0.0/8`. Where there are any, a request is taken from them alone, and only if its header \
         X-Forwarded-Proto says `https`; health and metrics are for everybody. Empty takes requests as they come.",
    ),
    setting(
        "rpc.batch_calls_max",
        Whole(1, 1_000),
        "calls",
        "Calls of one JSON-RPC batch; each counts for the rate of requests, and they are made one after another.",
    ),
    setting(
        "mcp.allowed_hosts",
        Words,
        "",
        "Names under which `/mcp` answers beside loopback ones, as the header Host says them (`host` or `host:port`).",
    ),
    setting(
        "mcp.allowed_origins",
        Words,
        "",
        "Web pages that may speak to `/mcp` beside those of this machine, as the header Origin says them (`https://host`).",
    ),
    setting(
        "mcp.sessions_max",
        Whole(1, 1_000_000),
        "sessions",
        "Sessions of MCP at once, of the revisions that have them; 503 `busy` after that.",
    ),
    setting(
        "mcp.sessions_per_client_max",
        Whole(1, 1_000_000),
        "sessions",
        "Sessions of MCP that one client holds at once; 429 `limit_reached` after that. Callers without a name count as one.",
    ),
    setting(
        "mcp.session_idle_s",
        Whole(1, 86_400),
        "seconds",
        "How long a session of MCP may be idle before it is let go; it is not idle while a stream of it is open.",
    ),
    setting(
        "mcp.follows_max",
        Whole(1, 10_000),
        "resources",
        "Resources that one session or one subscription of MCP follows.",
    ),
    setting(
        "data.folder",
        Text,
        "",
        "Folder of the journals; made when it is missing.",
    ),
    setting(
        "schemas.folder",
        Text,
        "",
        "Folder whose `*.json` files are published at start; empty text for none.",
    ),
    setting(
        "models.folder",
        Text,
        "",
        "Folder of the embedding models and their tokenizers.",
    ),
    setting(
        "models.embed_workers",
        Whole(1, 64),
        "threads",
        "Threads that embed English.",
    ),
    setting(
        "models.embed_queue_max",
        COUNT,
        "texts",
        "Texts that wait for an embedding.",
    ),
    setting(
        "models.embed_cache_max",
        Whole(0, 100_000_000),
        "texts",
        "Texts whose vectors are remembered; 0 for none.",
    ),
];

/// `[store]`
pub const STORE: &[Setting] = &[
    setting(
        "store.free_bytes_min",
        Whole(0, 1_099_511_627_776),
        "bytes",
        "Bytes that stay free on the disk: below them writes are answered 507 until there is an eighth more; 0 for none.",
    ),
    setting(
        "store.stall_s",
        Whole(1, 3_600),
        "seconds",
        "How long a write may take before the store is given up: who waits is answered 503 `store_stalled`, `/readyz` says so, and \
         the next start checks what is on disk. Longer than a disk takes that works, shorter than what waits for the process to end.",
    ),
    setting(
        "store.cache_bytes",
        Whole(1_048_576, 1_099_511_627_776),
        "bytes",
        "Memory for the store's page cache.",
    ),
    setting(
        "store.queue_max",
        COUNT,
        "appends",
        "Appends that wait for the disk; further ones are answered 503.",
    ),
    setting(
        "store.batch_records_max",
        Whole(1, 1_000_000),
        "records",
        "Records committed with one sync.",
    ),
];
