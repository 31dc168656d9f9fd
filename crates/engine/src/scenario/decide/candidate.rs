//! What a candidate is held against before it becomes a patch: the keys that it could collide with, and what a person has to
//! look at first.

use crate::evolution::patch::Patch;
use crate::evolution::screen::sensitive;
use crate::pool::gate::Audience;
use crate::pool::hold::Hold;
use crate::pool::proposal::Proposal;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::Base;
use crate::scenario::state::State;
use schema::effective::EffectiveKey;
use schema::effective::KeyChange;

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
