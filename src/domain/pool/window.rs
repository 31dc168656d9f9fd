//! What the gate reads: heat and sources of a cluster within the window (Z-095, Z-100).

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::pool::gate::Audience;
use crate::domain::pool::gate::GateReading;
use crate::domain::pool::gate::open_for;
use crate::domain::pool::gate::open_for_one;
use crate::domain::pool::gate::units;
use crate::domain::pool::heat::decayed;
use crate::domain::pool::micro::Arrival;
use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::state::Pool;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;
use crate::domain::time::SECOND_MS;

impl Pool {
    /// Reads the gate of a cluster. The window binds clients and occurrences alike (Z-100); an arrival exactly as old as
    /// the window is inside. Anonymous clients are neither clients nor occurrences, only heat (Z-104).
    pub fn gate(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> GateReading {
        let mut submissions = BTreeMap::<&ClientId, BTreeSet<u64>>::new();
        for arrival in self.arrivals_within(cluster, at, policy) {
            if let Some(client) = &arrival.client {
                submissions
                    .entry(client)
                    .or_default()
                    .insert(arrival.fragment.submission);
            }
        }
        let occurrences = submissions.values().map(|made| made.len() as u64).sum();
        let mut top: Option<(&ClientId, u64)> = None;
        for (client, made) in &submissions {
            let made = made.len() as u64;
            if top.is_none_or(|(_, most)| made > most) {
                top = Some((client, made));
            }
        }
        let half_life_s = policy.heat_half_life_s;
        let capped = |heat: crate::domain::pool::heat::Heat| decayed(heat.micro, at.since_ms(heat.at), half_life_s);
        GateReading {
            heat_micro: self.heat_micro(cluster, at, policy),
            capped_heat_micro: self
                .micros_of(cluster)
                .map(|micro| capped(micro.capped_heat))
                .fold(0, i64::saturating_add),
            clients: submissions.len() as u64,
            occurrences,
            top_client: top.map(|(client, _)| client.clone()),
            top_occurrences: top.map_or(0, |(_, made)| made),
            top_heat_micro: top.map_or(0, |(client, _)| self.own(cluster, client, at, policy).1),
        }
    }

    /// For whom the gate is open, if for anyone (DESIGN §5.7).
    pub fn opening(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> Option<Audience> {
        open_for(&self.gate(cluster, at, policy), policy)
    }

    /// Whether the gate is open for one client alone, be it the busiest or not (Z-130).
    pub fn opening_for(&self, cluster: ClusterId, client: &ClientId, at: At, policy: &PoolPolicy) -> bool {
        let (occurrences, heat) = self.own(cluster, client, at, policy);
        open_for_one(occurrences, heat, policy)
    }

    /// A client's own occurrences within the window, and the heat that these alone would have made.
    fn own(&self, cluster: ClusterId, client: &ClientId, at: At, policy: &PoolPolicy) -> (u64, i64) {
        let mut first = BTreeMap::<u64, At>::new();
        for arrival in self.arrivals_within(cluster, at, policy) {
            if arrival.client.as_ref() == Some(client) {
                let since = first.entry(arrival.fragment.submission).or_insert(arrival.at);
                *since = (*since).min(arrival.at);
            }
        }
        let increment = units(policy.heat_increment);
        let heat = first
            .values()
            .map(|&since| decayed(increment, at.since_ms(since), policy.heat_half_life_s))
            .fold(0, i64::saturating_add);
        (first.len() as u64, heat)
    }

    fn arrivals_within(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> impl Iterator<Item = &Arrival> {
        let from = at.plus_ms(policy.gate_window_s.saturating_mul(SECOND_MS).saturating_neg());
        self.micros_of(cluster).flat_map(move |micro| {
            let old = micro.arrivals.partition_point(|arrival| arrival.at < from);
            &micro.arrivals[old..]
        })
    }
}
