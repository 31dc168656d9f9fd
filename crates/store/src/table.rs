//! sled, held at arm's length: rows in, rows out, one sync a commit, and never a panic that passes on.
//!
//! sled's own `flush` ends in `sync_file_range`, which neither waits for the disk's cache nor writes the file's length;
//! a power cut can undo it. So every commit is followed by `fdatasync` through a descriptor of our own, which also
//! sees a write that failed in the background since the last call. sled's flusher stays off: a sync that failed there
//! would be logged and forgotten.
//!
//! sled writes a snapshot of its own as `snap.….generating` and renames it. Where it was killed, or the disk was full, the half
//! file stays, and sled takes it for a whole one at the next open and calls the folder damaged; so it is removed before.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::journal::JournalFault;

use super::fault;
use super::frame::Row;
use super::options::BeforeSync;

/// Is given a row, key and value, and says whether it wants the next one.
pub type Each<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// Attempts at a folder whose lock sled has not let go of, and the pause between two of them.
const ATTEMPTS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);
/// How long sled may take to close: it writes at most what it holds in its buffers, which are some megabytes.
const CLOSING: Duration = Duration::from_secs(10);

/// One sled tree in one folder.
pub struct Table {
    folder: PathBuf,
    /// `None` only while it is being dropped.
    db: Option<sled::Db>,
    file: File,
    before_sync: Option<BeforeSync>,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Table {
    /// Opens or creates the folder.
    ///
    /// # Errors
    /// When it cannot be opened, or sled finds it damaged.
    pub fn open(folder: &Path, cache_bytes: u64) -> Result<Table, JournalFault> {
        let config = sled::Config::new()
            .path(folder)
            .cache_capacity(cache_bytes)
            .flush_every_ms(None);
        remove_half_made(folder).map_err(|error| fault::of_io(&error, folder))?;
        let db = guarded(folder, || patiently(&config))?;
        let path = folder.join("db");
        let file = File::open(&path).map_err(|error| fault::of_io(&error, &path))?;
        let table = Table {
            folder: folder.to_owned(),
            db: Some(db),
            file,
            before_sync: None,
        };
        // What sled wrote while it recovered becomes durable too, and so do the names of its files.
        table.sync()?;
        sync_folder(folder)?;
        Ok(table)
    }

    /// Asks this before each sync from now on.
    pub fn ask_before_sync(&mut self, before_sync: Option<BeforeSync>) {
        self.before_sync = before_sync;
    }

    /// Writes all rows or none of them, and syncs.
    ///
    /// # Errors
    /// When it failed; whether the rows are there is then known only after opening the folder again.
    pub fn commit(&self, rows: Vec<Row>) -> Result<(), JournalFault> {
        let mut batch = sled::Batch::default();
        for (key, value) in rows {
            batch.insert(key, value);
        }
        self.apply(batch)?;
        self.flush()
    }

    /// Removes all these rows or none of them, and syncs.
    ///
    /// # Errors
    /// As [`Table::commit`].
    pub fn remove(&self, keys: Vec<Vec<u8>>) -> Result<(), JournalFault> {
        let mut batch = sled::Batch::default();
        for key in keys {
            batch.remove(key);
        }
        self.apply(batch)?;
        self.flush()
    }

    /// Writes these rows and removes those, all of it or none, as readers see it; durable after the next [`Table::flush`].
    ///
    /// # Errors
    /// As [`Table::commit`].
    pub fn replace(&self, rows: Vec<Row>, gone: Vec<Vec<u8>>) -> Result<(), JournalFault> {
        let mut batch = sled::Batch::default();
        for (key, value) in rows {
            batch.insert(key, value);
        }
        for key in gone {
            batch.remove(key);
        }
        self.apply(batch)
    }

    /// Gives each row from `from` up to and without `to`, in the order of their keys, until `each` breaks.
    ///
    /// # Errors
    /// When sled fails or finds damage.
    pub fn rows(&self, from: &[u8], to: &[u8], each: &mut Each<'_>) -> Result<(), JournalFault> {
        let db = self.db()?;
        guarded(&self.folder, || {
            for row in db.range(from.to_vec()..to.to_vec()) {
                let (key, value) = row?;
                if each(&key, &value).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The greatest key from `from` to `to`, both included.
    ///
    /// # Errors
    /// When sled fails or finds damage.
    pub fn last_key(&self, from: &[u8], to: &[u8]) -> Result<Option<Vec<u8>>, JournalFault> {
        let db = self.db()?;
        guarded(&self.folder, || {
            db.range(from.to_vec()..=to.to_vec())
                .next_back()
                .transpose()
                .map(|row| row.map(|(key, _)| key.to_vec()))
        })
    }

    fn apply(&self, batch: sled::Batch) -> Result<(), JournalFault> {
        let db = self.db()?;
        guarded(&self.folder, || db.apply_batch(batch))
    }

    /// Makes everything durable that was written.
    ///
    /// # Errors
    /// As [`Table::commit`].
    pub fn flush(&self) -> Result<(), JournalFault> {
        let db = self.db()?;
        guarded(&self.folder, || db.flush().map(|_| ()))?;
        self.sync()
    }

    fn sync(&self) -> Result<(), JournalFault> {
        let asked = self.before_sync.as_ref().map_or(Ok(()), |ask| ask());
        asked
            .and_then(|()| self.file.sync_data())
            .map_err(|error| fault::of_io(&error, &self.folder.join("db")))
    }

    fn db(&self) -> Result<&sled::Db, JournalFault> {
        self.db.as_ref().ok_or(JournalFault::Closed)
    }
}

impl Drop for Table {
    /// sled flushes when it is dropped: it may find damage only then, and after a write that was cut short it may wait for ever.
    /// So a thread of its own drops it, and is left to itself where it does not come back.
    fn drop(&mut self) {
        let Some(db) = self.db.take() else { return };
        let (done, dropped) = mpsc::channel();
        let closing = thread::Builder::new().name("closing".to_owned()).spawn(move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| drop(db)));
            let _ = done.send(outcome.is_ok());
        });
        let folder = self.folder.display();
        match closing.map(|_| dropped.recv_timeout(CLOSING)) {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => tracing::warn!(%folder, "sled gave up while it was closed"),
            Ok(Err(_)) => tracing::error!(%folder, "sled does not come back from being closed; it is left behind"),
            Err(error) => tracing::error!(%folder, %error, "sled was closed without its thread"),
        }
    }
}

/// Makes the names in a folder durable.
///
/// # Errors
/// When the folder cannot be synced.
pub fn sync_folder(folder: &Path) -> Result<(), JournalFault> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| fault::of_io(&error, folder))
}

