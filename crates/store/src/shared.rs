//! What the committer and those who read have in common: where journals end, their rows, who follows, what is owed to whom,
//! why nothing is committed.
//!
//! An engine can wait for ever for a write that the disk cut short, and a sync can hang with the disk. So the answers that are owed
//! lie here and not with the committer, and a watchdog gives them without it. Invariant: each is given once; once the store is given
//! up nothing waits, and nothing is taken any more by this process: whether what was under way is on disk is known only after the
//! next start, which checks everything.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use std::time::Instant;

use parking_lot::Mutex;
use parking_lot::RwLock;
use tokio::sync::oneshot;

use crate::fault;
use crate::followers::Followers;
use crate::journal::Appended;
use crate::journal::Erased;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::kv::Batch;
use crate::kv::Kv;
use crate::options::BeforeSync;
use crate::recovery::Known;
use crate::space::Space;

/// The pause between two looks at a committer that is to end, and the longest one between two of the watchdog's.
pub const PAUSE: Duration = Duration::from_millis(5);
const LOOK: Duration = Duration::from_secs(1);

/// What the committer and those who read have in common.
pub struct Shared {
    /// Where each journal is and where its committed part ends.
    pub journals: RwLock<BTreeMap<JournalName, Known>>,
    /// `None` once the store is closed.
    pub rows: RwLock<Option<Box<dyn Kv>>>,
    pub before_sync: Option<BeforeSync>,
    pub followers: Followers,
    /// Why nothing is committed: a full disk until it has room and the folder was opened anew, anything else for good.
    pub broken: RwLock<Option<JournalFault>>,
    pub space: Space,
    /// After how long without a sign of the committer the store is given up.
    pub patience: Duration,
    pub watched: Mutex<Watched>,
}

/// What the watchdog looks at.
#[derive(Debug, Default)]
pub struct Watched {
    /// Since when the committer is at what it is at.
    since: Option<Instant>,
    owed: BTreeMap<Ticket, Owed>,
    tickets: u64,
    gave_up: bool,
}

/// Under which an answer is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// An answer that is owed. Whoever asked may have gone; what was committed stays.
#[derive(Debug)]
pub enum Owed {
    Append(oneshot::Sender<Result<Appended, JournalFault>>),
    Erase(oneshot::Sender<Result<Erased, JournalFault>>),
}

impl Shared {
    /// Reads or writes rows; those who read do not wait for each other, nor for the disk.
    ///
    /// # Errors
    /// [`JournalFault::Closed`] once the store is closed, and as `act`.
    pub fn with_rows<T>(&self, act: impl FnOnce(&dyn Kv) -> Result<T, JournalFault>) -> Result<T, JournalFault> {
        let rows = self.rows.read();
        act(rows.as_deref().ok_or(JournalFault::Closed)?)
    }

    /// Puts a batch in the place of rows that are there: nobody reads a frame of which some are old and some new.
    pub fn replace(&self, batch: Batch) -> Result<(), JournalFault> {
        let rows = self.rows.write();
        rows.as_deref().ok_or(JournalFault::Closed)?.apply(batch)
    }

    /// Makes everything durable that was applied.
    pub fn sync(&self) -> Result<(), JournalFault> {
        if let Some(ask) = &self.before_sync {
            ask().map_err(|error| fault::from_io(&error, Path::new("the store")))?;
        }
        self.with_rows(|rows| rows.sync())
    }

    /// Why nothing is committed.
    pub fn broken(&self) -> Option<JournalFault> {
        if self.gave_up() {
            return Some(self.stalled());
        }
        self.broken.read().clone()
    }

    /// Takes over an answer that is owed.
    ///
    /// # Errors
    /// [`JournalFault::Stalled`] once the store is given up.
    pub fn owe(&self, owed: Owed) -> Result<Ticket, JournalFault> {
        let mut watched = self.watched.lock();
        if watched.gave_up {
            return Err(self.stalled());
        }
        watched.tickets += 1;
        let ticket = Ticket(watched.tickets);
        watched.owed.insert(ticket, owed);
        Ok(ticket)
    }

    /// Gives back what is owed; nothing where it was answered already.
    pub fn take(&self, ticket: Ticket) -> Option<Owed> {
        self.watched.lock().owed.remove(&ticket)
    }

    /// Answers an append.
    pub fn appended(&self, ticket: Ticket, answer: Result<Appended, JournalFault>) {
        if let Some(Owed::Append(reply)) = self.take(ticket) {
            let _ = reply.send(answer);
        }
    }

    /// Answers an erasure.
    pub fn erased(&self, ticket: Ticket, answer: Result<Erased, JournalFault>) {
        if let Some(Owed::Erase(reply)) = self.take(ticket) {
            let _ = reply.send(answer);
        }
    }

    /// The committer begins something that must come to an end.
    pub fn begin(&self) {
        self.watched.lock().since = Some(Instant::now());
    }

    /// It did.
    pub fn end(&self) {
        self.watched.lock().since = None;
    }

    /// Whether the store is given up.
    pub fn gave_up(&self) -> bool {
        self.watched.lock().gave_up
    }

    /// Looks after the committer until the store is closed.
    pub fn watch(&self, ended: &mpsc::Receiver<()>) {
        // Ten looks, so that it is noticed at most a tenth too late.
        let pause = (self.patience / 10).clamp(PAUSE, LOOK);
        while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            self.look_after();
        }
    }

    /// Gives the store up where the committer is at one thing for too long, and answers everyone who waits.
    pub fn look_after(&self) {
        let mut watched = self.watched.lock();
        let overdue = watched.since.is_some_and(|since| since.elapsed() >= self.patience);
        if watched.gave_up || !overdue {
            return;
        }
        watched.gave_up = true;
        let fault = self.stalled();
        tracing::error!(%fault, "the store is given up until the next start");
        for owed in std::mem::take(&mut watched.owed).into_values() {
            match owed {
                Owed::Append(reply) => drop(reply.send(Err(fault.clone()))),
                Owed::Erase(reply) => drop(reply.send(Err(fault.clone()))),
            }
        }
    }

    /// Whoever still waits is left without an answer, which is that the store is closed.
    pub fn leave(&self) {
        self.watched.lock().owed.clear();
    }

    fn stalled(&self) -> JournalFault {
        JournalFault::Stalled {
            after_s: self.patience.as_secs(),
        }
    }
}
