//! The sealed heads: where each journal ends, written beside the store so that a lost end is noticed.
//!
//! The file begins with a page of its own and holds two slots of 512 bytes for each journal, written in turn. A slot
//! is one disk sector with a checksum, so a torn write spoils only the slot being written, and the other still holds
//! the head before. A slot is written after the commit that it seals, never before: the journal may be ahead of its
//! sealed head, and must never be behind. A journal's first slot, with sequence 0, is synced before its first commit:
//! from then on a missing slot means damage.
//!
//! ```text
//! slot  turn u64 · journal u32 · seq u64 · hash [32] · name length u16 · name … 0 · crc32 u32   (little-endian)
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::path::PathBuf;

use zerocopy::FromBytes;
use zerocopy::Immutable;
use zerocopy::IntoBytes;
use zerocopy::KnownLayout;
use zerocopy::Unaligned;
use zerocopy::little_endian::U16;
use zerocopy::little_endian::U32;
use zerocopy::little_endian::U64;

use crate::fault;
use crate::journal::Head;
use crate::journal::JournalFault;

/// Bytes of the longest journal name that fits a slot.
pub const NAME_BYTES_MAX: usize = 454;

const MAGIC: &[u8; 32] = b"otherwise sealed heads, format 1";
const SLOT_BYTES: usize = size_of::<Slot>();
const SLOT_BYTES_U64: u64 = SLOT_BYTES as u64;

/// A slot as it lies in the file.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Slot {
    /// From 1 on, so that a slot of zeros is none.
    turn: U64,
    journal: U32,
    seq: U64,
    hash: [u8; 32],
    name_bytes: U16,
    name: [u8; NAME_BYTES_MAX],
    /// Of everything before it.
    crc: U32,
}

/// Where a journal was known to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub name: String,
    /// 0 for a journal that was about to get its first record.
    pub seq: u64,
    pub hash: [u8; 32],
}

/// What the slots say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// By journal number.
    pub sealed: BTreeMap<u32, Sealed>,
    /// Slots that hold something else than what was written, counted from 0; journal `n` has the slots `2n` and `2n + 1`.
    /// A crash may leave the slot being written so: the other one of its journal stands.
    pub damaged: Vec<u64>,
}

/// The open file.
#[derive(Debug)]
pub struct Heads {
    path: PathBuf,
    file: File,
    turns: BTreeMap<u32, u64>,
}

impl Heads {
    /// Opens the file, or creates it when the store is new, and gives the sealed heads.
    ///
    /// # Errors
    /// When the file is missing beside a store that is not new, cannot be read, or is no such file.
    pub fn open(path: &Path, store_is_new: bool) -> Result<(Heads, Standing), JournalFault> {
        let fault = |error: io::Error| fault::from_io(&error, path);
        let mut bytes = match std::fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && store_is_new => Vec::new(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(JournalFault::Store(format!(
                    "{} is missing beside a store that holds records: bring it back from where it was moved to or from \
                     a backup",
                    path.display()
                )));
            }
            read => read.map_err(fault)?,
        };
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).read(true).write(true).open(path);
        let file = file.map_err(fault)?;
        // A first start may have been cut short before the file was made.
        if store_is_new && bytes.len() < MAGIC.len() {
            bytes = MAGIC.to_vec();
            bytes.resize(SLOT_BYTES, 0);
            file.write_all_at(&bytes, 0)
                .and_then(|()| file.sync_all())
                .map_err(fault)?;
        }
        if !bytes.starts_with(MAGIC) {
            return Err(JournalFault::Store(format!(
                "{} is damaged: its first bytes are not its own",
                path.display()
            )));
        }
        let (turns, standing) = read_slots(&bytes);
        let path = path.to_owned();
        Ok((Heads { path, file, turns }, standing))
    }

    /// Writes a journal's first slot, durably, before its first record is committed.
    pub fn announce(&mut self, journal: u32, name: &str) -> Result<(), JournalFault> {
        self.seal(journal, name, Head::default())?;
        self.sync()
    }

    /// Writes where a journal ends; durable after the next [`Heads::sync`].
    pub fn seal(&mut self, journal: u32, name: &str, head: Head) -> Result<(), JournalFault> {
        let Head { seq, hash, .. } = head;
        self.write(journal, name, seq, hash)
    }

    fn write(&mut self, journal: u32, name: &str, seq: u64, hash: [u8; 32]) -> Result<(), JournalFault> {
        let turn = self.turns.get(&journal).map_or(1, |turn| turn + 1);
        let index = u64::from(journal) * 2 + turn % 2;
        let slot = Slot::new(turn, journal, name, seq, hash);
        self.file
            .write_all_at(slot.as_bytes(), SLOT_BYTES_U64 * (index + 1))
            .map_err(|error| fault::from_io(&error, &self.path))?;
        self.turns.insert(journal, turn);
        Ok(())
    }

    /// Writes the damaged slots anew, durably: with the head that stands, or empty where none does. Only for a folder whose
    /// journals were held against the heads that stand, and found whole.
    pub fn mend(&mut self, standing: &Standing) -> Result<(), JournalFault> {
        for &slot in &standing.damaged {
            tracing::warn!(slot, "a sealed head was torn or damaged; it is written anew");
            let journal = u32::try_from(slot / 2).ok();
            match journal.and_then(|journal| Some((journal, standing.sealed.get(&journal)?))) {
                // The turn after the one that stands falls on the other slot, which is the damaged one.
                Some((journal, sealed)) => self.write(journal, &sealed.name, sealed.seq, sealed.hash)?,
                None => self
                    .file
                    .write_all_at(&[0; SLOT_BYTES], SLOT_BYTES_U64 * (slot + 1))
                    .map_err(|error| fault::from_io(&error, &self.path))?,
            }
        }
        if standing.damaged.is_empty() {
            return Ok(());
        }
        self.sync()
    }

    /// Makes what was sealed durable.
    pub fn sync(&self) -> Result<(), JournalFault> {
        self.file.sync_all().map_err(|error| fault::from_io(&error, &self.path))
    }
}

