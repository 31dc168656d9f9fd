//! Settings of what touches the world: listener, folders, models, store.

use crate::edge::settings::catalogue::COUNT;
use crate::edge::settings::catalogue::SHARE;
use crate::edge::settings::catalogue::Setting;
use crate::edge::settings::catalogue::setting;
use crate::edge::settings::kind::Kind::Several;
use crate::edge::settings::kind::Kind::Text;
use crate::edge::settings::kind::Kind::Whole;

/// In the order of the file.
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
        "Connections held at once, over all workers; further ones wait in the backlog.",
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
        "Folder of the embedding model and its tokenizer.",
    ),
    setting("models.embed_workers", Whole(1, 64), "threads", "Threads that embed."),
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
    setting(
        "model.url",
        Text,
        "",
        "Where a language model that speaks OpenAI's chat completions is, such as `https://host/v1`; empty for none.",
    ),
    setting("model.name", Text, "", "The model's name, as its server calls it."),
    setting(
        "model.key_env",
        Text,
        "",
        "Environment variable that holds the bearer key; empty for none.",
    ),
    setting(
        "model.key_file",
        Text,
        "",
        "File that holds the bearer key and nothing else; empty for none.",
    ),
    setting(
        "model.uses",
        Several(&["induction", "same_key", "judge"]),
        "",
        "What the model is asked: to name keys, whether two keys are one, whether a value is what was asked.",
    ),
    setting(
        "model.timeout_s",
        Whole(1, 600),
        "seconds",
        "From a question to its answer, waiting and a second attempt included.",
    ),
    setting(
        "model.concurrency_max",
        Whole(1, 256),
        "questions",
        "Questions asked at once.",
    ),
    setting(
        "model.queue_max",
        Whole(0, 100_000),
        "questions",
        "Questions that wait; the rules decide about further ones.",
    ),
    setting(
        "model.calls_per_day",
        Whole(0, 1_000_000_000),
        "calls",
        "Calls in one UTC day, second attempts included.",
    ),
    setting(
        "model.tokens_per_day",
        Whole(0, 1_000_000_000_000),
        "tokens",
        "Tokens in one UTC day, of questions and answers together.",
    ),
    setting(
        "model.judge_budget_share",
        SHARE,
        "share",
        "Nothing is judged any more on a day once this share of its budget is spent: the rest is for keys.",
    ),
    setting(
        "model.answer_tokens_max",
        Whole(16, 1_000_000),
        "tokens",
        "Sent as `max_completion_tokens`; a model that reasons needs more.",
    ),
    setting(
        "model.answer_bytes_max",
        Whole(1_024, 16_777_216),
        "bytes",
        "Largest answer that is read.",
    ),
    setting(
        "model.pause_after_faults",
        Whole(1, 1_000),
        "faults",
        "Faults in a row after which the model is left alone for a while.",
    ),
    setting("model.pause_s", Whole(1, 86_400), "seconds", "How long that is."),
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
