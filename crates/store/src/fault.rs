//! How the world's errors become faults of the journal.
//!
//! Invariant: a full disk is told apart from every other error, since only a person can do something about it.

use std::any::Any;
use std::io;
use std::path::Path;

use crate::journal::JournalFault;

/// What an error of the file system means, said of a path.
pub fn of_io(error: &io::Error, path: &Path) -> JournalFault {
    // Some errors come with another one written down in them, which is nothing to show.
    match error.kind() {
        io::ErrorKind::StorageFull => full(path, "StorageFull"),
        io::ErrorKind::QuotaExceeded => full(path, "QuotaExceeded"),
        io::ErrorKind::FileTooLarge => full(path, "FileTooLarge"),
        _ => JournalFault::Store(format!("{}: {error}", path.display())),
    }
}

/// Kinds of errors that say that there is no room, by their names, in words.
const FULL: [(&str, &str); 3] = [
    ("StorageFull", "no space is left"),
    ("QuotaExceeded", "the quota of this user is used up"),
    (
        "FileTooLarge",
        "a file would be larger than the system allows this process (ulimit -f)",
    ),
];

/// That there is no room, where a text names one of these kinds.
fn full(path: &Path, what: &str) -> JournalFault {
    let words = FULL.into_iter().find(|(kind, _)| what.contains(kind));
    let words = words.map_or(what, |(_, words)| words);
    JournalFault::DiskFull(format!("{}: {words}", path.display()))
}

/// What an error of sled means, said of its folder.
pub fn of_sled(error: &sled::Error, path: &Path) -> JournalFault {
    match error {
        sled::Error::Io(error) => of_io(error, path),
        sled::Error::Corruption { .. } => {
            JournalFault::Store(format!("{} is damaged: sled reports corruption", path.display()))
        }
        sled::Error::CollectionNotFound(_) | sled::Error::Unsupported(_) | sled::Error::ReportableBug(_) => {
            JournalFault::Store(format!("{}: {error}", path.display()))
        }
    }
}

/// What a panic inside sled means, said of its folder: sled panics on damage it did not expect.
pub fn of_panic(panic: &(dyn Any + Send), path: &Path) -> JournalFault {
    let what = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it does not say why");
    if FULL.iter().any(|(kind, _)| what.contains(kind)) {
        full(path, what)
    } else {
        JournalFault::Store(format!("{} is damaged: sled gave up: {what}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::of_io;
    use super::of_panic;
    use crate::journal::JournalFault;

    #[test]
    fn a_full_disk_is_told_apart_z167() {
        let path = Path::new("data");
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        assert!(matches!(of_io(&full, path), JournalFault::DiskFull(text) if text.contains("data")));
        let quota = io::Error::from_raw_os_error(libc::EFBIG);
        assert!(matches!(of_io(&quota, path), JournalFault::DiskFull(_)));
        let broken = io::Error::from_raw_os_error(libc::EIO);
        assert!(matches!(of_io(&broken, path), JournalFault::Store(_)));
        assert!(matches!(of_panic(&"Io(StorageFull)", path), JournalFault::DiskFull(_)));
        assert!(matches!(of_panic(&"torn", path), JournalFault::Store(text) if text.contains("torn")));
    }
}
