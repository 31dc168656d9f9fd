//! What the service needs of the world, as traits: a journal, an embedder, a clock, an observer; and a language model and
//! an executor, which it can do without.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::app::telemetry::Fate;
use crate::app::telemetry::Outcome;
use crate::app::telemetry::ReaderOutcome;
use crate::app::telemetry::TaskContextStep;
use context::a2a_task::phase::Phase;
use context::task_context::evaluation::Judged;
use engine::namespace::webhook::WebhookId;
use engine::pool::heads::Heads;
use engine::pool::recluster::LINK;
use engine::scenario::submission::Ending;
use schema::defect::Defect;
use schema::executor::ExecutorSpec;
use schema::name::ClientId;
use schema::name::ScenarioKey;
use schema::name::SchemaId;
use schema::question::Question;
use schema::question::Use;
use schema::time::At;
use store::journal::Promise;
use text::vector::Vector;

/// Why no vector came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedFault {
    #[error("the embedder's queue is full")]
    Busy,
    #[error("the model failed: {0}")]
    Model(String),
    #[error("the embedder is closed")]
    Closed,
}

/// Turns texts into vectors of one model.
pub trait Embedder: Send + Sync {
    /// The model's name and width, such as `all-minilm-l6-v2-w8/384`.
    fn model(&self) -> &str;

    /// What is told of a sentence by its vector; `None` where nothing was trained for the model.
    fn heads(&self) -> Option<&Arc<Heads>> {
        None
    }

    /// Mean likeness of fragments of one wish, their pool's mean taken away, at which linkage stops (`pool.link_min`).
    fn link(&self) -> f64 {
        LINK
    }

    /// The embedder of another model, which reads more languages than this one; `None` where there is no other. Vectors of the two
    /// are never compared.
    fn multilingual(&self) -> Option<&dyn Embedder> {
        None
    }

    /// One vector for each text, in order. A text's vector does not depend on the other texts.
    fn embed(&self, texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>>;

    /// Whether the model answers at all, whatever is remembered of texts: it embeds [`PROBE`].
    fn probe(&self) -> Promise<'_, Result<(), EmbedFault>> {
        Box::pin(async move { self.embed(vec![PROBE.to_owned()]).await.map(drop) })
    }
}

/// A text on which no model fails.
pub const PROBE: &str = "a seat by the window";

/// Why no answer came. None of them holds anything that was sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    #[error("the model is not asked for this")]
    Off,
    #[error("too many questions wait")]
    Busy,
    #[error("the budget of the day is spent")]
    Budget,
    #[error("it is not asked for a while, after faults in a row")]
    Paused,
    #[error("no answer came in time")]
    Timeout,
    #[error("it cannot be reached")]
    Unreachable,
    #[error("it answered with status {0}")]
    Http(u16),
    #[error("it declined to answer")]
    Refused,
    #[error("its answer is malformed: {0}")]
    Malformed(&'static str),
}

/// Answers questions.
pub trait Model: Send + Sync {
    /// Its name, as it is kept beside what it said.
    fn name(&self) -> &str;

    /// Whether it is to be asked for this at all.
    fn takes(&self, purpose: Use) -> bool;

    /// One answer that follows the question's schema, or a fault, within a bounded time. What the answer says is still to
    /// be checked.
    fn ask(&self, question: Question) -> Promise<'_, Result<Value, ModelFault>>;
}

/// One call of an executor.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    pub executor: ExecutorSpec,
    pub request: ExecutorRequest,
}

/// What an executor is sent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExecutorRequest {
    /// The idempotency key too, the same for every call with this submission.
    pub submission_id: String,
    pub schema_id: SchemaId,
    pub scenario: ScenarioKey,
    pub revision: u64,
    pub payload: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientId>,
}

/// Why no result came. None of them holds anything that was sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorFault {
    #[error("as many calls of executors as may be are under way")]
    Busy,
    #[error("it is left alone for {retry_after_s} s, after failures in a row")]
    Paused { retry_after_s: u64 },
    #[error("its address is not one that this service may call")]
    NotAllowed,
    #[error("no result came in time")]
    TimedOut,
    /// No connection was made by any attempt, so that nothing was sent.
    #[error("it cannot be reached")]
    Unreachable,
    #[error("the connection broke off before the result was whole")]
    Cut,
    #[error("it answered with status {0}")]
    Status(u16),
    #[error("its result is malformed: {0}")]
    Malformed(&'static str),
}

/// Calls the server agents' executors (Z-007).
pub trait Executor: Send + Sync {
    /// What of a template's executor this service does not allow; none when it may be published.
    fn objections(&self, executor: &ExecutorSpec) -> Vec<Defect>;

    /// The result, an object, or a fault, within the executor's time. Whether it is what the template promises is still to
    /// be checked.
    fn execute(&self, order: Order) -> Promise<'_, Result<Map<String, Value>, ExecutorFault>>;
}

