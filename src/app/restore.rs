//! Restoring a scenario: the newest whole snapshot, then every record after it; or every record from the first.

use engine::scenario::event;
use engine::scenario::event::Entry;
use engine::scenario::evolve;
use engine::scenario::state::State;
use store::journal::Journal;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::Record;

/// Records read at once.
const CHUNK: usize = 2_048;

/// A restored scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    pub state: State,
    /// Hash of the last record.
    pub hash: [u8; 32],
    /// Sequence of the snapshot that it began with; 0 without one.
    pub snapshot_seq: u64,
}

/// Restores with the help of a snapshot. One that does not fit the journal is passed over.
pub fn restore(journal: &dyn Journal, name: &JournalName) -> Result<Restored, JournalFault> {
    let shortcut = shortcut(journal, name, |_| true)?;
    follow(journal, name, shortcut.unwrap_or_default())
}

/// What the snapshot says, where it fits the journal and its last record is welcome.
pub fn shortcut(
    journal: &dyn Journal,
    name: &JournalName,
    welcome: impl Fn(&Record) -> bool,
) -> Result<Option<Restored>, JournalFault> {
    let Some(snapshot) = journal.snapshot(name)? else {
        return Ok(None);
    };
    let last = journal.read(name, snapshot.seq, 1)?.into_iter().next();
    let fits = last.is_some_and(|record| record.hash == snapshot.hash && welcome(&record));
    let state = serde_json::from_slice::<State>(&snapshot.state).ok();
    Ok(state
        .filter(|state| fits && state.seq == snapshot.seq)
        .map(|state| Restored {
            state,
            hash: snapshot.hash,
            snapshot_seq: snapshot.seq,
        }))
}

/// Restores from the first record on, without any snapshot.
pub fn replay(journal: &dyn Journal, name: &JournalName) -> Result<Restored, JournalFault> {
    follow(journal, name, Restored::default())
}

fn follow(journal: &dyn Journal, name: &JournalName, from: Restored) -> Result<Restored, JournalFault> {
    let mut restored = from;
    loop {
        let records = journal.read(name, restored.state.seq + 1, CHUNK)?;
        if records.is_empty() {
            return Ok(restored);
        }
        for record in records {
            evolve::evolve(&mut restored.state, &entry(name, &record)?);
            restored.hash = record.hash;
        }
    }
}

/// What a record says.
///
/// # Errors
/// [`JournalFault::Damaged`] where no version of Otherwise wrote this.
pub fn entry(name: &JournalName, record: &Record) -> Result<Entry, JournalFault> {
    let event = event::read(&record.open).map_err(|what| JournalFault::Damaged {
        journal: name.0.clone(),
        seq: record.seq,
        what,
    })?;
    Ok(Entry {
        seq: record.seq,
        at: record.at,
        event,
    })
}
