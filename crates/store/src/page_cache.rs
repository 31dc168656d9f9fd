//! What the system remembers of a file is not what the disk holds: after a sync that failed, the pages that were not written
//! pass for written, are read as they were meant, and are gone with the next power cut.
//!
//! So whoever opens a store syncs its files once more and has the system forget them; what is checked then is read from the disk.
//! A system that keeps pages all the same (`tmpfs`, which has no disk) is believed, for there is nothing else to ask.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::Advice;

/// Syncs every file at a path, if it may be written, and has the system forget what it holds of them.
pub fn forget(path: &Path, syncs: bool) -> io::Result<()> {
    let about = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    if about.is_dir() {
        for entry in std::fs::read_dir(path)? {
            forget(&entry?.path(), syncs)?;
        }
    }
    if !about.is_file() {
        return Ok(());
    }
    let file = File::open(path)?;
    if syncs {
        // Pages that were never written are not forgotten.
        file.sync_all()?;
    }
    // That the system may not do it is no error.
    let _ = rustix::fs::fadvise(&file, 0, None, Advice::DontNeed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use super::forget;

    /// Pages of a file that the system remembers.
    fn remembered(path: &Path, pages: usize) -> usize {
        let file = File::open(path).expect("opened");
        let mut resident = vec![0_u8; pages];
        // SAFETY: the mapping is of the file's own length, is read by nobody, and goes at the end.
        #[expect(unsafe_code, reason = "only a mapping can be asked")]
        unsafe {
            let (length, none) = (pages * 4_096, std::ptr::null_mut());
            let start = libc::mmap(none, length, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mincore(start, length, resident.as_mut_ptr()), 0);
            libc::munmap(start, length);
        }
        resident.iter().filter(|page| **page & 1 == 1).count()
    }

    #[test]
    fn what_was_written_is_read_from_the_disk_again_z167() {
        // Beside the sources, which lie on a disk: /tmp may lie in memory.
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a folder");
        let path = folder.path().join("sled/db");
        std::fs::create_dir(folder.path().join("sled")).expect("made");
        std::fs::write(&path, vec![7; 64 * 4_096]).expect("written");
        assert_eq!(remembered(&path, 64), 64);
        forget(folder.path(), true).expect("forgotten");
        assert_eq!(remembered(&path, 64), 0);
        assert_eq!(std::fs::read(&path).expect("read"), vec![7; 64 * 4_096]);
        forget(&folder.path().join("nowhere"), true).expect("nothing to forget");
    }
}
