//! Triggers: a lasting cluster whose gate stands open fires, once for each audience (Z-093, Z-102, Z-130).

use crate::domain::evolution::patch::Patch;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::lasting;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::decide::induce::is_open;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::event::Settlement;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::Claim;
use crate::domain::scenario::state::State;
use crate::domain::template::closed_list;
use crate::domain::template::effective::KeyChange;
use crate::domain::time::At;

/// Fires every cluster that may.
pub fn fire(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    if !policy.evolution.enabled {
        return Vec::new();
    }
    let mut events = Vec::new();
    for cluster in state.pool.clusters.values() {
        if !lasting::lasts(&state.pool, cluster, &policy.pool) {
            continue;
        }
        if held(state, cluster.id, &Audience::Global, at) {
            continue;
        }
        for audience in audiences(state, cluster.id, at, policy) {
            if !held(state, cluster.id, &audience, at) {
                let gate = state.pool.gate(cluster.id, at, &policy.pool);
                events.push(Event::Triggered {
                    cluster: cluster.id,
                    audience,
                    gate,
                });
            }
        }
    }
    events
}

/// For whom a cluster's gate stands open: for all, or else for each client that opened it by itself (Z-130).
fn audiences(state: &State, cluster: ClusterId, at: At, policy: &Policy) -> Vec<Audience> {
    match state.pool.opening(cluster, at, &policy.pool) {
        Some(Audience::Global) => vec![Audience::Global],
        Some(Audience::Client(_)) | None if policy.evolution.personal => {
            let clients = state.pool.openings(cluster, at, &policy.pool);
            clients.into_iter().map(Audience::Client).collect()
        }
        Some(Audience::Client(_)) | None => Vec::new(),
    }
}

/// Whether a cluster has fired for this audience and its patch has not ended (Z-102).
fn held(state: &State, cluster: ClusterId, audience: &Audience, at: At) -> bool {
    let claims = state.claims.get(&cluster).map_or(&[][..], Vec::as_slice);
    let Some((_, claim)) = claims.iter().find(|(other, _)| other == audience) else {
        return false;
    };
    match claim {
        Claim::Inducing { .. } => true,
        Claim::Settled {
            at: _,
            members: _,
            settlement: Settlement::CoolingDown(until),
        } => at < *until,
        Claim::Settled {
            at: _,
            members,
            settlement: Settlement::Abstained(_) | Settlement::Covered(_) | Settlement::PersonalFull,
        } => state.pool.members(cluster) < members.saturating_mul(2).max(1),
        Claim::Patched(id) => state.patch(id).is_some_and(|patch| {
            let outgrown = is_open(patch) && outgrown(patch, state.pool.members(cluster));
            !patch.stage.has_ended() && !outgrown || patch.cooling(at)
        }),
    }
}

/// Whether a cluster holds twice what its list was made of: it may have become too short (Z-107).
fn outgrown(patch: &Patch, members: u64) -> bool {
    let listed = match &patch.change {
        KeyChange::Add(key) => closed_list::values(&key.constraints).is_some(),
        KeyChange::Refine { values, .. } => !values.is_empty(),
    };
    listed && patch.members > 0 && members >= patch.members.saturating_mul(2)
}

#[cfg(test)]
mod tests;
