//! One process to a folder.

use std::fs::File;
use std::fs::OpenOptions;
use std::fs::TryLockError;
use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use crate::data_folder::LOCK;
use crate::engines;
use crate::engines::ENGINES;
use crate::fault;
use crate::journal::JournalFault;

/// Attempts at a lock that another process holds, and the pause between two of them.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// The folder is ours until this is dropped; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Nobody begins to write to the folder until this is dropped.
#[derive(Debug)]
pub struct Hold {
    _files: Vec<File>,
}

impl Lock {
    /// Takes the folder.
    ///
    /// # Errors
    /// Says who holds it, when someone does.
    pub fn take(folder: &Path) -> Result<Lock, JournalFault> {
        let path = folder.join(LOCK);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| fault::from_io(&error, &path))?;
        if !patiently(&path, || file.try_lock())? {
            return Err(in_use(folder, &mut file));
        }
        drop(hold_rows(folder)?);
        // The number is a courtesy to whoever finds the folder taken: a full disk is not told here.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Lock { _file: file })
    }
}

impl Hold {
    /// Holds a folder without writing anything to it.
    ///
    /// # Errors
    /// Says who has the folder, when someone does.
    pub fn take(folder: &Path) -> Result<Hold, JournalFault> {
        let path = folder.join(LOCK);
        let mut files = Vec::new();
        match File::open(&path) {
            Ok(mut file) => {
                if !patiently(&path, || file.try_lock_shared())? {
                    return Err(in_use(folder, &mut file));
                }
                files.push(file);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(fault::from_io(&error, &path)),
        }
        files.extend(hold_rows(folder)?);
        Ok(Hold { _files: files })
    }
}

/// Holds the file that the engine locks while a process has the store open: whoever removes `LOCK` under a running service does
/// not stop it, and a new `LOCK` says nothing of it.
fn hold_rows(folder: &Path) -> Result<Option<File>, JournalFault> {
    let engine = engines::of_folder(folder).unwrap_or(engines::DEFAULT);
    let path = folder.join(engine.folder).join(engine.file);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fault::from_io(&error, &path)),
    };
    if patiently(&path, || file.try_lock_shared())? {
        return Ok(Some(file));
    }
    Err(JournalFault::InUse(format!(
        "{} is in use by another process whose file {LOCK} was removed or replaced while it runs: stop that process first \
         (it holds {}), and leave {LOCK} where it is",
        folder.display(),
        path.display()
    )))
}

fn in_use(folder: &Path, file: &mut File) -> JournalFault {
    let mut holder = String::new();
    // Who holds it is a courtesy: the answer stands without it.
    let _ = file.read_to_string(&mut holder);
    let holder = holder.trim();
    JournalFault::InUse(format!(
        "{} is in use by another process{}{holder}; stop that one first, or choose another data folder",
        folder.display(),
        if holder.is_empty() { "" } else { ", number " },
    ))
}

/// Whether another process has the folder now.
pub fn is_taken(folder: &Path) -> bool {
    let rows = ENGINES
        .iter()
        .map(|engine| folder.join(engine.folder).join(engine.file));
    rows.chain([folder.join(LOCK)]).any(|path| {
        let file = File::open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    })
}

/// Tries for a moment, and says whether it came to hold it: a process that has just ended, or that is being started by this
/// one, may still hold the lock, and so may the engine's own threads.
fn patiently(path: &Path, mut attempt: impl FnMut() -> Result<(), TryLockError>) -> Result<bool, JournalFault> {
    for _ in 0..ATTEMPTS {
        match attempt() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(fault::from_io(&error, path)),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::Hold;
    use super::Lock;
    use super::is_taken;

    #[test]
    fn a_folder_in_use_is_refused_by_name_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = Lock::take(folder.path()).expect("free");
        let text = Lock::take(folder.path()).expect_err("held").to_string();
        assert!(text.contains("in use by another process"), "{text}");
        assert!(text.contains(&std::process::id().to_string()), "{text}");
        drop(held);
        Lock::take(folder.path()).expect("free again");
    }
    #[test]
    fn a_running_process_whose_lock_was_removed_is_named_as_that_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let rows = sled::open(folder.path().join("sled")).expect("another process's store");
        for text in [
            Lock::take(folder.path()).expect_err("held").to_string(),
            Hold::take(folder.path()).expect_err("held").to_string(),
        ] {
            assert!(text.contains("LOCK was removed"), "{text}");
        }
        assert!(is_taken(folder.path()));
        drop(rows);
        Lock::take(folder.path()).expect("free again");
        assert!(!is_taken(folder.path()));
    }

    #[test]
    fn who_only_looks_keeps_writers_away_and_writes_nothing_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Hold::take(folder.path()).expect("nobody is there"));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
        drop(Lock::take(folder.path()).expect("free"));
        let hold = Hold::take(folder.path()).expect("free");
        let another = Hold::take(folder.path()).expect("two may look");
        assert!(Lock::take(folder.path()).is_err());
        drop((hold, another));
        let lock = Lock::take(folder.path()).expect("free again");
        assert!(Hold::take(folder.path()).is_err());
        drop(lock);
    }
}
