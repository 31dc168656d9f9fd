//! Receipts: once for each client and patch, the denominator of adoption (Z-139).

use crate::scenario::event::Event;
use crate::scenario::event::Via;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::name::ClientId;
use schema::name::PatchId;

/// Records what is new to the client of what is laid over the base in force; nothing when nothing is.
pub fn receive(state: &State, client: ClientId, via: Via, policy: &Policy) -> Vec<Event> {
    let Some(base) = state.base_in_force() else {
        return Vec::new();
    };
    let to = policy.cohorts.addressee(Some(&client));
    let fresh: Vec<PatchId> = layer::laid(state, &base.template, to)
        .filter(|patch| {
            state
                .ledger
                .keys
                .get(&patch.patch_id)
                .is_none_or(|key| !key.is_known_to(&client))
        })
        .map(|patch| patch.patch_id.clone())
        .collect();
    let revision = layer::revision(state, base, to);
    let known = state.acquaintances.get(&client).map_or(0, |known| known.revision);
    let stale = revision > known && !state.patches.is_empty();
    if fresh.is_empty() && !stale {
        Vec::new()
    } else {
        vec![Event::Received {
            client,
            revision,
            patches: fresh,
            via,
        }]
    }
}

#[cfg(test)]
mod tests;
