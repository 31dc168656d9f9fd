//! What the service needs of the world, as traits: a journal, an embedder, a clock, an observer; and a language model and
//! an executor, which it can do without.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::sync::watch;

use crate::service::telemetry::Change;
use crate::service::telemetry::Fate;
use crate::service::telemetry::Outcome;
use crate::service::telemetry::ReaderOutcome;
use crate::service::telemetry::conversations::Talk;
use crate::service::telemetry::conversations::Withheld;
use crate::service::telemetry::task_contexts::WorkStep;
use context::conversation::summary::Method;
use context::task::phase::Phase;
use context::work::evaluation::Judged;
use engine::evolution::question::Question;
use engine::evolution::question::Use;
use engine::namespace::webhook::WebhookId;
use engine::pool::heads::Heads;
use engine::pool::look::LINK;
use engine::pool::vector::Vector;
use engine::scenario::execution::Ending;
use schema::defect::Defect;
use schema::executor::ExecutorSpec;
use schema::name::ScenarioKey;
use schema::time::At;

/// A journal's name: `namespace/default` or `scenario/default/flight_booking`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JournalName(pub String);

/// The namespace of the default server agent.
const NAMESPACE: &str = "default";

impl JournalName {
    /// The namespace's own journal.
    pub fn namespace() -> JournalName {
        JournalName::of_facts("namespace")
    }

    /// A scenario's journal.
    pub fn scenario(key: &ScenarioKey) -> JournalName {
        JournalName(format!("scenario/{NAMESPACE}/{key}"))
    }

    /// The journal of all facts of one kind.
    pub fn of_facts(kind: &str) -> JournalName {
        JournalName(format!("{kind}/{NAMESPACE}"))
    }
}

/// Whether a record is a fact (appended without looking) or a decision (appended by compare-and-set).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Fact,
    Decision,
}

/// A record that is to be appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub kind: Kind,
    /// When it happened; the store moves it forward to the journal's last moment if it lies before that.
    pub at: At,
    /// What anyone who may read the journal may read: an event as JSON.
    pub open: Vec<u8>,
    /// What is personal, sealed; may be empty.
    pub sealed: Vec<u8>,
}

/// A record as it stands in a journal. Sequences begin at 1 and have no gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub seq: u64,
    pub at: At,
    pub kind: Kind,
    pub open: Vec<u8>,
    /// Empty where it was erased.
    pub sealed: Vec<u8>,
    /// Whether there was a sealed part that was erased.
    pub erased: bool,
    /// SHA-256 over the previous record's hash and everything above but `erased`; of the sealed part its own SHA-256.
    pub hash: [u8; 32],
}

/// The end of a journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// 0 for an empty journal.
    pub seq: u64,
    pub at: At,
    pub hash: [u8; 32],
    /// Sequence of the last decision; 0 if there was none.
    pub decided: u64,
}

/// Where the drafts of one append came to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    pub first_seq: u64,
    /// The moment that the store gave the last of them.
    pub at: At,
}

/// Which sealed parts are to be erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erasure {
    /// First and last sequence, both included.
    pub from: u64,
    pub through: u64,
    /// Of records that happened before this.
    pub before: At,
    /// Records looked at before it is answered, so that appends need not wait long; some more where they lie together.
    pub records_max: usize,
}

/// What an erasure did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// Up to which record it came; one before `from` where it found none that was old enough.
    pub through: u64,
    /// Records whose sealed part is gone by it.
    pub records: u64,
}

/// A record byte for byte as the store keeps it, with what a hash needs where a sealed part was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verbatim {
    pub seq: u64,
    /// Whether there was a sealed part that was erased.
    pub erased: bool,
    pub bytes: Vec<u8>,
}

/// A shortcut: state as it was after a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub seq: u64,
    pub hash: [u8; 32],
    pub state: Vec<u8>,
}

