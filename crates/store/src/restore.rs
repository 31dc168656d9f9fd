//! Restoring: a backup becomes the data folder that it was made of.
//!
//! Everything is written into `restoring/` within the folder, checked as `verify` checks, and moved up by two renames, the
//! store last. Invariant: whenever this is cut short, the folder is no data folder: while `restoring/` is there nothing is
//! opened beside it ([`super::restoring::mend`]), and the next restore clears it away. What was in the folder before is never touched: it
//! must have been empty.

use std::collections::BTreeMap;
use std::io;
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::Verification;

use super::backup;
use super::backup::BackupFault;
use super::backup::Contents;
use super::backup::Sink;
use super::backup::Stretch;
use super::fault;
use super::frame;
use super::frame::Header;
use super::frame::Row;
use super::heads::Heads;
use super::heads::Sealed;
use super::lock::Lock;
use super::modes;
use super::restoring::aside;
use super::table::Table;
use super::table::sync_folder;
use super::verify;

/// Bytes of memory in which sled keeps what it wrote last.
const CACHE_BYTES: u64 = 64 << 20;

/// Why a folder was not restored. It is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum RestoreFault {
    /// There is something in the folder.
    #[error("{0}")]
    NotEmpty(String),
    #[error("{0}")]
    Backup(BackupFault),
    #[error("{0}")]
    Store(JournalFault),
    /// What was written is not whole; nothing of it was kept.
    #[error("what was written is not whole: {0}")]
    NotWhole(String),
}

impl From<JournalFault> for RestoreFault {
    fn from(fault: JournalFault) -> RestoreFault {
        RestoreFault::Store(fault)
    }
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
    let io = |error: io::Error| RestoreFault::Store(fault::of_io(&error, folder));
    let was_there = folder.try_exists().map_err(io)?;
    if was_there {
        look(folder)?;
    }
    // A new folder is its owner's alone, as the backup is.
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(folder).map_err(io)?;
    let had_lock = folder.join("LOCK").exists();
    let lock = Lock::take(folder)?;
    // Somebody may have begun between the first look and the lock.
    look(folder)?;
    let outcome = write(source, folder, progress);
    if outcome.is_err() {
        let _ = clear(folder);
        if !had_lock {
            let _ = std::fs::remove_file(folder.join("LOCK"));
        }
        if !was_there {
            // Only if it is empty.
            let _ = std::fs::remove_dir(folder);
        }
    } else {
        modes::tighten(folder, &[]);
    }
    drop(lock);
    outcome
}

/// Whether there is nothing in a folder but what an earlier restore left.
fn look(folder: &Path) -> Result<(), RestoreFault> {
    let io = |error: io::Error| RestoreFault::Store(fault::of_io(&error, folder));
    let interrupted = aside(folder).exists();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let name = entry.map_err(io)?.file_name();
        // A volume of its own comes with lost+found.
        let ours = matches!(name.to_str(), Some("LOCK" | "restoring" | "lost+found"));
        let left = interrupted && name == "heads";
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
fn clear(folder: &Path) -> Result<(), JournalFault> {
    let aside = aside(folder);
    let io = |error: io::Error| fault::of_io(&error, &aside);
    if !aside.exists() {
        return Ok(());
    }
    let heads = folder.join("heads");
    if heads.exists() {
        std::fs::remove_file(&heads).map_err(io)?;
    }
    std::fs::remove_dir_all(&aside).map_err(io)
}

fn write(
    source: &mut dyn Read,
    folder: &Path,
    progress: &dyn Fn(u64, u64),
) -> Result<(Contents, Verification), RestoreFault> {
    clear(folder)?;
    let aside = aside(folder);
    let io = |error: io::Error| RestoreFault::Store(fault::of_io(&error, &aside));
    std::fs::create_dir(&aside).map_err(io)?;
    sync_folder(folder)?;
    let contents = {
        let mut writing = Writing::into(&aside)?;
        let contents = backup::read(source, &mut writing, progress)?;
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
    // The heads without a store say that the store is missing; the store makes it whole.
    std::fs::rename(aside.join("heads"), folder.join("heads")).map_err(io)?;
    std::fs::rename(aside.join("sled"), folder.join("sled")).map_err(io)?;
    sync_folder(folder)?;
    std::fs::remove_dir_all(&aside).map_err(io)?;
    sync_folder(folder)?;
    Ok((contents, verification))
}

/// A store that is being written.
struct Writing {
    table: Table,
    heads: Heads,
    /// Where each journal ends so far, and its number.
    ends: BTreeMap<String, (u32, Head)>,
}

impl Writing {
    fn into(folder: &Path) -> Result<Writing, JournalFault> {
        let (heads, _) = Heads::open(&folder.join("heads"), true)?;
        Ok(Writing {
            table: Table::open(&folder.join("sled"), CACHE_BYTES)?,
            heads,
            ends: BTreeMap::new(),
        })
    }

    /// Seals every journal's end.
    fn end(&mut self) -> Result<(), JournalFault> {
        for (name, (number, head)) in &self.ends {
            let sealed = Sealed {
                name: name.clone(),
                seq: head.seq,
                hash: head.hash,
            };
            self.heads.seal(*number, &sealed)?;
        }
        self.heads.sync()
    }
}

impl Sink for Writing {
    fn take(&mut self, stretch: &Stretch<'_>) -> Result<(), JournalFault> {
        let mut rows: Vec<Row> = Vec::new();
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
        let mut before = stretch.before;
        let mut begin = 0;
        let last = stretch.ends.last().map_or(stretch.before, |(_, head)| *head);
        for (end, head) in &stretch.ends {
            // As large as the store's own frames, since a record is read with its whole frame.
            if end - begin < frame::FRAME_BYTES && head.seq < last.seq {
                continue;
            }
            let header = Header {
                decided: before.decided,
                previous: before.hash,
                // Far below 2^32: a part of a backup is bounded.
                records: u32::try_from(head.seq - before.seq).unwrap_or(u32::MAX),
                bytes: 0,
            };
            let bytes = stretch.bytes.get(begin..*end).unwrap_or_default();
            frame::cut(number, before.seq + 1, header, bytes, &mut rows);
            (before, begin) = (*head, *end);
        }
        self.table.commit(rows)?;
        self.ends.insert(stretch.journal.to_owned(), (number, last));
        Ok(())
    }
}
