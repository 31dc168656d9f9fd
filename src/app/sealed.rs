//! Sealed parts in the journal: one that is too long for a record goes on in the records right after it.

use serde_json::Map;
use serde_json::Value;

use engine::scenario::event;
use engine::scenario::event::Event;
use engine::scenario::submission::AsSaid;
use engine::scenario::submission::Sealed;
use engine::scenario::submission::SealedResult;
use engine::scenario::submission::Submitted;
use schema::time::At;
use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::Kind;

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
    let bytes = whole(journal, name, seq, record.sealed, submitted.continued)?;
    let sealed = Sealed::parse(&bytes).ok_or_else(|| damaged("its sealed part cannot be read"))?;
    Ok(Kept {
        submitted,
        sealed,
        at: record.at,
    })
}

/// Reads the result that an execution brought.
///
/// # Errors
/// The journal's fault, or that there is no result at this sequence.
pub fn read_result(journal: &dyn Journal, name: &JournalName, seq: u64) -> Result<Map<String, Value>, JournalFault> {
    let damaged = |what: &str| JournalFault::Damaged {
        journal: name.0.clone(),
        seq,
        what: what.to_owned(),
    };
    let record = journal
        .read(name, seq, 1)?
        .pop()
        .ok_or_else(|| damaged("it is missing"))?;
    let Ok(Event::Executed(executed)) = event::read(&record.open) else {
        return Err(damaged("it is no execution"));
    };
    let bytes = whole(journal, name, seq, record.sealed, executed.continued)?;
    let read: Result<SealedResult, _> = serde_json::from_slice(&bytes);
    read.map(|sealed| sealed.result)
        .map_err(|_| damaged("its sealed part cannot be read"))
}

/// Reads what the executor of a submission gets as it was said; `None` where that was erased.
///
/// # Errors
/// The journal's fault, or that what lies there cannot be read.
pub fn read_as_said(
    journal: &dyn Journal,
    name: &JournalName,
    seq: u64,
    submitted: &Submitted,
) -> Result<Option<Map<String, Value>>, JournalFault> {
    let first = seq + u64::from(submitted.continued) + 1;
    let count = usize::try_from(submitted.as_said).unwrap_or(usize::MAX);
    let records = journal.read(name, first, count)?;
    if records.iter().any(|record| record.erased) {
        return Ok(None);
    }
    let bytes: Vec<u8> = records.into_iter().flat_map(|record| record.sealed).collect();
    let read: Result<AsSaid, _> = serde_json::from_slice(&bytes);
    read.map(|said| Some(said.payload)).map_err(|_| JournalFault::Damaged {
        journal: name.0.clone(),
        seq: first,
        what: "what is to be executed cannot be read".to_owned(),
    })
}

/// A sealed part with what the next so many records hold of it.
fn whole(
    journal: &dyn Journal,
    name: &JournalName,
    seq: u64,
    first: Vec<u8>,
    continued: u32,
) -> Result<Vec<u8>, JournalFault> {
    let mut bytes = first;
    if continued > 0 {
        let more = usize::try_from(continued).unwrap_or(usize::MAX);
        for next in journal.read(name, seq + 1, more)? {
            bytes.extend_from_slice(&next.sealed);
        }
    }
    Ok(bytes)
}

/// An event with its sealed part as drafts that lie one after another; `event` is told how many follow the first.
pub fn drafts(at: At, sealed: Vec<u8>, event: impl FnOnce(u32) -> Event) -> Vec<Draft> {
    let mut pieces = pieces(sealed).into_iter();
    let first = pieces.next().unwrap_or_default();
    let open = event::write(&event(u32::try_from(pieces.len()).unwrap_or(u32::MAX)));
    let mut drafts = vec![fact(at, open, first)];
    drafts.extend(pieces.map(|sealed| continued(at, sealed)));
    drafts
}

/// A draft that goes on with the sealed part of the ones before it.
pub fn continued(at: At, sealed: Vec<u8>) -> Draft {
    fact(at, event::write(&Event::Continued), sealed)
}

fn fact(at: At, open: Vec<u8>, sealed: Vec<u8>) -> Draft {
    Draft {
        kind: Kind::Fact,
        at,
        open,
        sealed,
    }
}
