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
use std::time::Duration;

use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;
use tokio::sync::OwnedSemaphorePermit;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use schema::time::At;
use store::backup_format::FORMAT;
use store::backup_format::HEADER;
use store::backup_format::JOURNAL;
use store::backup_format::MAGIC;
use store::backup_format::MANIFEST;
use store::backup_format::RECORDS;
use store::journal::Head;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use text::name::hexadecimal;

/// Bytes of records after which a part is full, and what is read from the store at once.
pub const CHUNK_BYTES: usize = 1 << 20;

/// A backup that is being made. Holds its place among those that may run at once until it is dropped.
pub struct Backup {
    journal: Arc<dyn Journal>,
    chunk_bytes: usize,
    /// Journals that are still to come, with their ends.
    to_come: VecDeque<(JournalName, Head)>,
    /// The journal that is being read, its end, and the next record of it.
    current: Option<(JournalName, Head, u64)>,
    begun: bool,
    done: bool,
    journals: u64,
    records: u64,
    erased: u64,
    bytes: u64,
    sum: Sha256,
    header: Value,
    _place: Option<OwnedSemaphorePermit>,
}

impl Backup {
    /// Notes the ends of all journals: what was acknowledged before is in it.
    ///
    /// # Errors
    /// When the store fails.
    pub fn begin(
        journal: Arc<dyn Journal>,
        at: At,
        chunk_bytes: usize,
        place: Option<OwnedSemaphorePermit>,
    ) -> Result<Backup, JournalFault> {
        let heads = journal.heads()?;
        let records = heads.iter().map(|(_, head)| head.seq).sum::<u64>();
        let header = json!({
            "program": env!("CARGO_PKG_VERSION"),
            "at": at.rfc3339(),
            "journals": heads.len(),
            "records": records,
        });
        Ok(Backup {
            journal,
            chunk_bytes: chunk_bytes.clamp(1, CHUNK_BYTES),
            to_come: heads.into(),
            current: None,
            begun: false,
            done: false,
            journals: 0,
            records: 0,
            erased: 0,
            bytes: 0,
            sum: Sha256::new(),
            header,
            _place: place,
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
        if !self.begun {
            self.begun = true;
            self.put(format!("{MAGIC}{FORMAT}\n").as_bytes(), &mut out);
            let header = std::mem::take(&mut self.header);
            self.part(HEADER, header.to_string().as_bytes(), &mut out);
        }
        while out.len() < self.chunk_bytes && !self.done {
            self.more(&mut out)?;
        }
        Ok(Some(out))
    }

    fn more(&mut self, out: &mut Vec<u8>) -> Result<(), JournalFault> {
        match self.current.take() {
            Some((name, head, next)) if next <= head.seq => {
                let reached = self.stretch(&name, head, next, out)?;
                self.current = Some((name, head, reached));
            }
            Some(_) | None => match self.to_come.pop_front() {
                Some((name, head)) => {
                    let begins = json!({"journal": name.0, "seq": head.seq, "hash": hexadecimal(&head.hash)});
                    self.part(JOURNAL, begins.to_string().as_bytes(), out);
                    self.journals += 1;
                    self.current = Some((name, head, 1));
                }
                None => self.end(out),
            },
        }
        Ok(())
    }

    /// Some records of a journal from `next` on, up to its end as noted; which one comes then.
    fn stretch(&mut self, name: &JournalName, head: Head, next: u64, out: &mut Vec<u8>) -> Result<u64, JournalFault> {
        let mut records = Vec::new();
        let mut reached = next;
        for record in self.journal.verbatim(name, next, self.chunk_bytes)? {
            if record.seq > head.seq {
                break;
            }
            records.extend_from_slice(&record.bytes);
            self.records += 1;
            self.erased += u64::from(record.erased);
            reached = record.seq + 1;
            if records.len() >= self.chunk_bytes {
                self.part(RECORDS, &records, out);
                records.clear();
            }
        }
        if !records.is_empty() {
            self.part(RECORDS, &records, out);
        }
        if reached == next {
            return Err(JournalFault::Damaged {
                journal: name.0.clone(),
                seq: next,
                what: "it is missing".to_owned(),
            });
        }
        Ok(reached)
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let sum: [u8; 32] = self.sum.clone().finalize().into();
        let manifest = json!({
            "journals": self.journals,
            "records": self.records,
            "erased": self.erased,
            "bytes": self.bytes,
            "sha256": hexadecimal(&sum),
        });
        self.part(MANIFEST, manifest.to_string().as_bytes(), out);
        self.done = true;
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
        self.bytes += bytes.len() as u64;
        out.extend_from_slice(bytes);
    }
}

/// A backup that a caller asked a running service for.
pub struct Begun {
    pub backup: Backup,
    /// How long it may wait for its reader.
    pub patience: Duration,
}

impl App {
    /// Begins a backup of a running service, one at a time. It is to be read where it may block.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Busy`] while there is another one, or a fault of the store.
    pub fn backup(&self, caller: &Caller) -> Result<Begun, ServiceError> {
        caller.require(Permission::Operate)?;
        let deps = &self.registry().deps;
        let place = Arc::clone(self.backups())
            .try_acquire_owned()
            .map_err(|_taken| ServiceError::Busy { retry_after_s: 10 })?;
        let backup = Backup::begin(Arc::clone(&deps.journal), deps.clock.now(), CHUNK_BYTES, Some(place))?;
        administered!(info, Some(&caller.by()), "a backup begins");
        Ok(Begun {
            backup,
            patience: Duration::from_secs(deps.options.backup_stall_s),
        })
    }
}
