//! Records byte for byte as they lie in a journal, for a backup: erased ones with the digest that their hash needs.
//!
//! Invariant: as in a walk, every record's checksum, hash and place were checked before it is given on.

use std::ops::ControlFlow;
use std::ops::RangeInclusive;

use crate::journal::JournalFault;
use crate::journal::Verbatim;

use super::frame::Header;
use super::record;
use super::walk::Walk;

/// Whole frames with records of this span, until there are `bytes_max` bytes. What an append brought lies in one frame, and
/// no frame is read twice by whoever goes on behind the last record.
///
/// # Errors
/// When the table fails; names the first damaged or missing record.
pub fn read(
    walk: Walk<'_>,
    name: &str,
    span: RangeInclusive<u64>,
    bytes_max: usize,
) -> Result<Vec<Verbatim>, JournalFault> {
    let mut records = Vec::new();
    let mut bytes = 0;
    let mut next = *span.start();
    let mut damage = None;
    walk.raw(next, &mut |first_seq, frame| {
        match one(first_seq, frame, &span, &mut next, &mut records) {
            Ok(taken) => bytes += taken,
            Err(what) => damage = Some(what),
        }
        if damage.is_some() || bytes >= bytes_max || next > *span.end() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    if records.is_empty() && damage.is_none() {
        damage = Some("it is missing".to_owned());
    }
    match damage {
        None => Ok(records),
        Some(what) => Err(JournalFault::Damaged {
            journal: name.to_owned(),
            seq: next,
            what,
        }),
    }
}

/// Takes what one frame has of the span, and moves `next` behind it; how many bytes that were.
fn one(
    first_seq: u64,
    frame: &[u8],
    span: &RangeInclusive<u64>,
    next: &mut u64,
    records: &mut Vec<Verbatim>,
) -> Result<usize, String> {
    if first_seq > *next {
        return Err(format!("it is missing; the next one is {first_seq}"));
    }
    let (header, mut rest) = Header::read(frame)?;
    let mut previous = header.previous;
    let mut bytes = 0;
    for seq in first_seq.. {
        if seq - first_seq >= u64::from(header.records) || seq > *span.end() {
            break;
        }
        let (record, length) = record::decode(rest, &previous)?;
        if record.seq != seq {
            return Err(format!("record {} is in its place", record.seq));
        }
        let (own, left) = rest.split_at(length);
        if seq == *next {
            records.push(Verbatim {
                seq,
                erased: record.erased,
                bytes: own.to_vec(),
            });
            bytes += length;
            *next += 1;
        }
        previous = record.hash;
        rest = left;
    }
    Ok(bytes)
}