/// Why the journal did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalFault {
    #[error("the journal's queue is full")]
    Busy,
    #[error("another decision came first: expected the last one at {expected}, it is at {found}")]
    Moved { expected: u64, found: u64 },
    #[error("a record of {bytes} bytes is over the limit of {limit}")]
    TooLarge { bytes: usize, limit: usize },
    #[error("the disk is full: {0}")]
    DiskFull(String),
    #[error("journal {journal}: record {seq} is damaged: {what}")]
    Damaged { journal: String, seq: u64, what: String },
    #[error("journal {journal}: its end is missing: the sealed head is at {sealed}, the journal ends at {found}")]
    Truncated { journal: String, sealed: u64, found: u64 },
    /// A whole snapshot says that there was more.
    #[error(
        "journal {journal}: its end is missing: a whole snapshot beside it was taken of record {snapshot}, the journal ends at \
         {found}; records were lost, or an older store was put beside newer snapshots"
    )]
    Behind { journal: String, snapshot: u64, found: u64 },
    /// A snapshot is a shortcut: what is wrong with one costs a start some time and nothing else.
    #[error(
        "journal {journal}: the snapshot of record {seq} is of no use: {what}; nothing is lost: a start passes it over and \
         reads the journal instead"
    )]
    Snapshot { journal: String, seq: u64, what: String },
    /// A slot of the sealed heads is torn, and no journal is the worse for it.
    #[error("{0}")]
    TornHead(String),
    /// Another process has the folder.
    #[error("{0}")]
    InUse(String),
    /// A commit did not come back. Whether what was under way is on disk is known only after the next start.
    #[error(
        "the store has not answered for {after_s} s (store.stall_s): the disk hangs, or a write was cut short; start the \
         service again, which checks what is on disk"
    )]
    Stalled { after_s: u64 },
    #[error("the store failed: {0}")]
    Store(String),
    #[error("the store is closed")]
    Closed,
}

impl JournalFault {
    /// Whether a start makes it whole, or goes past it without losing anything that was acknowledged (Z-167).
    pub fn is_mended_by_a_start(&self) -> bool {
        match self {
            JournalFault::Snapshot { .. } | JournalFault::TornHead(_) => true,
            JournalFault::Busy
            | JournalFault::Moved { .. }
            | JournalFault::TooLarge { .. }
            | JournalFault::DiskFull(_)
            | JournalFault::Damaged { .. }
            | JournalFault::Truncated { .. }
            | JournalFault::Behind { .. }
            | JournalFault::InUse(_)
            | JournalFault::Stalled { .. }
            | JournalFault::Store(_)
            | JournalFault::Closed => false,
        }
    }
}

/// Committed records of one journal, in order. A full channel drops records; a gap in the sequence tells, and what is
/// missing is read back.
#[derive(Debug)]
pub struct Tail {
    pub records: mpsc::Receiver<Record>,
    /// Sequence of the last committed record.
    pub head: watch::Receiver<u64>,
}

/// What `verify` found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    pub journals: u64,
    pub records: u64,
    pub snapshots: u64,
    /// Records whose sealed part was erased, as retention asks.
    pub erased: u64,
    /// Everything that is wrong; empty when all is well.
    pub faults: Vec<JournalFault>,
}

/// A future that a trait object can return.
pub type Promise<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Journals in one store. Appends of one journal are ordered; what was acknowledged is on disk.
pub trait Journal: Send + Sync {
    /// Queues an append; the receiver answers after the sync. With `decided`, the append happens only if the journal's
    /// last decision is at that sequence. All drafts of one append are committed together, or none.
    ///
    /// # Errors
    /// [`JournalFault::Busy`], [`JournalFault::TooLarge`] or [`JournalFault::Closed`] at once; the rest by the receiver.
    fn append(
        &self,
        journal: &JournalName,
        drafts: Vec<Draft>,
        decided: Option<u64>,
    ) -> Result<oneshot::Receiver<Result<Appended, JournalFault>>, JournalFault>;

    /// Erases sealed parts for good. Open parts, hashes and places stay, so that everything else is read as before. The
    /// receiver answers after the sync.
    ///
    /// # Errors
    /// As [`Journal::append`].
    fn erase(
        &self,
        journal: &JournalName,
        erasure: Erasure,
    ) -> Result<oneshot::Receiver<Result<Erased, JournalFault>>, JournalFault>;

    /// Takes what was erased from the disk as well, where the store keeps it in its files; readers wait meanwhile.
    ///
    /// # Errors
    /// As [`Journal::append`].
    fn purge(&self) -> Result<oneshot::Receiver<Result<Erased, JournalFault>>, JournalFault> {
        let (reply, receiver) = oneshot::channel();
        let _ = reply.send(Ok(Erased::default()));
        Ok(receiver)
    }

    /// The end of a journal; an unknown one is empty.
    ///
    /// # Errors
    /// When the store fails.
    fn head(&self, journal: &JournalName) -> Result<Head, JournalFault>;

    /// Records from `from` on, checked, at most `max`.
    ///
    /// # Errors
    /// Names the first damaged record.
    fn read(&self, journal: &JournalName, from: u64, max: usize) -> Result<Vec<Record>, JournalFault>;

