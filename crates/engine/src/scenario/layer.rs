//! The patch layer that is in force for one client, and the effective template that comes of it (Z-122).
//!
//! Rebase: what is stable for everyone, moved from the patch layer into a new minor version of the base (docs/design.md §7).
//! It makes a template and publishes nothing; keys on trial, deprecated ones and those of one client stay in the layer.
//! Invariant: the new base says to everyone what the old one and its stable patches said together.

use crate::evolution::patch::Patch;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::scenario::state::Base;
use crate::scenario::state::Standings;
use crate::scenario::state::State;
use schema::effective::EffectiveTemplate;
use schema::effective::KeyChange;
use schema::effective::LayeredChange;
use schema::effective::Standing;
use schema::name::PatchId;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::template::Version;

/// Whether a patch is meant for this client.
pub fn concerns(patch: &Patch, to: Addressee<'_>) -> bool {
    to.is_among(&patch.audience)
}

/// Which patches are laid first: those for all, then its cohort's, then a client's own.
fn rank(patch: &Patch) -> u8 {
    match &patch.audience {
        Audience::Global => 0,
        Audience::Cohort(_) => 1,
        Audience::Client(_) => 2,
    }
}

/// Whether a patch was ever part of an effective template.
pub fn was_in_force(patch: &Patch) -> bool {
    patch
        .history
        .iter()
        .any(|change| matches!(change.to.as_str(), "experimental" | "stable"))
}

/// Patches in force for a client: those for all first, then its cohort's, then its own, each in the order of proposal.
pub fn in_force<'a>(state: &'a State, to: Addressee<'a>) -> impl Iterator<Item = &'a Patch> {
    let ranked = (0..3_u8).flat_map(move |wanted| state.patches.iter().filter(move |patch| rank(patch) == wanted));
    ranked.filter(move |patch| concerns(patch, to) && patch.stage.standing().is_some())
}

/// Those of them that say more to a client than this base does itself, but for those that are left out.
pub fn laid<'a>(state: &'a State, base: &'a SchemaTemplate, to: Addressee<'a>) -> impl Iterator<Item = &'a Patch> {
    in_force(state, to)
        .filter(move |patch| patch.change.adds_to(base) && !lacks_its_key(patch, base, in_force(state, to)))
}

/// Those that change a key which this base has not: another version has it, or had it.
pub fn left_out<'a>(state: &'a State, base: &'a SchemaTemplate, to: Addressee<'a>) -> impl Iterator<Item = &'a Patch> {
    in_force(state, to).filter(move |patch| lacks_its_key(patch, base, in_force(state, to)))
}

/// Whether a patch changes a key that neither a base has nor another patch adds.
pub fn lacks_its_key<'a>(patch: &Patch, base: &SchemaTemplate, mut others: impl Iterator<Item = &'a Patch>) -> bool {
    let name = patch.change.key_name();
    let adds_it = |other: &Patch| matches!(&other.change, KeyChange::Add(key) if key.key_name == *name);
    base.key(name).is_none() && !adds_it(patch) && !others.any(adds_it)
}

/// The base in force, where it says by itself all that a patch says: what happens under it is no use of the patch.
pub fn taken_over_by<'a>(state: &'a State, patch: &Patch) -> Option<&'a SchemaId> {
    let base = &state.base_in_force()?.template;
    (!patch.change.adds_to(base)).then_some(&base.schema_id)
}

/// The changes to lay over a base for a client.
pub fn layer(state: &State, base: &SchemaTemplate, to: Addressee<'_>) -> Vec<LayeredChange> {
    laid(state, base, to)
        .filter_map(|patch| {
            let standing = patch.stage.standing()?;
            Some(LayeredChange {
                patch_id: patch.patch_id.clone(),
                change: patch.change.clone(),
                standing,
            })
        })
        .collect()
}

