//! Sealed parts in the journal: one that is too long for a record goes on in the records right after it.

use crate::domain::scenario::event;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::submission::Sealed;
use crate::domain::scenario::submission::Submitted;
use crate::domain::time::At;
use crate::service::ports::Journal;
use crate::service::ports::JournalFault;
use crate::service::ports::JournalName;

/// Sealed bytes in one record: well below the store's limit, with room for the open part.
pub const PART_BYTES_MAX: usize = 32 * 1_024;

/// A submission as it lies in the journal.
#[derive(Clone, Debug)]
pub struct Kept {
    pub submitted: Submitted,
    pub sealed: Sealed,
    pub at: At,
}

/// Cuts a sealed part into what goes into each record; at least one piece.
pub fn pieces(sealed: Vec<u8>) -> Vec<Vec<u8>> {
    if sealed.len() <= PART_BYTES_MAX {
        return vec![sealed];
    }
    sealed.chunks(PART_BYTES_MAX).map(<[u8]>::to_vec).collect()
}

/// Reads a submission with its whole sealed part.
///
/// # Errors
/// The journal's fault, or that there is no submission at this sequence.
pub fn read(journal: &dyn Journal, name: &JournalName, seq: u64) -> Result<Kept, JournalFault> {
    let damaged = |what: &str| JournalFault::Damaged {
        journal: name.0.clone(),
        seq,
        what: what.to_owned(),
    };
    let record = journal
        .read(name, seq, 1)?
        .pop()
        .ok_or_else(|| damaged("it is missing"))?;
    let Ok(Event::Submitted(submitted)) = event::read(&record.open) else {
        return Err(damaged("it is no submission"));
    };
    // Whoever reads it then finds that nothing was said: to induce from what is left is better than not at all.
    if record.erased {
        return Ok(Kept {
            submitted,
            sealed: Sealed::default(),
            at: record.at,
        });
    }
    let mut bytes = record.sealed;
    if submitted.continued > 0 {
        let more = usize::try_from(submitted.continued).unwrap_or(usize::MAX);
        for next in journal.read(name, seq + 1, more)? {
            bytes.extend_from_slice(&next.sealed);
        }
    }
    let sealed = Sealed::parse(&bytes).ok_or_else(|| damaged("its sealed part cannot be read"))?;
    Ok(Kept {
        submitted,
        sealed,
        at: record.at,
    })
}
