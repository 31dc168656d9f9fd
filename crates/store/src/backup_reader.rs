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

/// Bytes of the longest part: one of records, and a record more.
const PART_BYTES_MAX: usize = 4 << 20;
/// Bytes of what stands before a part's content.
const FRAMING_BYTES: usize = 5;

/// Why a backup was not read, or not restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupFault {
    /// It is not, or no longer, what was written.
    #[error("{0}")]
    Damaged(String),
    /// It could not be read to its end.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// There is something in the folder that it is to be restored into.
    #[error("{0}")]
    NotEmpty(String),
    /// What was read could not be put where it belongs.
    #[error("{0}")]
    Store(#[from] JournalFault),
    /// What was written is not whole; nothing of it was kept.
    #[error("what was written is not whole: {0}")]
    NotWhole(String),
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

/// Reads a backup to its end. `progress` is told how many records of how many were read.
///
/// # Errors
/// The first thing that is wrong with it, or that `take` could not do. What was taken before is not to be used then.
pub fn read(source: &mut dyn Read, take: &mut Take<'_>, progress: &dyn Fn(u64, u64)) -> Result<Contents, BackupFault> {
    let mut source = Source {
        source,
        sum: Sha256::new(),
        bytes: 0,
    };
    let line = source.up_to(MAGIC.len() + 2)?;
    let format = line.strip_prefix(MAGIC.as_bytes());
    let format = format.ok_or_else(|| damaged("it is no backup of Otherwise".to_owned()))?;
    if format != format!("{FORMAT}\n").as_bytes() {
        return Err(damaged(format!(
            "its format is {}; this version reads format {FORMAT}: restore it with the version that wrote it, or a later one",
            String::from_utf8_lossy(format).trim_end()
        )));
    }
    let (HEADER, content) = source.part()? else {
        return Err(damaged("its header is missing".to_owned()));
    };
    let header: Header = document(&content, "header")?;
    let mut counted = Manifest::default();
    let mut current: Option<Current> = None;
    loop {
        counted.bytes = source.bytes;
        counted.sha256 = hexadecimal(&source.sum.clone().finalize());
        let (kind, content) = source.part()?;
        match kind {
            JOURNAL => {
                current = Some(Current::begin(&content, current)?);
                counted.journals += 1;
            }
            RECORDS => {
                let journal = current
                    .as_mut()
                    .ok_or_else(|| damaged("records of no journal".to_owned()))?;
                journal.records(&content, &mut counted, take)?;
                progress(counted.records, header.records);
            }
            MANIFEST => {
                current.map_or(Ok(()), Current::end)?;
                let manifest: Manifest = document(&content, "manifest")?;
                if manifest != counted || (header.journals, header.records) != (counted.journals, counted.records) {
                    let what = "it is not what its manifest says, or its SHA-256 is another one";
                    return Err(damaged(what.to_owned()));
                }
                break;
            }
            other => return Err(damaged(format!("it has a part of kind {other}, which no backup has"))),
        }
    }
    let bytes = source.bytes;
    if !source.up_to(1)?.is_empty() {
        return Err(damaged("something stands behind its manifest".to_owned()));
    }
    Ok(Contents {
        program: header.program,
        at: header.at,
        journals: counted.journals,
        records: counted.records,
        erased: counted.erased,
        bytes,
        sha256: counted.sha256,
    })
}

/// What is read, with the sum of it so far.
struct Source<'a> {
    source: &'a mut dyn Read,
    sum: Sha256,
    bytes: u64,
}

impl Source<'_> {
    fn part(&mut self) -> Result<(u8, Vec<u8>), BackupFault> {
        let cut_off = || damaged("it is cut off: its manifest is missing".to_owned());
        let framing = self.up_to(FRAMING_BYTES)?;
        let framing: [u8; FRAMING_BYTES] = framing.try_into().map_err(|_| cut_off())?;
        let [kind, length @ ..] = framing;
        let length = u32::from_le_bytes(length) as usize;
        if length > PART_BYTES_MAX {
            let what = format!("a part of it says that it has {length} bytes, which no part has");
            return Err(damaged(what));
        }
        let content = self.up_to(length)?;
        if content.len() < length {
            return Err(cut_off());
        }
        Ok((kind, content))
    }

    /// So many bytes, or fewer where there are no more.
    fn up_to(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut *self.source).take(length as u64).read_to_end(&mut bytes)?;
        self.sum.update(&bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes)
    }
}

/// A journal that is being read.
struct Current {
    begins: Begins,
    head: Head,
}

impl Current {
    /// Ends the journal before, and begins the next one.
    fn begin(content: &[u8], before: Option<Current>) -> Result<Current, BackupFault> {
        let begins: Begins = document(content, "journal")?;
        let name = &begins.journal;
        if name.is_empty() || name.len() > heads::NAME_BYTES_MAX || begins.seq == 0 {
            return Err(damaged("it names a journal that no store has".to_owned()));
        }
        if before.as_ref().is_some_and(|before| *name <= before.begins.journal) {
            return Err(damaged(format!("journal {name} is not in its place")));
        }
        before.map_or(Ok(()), Current::end)?;
        let head = Head::default();
        Ok(Current { begins, head })
    }

    fn records(&mut self, content: &[u8], counted: &mut Manifest, take: &mut Take<'_>) -> Result<(), BackupFault> {
        let before = self.head;
        let name = &self.begins.journal;
        let mut ends = Vec::new();
        let mut end = 0;
        while end < content.len() {
            let seq = self.head.seq + 1;
            let wrong = |what: String| damaged(format!("journal {name}: record {seq} is damaged: {what}"));
            let (record, length) = record::follow(&mut self.head, &content[end..]).map_err(wrong)?;
            if seq > self.begins.seq {
                return Err(wrong("it is beyond the journal's end".to_owned()));
            }
            counted.records += 1;
            counted.erased += u64::from(record.erased);
            end += length;
            ends.push((end, self.head));
        }
        if ends.is_empty() {
            return Ok(());
        }
        Ok(take(&Stretch {
            journal: name,
            before,
            bytes: content,
            ends,
        })?)
    }

    /// Holds the journal against the end that was said of it.
    fn end(self) -> Result<(), BackupFault> {
        let Begins { journal, seq, hash } = self.begins;
        let found = self.head.seq;
        if found != seq {
            let what = format!("journal {journal} ends at record {found}, and is to end at {seq}");
            return Err(damaged(what));
        }
        if hexadecimal(&self.head.hash) != hash {
            let what = format!("journal {journal}: the hash of its last record is another one");
            return Err(damaged(what));
        }
        Ok(())
    }
}

fn document<T: DeserializeOwned>(content: &[u8], what: &str) -> Result<T, BackupFault> {
    serde_json::from_slice(content).map_err(|_| damaged(format!("its {what} is not as it was written")))
}

fn damaged(what: String) -> BackupFault {
    BackupFault::Damaged(what)
}
