//! Reading a backup: part by part, every record held against its checksum and the chain of hashes, everything against the
//! manifest. The format stands in [`crate::app::backup`].
//!
//! Invariant: a backup is called whole only after its manifest was reached, everything before it has the manifest's SHA-256,
//! and nothing follows. No more than one part is held in memory.

use std::io;
use std::io::Read;

use serde::Deserialize;
use sha2::Digest;
use sha2::Sha256;

use crate::backup_format::FORMAT;
use crate::backup_format::HEADER;
use crate::backup_format::JOURNAL;
use crate::backup_format::MAGIC;
use crate::backup_format::MANIFEST;
use crate::backup_format::RECORDS;
use crate::journal::Head;
use crate::journal::JournalFault;
use text::name::hexadecimal;

use super::heads;
use super::line;
use super::record;

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
    Unreadable(io::Error),
    /// What was read could not be put where it belongs.
    #[error("{0}")]
    Store(JournalFault),
}

impl From<JournalFault> for BackupFault {
    fn from(fault: JournalFault) -> BackupFault {
        BackupFault::Store(fault)
    }
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

/// Takes what was read and checked.
pub trait Sink {
    /// Takes some records.
    ///
    /// # Errors
    /// When they could not be put where they belong.
    fn take(&mut self, stretch: &Stretch<'_>) -> Result<(), JournalFault>;
}

/// Takes nothing: for a check alone.
#[derive(Debug)]
pub struct Nowhere;

impl Sink for Nowhere {
    fn take(&mut self, _: &Stretch<'_>) -> Result<(), JournalFault> {
        Ok(())
    }
}

#[derive(Deserialize)]
struct Header {
    program: String,
    at: String,
    journals: u64,
    records: u64,
}

#[derive(Deserialize)]
struct Begins {
    journal: String,
    seq: u64,
    hash: String,
}

#[derive(Deserialize)]
struct Manifest {
    journals: u64,
    records: u64,
    erased: u64,
    bytes: u64,
    sha256: String,
}

/// A journal that is being read.
struct Current {
    name: String,
    /// Where it is to end.
    seq: u64,
    hash: String,
    head: Head,
}

/// Reads a backup to its end. `progress` is told how many records of how many were read.
///
/// # Errors
/// The first thing that is wrong with it, or that the sink could not do. What the sink took before is not to be used then.
pub fn read(source: &mut dyn Read, sink: &mut dyn Sink, progress: &dyn Fn(u64, u64)) -> Result<Contents, BackupFault> {
    let mut reading = Reading {
        source,
        sum: Sha256::new(),
        bytes: 0,
        journals: 0,
        records: 0,
        erased: 0,
        previous: String::new(),
    };
    reading.magic()?;
    let (kind, content) = reading.part()?;
    if kind != HEADER {
        return Err(damaged("its header is missing"));
    }
    let header: Header = document(&content, "header")?;
    let mut current: Option<Current> = None;
    loop {
        let before = (reading.bytes, hexadecimal(&reading.sum.clone().finalize()));
        let (kind, content) = reading.part()?;
        match kind {
            JOURNAL => {
                reading.ended(current.take())?;
                current = Some(reading.begins(&content)?);
            }
            RECORDS => {
                let journal = current.as_mut().ok_or_else(|| damaged("records of no journal"))?;
                reading.records(journal, &content, sink)?;
                progress(reading.records, header.records);
            }
            MANIFEST => {
                reading.ended(current.take())?;
                let manifest: Manifest = document(&content, "manifest")?;
                return reading.whole(header, manifest, before);
            }
            other => return Err(damaged(&format!("it has a part of kind {other}, which no backup has"))),
        }
    }
}

struct Reading<'a> {
    source: &'a mut dyn Read,
    sum: Sha256,
    bytes: u64,
    journals: u64,
    records: u64,
    erased: u64,
    /// The journal before this one.
    previous: String,
}

impl Reading<'_> {
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
            .and_then(|line| line.strip_prefix(MAGIC))
            .and_then(|format| format.trim_end_matches('\n').parse::<u32>().ok())
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
        let read = (&mut *self.source).take(length).read_to_end(&mut bytes);
        read.map_err(BackupFault::Unreadable)?;
        if (bytes.len() as u64) < length {
            return Err(cut_off());
        }
        self.sum.update(&bytes);
        self.bytes += length;
        Ok(bytes)
    }

    fn begins(&mut self, content: &[u8]) -> Result<Current, BackupFault> {
        let Begins { journal, seq, hash } = document(content, "journal")?;
        if journal.is_empty() || journal.len() > heads::NAME_BYTES_MAX || seq == 0 {
            return Err(damaged("it names a journal that no store has"));
        }
        if journal <= self.previous {
            return Err(damaged(&format!("journal {journal} is not in its place")));
        }
        self.journals += 1;
        self.previous.clone_from(&journal);
        Ok(Current {
            name: journal,
            seq,
            hash,
            head: Head::default(),
        })
    }

    fn records(&mut self, journal: &mut Current, content: &[u8], sink: &mut dyn Sink) -> Result<(), BackupFault> {
        let before = journal.head;
        let mut rest = content;
        let mut ends = Vec::new();
        while !rest.is_empty() {
            let seq = journal.head.seq + 1;
            let wrong = |what: String| damaged(&format!("journal {}: record {seq} is damaged: {what}", journal.name));
            let (record, length) = record::decode(rest, &journal.head.hash).map_err(wrong)?;
            if record.seq != seq || seq > journal.seq {
                return Err(wrong(format!("record {} is in its place", record.seq)));
            }
            if seq > 1 && record.at < journal.head.at {
                return Err(wrong("it is earlier than the one before it".to_owned()));
            }
            line::advance(&mut journal.head, &record);
            self.records += 1;
            self.erased += u64::from(record.erased);
            rest = &rest[length..];
            ends.push((content.len() - rest.len(), journal.head));
        }
        let stretch = Stretch {
            journal: &journal.name,
            before,
            bytes: content,
            ends,
        };
        if !stretch.ends.is_empty() {
            sink.take(&stretch)?;
        }
        Ok(())
    }

    fn ended(&self, journal: Option<Current>) -> Result<(), BackupFault> {
        let Some(Current { name, seq, hash, head }) = journal else {
            return Ok(());
        };
        if head.seq != seq {
            return Err(damaged(&format!(
                "journal {name} ends at record {}, and is to end at {seq}",
                head.seq
            )));
        }
        if hexadecimal(&head.hash) != hash {
            return Err(damaged(&format!(
                "journal {name}: the hash of its last record is another one"
            )));
        }
        Ok(())
    }

    /// Holds everything that was read against the manifest.
    fn whole(
        &mut self,
        header: Header,
        manifest: Manifest,
        (bytes, sha256): (u64, String),
    ) -> Result<Contents, BackupFault> {
        if (manifest.bytes, manifest.sha256.as_str()) != (bytes, sha256.as_str()) {
            return Err(damaged("its SHA-256 is not the one in its manifest"));
        }
        let counted = (self.journals, self.records, self.erased);
        if (manifest.journals, manifest.records, manifest.erased) != counted
            || (header.journals, header.records) != (self.journals, self.records)
        {
            return Err(damaged("it does not hold what its manifest says"));
        }
        let mut more = Vec::new();
        let read = (&mut *self.source).take(1).read_to_end(&mut more);
        read.map_err(BackupFault::Unreadable)?;
        if !more.is_empty() {
            return Err(damaged("something stands behind its manifest"));
        }
        Ok(Contents {
            program: header.program,
            at: header.at,
            journals: self.journals,
            records: self.records,
            erased: self.erased,
            bytes: self.bytes,
            sha256,
        })
    }
}

fn document<T: serde::de::DeserializeOwned>(content: &[u8], what: &str) -> Result<T, BackupFault> {
    serde_json::from_slice(content).map_err(|_| damaged(&format!("its {what} is not as it was written")))
}

fn damaged(what: &str) -> BackupFault {
    BackupFault::Damaged(what.to_owned())
}

fn cut_off() -> BackupFault {
    damaged("it is cut off: its manifest is missing")
}
