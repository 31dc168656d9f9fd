//! How a patch enters a stage: its first, one that it comes back to, and one that a person's order brings it to.
//!
//! Looks at the patch and at the room that there is; what else goes with it is decided elsewhere.
//!
//! The queue before the convergence guard: best expected coverage first (Z-156, Z-164).
//!
//! What waits is tried once there is room, however few ask for it by then: trials last a week, and heat halves in a day.

use crate::evolution::guard::Occupancy;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::evolution::stage_dwell;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::event::Event;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::SECOND_MS;

/// Where a new or revived patch begins (Z-127, Z-140, Z-156, Z-165); `waits` says that a person has to look at it first.
pub fn first_stage(state: &State, audience: &Audience, waits: bool, at: At, policy: &Policy) -> (Stage, Reason) {
    if waits {
        (Stage::AwaitingApproval { since: at }, Reason::NeedsApproval)
    } else if Occupancy::count(state.patches.iter()).has_room(audience, &policy.evolution, &policy.cohorts) {
        (Stage::Experimental(trial(at, policy)), Reason::GateOpened)
    } else {
        (Stage::Queued { since: at }, Reason::GuardFull)
    }
}

/// A trial of a patch that has a past: long enough that its end is no change too many ([`stage_dwell`]).
pub fn trial_again(patch: &Patch, at: At, policy: &Policy) -> Trial {
    Trial {
        until: stage_dwell::end(patch, at, policy.evolution.trial_s, &policy.evolution),
        ..trial(at, policy)
    }
}

/// A trial that begins now (Z-141).
pub fn trial(at: At, policy: &Policy) -> Trial {
    Trial {
        since: at,
        until: at.plus_s(policy.evolution.trial_s),
        extensions: 0,
    }
}

/// A promotion at this moment.
pub fn stable(at: At, policy: &Policy) -> Stage {
    Stage::Stable {
        since: at,
        next_look: at.plus_s(policy.evolution.trial_s),
    }
}

/// Whether it stood firm when it went: a promotion that a person took back since counts no more.
pub fn was_stable(patch: &Patch) -> bool {
    last_stood(patch).is_some_and(|change| change.to == "stable")
}

/// Its last change to a stage in which it waits or is in force.
fn last_stood(patch: &Patch) -> Option<&StageChange> {
    let stood = ["experimental", "stable", "queued", "awaiting_approval"];
    let mut changes = patch.history.iter().rev();
    changes.find(|change| stood.contains(&change.to.as_str()))
}

/// The stage that a patch comes back to: what waited for its person when it went, or was never let pass where everything
/// waits now, waits again; everything else goes on trial (Z-127, Z-165).
pub fn as_it_was(patch: &Patch, at: At, policy: &Policy) -> Stage {
    let waits = last_stood(patch).is_some_and(|last| match last.to.as_str() {
        "awaiting_approval" => true,
        "queued" => policy.evolution.autonomy == Autonomy::Review && last.by.is_none(),
        _ => false,
    });
    if waits {
        Stage::AwaitingApproval { since: at }
    } else {
        Stage::Experimental(trial(at, policy))
    }
}

/// The event that brings a patch to a stage by a person's order. A trial that begins once more gets a new date: the old
/// one may be past, and would end it with its first period (Z-119, Z-128).
pub fn staged(patch: &Patch, stage: Stage, order: &OperatorRequest, at: At, policy: &Policy) -> Event {
    let expiration = match &stage {
        Stage::Experimental(trial) if matches!(order.hand, OperatorAction::Demote | OperatorAction::Restore) => {
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
        scope: (order.hand == OperatorAction::Reject).then_some(order.scope),
        expiration: expiration.map(|date| date.max(patch.expiration)),
    }
}

/// Expected coverage in millionths: occurrences of the last 7 days over payloads of the last 7 days (Z-164).
pub fn coverage_ppm(state: &State, cluster: ClusterId, at: At, policy: &Policy) -> u64 {
    let days = (policy.pool.gate_window_s.saturating_mul(SECOND_MS) / DAY_MS).max(1);
    let (payloads, _, _) = state.ledger.totals(at, days);
    let occurrences = state.pool.gate(cluster, at, &policy.pool).occurrences;
    occurrences
        .saturating_mul(1_000_000)
        .checked_div(payloads)
        .unwrap_or(0)
        .min(1_000_000)
}

/// Lets the best of those that wait in while there is room; one whose name another key took meanwhile waits for nothing.
pub fn advance(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    let mut waiting: Vec<(u64, &Patch)> = Vec::new();
    for patch in &state.patches {
        if matches!(patch.stage, Stage::Queued { .. }) {
            if name_taken(state, patch, policy) {
                let lapsed = Stage::Lapsed { since: at };
                return vec![Event::staged(patch, lapsed, Reason::NameTaken, None)];
            }
            waiting.push((coverage_ppm(state, patch.cluster, at, policy), patch));
        }
    }
    let occupancy = Occupancy::count(state.patches.iter());
    waiting.sort_by(|(a, left), (b, right)| b.cmp(a).then(left.timestamp.cmp(&right.timestamp)));
    // What one client alone waits for comes last: it may have made way for another.
    waiting.sort_by_key(|(_, patch)| patch.audience.client().is_some());
    for (_, patch) in waiting {
        if occupancy.has_room(&patch.audience, &policy.evolution, &policy.cohorts) {
            let trial = trial_again(patch, at, policy);
            return vec![Event::staged(
                patch,
                Stage::Experimental(trial),
                Reason::RoomInGuard,
                None,
            )];
        }
        let crowded = occupancy.crowded(&patch.audience, &policy.evolution, &policy.cohorts);
        if let Some(own) = crowded.and_then(|client| newest_trial(state, client)) {
            let back = Stage::Queued { since: at };
            return vec![Event::staged(own, back, Reason::GuardFull, None)];
        }
    }
    Vec::new()
}

/// The newest trial for one client alone: it makes way where the client's own trials, however many it asked for, would keep
/// one for several waiting.
fn newest_trial<'s>(state: &'s State, client: &ClientId) -> Option<&'s Patch> {
    let own = |patch: &&Patch| patch.audience.client() == Some(client) && matches!(patch.stage, Stage::Experimental(_));
    state.patches.iter().rev().find(own)
}

/// Whether those for whom a patch adds a key have one of that name by now: in the base, or by another patch.
fn name_taken(state: &State, patch: &Patch, policy: &Policy) -> bool {
    let KeyChange::Add(key) = &patch.change else {
        return false;
    };
    let to = policy.cohorts.addressed(&patch.audience);
    let in_base = state
        .base_in_force()
        .is_some_and(|base| base.template.key(&key.key_name).is_some());
    let mut others = state.patches.iter().filter(|other| other.patch_id != patch.patch_id);
    in_base
        || others.any(|other| {
            other.adds_in_life()
                && other.stage.standing().is_some()
                && *other.change.key_name() == key.key_name
                && layer::concerns(other, to)
        })
}

#[cfg(test)]
mod tests;
