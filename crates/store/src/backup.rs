//! A backup: every journal up to one moment, as a stream of bytes, while the service goes on writing.
//!
//! ```text
//! file    "otherwise backup 1\n" · part…
//! part    kind u8 · length u32 (little-endian) · content
//! kind 1  {"program", "at" RFC 3339, "journals", "records"}                        once, at the beginning
//! kind 2  {"journal", "seq", "hash" hex}   a journal begins, which ends at this record with this hash
//! kind 3  whole records of the journal, byte for byte as they lie in the store, in order   up to 1 MiB and a record
//! kind 4  {"journals", "records", "erased", "bytes", "sha256" hex}   the manifest, last; the last two are of everything
//!         before it
//! ```
//!
//! The ends of all journals are noted at the beginning, in one moment between two commits; what is appended later is left
//! out. So a backup is what a power cut would have left in that moment, which a start makes good: where a scenario's journal
//! lags behind the namespace, the next start adds the rest. Were the namespace
//! noted before the scenarios, a scenario could come back with submissions of a schema that nobody knows. Snapshots are not
//! in it, since the journals hold everything.
//!
//! Invariant: no more than [`CHUNK_BYTES`] and one commit are held in memory, and no lock from one chunk to the next.

use std::collections::VecDeque;
use std::sync::Arc;

use schema::time::At;
use serde::Deserialize;
use serde::Serialize;
use sha2::Digest;
use sha2::Sha256;
use text::name::hexadecimal;

use crate::journal::Head;
use crate::journal::Journal;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::walk::damaged;

/// Bytes of records after which a part is full, and what is read from the store at once.
pub const CHUNK_BYTES: usize = 1 << 20;

/// What every backup begins with, before the number of its format and a line feed.
pub const MAGIC: &str = "otherwise backup ";
/// The format that is written.
pub const FORMAT: u32 = 1;
/// Kinds of parts.
pub const HEADER: u8 = 1;
pub const JOURNAL: u8 = 2;
pub const RECORDS: u8 = 3;
pub const MANIFEST: u8 = 4;

/// What stands at the beginning.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    pub program: String,
    pub at: String,
    pub journals: u64,
    pub records: u64,
}

/// A journal begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begins {
    pub journal: String,
    /// Where it ends.
    pub seq: u64,
    pub hash: String,
}

/// What stands at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub journals: u64,
    pub records: u64,
    pub erased: u64,
    pub bytes: u64,
    pub sha256: String,
}

/// A backup that is being made.
pub struct Backup {
    journal: Arc<dyn Journal>,
    chunk_bytes: usize,
    header: Option<Header>,
    /// Journals that are still to come, with their ends; the first one is being read.
    to_come: VecDeque<(JournalName, Head)>,
    /// Its next record; 0 before it was begun.
    next: u64,
    /// What was given so far.
    given: Manifest,
    sum: Sha256,
    done: bool,
}

impl Backup {
    /// Notes the ends of all journals: what was acknowledged before is in it. `program` is the version of who writes it.
    pub fn begin(journal: Arc<dyn Journal>, program: &str, at: At, chunk_bytes: usize) -> Result<Backup, JournalFault> {
        let heads = journal.heads()?;
        let header = Header {
            program: program.to_owned(),
            at: at.rfc3339(),
            journals: heads.len() as u64,
            records: heads.iter().map(|(_, head)| head.seq).sum(),
        };
        Ok(Backup {
            journal,
            chunk_bytes: chunk_bytes.clamp(1, CHUNK_BYTES),
            header: Some(header),
            to_come: heads.into(),
            next: 0,
            given: Manifest::default(),
            sum: Sha256::new(),
            done: false,
        })
    }

    /// The next bytes; `None` after the last ones. Reads from the store, so it blocks.
    ///
    /// # Errors
    /// When the store fails or is closed, or a record is damaged: what was given before is no backup then.
    pub fn chunk(&mut self) -> Result<Option<Vec<u8>>, JournalFault> {
        if self.done {
            return Ok(None);
        }
        let mut out = Vec::new();
        if let Some(header) = self.header.take() {
            self.put(format!("{MAGIC}{FORMAT}\n").as_bytes(), &mut out);
            self.document(HEADER, &header, &mut out)?;
        }
        while out.len() < self.chunk_bytes && !self.done {
            self.more(&mut out)?;
        }
        Ok(Some(out))
    }

    fn more(&mut self, out: &mut Vec<u8>) -> Result<(), JournalFault> {
        let Some((name, head)) = self.to_come.front().cloned() else {
            self.done = true;
            let manifest = Manifest {
                sha256: hexadecimal(&self.sum.clone().finalize()),
                ..self.given.clone()
            };
            return self.document(MANIFEST, &manifest, out);
        };
        if self.next == 0 {
            let begins = Begins {
                journal: name.0,
                seq: head.seq,
                hash: hexadecimal(&head.hash),
            };
            self.given.journals += 1;
            self.next = 1;
            return self.document(JOURNAL, &begins, out);
        }
        self.next = self.stretch(&name, head, out)?;
        if self.next > head.seq {
            self.to_come.pop_front();
            self.next = 0;
        }
        Ok(())
    }

    /// Some records of a journal from the next one on, up to its end as noted; which one comes then.
    fn stretch(&mut self, name: &JournalName, head: Head, out: &mut Vec<u8>) -> Result<u64, JournalFault> {
        let mut records = Vec::new();
        let mut reached = self.next;
        for record in self.journal.raw_records(name, self.next, self.chunk_bytes)? {
            if record.seq > head.seq {
                break;
            }
            records.extend_from_slice(&record.bytes);
            self.given.records += 1;
            self.given.erased += u64::from(record.erased);
            reached = record.seq + 1;
            if records.len() >= self.chunk_bytes {
                self.part(RECORDS, &std::mem::take(&mut records), out);
            }
        }
        if !records.is_empty() {
            self.part(RECORDS, &records, out);
        }
        if reached == self.next {
            return Err(damaged(&name.0, self.next, "it is missing"));
        }
        Ok(reached)
    }

    fn document(&mut self, kind: u8, content: &impl Serialize, out: &mut Vec<u8>) -> Result<(), JournalFault> {
        let content = serde_json::to_vec(content).map_err(|error| JournalFault::Store(error.to_string()))?;
        self.part(kind, &content, out);
        Ok(())
    }

    fn part(&mut self, kind: u8, content: &[u8], out: &mut Vec<u8>) {
        // Far below 4 GiB: what is longer than a chunk was cut at a record, and a record is bounded.
        let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
        self.put(&[kind], out);
        self.put(&length.to_le_bytes(), out);
        self.put(content, out);
    }

    fn put(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.sum.update(bytes);
        self.given.bytes += bytes.len() as u64;
        out.extend_from_slice(bytes);
    }
}
