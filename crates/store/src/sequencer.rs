//! How drafts become records: bounded, numbered, never earlier than the one before, chained. Pure.

use crate::frame;
use crate::heads;
use crate::journal::Appended;
use crate::journal::Draft;
use crate::journal::Head;
use crate::journal::JournalFault;
use crate::journal::JournalName;
use crate::journal::Kind;
use crate::journal::Record;
use crate::record;

/// Bytes that an append takes, at most.
pub fn weigh(drafts: &[Draft]) -> usize {
    let weigh = |draft: &Draft| draft.open.len() + draft.sealed.len() + record::FIXED_BYTES;
    drafts.iter().map(weigh).sum()
}

/// Refuses a journal whose name is too long, a draft over the limit, and an append that could not be held together.
///
/// # Errors
/// [`JournalFault::TooLarge`].
pub fn check_size(journal: &JournalName, drafts: &[Draft], record_bytes_max: usize) -> Result<(), JournalFault> {
    let records = drafts.iter().map(|draft| draft.open.len() + draft.sealed.len());
    let sizes = records.map(|bytes| (bytes, record_bytes_max)).chain([
        (weigh(drafts), frame::APPEND_BYTES_CEILING),
        (journal.0.len(), heads::NAME_BYTES_MAX),
    ]);
    for (bytes, limit) in sizes {
        if bytes > limit {
            return Err(JournalFault::TooLarge { bytes, limit });
        }
    }
    Ok(())
}

/// Places the drafts after the head, moves it, and adds the records.
///
/// # Errors
/// [`JournalFault::Moved`] when the last decision is not where the caller saw it; nothing is moved then.
pub fn place(
    head: &mut Head,
    drafts: Vec<Draft>,
    decided: Option<u64>,
    records: &mut Vec<Record>,
) -> Result<Appended, JournalFault> {
    if let Some(expected) = decided
        && expected != head.decided
    {
        return Err(JournalFault::Moved {
            expected,
            found: head.decided,
        });
    }
    let first_seq = head.seq + 1;
    for draft in drafts {
        let at = if head.seq == 0 { draft.at } else { draft.at.max(head.at) };
        let record = record::chain(&head.hash, head.seq + 1, at, draft);
        advance(head, &record);
        records.push(record);
    }
    Ok(Appended { first_seq, at: head.at })
}

/// Moves a head past a record.
pub fn advance(head: &mut Head, record: &Record) {
    let decided = match record.kind {
        Kind::Decision => record.seq,
        Kind::Fact => head.decided,
    };
    *head = Head {
        seq: record.seq,
        at: record.at,
        hash: record.hash,
        decided,
    };
}
