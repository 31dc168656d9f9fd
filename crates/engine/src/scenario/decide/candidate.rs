//! What a candidate is held against before it becomes a patch: the keys that it could collide with, what a person has to look at
//! first, and what it adds to a key that exists already (Z-107, Z-114).
//!
//! Of one key and audience one refinement waits at a time, and what was turned down stays away for its cool-down.

use crate::evolution::patch::Patch;
use crate::evolution::screen::sensitive;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::hold::Hold;
use crate::pool::micro::ClusterId;
use crate::pool::proposal::Proposal;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::Base;
use crate::scenario::state::State;
use schema::effective::EffectiveKey;
use schema::effective::KeyChange;
use schema::effective::Standing;
use schema::name::KeyName;
use schema::time::At;

/// What a person has to look at before this change begins: a sensitive meaning, its own or that of the key that it changes, and
/// whatever else holds it. Clients never change a key of the publisher's by themselves (Z-106, Z-107).
pub fn held(
    base: &Base,
    keys: &[EffectiveKey],
    change: &KeyChange,
    proposal: &Proposal,
) -> (Option<String>, Vec<Hold>) {
    let mut holds = proposal.holds.clone();
    let mut sensitive = proposal.sensitive.clone();
    if let KeyChange::Refine { key_name, .. } = change {
        if base.template.key(key_name).is_some() {
            holds.push(Hold::BaseKey);
        }
        let changed = keys.iter().find(|key| &key.definition.key_name == key_name);
        let marked = changed.and_then(|key| key.definition.sensitive);
        sensitive = sensitive.or_else(|| marked.map(|sensitive| sensitive::word(sensitive).to_owned()));
    }
    holds.sort_unstable();
    holds.dedup();
    (sensitive, holds)
}

/// Every key that a candidate for this audience could collide with: of the base, and of every patch for all, for the same
/// cohort or the same client, whatever its stage: one that waits would collide later, one that has gone comes back (docs/design.md §7).
pub fn incumbents(state: &State, audience: &Audience, policy: &Policy) -> Vec<EffectiveKey> {
    let Some(base) = state.base_in_force() else {
        return Vec::new();
    };
    let to = policy.cohorts.addressed(audience);
    let effective = layer::effective(state, base, to);
    let mut keys = effective.keys;
    keys.extend(effective.withdrawn);
    // A key that a person found wrong stands for nothing.
    let concerned = |patch: &&Patch| layer::concerns(patch, to) && !patch.is_wrong_key();
    for patch in state.patches.iter().filter(concerned) {
        if let KeyChange::Add(definition) = &patch.change
            && !keys.iter().any(|key| key.definition.key_name == definition.key_name)
        {
            keys.push(EffectiveKey::bare(definition.clone()));
        }
    }
    keys
}

/// The key in force that came of this very cluster.
pub fn owner(state: &State, cluster: ClusterId, audience: &Audience) -> Option<KeyName> {
    let of = |patch: &&Patch| patch.cluster == cluster && &patch.audience == audience && is_open(patch);
    let patch = state
        .patches
        .iter()
        .filter(of)
        .find(|patch| matches!(patch.change, KeyChange::Add(_)));
    patch.map(|patch| patch.change.key_name().clone())
}

/// Whether clients are asked to use what a patch adds.
pub fn is_open(patch: &Patch) -> bool {
    matches!(patch.stage.standing(), Some(Standing::Experimental | Standing::Stable))
}

/// What a candidate adds to a key that exists: the wording that the comparison came to (Z-114).
pub fn refinement(key_name: &KeyName, wording: Option<String>) -> Option<KeyChange> {
    Some(KeyChange::Refine {
        key_name: key_name.clone(),
        semantic_description: wording?,
        values: Vec::new(),
        closes: false,
    })
}

/// Refinements of a key for this audience.
fn refinements<'s>(state: &'s State, audience: &Audience, key_name: &KeyName) -> impl Iterator<Item = &'s Patch> {
    let of = move |patch: &&Patch| &patch.audience == audience && patch.change.key_name() == key_name;
    let refines = |patch: &&Patch| matches!(patch.change, KeyChange::Refine { .. });
    state.patches.iter().filter(of).filter(refines)
}

/// Whether a refinement of the key is on its way already.
pub fn waits(state: &State, audience: &Audience, key_name: &KeyName) -> bool {
    refinements(state, audience, key_name)
        .any(|patch| matches!(patch.stage, Stage::Queued { .. } | Stage::AwaitingApproval { .. }))
}

/// Until when no refinement of the key is proposed, because one was turned down.
pub fn refused(state: &State, audience: &Audience, key_name: &KeyName, at: At) -> Option<At> {
    let cooling = refinements(state, audience, key_name).filter(|patch| patch.cooling(at));
    cooling.filter_map(|patch| patch.cool_until).max()
}

#[cfg(test)]
mod tests;
