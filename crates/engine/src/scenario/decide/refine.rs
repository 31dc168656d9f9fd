//! Refining: a candidate that means a key that exists adds to it what is new (Z-107, Z-114).
//!
//! A better description. Of one key and audience one refinement waits at a time, and what was
//! turned down stays away for its cool-down.

use crate::evolution::patch::Patch;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::effective::Standing;
use schema::name::KeyName;
use schema::time::At;

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
