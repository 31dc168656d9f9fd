//! Room on the disk: below a floor nothing is written, so that sled never meets the disk's very end.
//!
//! What sled holds of a write that the disk cut short is known only after the folder was opened again; a write that was
//! not begun leaves nothing in doubt. Invariant: below the floor no commit begins, and after that none until there is an
//! eighth more, so that the store does not come and go with each file that somebody else removes.

use std::fs::File;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use crate::data_folder;
use crate::fault;
use crate::journal::JournalFault;

/// Says how many bytes are free.
pub type FreeBytes = Box<dyn Fn() -> io::Result<u64> + Send + Sync>;

/// Bytes that a probe writes, and by how much it makes a file longer than the longest there is.
const PROBE_BYTES: usize = 1 << 20;

/// Bytes that a file system has for this user.
pub fn available(folder: &Path) -> io::Result<u64> {
    let about = rustix::fs::statvfs(folder)?;
    Ok(about.f_bavail.saturating_mul(about.f_frsize))
}

/// The room of one folder.
pub struct Space {
    folder: PathBuf,
    /// The floor; 0 for none.
    free_bytes_min: u64,
    free: FreeBytes,
    low: AtomicBool,
}

impl Space {
    /// The room of a folder that is there; `free` stands in for the file system's own answer.
    pub fn new(folder: &Path, free_bytes_min: u64, free: Option<FreeBytes>) -> Space {
        let own = folder.to_owned();
        Space {
            folder: folder.to_owned(),
            free_bytes_min,
            free: free.unwrap_or_else(|| Box::new(move || available(&own))),
            low: AtomicBool::new(false),
        }
    }

    /// Bytes free; `None` where the file system does not say.
    pub fn free_bytes(&self) -> Option<u64> {
        (self.free)().ok()
    }

    /// Whether a commit may begin.
    ///
    /// # Errors
    /// [`JournalFault::DiskFull`] below the floor, and from then on until there is an eighth more.
    pub fn check(&self) -> Result<(), JournalFault> {
        // A file system that does not say how much room it has will say when it has none.
        let Some(free) = self.free_bytes() else { return Ok(()) };
        let was_low = self.low.load(Ordering::Relaxed);
        let floor = if was_low {
            self.free_bytes_min.saturating_add(self.free_bytes_min / 8)
        } else {
            self.free_bytes_min
        };
        let is_low = free < floor;
        if is_low != was_low {
            self.low.store(is_low, Ordering::Relaxed);
            if is_low {
                tracing::error!(
                    free,
                    floor,
                    "the disk is nearly full: nothing is written until there is more room"
                );
            } else {
                tracing::info!(free, "there is room on the disk again");
            }
        }
        if is_low {
            let folder = self.folder.display();
            return Err(JournalFault::DiskFull(format!(
                "{folder}: {free} bytes are free, {floor} are to be"
            )));
        }
        Ok(())
    }

    /// Whether a file can be written that is a little longer than one of `longest_bytes`: a quota or a limit of file sizes
    /// shows in nothing else.
    pub fn probe(&self, longest_bytes: u64) -> Result<(), JournalFault> {
        self.check()?;
        let path = self.folder.join(data_folder::ROOM);
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[0xa5; PROBE_BYTES])?;
            // Sparse: it asks for the length alone.
            file.set_len(longest_bytes.saturating_add(PROBE_BYTES as u64))?;
            file.sync_all()
        });
        let removed = std::fs::remove_file(&path);
        written.and(removed).map_err(|error| fault::from_io(&error, &path))
    }
}

#[cfg(test)]
mod tests {
    use super::Space;

    #[test]
    fn without_a_floor_or_an_answer_everything_begins_and_a_probe_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(Space::new(folder.path(), 0, Some(Box::new(|| Ok(0)))).check(), Ok(()));
        let silent = || Err(std::io::Error::other("it does not say"));
        let silent = Space::new(folder.path(), 800, Some(Box::new(silent)));
        assert_eq!((silent.check(), silent.free_bytes()), (Ok(()), None));
        let real = Space::new(folder.path(), 1, None);
        assert_eq!(real.probe(1 << 20), Ok(()));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
