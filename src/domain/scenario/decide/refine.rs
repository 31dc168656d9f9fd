//! Refining: a candidate that means a key that exists adds to it what is new (Z-107, Z-114).
//!
//! More values where the key was learned and lists them, a first list where its own cluster has come to tell its values and
//! nobody filled it yet, else a better description. Of one key and audience one refinement waits at a time, and what was
//! turned down stays away for its cool-down.

use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::stage::Stage;
use crate::domain::evolution::widening;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::grounds::ValuesRule;
use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::state::State;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::effective::Standing;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::PatchId;
use crate::domain::time::At;

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

/// Whether a patch added a choice that may still get its first list (Z-111): it is on trial, takes any text since too little
/// was said for a list when it was proposed, and no client relies on that, for none has filled it.
pub fn may_close(state: &State, patch: &Patch) -> bool {
    let is_open_choice = patch
        .grounds
        .as_deref()
        .is_some_and(|grounds| matches!(grounds.values.rule, ValuesRule::TooFew | ValuesRule::Unproven));
    let adds_text = matches!(&patch.change, KeyChange::Add(key) if key.constraints.is_empty());
    let is_closed = |other: &Patch| matches!(&other.change, KeyChange::Refine { closes: true, .. });
    is_open_choice
        && adds_text
        && matches!(patch.stage, Stage::Experimental(_))
        && !state.ledger.is_filled(&patch.patch_id)
        && !refinements(state, &patch.audience, patch.change.key_name()).any(is_closed)
}

/// The first list of the key that came of this very cluster, where it may get one now.
pub fn closing(
    state: &State,
    keys: &[EffectiveKey],
    owner: &KeyName,
    audience: &Audience,
    proposal: &Proposal,
) -> Option<KeyChange> {
    let key = keys.iter().find(|key| &key.definition.key_name == owner)?;
    let (patch_id, _) = key.patch.as_ref()?;
    let patch = state.patch(patch_id)?;
    if &patch.audience != audience || !may_close(state, patch) {
        return None;
    }
    let closing = widening::closing(proposal, &key.definition)?;
    Some(KeyChange::Refine {
        key_name: owner.clone(),
        semantic_description: closing.semantic_description,
        values: closing.values,
        closes: true,
    })
}

/// What a candidate adds to a key that exists: more values where the key was learned and lists them, else the wording
/// that the comparison came to (Z-114).
pub fn refinement(
    keys: &[EffectiveKey],
    key_name: &KeyName,
    wording: Option<String>,
    proposal: &Proposal,
) -> Option<KeyChange> {
    let key = keys.iter().find(|key| &key.definition.key_name == key_name);
    let open = |(_, standing): &(PatchId, Standing)| matches!(standing, Standing::Experimental | Standing::Stable);
    let wider = key
        .filter(|key| key.patch.as_ref().is_some_and(open))
        .and_then(|key| widening::widening(proposal, &key.definition));
    let (semantic_description, values) = match wider {
        Some(wider) => (wider.semantic_description, wider.values),
        None => (wording?, Vec::new()),
    };
    Some(KeyChange::Refine {
        key_name: key_name.clone(),
        semantic_description,
        values,
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