fn read_slots(bytes: &[u8]) -> (BTreeMap<u32, u64>, Standing) {
    let mut turns = BTreeMap::new();
    let mut standing = Standing::default();
    // What is cut short reads as no slot.
    for (index, bytes) in (0_u64..).zip(bytes.chunks(SLOT_BYTES).skip(1)) {
        let own = Slot::read(bytes).filter(|(turn, journal, _)| index == u64::from(*journal) * 2 + turn % 2);
        let Some((turn, journal, sealed)) = own else {
            if bytes.iter().any(|&byte| byte != 0) {
                standing.damaged.push(index);
            }
            continue;
        };
        if turns.get(&journal).is_none_or(|&other| other < turn) {
            turns.insert(journal, turn);
            standing.sealed.insert(journal, sealed);
        }
    }
    (turns, standing)
}

impl Slot {
    fn new(turn: u64, journal: u32, text: &str, seq: u64, hash: [u8; 32]) -> Slot {
        // A name that is too long is refused when its first append is queued.
        let length = text.len().min(NAME_BYTES_MAX);
        let mut name = [0; NAME_BYTES_MAX];
        name[..length].copy_from_slice(&text.as_bytes()[..length]);
        let mut slot = Slot {
            turn: turn.into(),
            journal: journal.into(),
            seq: seq.into(),
            hash,
            name_bytes: u16::try_from(length).unwrap_or(0).into(),
            name,
            crc: 0.into(),
        };
        slot.crc = slot.sum().into();
        slot
    }

    /// Reads a slot that is whole: its turn, its journal and where that ends.
    fn read(bytes: &[u8]) -> Option<(u64, u32, Sealed)> {
        let slot = Slot::read_from_bytes(bytes).ok()?;
        if slot.sum() != slot.crc.get() || slot.turn.get() == 0 {
            return None;
        }
        let name = slot.name.get(..usize::from(slot.name_bytes.get()))?;
        let sealed = Sealed {
            name: String::from_utf8(name.to_vec()).ok()?,
            seq: slot.seq.get(),
            hash: slot.hash,
        };
        Some((slot.turn.get(), slot.journal.get(), sealed))
    }

    fn sum(&self) -> u32 {
        crc32fast::hash(&self.as_bytes()[..SLOT_BYTES - size_of_val(&self.crc)])
    }
}

#[cfg(test)]
mod tests {
    use super::Heads;
    use super::SLOT_BYTES;
    use super::Standing;
    use crate::journal::Head;

    const NAME: &str = "scenario/default/a";

    fn head(seq: u64) -> Head {
        Head {
            seq,
            hash: [9; 32],
            ..Head::default()
        }
    }

    #[test]
    fn a_torn_slot_leaves_the_head_before_it_and_is_mended_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("heads");
        let (mut heads, found) = Heads::open(&path, true).expect("new");
        assert_eq!(found, Standing::default());
        heads.announce(1, NAME).expect("announced");
        heads.seal(1, NAME, head(5)).expect("sealed");
        heads.seal(1, NAME, head(6)).expect("sealed");
        drop(heads);
        let whole = std::fs::read(&path).expect("bytes");
        let (_, found) = Heads::open(&path, false).expect("whole");
        assert_eq!((found.sealed[&1].seq, found.damaged.len()), (6, 0));
        let mended = |damaged: &[u8], slot: u64, seqs: &[u64]| {
            std::fs::write(&path, damaged).expect("written");
            let (mut heads, found) = Heads::open(&path, false).expect("one slot stands");
            assert!(seqs.contains(&found.sealed[&1].seq), "slot {slot}");
            assert_eq!(found.damaged, [slot]);
            heads.mend(&found).expect("mended");
            let (_, mended) = Heads::open(&path, false).expect("whole");
            assert_eq!((mended.sealed, mended.damaged), (found.sealed, vec![]));
        };
        for at in (3 * SLOT_BYTES..whole.len()).step_by(31) {
            let mut torn = whole.clone();
            torn[at] ^= 0x10;
            mended(&torn, (at / SLOT_BYTES - 1) as u64, &[5, 6]);
        }
        // Cut short, and of no journal.
        mended(&whole[..whole.len() - 1], 3, &[6, 5]);
        let longer = [&whole[..], &[1; SLOT_BYTES]].concat();
        mended(&longer, 4, &[6]);
    }

    #[test]
    fn a_missing_or_foreign_file_beside_a_store_is_named_z167() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("heads");
        let said = || Heads::open(&path, false).expect_err("none").to_string();
        assert!(said().contains("missing"));
        std::fs::write(&path, b"something else").expect("written");
        assert!(said().contains("damaged"));
    }
}
