//! sled, held at arm's length: rows in, rows out, one sync a commit, and never a panic that passes on.
//!
//! sled's own `flush` ends in `sync_file_range`, which neither waits for the disk's cache nor writes the file's length;
//! a power cut can undo it. So every commit is followed by `fdatasync` through a descriptor of our own, which also
//! sees a write that failed in the background since the last call. sled's flusher stays off: a sync that failed there
//! would be logged and forgotten.

use std::fs::File;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use crate::service::ports::JournalFault;

use super::fault;
use super::frame::Row;

/// Is given a row, key and value, and says whether it wants the next one.
pub type Each<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// Attempts at a folder whose lock sled has not let go of, and the pause between two of them.
const ATTEMPTS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);

/// One sled tree in one folder.
#[derive(Debug)]
pub struct Table {
    folder: PathBuf,
    /// `None` only while it is being dropped.
    db: Option<sled::Db>,
    file: File,
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
        let db = guarded(folder, || patiently(&config))?;
        let path = folder.join("db");
        let file = File::open(&path).map_err(|error| fault::of_io(&error, &path))?;
        let table = Table {
            folder: folder.to_owned(),
            db: Some(db),
            file,
        };
        // What sled wrote while it recovered becomes durable too, and so do the names of its files.
        table.sync()?;
        sync_folder(folder)?;
        Ok(table)
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
        self.apply(batch)
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
        self.apply(batch)
    }

    /// Writes these rows and removes those, all of it or none, and syncs.
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
        guarded(&self.folder, || {
            db.apply_batch(batch)?;
            db.flush().map(|_| ())
        })?;
        self.sync()
    }

    fn sync(&self) -> Result<(), JournalFault> {
        self.file
            .sync_data()
            .map_err(|error| fault::of_io(&error, &self.folder.join("db")))
    }

    fn db(&self) -> Result<&sled::Db, JournalFault> {
        self.db.as_ref().ok_or(JournalFault::Closed)
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let db = self.db.take();
        // sled flushes when it is dropped, and may find the damage only then.
        if catch_unwind(AssertUnwindSafe(|| drop(db))).is_err() {
            tracing::warn!(folder = %self.folder.display(), "sled gave up while it was closed");
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
