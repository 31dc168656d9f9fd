//! Digesting a submission: every fragment gets its fate, every judged value its place in the ledger, once.

use std::collections::BTreeSet;

use crate::pool::assignment::Arriving;
use crate::pool::assignment::Assignment;
use crate::pool::assignment::Embedded;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::scenario::command::Digested;
use crate::scenario::command::Digestion;
use crate::scenario::command::Refusal;
use crate::scenario::decide::judgement;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;

/// Places the fragments as of the moment of their submission. Submissions that are not pending any more are left out.
///
/// # Errors
/// [`Refusal::Done`] when none is pending; [`Refusal::OtherModel`] for vectors of another model (Z-103).
pub fn digest(state: &State, model: &str, digestions: Vec<Digestion>, policy: &Policy) -> Result<Vec<Event>, Refusal> {
    let mut arriving = Vec::new();
    let mut sorted = Vec::new();
    for Digestion {
        of,
        fragments,
        judgements,
    } in digestions
    {
        let Some(pending) = state.pending.get(&of) else {
            continue;
        };
        let (placements, embedded) = sort(of, fragments);
        if !embedded.is_empty() && !state.pool.model.is_empty() && state.pool.model != model {
            return Err(Refusal::OtherModel {
                held: state.pool.model.clone(),
                came: model.to_owned(),
            });
        }
        arriving.push(Arriving {
            fragments: embedded,
            client: pending.client.clone(),
            at: pending.at,
            requested: pending.requested,
        });
        sorted.push((of, placements, judgements));
    }
    if sorted.is_empty() {
        return Err(Refusal::Done);
    }
    let placed = state.pool.assign(&arriving, &policy.pool);
    let events = sorted
        .into_iter()
        .zip(placed)
        .map(|((of, mut placements, judgements), placed)| {
            let pending = state.pending.get(&of);
            let raise = policy.pool.raise(pending.is_some_and(|pending| pending.requested));
            let heats = heats(state, &placed, raise, policy);
            placements.extend(placed);
            let drawn = pending.and_then(|pending| judgement::draw(state, of, pending, &judgements, policy));
            Event::Digested {
                of,
                model: model.to_owned(),
                placements,
                judgements,
                heats,
                drawn,
            }
        });
    Ok(events.collect())
}

/// Fragments whose fate is known already, and those that are to be placed.
fn sort(of: u64, fragments: Vec<Digested>) -> (Vec<Assignment>, Vec<(FragmentId, Embedded)>) {
    let mut placements: Vec<Assignment> = Vec::with_capacity(fragments.len());
    let mut embedded: Vec<(FragmentId, Embedded)> = Vec::new();
    for (ordinal, digested) in fragments.into_iter().enumerate() {
        let fragment = FragmentId {
            submission: of,
            ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
        };
        match digested {
            Digested::NoDemand(reason) => placements.push(Assignment::Dropped { fragment, reason }),
            Digested::Covered(key) => placements.push(Assignment::Covered { fragment, key }),
            Digested::Embedded(found) => embedded.push((fragment, *found)),
            Digested::Failed => placements.push(Assignment::Failed { fragment }),
        }
    }
    (placements, embedded)
}

/// Heat of the joined clusters that patches came of, for their curves.
fn heats(state: &State, placed: &[Assignment], raise: i64, policy: &Policy) -> Vec<(ClusterId, i64)> {
    let watched: BTreeSet<ClusterId> = state.patches.iter().map(|patch| patch.cluster).collect();
    let mut joined: BTreeSet<ClusterId> = BTreeSet::new();
    for placement in placed {
        match placement {
            Assignment::Joined { cluster, .. } if watched.contains(cluster) => {
                joined.insert(*cluster);
            }
            Assignment::Joined { .. }
            | Assignment::Dropped { .. }
            | Assignment::Covered { .. }
            | Assignment::Failed { .. } => {}
        }
    }
    joined
        .into_iter()
        .map(|cluster| {
            (
                cluster,
                state
                    .pool
                    .gate(cluster, state.at, &policy.pool)
                    .heat_micro
                    .saturating_add(raise),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests;
