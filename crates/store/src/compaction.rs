//! Compaction: after an erasure, the next start copies what is left into a new file and removes the old one.
//!
//! An engine keeps what was overwritten in its file until it needs the room. A marker beside the store says that there is
//! something in it that should be gone. A start compacts when it opens the folder, and once more where it erased something itself
//! that the process before it had left to be erased. Invariant: whenever this is cut short, either the old file or the new one is whole
//! and in its place, or comes to it at the next start; the marker goes last.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::data_folder;
use crate::data_folder::COMPACT;
use crate::fault;
use crate::journal::JournalFault;
use crate::kv::Batch;
use crate::kv::Engine;
use crate::kv::Kv;
use crate::kv::sync_folder;
use crate::space;

/// Bytes of rows that are copied with one sync.
const BATCH_BYTES: usize = 1 << 20;

/// Whether something was erased that the files may still hold.
pub fn is_marked(folder: &Path) -> bool {
    folder.join(COMPACT).exists()
}

/// Marks the folder, durably.
pub fn mark(folder: &Path) -> Result<(), JournalFault> {
    let path = folder.join(COMPACT);
    if path.exists() {
        return Ok(());
    }
    File::create(&path)
        .and_then(|file| file.sync_all())
        .map_err(|error| fault::from_io(&error, &path))?;
    sync_folder(folder)
}

/// Puts back in its place what a compaction that was cut short left aside.
pub fn mend(folder: &Path, engine: &Engine) -> Result<(), JournalFault> {
    let io = |error: io::Error| fault::from_io(&error, folder);
    let [rows, new, old] = data_folder::rows(folder, engine);
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
/// When the file system or the engine fails; the old file is whole then.
pub fn compact(folder: &Path, engine: &Engine, cache_bytes: u64) -> Result<(), JournalFault> {
    let [rows, new, old] = data_folder::rows(folder, engine);
    let file = rows.join(engine.file);
    if !is_marked(folder) || !file.exists() {
        return Ok(());
    }
    let io = |error: io::Error| fault::from_io(&error, folder);
    let needed = std::fs::metadata(file).map_err(io)?.len();
    if space::available(folder).is_ok_and(|free| free < needed.saturating_mul(2)) {
        tracing::warn!(
            needed,
            "no room to copy the store: what was erased stays in its file until there is"
        );
        return Ok(());
    }
    {
        let from = (engine.open)(&rows, cache_bytes)?;
        let to = (engine.open)(&new, cache_bytes)?;
        copy(from.as_ref(), to.as_ref())?;
    }
    std::fs::rename(&rows, &old).map_err(io)?;
    std::fs::rename(&new, &rows).map_err(io)?;
    sync_folder(folder)?;
    std::fs::remove_dir_all(&old).map_err(io)?;
    std::fs::remove_file(folder.join(COMPACT)).map_err(io)?;
    sync_folder(folder)?;
    tracing::info!("the store was copied without what had been erased");
    Ok(())
}

fn copy(from: &dyn Kv, to: &dyn Kv) -> Result<(), JournalFault> {
    let (mut rows, mut bytes) = (Vec::new(), 0);
    // No key begins with more than 1.
    for row in from.scan(&[], &[u8::MAX]) {
        let (key, value) = row?;
        bytes += key.len() + value.len();
        rows.push((key, value));
        if bytes >= BATCH_BYTES {
            bytes = 0;
            to.apply(Batch::put(std::mem::take(&mut rows)))?;
            to.sync()?;
        }
    }
    to.apply(Batch::put(rows))?;
    to.sync()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::path::PathBuf;

    use super::mend;
    use crate::engines::DEFAULT;
    use crate::kv::Batch;
    use crate::kv::Kv;

    fn open(folder: &Path) -> Box<dyn Kv> {
        (DEFAULT.open)(&folder.join("sled"), 1 << 20).expect("opened")
    }

    #[test]
    fn whenever_it_is_cut_short_one_whole_store_is_in_its_place_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let [rows, new, old] = ["sled", "sled.new", "sled.old"].map(|name| folder.path().join(name));
        let row = vec![(vec![1], vec![1])];
        open(folder.path()).apply(Batch::put(row)).expect("written");
        let cut_short: [fn(&[PathBuf; 3]); 3] = [
            // Before the first rename, the new one half written; between the two; after both, the old one still there.
            |[_, new, _]| std::fs::create_dir(new).expect("made"),
            |[rows, new, old]| {
                std::fs::create_dir(new).expect("made");
                std::fs::rename(rows, old).expect("renamed");
            },
            |[_, _, old]| std::fs::create_dir(old).expect("made"),
        ];
        for cut in cut_short {
            cut(&[rows.clone(), new.clone(), old.clone()]);
            mend(folder.path(), DEFAULT).expect("mended");
            assert!(!new.exists() && !old.exists());
            let found = open(folder.path()).last_key(&[1], &[1]).expect("read");
            assert!(found.is_some());
        }
    }
}
