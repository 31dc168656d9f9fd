//! Demoting: a promotion is taken back, with what came of it (Z-127, Z-141, Z-145).
//!
//! The key goes on trial again, a whole one. So do its refinements that were promoted, which rest on it; and the keys that
//! were folded into it since, which had to go because it stood firmer, come back to what they were. All of it or nothing:
//! where the convergence guard has no room for all, a person makes room first.

use crate::evolution::guard::Occupancy;
use crate::evolution::hand::Hand;
use crate::evolution::hand::Order;
use crate::evolution::patch::Patch;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::scenario::command::Refusal;
use crate::scenario::decide::induce;
use crate::scenario::decide::resting;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::time::At;

/// Takes a promotion back: the patch first, then what goes with it, in the order of their proposals.
///
/// # Errors
/// [`Refusal::StageForbids`] for a patch that is not stable, [`Refusal::GuardFull`].
pub fn demote(state: &State, patch: &Patch, order: &Order, at: At, policy: &Policy) -> Result<Vec<Event>, Refusal> {
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
        let stage = as_it_was(moved, at, policy);
        if matches!(stage, Stage::Experimental(_)) {
            if !occupancy.has_room(&moved.audience, &policy.evolution, &policy.cohorts) {
                return Err(Refusal::GuardFull);
            }
            occupancy.begin(&moved.audience);
        }
        events.push(staged(moved, stage, order, at, policy));
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

/// The stage that a patch comes back to: what waited for its person when it went, or was never let pass where everything
/// waits now, waits again; everything else goes on trial (Z-127, Z-165).
pub fn as_it_was(patch: &Patch, at: At, policy: &Policy) -> Stage {
    let stood = ["experimental", "stable", "queued", "awaiting_approval"];
    let last = patch
        .history
        .iter()
        .rev()
        .find(|change| stood.contains(&change.to.as_str()));
    let waits = last.is_some_and(|last| match last.to.as_str() {
        "awaiting_approval" => true,
        "queued" => policy.evolution.autonomy == Autonomy::Review && last.by.is_none(),
        _ => false,
    });
    if waits {
        Stage::AwaitingApproval { since: at }
    } else {
        Stage::Experimental(induce::trial(at, policy))
    }
}

/// The event that brings a patch to a stage by a person's order. A trial that begins once more gets a new date: the old
/// one may be past, and would end it with its first period (Z-119, Z-128).
pub fn staged(patch: &Patch, stage: Stage, order: &Order, at: At, policy: &Policy) -> Event {
    let expiration = match &stage {
        Stage::Experimental(trial) if matches!(order.hand, Hand::Demote | Hand::Restore) => {
            Some(Patch::expiration_date(at, Some(trial.until), &policy.evolution))
        }
        Stage::Experimental(_)
        | Stage::Queued { since: _ }
        | Stage::AwaitingApproval { since: _ }
        | Stage::Stable { since: _, next_look: _ }
        | Stage::Deprecated { since: _, until: _ }
        | Stage::Withdrawn { since: _, until: _ }
        | Stage::Expired { since: _ }
        | Stage::Lapsed { since: _ }
        | Stage::Rejected { since: _ } => None,
    };
    Event::Staged {
        patch_id: patch.patch_id.clone(),
        stage,
        reason: Reason::Operator,
        by: Some(order.by.clone()),
        reading: None,
        cool_until: None,
        hand: Some(order.hand),
        because: order.because.clone(),
        scope: (order.hand == Hand::Reject).then_some(order.scope),
        expiration: expiration.map(|date| date.max(patch.expiration)),
    }
}

#[cfg(test)]
mod tests;
