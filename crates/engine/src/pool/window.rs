//! What the gate reads: heat and sources of a cluster within the window (Z-095, Z-100).

use std::collections::BTreeMap;

use crate::pool::cohort::Cohorts;
use crate::pool::draft::CAPPED_FRAGMENTS_MAX;
use crate::pool::gate::GateReading;
use crate::pool::gate::open_for_one;
use crate::pool::heat::decayed;
use crate::pool::heat::units;
use crate::pool::micro::Arrival;
use crate::pool::micro::ClusterId;
use crate::pool::policy::PoolPolicy;
use crate::pool::state::Cluster;
use crate::pool::state::Pool;
use schema::name::ClientId;
use schema::name::CohortId;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::SECOND_MS;

/// Submission -> when it first spoke of the cluster, and whether it was an extension request.
type Said = BTreeMap<u64, (At, bool)>;

/// What was said of one cluster within the window, read once for all who ask.
pub struct Window<'p> {
    /// By client: one occurrence a submission, since its first fragment.
    said: BTreeMap<&'p ClientId, Said>,
    heat_micro: i64,
    capped_heat_micro: i64,
    at: At,
    policy: &'p PoolPolicy,
}

impl Pool {
    /// Reads the gate of a cluster. The window binds clients and occurrences alike (Z-100); an arrival exactly as old as
    /// the window is inside. Anonymous clients are neither clients nor occurrences, only heat (Z-104).
    pub fn gate(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> GateReading {
        self.window(cluster, at, policy).gate()
    }

    /// Whether so many arrivals of a cluster are kept, within the window or not.
    pub fn has_arrivals(&self, cluster: &Cluster, min: u64) -> bool {
        let kept = cluster.micros.iter().filter_map(|id| self.micros.get(id));
        let mut missing = min;
        kept.map(|micro| micro.arrivals.len() as u64).any(|kept| {
            missing = missing.saturating_sub(kept);
            missing == 0
        })
    }

    /// Whether a cluster is so warm that its gate may be open for anybody: what all said together is no cooler than what one client
    /// said, but for the millionth that the heat of a micro-cluster loses in rounding with each member.
    pub fn may_be_open(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> bool {
        let lost = i64::try_from(self.members(cluster)).unwrap_or(i64::MAX);
        self.heat_micro(cluster, at, policy).saturating_add(lost) > units(policy.heat_threshold)
    }

    /// Fragments that came in the newer half of the window less those of its older half.
    pub fn growth(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> i64 {
        let half_ms = policy.gate_window_s.saturating_mul(SECOND_MS) / 2;
        let middle = at.plus_ms(half_ms.saturating_neg());
        let arrivals = self.arrivals_within(cluster, at, policy);
        arrivals.map(|arrival| if arrival.at < middle { -1 } else { 1 }).sum()
    }

    fn arrivals_within(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> impl Iterator<Item = &Arrival> {
        let from = at.plus_ms(policy.gate_window_s.saturating_mul(SECOND_MS).saturating_neg());
        self.micros_of(cluster).flat_map(move |micro| {
            let old = micro.arrivals.partition_point(|arrival| arrival.at < from);
            &micro.arrivals[old..]
        })
    }

    /// Reads what each client said of a cluster within the window.
    pub fn window<'p>(&'p self, cluster: ClusterId, at: At, policy: &'p PoolPolicy) -> Window<'p> {
        let mut said = BTreeMap::<&ClientId, Said>::new();
        for arrival in self.arrivals_within(cluster, at, policy) {
            if let Some(client) = &arrival.client {
                let own = said.entry(client).or_default();
                let said = (arrival.at, arrival.requested);
                let (since, _) = own.entry(arrival.fragment.submission).or_insert(said);
                *since = (*since).min(arrival.at);
            }
        }
        let capped = self.micros_of(cluster).map(|micro| micro.capped_heat);
        let capped = capped.map(|heat| heat.cooled(at, policy.heat_half_life_s).micro);
        Window {
            said,
            heat_micro: self.heat_micro(cluster, at, policy),
            capped_heat_micro: capped.fold(0, i64::saturating_add),
            at,
            policy,
        }
    }
}

impl Window<'_> {
    /// The gate for all.
    pub fn gate(&self) -> GateReading {
        let mut top: Option<(&ClientId, &Said)> = None;
        for (client, own) in &self.said {
            if top.is_none_or(|(_, most)| own.len() > most.len()) {
                top = Some((client, own));
            }
        }
        GateReading {
            heat_micro: self.heat_micro,
            capped_heat_micro: self.capped_heat_micro,
            clients: self.said.len() as u64,
            occurrences: self.said.values().map(|own| own.len() as u64).sum(),
            top_client: top.map(|(client, _)| client.clone()),
            top_occurrences: top.map_or(0, |(_, own)| own.len() as u64),
            top_heat_micro: top.map_or(0, |(_, own)| own_heat(own, self.at, self.policy)),
        }
    }

    /// Every client for which alone the gate is open, the busiest or not (Z-130).
    pub fn openings(&self) -> Vec<ClientId> {
        let is_open = |own: &Said| {
            let often = own.len() as u64 >= self.policy.gate_occurrences_min;
            often && open_for_one(own.len() as u64, own_heat(own, self.at, self.policy), self.policy)
        };
        let open = self.said.iter().filter(|(_, own)| is_open(own));
        open.map(|(client, _)| (*client).clone()).collect()
    }

    /// The gate for each cohort of whose clients any spoke of the cluster: clients, occurrences and heat are those of its clients
    /// alone (Z-098).
    pub fn cohort_gates(&self, cohorts: &Cohorts) -> BTreeMap<CohortId, GateReading> {
        let mut gates = BTreeMap::<CohortId, GateReading>::new();
        if cohorts.is_empty() {
            return gates;
        }
        for (client, own) in &self.said {
            let Some(cohort) = cohorts.of(client) else { continue };
            let gate = gates.entry(cohort.clone()).or_default();
            let (occurrences, heat) = (own.len() as u64, own_heat(own, self.at, self.policy));
            gate.heat_micro = gate.heat_micro.saturating_add(heat);
            let capped = own_capped_heat(own, self.at, self.policy);
            gate.capped_heat_micro = gate.capped_heat_micro.saturating_add(capped);
            gate.clients += 1;
            gate.occurrences += occurrences;
            if occurrences > gate.top_occurrences {
                gate.top_client = Some((*client).clone());
                gate.top_occurrences = occurrences;
                gate.top_heat_micro = heat;
            }
        }
        gates
    }
}

/// The heat that a client's occurrences alone would have made.
fn own_heat(own: &Said, at: At, policy: &PoolPolicy) -> i64 {
    own.values()
        .map(|&(since, requested)| decayed(policy.raise(requested), at.since_ms(since), policy.heat_half_life_s))
        .fold(0, i64::saturating_add)
}

/// The same where each further occurrence within 24 hours counts half of the one before, as it does in the cluster's own
/// capped heat (Z-104).
fn own_capped_heat(own: &Said, at: At, policy: &PoolPolicy) -> i64 {
    let mut moments: Vec<(At, bool)> = own.values().copied().collect();
    moments.sort_unstable();
    let mut first = 0;
    let mut heat = 0_i64;
    for (place, &(since, requested)) in moments.iter().enumerate() {
        while since.since_ms(moments[first].0) > DAY_MS {
            first += 1;
        }
        let earlier = u32::try_from(place - first)
            .unwrap_or(u32::MAX)
            .min(CAPPED_FRAGMENTS_MAX);
        let raise = policy.raise(requested) >> earlier;
        heat = heat.saturating_add(decayed(raise, at.since_ms(since), policy.heat_half_life_s));
    }
    heat
}
