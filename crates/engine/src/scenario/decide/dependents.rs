//! What refines a learned key rests on it: it goes with the key, whoever or whatever ends that, and a person who brings the
//! key back brings it back as well (Z-114, Z-147, Z-150).
//!
//! Looks at stages alone, after a decision as well as on every tick, so that no way on which a key goes is left out. Invariant:
//! nothing stands firmer than the key that it rests on; what goes so says nothing against it, so it does not cool down.
//!
//! Demoting: a promotion is taken back, with what came of it (Z-127, Z-141, Z-145).
//!
//! The key goes on trial again, a whole one. So do its refinements that were promoted, which rest on it; and the keys that
//! were folded into it since, which had to go because it stood firmer, come back to what they were. All of it or nothing:
//! where the convergence guard has no room for all, a person makes room first.

use crate::evolution::guard::Occupancy;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage_dwell;
use crate::pool::gate::Audience;
use crate::scenario::command::Refusal;
use crate::scenario::decide::entry;
use crate::scenario::event::Event;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::KeyName;
use schema::time::At;

/// Whether a patch refines a key that the other adds, for those whom it is for.
pub fn rests_on(refinement: &Patch, key: &Patch, policy: &Policy) -> bool {
    matches!(key.change, KeyChange::Add(_))
        && matches!(refinement.change, KeyChange::Refine { .. })
        && refinement.change.key_name() == key.change.key_name()
        && layer::concerns(key, policy.cohorts.addressed(&refinement.audience))
}

/// Whether there is a key that a refinement for this audience can rest on: one of the base, or one that is not leaving.
pub fn bears(state: &State, audience: &Audience, key_name: &KeyName, policy: &Policy) -> bool {
    let to = policy.cohorts.addressed(audience);
    let adds = |patch: &Patch| patch.adds_in_life() && patch.change.key_name() == key_name;
    of_base(state, key_name)
        || state
            .patches
            .iter()
            .any(|patch| adds(patch) && layer::concerns(patch, to))
}

/// Whether what a patch rests on is there, if it rests on anything.
pub fn bearable(state: &State, patch: &Patch, policy: &Policy) -> bool {
    matches!(patch.change, KeyChange::Add(_)) || bears(state, &patch.audience, patch.change.key_name(), policy)
}

/// Whether the base in force has the key: its refinements rest on that.
fn of_base(state: &State, key_name: &KeyName) -> bool {
    state
        .base_in_force()
        .is_some_and(|base| base.template.key(key_name).is_some())
}

/// A decision with what goes along: everything that would stand firmer after it than the key that it rests on.
pub fn along(state: &State, mut events: Vec<Event>, at: At, policy: &Policy) -> Vec<Event> {
    let going: Vec<Event> = {
        let decided = |patch: &Patch| {
            events.iter().rev().find_map(|event| match event {
                Event::Staged { patch_id, stage, .. } | Event::Revived { patch_id, stage, .. }
                    if *patch_id == patch.patch_id =>
                {
                    Some(stage)
                }
                _ => None,
            })
        };
        let undecided = state.patches.iter().filter(|patch| decided(patch).is_none());
        let going = undecided.filter_map(|patch| {
            let stage = gone_with(patch, ground(state, patch, &decided, policy)?, at, policy)?;
            Some(Event::staged(patch, stage, Reason::WithKey, None))
        });
        going.collect()
    };
    events.extend(going);
    events
}

/// The firmest stage of the keys that a patch rests on; `None` where it rests on none, or the base has the key.
fn ground<'s>(
    state: &'s State,
    patch: &Patch,
    decided: &dyn Fn(&Patch) -> Option<&'s Stage>,
    policy: &Policy,
) -> Option<&'s Stage> {
    if !matches!(patch.change, KeyChange::Refine { .. }) || of_base(state, patch.change.key_name()) {
        return None;
    }
    let keys = state.patches.iter().filter(|key| rests_on(patch, key, policy));
    let stages = keys.map(|key| decided(key).unwrap_or(&key.stage));
    stages.max_by_key(|stage| firmness(stage))
}

