//! Triggers: a cluster whose gate stands open fires, once for each audience (Z-093, Z-102, Z-130). Nothing else is asked of it:
//! whether a key can be made of it is for induction to say.

use std::collections::BTreeMap;

use crate::pool::gate;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::heading::Heading;
use crate::pool::micro::ClusterId;
use crate::pool::state::Cluster;
use crate::scenario::decide::edit;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::name::CohortId;
use schema::time::At;

/// Fires every cluster that may.
pub fn fire(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    if !policy.evolution.enabled {
        return Vec::new();
    }
    let mut events = Vec::new();
    // What a reader calls no wish, or a key's, asks for none.
    let asks = |cluster: &&Cluster| !matches!(cluster.heading, Some(Heading::Nothing | Heading::Held(_)));
    // Most clusters are of one fragment or two: no gate is read of what can open none.
    let arrivals_min = gate::arrivals_min(&policy.pool);
    let may = |cluster: &&Cluster| state.pool.has_arrivals(cluster, arrivals_min);
    for cluster in state.pool.clusters.values().filter(asks).filter(may) {
        if held(state, cluster.id, &Audience::Global, at) {
            continue;
        }
        for (audience, gate) in audiences(state, cluster.id, at, policy) {
            let wider = audience.client().and_then(|client| policy.cohorts.of(client));
            let wider = wider.cloned().map(Audience::Cohort);
            let stands_wider = |wider: &Audience| audience != *wider && stands(state, cluster.id, wider, at);
            if !held(state, cluster.id, &audience, at)
                && !stands_wider(&Audience::Global)
                && !wider.as_ref().is_some_and(stands_wider)
            {
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

/// For whom a cluster's gate stands open, and what it read: for all, or else for each cohort whose clients opened it by
/// themselves (Z-098) and for each other client that did (Z-130).
fn audiences(state: &State, cluster: ClusterId, at: At, policy: &Policy) -> Vec<(Audience, GateReading)> {
    let whole = state.pool.gate(cluster, at, &policy.pool);
    let gates = state.pool.cohort_gates(cluster, &policy.cohorts, at, &policy.pool);
    if gate::open_for_many(&whole, &policy.pool) && !leans(state, &whole, &gates, policy) {
        return vec![(Audience::Global, whole)];
    }
    let open: BTreeMap<CohortId, GateReading> = gates
        .into_iter()
        .filter(|(_, gate)| gate::open_for_many(gate, &policy.pool))
        .collect();
    let clients = if policy.evolution.personal {
        state.pool.openings(cluster, at, &policy.pool)
    } else {
        Vec::new()
    };
    let alone: Vec<(Audience, GateReading)> = clients
        .into_iter()
        .filter(|client| {
            policy
                .cohorts
                .of(client)
                .is_none_or(|cohort| !open.contains_key(cohort))
        })
        .map(|client| (Audience::Client(client), whole.clone()))
        .collect();
    let cohorts = open.into_iter().map(|(cohort, gate)| (Audience::Cohort(cohort), gate));
    cohorts.chain(alone).collect()
}

/// Whether nearly all of a cluster's demand is one cohort's, where the scenario has clients outside of it: what that cohort
/// wants says nothing of them (Z-098).
fn leans(state: &State, whole: &GateReading, gates: &BTreeMap<CohortId, GateReading>, policy: &Policy) -> bool {
    let leaning = gates
        .iter()
        .find(|(_, gate)| gate::leans(gate.occurrences, whole.occurrences, &policy.pool));
    leaning.is_some_and(|(cohort, _)| {
        let mut clients = state.ledger.days.values().flat_map(|day| &day.clients);
        clients.any(|client| policy.cohorts.of(client) != Some(cohort))
    })
}

/// Whether a cluster does not fire for this audience: it has fired and what came of it stands, and is not to be made anew.
fn held(state: &State, cluster: ClusterId, audience: &Audience, at: At) -> bool {
    let due = match state.claim(cluster, audience) {
        Some(Claim::Patched(id)) => state.patch(id).is_some_and(|patch| edit::is_due(state, patch)),
        Some(Claim::Inducing { .. } | Claim::Settled { .. }) | None => false,
    };
    !due && stands(state, cluster, audience, at)
}

/// Whether a cluster has fired for this audience and its patch has not ended (Z-102).
fn stands(state: &State, cluster: ClusterId, audience: &Audience, at: At) -> bool {
    let Some(claim) = state.claim(cluster, audience) else {
        return false;
    };
    match claim {
        Claim::Inducing { .. } => true,
        Claim::Settled {
            at: _,
            members,
            settlement,
        } => settlement.holds(*members, state.pool.members(cluster), at),
        Claim::Patched(id) => state
            .patch(id)
            .is_some_and(|patch| !patch.stage.has_ended() || patch.cooling(at)),
    }
}

#[cfg(test)]
mod tests;