/// The layer that a client saw at a revision, out of patches in the order of their proposals.
pub fn layer_at<'a>(
    patches: impl Iterator<Item = &'a Patch>,
    standings: &Standings,
    to: Addressee<'_>,
    revision: u64,
) -> Vec<LayeredChange> {
    let mut concerning: Vec<&Patch> = patches.filter(|patch| concerns(patch, to)).collect();
    concerning.sort_by_key(|patch| rank(patch));
    let stood = |patch: &&Patch| {
        Some(LayeredChange {
            patch_id: patch.patch_id.clone(),
            change: patch.change_at(revision).clone(),
            standing: standings.at(&patch.patch_id, revision)?,
        })
    };
    concerning.iter().filter_map(stood).collect()
}

/// Journal sequence of the last change that this client sees: of the base, or of any patch that is or was in force for
/// it and says more than the base.
pub fn revision(state: &State, base: &Base, to: Addressee<'_>) -> u64 {
    state
        .patches
        .iter()
        .filter(|patch| concerns(patch, to) && was_in_force(patch) && patch.change.adds_to(&base.template))
        .map(|patch| patch.revision)
        .chain([base.revision])
        .max()
        .unwrap_or_default()
}

/// The effective template of a base for a client.
pub fn effective(state: &State, base: &Base, to: Addressee<'_>) -> EffectiveTemplate {
    EffectiveTemplate::compose(
        &base.template,
        &layer(state, &base.template, to),
        revision(state, base, to),
    )
}

/// A new base.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebased {
    pub template: SchemaTemplate,
    /// The patches that it takes in.
    pub patches: Vec<PatchId>,
}

/// Why there is no new base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRebase {
    /// Nothing is in force.
    NoBase,
    /// No patch is stable for everyone that the base does not say already.
    NothingStable,
    /// The scenario's name is too long for a schema id, or there is no further minor version.
    NoId,
}

/// The base in force with its stable patches taken in, under the first id `{scenario}_v{major}_{minor}` above its version that
/// is not `taken`.
///
/// # Errors
/// [`NoRebase`].
pub fn rebase(state: &State, taken: impl Fn(&SchemaId) -> bool) -> Result<Rebased, NoRebase> {
    let base = &state.base_in_force().ok_or(NoRebase::NoBase)?.template;
    let mut stable = layer(state, base, Addressee::default());
    stable.retain(|change| change.standing == Standing::Stable);
    let keys = EffectiveTemplate::compose(base, &stable, 0).keys.into_iter();
    let keys: Vec<_> = keys.map(|key| key.definition).collect();
    if keys == base.keys {
        return Err(NoRebase::NothingStable);
    }
    let (schema_id, version) = free(base, taken).ok_or(NoRebase::NoId)?;
    let patches = stable.into_iter().map(|change| change.patch_id).collect();
    Ok(Rebased {
        template: SchemaTemplate {
            schema_id,
            version: Some(version.to_string()),
            keys,
            ..base.clone()
        },
        patches,
    })
}

/// The next minor version whose id is free. A scenario whose name no schema id can hold lends the stem of its base's id.
fn free(base: &SchemaTemplate, taken: impl Fn(&SchemaId) -> bool) -> Option<(SchemaId, Version)> {
    let Version { major, minor, patch: _ } = base.version();
    let scenario = base.scenario_key();
    let stem = match SchemaId::parse(scenario.as_str()) {
        Some(_) => scenario.as_str(),
        None => base.schema_id.as_str().rsplit_once("_v")?.0,
    };
    let mut minors = minor.checked_add(1)?..=u32::MAX;
    minors.find_map(|minor| {
        let version = Version { major, minor, patch: 0 };
        match SchemaId::parse(&format!("{stem}_v{major}_{minor}")) {
            Some(schema_id) if taken(&schema_id) => None,
            found => Some(found.map(|schema_id| (schema_id, version))),
        }
    })?
}

#[cfg(test)]
mod tests;
