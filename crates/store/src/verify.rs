//! Checks a whole folder, or a copy of it, and lists everything that is wrong with it.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::path::PathBuf;

use tempfile::Builder;
use tempfile::TempDir;

use crate::data_folder;
use crate::data_folder::HEADS;
use crate::data_folder::SNAPSHOTS;
use crate::engines;
use crate::fault;
use crate::heads::Standing;
use crate::journal::JournalFault;
use crate::journal::Verification;
use crate::lock::Lock;
use crate::options::StoreSettings;
use crate::recovery;
use crate::snapshots::Snapshots;
use crate::space;

/// What the engine may write into a copy beside what is copied: sled, a snapshot of its own, far smaller than its log.
const SPARE_BYTES: u64 = 16 << 20;

/// Checks a copy of the folder, made in `work`, and so changes nothing in it: it may lie on a file system that is read-only.
/// `tell` is told beforehand how much room the copy needs.
///
/// # Errors
/// As [`verify`], and where there is no room for the copy.
pub fn verify_copy(
    folder: &Path,
    work: &Path,
    tell: &dyn Fn(&str),
    progress: &dyn Fn(u64, u64),
) -> Result<Verification, JournalFault> {
    let copy = duplicate(folder, work, tell)?;
    let (copied, original) = (copy.path().display().to_string(), folder.display().to_string());
    // What was found in the copy is said of the original.
    let of_original = |fault| match fault {
        JournalFault::Store(what) => JournalFault::Store(what.replace(&copied, &original)),
        other => other,
    };
    let mut verification = verify(copy.path(), progress).map_err(of_original)?;
    verification.faults = verification.faults.into_iter().map(of_original).collect();
    if let Err(error) = copy.close() {
        tracing::warn!(folder = copied, %error, "a copy that was checked stays");
    }
    Ok(verification)
}

/// Reads every record, chain, sealed head and snapshot of a folder that may be written to. Nothing is repaired but what the
/// engine does to its own files at every start. `progress` is called with the records checked so far and the records that there
/// are: those that the sealed heads promise, or more where a crash came before the seal.
///
/// # Errors
/// When there is no store, or another process has it. Damage is in [`Verification::faults`].
pub fn verify(folder: &Path, progress: &dyn Fn(u64, u64)) -> Result<Verification, JournalFault> {
    let only = |fault| {
        Ok(Verification {
            faults: vec![fault],
            ..Verification::default()
        })
    };
    if engines::of_folder(folder).is_none() {
        if !folder.join(HEADS).exists() {
            let what = format!("there is no store in {}", folder.display());
            return Err(JournalFault::Store(what));
        }
        return only(JournalFault::Store(format!(
            "the store itself (the folder {}) is missing beside its file heads",
            engines::DEFAULT.folder
        )));
    }
    let looks = StoreSettings {
        compacts: false,
        ..StoreSettings::default()
    };
    let (_lock, opened) = match recovery::open(folder, engines::DEFAULT, &looks) {
        Ok(opened) => opened,
        Err(fault @ (JournalFault::Store(_) | JournalFault::Damaged { .. } | JournalFault::Truncated { .. }))
            if Lock::take(folder).is_ok() =>
        {
            return only(fault);
        }
        Err(fault) => return Err(fault),
    };
    let promised = opened.standing.sealed.values().map(|sealed| sealed.seq).sum::<u64>();
    let progress = |records: u64| progress(records, promised.max(records));
    let found = match opened.examine(&progress) {
        Ok(found) => found,
        Err(fault) => return only(fault),
    };
    let mut verification = Verification {
        journals: found.journals.len() as u64,
        records: found.records,
        erased: found.erased,
        snapshots: 0,
        faults: torn(&opened.standing).chain(found.faults).collect(),
    };
    let snapshots = Snapshots::in_folder(folder);
    for (name, known) in &found.journals {
        for file in snapshots.list(name).unwrap_or_default() {
            verification.snapshots += 1;
            let wrong = match file.load() {
                // What lies beyond the end is another matter: it says that there was more.
                Ok(snapshot) if snapshot.seq > known.head.seq => continue,
                Ok(snapshot) => match opened.walk(known.number).holds(&name.0, &snapshot) {
                    Ok(true) => continue,
                    Ok(false) => "it was taken of another journal".to_owned(),
                    Err(_) => "it is of a record that is not there".to_owned(),
                },
                Err(what) => what,
            };
            verification.faults.push(JournalFault::Snapshot {
                journal: name.0.clone(),
                seq: file.seq,
                what: wrong,
            });
        }
    }
    verification.faults.extend(snapshots.ahead(&found.journals)?);
    progress(verification.records);
    Ok(verification)
}

