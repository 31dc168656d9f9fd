//! Restoring: a backup becomes the data folder that it was made of.
//!
//! Everything is written into `restoring/` within the folder, checked as `verify` checks, and moved up by two renames, the
//! rows last. Invariant: whenever this is cut short, the folder is no data folder: while `restoring/` is there nothing is
//! opened beside it ([`crate::data_folder::end_restore`]), and the next restore clears it away. What was in the folder before is
//! never touched: it must have been empty.

use std::collections::BTreeMap;
use std::fs;
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
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::kv::Batch;
use crate::kv::Kv;
use crate::kv::sync_folder;
use crate::lock::Lock;
use crate::options::StoreSettings;
use crate::verify;

/// Restores a backup into a folder that is empty or missing. `progress` is told how many records of how many were read.
pub fn restore(source: &mut dyn Read, folder: &Path, progress: &dyn Fn(u64, u64)) -> Result<Contents, BackupFault> {
    let io = |error: io::Error| fault::from_io(&error, folder);
    let was_there = folder.try_exists().map_err(io)?;
    if was_there {
        check_empty(folder)?;
    }
    // A new folder is its owner's alone, as the backup is.
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(folder).map_err(io)?;
    let had_lock = folder.join(LOCK).exists();
    let lock = Lock::take(folder)?;
    // Somebody may have begun between the first look and the lock.
    check_empty(folder)?;
    let outcome = write(source, folder, progress);
    if outcome.is_ok() {
        data_folder::tighten(folder, &[]);
    } else {
        let _ = clear(folder);
        if !had_lock {
            let _ = fs::remove_file(folder.join(LOCK));
        }
        if !was_there {
            // Only if it is empty.
            let _ = fs::remove_dir(folder);
        }
    }
    drop(lock);
    outcome
}

/// Refuses a folder in which there is anything but what an earlier restore left.
fn check_empty(folder: &Path) -> Result<(), BackupFault> {
    let io = |error: io::Error| fault::from_io(&error, folder);
    let interrupted = folder.join(RESTORING).exists();
    for entry in fs::read_dir(folder).map_err(io)? {
        let name = entry.map_err(io)?.file_name();
        // A volume of its own comes with lost+found.
        let ours = [LOCK, RESTORING, "lost+found"].iter().any(|own| name == *own);
        if !(ours || interrupted && name == HEADS) {
            return Err(BackupFault::NotEmpty(format!(
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
        fs::remove_file(&heads)?;
    }
    fs::remove_dir_all(&aside)
}

fn write(source: &mut dyn Read, folder: &Path, progress: &dyn Fn(u64, u64)) -> Result<Contents, BackupFault> {
    let aside = folder.join(RESTORING);
    let io = |error: io::Error| fault::from_io(&error, &aside);
    clear(folder).map_err(io)?;
    fs::create_dir(&aside).map_err(io)?;
    sync_folder(folder)?;
    let engine = engines::DEFAULT;
    let contents = {
        let mut writing = Writing {
            rows: (engine.open)(&aside.join(engine.folder), StoreSettings::default().cache_bytes)?,
            heads: Heads::open(&aside.join(HEADS), true)?.0,
            ends: BTreeMap::new(),
        };
        let contents = backup_reader::read(source, &mut |stretch| writing.take(stretch), progress)?;
        for (name, (number, head)) in &writing.ends {
            writing.heads.seal(*number, name, *head)?;
        }
        writing.heads.sync()?;
        contents
    };
    let verified = verify::verify(&aside, &|_, _| {})?;
    if let Some(fault) = verified.faults.first() {
        return Err(BackupFault::NotWhole(fault.to_string()));
    }
    if (verified.journals, verified.records) != (contents.journals, contents.records) {
        let what = format!("{} of {} records", verified.records, contents.records);
        return Err(BackupFault::NotWhole(what));
    }
    // The heads without rows say that the rows are missing; the rows make the store whole.
    for name in [HEADS, engine.folder] {
        fs::rename(aside.join(name), folder.join(name)).map_err(io)?;
    }
    sync_folder(folder)?;
    fs::remove_dir_all(&aside).map_err(io)?;
    sync_folder(folder)?;
    Ok(contents)
}

/// A store that is being written.
struct Writing {
    rows: Box<dyn Kv>,
    heads: Heads,
    /// Where each journal ends so far, and its number.
    ends: BTreeMap<String, (u32, Head)>,
}

impl Writing {
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
}
