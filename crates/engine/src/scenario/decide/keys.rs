//! Which keys there are: those that a candidate could collide with, those that have a name, and what rests on which.

use crate::evolution::patch::Patch;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::decide::situation::Situation;
use crate::scenario::layer;
use crate::scenario::state::State;
use schema::effective::EffectiveKey;
use schema::effective::KeyChange;
use schema::effective::Standing;
use schema::name::KeyName;
use schema::name::OTHER;

/// Every key that a candidate for this audience could collide with: of the base, and of every patch for all, for the same
/// cohort or the same client, whatever its stage: one that waits would collide later, one that has gone comes back (docs/design.md §7).
pub fn incumbents(now: Situation<'_>, audience: &Audience) -> Vec<EffectiveKey> {
    let Some(base) = now.state.base_in_force() else {
        return Vec::new();
    };
    let to = now.addressed(audience);
    let effective = layer::effective(now.state, base, to);
    let mut keys = effective.keys;
    keys.extend(effective.withdrawn);
    // A key that a person found wrong stands for nothing.
    let concerned = |patch: &&Patch| layer::concerns(patch, to) && !patch.is_wrong_key();
    for patch in now.state.patches.iter().filter(concerned) {
        if let KeyChange::Add(definition) = &patch.change
            && !keys.iter().any(|key| key.definition.key_name == definition.key_name)
        {
            keys.push(EffectiveKey::bare(definition.clone()));
        }
    }
    keys
}

/// Whether a client that a patch is for has a key of this name already, or one on its way.
pub fn is_taken(now: Situation<'_>, patch: &Patch, name: &KeyName) -> bool {
    let meets = |other: &Patch, audience: &Audience| layer::concerns(other, now.addressed(audience));
    let adds = |other: &&Patch| matches!(&other.change, KeyChange::Add(key) if key.key_name == *name);
    let living = |other: &&Patch| !other.stage.has_ended() || other.stage.standing().is_some();
    let mut others = now.state.patches.iter().filter(adds).filter(living);
    in_base(now.state, name)
        || name.as_str() == OTHER
        || others.any(|other| {
            other.patch_id != patch.patch_id && (meets(other, &patch.audience) || meets(patch, &other.audience))
        })
}

/// Whether those for whom a patch adds a key have one of that name by now: in the base, or by another patch.
pub fn lost_its_name(now: Situation<'_>, patch: &Patch) -> bool {
    let KeyChange::Add(key) = &patch.change else {
        return false;
    };
    let to = now.addressed(&patch.audience);
    let has_it = |other: &Patch| {
        other.patch_id != patch.patch_id
            && other.adds_in_life()
            && other.stage.standing().is_some()
            && *other.change.key_name() == key.key_name
            && layer::concerns(other, to)
    };
    in_base(now.state, &key.key_name) || now.state.patches.iter().any(has_it)
}

/// Whether the base in force has a key of this name.
pub fn in_base(state: &State, name: &KeyName) -> bool {
    let base = state.base_in_force();
    base.is_some_and(|base| base.template.key(name).is_some())
}

/// Patches that came of this very cluster for this audience.
pub fn of_cluster<'s>(
    state: &'s State,
    cluster: ClusterId,
    audience: &Audience,
) -> impl DoubleEndedIterator<Item = &'s Patch> {
    let patches = state.patches.iter();
    patches.filter(move |patch| patch.cluster == cluster && &patch.audience == audience)
}

/// The key in force that came of this very cluster, and that clients are asked to use.
pub fn owner<'s>(state: &'s State, cluster: ClusterId, audience: &Audience) -> Option<&'s KeyName> {
    let is_open = |patch: &Patch| matches!(patch.stage.standing(), Some(Standing::Experimental | Standing::Stable));
    let mut own = of_cluster(state, cluster, audience);
    let patch = own.find(|patch| is_open(patch) && matches!(patch.change, KeyChange::Add(_)))?;
    Some(patch.change.key_name())
}

/// Refinements of a key for this audience.
pub fn refinements<'s>(state: &'s State, audience: &Audience, key_name: &KeyName) -> impl Iterator<Item = &'s Patch> {
    let of = move |patch: &&Patch| &patch.audience == audience && patch.change.key_name() == key_name;
    let refines = |patch: &&Patch| matches!(patch.change, KeyChange::Refine { .. });
    state.patches.iter().filter(of).filter(refines)
}

/// What refines the key that a patch adds, for those whom it is for.
pub fn resting_on<'s>(now: Situation<'s>, key: &Patch) -> impl Iterator<Item = &'s Patch> {
    let patches = now.state.patches.iter();
    patches.filter(move |patch| rests_on(now, patch, key))
}

/// Whether a patch refines a key that the other adds, for those whom it is for.
pub fn rests_on(now: Situation<'_>, refinement: &Patch, key: &Patch) -> bool {
    matches!(key.change, KeyChange::Add(_))
        && matches!(refinement.change, KeyChange::Refine { .. })
        && refinement.change.key_name() == key.change.key_name()
        && layer::concerns(key, now.addressed(&refinement.audience))
}

/// Whether there is a key that a refinement for this audience can rest on: one of the base, or one that is not leaving.
pub fn bears(now: Situation<'_>, audience: &Audience, key_name: &KeyName) -> bool {
    let to = now.addressed(audience);
    let adds = |patch: &Patch| patch.adds_in_life() && patch.change.key_name() == key_name;
    let mut patches = now.state.patches.iter();
    in_base(now.state, key_name) || patches.any(|patch| adds(patch) && layer::concerns(patch, to))
}

/// Whether a patch waits: for room, or for a person.
pub fn waits(patch: &Patch) -> bool {
    matches!(patch.stage, Stage::Queued { .. } | Stage::AwaitingApproval { .. })
}
