//! The watchdog: a commit that does not come back is noticed, and who waits for it is told.
//!
//! An engine can wait for ever for a write that the disk cut short, and a sync can hang with the disk. The answers that are owed lie
//! here and not with the committer, so that they can be given without it. Invariant: each is given once; once the store
//! is given up nothing waits, and nothing is taken any more by this process: whether what was under way is on disk is known only
//! after the next start, which checks everything.

use std::collections::BTreeMap;
use std::time::Duration;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::journal::Appended;
use crate::journal::Erased;
use crate::journal::JournalFault;

/// An answer that is owed.
#[derive(Debug)]
pub enum Owed {
    Append(oneshot::Sender<Result<Appended, JournalFault>>),
    Erase(oneshot::Sender<Result<Erased, JournalFault>>),
}

/// Under which an answer is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// Watches one committer.
#[derive(Debug)]
pub struct Watchdog {
    patience: Duration,
    watched: Mutex<Watched>,
}

#[derive(Debug, Default)]
struct Watched {
    /// Since when the committer is at what it is at.
    since: Option<Instant>,
    owed: BTreeMap<Ticket, Owed>,
    tickets: u64,
    gave_up: bool,
}

impl Watchdog {
    /// Gives up after this long without a sign of the committer.
    pub fn new(patience: Duration) -> Watchdog {
        Watchdog {
            patience,
            watched: Mutex::default(),
        }
    }

    /// How long is waited.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Why nothing is taken any more.
    pub fn fault(&self) -> JournalFault {
        JournalFault::Stalled {
            after_s: self.patience.as_secs(),
        }
    }

    /// Takes over an answer that is owed.
    ///
    /// # Errors
    /// [`JournalFault::Stalled`] once the store is given up.
    pub fn owe(&self, owed: Owed) -> Result<Ticket, JournalFault> {
        let mut watched = self.watched.lock();
        if watched.gave_up {
            return Err(self.fault());
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
        // Whoever asked may have gone; what was committed stays.
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

    /// Gives the store up where the committer is at one thing for too long, and answers everyone who waits. Whether it is given
    /// up by this.
    pub fn look(&self) -> bool {
        let mut watched = self.watched.lock();
        let overdue = watched.since.is_some_and(|since| since.elapsed() >= self.patience);
        if watched.gave_up || !overdue {
            return false;
        }
        watched.gave_up = true;
        let owed = std::mem::take(&mut watched.owed);
        drop(watched);
        for owed in owed.into_values() {
            match owed {
                Owed::Append(reply) => drop(reply.send(Err(self.fault()))),
                Owed::Erase(reply) => drop(reply.send(Err(self.fault()))),
            }
        }
        true
    }

    /// Whoever still waits is left without an answer, which is that the store is closed.
    pub fn close(&self) {
        self.watched.lock().owed.clear();
    }
}
