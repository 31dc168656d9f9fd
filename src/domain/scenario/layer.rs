//! The patch layer that is in force for one client, and the effective template that comes of it (Z-122).

use crate::domain::evolution::patch::Patch;
use crate::domain::pool::gate::Audience;
use crate::domain::scenario::standings::Standings;
use crate::domain::scenario::state::Base;
use crate::domain::scenario::state::State;
use crate::domain::template::effective::EffectiveTemplate;
use crate::domain::template::effective::LayeredChange;
use crate::domain::template::name::ClientId;

/// Whether a patch is meant for this client.
pub fn concerns(patch: &Patch, client: Option<&ClientId>) -> bool {
    match &patch.audience {
        Audience::Global => true,
        Audience::Client(owner) => Some(owner) == client,
    }
}

/// Whether a patch was ever part of an effective template.
pub fn was_in_force(patch: &Patch) -> bool {
    patch
        .history
        .iter()
        .any(|change| matches!(change.to.as_str(), "experimental" | "stable"))
}

/// Patches in force for a client: those for all first, then its own, each in the order of proposal.
pub fn in_force<'a>(state: &'a State, client: Option<&'a ClientId>) -> impl Iterator<Item = &'a Patch> {
    let global = state.patches.iter().filter(|patch| patch.audience == Audience::Global);
    let own = state
        .patches
        .iter()
        .filter(move |patch| patch.audience != Audience::Global && concerns(patch, client));
    global.chain(own).filter(|patch| patch.stage.standing().is_some())
}

/// The changes to lay over a base for a client.
pub fn layer(state: &State, client: Option<&ClientId>) -> Vec<LayeredChange> {
    in_force(state, client)
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
    client: Option<&ClientId>,
    revision: u64,
) -> Vec<LayeredChange> {
    let concerning = patches.filter(|patch| concerns(patch, client));
    let (global, own): (Vec<&Patch>, Vec<&Patch>) = concerning.partition(|patch| patch.audience == Audience::Global);
    let stood = |patch: &&Patch| {
        Some(LayeredChange {
            patch_id: patch.patch_id.clone(),
            change: patch.change.clone(),
            standing: standings.at(&patch.patch_id, revision)?,
        })
    };
    global.iter().chain(&own).filter_map(stood).collect()
}

/// Journal sequence of the last change that this client sees: of the base, or of any patch that is or was in force for
/// it.
pub fn revision(state: &State, base: &Base, client: Option<&ClientId>) -> u64 {
    state
        .patches
        .iter()
        .filter(|patch| concerns(patch, client) && was_in_force(patch))
        .map(|patch| patch.revision)
        .chain([base.revision])
        .max()
        .unwrap_or_default()
}

/// The effective template of a base for a client.
pub fn effective(state: &State, base: &Base, client: Option<&ClientId>) -> EffectiveTemplate {
    EffectiveTemplate::compose(&base.template, &layer(state, client), revision(state, base, client))
}

#[cfg(test)]
mod tests;
