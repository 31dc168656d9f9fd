//! Restoring: a backup becomes the data folder that it was made of.
//!
//! Everything is written into `restoring/` within the folder, checked as `verify` checks, and moved up by two renames, the
//! rows last. Invariant: whenever this is cut short, the folder is no data folder: while `restoring/` is there nothing is
//! opened beside it ([`crate::data_folder::end_restore`]), and the next restore clears it away. What was in the folder before is
//! never touched: it must have been empty.

use std::collections::BTreeMap;
use std::io;
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use crate::backup_reader;
use crate::backup_reader::BackupFault;
use crate::backup_reader::Contents;
use crate::backup_reader::Stretch;
use crate::data_folder;
use crate::data_folder::HEADS;
use crate::data_folder::LOCK;
use crate::data_folder::RESTORING;
use crate::engines;
use crate::fault;
use crate::frame;
use crate::heads::Heads;
use crate::heads::Sealed;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::Verification;
use crate::kv::Batch;
use crate::kv::Engine;
use crate::kv::Kv;
use crate::kv::sync_folder;
use crate::lock::Lock;
use crate::options::StoreSettings;
use crate::verify;

/// Why a folder was not restored. It is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum RestoreFault {
    /// There is something in the folder.
    #[error("{0}")]
    NotEmpty(String),
    #[error("{0}")]
    Backup(BackupFault),
    #[error("{0}")]
    Store(#[from] JournalFault),
    /// What was written is not whole; nothing of it was kept.
    #[error("what was written is not whole: {0}")]
    NotWhole(String),
}

impl From<BackupFault> for RestoreFault {
    fn from(fault: BackupFault) -> RestoreFault {
        match fault {
            BackupFault::Store(fault) => RestoreFault::Store(fault),
            fault @ (BackupFault::Damaged(_) | BackupFault::Unreadable(_)) => RestoreFault::Backup(fault),
        }
    }
}

/// Restores a backup into a folder that is empty or missing. `progress` is told how many records of how many were read.
///
/// # Errors
/// Why not; the folder is as it was then.
pub fn restore(
    source: &mut dyn Read,
    folder: &Path,
    progress: &dyn Fn(u64, u64),
) -> Result<(Contents, Verification), RestoreFault> {
    let io = |error: io::Error| fault::from_io(&error, folder);
    let was_there = folder.try_exists().map_err(io)?;
    if was_there {
        check_empty(folder)?;
    }
    // A new folder is its owner's alone, as the backup is.
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(folder).map_err(io)?;
    let had_lock = folder.join(LOCK).exists();
    let lock = Lock::take(folder)?;
    // Somebody may have begun between the first look and the lock.
    check_empty(folder)?;
    let outcome = write(source, folder, progress);
    if outcome.is_err() {
        let _ = clear(folder);
        if !had_lock {
            let _ = std::fs::remove_file(folder.join(LOCK));
        }
        if !was_there {
            // Only if it is empty.
            let _ = std::fs::remove_dir(folder);
        }
    } else {
        data_folder::tighten(folder, &[]);
    }
    drop(lock);
    outcome
}

/// Refuses a folder in which there is anything but what an earlier restore left.
fn check_empty(folder: &Path) -> Result<(), RestoreFault> {
    let io = |error: io::Error| fault::from_io(&error, folder);
    let interrupted = folder.join(RESTORING).exists();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let name = entry.map_err(io)?.file_name();
        // A volume of its own comes with lost+found.
        let ours = [LOCK, RESTORING, "lost+found"].iter().any(|own| name == *own);
        let left = interrupted && name == HEADS;
        if !(ours || left) {
            return Err(RestoreFault::NotEmpty(format!(
                "{} is not empty: it holds {}; a backup is restored into an empty or a new folder",
                folder.display(),
                name.to_string_lossy()
            )));
        }
    }
    Ok(())
}

/// Removes what a restore left that did not come to its end.
fn clear(folder: &Path) -> io::Result<()> {
    let (aside, heads) = (folder.join(RESTORING), folder.join(HEADS));
    if !aside.exists() {
        return Ok(());
    }
    if heads.exists() {
        std::fs::remove_file(&heads)?;
    }
    std::fs::remove_dir_all(&aside)
}

fn write(
    source: &mut dyn Read,
    folder: &Path,
    progress: &dyn Fn(u64, u64),
) -> Result<(Contents, Verification), RestoreFault> {
    let aside = folder.join(RESTORING);
    let io = |error: io::Error| fault::from_io(&error, &aside);
    clear(folder).map_err(io)?;
    std::fs::create_dir(&aside).map_err(io)?;
    sync_folder(folder)?;
    let engine = engines::DEFAULT;
    let contents = {
        let mut writing = Writing::into(&aside, engine)?;
        let contents = backup_reader::read(source, &mut |stretch| writing.take(stretch), progress)?;
        writing.end()?;
        contents
    };
    let verification = verify::verify(&aside, &|_, _| {})?;
    if let Some(fault) = verification.faults.first() {
        return Err(RestoreFault::NotWhole(fault.to_string()));
    }
    if (verification.journals, verification.records) != (contents.journals, contents.records) {
        return Err(RestoreFault::NotWhole(format!(
            "{} of {} records",
            verification.records, contents.records
        )));
    }
    // The heads without rows say that the rows are missing; the rows make the store whole.
    for name in [HEADS, engine.folder] {
        std::fs::rename(aside.join(name), folder.join(name)).map_err(io)?;
    }
    sync_folder(folder)?;
    std::fs::remove_dir_all(&aside).map_err(io)?;
    sync_folder(folder)?;
    Ok((contents, verification))
}

/// A store that is being written.
struct Writing {
    rows: Box<dyn Kv>,
    heads: Heads,
    /// Where each journal ends so far, and its number.
    ends: BTreeMap<String, (u32, Head)>,
}

impl Writing {
    fn into(folder: &Path, engine: &Engine) -> Result<Writing, JournalFault> {
        let (heads, _) = Heads::open(&folder.join(HEADS), true)?;
        let cache_bytes = StoreSettings::default().cache_bytes;
        Ok(Writing {
            rows: (engine.open)(&folder.join(engine.folder), cache_bytes)?,
            heads,
            ends: BTreeMap::new(),
        })
    }

    fn take(&mut self, stretch: &Stretch<'_>) -> Result<(), JournalFault> {
        let mut rows = Vec::new();
        let number = match self.ends.get(stretch.journal) {
            Some((number, _)) => *number,
            None => {
                let number = u32::try_from(self.ends.len())
                    .map_err(|_| JournalFault::Store("there are more journals than a store has numbers".to_owned()))?;
                self.heads.announce(number, stretch.journal)?;
                rows.push(frame::name_row(number, stretch.journal));
                number
            }
        };
        frame::rows(number, stretch.before, stretch.bytes, &stretch.ends, &mut rows);
        self.rows.apply(Batch::put(rows))?;
        self.rows.sync()?;
        let last = stretch.ends.last().map_or(stretch.before, |(_, head)| *head);
        self.ends.insert(stretch.journal.to_owned(), (number, last));
        Ok(())
    }

    /// Seals every journal's end.
    fn end(&mut self) -> Result<(), JournalFault> {
        for (name, (number, head)) in &self.ends {
            self.heads.seal(*number, &Sealed::at(name, *head))?;
        }
        self.heads.sync()
    }
}