/// How firmly something stands: what is in life, or may come to it, before what is leaving.
fn firmness(stage: &Stage) -> u8 {
    match stage {
        Stage::Queued { since: _ }
        | Stage::AwaitingApproval { since: _ }
        | Stage::Experimental(_)
        | Stage::Stable { since: _, next_look: _ } => 3,
        Stage::Deprecated { since: _, until: _ } => 2,
        Stage::Withdrawn { since: _, until: _ } => 1,
        Stage::Expired { since: _ } | Stage::Lapsed { since: _ } | Stage::Rejected { since: _ } => 0,
    }
}

/// The stage to which a patch goes with its key; `None` where it stands no firmer.
fn gone_with(patch: &Patch, key: &Stage, at: At, policy: &Policy) -> Option<Stage> {
    if firmness(&patch.stage) <= firmness(key) {
        return None;
    }
    let waits = matches!(patch.stage, Stage::Queued { .. } | Stage::AwaitingApproval { .. });
    let stage = match key {
        // Nobody saw it.
        _ if waits => Stage::Lapsed { since: at },
        // Its own end is a change by a rule again, which may have to wait longer than the key's.
        Stage::Deprecated { since: _, until } => Stage::Deprecated {
            since: at,
            until: stage_dwell::free_from(patch, &policy.evolution).map_or(*until, |free| free.max(*until)),
        },
        Stage::Withdrawn { since: _, until } => Stage::Withdrawn {
            since: at,
            until: stage_dwell::free_from(patch, &policy.evolution).map_or(*until, |free| free.max(*until)),
        },
        _ if matches!(patch.stage, Stage::Withdrawn { .. }) => Stage::Expired { since: at },
        // Its key is over already: its values are taken for as long as any that is withdrawn.
        _ => Stage::Withdrawn {
            since: at,
            until: stage_dwell::end(patch, at, policy.evolution.withdrawn_s, &policy.evolution),
        },
    };
    Some(stage)
}

/// What goes where a key gives up the name by which it is refined.
pub fn left_behind(state: &State, key: &Patch, at: At, policy: &Policy) -> Vec<Event> {
    let gone = Stage::Lapsed { since: at };
    let resting = state.patches.iter().filter(|patch| rests_on(patch, key, policy));
    let going = resting.filter_map(|patch| {
        let stage = gone_with(patch, &gone, at, policy)?;
        Some(Event::staged(patch, stage, Reason::WithKey, None))
    });
    going.collect()
}

/// What comes back with a key that a person restores: what went with it and has not moved since, but by time. It stands firm
/// where it and the key do; else it goes on trial, as far as there is room.
pub fn back_with(
    state: &State,
    key: &Patch,
    to: &Stage,
    order: &OperatorRequest,
    at: At,
    policy: &Policy,
) -> Vec<Event> {
    let resting = state.patches.iter().filter(|patch| rests_on(patch, key, policy));
    let mut occupancy = Occupancy::count(state.patches.iter());
    if matches!(to, Stage::Experimental(_)) {
        occupancy.begin(&key.audience);
    }
    let mut events = Vec::new();
    for patch in resting.filter(|patch| went_with_key(patch)) {
        let stage = match to {
            Stage::Stable { .. } if entry::was_stable(patch) => entry::stable(at, policy),
            Stage::Stable { .. } | Stage::Experimental(_) => entry::as_it_was(patch, at, policy),
            _ => continue,
        };
        if matches!(stage, Stage::Experimental(_)) {
            if !occupancy.has_room(&patch.audience, &policy.evolution, &policy.cohorts) {
                continue;
            }
            occupancy.begin(&patch.audience);
        }
        let order = OperatorRequest::of(OperatorAction::Restore, order.by.clone(), order.because.clone());
        events.push(entry::staged(patch, stage, &order, at, policy));
    }
    events
}

/// Whether a patch has gone, and that with its key.
fn went_with_key(patch: &Patch) -> bool {
    let by_time = |reason: &Reason| matches!(reason, Reason::GraceOver | Reason::WindowOver);
    let last = patch.history.iter().rev().find(|change| !by_time(&change.reason));
    patch.stage.has_ended() && last.is_some_and(|change| change.reason == Reason::WithKey)
}

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
    matches!(refinement.stage, Stage::Stable { .. }) && rests_on(refinement, key, policy)
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
