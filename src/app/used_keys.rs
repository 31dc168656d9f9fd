//! Used idempotency keys in the store's index: noted record by record, caught up with at a start, found again.
//!
//! Lacks what a repeat is answered, which is `idempotency`'s. Invariant: the index knows every record that the state knows.

use sha2::Digest;
use sha2::Sha256;

use crate::app::dependencies::Dependencies;
use crate::app::dependencies::Options;
use crate::app::restore;
use crate::app::sealed;
use engine::scenario::event::Event;
use schema::time::SECOND_MS;
use store::journal::JournalFault;
use store::journal::JournalName;
use store::journal::KeyDigest;
use store::journal::KeyUse;
use store::journal::Record;

/// Prefix of a key that a client library generated for the retries of one call: it is kept for a short time.
pub const GENERATED: &str = "generated:";

/// Records read at once.
const CHUNK: usize = 2_048;

/// Returns the milliseconds for which a key is remembered.
pub fn kept_ms(options: &Options, key: &str) -> i64 {
    let seconds = match key.starts_with(GENERATED) {
        true => options.idempotency_generated_s,
        false => options.idempotency_s,
    };
    seconds.saturating_mul(SECOND_MS)
}

fn digest(journal: &JournalName, scope: &str, key: &str) -> KeyDigest {
    // Neither a journal's name nor a key holds a line break, so that no two keys have the same text.
    let whole = Sha256::digest(format!("{}\n{key}\n{scope}", journal.0));
    let mut digest = KeyDigest::default();
    digest.copy_from_slice(&whole[..size_of::<KeyDigest>()]);
    digest
}

/// Finds the last use of a key, whatever its body and its age.
///
/// # Errors
/// [`JournalFault::Busy`] while the index is not written fast enough, and the fault of a file that cannot be read.
pub fn last_use(
    deps: &Dependencies,
    journal: &JournalName,
    scope: &str,
    key: &str,
) -> Result<Option<KeyUse>, JournalFault> {
    let index = deps.journal.key_index();
    if index.is_behind() {
        return Err(JournalFault::Busy);
    }
    index.find(&digest(journal, scope, key))
}

/// Notes a record of a scenario.
pub fn note(deps: &Dependencies, journal: &JournalName, record: &Record, event: &Event) {
    let index = deps.journal.key_index();
    let mut noted = None;
    if let Event::Submitted(submitted) = event {
        noted = submitted.idempotency.as_ref().map(|used| {
            let new = KeyUse {
                submission: record.seq,
                executed: None,
                until: record.at.plus_ms(kept_ms(&deps.options, &used.key)),
            };
            (digest(journal, &used.scope, &used.key), new)
        });
    } else if let Event::Executed(executed) = event
        && let Some((scope, key)) = &executed.kept_for
    {
        let digest = digest(journal, scope, key);
        // Where the index cannot be read, a repeat is refused as well.
        let found = index.find(&digest).unwrap_or_default();
        let found = found.filter(|found| found.submission == executed.of);
        let executed = Some(record.seq);
        noted = found.map(|found| (digest, KeyUse { executed, ..found }));
    }
    index.note(journal, record, noted);
}

/// Notes what the index lacks of a journal up to this record: after a crash its last records, without an index all whose keys
/// may still be remembered. A scenario takes no keys before that.
///
/// # Errors
/// When the journal cannot be read, or the index cannot be written.
pub fn catch_up(deps: &Dependencies, journal: &JournalName, through: u64) -> Result<(), JournalFault> {
    let (records, index) = (deps.journal.as_ref(), deps.journal.key_index());
    let mut from = index.position(journal) + 1;
    if from > through {
        return Ok(());
    }
    let kept_s = deps.options.idempotency_s.max(deps.options.idempotency_generated_s);
    // By the journal's own moments: a clock that is ahead at the start makes no key forgotten.
    let last = sealed::record(records, journal, through)?.at;
    let since = last.plus_ms(-kept_s.saturating_mul(SECOND_MS));
    let mut enough = through;
    while from < enough {
        let middle = from + (enough - from) / 2;
        match sealed::record(records, journal, middle)?.at < since {
            true => from = middle + 1,
            false => enough = middle,
        }
    }
    while from <= through {
        let left = usize::try_from(through - from + 1).unwrap_or(CHUNK);
        for record in records.read(journal, from, left.min(CHUNK))? {
            from = record.seq + 1;
            let entry = restore::entry(journal, &record)?;
            note(deps, journal, &record, &entry.event);
        }
        if index.is_behind() {
            index.write()?;
        }
    }
    Ok(())
}
