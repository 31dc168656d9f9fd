//! What lies in a data folder, by name, and whose it is to read (Z-167).
//!
//! What clients said lies in it, in backups and in copies of both, so that all of it is its owner's alone, under any umask.
//! The process makes every file so; what is there already, or was made by a version before this one, is put right when the
//! folder is opened. A restore that is under way has a folder of its own in it: until everything is in its place, there is
//! no data folder.

use std::fs::File;
use std::fs::Metadata;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;

use rustix::fs::Advice;

use crate::engines::ENGINES;
use crate::fault;
use crate::journal::JournalFault;
use crate::kv::Engine;

/// The sealed ends of the journals.
pub const HEADS: &str = "heads";
/// The file that a process which has the folder open holds.
pub const LOCK: &str = "LOCK";
/// Where a restore writes until it is done.
pub const RESTORING: &str = "restoring";
/// Index of idempotency keys, derived from the journals.
pub const KEYS: &str = "keys";
/// The journals' snapshots.
pub const SNAPSHOTS: &str = "snapshots";
/// Says that something was erased which the rows' file still holds.
pub const COMPACT: &str = "compact";
/// Shows whether there is room.
pub const ROOM: &str = "room";

/// What others than the owner may do.
const OTHERS: u32 = 0o077;

/// An engine's rows, and where a compaction puts the new ones and the old ones meanwhile.
pub fn rows(folder: &Path, engine: &Engine) -> [PathBuf; 3] {
    ["", ".new", ".old"].map(|ending| folder.join(format!("{}{ending}", engine.folder)))
}

/// Whether there is a store in a folder, or what is left of one.
pub fn holds_a_store(folder: &Path) -> bool {
    let names = ENGINES.iter().map(|engine| engine.folder).chain([HEADS]);
    names.into_iter().any(|name| folder.join(name).exists())
}

/// Refuses a folder in which a restore was cut short, or is under way; clears up behind one that was done but for that. The
/// folder is ours.
pub fn end_restore(folder: &Path) -> Result<(), JournalFault> {
    let aside = folder.join(RESTORING);
    if !aside.exists() {
        return Ok(());
    }
    if ENGINES.iter().any(|engine| folder.join(engine.folder).exists()) {
        // The last rename was made: everything is in its place.
        return std::fs::remove_dir_all(&aside).map_err(|error| fault::from_io(&error, &aside));
    }
    Err(JournalFault::Store(format!(
        "a restore into {} was cut short; restore again, or remove {} to begin without anything",
        folder.display(),
        aside.display()
    )))
}

/// Does something with what lies at a path, if it is there, and with everything in it.
pub fn each(path: &Path, act: &mut dyn FnMut(&Path, &Metadata) -> io::Result<()>) -> io::Result<()> {
    let about = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    act(path, &about)?;
    if about.is_dir() {
        for entry in std::fs::read_dir(path)? {
            each(&entry?.path(), act)?;
        }
    }
    Ok(())
}

/// Syncs every file at a path, if it may be written, and has the system forget what it holds of them; a system that keeps it all
/// the same (`tmpfs`, which has no disk) is believed. After a sync that failed, pages that were not written pass for written, are
/// read as they were meant, and are gone with the next power cut: what is checked has to come from the disk.
pub fn forget_pages(path: &Path, syncs: bool) -> io::Result<()> {
    each(path, &mut |path, about| {
        if about.is_file() {
            let file = File::open(path)?;
            if syncs {
                // Pages that were never written are not forgotten.
                file.sync_all()?;
            }
            // That the system may not do it is no error.
            let _ = rustix::fs::fadvise(&file, 0, None, Advice::DontNeed);
        }
        Ok(())
    })
}

/// From now on a write beyond the limit of file sizes fails with `EFBIG`, which the store takes for a full disk; otherwise the
/// system's signal would end the process. For the program's start: it holds for the whole process.
pub fn survive_file_limit() {
    // SAFETY: both are plain values, and what is set is to ignore, so that no code of ours runs in a handler.
    #[expect(unsafe_code, reason = "the standard library sets no signals")]
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// From now on whatever the process makes is its owner's alone. For the program's start: it holds for the whole process.
pub fn keep_to_owner() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Takes from others what they may do with the folder and what is ours in it; `more` names further files.
pub fn tighten(folder: &Path, more: &[&str]) {
    let own = [HEADS, KEYS, LOCK, RESTORING, SNAPSHOTS, COMPACT, ROOM];
    let named = own.iter().chain(more).map(|name| folder.join(name));
    let mut within = named.chain(ENGINES.iter().flat_map(|engine| rows(folder, engine)));
    let outcome = std::fs::metadata(folder)
        .and_then(|about| tighten_one(folder, &about))
        .and_then(|()| within.try_for_each(|path| each(&path, &mut tighten_one)));
    if let Err(error) = outcome {
        // Somebody else's folder, as a volume's is: what is in it is still its owner's alone where the process made it.
        tracing::warn!(folder = %folder.display(), %error, "others than the owner may read the data folder, and it cannot be changed");
    }
}

fn tighten_one(path: &Path, about: &Metadata) -> io::Result<()> {
    let mode = about.permissions().mode();
    if mode & OTHERS == 0 || about.is_symlink() {
        return Ok(());
    }
    std::fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::tighten;

    #[test]
    fn what_others_may_do_with_what_is_ours_is_taken_back_and_no_more_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("sled/blobs")).expect("made");
        std::fs::create_dir(at("notes")).expect("made");
        for file in ["sled/db", "heads", "model_budget.json", "notes/mine"] {
            std::fs::write(at(file), "x").expect("written");
            std::fs::set_permissions(at(file), Permissions::from_mode(0o644)).expect("set");
        }
        std::fs::set_permissions(elsewhere.path(), Permissions::from_mode(0o755)).expect("set");
        std::os::unix::fs::symlink(elsewhere.path(), at("snapshots")).expect("a link");
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o2775)).expect("set");
        tighten(folder.path(), &["model_budget.json"]);
        let mode = |path: &std::path::Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o7777;
        assert_eq!(mode(folder.path()), 0o2700);
        for (name, right) in [
            ("sled", 0o700),
            ("sled/blobs", 0o700),
            ("sled/db", 0o600),
            ("heads", 0o600),
            ("model_budget.json", 0o600),
            ("notes/mine", 0o644),
        ] {
            assert_eq!(mode(&at(name)), right, "{name}");
        }
        assert_eq!(mode(elsewhere.path()), 0o755, "a link leads out");
    }
}
