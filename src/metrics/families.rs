//! Every family of metrics: name, help, labels and kind, in one table.
//!
//! A family without a series is not on the page. No series bears an address, a session, a task, an agent or a client.

use prometheus::GaugeVec;
use prometheus::HistogramOpts;
use prometheus::HistogramVec;
use prometheus::IntCounterVec;
use prometheus::Opts;
use prometheus::Registry;

/// Seconds from 0.1 ms to 10 s.
const SECONDS: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];
/// Seconds of what waits for other services: up to the longest that an executor may take.
const LONG: &[f64] = &[
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 60.0,
    180.0, 600.0,
];
/// Records in one batch.
const RECORDS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// Of each row: the field, the kind, the name, the labels; its doc comment is the help.
macro_rules! families {
    ($($(#[doc = $help:literal])+ $field:ident: $kind:ident $(($buckets:ident))?, $name:literal, [$($label:literal),*];)+) => {
        /// All families.
        #[derive(Clone, Debug)]
        pub struct Families {
            $($(#[doc = $help])+ pub $field: families!(@type $kind),)+
        }

        impl Families {
            /// Families in a registry.
            pub fn within(registry: &Registry) -> Result<Families, prometheus::Error> {
                $(let $field = families!(
                    @new $kind, $name, concat!($($help),+).trim_ascii(), &[$($label),*] $(, $buckets)?
                );
                registry.register(Box::new($field.clone()))?;)+
                Ok(Families { $($field),+ })
            }
        }
    };
    (@type counter) => { IntCounterVec };
    (@type gauge) => { GaugeVec };
    (@type histogram) => { HistogramVec };
    (@new counter, $name:expr, $help:expr, $labels:expr) => { IntCounterVec::new(Opts::new($name, $help), $labels)? };
    (@new gauge, $name:expr, $help:expr, $labels:expr) => { GaugeVec::new(Opts::new($name, $help), $labels)? };
    (@new histogram, $name:expr, $help:expr, $labels:expr, $buckets:expr) => {
        HistogramVec::new(HistogramOpts::new($name, $help).buckets($buckets.to_vec()), $labels)?
    };
}

families! {
    /// Submissions by scenario and outcome: accepted, refused, replayed, turned_away (4xx), not_executed, failed (5xx).
    submissions: counter, "otherwise_submissions_total", ["scenario", "outcome"];
    /// Explicit requests for a capability by scenario and outcome, as for submissions.
    extensions: counter, "otherwise_extension_requests_total", ["scenario", "outcome"];
    /// Time from a submission's arrival to its answer, durable commit included, an executor's time not.
    submission_seconds: histogram(SECONDS), "otherwise_submission_seconds", [];
    /// Calls of executors by scenario and outcome (answered, failed, timed_out, bad_result and so on).
    executions: counter, "otherwise_executions_total", ["scenario", "outcome"];
    /// Time that one call of an executor took, attempts and pauses included.
    execution_seconds: histogram(LONG), "otherwise_execution_seconds", [];
    /// Executors that are not called after failures in a row (open), or by one call alone (half_open).
    executors_left_alone: gauge, "otherwise_executors_left_alone", ["state"];
    /// Fragments of other by scenario and what became of them.
    fragments: counter, "otherwise_fragments_total", ["scenario", "fate"];
    /// Gates that opened, by scenario and audience.
    triggers: counter, "otherwise_triggers_total", ["scenario", "audience"];
    /// What became of keys, by scenario: proposed, revived, extended, or the stage that was entered.
    key_changes: counter, "otherwise_key_changes_total", ["scenario", "change"];
    /// Reviews of a pool by a reader, by scenario and outcome: answered, failed.
    reviews: counter, "otherwise_reader_reviews_total", ["scenario", "outcome"];
    /// Parts of readers' answers that were refused and have no effect.
    refusals: counter, "otherwise_reader_refusals_total", ["scenario"];
    /// Share of payloads that used other, over the ledger's window.
    other_ratio: gauge, "otherwise_other_ratio", ["scenario"];
    /// Distinct clients over the ledger's window.
    clients: gauge, "otherwise_clients", ["scenario"];
    /// Submissions whose fragments have not been read into the pool yet.
    pending: gauge, "otherwise_submissions_pending", ["scenario"];
    /// 1 when nothing is learned because the journal cannot be read back, a worker panicked, or the embedding model answers nothing, else 0.
    stalled: gauge, "otherwise_scenario_stalled", ["scenario"];
    /// 1 while a person has stopped evolution, else 0.
    frozen: gauge, "otherwise_scenario_frozen", ["scenario"];
    /// How long the proposal that waits longest for a person has waited; 0 when none does.
    approval_waits: gauge, "otherwise_approval_waiting_seconds", ["scenario"];
    /// Proposals and clusters that wait, by what they wait for; a proposal counts for each of its reasons.
    waits: gauge, "otherwise_waits", ["scenario", "reason"];
    /// Proposals that wait for room in the convergence guard.
    queue_length: gauge, "otherwise_queue_length", ["scenario"];
    /// Values of patch keys that wait for a person's verdict.
    audits_waiting: gauge, "otherwise_audits_waiting", ["scenario"];
    /// Verdicts that people gave on values of patch keys.
    audits: counter, "otherwise_audits_total", ["scenario", "verdict"];
    /// Share of a pool's fragments, of those whose language could be told, by language.
    languages: gauge, "otherwise_pool_languages", ["scenario", "language"];
    /// Micro-clusters that still have to be embedded anew after a change of the model; 0 when none.
    reembedding: gauge, "otherwise_pool_reembedding", ["scenario"];
    /// Clusters in the pool.
    clusters: gauge, "otherwise_pool_clusters", ["scenario"];
    /// Heat of the hottest cluster.
    heat_max: gauge, "otherwise_heat_max", ["scenario"];
    /// Keys of the patch layer by stage.
    keys: gauge, "otherwise_keys", ["scenario", "stage"];
    /// Usage frequency of a key.
    usage: gauge, "otherwise_key_usage_ratio", ["scenario", "key", "stage"];
    /// Semantic alignment accuracy of a key.
    alignment: gauge, "otherwise_key_alignment_ratio", ["scenario", "key", "stage"];
    /// Value type correctness of a key.
    type_ok: gauge, "otherwise_key_type_ratio", ["scenario", "key", "stage"];
    /// Client adoption rate of a key.
    adoption: gauge, "otherwise_key_adoption_ratio", ["scenario", "key", "stage"];
    /// Operations on shared contexts by operation and outcome: accepted, turned_away (4xx), failed (5xx).
    session_operations: counter, "otherwise_context_operations_total", ["operation", "outcome"];
    /// Time that one operation on a shared context took, durable commit included, by operation.
    session_seconds: histogram(SECONDS), "otherwise_context_seconds", ["operation"];
    /// Sessions of shared context, open and archived.
    sessions: gauge, "otherwise_context_sessions", ["state"];
    /// Keys of all sessions together.
    session_keys: gauge, "otherwise_context_keys", [];
    /// What happened to task contexts, subtasks, rounds and contents since the start, by event.
    task_events: counter, "otherwise_task_context_events_total", ["event"];
    /// Items that were evaluated after an agent gave them back, by verdict: verified, unverified, unfinished.
    task_verdicts: counter, "otherwise_task_context_verdicts_total", ["verdict"];
    /// Task contexts that are kept, open and closed.
    task_contexts: gauge, "otherwise_task_contexts", ["state"];
    /// Subtasks of task contexts that are kept, by state.
    subtasks: gauge, "otherwise_task_context_subtasks", ["state"];
    /// Contents that are kept outside of contexts.
    contents: gauge, "otherwise_task_context_contents", [];
    /// Bytes of these contents together.
    content_bytes: gauge, "otherwise_task_context_content_bytes", [];
    /// Bytes that these contents together may have (tasks.contents_bytes_max).
    content_bytes_max: gauge, "otherwise_task_context_content_bytes_max", [];
    /// What happened to conversations since the start, by event.
    conversation_events: counter, "otherwise_conversation_events_total", ["event"];
    /// Contexts that agents came by, by how: the pattern of a message, or fetched.
    passed: counter, "otherwise_conversation_contexts_total", ["how"];
    /// Turns and parts that a declaration kept from its agent, by what they are.
    withheld: counter, "otherwise_conversation_withheld_total", ["what"];
    /// Conversations that are kept.
    conversations: gauge, "otherwise_conversations", [];
    /// Turns of all conversations together.
    turns: gauge, "otherwise_conversation_turns", [];
    /// Turns that a summary stands for.
    summarised_turns: gauge, "otherwise_conversation_summarised_turns", [];
    /// What was done with Agent Context Messages, by operation and outcome: accepted, turned_away (4xx), failed (5xx).
    message_operations: counter, "otherwise_message_operations_total", ["operation", "outcome"];
    /// A2A tasks that came into a state since the start, by state.
    a2a_states: counter, "otherwise_task_states_total", ["state"];
    /// Time from a client's message in an A2A task until the task ended or waited for its client, its turn and an
    /// executor's time included.
    a2a_seconds: histogram(LONG), "otherwise_task_seconds", [];
    /// A2A tasks that are kept, by state.
    a2a_tasks: gauge, "otherwise_tasks", ["state"];
    /// Questions to the language model by use and outcome (answered, timeout, budget and so on).
    questions: counter, "otherwise_model_questions_total", ["use", "outcome"];
    /// Tokens of questions and answers by use, as the language model's server counted them.
    tokens: counter, "otherwise_model_tokens_total", ["use"];
    /// Time from a question to the language model to its end, waiting included.
    question_seconds: histogram(LONG), "otherwise_model_seconds", [];
    /// What is left of the language model's budget of this UTC day, in calls and in tokens.
    budget_left: gauge, "otherwise_model_budget_left", ["unit"];
    /// Update streams that clients hold open.
    streams_open: gauge, "otherwise_streams_open", [];
    /// Letters by webhook and outcome: delivered, or an attempt that failed.
    letters: counter, "otherwise_webhook_letters_total", ["webhook", "outcome"];
    /// Changes that a webhook may still have to be told of.
    webhook_waiting: gauge, "otherwise_webhook_waiting", ["webhook"];
    /// 1 while a webhook is paused because it took nothing for long, else 0.
    webhook_paused: gauge, "otherwise_webhook_paused", ["webhook"];
    /// 1 while /readyz answers 200, else 0.
    ready: gauge, "otherwise_ready", [];
    /// 1 while the store takes appends, else 0; none before it is open.
    writable: gauge, "otherwise_store_writable", [];
    /// 1 while a person or the settings keep the service from writing, else 0; none before the store is open.
    read_only: gauge, "otherwise_read_only", [];
    /// Bytes free on the disk that holds the journals; none where that is not known.
    free_bytes: gauge, "otherwise_store_free_bytes", [];
    /// Time that one call of the embedding model took.
    embed_seconds: histogram(SECONDS), "otherwise_embed_seconds", [];
    /// Time that one batch took to be written and synced.
    commit_seconds: histogram(SECONDS), "otherwise_journal_commit_seconds", [];
    /// Records committed with one sync.
    batch_size: histogram(RECORDS), "otherwise_journal_batch_size", [];
    /// When the last backup of this process was read to its end, in seconds since 1970; none before there was one.
    backed_up: gauge, "otherwise_backup_timestamp_seconds", [];
    /// The running build; its value is always 1.
    build_info: gauge, "otherwise_build_info", ["version"];
}
