//! The operator's hand: approve, reject, promote, demote, deprecate, withdraw, restore (Z-127, Z-165).

use crate::evolution::guard::Occupancy;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::scenario::command::Refusal;
use crate::scenario::decide::dependents;
use crate::scenario::decide::edit;
use crate::scenario::decide::entry;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::time::At;

/// Does what the operator wants where the stage allows it.
///
/// # Errors
/// [`Refusal::UnknownPatch`], [`Refusal::PatchMoved`], [`Refusal::StageForbids`], [`Refusal::KeyInBase`], [`Refusal::KeyGone`],
/// [`Refusal::GuardFull`], and of an edit as [`edit::edited`].
pub fn operate(
    state: &State,
    patch_id: &PatchId,
    order: OperatorRequest,
    at: At,
    policy: &Policy,
) -> Result<Vec<Event>, Refusal> {
    let patch = state
        .patch(patch_id)
        .ok_or_else(|| Refusal::UnknownPatch(patch_id.clone()))?;
    if order.seen.as_ref().is_some_and(|seen| !seen.contains(&patch.revision)) {
        return Err(Refusal::PatchMoved {
            revision: patch.revision,
        });
    }
    if order.hand == OperatorAction::Approve && !matches!(patch.stage, Stage::AwaitingApproval { .. }) {
        return Err(forbidden(&patch.stage, "approved"));
    }
    let change = edit::edited(state, patch, &order, policy)?;
    if let Some(schema_id) = said_by_base(state, &change).filter(|_| order.hand != OperatorAction::Reject) {
        return Err(Refusal::KeyInBase {
            key: change.key_name().clone(),
            schema_id: schema_id.clone(),
        });
    }
    let occupancy = Occupancy::count(state.patches.iter());
    let room = occupancy.has_room(&patch.audience, &policy.evolution, &policy.cohorts);
    let mut cool_until = None;
    let stage = match (order.hand, &patch.stage) {
        (OperatorAction::Approve, _) if room => Stage::Experimental(entry::trial(at, policy)),
        (OperatorAction::Approve, _) => Stage::Queued { since: at },
        (OperatorAction::Reject, Stage::AwaitingApproval { .. } | Stage::Queued { .. }) => {
            let stage = Stage::Rejected { since: at };
            cool_until = patch.cool_down(&stage, &Reason::Operator, at, &policy.evolution);
            stage
        }
        (OperatorAction::Promote, Stage::Experimental(_)) => entry::stable(at, policy),
        (OperatorAction::Demote, _) => return dependents::demote(state, patch, &order, at, policy),
        (OperatorAction::Deprecate, Stage::Experimental(_) | Stage::Stable { .. }) => {
            // A person's deprecation neither waits nor is put off: its grace is a whole one from now on (Z-148).
            let stage = Stage::Deprecated {
                since: at,
                until: at.plus_s(policy.evolution.grace_s),
            };
            cool_until = patch.cool_down(&stage, &Reason::Operator, at, &policy.evolution);
            stage
        }
        (OperatorAction::Withdraw, Stage::Experimental(_) | Stage::Stable { .. } | Stage::Deprecated { .. }) => {
            let stage = Stage::Withdrawn {
                since: at,
                until: at.plus_s(policy.evolution.withdrawn_s),
            };
            if !patch.cooling(at) {
                cool_until = patch.cool_down(&stage, &Reason::Operator, at, &policy.evolution);
            }
            stage
        }
        (OperatorAction::Restore, Stage::Deprecated { .. } | Stage::Withdrawn { .. } | Stage::Expired { .. })
            if entry::was_stable(patch) =>
        {
            entry::stable(at, policy)
        }
        (
            OperatorAction::Restore,
            Stage::Deprecated { .. }
            | Stage::Withdrawn { .. }
            | Stage::Expired { .. }
            | Stage::Rejected { .. }
            | Stage::Lapsed { .. },
        ) => match entry::as_it_was(patch, at, policy) {
            Stage::Experimental(_) if !room => return Err(Refusal::GuardFull),
            stage => stage,
        },
        (OperatorAction::Reject, from) => return Err(forbidden(from, "rejected")),
        (OperatorAction::Promote, from) => return Err(forbidden(from, "promoted")),
        (OperatorAction::Deprecate, from) => return Err(forbidden(from, "deprecated")),
        (OperatorAction::Withdraw, from) => return Err(forbidden(from, "withdrawn")),
        (OperatorAction::Restore, from) => return Err(forbidden(from, "restored")),
    };
    let mut event = entry::staged(patch, stage, &order, at, policy);
    if let Event::Staged { cool_until: cools, .. } = &mut event {
        *cools = cool_until;
    }
    if order.hand == OperatorAction::Restore {
        let name = patch.change.key_name();
        if !dependents::bearable(state, patch, policy) {
            return Err(Refusal::KeyGone(name.clone()));
        }
        if matches!(patch.change, KeyChange::Add(_)) && edit::is_taken(state, patch, name, policy) {
            return Err(Refusal::NameTaken(name.clone()));
        }
    }
    let back = match (&event, order.hand) {
        (Event::Staged { stage, .. }, OperatorAction::Restore) => {
            dependents::back_with(state, patch, stage, &order, at, policy)
        }
        _ => Vec::new(),
    };
    let mut events = edit::record(state, patch, change, &order, at, policy);
    events.push(event);
    events.extend(back);
    Ok(events)
}

/// The base in force, where it has the key that a change adds: then its own definition speaks, and the change is passed over.
fn said_by_base<'a>(state: &'a State, change: &KeyChange) -> Option<&'a SchemaId> {
    let base = &state.base_in_force()?.template;
    match change {
        KeyChange::Add(key) => base.key(&key.key_name).map(|_own| &base.schema_id),
        KeyChange::Refine { .. } => None,
    }
}

fn forbidden(from: &Stage, to: &'static str) -> Refusal {
    Refusal::StageForbids { from: from.name(), to }
}

#[cfg(test)]
mod tests;
