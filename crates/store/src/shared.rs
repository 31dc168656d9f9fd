//! What the committer and those who read have in common: where journals end, the table, who follows, why nothing is committed.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::RwLock;
use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use crate::followers::Followers;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::recovery::Known;
use crate::space::Space;
use crate::table::Table;
use crate::watchdog::Watchdog;

/// What the committer and those who read have in common.
#[derive(Debug)]
pub struct Shared {
    /// Where each journal is and where its committed part ends.
    pub journals: RwLock<BTreeMap<JournalName, Known>>,
    /// `None` once the store is closed.
    pub table: RwLock<Option<Table>>,
    pub followers: Followers,
    /// Why nothing is committed: a full disk until it has room and the folder was opened anew, anything else for good.
    pub broken: RwLock<Option<JournalFault>>,
    pub space: Space,
    pub watchdog: Watchdog,
}

/// The pause between two looks at a committer that is to end, and the longest one between two of the watchdog's.
pub const PAUSE: Duration = Duration::from_millis(5);
const LOOK: Duration = Duration::from_secs(1);

impl Shared {
    /// Why nothing is committed.
    pub fn broken(&self) -> Option<JournalFault> {
        if self.watchdog.gave_up() {
            return Some(self.watchdog.fault());
        }
        self.broken.read().unwrap_or_else(PoisonError::into_inner).clone()
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