/// One fault for each slot of `heads` that is not as it was written.
fn torn(standing: &Standing) -> impl Iterator<Item = JournalFault> {
    standing.damaged.iter().map(|slot| {
        let stands = u32::try_from(slot / 2).ok().and_then(|n| standing.sealed.get(&n));
        JournalFault::TornHead(match stands {
            Some(sealed) => format!(
                "slot {slot} of the file heads, which is of {}, is torn or damaged; its other slot stands, so nothing is \
                 lost. A power cut while it was written leaves it so: starting the service once writes it anew",
                sealed.name
            ),
            None => format!(
                "slot {slot} of the file heads is torn or damaged, and no other slot stands for its journal; unless a \
                 journal is named beside this, it never got a record, and starting the service once clears it"
            ),
        })
    })
}

/// A copy of a data folder, to look into: an engine opens nothing without writing to it. Snapshots are read where they lie.
/// Nothing in the folder that is copied is written, made or removed; the copy is its owner's alone, and goes when this is dropped.
fn duplicate(original: &Path, work: &Path, tell: &dyn Fn(&str)) -> Result<TempDir, JournalFault> {
    let _hold = Lock::hold(original)?;
    let in_source = |error: io::Error| fault::from_io(&error, original);
    let in_work = |error: io::Error| fault::from_io(&error, work);
    let source = original.canonicalize().map_err(in_source)?;
    let work = work.canonicalize().map_err(in_work)?;
    if work.starts_with(&source) {
        return Err(JournalFault::Store(format!(
            "{} lies within the folder that is checked, in which nothing is changed: name another folder for the copy",
            work.display()
        )));
    }
    // Under which name each is copied. A compaction that was cut short between two renames left the whole store aside.
    let engine = engines::of_folder(&source).unwrap_or(engines::DEFAULT);
    let [rows, _, old] = data_folder::rows(&source, engine);
    let parts = [(engine.folder, rows), (engine.folder, old), (HEADS, source.join(HEADS))];
    let mut parts: Vec<(&str, PathBuf)> = parts.into_iter().filter(|(_, path)| path.exists()).collect();
    parts.dedup_by_key(|(name, _)| *name);
    let mut needed = SPARE_BYTES;
    for (_, path) in &parts {
        let counted = data_folder::each(path, &mut |_, about| {
            needed += if about.is_dir() { 0 } else { about.len() };
            Ok(())
        });
        counted.map_err(in_source)?;
    }
    let free = space::available(&work).map_err(in_work)?;
    let at = work.display();
    tell(&format!(
        "a copy is checked, so that nothing changes in {}: it needs {needed} bytes in {at}, where {free} are free",
        original.display(),
    ));
    if free < needed {
        return Err(JournalFault::DiskFull(format!(
            "the copy that is checked needs {needed} bytes, and {at} has {free}: name another folder for it \
             (--work-folder, or TMPDIR)",
        )));
    }
    let duplicate = Builder::new()
        .prefix("otherwise-verify-")
        .tempdir_in(&work)
        .map_err(in_work)?;
    for (name, path) in &parts {
        data_folder::forget_pages(path, false).map_err(in_source)?;
        copy(path, &duplicate.path().join(name)).map_err(in_work)?;
    }
    let snapshots = source.join(SNAPSHOTS);
    if snapshots.is_dir() {
        symlink(&snapshots, duplicate.path().join(SNAPSHOTS)).map_err(in_work)?;
    }
    Ok(duplicate)
}

/// Copies a file, or a folder with everything in it, so that its owner may write to the copy.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !std::fs::symlink_metadata(from)?.is_dir() {
        return io::copy(&mut std::fs::File::open(from)?, &mut std::fs::File::create(to)?).map(drop);
    }
    DirBuilder::new().mode(0o700).create(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::journal::JournalFault;

    #[test]
    fn a_copy_for_which_there_is_no_room_or_no_place_is_refused_and_leaves_nothing_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sled")).expect("made");
        let db = std::fs::File::create(folder.path().join("sled/db")).expect("made");
        // Sparse: it has the length alone.
        db.set_len(1 << 43).expect("a length");
        let verify = |work| super::verify_copy(folder.path(), work, &|_| {}, &|_, _| {}).expect_err("refused");
        let refused = verify(work.path());
        assert!(
            matches!(&refused, JournalFault::DiskFull(what) if what.contains("--work-folder") && what.contains("8796109799424")),
            "{refused}"
        );
        assert_eq!(std::fs::read_dir(work.path()).expect("a folder").count(), 0);
        let within = verify(&folder.path().join("sled"));
        assert!(matches!(within, JournalFault::Store(what) if what.contains("another folder")));
    }
}
