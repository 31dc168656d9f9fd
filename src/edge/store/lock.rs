//! One process to a folder.

use std::fs::File;
use std::fs::OpenOptions;
use std::fs::TryLockError;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::service::ports::JournalFault;

use super::fault;

/// The file that is locked, by its name in the folder.
pub const FILE: &str = "LOCK";
/// Attempts at a lock that another process holds, and the pause between two of them.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// The folder is ours until this is dropped; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the folder.
    ///
    /// # Errors
    /// Says who holds it, when someone does.
    pub fn take(folder: &Path) -> Result<Lock, JournalFault> {
        let path = folder.join(FILE);
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| fault::of_io(&error, &path))?;
        match patiently(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Who holds it is a courtesy: the answer stands without it.
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim();
                return Err(JournalFault::InUse(format!(
                    "{} is in use by another process{}{holder}; stop that one first, or choose another data folder",
                    folder.display(),
                    if holder.is_empty() { "" } else { ", number " },
                )));
            }
            Err(TryLockError::Error(error)) => return Err(fault::of_io(&error, &path)),
        }
        // The number is a courtesy to whoever finds the folder taken: a full disk is not told here.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Lock { _file: file })
    }
}

/// Whether another process has the folder now.
pub fn is_taken(folder: &Path) -> bool {
    File::open(folder.join(FILE)).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Tries for a moment: a process that has just ended, or that is being started by this one, may still hold the lock.
fn patiently(file: &File) -> Result<(), TryLockError> {
    for _ in 0..ATTEMPTS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
    file.try_lock()
}

#[cfg(test)]
mod tests {
    use super::Lock;

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
}
