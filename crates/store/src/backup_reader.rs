//! Reading a backup: part by part, every record held against its checksum and the chain of hashes, everything against the
//! manifest. The format stands in [`crate::backup`].
//!
//! Invariant: a backup is called whole only after its manifest was reached, everything before it has the manifest's SHA-256,
//! and nothing follows. No more than one part is held in memory.

use std::io;
use std::io::Read;

use serde::de::DeserializeOwned;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;

use crate::backup::Begins;
use crate::backup::FORMAT;
use crate::backup::HEADER;
use crate::backup::Header;
use crate::backup::JOURNAL;
use crate::backup::MAGIC;
use crate::backup::MANIFEST;
use crate::backup::Manifest;
use crate::backup::RECORDS;
use crate::heads;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::record;
use crate::sequencer;

/// Bytes of the longest part: one of records, and a record more.
const PART_BYTES_MAX: usize = 4 << 20;
/// Bytes of what stands before a part's content.
const FRAMING_BYTES: u64 = 5;

/// Why a backup was not read.
#[derive(Debug, thiserror::Error)]
pub enum BackupFault {
    /// It is not, or no longer, what was written.
    #[error("{0}")]
    Damaged(String),
    /// It could not be read to its end.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// What was read could not be put where it belongs.
    #[error("{0}")]
    Store(#[from] JournalFault),
}

/// What a whole backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The version that wrote it.
    pub program: String,
    /// When it was begun, RFC 3339.
    pub at: String,
    pub journals: u64,
    pub records: u64,
    pub erased: u64,
    pub bytes: u64,
    /// Of everything before the manifest.
    pub sha256: String,
}

/// Some records of one journal, checked.
#[derive(Debug)]
pub struct Stretch<'a> {
    pub journal: &'a str,
    /// The record before them; empty for the first ones.
    pub before: Head,
    pub bytes: &'a [u8],
    /// Where in the bytes each record ends, and the head after it. Never empty.
    pub ends: Vec<(usize, Head)>,
}

/// Is given what was read and checked, to put it where it belongs.
pub type Take<'a> = dyn FnMut(&Stretch<'_>) -> Result<(), JournalFault> + 'a;

/// A journal that is being read.
struct Current {
    begins: Begins,
    head: Head,
}

/// Reads a backup to its end. `progress` is told how many records of how many were read.
///
/// # Errors
/// The first thing that is wrong with it, or that `take` could not do. What was taken before is not to be used then.
pub fn read(source: &mut dyn Read, take: &mut Take<'_>, progress: &dyn Fn(u64, u64)) -> Result<Contents, BackupFault> {
    let mut reader = Reader {
        source,
        sum: Sha256::new(),
        counted: Manifest::default(),
        bytes: 0,
    };
    reader.magic()?;
    let (HEADER, content) = reader.part()? else {
        return Err(damaged("its header is missing"));
    };
    let header: Header = document(&content, "header")?;
    let mut current: Option<Current> = None;
    loop {
        reader.counted.bytes = reader.bytes;
        reader.counted.sha256 = hexadecimal(&reader.sum.clone().finalize());
        let (kind, content) = reader.part()?;
        match kind {
            JOURNAL => {
                let begins = reader.begins(&content, current.as_ref())?;
                current = Some(begins);
            }
            RECORDS => {
                let journal = current.as_mut().ok_or_else(|| damaged("records of no journal"))?;
                reader.records(journal, &content, take)?;
                progress(reader.counted.records, header.records);
            }
            MANIFEST => {
                current.as_ref().map_or(Ok(()), ended)?;
                return reader.whole(header, &document(&content, "manifest")?);
            }
            other => return Err(damaged(&format!("it has a part of kind {other}, which no backup has"))),
        }
    }
}

struct Reader<'a> {
    source: &'a mut dyn Read,
    sum: Sha256,
    /// What was read before the last part.
    counted: Manifest,
    bytes: u64,
}

