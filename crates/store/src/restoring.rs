//! A restore that is under way, or was cut short: its folder is no data folder until everything is in its place.

use std::path::Path;
use std::path::PathBuf;

use crate::fault;
use crate::journal::JournalFault;

/// Where a restore writes until it is done.
pub fn aside(folder: &Path) -> PathBuf {
    folder.join("restoring")
}

/// Refuses a folder in which a restore was cut short, or is under way; clears up behind one that was done but for that. The
/// folder is ours.
///
/// # Errors
/// [`JournalFault::Store`].
pub fn mend(folder: &Path) -> Result<(), JournalFault> {
    let aside = aside(folder);
    if !aside.exists() {
        return Ok(());
    }
    if folder.join("sled").exists() {
        // The last rename was made: everything is in its place.
        return std::fs::remove_dir_all(&aside).map_err(|error| fault::of_io(&error, &aside));
    }
    Err(JournalFault::Store(format!(
        "a restore into {} was cut short; restore again, or remove {} to begin without anything",
        folder.display(),
        aside.display()
    )))
}
