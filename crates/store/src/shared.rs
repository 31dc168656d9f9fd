//! What the committer and those who read have in common: where journals end, their rows, who follows, why nothing is committed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use parking_lot::RwLock;

use crate::fault;
use crate::followers::Followers;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::kv::Batch;
use crate::kv::Kv;
use crate::options::BeforeSync;
use crate::recovery::Known;
use crate::space::Space;
use crate::watchdog::Watchdog;

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
    /// `None` of journals that lie in no folder.
    pub space: Option<Space>,
    pub watchdog: Watchdog,
}

/// The pause between two looks at a committer that is to end, and the longest one between two of the watchdog's.
pub const PAUSE: Duration = Duration::from_millis(5);
const LOOK: Duration = Duration::from_secs(1);

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
        if self.watchdog.gave_up() {
            return Some(self.watchdog.fault());
        }
        self.broken.read().clone()
    }

    /// Whether there is room for a commit.
    ///
    /// # Errors
    /// [`JournalFault::DiskFull`].
    pub fn check_space(&self) -> Result<(), JournalFault> {
        self.space.as_ref().map_or(Ok(()), Space::check)
    }

    /// Looks after the committer until the store is closed.
    pub fn watch(&self, ended: &mpsc::Receiver<()>) {
        // Ten looks, so that it is noticed at most a tenth too late.
        let pause = (self.watchdog.patience() / 10).clamp(PAUSE, LOOK);
        while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            self.look_after();
        }
    }

    /// Gives the store up where the committer gives no sign.
    pub fn look_after(&self) {
        if self.watchdog.look() {
            let fault = self.watchdog.fault();
            tracing::error!(%fault, "the store is given up until the next start");
        }
    }
}
