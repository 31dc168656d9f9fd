//! Triggers: a mature cluster whose gate stands open fires, once for each audience (Z-093, Z-102, Z-130).

use crate::domain::evolution::stage::Stage;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::Claim;
use crate::domain::scenario::state::State;
use crate::domain::time::At;

/// Fires every cluster that may.
pub fn fire(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    if !policy.evolution.enabled {
        return Vec::new();
    }
    let mut events = Vec::new();
    for cluster in state.pool.clusters.values().filter(|cluster| cluster.mature) {
        if held(state, cluster.id, &Audience::Global, at) {
            continue;
        }
        let Some(audience) = state.pool.opening(cluster.id, at, &policy.pool) else {
            continue;
        };
        let personal = matches!(audience, Audience::Client(_));
        if (personal && !policy.evolution.personal) || held(state, cluster.id, &audience, at) {
            continue;
        }
        let gate = state.pool.gate(cluster.id, at, &policy.pool);
        events.push(Event::Triggered {
            cluster: cluster.id,
            audience,
            gate,
        });
    }
    events
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
            members,
            settlement: _,
        } => state.pool.members(cluster) < members.saturating_mul(2).max(1),
        Claim::Patched(id) => state.patch(id).is_some_and(|patch| match &patch.stage {
            Stage::Queued { .. } | Stage::AwaitingApproval { .. } | Stage::Experimental(_) | Stage::Stable { .. } => {
                true
            }
            Stage::Deprecated { .. }
            | Stage::Withdrawn { .. }
            | Stage::Expired { .. }
            | Stage::Lapsed { .. }
            | Stage::Rejected { .. } => patch.cooling(at),
        }),
    }
}

#[cfg(test)]
mod tests;
