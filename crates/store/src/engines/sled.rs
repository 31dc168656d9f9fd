//! sled, held at arm's length: never a panic that passes on, and a sync that is one.
//!
//! sled's own `flush` ends in `sync_file_range`, which neither waits for the disk's cache nor writes the file's length;
//! a power cut can undo it. So every sync is followed by `fdatasync` through a descriptor of our own, which also
//! sees a write that failed in the background since the last call. sled's flusher stays off: a sync that failed there
//! would be logged and forgotten.
//!
//! sled writes a snapshot of its own as `snap.….generating` and renames it. Where it was killed, or the disk was full, the half
//! file stays, and sled takes it for a whole one at the next open and calls the folder damaged; so it is removed before.

use std::any::Any;
use std::fs::File;
use std::io;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::fault;
use crate::journal::JournalFault;
use crate::kv;
use crate::kv::Batch;
use crate::kv::Engine;
use crate::kv::Kv;
use crate::kv::Row;
use crate::kv::Rows;

/// sled.
pub const ENGINE: Engine = Engine {
    folder: "sled",
    file: "db",
    made_before: &["conf", "blobs"],
    open: |folder, cache_bytes| Ok(Box::new(Sled::open(folder, cache_bytes)?)),
};

/// Attempts at a folder whose lock sled has not let go of, and the pause between two of them: two seconds in all, far more
/// than its threads need to end.
const ATTEMPTS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);
/// How long sled may take to close: it writes at most what it holds in its buffers, which are some megabytes.
const CLOSING: Duration = Duration::from_secs(10);

/// One sled tree in one folder.
#[derive(Debug)]
struct Sled {
    folder: PathBuf,
    /// `None` only while it is being dropped.
    db: Option<sled::Db>,
    file: File,
}

impl Sled {
    fn open(folder: &Path, cache_bytes: u64) -> Result<Sled, JournalFault> {
        let config = sled::Config::new()
            .path(folder)
            .cache_capacity(cache_bytes)
            .flush_every_ms(None);
        remove_half_made(folder).map_err(|error| fault::from_io(&error, folder))?;
        let db = guarded(folder, || open_patiently(&config))?;
        let path = folder.join(ENGINE.file);
        let file = File::open(&path).map_err(|error| fault::from_io(&error, &path))?;
        let opened = Sled {
            folder: folder.to_owned(),
            db: Some(db),
            file,
        };
        // What sled wrote while it recovered becomes durable too, and so do the names of its files.
        opened.sync_file()?;
        kv::sync_folder(folder)?;
        Ok(opened)
    }

    fn sync_file(&self) -> Result<(), JournalFault> {
        let synced = self.file.sync_data();
        synced.map_err(|error| fault::from_io(&error, &self.folder.join(ENGINE.file)))
    }

    fn db(&self) -> Result<&sled::Db, JournalFault> {
        self.db.as_ref().ok_or(JournalFault::Closed)
    }
}

impl Kv for Sled {
    fn apply(&self, batch: Batch) -> Result<(), JournalFault> {
        let mut changes = sled::Batch::default();
        batch
            .put
            .into_iter()
            .for_each(|(key, value)| changes.insert(key, value));
        batch.remove.into_iter().for_each(|key| changes.remove(key));
        let db = self.db()?;
        guarded(&self.folder, || db.apply_batch(changes))
    }

    fn sync(&self) -> Result<(), JournalFault> {
        let db = self.db()?;
        guarded(&self.folder, || db.flush())?;
        self.sync_file()
    }

    fn scan(&self, from: &[u8], to: &[u8]) -> Rows<'_> {
        let rows = self
            .db()
            .and_then(|db| guarded(&self.folder, || Ok(db.range(from.to_vec()..to.to_vec()))));
        let mut rows = match rows {
            Ok(rows) => rows,
            Err(fault) => return Box::new(std::iter::once(Err(fault))),
        };
        let mut next = move || -> Result<Option<Row>, JournalFault> {
            let row = guarded(&self.folder, || rows.next().transpose())?;
            Ok(row.map(|(key, value)| (key.to_vec(), value.to_vec())))
        };
        Box::new(std::iter::from_fn(move || next().transpose()))
    }

    fn last_key(&self, from: &[u8], to: &[u8]) -> Result<Option<Vec<u8>>, JournalFault> {
        let db = self.db()?;
        let last = guarded(&self.folder, || {
            db.range(from.to_vec()..=to.to_vec()).next_back().transpose()
        })?;
        Ok(last.map(|(key, _)| key.to_vec()))
    }
}

