//! Settings of what agents share (sessions, conversations, messages, tasks, A2A), and of what the service calls.

use serde::Deserialize;
use serde::Serialize;

use crate::app::messages::RENDER_TOKENS_MAX;
use crate::config::setting::COUNT;
use crate::config::setting::Kind::Flag;
use crate::config::setting::Kind::Several;
use crate::config::setting::Kind::Text;
use crate::config::setting::Kind::Whole;
use crate::config::setting::Kind::Words;
use crate::config::setting::SECONDS;
use crate::config::setting::SHARE;
use crate::config::setting::Setting;
use crate::config::setting::section;
use context::message::markdown::TOKENS_MIN;
use schema::question::Use;

section! {
    /// A2A, and the tasks that it keeps.
    "a2a" A2a

    /// The service's name on its agent card.
    name: String = "Otherwise".to_owned(), Text;
    /// What the agent card says that the service does.
    description: String = "Takes structured submissions by templates, and finds the template that fits a wish.".to_owned(), Text;
    /// Where other agents reach the service, such as https://agents.example.com, without a path; empty for the address
    /// that a request came to.
    public_url: String = String::new(), Text;
    /// Whether the agent card that everyone may read lists the scenarios; otherwise only the extended card does, to who
    /// may call. A service that runs open always lists them.
    public_skills: bool = false, Flag;
    /// Scenarios that an agent card lists at most, by their names.
    skills_max: usize = 200, Whole(0, 10_000), "scenarios";
    /// How long others may keep the agent card before they ask again.
    card_max_age_s: u64 = 300, Whole(0, 604_800), "seconds";
    /// Tasks kept at once. A further one takes the place of the one that ended longest ago, or is refused with 429.
    tasks_max: usize = 10_000, COUNT, "tasks";
    /// The same for one client. Anonymous callers count as one client.
    tasks_per_client_max: usize = 1_000, COUNT, "tasks";
    /// Messages that a client may send in one task; a further one is refused with 429.
    task_messages_max: usize = 32, Whole(1, 10_000), "messages";
    /// How long a task that has ended is kept; it goes when another begins.
    ended_kept_s: i64 = 604_800, SECONDS, "seconds";
    /// After how long a task that waits for its client may make room for another.
    waiting_kept_s: i64 = 86_400, SECONDS, "seconds";
    /// Tasks worked at, at once; further ones wait.
    working_max: usize = 64, Whole(1, 10_000), "tasks";
    /// How long after its last step a task that a restart cut short is still worked at; a later one has failed.
    resume_s: i64 = 900, SECONDS, "seconds";
    /// Addresses that are told of tasks, of all tasks together; a further one is refused with 429.
    pushes_max: usize = 1_000, Whole(0, 1_000_000), "addresses";
    /// The same for one task.
    pushes_per_task_max: usize = 4, Whole(0, 1_000), "addresses";
    /// Addresses called at once. How long a call may take, and whether private addresses may be called, is set for
    /// webhooks.
    push_concurrency_max: usize = 8, Whole(1, 1_000), "calls";
    /// Calls in a row that fail before an address is given up.
    push_attempts_max: u32 = 6, Whole(1, 1_000), "calls";
    /// Pause after a first call that failed; it doubles with each further one.
    push_first_pause_ms: u64 = 1_000, Whole(1, 3_600_000), "milliseconds";
    /// Longest pause between two calls.
    push_longest_pause_s: u64 = 60, Whole(1, 86_400), "seconds";
}

