//! Who may read the files: their owner alone, under any umask (Z-167).
//!
//! What clients said lies in the data folder, in backups and in copies of both. The process makes every file so; what is there
//! already, or was made by a version before this one, is put right when the folder is opened.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What the store has in its folder, beside sled's files within `sled`.
const OURS: [&str; 9] = [
    "LOCK",
    "compact",
    "heads",
    "restoring",
    "room",
    "sled",
    "sled.new",
    "sled.old",
    "snapshots",
];
/// What others than the owner may do.
const OTHERS: u32 = 0o077;

/// From now on whatever the process makes is its owner's alone. For the program's start: it holds for the whole process.
pub fn keep_to_owner() {
    // SAFETY: the call takes a plain value and cannot fail.
    #[expect(unsafe_code, reason = "the standard library sets no umask")]
    unsafe {
        libc::umask(0o077);
    }
}

/// Takes from others what they may do with the folder and what is ours in it; `more` names further files.
pub fn tighten(folder: &Path, more: &[&str]) {
    let within = OURS.iter().chain(more).map(|name| folder.join(name));
    let outcome = tighten_one(folder).and_then(|()| {
        for path in within {
            tighten_all(&path)?;
        }
        Ok(())
    });
    if let Err(error) = outcome {
        // Somebody else's folder, as a volume's is: what is in it is still its owner's alone where the process made it.
        tracing::warn!(folder = %folder.display(), %error, "others than the owner may read the data folder, and it cannot be changed");
    }
}

fn tighten_all(path: &Path) -> io::Result<()> {
    let about = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    if about.is_symlink() {
        return Ok(());
    }
    tighten_one(path)?;
    if about.is_dir() {
        for entry in std::fs::read_dir(path)? {
            tighten_all(&entry?.path())?;
        }
    }
    Ok(())
}

fn tighten_one(path: &Path) -> io::Result<()> {
    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & OTHERS == 0 {
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
