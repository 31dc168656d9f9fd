//! What refines a learned key rests on it: it goes with the key, whoever or whatever ends that, and a person who brings the
//! key back brings it back as well (Z-114, Z-147, Z-150).
//!
//! Looks at stages alone, after a decision as well as on every tick, so that no way on which a key goes is left out. Invariant:
//! nothing stands firmer than the key that it rests on; what goes so says nothing against it, so it does not cool down.
//!
//! Demoting: a promotion is taken back, with what came of it (Z-127, Z-141, Z-145). The key goes on trial again, a whole one. So
//! do its refinements that were promoted; and the keys that were folded into it since, which had to go because it stood firmer,
//! come back to what they were. All of it or nothing: where the convergence guard has no room for all, a person makes room first.

use crate::evolution::guard::Occupancy;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::scenario::command::Refusal;
use crate::scenario::decide::keys;
use crate::scenario::decide::situation::Situation;
use crate::scenario::decide::stages;
use crate::scenario::event::Event;
use schema::effective::KeyChange;
use schema::effective::Standing;
use schema::time::At;

/// A decision with what goes along: everything that would stand firmer after it than the key that it rests on.
pub fn along(now: Situation<'_>, mut events: Vec<Event>) -> Vec<Event> {
    let decided = |patch: &Patch| {
        events.iter().rev().find_map(|event| match event {
            Event::Staged { patch_id, stage, .. } | Event::Revived { patch_id, stage, .. } => {
                (*patch_id == patch.patch_id).then_some(stage)
            }
            _ => None,
        })
    };
    // The firmest stage of the keys that a patch rests on; none where the base has the key.
    let ground = |patch: &Patch| {
        let rests = matches!(patch.change, KeyChange::Refine { .. });
        let keys = now.state.patches.iter().filter(|key| keys::rests_on(now, patch, key));
        let stages = keys.map(|key| decided(key).unwrap_or(&key.stage));
        let firmest = stages.max_by_key(|stage| firmness(stage));
        firmest.filter(|_| rests && !keys::in_base(now.state, patch.change.key_name()))
    };
    let undecided = now.state.patches.iter().filter(|patch| decided(patch).is_none());
    let going: Vec<Event> = undecided
        .filter_map(|patch| goes_with(now, patch, ground(patch)?))
        .collect();
    events.extend(going);
    events
}

/// How firmly something stands: what is in life, or may come to it, before what is leaving.
fn firmness(stage: &Stage) -> u8 {
    match stage.standing() {
        _ if !stage.has_ended() => 3,
        Some(Standing::Deprecated) => 2,
        Some(_) => 1,
        None => 0,
    }
}

/// How a patch goes with its key; not at all where it stands no firmer.
fn goes_with(now: Situation<'_>, patch: &Patch, key: &Stage) -> Option<Event> {
    if firmness(&patch.stage) <= firmness(key) {
        return None;
    }
    let since = now.at;
    // Its own end is a change by a rule again, which may have to wait longer than the key's.
    let with_key = |until: At| now.not_before(patch).map_or(until, |free| free.max(until));
    let stage = match key {
        // Nobody saw it.
        _ if keys::waits(patch) => Stage::Lapsed { since },
        Stage::Deprecated { since: _, until } => Stage::Deprecated {
            since,
            until: with_key(*until),
        },
        Stage::Withdrawn { since: _, until } => Stage::Withdrawn {
            since,
            until: with_key(*until),
        },
        _ if matches!(patch.stage, Stage::Withdrawn { .. }) => Stage::Expired { since },
        // Its key is over already: its values are taken for as long as any that is withdrawn.
        _ => Stage::Withdrawn {
            since,
            until: now.end(patch, now.evolution().withdrawn_s),
        },
    };
    Some(Event::staged(patch, stage, Reason::WithKey, None))
}

