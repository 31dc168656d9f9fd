//! Compaction: after an erasure, the next start copies what is left into a new file and removes the old one.
//!
//! sled keeps what was overwritten in its file until it needs the room. A marker beside the store says that there is
//! something in it that should be gone. A start compacts when it opens the folder, and once more where it erased something itself
//! that the process before it had left to be erased. Invariant: whenever this is cut short, either the old file or the new one is whole
//! and in its place, or comes to it at the next start; the marker goes last.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::path::PathBuf;

use crate::journal::JournalFault;

use super::fault;
use super::frame::Row;
use super::table::Table;
use super::table::sync_folder;

/// Bytes of rows that are copied with one sync.
const BATCH_BYTES: usize = 1 << 20;

fn marker(folder: &Path) -> PathBuf {
    folder.join("compact")
}

/// Whether something was erased that the files may still hold.
pub fn is_marked(folder: &Path) -> bool {
    marker(folder).exists()
}

/// Marks the folder, durably.
///
/// # Errors
/// When the marker cannot be written.
pub fn mark(folder: &Path) -> Result<(), JournalFault> {
    let path = marker(folder);
    if path.exists() {
        return Ok(());
    }
    File::create(&path)
        .and_then(|file| file.sync_all())
        .map_err(|error| fault::of_io(&error, &path))?;
    sync_folder(folder)
}

/// Puts back in its place what a compaction that was cut short left aside.
///
/// # Errors
/// When the file system fails.
pub fn mend(folder: &Path) -> Result<(), JournalFault> {
    let io = |error: io::Error| fault::of_io(&error, folder);
    let (rows, new, old) = (folder.join("sled"), folder.join("sled.new"), folder.join("sled.old"));
    if old.exists() && !rows.exists() {
        // It was cut short between two renames: the old one is whole, whatever became of the new one.
        std::fs::rename(&old, &rows).map_err(io)?;
        sync_folder(folder)?;
    }
    for rest in [&new, &old] {
        if rest.exists() {
            std::fs::remove_dir_all(rest).map_err(io)?;
        }
    }
    Ok(())
}

/// Compacts a marked folder that is ours and not open. Where the disk has no room for a copy it stays as it is, marked.
///
/// # Errors
/// When the file system or sled fails; the old file is whole then.
pub fn compact(folder: &Path, cache_bytes: u64) -> Result<(), JournalFault> {
    let (rows, new, old) = (folder.join("sled"), folder.join("sled.new"), folder.join("sled.old"));
    if !is_marked(folder) || !rows.join("db").exists() {
        return Ok(());
    }
    let io = |error: io::Error| fault::of_io(&error, folder);
    let needed = std::fs::metadata(rows.join("db")).map_err(io)?.len();
    if fs2::available_space(folder).is_ok_and(|free| free < needed.saturating_mul(2)) {
        tracing::warn!(
            needed,
            "no room to copy the store: what was erased stays in its file until there is"
        );
        return Ok(());
    }
    {
        let from = Table::open(&rows, cache_bytes)?;
        let to = Table::open(&new, cache_bytes)?;
        copy(&from, &to)?;
    }
    std::fs::rename(&rows, &old).map_err(io)?;
    std::fs::rename(&new, &rows).map_err(io)?;
    sync_folder(folder)?;
    std::fs::remove_dir_all(&old).map_err(io)?;
    std::fs::remove_file(marker(folder)).map_err(io)?;
    sync_folder(folder)?;
    tracing::info!("the store was copied without what had been erased");
    Ok(())
}

fn copy(from: &Table, to: &Table) -> Result<(), JournalFault> {
    let mut batch: Vec<Row> = Vec::new();
    let mut bytes = 0;
    let mut outcome = Ok(());
    from.rows(&[], &[u8::MAX; 16], &mut |key, value| {
        bytes += key.len() + value.len();
        batch.push((key.to_vec(), value.to_vec()));
        if bytes >= BATCH_BYTES {
            bytes = 0;
            outcome = to.commit(std::mem::take(&mut batch));
        }
        if outcome.is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    outcome?;
    to.commit(batch)
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::compact;
    use super::mark;
    use super::mend;

    fn holds(folder: &std::path::Path, key: &[u8]) -> bool {
        let table = Table::open(&folder.join("sled"), 1 << 20).expect("opened");
        let mut found = false;
        table
            .rows(&[], &[255; 16], &mut |own, _| {
                found |= own == key;
                std::ops::ControlFlow::Continue(())
            })
            .expect("read");
        found
    }

    #[test]
    fn a_marked_store_is_copied_once_without_what_was_overwritten_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let rows = folder.path().join("sled");
        {
            let table = Table::open(&rows, 1 << 20).expect("opened");
            table
                .commit(vec![
                    (vec![1], b"a text of somebody".to_vec()),
                    (vec![2], vec![7; 5_000]),
                ])
                .expect("written");
            table
                .replace(vec![(vec![1], b"nothing".to_vec())], vec![])
                .expect("replaced");
        }
        let text = |folder: &std::path::Path| {
            let bytes = std::fs::read(folder.join("sled/db")).expect("a file");
            bytes.windows(18).any(|text| text == b"a text of somebody")
        };
        compact(folder.path(), 1 << 20).expect("not marked");
        assert!(text(folder.path()), "sled keeps what was overwritten");
        mark(folder.path()).expect("marked");
        compact(folder.path(), 1 << 20).expect("compacted");
        assert!(!text(folder.path()));
        assert!(holds(folder.path(), &[1]) && holds(folder.path(), &[2]));
        assert!(!folder.path().join("compact").exists() && !folder.path().join("sled.old").exists());
    }

    #[test]
    fn whenever_it_is_cut_short_one_whole_store_is_in_its_place_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let rows = folder.path().join("sled");
        Table::open(&rows, 1 << 20)
            .expect("opened")
            .commit(vec![(vec![1], vec![1])])
            .expect("written");
        // Before the first rename, the new one half written.
        std::fs::create_dir(folder.path().join("sled.new")).expect("made");
        mend(folder.path()).expect("mended");
        assert!(!folder.path().join("sled.new").exists() && holds(folder.path(), &[1]));
        // Between the two renames.
        std::fs::create_dir(folder.path().join("sled.new")).expect("made");
        std::fs::rename(&rows, folder.path().join("sled.old")).expect("renamed");
        mend(folder.path()).expect("mended");
        assert!(holds(folder.path(), &[1]));
        // After both, the old one still there.
        std::fs::create_dir(folder.path().join("sled.old")).expect("made");
        mend(folder.path()).expect("mended");
        assert!(holds(folder.path(), &[1]) && !folder.path().join("sled.old").exists());
    }
}