section! {
    /// Sessions of shared context.
    "sessions" Sessions

    /// Sessions of shared context kept at once, archived ones among them; a further one is refused with 429.
    sessions_max: usize = 10_000, COUNT, "sessions";
    /// The same of those that one client created. Anonymous callers count as one client.
    sessions_per_client_max: usize = 1_000, COUNT, "sessions";
    /// Keys of one session, far more than its tokens leave room for; a further one is refused as `store_full`.
    keys_max: usize = 10_000, Whole(1, 100_000), "keys";
    /// Size of one value, each token four characters begun; a larger one is refused as `value_too_large`.
    value_tokens_max: u64 = 1_000, Whole(1, 1_000_000), "tokens";
    /// Size from which a write is answered with a warning.
    value_tokens_warned: u64 = 800, Whole(1, 1_000_000), "tokens";
    /// Size above which a write is answered with the hint to distil the value.
    value_tokens_hinted: u64 = 500, Whole(0, 1_000_000), "tokens";
    /// Size of all values of a session together; a write beyond it is refused as `store_full`.
    store_tokens_max: u64 = 10_000, Whole(1, 1_000_000_000), "tokens";
    /// Principals that a session lets take part beside its creator; a further one is refused with 429.
    participants_max: usize = 64, Whole(0, 10_000), "principals";
    /// Versions of each key that a session may choose to keep.
    history_versions_max: usize = 20, Whole(0, 1_000), "versions";
    /// Snapshots of one session; a further one is refused with 429.
    snapshots_max: usize = 16, Whole(0, 1_000), "snapshots";
    /// Keys that one `read_batch` may name.
    batch_keys_max: usize = 64, Whole(1, 10_000), "keys";
    /// Size of a session's conventions for its keys, as JSON.
    namespace_bytes_max: usize = 16 * 1024, Whole(0, 1_000_000), "bytes";
    /// Streams that may follow one session at once; a further one is refused with 429.
    followers_max: usize = 64, Whole(0, 10_000), "streams";
    /// Values held in memory, so that reading them takes no disk.
    cache_bytes: usize = 64 * 1024 * 1024, Whole(0, 1_000_000_000_000), "bytes";
    /// Whether each write and delete has a line in the log, under the target `otherwise::context`, without its value.
    /// The journal has all of them in any case; `GET /v1/sessions:audit` reads it.
    log_writes: bool = true, Flag;
    /// Records looked at for one page of the audit log.
    audit_records_max: usize = 10_000, Whole(1, 1_000_000), "records";
}

section! {
    /// What is said between users and agents, kept for coordinators.
    "conversations" Conversations

    /// Conversations kept at once; a further one is refused with 429.
    conversations_max: usize = 10_000, COUNT, "conversations";
    /// The same for one client. Anonymous callers count as one client.
    per_client_max: usize = 1_000, COUNT, "conversations";
    /// Turns of one conversation; a further one is refused with 429.
    turns_max: usize = 1_000, Whole(1, 100_000), "turns";
    /// Words of one turn, in UTF-8.
    turn_bytes_max: usize = 16 * 1024, Whole(1, 1_048_576), "bytes";
    /// Types of parts that one conversation keeps; of each type the last one is kept.
    parts_max: usize = 16, Whole(0, 1_000), "types";
    /// Data of one part.
    part_bytes_max: usize = 64 * 1024, Whole(2, 1_048_576), "bytes";
    /// Agents for which one conversation declares what they get.
    recipients_max: usize = 32, Whole(0, 10_000), "agents";
    /// After how long without anything new a conversation is gone.
    kept_s: i64 = 2_592_000, SECONDS, "seconds";
    /// After how many turns they are summarised: fewer make messages smaller, more keep them closer to what was said.
    summarise_after_turns: usize = 10, Whole(1, 100), "turns";
    /// Agent Context Messages with a token that are held in memory as they were sent, for whom they are addressed to,
    /// until their conversation ends; beyond, the oldest are handed over without the token.
    carried_bytes_max: usize = 16 * 1024 * 1024, Whole(0, 1_073_741_824), "bytes";
    /// Sentences that a summary keeps.
    summary_sentences_max: usize = 12, Whole(1, 200), "sentences";
    /// Words of a summary, in UTF-8.
    summary_bytes_max: usize = 4_096, Whole(1, 65_536), "bytes";
}

section! {
    /// Agent Context Messages, and the agents that say what they offer.
    "messages" Messages

    /// Rules that agents are given at their start, each as `ID: rule`, such as `P002: Encrypt all communication with
    /// TLS 1.2 or higher.` They are guidance: nothing is allowed or refused by them here.
    policies: Vec<String> = Vec::new(), Words;
    /// Budget of a rendered message where the caller names none.
    render_tokens: u64 = 2_000, Whole(TOKENS_MIN as i64, RENDER_TOKENS_MAX as i64), "tokens";
    /// Agents that may register what they offer; a further one is refused with 429.
    agents_max: usize = 1_000, COUNT, "agents";
}

