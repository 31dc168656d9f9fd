//! A bounded backlog: of the submissions that nobody has looked at yet only so many are held, and the others wait in the journal alone.
//!
//! What is held of a source is always what came first of it. Nothing is refused or answered later because of it.

use std::collections::BTreeMap;

use crate::pool::source::Source;
use crate::scenario::command::Refusal;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::state::State;
use crate::scenario::submission::Pending;

/// Bytes of submissions that are recalled by one event: a record of a journal holds half as much again.
const BYTES_MAX: usize = 32 << 10;

/// Lets go of what is held beyond the bound: the newest of the source that holds most, so that one source's flood leaves others their
/// place. At least an eighth of what it holds goes, so that a busy service does not record this with each submission. Where no
/// source holds two, all stay, and whatever any other source sends from here on waits: sources are read by turns, so that of all together
/// no earlier place has only unread submissions behind it.
pub fn defer(now: Situation<'_>) -> Vec<Event> {
    let (held, max) = (&now.state.pending, now.policy.pool.pending_max.max(1));
    let surplus = held.len().saturating_sub(max);
    if surplus == 0 {
        return Vec::new();
    }
    let mut by_source: BTreeMap<Source, Vec<u64>> = BTreeMap::new();
    for (seq, pending) in held {
        by_source
            .entry(Source::of(pending.client.as_ref()))
            .or_default()
            .push(*seq);
    }
    let largest = by_source.into_iter().max_by_key(|(_, seqs)| seqs.len());
    let largest = largest.filter(|(_, seqs)| seqs.len() > 1 && now.state.deferred.is_none());
    let (source, after) = match largest {
        Some((source, seqs)) => {
            let stay = seqs.len() - surplus.max(seqs.len() / 8).min(seqs.len() - 1);
            (Some(source), seqs.get(stay - 1).copied())
        }
        None if now.state.deferred.is_some() => return Vec::new(),
        None => (None, Some(now.state.seq)),
    };
    after
        .map(|after| Event::Deferred { after, source })
        .into_iter()
        .collect()
}

/// Holds again what was read back, in events of a bounded length.
///
/// # Errors
/// [`Refusal::Done`] when it was read from elsewhere than from where it lies now.
pub fn recall(
    state: &State,
    source: Option<&Source>,
    after: u64,
    through: u64,
    submissions: BTreeMap<u64, Pending>,
    erased: u64,
) -> Result<Vec<Event>, Refusal> {
    if state.deferred_of(source).is_none_or(|deferred| deferred.after != after) {
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
                source: source.cloned(),
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
        source: source.cloned(),
    });
    Ok(events)
}

#[cfg(test)]
mod tests;
