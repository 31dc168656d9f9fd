//! How the world's errors become faults of the journal.
//!
//! Invariant: a full disk is told apart from every other error, since only a person can do something about it.

use std::io;
use std::path::Path;

use crate::journal::JournalFault;

/// Kinds of errors that say that there is no room, by their names, in words.
const FULL: [(&str, &str); 3] = [
    ("StorageFull", "no space is left"),
    ("QuotaExceeded", "the quota of this user is used up"),
    (
        "FileTooLarge",
        "a file would be larger than the system allows this process (ulimit -f)",
    ),
];

/// What an error of the file system means, said of a path.
pub fn from_io(error: &io::Error, path: &Path) -> JournalFault {
    // Some errors come with another one written down in them, which is nothing to show.
    full_disk(&format!("{:?}", error.kind()), path)
        .unwrap_or_else(|| JournalFault::Store(format!("{}: {error}", path.display())))
}

/// That there is no room, where a text names a kind of error that says so.
pub fn full_disk(text: &str, path: &Path) -> Option<JournalFault> {
    let (_, words) = FULL.into_iter().find(|(kind, _)| text.contains(kind))?;
    Some(JournalFault::DiskFull(format!("{}: {words}", path.display())))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::from_io;
    use crate::journal::JournalFault;

    #[test]
    fn a_full_disk_is_told_apart_z167() {
        let path = Path::new("data");
        for code in [libc::ENOSPC, libc::EFBIG, libc::EDQUOT] {
            let full = io::Error::from_raw_os_error(code);
            assert!(matches!(from_io(&full, path), JournalFault::DiskFull(text) if text.contains("data")));
        }
        let broken = io::Error::from_raw_os_error(libc::EIO);
        assert!(matches!(from_io(&broken, path), JournalFault::Store(_)));
    }
}