/// Removes what sled left of a snapshot that it did not bring to its end. The one before it, and the log, hold everything.
fn remove_half_made(folder: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            std::fs::remove_file(&path)?;
            tracing::info!(file = %path.display(), "a start was cut short before; what it left half made is removed");
        }
    }
    Ok(())
}

fn guarded<T>(folder: &Path, act: impl FnOnce() -> sled::Result<T>) -> Result<T, JournalFault> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(result) => result.map_err(|error| fault::of_sled(&error, folder)),
        Err(panic) => Err(fault::of_panic(panic.as_ref(), folder)),
    }
}

/// Opens sled's folder. The folder above it is ours already, so a lock in it is one that sled's own threads, or a child
/// of this process that has not begun its program yet, are about to let go of.
fn patiently(config: &sled::Config) -> sled::Result<sled::Db> {
    for _ in 0..ATTEMPTS {
        match config.open() {
            Err(sled::Error::Io(error)) if error.to_string().contains("could not acquire lock") => {
                std::thread::sleep(PAUSE);
            }
            outcome => return outcome,
        }
    }
    config.open()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Table;

    /// A table of some rows, closed, with the name of sled's own snapshot in it.
    fn closed(path: &std::path::Path) -> std::path::PathBuf {
        let table = Table::open(path, 1 << 20).expect("opened");
        let rows = (0..50_u8).map(|n| (vec![n], vec![n; 900])).collect();
        table.commit(rows).expect("written");
        drop(table);
        drop(Table::open(path, 1 << 20).expect("a second start writes a snapshot"));
        let mut entries = std::fs::read_dir(path).expect("a folder");
        let is_snapshot = |path: &std::path::PathBuf| path.to_string_lossy().contains("/snap.");
        let snapshot = entries.find_map(|entry| Some(entry.expect("an entry").path()).filter(is_snapshot));
        snapshot.expect("a snapshot of sled's")
    }

    #[test]
    fn what_a_start_left_half_made_is_removed_and_nothing_is_lost_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sled");
        let snapshot = closed(&path);
        let whole = std::fs::read(&snapshot).expect("bytes");
        for length in [0, 1, 12, 13, whole.len() / 2, whole.len() - 1, whole.len()] {
            // Later than the one that is there, as sled sorts them.
            let half = path.join("snap.FFFFFFFFFFFFFF.generating");
            std::fs::write(&half, &whole[..length]).expect("left");
            let table = Table::open(&path, 1 << 20).expect("opened");
            let mut rows = 0;
            let counted = table.rows(&[], &[255], &mut |_, value| {
                rows += usize::from(value.len() == 900);
                std::ops::ControlFlow::Continue(())
            });
            assert_eq!((counted, rows), (Ok(()), 50), "{length} bytes were left");
            assert!(!half.exists());
        }
    }

    #[test]
    fn a_lock_that_is_about_to_go_is_waited_for_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sled");
        let held = sled::open(&path).expect("the first");
        let letting_go = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(150));
            drop(held);
        });
        Table::open(&path, 1 << 20).expect("the second, once the first has gone");
        letting_go.join().expect("let go");
    }
}
