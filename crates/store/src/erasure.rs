//! Erasing sealed parts: frames are written anew without them, under the same keys (Z-167).
//!
//! Open parts, hashes, sequences and moments stay, so that the chain still holds and whatever is read from them is the same
//! as before. What the engine's file holds of the old rows is overwritten only in time; the folder is marked, and the next
//! start copies what is left into a new file (`compaction.rs`).

use crate::frame;
use crate::frame::Header;
use crate::frame::Place;
use crate::frame::ROW_BYTES;
use crate::journal::Erased;
use crate::journal::Erasure;
use crate::journal::JournalFault;
use crate::kv::Batch;
use crate::record;
use crate::walk::Frame;
use crate::walk::Trail;
use crate::walk::Walk;

/// Reads the frames of a journal and gives the rows that are to take the place of theirs; changes nothing.
pub fn rewrite(walk: Walk<'_>, name: &str, wanted: Erasure) -> Result<(Batch, Erased), JournalFault> {
    let from = wanted.from.max(1);
    let mut batch = Batch::default();
    let mut erased = Erased {
        through: from - 1,
        records: 0,
    };
    let mut trail = Trail::starting_at(from);
    let mut looked_at = 0;
    for frame in walk.frames(from)? {
        let frame = frame?;
        if frame.first_seq > wanted.through || looked_at >= wanted.records_max {
            break;
        }
        let mut body = Vec::with_capacity(frame.bytes.len());
        let before = erased.records;
        let mut last = frame.first_seq;
        for step in trail.check(&frame) {
            let (record, bytes) = step.map_err(|obstacle| obstacle.fault(name))?;
            let own = &frame.bytes[bytes];
            let is_old = record.at < wanted.before && record.seq <= wanted.through;
            if is_old {
                erased.through = erased.through.max(record.seq);
            }
            match record::erase(own).filter(|_| is_old && record.seq >= wanted.from) {
                Some(rest) => {
                    erased.records += 1;
                    body.extend_from_slice(&rest);
                }
                None => body.extend_from_slice(own),
            }
            looked_at += 1;
            last = record.seq;
        }
        if erased.records > before {
            replace(walk.journal, &frame, &body, &mut batch);
        }
        // The last record of the frame was too young, or beyond: so are all that follow.
        if erased.through < last {
            break;
        }
    }
    Ok((batch, erased))
}

/// Puts a frame with this body in the place of another, and takes the rows away that it no longer needs.
fn replace(journal: u32, frame: &Frame, body: &[u8], batch: &mut Batch) {
    // It was read just now.
    let Ok((header, _)) = Header::read(&frame.bytes) else {
        return;
    };
    let kept = batch.put.len();
    frame::cut(journal, frame.first_seq, header, body, &mut batch.put);
    let written = batch.put.len() - kept;
    let places = (0..).take(frame.bytes.len().div_ceil(ROW_BYTES)).skip(written);
    let keys = places.map(|index| Place::new(journal, frame.first_seq, index).key());
    batch.remove.extend(keys);
}
