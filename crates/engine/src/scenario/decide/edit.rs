//! Approving a key otherwise than it was proposed: what it becomes, and whether the name it gets is free (Z-113, Z-127).

use crate::evolution::edit;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::pool::gate::Audience;
use crate::scenario::command::Refusal;
use crate::scenario::decide::resting;
use crate::scenario::event::Event;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::KeyName;
use schema::name::OTHER;
use schema::time::At;

/// What a patch becomes by an order; as it is where that edits nothing.
///
/// # Errors
/// [`Refusal::Unfit`], [`Refusal::NameTaken`].
pub fn edited(state: &State, patch: &Patch, order: &OperatorRequest, policy: &Policy) -> Result<KeyChange, Refusal> {
    let Some(edit) = order.edit.as_ref().filter(|_| order.hand == OperatorAction::Approve) else {
        return Ok(patch.change.clone());
    };
    let change = edit.apply(&patch.change).map_err(Refusal::Unfit)?;
    let name = change.key_name();
    if name != patch.change.key_name() && is_taken(state, patch, name, policy) {
        return Err(Refusal::NameTaken(name.clone()));
    }
    Ok(change)
}

/// The edit on record, with the end of what refined the key by the name that it gives up.
pub fn record(
    state: &State,
    patch: &Patch,
    change: KeyChange,
    order: &OperatorRequest,
    at: At,
    policy: &Policy,
) -> Vec<Event> {
    if change == patch.change {
        return Vec::new();
    }
    let left = match change.key_name() == patch.change.key_name() {
        true => Vec::new(),
        false => resting::left_behind(state, patch, at, policy),
    };
    let edited = Event::Edited {
        patch_id: patch.patch_id.clone(),
        surfaces: edit::surfaces(&patch.change, &change, &patch.surfaces),
        change,
        by: Some(order.by.clone()),
        because: order.because.clone(),
        backtest: order.edit.as_ref().and_then(|edit| edit.backtest.clone()),
        remade: None,
    };
    std::iter::once(edited).chain(left).collect()
}

/// Whether a client that a patch is for has a key of this name already, or one on its way.
pub fn is_taken(state: &State, patch: &Patch, name: &KeyName, policy: &Policy) -> bool {
    let in_base = state
        .base_in_force()
        .is_some_and(|base| base.template.key(name).is_some());
    let meets = |other: &Patch, audience: &Audience| layer::concerns(other, policy.cohorts.addressed(audience));
    let adds = |other: &&Patch| matches!(&other.change, KeyChange::Add(key) if key.key_name == *name);
    let living = |other: &&Patch| !other.stage.has_ended() || other.stage.standing().is_some();
    let mut others = state.patches.iter().filter(adds).filter(living);
    in_base
        || name.as_str() == OTHER
        || others.any(|other| {
            other.patch_id != patch.patch_id && (meets(other, &patch.audience) || meets(patch, &other.audience))
        })
}

#[cfg(test)]
mod tests;