/// What is sent to a webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookDelivery {
    pub url: String,
    pub secret: Vec<u8>,
    /// The same at every attempt, and of no other delivery.
    pub id: String,
    /// What it is about, such as `patch.staged`.
    pub topic: &'static str,
    /// `None` for one that only tries the webhook.
    pub scenario: Option<ScenarioKey>,
    /// When it happened.
    pub at: At,
    pub data: Value,
}

/// What became of a delivery. None of them holds anything that was sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// The status, 2xx.
    Taken(u16),
    /// 410: the receiver wants nothing any more.
    Gone,
    /// Any other status, with the patience that it asks for.
    Refused { status: u16, retry_after_s: Option<u64> },
    /// No answer, and why in a few words.
    Failed(&'static str),
}

/// What somebody is told of a task (A2A §4.3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    pub url: String,
    /// The same at every attempt, and of no other notification.
    pub id: String,
    /// What the receiver knows it by; empty for nothing.
    pub token: String,
    /// Scheme and credentials of `Authorization`, where the receiver wants them.
    pub authorization: Option<(String, String)>,
    /// JSON text.
    pub body: String,
}

/// Carries deliveries to webhooks, and notifications to those who asked for a task.
pub trait WebhookSender: Send + Sync {
    /// Whether it would call this address.
    ///
    /// # Errors
    /// What the address must do, to follow "must".
    fn admits(&self, url: &str) -> Result<(), String>;

    /// Random bytes that nobody can guess; `None` where the machine gives none.
    fn random(&self) -> Option<[u8; 48]>;

    /// One attempt, within a bounded time.
    fn carry(&self, letter: WebhookDelivery) -> Promise<'_, Delivered>;

    /// One attempt, within a bounded time.
    fn notify(&self, notification: Notification) -> Promise<'_, Delivered>;
}

/// Up to which entry each webhook was told, for each scenario of which it was told anything.
pub type Marks = BTreeMap<WebhookId, BTreeMap<ScenarioKey, u64>>;

/// Keeps marks beyond the end of the process.
pub trait DeliveryCursors: Send + Sync {
    /// What was kept last; nothing at first.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn load(&self) -> Result<Marks, String>;

    /// Keeps these, whole or not at all.
    ///
    /// # Errors
    /// Why not, in words.
    fn keep(&self, marks: &Marks) -> Result<(), String>;
}

/// Tells the time.
pub trait Clock: Send + Sync {
    fn now(&self) -> At;
}

/// Is told what happens, for the metrics. Must not block.
pub trait Observer: Send + Sync {
    fn submission(&self, scenario: &str, outcome: Outcome, seconds: f64);
    /// An extension request was answered.
    fn extension(&self, scenario: &str, outcome: Outcome);
    fn fragment(&self, scenario: &str, fate: Fate);
    /// `audience` is one of [`AUDIENCES`](crate::app::telemetry::AUDIENCES).
    fn trigger(&self, scenario: &str, audience: &'static str);
    /// `change` is one of [`key_changes`](crate::app::telemetry::key_changes).
    fn change(&self, scenario: &str, change: &'static str);
    /// A reader answered, or was asked and gave none.
    fn review(&self, scenario: &str, outcome: ReaderOutcome);
    /// Something was done with a session of shared context; `operation` is one of
    /// [`session_operations`](crate::app::telemetry::session_operations).
    fn context(&self, operation: &'static str, outcome: Outcome, seconds: f64);
    /// A call of an executor ended, its attempts and pauses included.
    fn execution(&self, scenario: &str, ending: Ending, seconds: f64);
    /// A backup was read to its end.
    fn backed_up(&self, at: At);
    /// A task came into a state.
    fn task(&self, phase: Phase);
    /// Something happened to what agents know of tasks.
    fn task_context(&self, step: TaskContextStep);
    /// An item that an agent gave back was evaluated.
    fn verdict(&self, judged: Judged);
    /// Something happened to a conversation; `event` is one of
    /// [`CONVERSATION_EVENTS`](crate::app::telemetry::CONVERSATION_EVENTS).
    fn conversation(&self, event: &'static str);
    /// An agent came by its context: by a message of a [`Pattern`](context::conversation::recipient::Pattern), by
    /// its name, or [`FETCHED`](crate::app::telemetry::FETCHED).
    fn passed(&self, how: &'static str);
    /// So much was kept from an agent; `what` is one of [`WITHHELD`](crate::app::telemetry::WITHHELD).
    fn withheld(&self, what: &'static str, count: usize);
    /// Something was done with a message; `operation` is one of
    /// [`MESSAGE_OPERATIONS`](crate::app::telemetry::MESSAGE_OPERATIONS).
    fn message(&self, operation: &'static str, outcome: Outcome);
    /// A task was worked at for so long, waiting for its turn included, until it ended or waited for its client.
    fn task_seconds(&self, seconds: f64);
}
