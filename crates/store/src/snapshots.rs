//! Snapshots as files: `snapshots/<journal>/<seq>.snap`, the two newest of each journal.
//!
//! A snapshot is a shortcut, so losing one is no harm: a file is written under another name, synced and renamed, and
//! one that does not check is passed over.
//!
//! ```text
//! "otherwise snapshot" · version u8 = 1 · seq u64 · hash [32] · length u64 · SHA-256 of all before and the state [32] · state
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

use sha2::Digest;
use sha2::Sha256;

use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Snapshot;

use super::fault;
use super::table::sync_folder;

/// How many snapshots of a journal are kept.
pub const KEPT: usize = 2;

const MAGIC: &[u8; 18] = b"otherwise snapshot";
const VERSION: u8 = 1;
/// Bytes of a folder's name above which the rest is replaced by its hash.
const FOLDER_BYTES_MAX: usize = 180;

/// The snapshots of one store.
#[derive(Debug)]
pub struct Snapshots {
    folder: PathBuf,
}

/// A snapshot's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub seq: u64,
    pub path: PathBuf,
}

impl Snapshots {
    /// Snapshots below a folder, which need not exist yet.
    pub fn new(folder: PathBuf) -> Snapshots {
        Snapshots { folder }
    }

    /// Writes a snapshot durably and removes all but the newest.
    ///
    /// # Errors
    /// When it cannot be written; the ones before it stand.
    pub fn keep(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault> {
        let folder = self.folder.join(folder_name(&journal.0));
        let created = !folder.exists();
        std::fs::create_dir_all(&folder).map_err(|error| fault::of_io(&error, &folder))?;
        let path = folder.join(format!("{:020}.snap", snapshot.seq));
        let partial = path.with_extension("partial");
        if let Err(error) = write(&partial, snapshot).and_then(|()| std::fs::rename(&partial, &path)) {
            // The error is what matters; a leftover is overwritten by the next attempt.
            let _ = std::fs::remove_file(&partial);
            return Err(fault::of_io(&error, &path));
        }
        sync_folder(&folder)?;
        if created {
            sync_folder(&self.folder)?;
        }
        for old in self.list(journal)?.into_iter().skip(KEPT) {
            std::fs::remove_file(&old.path).map_err(|error| fault::of_io(&error, &old.path))?;
        }
        Ok(())
    }

    /// Journals of which a whole snapshot is of a record that they do not have, by where they end: what was acknowledged is lost,
    /// since a snapshot is taken of nothing else.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn ahead(&self, ends: &BTreeMap<&str, u64>) -> Result<Vec<JournalFault>, JournalFault> {
        let names: BTreeMap<String, &str> = ends.keys().map(|name| (folder_name(name), *name)).collect();
        let mut ahead = Vec::new();
        for path in entries(&self.folder)? {
            let folder = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let known = names.get(folder).copied();
            let found = known.and_then(|name| ends.get(name)).copied().unwrap_or(0);
            let beyond = listed(&path)?.into_iter().filter(|snapshot| snapshot.seq > found);
            if let Some(snapshot) = beyond.into_iter().find_map(|found| found.load().ok()) {
                ahead.push(JournalFault::Behind {
                    journal: known.map_or_else(|| journal_name(folder), str::to_owned),
                    snapshot: snapshot.seq,
                    found,
                });
            }
        }
        Ok(ahead)
    }

    /// Files of a journal's snapshots, newest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self, journal: &JournalName) -> Result<Vec<Found>, JournalFault> {
        listed(&self.folder.join(folder_name(&journal.0)))
    }
}

/// What lies in a folder, which need not be there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, JournalFault> {
    let fault = |error: io::Error| fault::of_io(&error, folder);
    match std::fs::read_dir(folder) {
        Ok(entries) => entries
            .map(|entry| entry.map(|entry| entry.path()).map_err(fault))
            .collect(),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(fault(error)),
    }
}

fn listed(folder: &Path) -> Result<Vec<Found>, JournalFault> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        let seq = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".snap")?.parse().ok());
        if let Some(seq) = seq {
            found.push(Found { seq, path });
        }
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.seq));
    Ok(found)
}

impl Found {
    /// Reads and checks it.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn load(&self) -> Result<Snapshot, String> {
        let bytes = std::fs::read(&self.path).map_err(|error| format!("it cannot be read: {error}"))?;
        let snapshot = read(&bytes)?;
        if snapshot.seq != self.seq {
            return Err(format!("it is of record {}", snapshot.seq));
        }
        Ok(snapshot)
    }
}

