//! A bounded backlog: of the submissions that nobody has looked at yet only so many are held, and the others wait in the journal alone.
//!
//! What is held is always what came first. Nothing is refused or answered later because of it.

use std::collections::BTreeMap;

use crate::scenario::command::Refusal;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::state::State;
use crate::scenario::submission::Pending;

/// Bytes of submissions that are recalled by one event: a record of a journal holds half as much again.
const BYTES_MAX: usize = 32 << 10;

/// Lets go of what is held beyond the bound.
pub fn defer(now: Situation<'_>) -> Vec<Event> {
    let (held, max) = (&now.state.pending, now.policy.pool.pending_max);
    let last = held.keys().nth(max.saturating_sub(1)).filter(|_| held.len() > max);
    last.map(|after| Event::Deferred { after: *after })
        .into_iter()
        .collect()
}

/// Holds again what was read back, in events of a bounded length.
///
/// # Errors
/// [`Refusal::Done`] when it was read from elsewhere than from where it lies now.
pub fn recall(
    state: &State,
    after: u64,
    through: u64,
    submissions: BTreeMap<u64, Pending>,
    erased: u64,
) -> Result<Vec<Event>, Refusal> {
    if state.deferred.is_none_or(|deferred| deferred.after != after) {
        return Err(Refusal::Done);
    }
    let mut events = Vec::new();
    let (mut held, mut bytes) = (BTreeMap::new(), 0);
    for (seq, pending) in submissions {
        // Its sequence and what stands around it take some thirty bytes.
        let weight = serde_json::to_vec(&pending).map_or(0, |pending| pending.len()) + 32;
        if bytes + weight > BYTES_MAX && !held.is_empty() {
            events.push(Event::Recalled {
                through: seq - 1,
                submissions: std::mem::take(&mut held),
                erased: 0,
            });
            bytes = 0;
        }
        bytes += weight;
        held.insert(seq, pending);
    }
    events.push(Event::Recalled {
        through,
        submissions: held,
        erased,
    });
    Ok(events)
}

#[cfg(test)]
mod tests;