/// What goes where a key gives up the name by which it is refined.
pub fn left_behind(now: Situation<'_>, key: &Patch) -> Vec<Event> {
    let gone = Stage::Lapsed { since: now.at };
    let going = keys::resting_on(now, key).filter_map(|patch| goes_with(now, patch, &gone));
    going.collect()
}

/// What comes back with a key that a person restores: what went with it and has not moved since, but by time. It stands firm
/// where it and the key do; else it goes on trial, as far as there is room.
pub fn back_with<'s>(now: Situation<'s>, key: &'s Patch, to: &Stage, order: &OperatorRequest) -> Vec<Event> {
    let mut occupancy = now.occupancy();
    if matches!(to, Stage::Experimental(_)) {
        occupancy.begin(&key.audience);
    }
    let order = OperatorRequest::of(OperatorAction::Restore, order.by.clone(), order.because.clone());
    let mut events = Vec::new();
    for patch in keys::resting_on(now, key).filter(|patch| has_gone(patch, &Reason::WithKey).is_some()) {
        let stage = match to {
            Stage::Stable { .. } if stages::was_stable(patch) => now.stable(),
            Stage::Stable { .. } | Stage::Experimental(_) => stages::as_it_was(now, patch),
            _ => continue,
        };
        if finds_room(now, &mut occupancy, patch, &stage) {
            events.push(stages::ordered(now, patch, stage, &order));
        }
    }
    events
}

/// Whether there is room for a stage, and takes it.
fn finds_room<'s>(now: Situation<'s>, occupancy: &mut Occupancy<'s>, patch: &'s Patch, stage: &Stage) -> bool {
    if !matches!(stage, Stage::Experimental(_)) {
        return true;
    }
    let has_room = now.has_room(occupancy, &patch.audience);
    if has_room {
        occupancy.begin(&patch.audience);
    }
    has_room
}

/// The change by which a patch went for this reason, where it has been in no other stage since but for those that time brings.
fn has_gone<'s>(patch: &'s Patch, why: &Reason) -> Option<&'s StageChange> {
    let by_time = |reason: &Reason| matches!(reason, Reason::GraceOver | Reason::WindowOver);
    let last = patch.history.iter().rev().find(|change| !by_time(&change.reason))?;
    (patch.stage.has_ended() && last.reason == *why).then_some(last)
}

/// Takes a promotion back: the patch first, then what goes with it, in the order of their proposals.
///
/// # Errors
/// [`Refusal::StageForbids`] for a patch that is not stable, [`Refusal::GuardFull`].
pub fn demote<'s>(now: Situation<'s>, patch: &'s Patch, order: &OperatorRequest) -> Result<Vec<Event>, Refusal> {
    let Stage::Stable { since, next_look: _ } = &patch.stage else {
        let from = patch.stage.name();
        return Err(Refusal::StageForbids { from, to: "demoted" });
    };
    let stands_on = |other: &Patch| matches!(other.stage, Stage::Stable { .. }) && keys::rests_on(now, other, patch);
    let folded_into = |other: &Patch| {
        let folded = has_gone(other, &Reason::Folded).is_some_and(|change| change.at >= *since);
        folded && other.cluster == patch.cluster && other.audience == patch.audience
    };
    let others = now.state.patches.iter();
    let with = others.filter(|other| stands_on(other) || folded_into(other));
    let moved: Vec<&Patch> = std::iter::once(patch).chain(with).collect();
    let stays = |other: &&Patch| moved.iter().all(|moved| moved.patch_id != other.patch_id);
    let mut occupancy = Occupancy::count(now.state.patches.iter().filter(stays));
    let mut events = Vec::new();
    for moved in moved {
        let stage = stages::as_it_was(now, moved);
        if !finds_room(now, &mut occupancy, moved, &stage) {
            return Err(Refusal::GuardFull);
        }
        events.push(stages::ordered(now, moved, stage, order));
    }
    Ok(events)
}

#[cfg(test)]
mod tests;
