//! Sorted file of the index of idempotency keys: rows with a checksum each, never changed.
//!
//! Invariant: a row is checked whenever it is read. The file's name holds the number of its rows, so that a file that was cut
//! short does not pass for a whole one.
//!
//! ```text
//! row  digest [16] · submission u64 · executed u64 (0: none) · until i64 · crc32 u32   (little-endian)
//! ```

use std::fs::File;
use std::io;
use std::io::BufWriter;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::path::PathBuf;

use schema::time::At;
use zerocopy::FromBytes;
use zerocopy::Immutable;
use zerocopy::IntoBytes;
use zerocopy::KnownLayout;
use zerocopy::Unaligned;
use zerocopy::little_endian::I64;
use zerocopy::little_endian::U32;
use zerocopy::little_endian::U64;

use crate::fault;
use crate::journal::JournalFault;
use crate::journal::KeyDigest;
use crate::journal::KeyUse;
use crate::kv::sync_folder;

/// Rows that are read at once: some kilobytes, of whose first digests a million rows have a quarter of a megabyte in memory.
const CHUNK_ROWS: usize = 64;
const ROW_BYTES: usize = size_of::<Row>();

/// A key's digest and its use.
pub type Entry = Result<(KeyDigest, KeyUse), JournalFault>;

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Row {
    digest: KeyDigest,
    submission: U64,
    executed: U64,
    until: I64,
    /// CRC-32 of everything before it.
    crc: U32,
}

/// An open file.
#[derive(Debug)]
pub struct Run {
    /// The higher number is the newer file.
    pub number: u64,
    pub rows: usize,
    /// Moment from which on no row is needed.
    pub until: At,
    path: PathBuf,
    file: File,
    /// First digest of each chunk.
    firsts: Vec<KeyDigest>,
}

impl Run {
    /// Writes entries, which come in ascending order, durably.
    ///
    /// # Errors
    /// The fault of the disk or of the entries; no file is left then that [`Run::open`] takes for a whole one.
    pub fn write(folder: &Path, number: u64, entries: impl Iterator<Item = Entry>) -> Result<Run, JournalFault> {
        let partial = folder.join("partial");
        let io = |error: io::Error| fault::from_io(&error, &partial);
        let mut file = BufWriter::new(File::create(&partial).map_err(io)?);
        let mut rows = 0;
        for entry in entries {
            let (digest, used) = entry?;
            file.write_all(Row::new(digest, used).as_bytes()).map_err(io)?;
            rows += 1;
        }
        let file = file.into_inner().map_err(|error| io(error.into_error()))?;
        file.sync_all().map_err(io)?;
        let path = folder.join(format!("{number:012}-{rows}"));
        std::fs::rename(&partial, &path).map_err(io)?;
        sync_folder(folder)?;
        Run::open(path, number, rows)
    }

    /// Opens a file with the number and the rows that its name holds, and checks every row.
    ///
    /// # Errors
    /// When it cannot be read, or is not as it was written.
    pub fn open(path: PathBuf, number: u64, rows: usize) -> Result<Run, JournalFault> {
        let io = |error: io::Error| fault::from_io(&error, &path);
        let file = File::open(&path).map_err(io)?;
        let bytes = file.metadata().map_err(io)?.len();
        let mut run = Run {
            number,
            rows,
            until: At(i64::MIN),
            path,
            file,
            firsts: Vec::with_capacity(rows.div_ceil(CHUNK_ROWS)),
        };
        if bytes != (rows * ROW_BYTES) as u64 {
            return Err(run.damaged());
        }
        for chunk in 0..rows.div_ceil(CHUNK_ROWS) {
            let entries = run.chunk(chunk)?;
            run.firsts.extend(entries.first().map(|(digest, _)| *digest));
            run.until = entries.iter().map(|(_, used)| used.until).fold(run.until, At::max);
        }
        Ok(run)
    }

    /// Finds a key.
    ///
    /// # Errors
    /// When the rows that would hold it cannot be read or are damaged.
    pub fn find(&self, digest: &KeyDigest) -> Result<Option<KeyUse>, JournalFault> {
        let Some(chunk) = self.firsts.partition_point(|first| first <= digest).checked_sub(1) else {
            return Ok(None);
        };
        let entries = self.chunk(chunk)?;
        let found = entries.binary_search_by_key(digest, |(digest, _)| *digest);
        Ok(found.ok().map(|place| entries[place].1))
    }

    /// All entries in ascending order.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.firsts.len()).flat_map(|chunk| match self.chunk(chunk) {
            Ok(entries) => entries.into_iter().map(Ok).collect(),
            Err(fault) => vec![Err(fault)],
        })
    }

    /// Deletes the file. One that stays is opened by the next start, which is no harm: newer files go before it.
    pub fn delete(&self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(file = %self.path.display(), %error, "File of idempotency keys cannot be deleted.");
        }
    }

    fn chunk(&self, chunk: usize) -> Result<Vec<(KeyDigest, KeyUse)>, JournalFault> {
        let first = chunk * CHUNK_ROWS;
        let mut bytes = vec![0; (self.rows - first).min(CHUNK_ROWS) * ROW_BYTES];
        let read = self.file.read_exact_at(&mut bytes, (first * ROW_BYTES) as u64);
        read.map_err(|error| fault::from_io(&error, &self.path))?;
        let rows = bytes
            .chunks(ROW_BYTES)
            .map(|bytes| Row::read_from_bytes(bytes).ok()?.entry());
        rows.collect::<Option<_>>().ok_or_else(|| self.damaged())
    }

    fn damaged(&self) -> JournalFault {
        JournalFault::Store(format!(
            "{} is damaged; it is derived from the journals: start the service again, which writes it anew",
            self.path.display()
        ))
    }
}

/// Merges the entries of two files; of two with one digest the newer stays.
pub fn merge<'a>(older: &'a Run, newer: &'a Run) -> impl Iterator<Item = Entry> + 'a {
    let (mut older, mut newer) = (older.entries().peekable(), newer.entries().peekable());
    std::iter::from_fn(move || {
        let [old, new] = [older.peek(), newer.peek()].map(|entry| Some(entry?.as_ref().ok()?.0));
        match (old, new) {
            (Some(old), Some(new)) if old > new => newer.next(),
            (Some(old), Some(new)) if old == new => {
                older.next();
                newer.next()
            }
            // A fault comes out at once.
            (None, _) => older.next().or_else(|| newer.next()),
            (Some(_), None) => newer.next().or_else(|| older.next()),
            (Some(_), Some(_)) => older.next(),
        }
    })
}

impl Row {
    fn new(digest: KeyDigest, used: KeyUse) -> Row {
        let mut row = Row {
            digest,
            submission: used.submission.into(),
            executed: used.executed.unwrap_or_default().into(),
            until: used.until.0.into(),
            crc: 0.into(),
        };
        row.crc = row.sum().into();
        row
    }

    /// Reads a row that is whole.
    fn entry(&self) -> Option<(KeyDigest, KeyUse)> {
        let used = KeyUse {
            submission: self.submission.get(),
            executed: Some(self.executed.get()).filter(|seq| *seq > 0),
            until: At(self.until.get()),
        };
        (self.sum() == self.crc.get()).then_some((self.digest, used))
    }

    fn sum(&self) -> u32 {
        crc32fast::hash(&self.as_bytes()[..ROW_BYTES - size_of_val(&self.crc)])
    }
}
