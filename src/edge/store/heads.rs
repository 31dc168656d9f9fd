//! Sealed heads: where each journal ended, written aside after every commit, so that a lost tail is noticed at start.
//!
//! One file; each journal has two slots that are written in turn, so that a torn write spares the other. Slot: length of
//! the name (2), name, seq (8), hash (32), CRC-32 over them (4), padded with zeros.

use std::collections::BTreeMap;
use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use crate::edge::store::frame::array;
use crate::service::ports::Head;

const SLOT: usize = 512;
/// Longest name of a journal, in bytes.
pub const NAME_MAX: usize = SLOT - 2 - 8 - 32 - 4;

/// One journal's sealed head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedHead {
    pub journal: String,
    pub seq: u64,
    pub hash: [u8; 32],
}

/// The file.
#[derive(Debug)]
pub struct Heads {
    file: File,
    writes: BTreeMap<u32, u64>,
    sync_every: Duration,
    written: bool,
}

impl Heads {
    /// Opens or makes the file.
    ///
    /// # Errors
    /// When it can be neither.
    pub fn open(path: &Path, sync_ms: u64) -> io::Result<Heads> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        Ok(Heads {
            file,
            writes: BTreeMap::new(),
            sync_every: Duration::from_millis(sync_ms),
            written: false,
        })
    }

    /// Reads all sealed heads: journal number -> the later of its two slots. A journal neither of whose slots is whole is
    /// given as an error.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self) -> io::Result<BTreeMap<u32, Result<SealedHead, String>>> {
        let length = self.file.metadata()?.len();
        let mut heads = BTreeMap::new();
        let journals = length.div_ceil(2 * SLOT as u64);
        for number in 0..journals {
            let mut pair = vec![0_u8; 2 * SLOT];
            let mut filled = 0;
            while filled < pair.len() {
                let into = pair.get_mut(filled..).unwrap_or_default();
                let read = self.file.read_at(into, number * 2 * SLOT as u64 + filled as u64)?;
                if read == 0 {
                    break;
                }
                filled += read;
            }
            if pair.iter().all(|byte| *byte == 0) {
                continue;
            }
            let slots = pair.chunks(SLOT).filter_map(slot);
            let head = slots
                .max_by_key(|head| head.seq)
                .ok_or_else(|| "its sealed head is damaged".to_owned());
            heads.insert(u32::try_from(number).unwrap_or(u32::MAX), head);
        }
        Ok(heads)
    }

    /// Writes a head into the journal's next slot.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, number: u32, journal: &str, head: &Head) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(SLOT);
        bytes.extend_from_slice(&u16::try_from(journal.len()).unwrap_or(u16::MAX).to_be_bytes());
        bytes.extend_from_slice(journal.as_bytes());
        bytes.extend_from_slice(&head.seq.to_be_bytes());
        bytes.extend_from_slice(&head.hash);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_be_bytes());
        bytes.resize(SLOT, 0);
        let turn = self.writes.entry(number).or_default();
        *turn += 1;
        let place = (u64::from(number) * 2 + *turn % 2) * SLOT as u64;
        self.written = true;
        self.file.write_all_at(&bytes, place)
    }

    /// How long a head may lie unsynced.
    pub fn sync_every(&self) -> Duration {
        self.sync_every
    }

    /// Syncs what was written since the last time.
    ///
    /// # Errors
    /// When the disk says no.
    pub fn sync(&mut self) -> io::Result<()> {
        if self.written {
            self.file.sync_data()?;
            self.written = false;
        }
        Ok(())
    }
}

fn slot(bytes: &[u8]) -> Option<SealedHead> {
    let length = usize::from(u16::from_be_bytes(array(bytes, 0)?));
    let end = 2_usize.checked_add(length)?;
    let journal = std::str::from_utf8(bytes.get(2..end)?).ok()?.to_owned();
    let seq = u64::from_be_bytes(array(bytes, end)?);
    let hash = array(bytes, end + 8)?;
    let crc = u32::from_be_bytes(array(bytes, end + 40)?);
    let whole = crc32fast::hash(bytes.get(..end + 40)?) == crc && seq > 0;
    whole.then_some(SealedHead { journal, seq, hash })
}

#[cfg(test)]
mod tests {
    use super::Heads;
    use super::SLOT;
    use crate::service::ports::Head;

    #[test]
    fn the_later_slot_counts_and_a_torn_one_leaves_the_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("heads");
        let mut heads = Heads::open(&path, 1).expect("a file");
        for seq in 1..=3 {
            heads
                .write(1, "scenario/x", &Head { seq, ..Head::default() })
                .expect("written");
        }
        let read = heads.read().expect("read");
        assert_eq!(read.len(), 1);
        assert_eq!(read[&1].as_ref().expect("whole").seq, 3);
        let mut bytes = std::fs::read(&path).expect("bytes");
        bytes[3 * SLOT + 20] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        let torn = Heads::open(&path, 1).expect("a file").read().expect("read");
        assert_eq!(torn[&1].as_ref().expect("the other slot").seq, 2);
        bytes[2 * SLOT + 20] ^= 1;
        std::fs::write(&path, &bytes).expect("written");
        assert!(Heads::open(&path, 1).expect("a file").read().expect("read")[&1].is_err());
    }
}
