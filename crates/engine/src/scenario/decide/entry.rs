//! How a patch enters a stage: its first, one that it comes back to, and one that a person's order brings it to.
//!
//! Looks at the patch and at the room that there is; what else goes with it is decided elsewhere.

use crate::evolution::guard;
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
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::time::At;

/// Where a new or revived patch begins (Z-127, Z-140, Z-156, Z-165); `waits` says that a person has to look at it first.
pub fn first_stage(state: &State, audience: &Audience, waits: bool, at: At, policy: &Policy) -> (Stage, Reason) {
    if waits {
        (Stage::AwaitingApproval { since: at }, Reason::NeedsApproval)
    } else if guard::has_room(state.patches.iter(), audience, &policy.evolution, &policy.cohorts) {
        (Stage::Experimental(trial(at, policy)), Reason::GateOpened)
    } else {
        (Stage::Queued { since: at }, Reason::GuardFull)
    }
}

/// A trial of a patch that has a past: long enough that its end is no change too many ([`calm`]).
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
