//! Approving a key otherwise than it was proposed: what it becomes, and whether the name it gets is free (Z-113, Z-127).
//!
//! Making a proposal anew while it waits or is on trial: twice as many say it by now as when it was made, or a reader read it otherwise.
//!
//! Invariant: what a person had a hand in stays as it is, and nobody who used a key finds another one under its name: there its
//! wording alone changes, and its trial goes on.

use crate::evolution::collision;
use crate::evolution::collision::Collision;
use crate::evolution::edit;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::evolution::patch::Remade;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::evolution::stage_dwell;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::command::Induced;
use crate::scenario::command::Refusal;
use crate::scenario::decide::candidate;
use crate::scenario::decide::dependents;
use crate::scenario::decide::entry;
use crate::scenario::event::Event;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::effective::EffectiveKey;
use schema::effective::KeyChange;
use schema::key::KeyDefinition;
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
        false => dependents::left_behind(state, patch, at, policy),
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

/// Whether a patch is to be made anew of what its cluster says now.
pub fn is_due(state: &State, patch: &Patch) -> bool {
    let doubled = || patch.members > 0 && state.pool.members(patch.cluster) >= patch.members.saturating_mul(2);
    let is_proposal = patch.stage.begins() && matches!(patch.change, KeyChange::Add(_)) && !patch.is_handled();
    is_proposal && (doubled() || is_read_otherwise(state, patch))
}

/// Whether a reader says since that its cluster is another key, by its name or type.
pub fn is_read_otherwise(state: &State, patch: &Patch) -> bool {
    let cluster = state.pool.clusters.get(&patch.cluster);
    let wish = cluster.and_then(|cluster| cluster.heading.as_ref()?.wish());
    wish.is_some_and(|wish| {
        let read = patch.read.as_deref().map(|read| (&read.key_name, read.key_type));
        read != Some((&wish.key_name, wish.key_type))
    })
}

/// The patch that an induction of a cluster makes anew.
pub fn own<'s>(state: &'s State, cluster: ClusterId, audience: &Audience) -> Option<&'s Patch> {
    let of = |patch: &&Patch| patch.cluster == cluster && &patch.audience == audience;
    state.patches.iter().filter(of).find(|patch| is_due(state, patch))
}

/// The patch with another definition, and unless clients use it already its trial and ledger from the beginning; `None` where it stays as
/// it is.
pub fn remade(state: &State, own: &Patch, induced: &Induced, at: At, policy: &Policy) -> Option<Vec<Event>> {
    let KeyChange::Add(was) = &own.change else { return None };
    let proposal = &induced.proposal;
    let key = &proposal.key;
    let reading = state.ledger.read(&own.patch_id, at, policy.evolution.window_days);
    let is_used = reading.payloads_with_key > 0;
    let may = is_wording(was, key) || (!is_used && is_free(state, own, induced, policy));
    if key == was || !may {
        return None;
    }
    let base = state.base_in_force()?;
    let change = KeyChange::Add(key.clone());
    let (sensitive, mut holds) = candidate::held(base, &[], &change, proposal);
    let waits = policy.evolution.autonomy.waits(sensitive.is_some(), &holds);
    let awaits = matches!(own.stage, Stage::AwaitingApproval { .. });
    // Whoever read it saw what the engine was not sure of.
    let begins_now = awaits && !waits && proposal.read.is_some();
    if awaits && !begins_now {
        // What waits for a person goes on waiting, for whatever reason is left.
        if sensitive.is_none() && holds.is_empty() {
            holds.clone_from(&own.holds);
        }
    } else if waits {
        return None;
    }
    let edited = Event::Edited {
        patch_id: own.patch_id.clone(),
        change,
        surfaces: proposal.surfaces.clone(),
        by: None,
        because: None,
        backtest: induced.backtest.clone(),
        remade: Some(Box::new(Remade {
            members: state.pool.members(own.cluster),
            examples: proposal.examples.clone(),
            sensitive: sensitive.or_else(|| own.sensitive.clone()),
            holds,
            grounds: Box::new(proposal.grounds.clone()),
            read: proposal.read.clone(),
            is_used,
        })),
    };
    let begins = if begins_now {
        let (stage, reason) = entry::first_stage(state, &own.audience, false, at, policy);
        Some(Event::staged(own, stage, reason, None))
    } else {
        // Of a key that clients use the words alone are new: what was measured of it stands.
        let begins_again = matches!(own.stage, Stage::Experimental(_)) && !is_used;
        begins_again.then(|| {
            let trial = Trial {
                until: stage_dwell::end_within(own, at, policy.evolution.trial_s, &policy.evolution),
                ..entry::trial(at, policy)
            };
            Event::staged(own, Stage::Experimental(trial), Reason::Remade, None)
        })
    };
    let left = match key.key_name == was.key_name {
        true => Vec::new(),
        false => dependents::left_behind(state, own, at, policy),
    };
    Some(std::iter::once(edited).chain(begins).chain(left).collect())
}

/// Whether two definitions differ in their words alone.
fn is_wording(was: &KeyDefinition, is: &KeyDefinition) -> bool {
    was.key_name == is.key_name && was.key_type == is.key_type && was.constraints == is.constraints
}

/// Whether the key is another one than all others, by its name and by what it means.
fn is_free(state: &State, own: &Patch, induced: &Induced, policy: &Policy) -> bool {
    let name = &induced.proposal.key.key_name;
    let is_own = |key: &EffectiveKey| key.definition.key_name == *own.change.key_name();
    let mut others = candidate::incumbents(state, &own.audience, policy);
    others.retain(|key| !is_own(key));
    let was_wrong = |patch: &Patch| patch.is_wrong_key() && patch.change.key_name() == name;
    (name == own.change.key_name() || !is_taken(state, own, name, policy))
        && !state.patches.iter().any(was_wrong)
        && matches!(collision::of(&induced.proposal, &others).0, Collision::Free)
}

#[cfg(test)]
mod tests;
