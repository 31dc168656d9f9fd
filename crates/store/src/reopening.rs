//! Opening the folder anew after a full disk, or to take what was erased off the disk, by the committer and without a restart.
//!
//! Whoever was answered 507 was told that nothing was recorded. So what lies past the last acknowledged record is removed,
//! everything before it is checked as at a start, and only when every journal ends where it was known to end is anything
//! written again. Readers wait meanwhile.

use std::path::Path;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::Duration;
use std::time::Instant;

use crate::journal::JournalFault;

use super::compaction;
use super::frame;
use super::heads::Heads;
use super::heads::Sealed;
use super::options::StoreSettings;
use super::recovery;
use super::recovery::Known;
use super::recovery::Opened;
use super::shared::Shared;
use super::walk::Walk;

/// Attempts after which the pause grows no more: 32 times the first.
const DOUBLINGS_MAX: u32 = 5;

/// When it is tried next.
#[derive(Debug)]
pub struct Reopening {
    folder: PathBuf,
    due: Option<Instant>,
    attempts: u32,
}

impl Reopening {
    /// Nothing to do for this folder.
    pub fn of(folder: &Path) -> Reopening {
        Reopening {
            folder: folder.to_owned(),
            due: None,
            attempts: 0,
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Tries later: after the pause, twice as long with each attempt.
    pub fn later(&mut self, pause_ms: u64) {
        let pause = pause_ms.saturating_mul(1 << self.attempts.min(DOUBLINGS_MAX));
        self.attempts = self.attempts.saturating_add(1);
        self.due = Some(Instant::now() + Duration::from_millis(pause));
    }

    /// Tries no more.
    pub fn done(&mut self) {
        (self.due, self.attempts) = (None, 0);
    }

    /// Whether it is time.
    pub fn is_due(&self) -> bool {
        self.patience().is_some_and(|patience| patience.is_zero())
    }

    /// Until it is time; `None` when there is nothing to try.
    pub fn patience(&self) -> Option<Duration> {
        self.due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}

/// Opens the folder anew after a full disk, and gives its sealed heads.
///
/// # Errors
/// [`JournalFault::DiskFull`] while there is no room; anything else is for good.
pub fn reopen(shared: &Shared, reopening: &Reopening, settings: &StoreSettings) -> Result<Heads, JournalFault> {
    let longest = std::fs::metadata(reopening.folder.join("sled/db")).map_or(0, |file| file.len());
    shared.space.probe(longest)?;
    anew(shared, &reopening.folder, settings, false)
}

/// Opens the folder anew, copied without what was erased where `compact` says so, and gives its sealed heads.
///
/// # Errors
/// As [`reopen`].
pub fn anew(shared: &Shared, folder: &Path, settings: &StoreSettings, compact: bool) -> Result<Heads, JournalFault> {
    let mut table = shared.table.write().unwrap_or_else(PoisonError::into_inner);
    // sled lets go of its files first.
    drop(table.take());
    if compact {
        compaction::mend(folder)?;
        compaction::compact(folder, settings.cache_bytes)?;
    }
    let mut opened = recovery::open_held(folder, settings)?;
    let journals = shared.journals.read().unwrap_or_else(PoisonError::into_inner);
    let known: Vec<(&str, Known)> = journals.iter().map(|(name, known)| (name.0.as_str(), *known)).collect();
    remove_unacknowledged(&opened, &known)?;
    let found = recovery::recover(&opened)?;
    for (name, known) in &known {
        if found.get(*name) != Some(known) {
            return Err(JournalFault::Truncated {
                journal: (*name).to_owned(),
                sealed: known.head.seq,
                found: found.get(*name).map_or(0, |found| found.head.seq),
            });
        }
    }
    opened.heads.mend(&opened.standing)?;
    for (name, Known { number, head }) in known {
        let sealed = Sealed {
            name: name.to_owned(),
            seq: head.seq,
            hash: head.hash,
        };
        opened.heads.seal(number, &sealed)?;
    }
    opened.heads.sync()?;
    *table = Some(opened.table);
    Ok(opened.heads)
}

/// Removes every row past the end of each journal, and the journals whose first append was not acknowledged.
fn remove_unacknowledged(opened: &Opened, known: &[(&str, Known)]) -> Result<(), JournalFault> {
    let mut keys = Vec::new();
    for (_, Known { number, head }) in known {
        let walk = Walk {
            table: &opened.table,
            journal: *number,
        };
        keys.extend(walk.keys(head.seq.saturating_add(1))?);
    }
    for number in recovery::names(opened)?.names.into_keys() {
        if known.iter().all(|(_, known)| known.number != number) {
            let walk = Walk {
                table: &opened.table,
                journal: number,
            };
            keys.extend(walk.keys(0)?);
            keys.push(frame::name_key(number).to_vec());
        }
    }
    if keys.is_empty() {
        return Ok(());
    }
    tracing::warn!(
        rows = keys.len(),
        "what the full disk cut short was never acknowledged; it is removed"
    );
    opened.table.remove(keys)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::Reopening;

    #[test]
    fn the_pause_doubles_up_to_a_bound_and_begins_anew_after_success() {
        let mut reopening = Reopening::of(Path::new("data"));
        assert_eq!((reopening.patience(), reopening.is_due()), (None, false));
        for seconds in [100, 200, 400, 800, 1_600, 3_200, 3_200] {
            reopening.later(100_000);
            let patience = reopening.patience().expect("due later");
            let whole = Duration::from_secs(seconds);
            assert!(
                patience <= whole && patience > whole - Duration::from_secs(5),
                "{patience:?}"
            );
        }
        reopening.done();
        assert_eq!(reopening.patience(), None);
        reopening.later(0);
        assert!(reopening.is_due());
    }
}