section! {
    /// What agents know of tasks: TaskContext, AgentContext, and large contents.
    "tasks" Tasks

    /// Tasks kept at once under /v1/tasks; a further one is refused with 429.
    tasks_max: usize = 10_000, COUNT, "tasks";
    /// The same for one master.
    tasks_per_client_max: usize = 1_000, COUNT, "tasks";
    /// Subtasks of one task; a further one is refused with 429.
    subtasks_max: usize = 64, Whole(1, 1_000), "subtasks";
    /// Steps of one task: its beginning, changes of goals, subtasks sent, returned and evaluated. A further one is
    /// refused with 429.
    changes_max: usize = 1_000, Whole(2, 100_000), "steps";
    /// Length of one TaskContext or AgentContext as JSON. What is longer belongs into a content that the context refers
    /// to.
    context_bytes_max: usize = 64 * 1024, Whole(1_024, 1_048_576), "bytes";
    /// How long a task that nobody closed is kept after its last step.
    open_kept_s: i64 = 2_592_000, SECONDS, "seconds";
    /// How long a task is kept after it was closed.
    closed_kept_s: i64 = 604_800, SECONDS, "seconds";
    /// Length of one content in UTF-8; server.body_bytes_max bounds the request that brings it.
    content_bytes_max: usize = 192 * 1024, Whole(1_024, 16_777_216), "bytes";
    /// All contents together; the same text counts once. A further one is refused with 429.
    contents_bytes_max: u64 = 1024 * 1024 * 1024, Whole(1_024, 1_099_511_627_776), "bytes";
    /// The same for what one client stored.
    contents_per_client_bytes_max: u64 = 16 * 1024 * 1024, Whole(1_024, 1_099_511_627_776), "bytes";
    /// How long a content is kept after it was stored. One that a task's context refers to is kept as long as the task.
    content_kept_s: i64 = 604_800, SECONDS, "seconds";
}

section! {
    /// The language model that helps the rules; off while `url` is empty.
    "model" Model

    /// Where a language model that speaks OpenAI's chat completions is, such as `https://host/v1`; empty for none.
    url: String = String::new(), Text;
    /// The model's name, as its server calls it.
    name: String = String::new(), Text;
    /// Environment variable that holds the bearer key; empty for none.
    key_env: String = String::new(), Text;
    /// File that holds the bearer key and nothing else; empty for none.
    key_file: String = String::new(), Text;
    /// What the model is asked: whether a value is what was asked (judge), which wishes there are (reader).
    uses: Vec<Use> = Use::OF_KEYS.to_vec(), Several(&["judge", "reader"]);
    /// From a question to its answer, waiting and a second attempt included.
    timeout_s: u64 = 20, Whole(1, 600), "seconds";
    /// Questions asked at once.
    concurrency_max: usize = 2, Whole(1, 256), "questions";
    /// Questions that wait; the rules decide about further ones.
    queue_max: usize = 32, Whole(0, 100_000), "questions";
    /// Calls in one UTC day, second attempts included.
    calls_per_day: u64 = 500, Whole(0, 1_000_000_000), "calls";
    /// Tokens in one UTC day, of questions and answers together.
    tokens_per_day: u64 = 1_000_000, Whole(0, 1_000_000_000_000), "tokens";
    /// Nothing is judged any more on a day once this share of its budget is spent: the rest is for keys.
    judge_budget_share: f64 = 0.5, SHARE, "share";
    /// Sent as `max_completion_tokens`; a model that reasons needs more.
    answer_tokens_max: u64 = 1_024, Whole(16, 1_000_000), "tokens";
    /// Largest answer that is read.
    answer_bytes_max: usize = 64 * 1024, Whole(1_024, 16_777_216), "bytes";
    /// Faults in a row after which the model is left alone for a while.
    pause_after_faults: u32 = 5, Whole(1, 1_000), "faults";
    /// How long that is.
    pause_s: u64 = 60, Whole(1, 86_400), "seconds";
}

section! {
    /// The server agents' executors, whatever templates name.
    "executors" Executors

    /// Hosts that may be executors (`host`, `host:port`, `*.suffix`); an empty list allows every public one.
    hosts: Vec<String> = Vec::new(), Words;
    /// Hosts that may be executors and lie on this machine or in its network, in the same form; no others that do are
    /// called.
    inner_hosts: Vec<String> = Vec::new(), Words;
    /// Where the bearer tokens of executors are: `host=env:NAME` or `host=file:PATH`, also with a port and a path
    /// (`host/book=…` for what lies there and below); read at start, never the token itself.
    tokens: Vec<String> = Vec::new(), Words;
    /// Longest `timeout_ms` of a template's executor.
    timeout_ms_max: u64 = 30_000, Whole(100, 600_000), "milliseconds";
    /// Most `attempts` of a template's executor.
    attempts_max: u64 = 5, Whole(1, 10), "attempts";
    /// Largest answer that is read of an executor.
    answer_bytes_max: usize = 256 * 1024, Whole(1_024, 16_777_216), "bytes";
    /// Calls of one executor at once; further ones are answered 503.
    calls_each_max: usize = 32, Whole(1, 100_000), "calls";
    /// Calls of all executors at once; further ones are answered 503.
    calls_max: usize = 256, Whole(1, 100_000), "calls";
    /// Failed calls in a row after which an executor is left alone for a while.
    pause_after_faults: u32 = 5, Whole(1, 1_000), "calls";
    /// How long; after that one call alone tries whether it is well.
    pause_s: u64 = 30, Whole(1, 86_400), "seconds";
}
