//! The patch layer that is in force for one client, and the effective template that comes of it (Z-122).

use crate::evolution::patch::Patch;
use crate::pool::cohort::Addressee;
use crate::pool::gate::Audience;
use crate::scenario::patch_timeline::Standings;
use crate::scenario::state::Base;
use crate::scenario::state::State;
use schema::effective::EffectiveTemplate;
use schema::effective::LayeredChange;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;

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

/// Those of them that say more to a client than this base does itself.
pub fn laid<'a>(state: &'a State, base: &'a SchemaTemplate, to: Addressee<'a>) -> impl Iterator<Item = &'a Patch> {
    in_force(state, to).filter(|patch| patch.change.adds_to(base))
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

#[cfg(test)]
mod tests;
