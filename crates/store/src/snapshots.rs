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

use percent_encoding::AsciiSet;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_decode_str;
use percent_encoding::utf8_percent_encode;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;
use zerocopy::FromBytes;
use zerocopy::Immutable;
use zerocopy::IntoBytes;
use zerocopy::KnownLayout;
use zerocopy::Unaligned;
use zerocopy::little_endian::U64;

use crate::data_folder::SNAPSHOTS;
use crate::fault;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Snapshot;
use crate::kv::sync_folder;
use crate::recovery::Known;

/// How many snapshots of a journal are kept: the one before the newest is there should the newest be damaged.
pub const KEPT: usize = 2;

const MAGIC: &[u8; 18] = b"otherwise snapshot";
const VERSION: u8 = 1;
/// Bytes of a folder's name above which the rest is replaced by its hash, which has 64 more; file systems take 255.
const FOLDER_BYTES_MAX: usize = 180;
/// What is written in hexadecimal in a folder's name.
const CODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// What stands before a snapshot's state, as it lies in its file.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 18],
    version: u8,
    seq: U64,
    hash: [u8; 32],
    state_bytes: U64,
    /// SHA-256 of everything before it and of the state.
    sum: [u8; 32],
}

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
    /// Snapshots of the store in a data folder; their own folder need not exist yet.
    pub fn in_folder(data: &Path) -> Snapshots {
        Snapshots {
            folder: data.join(SNAPSHOTS),
        }
    }

    /// Writes a snapshot durably and removes all but the newest.
    pub fn keep(&self, journal: &JournalName, snapshot: &Snapshot) -> Result<(), JournalFault> {
        let folder = self.folder.join(folder_name(&journal.0));
        let created = !folder.exists();
        std::fs::create_dir_all(&folder).map_err(|error| fault::from_io(&error, &folder))?;
        let path = folder.join(format!("{:020}.snap", snapshot.seq));
        let partial = path.with_extension("partial");
        if let Err(error) = write(&partial, snapshot).and_then(|()| std::fs::rename(&partial, &path)) {
            // The error is what matters; a leftover is overwritten by the next attempt.
            let _ = std::fs::remove_file(&partial);
            return Err(fault::from_io(&error, &path));
        }
        sync_folder(&folder)?;
        if created {
            sync_folder(&self.folder)?;
        }
        for old in self.list(journal)?.into_iter().skip(KEPT) {
            std::fs::remove_file(&old.path).map_err(|error| fault::from_io(&error, &old.path))?;
        }
        Ok(())
    }

    /// Journals of which a whole snapshot is of a record that they do not have, by where they end: what was acknowledged is lost,
    /// since a snapshot is taken of nothing else.
    pub fn ahead(&self, journals: &BTreeMap<JournalName, Known>) -> Result<Vec<JournalFault>, JournalFault> {
        let ends = journals
            .iter()
            .map(|(name, known)| (folder_name(&name.0), (name, known.head.seq)));
        let ends: BTreeMap<String, (&JournalName, u64)> = ends.collect();
        let mut ahead = Vec::new();
        for path in entries(&self.folder)? {
            let folder = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let known = ends.get(folder);
            let found = known.map_or(0, |(_, end)| *end);
            let beyond = listed(&path)?.into_iter().filter(|snapshot| snapshot.seq > found);
            if let Some(snapshot) = beyond.into_iter().find_map(|found| found.load().ok()) {
                ahead.push(JournalFault::Behind {
                    journal: known.map_or_else(|| journal_name(folder), |(name, _)| name.0.clone()),
                    snapshot: snapshot.seq,
                    found,
                });
            }
        }
        Ok(ahead)
    }

    /// Files of a journal's snapshots, newest first.
    pub fn list(&self, journal: &JournalName) -> Result<Vec<Found>, JournalFault> {
        listed(&self.folder.join(folder_name(&journal.0)))
    }
}

/// What lies in a folder, which need not be there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, JournalFault> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(|error| fault::from_io(&error, folder))
}

fn listed(folder: &Path) -> Result<Vec<Found>, JournalFault> {
    let mut found: Vec<Found> = entries(folder)?
        .into_iter()
        .filter_map(|path| {
            let seq = path.file_name()?.to_str()?.strip_suffix(".snap")?.parse().ok()?;
            Some(Found { seq, path })
        })
        .collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.seq));
    Ok(found)
}

impl Found {
    /// Reads and checks it.
    pub fn load(&self) -> Result<Snapshot, String> {
        let bytes = std::fs::read(&self.path).map_err(|error| format!("it cannot be read: {error}"))?;
        let snapshot = read(&bytes)?;
        if snapshot.seq != self.seq {
            return Err(format!("it is of record {}", snapshot.seq));
        }
        Ok(snapshot)
    }
}

impl Header {
    fn sum(&self, state: &[u8]) -> [u8; 32] {
        let before = &self.as_bytes()[..size_of::<Header>() - self.sum.len()];
        Sha256::new().chain_update(before).chain_update(state).finalize().into()
    }
}

fn write(path: &Path, snapshot: &Snapshot) -> io::Result<()> {
    let Snapshot { seq, hash, state } = snapshot;
    let mut header = Header {
        magic: *MAGIC,
        version: VERSION,
        seq: (*seq).into(),
        hash: *hash,
        state_bytes: (state.len() as u64).into(),
        sum: [0; 32],
    };
    header.sum = header.sum(state);
    let mut file = File::create(path)?;
    file.write_all(header.as_bytes())?;
    file.write_all(state)?;
    file.sync_all()
}

fn read(bytes: &[u8]) -> Result<Snapshot, String> {
    if !bytes.starts_with(MAGIC) {
        return Err("its first bytes are not a snapshot's".to_owned());
    }
    let (header, state) = Header::read_from_prefix(bytes).map_err(|_| "it is cut off")?;
    if header.version != VERSION {
        let version = header.version;
        return Err(format!("its format is {version}, which this version does not read"));
    }
    if header.state_bytes.get() != state.len() as u64 {
        return Err("its length is not what it says".to_owned());
    }
    if header.sum(state) != header.sum {
        return Err("its checksum does not match".to_owned());
    }
    Ok(Snapshot {
        seq: header.seq.get(),
        hash: header.hash,
        state: state.to_vec(),
    })
}

/// A journal's name as the name of one folder: what is not a letter, a digit, `_` or `-` is written in hexadecimal.
fn folder_name(journal: &str) -> String {
    let pieces = utf8_percent_encode(journal, CODED);
    // In small letters, as the folders that there are.
    let small = |piece: &str| match piece.starts_with('%') {
        true => piece.to_ascii_lowercase(),
        false => piece.to_owned(),
    };
    let mut name: String = pieces.map(small).collect();
    if name.len() > FOLDER_BYTES_MAX {
        name.truncate(FOLDER_BYTES_MAX);
        name.push_str(&hexadecimal(&Sha256::digest(journal.as_bytes())));
    }
    name
}

/// The journal's name that a folder's says, or what of it can be read.
fn journal_name(folder: &str) -> String {
    percent_decode_str(folder).decode_utf8_lossy().into_owned()
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
        let snapshots = Snapshots::in_folder(folder.path());
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
