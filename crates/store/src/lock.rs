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

/// Until this is dropped the folder is ours, or nobody begins to write to it; the system lets go of it when the process ends,
/// however it ends.
#[derive(Debug)]
pub struct Lock {
    _files: Vec<File>,
}

impl Lock {
    /// Takes the folder.
    ///
    /// # Errors
    /// Says who holds it, when someone does.
    pub fn take(folder: &Path) -> Result<Lock, JournalFault> {
        let path = folder.join(LOCK);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true).mode(0o600);
        let mut file = options.open(&path).map_err(|error| fault::from_io(&error, &path))?;
        if !patiently(&path, || file.try_lock())? {
            return Err(in_use(folder, &mut file));
        }
        drop(hold_rows(folder)?);
        // The number is a courtesy to whoever finds the folder taken: a full disk is not told here.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Lock { _files: vec![file] })
    }

    /// Holds a folder against writers, without writing anything to it.
    ///
    /// # Errors
    /// Says who has the folder, when someone does.
    pub fn hold(folder: &Path) -> Result<Lock, JournalFault> {
        let path = folder.join(LOCK);
        let mut files = Vec::new();
        if let Some(mut file) = opened(&path)? {
            if !patiently(&path, || file.try_lock_shared())? {
                return Err(in_use(folder, &mut file));
            }
            files.push(file);
        }
        files.extend(hold_rows(folder)?);
        Ok(Lock { _files: files })
    }
}

/// A file, if it is there.
fn opened(path: &Path) -> Result<Option<File>, JournalFault> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault::from_io(&error, path)),
    }
}

/// Holds the file that the engine locks while a process has the store open: whoever removes `LOCK` under a running service does
/// not stop it, and a new `LOCK` says nothing of it.
fn hold_rows(folder: &Path) -> Result<Option<File>, JournalFault> {
    let engine = engines::of_folder(folder).unwrap_or(engines::DEFAULT);
    let path = folder.join(engine.folder).join(engine.file);
    let Some(file) = opened(&path)? else { return Ok(None) };
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
    use super::Lock;
    use super::is_taken;

    #[test]
    fn a_folder_in_use_is_refused_by_name_even_where_its_lock_was_removed_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = Lock::take(folder.path()).expect("free");
        let text = Lock::take(folder.path()).expect_err("held").to_string();
        assert!(text.contains("in use by another process"), "{text}");
        assert!(text.contains(&std::process::id().to_string()), "{text}");
        drop(held);
        let rows = sled::open(folder.path().join("sled")).expect("another process's store");
        for refused in [Lock::take(folder.path()), Lock::hold(folder.path())] {
            let text = refused.expect_err("held").to_string();
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
        drop(Lock::hold(folder.path()).expect("nobody is there"));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
        drop(Lock::take(folder.path()).expect("free"));
        let hold = Lock::hold(folder.path()).expect("free");
        let another = Lock::hold(folder.path()).expect("two may look");
        assert!(Lock::take(folder.path()).is_err());
        drop((hold, another));
        let lock = Lock::take(folder.path()).expect("free again");
        assert!(Lock::hold(folder.path()).is_err());
        drop(lock);
    }
}
