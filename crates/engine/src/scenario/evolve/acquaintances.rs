//! What each client knows of the patch layer, as far as the journal tells.

use crate::scenario::state::Acquaintance;
use crate::scenario::state::State;
use crate::scenario::submission::Submitted;
use schema::name::ClientId;
use schema::name::PatchId;

/// Clients whose acquaintance with the patch layer is remembered.
const ACQUAINTANCES_MAX: usize = 200_000;

/// Notes what a client has used or was told.
pub fn acquaint(state: &mut State, client: &ClientId, submitted: &Submitted) {
    if submitted.observed.is_empty() && submitted.suggested.is_none() {
        return;
    }
    let used = state
        .patches
        .iter()
        .filter(|patch| {
            submitted
                .observed
                .iter()
                .any(|seen| seen.patch_id == patch.patch_id && seen.type_ok)
        })
        .map(|patch| patch.revision)
        .max()
        .unwrap_or_default();
    let Some(known) = acquaintance(state, client) else {
        return;
    };
    known.revision = known.revision.max(used);
    if let Some(revision) = submitted.suggested {
        known.times = if known.suggested == revision {
            known.times.saturating_add(1)
        } else {
            1
        };
        known.suggested = revision;
    }
}

fn acquaintance<'a>(state: &'a mut State, client: &ClientId) -> Option<&'a mut Acquaintance> {
    if !state.acquaintances.contains_key(client) && state.acquaintances.len() >= ACQUAINTANCES_MAX {
        return None;
    }
    Some(state.acquaintances.entry(client.clone()).or_default())
}

/// Notes what a client was shown.
pub fn received(state: &mut State, client: &ClientId, revision: u64, patches: &[PatchId]) {
    state.ledger.received(client, patches);
    if let Some(known) = acquaintance(state, client) {
        known.revision = known.revision.max(revision);
    }
}
