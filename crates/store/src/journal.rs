//! The journal as everybody above it sees it: named rows of records, appended by compare-and-set, followed, read and erased.
//!
//! Lacks how it is kept. Invariant: what an append has acknowledged is on disk.

use std::future::Future;
use std::pin::Pin;

use serde::Deserialize;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::sync::watch;

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

impl Head {
    /// Moves past a record.
    pub fn advance(&mut self, record: &Record) {
        if record.kind == Kind::Decision {
            self.decided = record.seq;
        }
        (self.seq, self.at, self.hash) = (record.seq, record.at, record.hash);
    }
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

/// A record byte for byte as it is kept, with what a hash needs where a sealed part was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRecord {
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
        matches!(self, JournalFault::Snapshot { .. } | JournalFault::TornHead(_))
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

/// Digest of a journal's name, a scope and an idempotency key.
pub type KeyDigest = [u8; 16];

/// Use of an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// Sequence of the submission.
    pub submission: u64,
    /// Sequence of the record with its executor's result, once there is one.
    pub executed: Option<u64>,
    /// Moment from which on the row is not needed.
    pub until: At,
}

/// Index of idempotency keys, derived from the journals: which submission used a key.
pub trait KeyIndex: Send + Sync {
    /// Finds a key's last use.
    fn find(&self, digest: &KeyDigest) -> Result<Option<KeyUse>, JournalFault>;

    /// Notes a record, with the key that it used where it used one. Records of one journal are noted in their order.
    fn note(&self, journal: &JournalName, record: &Record, used: Option<(KeyDigest, KeyUse)>);

    /// Sequence of a journal's last record that was noted; 0 for none.
    fn position(&self, journal: &JournalName) -> u64;

    /// Returns whether too much waits in memory to be written.
    fn is_behind(&self) -> bool;

    /// Writes what waits in memory, for a caller that notes faster than the index writes by itself. After a fault it stays there.
    fn write(&self) -> Result<(), JournalFault>;
}

/// A future that a trait object can return.
pub type Promise<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What is answered after the sync; a refusal may come at once.
pub type Answer<T> = Result<oneshot::Receiver<Result<T, JournalFault>>, JournalFault>;

/// Journals in one store. Appends of one journal are ordered; what was acknowledged is on disk.
pub trait Journal: Send + Sync {
    /// Queues an append; the receiver answers after the sync. With `decided`, the append happens only if the journal's
    /// last decision is at that sequence. All drafts of one append are committed together, or none.
    ///
    /// # Errors
    /// [`JournalFault::Busy`], [`JournalFault::TooLarge`] or [`JournalFault::Closed`] at once; the rest by the receiver.
    fn append(&self, journal: &JournalName, drafts: Vec<Draft>, decided: Option<u64>) -> Answer<Appended>;

    /// Erases sealed parts for good. Open parts, hashes and places stay, so that everything else is read as before. The
    /// receiver answers after the sync.
    fn erase(&self, journal: &JournalName, erasure: Erasure) -> Answer<Erased>;

    /// Takes what was erased from the disk as well, where the store keeps it in its files; readers wait meanwhile.
    fn purge(&self) -> Answer<Erased>;

    /// The end of a journal; an unknown one is empty.
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
    /// Names the first damaged record.
    fn raw_records(&self, journal: &JournalName, from: u64, bytes_max: usize) -> Result<Vec<RawRecord>, JournalFault>;

    /// All journals, sorted.
    fn journals(&self) -> Result<Vec<JournalName>, JournalFault> {
        Ok(self.heads()?.into_iter().map(|(name, _)| name).collect())
    }

    /// The ends of all journals, as they are at one moment between two commits, sorted by name.
    fn heads(&self) -> Result<Vec<(JournalName, Head)>, JournalFault>;

    /// Follows what is committed from now on. One tail a journal; a new one replaces the old one.
    fn follow(&self, journal: &JournalName, capacity: usize) -> Tail;

    /// Keeps a snapshot: written, synced, renamed, its folder synced; older ones but one are removed.
    fn keep_snapshot(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault>;

    /// The newest snapshot that is whole; damaged ones are passed over, since the journal holds everything.
    fn snapshot(&self, journal: &JournalName) -> Result<Option<Snapshot>, JournalFault>;

    /// Index of the idempotency keys that records used. It may lag behind the journals: their reader notes what is missing.
    fn key_index(&self) -> &dyn KeyIndex;

    /// Why no append is taken now; `None` while they are. [`JournalFault::DiskFull`] passes by itself when there is room;
    /// anything else stays until the store is opened again.
    fn broken(&self) -> Option<JournalFault>;

    /// Bytes free where the store writes; `None` where that means nothing.
    fn free_bytes(&self) -> Option<u64>;

    /// Commits what is queued, syncs, and refuses from then on.
    fn close(&self);
}
