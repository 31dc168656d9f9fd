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
use store::journal::Record;

/// Sealed bytes in one record: well below the store's limit, with room for the open part.
pub const PART_BYTES_MAX: usize = 32 * 1_024;
/// What is said of a sealed part that is none.
const UNREAD: &str = "its sealed part cannot be read";

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

/// The record at a sequence.
///
/// # Errors
/// The journal's fault, or that there is none.
pub fn record(journal: &dyn Journal, name: &JournalName, seq: u64) -> Result<Record, JournalFault> {
    let record = journal.read(name, seq, 1)?.pop();
    record.ok_or_else(|| damaged(name, seq, "it is missing"))
}

/// That what lies at a sequence is not what it must be.
pub fn damaged(name: &JournalName, seq: u64, what: &str) -> JournalFault {
    JournalFault::Damaged {
        journal: name.0.clone(),
        seq,
        what: what.to_owned(),
    }
}

/// The sealed part of a record with what the next so many records hold of it.
///
/// # Errors
/// The journal's fault.
pub fn whole(
    journal: &dyn Journal,
    name: &JournalName,
    record: Record,
    continued: u32,
) -> Result<Vec<u8>, JournalFault> {
    let mut bytes = record.sealed;
    if continued > 0 {
        let more = usize::try_from(continued).unwrap_or(usize::MAX);
        for next in journal.read(name, record.seq + 1, more)? {
            bytes.extend_from_slice(&next.sealed);
        }
    }
    Ok(bytes)
}

/// Reads a submission with its whole sealed part.
///
/// # Errors
/// The journal's fault, or that there is no submission at this sequence.
pub fn read(journal: &dyn Journal, name: &JournalName, seq: u64) -> Result<Kept, JournalFault> {
    let record = record(journal, name, seq)?;
    let Ok(Event::Submitted(submitted)) = event::read(&record.open) else {
        return Err(damaged(name, seq, "it is no submission"));
    };
    let at = record.at;
    let sealed = if record.erased {
        // Whoever reads it then finds that nothing was said: to induce from what is left is better than not at all.
        Sealed::default()
    } else {
        let bytes = whole(journal, name, record, submitted.continued)?;
        Sealed::parse(&bytes).ok_or_else(|| damaged(name, seq, UNREAD))?
    };
    Ok(Kept { submitted, sealed, at })
}

/// Reads the result that an execution brought.
///
/// # Errors
/// The journal's fault, or that there is no result at this sequence.
pub fn read_result(journal: &dyn Journal, name: &JournalName, seq: u64) -> Result<Map<String, Value>, JournalFault> {
    let record = record(journal, name, seq)?;
    let Ok(Event::Executed(executed)) = event::read(&record.open) else {
        return Err(damaged(name, seq, "it is no execution"));
    };
    let bytes = whole(journal, name, record, executed.continued)?;
    let read: Result<SealedResult, _> = serde_json::from_slice(&bytes);
    read.map(|sealed| sealed.result).map_err(|_| damaged(name, seq, UNREAD))
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
    let said = read.map(|said| Some(said.payload));
    said.map_err(|_| damaged(name, first, "what is to be executed cannot be read"))
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

/// What was decided, as drafts without sealed parts.
pub fn decided(events: &[Event], at: At) -> Vec<Draft> {
    let draft = |event: &Event| Draft {
        kind: if event.is_fact() { Kind::Fact } else { Kind::Decision },
        at,
        open: event::write(event),
        sealed: Vec::new(),
    };
    events.iter().map(draft).collect()
}

fn fact(at: At, open: Vec<u8>, sealed: Vec<u8>) -> Draft {
    Draft {
        kind: Kind::Fact,
        at,
        open,
        sealed,
    }
}