impl Reader<'_> {
    fn magic(&mut self) -> Result<(), BackupFault> {
        let no_backup = || damaged("it is no backup of Otherwise");
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            if line.len() > MAGIC.len() + 10 {
                return Err(no_backup());
            }
            let byte = self.bytes(1).map_err(|fault| match fault {
                BackupFault::Damaged(_) => no_backup(),
                other @ (BackupFault::Unreadable(_) | BackupFault::Store(_)) => other,
            })?;
            line.extend_from_slice(&byte);
        }
        let format = std::str::from_utf8(&line)
            .ok()
            .and_then(|line| line.strip_prefix(MAGIC)?.trim_end_matches('\n').parse::<u32>().ok())
            .ok_or_else(no_backup)?;
        if format != FORMAT {
            return Err(damaged(&format!(
                "its format is {format}; this version reads format {FORMAT}: restore it with the version that wrote it, or a \
                 later one"
            )));
        }
        Ok(())
    }

    fn part(&mut self) -> Result<(u8, Vec<u8>), BackupFault> {
        let framing = self.bytes(FRAMING_BYTES)?;
        let [kind, length @ ..] = framing.as_slice() else {
            return Err(cut_off());
        };
        let length = length.try_into().map_or(u32::MAX, u32::from_le_bytes);
        if length as usize > PART_BYTES_MAX {
            return Err(damaged(&format!(
                "a part of it says that it has {length} bytes, which no part has"
            )));
        }
        let content = self.bytes(u64::from(length))?;
        Ok((*kind, content))
    }

    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, BackupFault> {
        let mut bytes = Vec::new();
        (&mut *self.source).take(length).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < length {
            return Err(cut_off());
        }
        self.sum.update(&bytes);
        self.bytes += length;
        Ok(bytes)
    }

    fn begins(&mut self, content: &[u8], before: Option<&Current>) -> Result<Current, BackupFault> {
        before.map_or(Ok(()), ended)?;
        let begins: Begins = document(content, "journal")?;
        let name = &begins.journal;
        if name.is_empty() || name.len() > heads::NAME_BYTES_MAX || begins.seq == 0 {
            return Err(damaged("it names a journal that no store has"));
        }
        if before.is_some_and(|before| *name <= before.begins.journal) {
            return Err(damaged(&format!("journal {name} is not in its place")));
        }
        self.counted.journals += 1;
        let head = Head::default();
        Ok(Current { begins, head })
    }

    fn records(&mut self, journal: &mut Current, content: &[u8], take: &mut Take<'_>) -> Result<(), BackupFault> {
        let before = journal.head;
        let name = &journal.begins.journal;
        let mut ends = Vec::new();
        let mut end = 0;
        while end < content.len() {
            let seq = journal.head.seq + 1;
            let wrong = |what: String| damaged(&format!("journal {name}: record {seq} is damaged: {what}"));
            let (record, length) = record::follow(&journal.head, &content[end..]).map_err(wrong)?;
            if seq > journal.begins.seq {
                return Err(wrong("it is beyond the journal's end".to_owned()));
            }
            sequencer::advance(&mut journal.head, &record);
            self.counted.records += 1;
            self.counted.erased += u64::from(record.erased);
            end += length;
            ends.push((end, journal.head));
        }
        if ends.is_empty() {
            return Ok(());
        }
        let stretch = Stretch {
            journal: name,
            before,
            bytes: content,
            ends,
        };
        Ok(take(&stretch)?)
    }

    /// Holds everything that was read against the manifest.
    fn whole(&mut self, header: Header, manifest: &Manifest) -> Result<Contents, BackupFault> {
        let counted = &self.counted;
        if manifest != counted || (header.journals, header.records) != (counted.journals, counted.records) {
            return Err(damaged(
                "it is not what its manifest says, or its SHA-256 is another one",
            ));
        }
        let mut more = Vec::new();
        (&mut *self.source).take(1).read_to_end(&mut more)?;
        if !more.is_empty() {
            return Err(damaged("something stands behind its manifest"));
        }
        Ok(Contents {
            program: header.program,
            at: header.at,
            journals: counted.journals,
            records: counted.records,
            erased: counted.erased,
            bytes: self.bytes,
            sha256: counted.sha256.clone(),
        })
    }
}

/// Whether a journal came to the end that was said of it.
fn ended(journal: &Current) -> Result<(), BackupFault> {
    let Current { begins, head } = journal;
    let Begins { journal, seq, hash } = begins;
    if head.seq != *seq {
        return Err(damaged(&format!(
            "journal {journal} ends at record {}, and is to end at {seq}",
            head.seq
        )));
    }
    if hexadecimal(&head.hash) != *hash {
        return Err(damaged(&format!(
            "journal {journal}: the hash of its last record is another one"
        )));
    }
    Ok(())
}

fn document<T: DeserializeOwned>(content: &[u8], what: &str) -> Result<T, BackupFault> {
    serde_json::from_slice(content).map_err(|_| damaged(&format!("its {what} is not as it was written")))
}

fn damaged(what: &str) -> BackupFault {
    BackupFault::Damaged(what.to_owned())
}

fn cut_off() -> BackupFault {
    damaged("it is cut off: its manifest is missing")
}
