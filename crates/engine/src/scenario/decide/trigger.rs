//! Triggers: a cluster whose gate stands open fires, once for each audience (Z-093, Z-102, Z-130). Nothing else is asked of it:
//! whether a key can be made of it is for induction to say.

use std::collections::BTreeMap;

use crate::pool::gate;
use crate::pool::gate::Audience;
use crate::pool::gate::GateReading;
use crate::pool::heading::Heading;
use crate::pool::micro::ClusterId;
use crate::pool::state::Cluster;
use crate::scenario::decide::induce;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::state::Claim;
use schema::name::ClientId;
use schema::name::CohortId;

/// Fires every cluster that may.
pub fn fire(now: Situation<'_>) -> Vec<Event> {
    if !now.evolution().enabled {
        return Vec::new();
    }
    let mut events = Vec::new();
    // What a reader calls no wish, or a key's, asks for none; nor does what a person dismissed, while it is.
    let asks = |cluster: &&Cluster| {
        !matches!(cluster.heading, Some(Heading::Nothing | Heading::Held(_)))
            && now.state.dismissed(cluster.id, now.at).is_none()
    };
    // Most clusters are of one fragment or two, and most others cool: no gate is read of what can open none.
    let arrivals_min = gate::arrivals_min(&now.policy.pool);
    let may = |cluster: &&Cluster| now.state.pool.has_arrivals(cluster, arrivals_min);
    for cluster in now.state.pool.clusters.values().filter(asks).filter(may) {
        let cluster = cluster.id;
        let is_warm = now.state.pool.may_be_open(cluster, now.at, &now.policy.pool);
        if !is_warm || held(now, cluster, &Audience::Global) {
            continue;
        }
        for (audience, gate) in audiences(now, cluster) {
            let cohort = audience.client().and_then(|client| now.policy.cohorts.of(client));
            let wider = [Some(Audience::Global), cohort.cloned().map(Audience::Cohort)];
            let stands_wider = |wider: &Audience| audience != *wider && stands(now, cluster, wider);
            if !held(now, cluster, &audience) && !wider.iter().flatten().any(stands_wider) {
                events.push(Event::Triggered {
                    cluster,
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
fn audiences(now: Situation<'_>, cluster: ClusterId) -> Vec<(Audience, GateReading)> {
    let (pool, policy, cohorts) = (&now.state.pool, &now.policy.pool, &now.policy.cohorts);
    let window = pool.window(cluster, now.at, policy);
    let (whole, gates) = (window.gate(), window.cohort_gates(cohorts));
    if gate::open_for_many(&whole, policy) && !leans(now, &whole, &gates) {
        return vec![(Audience::Global, whole)];
    }
    let open: BTreeMap<CohortId, GateReading> = gates
        .into_iter()
        .filter(|(_, gate)| gate::open_for_many(gate, policy))
        .collect();
    let clients = match now.evolution().personal {
        true => window.openings(),
        false => Vec::new(),
    };
    let is_alone = |client: &ClientId| cohorts.of(client).is_none_or(|cohort| !open.contains_key(cohort));
    let alone: Vec<(Audience, GateReading)> = clients
        .into_iter()
        .filter(is_alone)
        .map(|client| (Audience::Client(client), whole.clone()))
        .collect();
    let cohorts = open.into_iter().map(|(cohort, gate)| (Audience::Cohort(cohort), gate));
    cohorts.chain(alone).collect()
}

/// Whether nearly all of a cluster's demand is one cohort's, where the scenario has clients outside of it: what that cohort
/// wants says nothing of them (Z-098).
fn leans(now: Situation<'_>, whole: &GateReading, gates: &BTreeMap<CohortId, GateReading>) -> bool {
    let mut gates = gates.iter();
    let leaning = gates.find(|(_, gate)| gate::leans(gate.occurrences, whole.occurrences, &now.policy.pool));
    leaning.is_some_and(|(cohort, _)| {
        let mut clients = now.state.ledger.days.values().flat_map(|day| &day.clients);
        clients.any(|client| now.policy.cohorts.of(client) != Some(cohort))
    })
}

/// Whether a cluster does not fire for this audience: it has fired and what came of it stands, and is not to be made anew.
fn held(now: Situation<'_>, cluster: ClusterId, audience: &Audience) -> bool {
    let is_due = match now.state.claim(cluster, audience) {
        Some(Claim::Patched(id)) => now
            .state
            .patch(id)
            .is_some_and(|patch| induce::is_due(now.state, patch)),
        Some(Claim::Inducing { .. } | Claim::Settled { .. }) | None => false,
    };
    !is_due && stands(now, cluster, audience)
}

/// Whether a cluster has fired for this audience and its patch has not ended (Z-102).
fn stands(now: Situation<'_>, cluster: ClusterId, audience: &Audience) -> bool {
    match now.state.claim(cluster, audience) {
        None => false,
        Some(Claim::Inducing { .. }) => true,
        Some(Claim::Settled {
            at: _,
            members,
            settlement,
        }) => settlement.holds(*members, now.state.pool.members(cluster), now.at),
        Some(Claim::Patched(id)) => {
            let patch = now.state.patch(id);
            patch.is_some_and(|patch| !patch.stage.has_ended() || patch.cooling(now.at))
        }
    }
}

#[cfg(test)]
mod tests;
