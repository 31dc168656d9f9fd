//! Digesting a submission: every fragment gets its fate, every judged value its place in the ledger, once.

use std::collections::BTreeSet;

use crate::domain::pool::micro::FragmentId;
use crate::domain::pool::placement::Embedded;
use crate::domain::pool::placement::Placement;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::command::Digested;
use crate::domain::scenario::command::Refusal;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::event::Judgement;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;

/// Places the fragments as of the moment of the submission.
///
/// # Errors
/// [`Refusal::Done`] when the submission is not pending; [`Refusal::OtherModel`] for vectors of another model (Z-103).
pub fn digest(
    state: &State,
    of: u64,
    model: &str,
    fragments: Vec<Digested>,
    judgements: Vec<Judgement>,
    policy: &Policy,
) -> Result<Vec<Event>, Refusal> {
    let pending = state.pending.get(&of).ok_or(Refusal::Done)?;
    let mut placements: Vec<Placement> = Vec::with_capacity(fragments.len());
    let mut embedded: Vec<(FragmentId, Embedded)> = Vec::new();
    for (ordinal, fragment) in fragments.into_iter().enumerate() {
        let fragment_id = FragmentId {
            submission: of,
            ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX),
        };
        match fragment {
            Digested::NoDemand(reason) => placements.push(Placement::Dropped {
                fragment: fragment_id,
                reason,
            }),
            Digested::Covered(key) => placements.push(Placement::Covered {
                fragment: fragment_id,
                key,
            }),
            Digested::Embedded(found) => embedded.push((fragment_id, *found)),
            Digested::Failed => placements.push(Placement::Failed { fragment: fragment_id }),
        }
    }
    if !embedded.is_empty() && !state.pool.model.is_empty() && state.pool.model != model {
        return Err(Refusal::OtherModel {
            held: state.pool.model.clone(),
            came: model.to_owned(),
        });
    }
    let placed = state
        .pool
        .place(embedded, pending.client.as_ref(), pending.at, &policy.pool);
    let heats = heats(state, &placed, policy);
    placements.extend(placed);
    Ok(vec![Event::Digested {
        of,
        model: model.to_owned(),
        placements,
        judgements,
        heats,
    }])
}

/// Heat of the joined clusters that patches came of, for their curves.
fn heats(state: &State, placed: &[Placement], policy: &Policy) -> Vec<(ClusterId, i64)> {
    let watched: BTreeSet<ClusterId> = state.patches.iter().map(|patch| patch.cluster).collect();
    let mut joined: BTreeSet<ClusterId> = BTreeSet::new();
    for placement in placed {
        match placement {
            Placement::Joined { cluster, .. } if watched.contains(cluster) => {
                joined.insert(*cluster);
            }
            Placement::Joined { .. }
            | Placement::Dropped { .. }
            | Placement::Covered { .. }
            | Placement::Failed { .. } => {}
        }
    }
    let increment = crate::domain::pool::gate::units(policy.pool.heat_increment);
    joined
        .into_iter()
        .map(|cluster| {
            (
                cluster,
                state
                    .pool
                    .gate(cluster, state.at, &policy.pool)
                    .heat_micro
                    .saturating_add(increment),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests;
