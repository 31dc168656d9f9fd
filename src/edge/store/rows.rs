//! Rows in sled: keys, ranges, and sled's own failures as named faults.
//!
//! Keys: `n` + name -> number of a journal; `r` + number (4) + first sequence (8) -> row.

use std::io;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use crate::edge::store::frame;
use crate::edge::store::frame::Row;
use crate::service::ports::JournalFault;
use crate::service::ports::Record;

/// The key of a journal's number.
pub fn name_key(journal: &str) -> Vec<u8> {
    [b"n", journal.as_bytes()].concat()
}

/// The key of a row.
pub fn row_key(number: u32, seq: u64) -> [u8; 13] {
    let mut key = [0; 13];
    key[0] = b'r';
    key[1..5].copy_from_slice(&number.to_be_bytes());
    key[5..].copy_from_slice(&seq.to_be_bytes());
    key
}

/// Runs something on sled; a panic inside it is a fault like any other.
///
/// # Errors
/// What sled says.
pub fn guarded<T>(work: impl FnOnce() -> sled::Result<T>) -> Result<T, JournalFault> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(named(&error)),
        Err(panic) => {
            let what = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                .unwrap_or_else(|| "without a word".to_owned());
            Err(JournalFault::Store(format!("the embedded database gave up: {what}")))
        }
    }
}

/// sled's error as a fault.
pub fn named(error: &sled::Error) -> JournalFault {
    match error {
        sled::Error::Io(inside) => fault_of(inside),
        sled::Error::Corruption { at, bt: () } => {
            JournalFault::Store(format!("the database file is damaged (at {at:?}); restore a backup"))
        }
        other @ (sled::Error::CollectionNotFound(_) | sled::Error::Unsupported(_) | sled::Error::ReportableBug(_)) => {
            JournalFault::Store(other.to_string())
        }
    }
}

/// An error of the system as a fault.
pub fn fault_of(error: &io::Error) -> JournalFault {
    let full = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    );
    if full {
        JournalFault::DiskFull(error.to_string())
    } else {
        JournalFault::Store(error.to_string())
    }
}

/// All journals with their numbers, by name.
///
/// # Errors
/// What sled says, or a number that is none.
pub fn journals(db: &sled::Db) -> Result<Vec<(String, u32)>, JournalFault> {
    guarded(|| db.scan_prefix(b"n").collect::<sled::Result<Vec<_>>>())?
        .into_iter()
        .map(|(key, value)| {
            let name = std::str::from_utf8(key.get(1..).unwrap_or_default()).ok();
            let number = frame::array(&value, 0).map(u32::from_be_bytes);
            name.map(str::to_owned)
                .zip(number)
                .ok_or_else(|| JournalFault::Store("the list of journals is damaged; restore a backup".to_owned()))
        })
        .collect()
}

/// The last row of a journal, read and checked.
///
/// # Errors
/// What sled says, or where the row is damaged.
pub fn last(db: &sled::Db, journal: &str, number: u32) -> Result<Option<Row>, JournalFault> {
    let range = row_key(number, 0)..=row_key(number, u64::MAX);
    let found = guarded(|| db.range(range).next_back().transpose())?;
    found.map(|(key, value)| checked(journal, &key, &value)).transpose()
}

/// Records from a sequence on, at most `max`; rows are checked, and that each follows from the one before it.
///
/// # Errors
/// What sled says, or the first damaged or missing record.
pub fn read(db: &sled::Db, journal: &str, number: u32, from: u64, max: usize) -> Result<Vec<Record>, JournalFault> {
    let from = from.max(1);
    let start = guarded(|| {
        db.range(row_key(number, 0)..=row_key(number, from))
            .next_back()
            .transpose()
    })?;
    let Some((first_key, _)) = start else {
        let any = last(db, journal, number)?;
        return match any {
            None => Ok(Vec::new()),
            Some(_) => Err(missing(journal, from)),
        };
    };
    let mut records: Vec<Record> = Vec::new();
    let mut end: Option<(u64, [u8; 32])> = None;
    let mut rows = db.range(first_key..=sled::IVec::from(&row_key(number, u64::MAX)));
    while records.len() < max {
        let Some((key, value)) = guarded(|| rows.next().transpose())? else {
            break;
        };
        let row = checked(journal, &key, &value)?;
        let first = row.records.first().map_or(0, |record| record.seq);
        if let Some((seq, hash)) = end {
            if first != seq + 1 {
                return Err(missing(journal, seq + 1));
            }
            if row.before != hash {
                return Err(unchained(journal, first));
            }
        } else if first == 1 && row.before != [0; 32] {
            return Err(unchained(journal, first));
        }
        end = row.records.last().map(|record| (record.seq, record.hash));
        records.extend(row.records.into_iter().filter(|record| record.seq >= from));
    }
    records.truncate(max);
    Ok(records)
}

fn checked(journal: &str, key: &[u8], value: &[u8]) -> Result<Row, JournalFault> {
    let seq = frame::array(key, 5).map(u64::from_be_bytes).unwrap_or_default();
    frame::read(value, seq).map_err(|(seq, what)| JournalFault::Damaged {
        journal: journal.to_owned(),
        seq,
        what,
    })
}

fn missing(journal: &str, seq: u64) -> JournalFault {
    JournalFault::Damaged {
        journal: journal.to_owned(),
        seq,
        what: "it is missing".to_owned(),
    }
}

fn unchained(journal: &str, seq: u64) -> JournalFault {
    let what = "its hash does not follow from the record before it".to_owned();
    JournalFault::Damaged {
        journal: journal.to_owned(),
        seq,
        what,
    }
}