impl Drop for Sled {
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

/// Removes what sled left of a snapshot that it did not bring to its end. The one before it, and the log, hold everything.
fn remove_half_made(folder: &Path) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            std::fs::remove_file(&path)?;
            tracing::info!(file = %path.display(), "a start was cut short before; what it left half made is removed");
        }
    }
    Ok(())
}

/// Opens sled's folder. The folder above it is ours already, so a lock in it is one that sled's own threads, or a child
/// of this process that has not begun its program yet, are about to let go of.
fn open_patiently(config: &sled::Config) -> sled::Result<sled::Db> {
    for _ in 0..ATTEMPTS {
        match config.open() {
            Err(sled::Error::Io(error)) if error.to_string().contains("could not acquire lock") => {
                thread::sleep(PAUSE);
            }
            outcome => return outcome,
        }
    }
    config.open()
}

/// Calls sled, which panics on damage that it did not expect.
fn guarded<T>(folder: &Path, act: impl FnOnce() -> sled::Result<T>) -> Result<T, JournalFault> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(result) => result.map_err(|error| from_sled(&error, folder)),
        Err(panic) => Err(from_panic(panic.as_ref(), folder)),
    }
}

fn from_sled(error: &sled::Error, folder: &Path) -> JournalFault {
    match error {
        sled::Error::Io(error) => fault::from_io(error, folder),
        sled::Error::Corruption { .. } => {
            JournalFault::Store(format!("{} is damaged: sled reports corruption", folder.display()))
        }
        sled::Error::CollectionNotFound(_) | sled::Error::Unsupported(_) | sled::Error::ReportableBug(_) => {
            JournalFault::Store(format!("{}: {error}", folder.display()))
        }
    }
}

fn from_panic(panic: &(dyn Any + Send), folder: &Path) -> JournalFault {
    let what = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it does not say why");
    fault::full_disk(what, folder)
        .unwrap_or_else(|| JournalFault::Store(format!("{} is damaged: sled gave up: {what}", folder.display())))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::Sled;
    use super::from_panic;
    use crate::journal::JournalFault;
    use crate::kv::Batch;
    use crate::kv::Kv;

    #[test]
    fn what_a_start_left_half_made_is_removed_and_nothing_is_lost_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sled");
        let opened = Sled::open(&path, 1 << 20).expect("opened");
        let rows = (0..50_u8).map(|n| (vec![n], vec![n; 900])).collect();
        opened.apply(Batch::put(rows)).expect("written");
        opened.sync().expect("synced");
        drop(opened);
        drop(Sled::open(&path, 1 << 20).expect("a second start writes a snapshot"));
        let mut files = std::fs::read_dir(&path)
            .expect("a folder")
            .flatten()
            .map(|entry| entry.path());
        let snapshot = files.find(|path| path.to_string_lossy().contains("/snap."));
        let whole = std::fs::read(snapshot.expect("a snapshot of sled's")).expect("bytes");
        for length in [0, 1, 12, 13, whole.len() / 2, whole.len() - 1, whole.len()] {
            // Later than the one that is there, as sled sorts them.
            let half = path.join("snap.FFFFFFFFFFFFFF.generating");
            std::fs::write(&half, &whole[..length]).expect("left");
            let opened = Sled::open(&path, 1 << 20).expect("opened");
            let rows: Vec<_> = opened.scan(&[], &[255]).collect::<Result<_, _>>().expect("rows");
            assert_eq!(rows.len(), 50, "{length} bytes were left");
            assert!(rows.iter().all(|(_, value)| value.len() == 900) && !half.exists());
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
        Sled::open(&path, 1 << 20).expect("the second, once the first has gone");
        letting_go.join().expect("let go");
    }

    #[test]
    fn a_full_disk_is_told_apart_in_a_panic_too_z167() {
        let path = Path::new("data");
        let full = from_panic(&"Io(StorageFull)", path);
        assert!(matches!(full, JournalFault::DiskFull(_)));
        assert!(matches!(from_panic(&"torn", path), JournalFault::Store(text) if text.contains("torn")));
    }
}
