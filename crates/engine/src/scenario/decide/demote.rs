//! Demoting: a promotion is taken back, with what came of it (Z-127, Z-141, Z-145).
//!
//! The key goes on trial again, a whole one. So do its refinements that were promoted, which rest on it; and the keys that
//! were folded into it since, which had to go because it stood firmer, come back to what they were. All of it or nothing:
//! where the convergence guard has no room for all, a person makes room first.

use crate::evolution::guard::Occupancy;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::scenario::command::Refusal;
use crate::scenario::decide::entry;
use crate::scenario::decide::resting;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::time::At;

/// Takes a promotion back: the patch first, then what goes with it, in the order of their proposals.
///
/// # Errors
/// [`Refusal::StageForbids`] for a patch that is not stable, [`Refusal::GuardFull`].
pub fn demote(
    state: &State,
    patch: &Patch,
    order: &OperatorRequest,
    at: At,
    policy: &Policy,
) -> Result<Vec<Event>, Refusal> {
    let Stage::Stable {
        since: promoted,
        next_look: _,
    } = &patch.stage
    else {
        return Err(Refusal::StageForbids {
            from: patch.stage.name(),
            to: "demoted",
        });
    };
    let with = state
        .patches
        .iter()
        .filter(|other| stands_on(other, patch, policy) || folded_into(other, patch, *promoted));
    let moved: Vec<&Patch> = std::iter::once(patch).chain(with).collect();
    let others = state
        .patches
        .iter()
        .filter(|other| moved.iter().all(|moved| moved.patch_id != other.patch_id));
    let mut occupancy = Occupancy::count(others);
    let mut events = Vec::new();
    for moved in moved {
        let stage = entry::as_it_was(moved, at, policy);
        if matches!(stage, Stage::Experimental(_)) {
            if !occupancy.has_room(&moved.audience, &policy.evolution, &policy.cohorts) {
                return Err(Refusal::GuardFull);
            }
            occupancy.begin(&moved.audience);
        }
        events.push(entry::staged(moved, stage, order, at, policy));
    }
    Ok(events)
}

/// Whether a patch refines the key that the other adds, and was promoted.
fn stands_on(refinement: &Patch, key: &Patch, policy: &Policy) -> bool {
    matches!(refinement.stage, Stage::Stable { .. }) && resting::rests_on(refinement, key, policy)
}

/// Whether a patch went by being folded into the other since that was promoted, and has not been in another stage since,
/// but for those that time brings.
fn folded_into(gone: &Patch, key: &Patch, promoted: At) -> bool {
    let last = gone
        .history
        .iter()
        .rev()
        .find(|change| !matches!(change.reason, Reason::GraceOver | Reason::WindowOver));
    gone.cluster == key.cluster
        && gone.audience == key.audience
        && gone.stage.has_ended()
        && last.is_some_and(|change| change.reason == Reason::Folded && change.at >= promoted)
}

#[cfg(test)]
mod tests;
