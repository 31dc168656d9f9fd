//! Settings of what this service calls: the language model, and the server agents' executors.

use crate::config::catalogue::SHARE;
use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Several;
use crate::config::kind::Kind::Text;
use crate::config::kind::Kind::Whole;
use crate::config::kind::Kind::Words;

/// `[model]`
pub const MODEL: &[Setting] = &[
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
        Several(&["judge", "summary"]),
        "",
        "What the model is asked: whether a value is what was asked; to summarise conversations only where it is named.",
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
        "Nothing is judged or summarised any more on a day once this share of its budget is spent: the rest is for keys.",
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
];

/// `[executors]`
pub const EXECUTORS: &[Setting] = &[
    setting(
        "executors.hosts",
        Words,
        "",
        "Hosts that may be executors (`host`, `host:port`, `*.suffix`); an empty list allows every public one.",
    ),
    setting(
        "executors.inner_hosts",
        Words,
        "",
        "Hosts that may be executors and lie on this machine or in its network, in the same form; no others that do are called.",
    ),
    setting(
        "executors.tokens",
        Words,
        "",
        "Where the bearer tokens of executors are: `host=env:NAME` or `host=file:PATH`, also with a port and a path (`host/book=…` for what \
         lies there and below); read at start, never the token itself.",
    ),
    setting(
        "executors.timeout_ms_max",
        Whole(100, 600_000),
        "milliseconds",
        "Longest `timeout_ms` of a template's executor.",
    ),
    setting(
        "executors.attempts_max",
        Whole(1, 10),
        "attempts",
        "Most `attempts` of a template's executor.",
    ),
    setting(
        "executors.answer_bytes_max",
        Whole(1_024, 16_777_216),
        "bytes",
        "Largest answer that is read of an executor.",
    ),
    setting(
        "executors.calls_each_max",
        Whole(1, 100_000),
        "calls",
        "Calls of one executor at once; further ones are answered 503.",
    ),
    setting(
        "executors.calls_max",
        Whole(1, 100_000),
        "calls",
        "Calls of all executors at once; further ones are answered 503.",
    ),
    setting(
        "executors.pause_after_faults",
        Whole(1, 1_000),
        "calls",
        "Failed calls in a row after which an executor is left alone for a while.",
    ),
    setting(
        "executors.pause_s",
        Whole(1, 86_400),
        "seconds",
        "How long; after that one call alone tries whether it is well.",
    ),
];
