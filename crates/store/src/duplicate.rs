//! A copy of a data folder, to look into: an engine opens nothing without writing to it.
//!
//! Snapshots are read where they lie. Invariant: nothing in the folder that is copied is written, made or removed, and the copy
//! goes when it is dropped.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::path::PathBuf;

use crate::data_folder;
use crate::data_folder::HEADS;
use crate::data_folder::SNAPSHOTS;
use crate::engines;
use crate::fault;
use crate::journal::JournalFault;
use crate::lock::Hold;
use crate::page_cache;
use crate::space;

/// What the engine may write into the copy beside what is copied: sled, a snapshot of its own, far smaller than its log.
const SPARE_BYTES: u64 = 16 << 20;
/// Names that are tried: copies that a killed process left may have the first ones.
const NAMES_MAX: u32 = 100;

/// The copy.
#[derive(Debug)]
pub struct Duplicate {
    original: PathBuf,
    folder: PathBuf,
}

impl Duplicate {
    /// Copies the store and the sealed heads into a new folder within `work`. `tell` is told beforehand how much room that
    /// needs.
    ///
    /// # Errors
    /// When another process has the folder, it cannot be read, or there is no room in `work`.
    pub fn take(original: &Path, work: &Path, tell: &dyn Fn(&str)) -> Result<Duplicate, JournalFault> {
        let _hold = Hold::take(original)?;
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| fault::from_io(&error, &path)
        };
        let source = original.canonicalize().map_err(at(original))?;
        let work = work.canonicalize().map_err(at(work))?;
        if work.starts_with(&source) {
            return Err(JournalFault::Store(format!(
                "{} lies within the folder that is checked, in which nothing is changed: name another folder for the copy",
                work.display()
            )));
        }
        // Under which name each is copied. A compaction that was cut short between two renames left the whole store aside.
        let engine = engines::of_folder(&source).unwrap_or(engines::DEFAULT);
        let [rows, _, old] = data_folder::rows(&source, engine);
        let rows = [rows, old].into_iter().find(|rows| rows.is_dir());
        let heads = Some(source.join(HEADS)).filter(|heads| heads.is_file());
        let parts = [(engine.folder, rows), (HEADS, heads)];
        let parts: Vec<(&str, PathBuf)> = parts
            .into_iter()
            .filter_map(|(name, path)| Some((name, path?)))
            .collect();
        let mut needed = SPARE_BYTES;
        for (_, path) in &parts {
            needed += bytes(path).map_err(at(path))?;
        }
        let free = space::available(&work).map_err(at(&work))?;
        tell(&format!(
            "a copy is checked, so that nothing changes in {}: it needs {needed} bytes in {}, where {free} are free",
            original.display(),
            work.display()
        ));
        if free < needed {
            return Err(JournalFault::DiskFull(format!(
                "the copy that is checked needs {needed} bytes, and {} has {free}: name another folder for it \
                 (--work-folder, or TMPDIR)",
                work.display()
            )));
        }
        let duplicate = Duplicate {
            original: original.to_owned(),
            folder: new_folder(&work).map_err(at(&work))?,
        };
        for (name, path) in &parts {
            page_cache::forget(path, false).map_err(at(path))?;
            copy(path, &duplicate.folder.join(name)).map_err(at(&work))?;
        }
        let snapshots = source.join(SNAPSHOTS);
        if snapshots.is_dir() {
            symlink(&snapshots, duplicate.folder.join(SNAPSHOTS)).map_err(at(&work))?;
        }
        Ok(duplicate)
    }

    /// Where the copy lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was found in the copy, said of the original.
    pub fn original(&self, fault: JournalFault) -> JournalFault {
        let (copy, original) = (self.folder.display().to_string(), self.original.display().to_string());
        match fault {
            JournalFault::Store(what) => JournalFault::Store(what.replace(&copy, &original)),
            other => other,
        }
    }
}

impl Drop for Duplicate {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tracing::warn!(folder = %self.folder.display(), %error, "a copy that was checked stays");
        }
    }
}

fn new_folder(work: &Path) -> io::Result<PathBuf> {
    let process = std::process::id();
    for n in 0..NAMES_MAX {
        let folder = work.join(format!("otherwise-verify-{process}-{n}"));
        // It holds what clients said: its owner's alone.
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Bytes of a file, or of everything in a folder.
fn bytes(path: &Path) -> io::Result<u64> {
    let about = std::fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return Ok(about.len());
    }
    let mut sum = 0;
    for entry in std::fs::read_dir(path)? {
        sum += bytes(&entry?.path())?;
    }
    Ok(sum)
}

/// Copies a file, or a folder with everything in it, so that its owner may write to the copy.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !std::fs::symlink_metadata(from)?.is_dir() {
        let mut reader = std::fs::File::open(from)?;
        let mut writer = std::fs::File::create(to)?;
        return io::copy(&mut reader, &mut writer).map(drop);
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
    use super::Duplicate;
    use crate::journal::JournalFault;

    #[test]
    fn a_copy_is_told_of_beforehand_and_goes_afterwards_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sled")).expect("made");
        std::fs::write(folder.path().join("sled/db"), [7; 5_000]).expect("written");
        std::fs::write(folder.path().join("heads"), [7; 512]).expect("written");
        let told = std::cell::RefCell::new(String::new());
        let tell = |text: &str| told.borrow_mut().push_str(text);
        let copy = Duplicate::take(folder.path(), work.path(), &tell).expect("copied");
        let needed = 5_000 + 512 + super::SPARE_BYTES;
        assert!(told.borrow().contains(&format!("needs {needed} bytes")), "{told:?}");
        assert_eq!(
            std::fs::read(copy.folder().join("sled/db")).expect("copied"),
            [7; 5_000]
        );
        let named = copy.original(JournalFault::Store(format!(
            "{}/sled is damaged",
            copy.folder().display()
        )));
        assert_eq!(
            named,
            JournalFault::Store(format!("{}/sled is damaged", folder.path().display()))
        );
        drop(copy);
        assert_eq!(std::fs::read_dir(work.path()).expect("a folder").count(), 0);
        let within = Duplicate::take(folder.path(), &folder.path().join("sled"), &tell);
        assert!(matches!(within, Err(JournalFault::Store(what)) if what.contains("another folder")));
    }

    #[test]
    fn a_copy_for_which_there_is_no_room_is_refused_with_the_bytes_that_it_needs_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("sled")).expect("made");
        let db = std::fs::File::create(folder.path().join("sled/db")).expect("made");
        // Sparse: it has the length alone.
        db.set_len(1 << 43).expect("a length");
        let refused = Duplicate::take(folder.path(), work.path(), &|_| {}).expect_err("no room");
        assert!(
            matches!(&refused, JournalFault::DiskFull(what) if what.contains("--work-folder") && what.contains("8796109799424")),
            "{refused}"
        );
        assert_eq!(std::fs::read_dir(work.path()).expect("a folder").count(), 0);
    }
}