    /// Records from `from` on, checked, byte for byte as they are kept: whole commits, until there are `bytes_max` bytes.
    /// At least one commit where there is a record.
    ///
    /// # Errors
    /// Names the first damaged record; [`JournalFault::Store`] of a store that keeps no bytes.
    fn verbatim(&self, _journal: &JournalName, _from: u64, _bytes_max: usize) -> Result<Vec<Verbatim>, JournalFault> {
        Err(JournalFault::Store(
            "journals that lie nowhere cannot be copied".to_owned(),
        ))
    }

    /// All journals, sorted.
    ///
    /// # Errors
    /// When the store fails.
    fn journals(&self) -> Result<Vec<JournalName>, JournalFault>;

    /// The ends of all journals, sorted by name. A store that can gives those of one moment. This looks from the last name
    /// to the first: the namespace, which is written before a scenario's journal, is then never behind one.
    ///
    /// # Errors
    /// When the store fails.
    fn heads(&self) -> Result<Vec<(JournalName, Head)>, JournalFault> {
        let mut heads = Vec::new();
        for name in self.journals()?.into_iter().rev() {
            let head = self.head(&name)?;
            heads.push((name, head));
        }
        heads.reverse();
        Ok(heads)
    }

    /// Follows what is committed from now on. One tail a journal; a new one replaces the old one.
    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail;

    /// Keeps a snapshot: written, synced, renamed, its folder synced; older ones but one are removed.
    ///
    /// # Errors
    /// When it could not be kept; the journal is none the worse.
    fn keep_snapshot(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault>;

    /// The newest snapshot that is whole; damaged ones are passed over, since the journal holds everything.
    ///
    /// # Errors
    /// When the store fails.
    fn snapshot(&self, journal: &JournalName) -> Result<Option<Snapshot>, JournalFault>;

    /// Why no append is taken now; `None` while they are. [`JournalFault::DiskFull`] passes by itself when there is room;
    /// anything else stays until the store is opened again.
    fn broken(&self) -> Option<JournalFault>;

    /// Bytes free where the store writes; `None` where that means nothing.
    fn free_bytes(&self) -> Option<u64> {
        None
    }

    /// Commits what is queued, syncs, and refuses from then on.
    fn close(&self);
}

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
}

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
    /// Its idempotency key, the same for every call with this submission.
    pub submission_id: String,
    /// `{"submission_id", "schema_id", "scenario", "revision", "payload", "client"?}`
    pub document: Value,
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
    /// The same at every attempt, and of no other letter.
    pub id: String,
    /// What it is about, such as `patch.staged`.
    pub topic: &'static str,
    /// `None` for one that only tries the webhook.
    pub scenario: Option<ScenarioKey>,
    /// When it happened.
    pub at: At,
    pub data: Value,
}

/// What became of a letter. None of them holds anything that was sent or received.
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

/// Carries letters to webhooks, and notifications to those who asked for a task.
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
    /// `audience` is one of [`AUDIENCES`](crate::service::telemetry::AUDIENCES).
    fn trigger(&self, scenario: &str, audience: &'static str);
    fn change(&self, scenario: &str, change: Change);
    /// A reader answered, or was asked and gave none.
    fn review(&self, scenario: &str, outcome: ReaderOutcome);
    /// Something was done with a session of shared context; `operation` is one of
    /// [`SESSION_OPERATIONS`](crate::service::telemetry::SESSION_OPERATIONS).
    fn context(&self, operation: &'static str, outcome: Outcome, seconds: f64);
    /// A call of an executor ended, its attempts and pauses included.
    fn execution(&self, scenario: &str, ending: Ending, seconds: f64);
    /// A backup was read to its end.
    fn backed_up(&self, at: At);
    /// A task came into a state.
    fn task(&self, phase: Phase);
    /// Something happened to what agents know of tasks.
    fn work(&self, step: WorkStep);
    /// An item that an agent gave back was evaluated.
    fn verdict(&self, judged: Judged);
    /// Something happened to a conversation.
    fn talk(&self, talk: Talk);
    /// A conversation was summarised.
    fn summary(&self, method: Method);
    /// An agent came by its context: by a message of a [`Pattern`](context::conversation::recipient::Pattern), by
    /// its name, or [`FETCHED`](crate::service::telemetry::conversations::FETCHED).
    fn passed(&self, how: &'static str);
    /// So much was kept from an agent.
    fn withheld(&self, what: Withheld, count: usize);
    /// Something was done with a message; `operation` is one of
    /// [`MESSAGE_OPERATIONS`](crate::service::telemetry::conversations::MESSAGE_OPERATIONS).
    fn message(&self, operation: &'static str, outcome: Outcome);
    /// A task was worked at for so long, waiting for its turn included, until it ended or waited for its client.
    fn task_seconds(&self, seconds: f64);
}