fn head(snapshot: &Snapshot) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.push(VERSION);
    head.extend_from_slice(&snapshot.seq.to_le_bytes());
    head.extend_from_slice(&snapshot.hash);
    head.extend_from_slice(&(snapshot.state.len() as u64).to_le_bytes());
    head
}

fn sum(head: &[u8], state: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(head).chain_update(state).finalize().into()
}

fn write(path: &Path, snapshot: &Snapshot) -> io::Result<()> {
    let head = head(snapshot);
    let mut file = File::create(path)?;
    file.write_all(&head)?;
    file.write_all(&sum(&head, &snapshot.state))?;
    file.write_all(&snapshot.state)?;
    file.sync_all()
}

fn read(bytes: &[u8]) -> Result<Snapshot, String> {
    let cut = || "it is cut off".to_owned();
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or("its first bytes are not a snapshot's")?;
    let (version, rest) = rest.split_first().ok_or_else(cut)?;
    if *version != VERSION {
        return Err(format!("its format is {version}, which this version does not read"));
    }
    let (seq, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let (hash, rest) = rest.split_first_chunk::<32>().ok_or_else(cut)?;
    let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
    let (expected, state) = rest.split_first_chunk::<32>().ok_or_else(cut)?;
    if u64::from_le_bytes(*length) != state.len() as u64 {
        return Err("its length is not what it says".to_owned());
    }
    let snapshot = Snapshot {
        seq: u64::from_le_bytes(*seq),
        hash: *hash,
        state: state.to_vec(),
    };
    if sum(&head(&snapshot), state) != *expected {
        return Err("its checksum does not match".to_owned());
    }
    Ok(snapshot)
}

/// Where a store's snapshots lie.
pub fn snapshots_folder(folder: &Path) -> PathBuf {
    folder.join("snapshots")
}

/// A journal's name as the name of one folder: what is not a letter, a digit, `_` or `-` is written in hexadecimal.
fn folder_name(journal: &str) -> String {
    let mut name = String::new();
    for byte in journal.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    if name.len() > FOLDER_BYTES_MAX {
        let hash = Sha256::digest(journal.as_bytes());
        name.truncate(FOLDER_BYTES_MAX);
        hash.iter().for_each(|byte| name.push_str(&format!("{byte:02x}")));
    }
    name
}

/// The journal's name that a folder's says, or what of it can be read.
fn journal_name(folder: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = folder;
    while let Some(first) = rest.chars().next() {
        let coded = rest.get(1..3).filter(|_| first == '%');
        match coded.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            None => {
                let (head, tail) = rest.split_at(first.len_utf8());
                bytes.extend_from_slice(head.as_bytes());
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::Snapshots;
    use super::folder_name;
    use super::journal_name;
    use super::read;
    use crate::journal::JournalName;
    use crate::journal::Snapshot;

    fn snapshot(seq: u64) -> Snapshot {
        Snapshot {
            seq,
            hash: [3; 32],
            state: b"state".to_vec(),
        }
    }

    #[test]
    fn two_newest_are_kept_and_every_damage_is_noticed_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let snapshots = Snapshots::new(folder.path().join("snapshots"));
        let journal = JournalName("scenario/default/a".to_owned());
        for seq in [3, 12, 7] {
            snapshots.keep(&journal, &snapshot(seq)).expect("kept");
        }
        let found = snapshots.list(&journal).expect("listed");
        assert_eq!(found.iter().map(|found| found.seq).collect::<Vec<_>>(), [12, 7]);
        assert_eq!(found[0].load(), Ok(snapshot(12)));
        let whole = std::fs::read(&found[0].path).expect("bytes");
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "cut at {length}");
        }
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&flipped).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn no_journal_name_leaves_the_folder_z167() {
        let name = folder_name;
        assert_eq!(name("scenario/default/a-b_c"), "scenario%2fdefault%2fa-b_c");
        assert_eq!(name("../.."), "%2e%2e%2f%2e%2e");
        for text in ["scenario/default/a-b_c", "../..", "ü%", ""] {
            assert_eq!(journal_name(&name(text)), text);
        }
        assert_eq!(journal_name("%2"), "%2");
        let long = name(&"x".repeat(400));
        assert!(long.len() < 250);
        assert_ne!(long, name(&"x".repeat(401)));
    }
}
