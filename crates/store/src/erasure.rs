//! Erasing sealed parts: frames are written anew without them, under the same keys (Z-167).
//!
//! Open parts, hashes, sequences and moments stay, so that the chain still holds and whatever is read from them is the same
//! as before. What sled's file holds of the old rows is overwritten only in time; the folder is marked, and the next start
//! copies what is left into a new file (`compaction.rs`).

use std::ops::ControlFlow;

use crate::journal::Erased;
use crate::journal::Erasure;
use crate::journal::JournalFault;

use super::frame;
use super::frame::Header;
use super::frame::Place;
use super::frame::ROW_BYTES;
use super::frame::Row;
use super::record;
use super::table::Table;
use super::walk::Walk;

/// Rows that take the place of others.
#[derive(Debug, Default)]
pub struct Rewritten {
    pub rows: Vec<Row>,
    pub gone: Vec<Vec<u8>>,
    pub erased: Erased,
}

/// Reads the frames of a journal and gives what is to stand there instead; changes nothing.
///
/// # Errors
/// When the table fails, or a frame is damaged.
pub fn rewrite(table: &Table, journal: u32, name: &str, wanted: Erasure) -> Result<Rewritten, JournalFault> {
    let from = wanted.from.max(1);
    let mut rewritten = Rewritten {
        erased: Erased {
            through: from - 1,
            records: 0,
        },
        ..Rewritten::default()
    };
    let mut looked_at = 0;
    let mut damage = None;
    Walk { table, journal }.raw(from, &mut |first_seq, bytes| {
        if first_seq > wanted.through || looked_at >= wanted.records_max {
            return ControlFlow::Break(());
        }
        match one(journal, first_seq, bytes, wanted, &mut rewritten) {
            Ok(records) => {
                looked_at += records;
                // The last record of a frame was too young, or beyond: so are all that follow.
                let last = first_seq + records as u64 - 1;
                if rewritten.erased.through < last {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            Err(what) => {
                damage = Some(JournalFault::Damaged {
                    journal: name.to_owned(),
                    seq: first_seq,
                    what,
                });
                ControlFlow::Break(())
            }
        }
    })?;
    damage.map_or(Ok(rewritten), Err)
}

/// One frame; how many records it holds.
fn one(journal: u32, first_seq: u64, frame: &[u8], wanted: Erasure, out: &mut Rewritten) -> Result<usize, String> {
    let (header, mut rest) = Header::read(frame)?;
    let mut previous = header.previous;
    let mut body = Vec::with_capacity(rest.len());
    let before = out.erased.records;
    for _ in 0..header.records {
        let (record, length) = record::decode(rest, &previous)?;
        let (own, left) = rest.split_at(length);
        let old_enough = record.at < wanted.before && record.seq <= wanted.through;
        let erased = (old_enough && record.seq >= wanted.from)
            .then(|| record::erase(own))
            .flatten();
        if old_enough {
            out.erased.through = out.erased.through.max(record.seq);
        }
        match erased {
            Some(erased) => {
                out.erased.records += 1;
                body.extend_from_slice(&erased);
            }
            None => body.extend_from_slice(own),
        }
        previous = record.hash;
        rest = left;
    }
    if out.erased.records > before {
        let kept = out.rows.len();
        frame::cut(journal, first_seq, header, &body, &mut out.rows);
        let written = out.rows.len() - kept;
        for index in written..frame.len().div_ceil(ROW_BYTES) {
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            let place = Place {
                journal,
                first_seq,
                index,
            };
            out.gone.push(place.key().to_vec());
        }
    }
    Ok(header.records as usize)
}
