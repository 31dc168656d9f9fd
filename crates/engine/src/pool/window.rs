//! What the gate reads: heat and sources of a cluster within the window (Z-095, Z-100).

use std::collections::BTreeMap;

use crate::pool::cohort::Cohorts;
use crate::pool::draft::CAPPED_FRAGMENTS_MAX;
use crate::pool::gate::GateReading;
use crate::pool::gate::open_for_one;
use crate::pool::heat::Heat;
use crate::pool::heat::decayed;
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

impl Pool {
    /// Reads the gate of a cluster. The window binds clients and occurrences alike (Z-100); an arrival exactly as old as
    /// the window is inside. Anonymous clients are neither clients nor occurrences, only heat (Z-104).
    pub fn gate(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> GateReading {
        let said = self.said(cluster, at, policy);
        let mut top: Option<(&ClientId, &Said)> = None;
        for (client, own) in &said {
            if top.is_none_or(|(_, most)| own.len() > most.len()) {
                top = Some((client, own));
            }
        }
        let half_life_s = policy.heat_half_life_s;
        let capped = |heat: Heat| decayed(heat.micro, at.since_ms(heat.at), half_life_s);
        GateReading {
            heat_micro: self.heat_micro(cluster, at, policy),
            capped_heat_micro: self
                .micros_of(cluster)
                .map(|micro| capped(micro.capped_heat))
                .fold(0, i64::saturating_add),
            clients: said.len() as u64,
            occurrences: said.values().map(|own| own.len() as u64).sum(),
            top_client: top.map(|(client, _)| client.clone()),
            top_occurrences: top.map_or(0, |(_, own)| own.len() as u64),
            top_heat_micro: top.map_or(0, |(_, own)| own_heat(own, at, policy)),
        }
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

    /// Every client for which alone the gate is open, the busiest or not (Z-130).
    pub fn openings(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> Vec<ClientId> {
        self.said(cluster, at, policy)
            .into_iter()
            .filter(|(_, own)| open_for_one(own.len() as u64, own_heat(own, at, policy), policy))
            .map(|(client, _)| client.clone())
            .collect()
    }

    /// Reads the gate of a cluster for each cohort of whose clients any spoke of it: clients, occurrences and heat are those
    /// of its clients alone (Z-098).
    pub fn cohort_gates(
        &self,
        cluster: ClusterId,
        cohorts: &Cohorts,
        at: At,
        policy: &PoolPolicy,
    ) -> BTreeMap<CohortId, GateReading> {
        if cohorts.is_empty() {
            return BTreeMap::new();
        }
        let mut gates = BTreeMap::<CohortId, GateReading>::new();
        for (client, own) in self.said(cluster, at, policy) {
            let Some(cohort) = cohorts.of(client) else { continue };
            let gate = gates.entry(cohort.clone()).or_default();
            let (occurrences, heat) = (own.len() as u64, own_heat(&own, at, policy));
            gate.heat_micro = gate.heat_micro.saturating_add(heat);
            gate.capped_heat_micro = gate.capped_heat_micro.saturating_add(own_capped_heat(&own, at, policy));
            gate.clients += 1;
            gate.occurrences += occurrences;
            if occurrences > gate.top_occurrences {
                gate.top_client = Some(client.clone());
                gate.top_occurrences = occurrences;
                gate.top_heat_micro = heat;
            }
        }
        gates
    }

    /// What each client said of a cluster within the window: one occurrence a submission, since its first fragment.
    fn said(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> BTreeMap<&ClientId, Said> {
        let mut said = BTreeMap::<&ClientId, Said>::new();
        for arrival in self.arrivals_within(cluster, at, policy) {
            if let Some(client) = &arrival.client {
                let own = said.entry(client).or_default();
                let said = (arrival.at, arrival.requested);
                let (since, _) = own.entry(arrival.fragment.submission).or_insert(said);
                *since = (*since).min(arrival.at);
            }
        }
        said
    }

    fn arrivals_within(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> impl Iterator<Item = &Arrival> {
        let from = at.plus_ms(policy.gate_window_s.saturating_mul(SECOND_MS).saturating_neg());
        self.micros_of(cluster).flat_map(move |micro| {
            let old = micro.arrivals.partition_point(|arrival| arrival.at < from);
            &micro.arrivals[old..]
        })
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

#[cfg(test)]
mod tests {
    use crate::pool::analysis::Analysis;
    use crate::pool::assignment::Embedded;
    use crate::pool::cohort::Cohorts;
    use crate::pool::gate::Audience;
    use crate::pool::gate::open_for;
    use crate::pool::heat::MICRO;
    use crate::pool::micro::ClusterId;
    use crate::pool::micro::FragmentId;
    use crate::pool::policy::PoolPolicy;
    use crate::pool::state::Pool;
    use schema::name::ClientId;
    use schema::name::CohortId;
    use schema::time::At;
    use schema::time::DAY_MS;
    use schema::time::HOUR_MS;
    use text::vector::Vector;

    const ONLY: ClusterId = ClusterId(0);

    /// A pool with one cluster, to which these clients came at these moments.
    fn pool(arrivals: impl IntoIterator<Item = (&'static str, i64)>) -> Pool {
        let mut pool = Pool::default();
        for ((client, at), submission) in arrivals.into_iter().zip(0..) {
            let client = ClientId::parse(client);
            let embedded = Embedded {
                reading: Analysis::default(),
                vector: Vector::quantise(&[1.0]).expect("a vector"),
                covered_by: None,
            };
            let id = FragmentId { submission, ordinal: 0 };
            for placement in pool.place(vec![(id, embedded)], client.as_ref(), At(at), &PoolPolicy::default()) {
                pool.apply(&placement, client.as_ref(), At(at));
            }
        }
        pool
    }

    fn opening(pool: &Pool, at: i64) -> Option<Audience> {
        let policy = PoolPolicy::default();
        open_for(&pool.gate(ONLY, At(at), &policy), &policy)
    }

    #[test]
    fn five_clients_with_heat_open_for_all_and_four_do_not_z093_z095() {
        let names = ["a", "b", "c", "d", "e"];
        assert_eq!(opening(&pool(names.map(|name| (name, 0))), 0), Some(Audience::Global));
        assert_eq!(opening(&pool(names.map(|name| (name, 0)).into_iter().take(4)), 0), None);
        let spread = pool(names.into_iter().zip(0..).map(|(name, n)| (name, n * 36 * HOUR_MS)));
        assert_eq!(spread.gate(ONLY, At(6 * DAY_MS), &PoolPolicy::default()).clients, 5);
        assert_eq!(opening(&spread, 6 * DAY_MS), None);
    }

    #[test]
    fn the_window_binds_clients_and_occurrences_alike_z100() {
        let pool = pool([("a", 0), ("b", 1)]);
        let read = |at: i64| {
            let reading = pool.gate(ONLY, At(at), &PoolPolicy::default());
            (reading.clients, reading.occurrences)
        };
        assert_eq!(read(7 * DAY_MS), (2, 2));
        assert_eq!(read(7 * DAY_MS + 1), (1, 1));
        assert_eq!(read(7 * DAY_MS + 2), (0, 0));
    }

    #[test]
    fn ten_even_occurrences_of_two_clients_open_for_all_z095_z099() {
        let even = |count: i64| {
            let names = ["a", "b"].into_iter().cycle();
            pool(names.zip(0..count).map(|(name, n)| (name, n * 7 * DAY_MS / 10)))
        };
        let last = |count: i64| (count - 1) * 7 * DAY_MS / 10;
        assert_eq!(opening(&even(10), last(10)), Some(Audience::Global));
        assert_eq!(opening(&even(9), last(9)), None);
    }

    #[test]
    fn a_burst_of_one_client_opens_for_that_client_alone_z096_z098_z130() {
        let burst = |count: i64| pool((0..count).map(|n| ("loud", n)));
        assert_eq!(opening(&burst(9), 9), None);
        assert_eq!(opening(&burst(10), 10), ClientId::parse("loud").map(Audience::Client));
        let reading = burst(10).gate(ONLY, At(10), &PoolPolicy::default());
        assert!(reading.top_heat_micro > 199 * MICRO && reading.capped_heat_micro < 40 * MICRO);
    }

    fn cohort(name: &str) -> CohortId {
        CohortId::parse(name).expect("a cohort")
    }

    #[test]
    fn a_cohorts_gate_reads_its_clients_alone_z098_z104() {
        let cohorts = Cohorts::declare([("fleet", ["bus-*"]), ("night", ["owl"])]).expect("cohorts");
        let said = [
            ("bus-1", 0),
            ("bus-1", 1),
            ("bus-2", 2),
            ("owl", 3),
            ("zoe", 4),
            ("", 5),
        ];
        let gates = pool(said).cohort_gates(ONLY, &cohorts, At(5), &PoolPolicy::default());
        let read: Vec<_> = gates
            .iter()
            .map(|(cohort, gate)| {
                (
                    cohort.as_str(),
                    gate.clients,
                    gate.occurrences,
                    gate.capped_heat_micro / MICRO,
                )
            })
            .collect();
        // The second one of bus-1 counts half.
        assert_eq!(read, [("fleet", 2, 3, 49), ("night", 1, 1, 19)]);
        let top = gates
            .get(&cohort("fleet"))
            .map(|gate| (gate.top_client.clone(), gate.top_occurrences));
        assert_eq!(top, Some((ClientId::parse("bus-1"), 2)));
        let none = pool(said).cohort_gates(ONLY, &Cohorts::default(), At(5), &PoolPolicy::default());
        assert!(none.is_empty());
    }

    #[test]
    fn a_cohort_of_everyone_reads_what_the_cluster_reads_z098_z104() {
        let cohorts = Cohorts::declare([("all", ["*"])]).expect("cohorts");
        let names = ["a", "b", "a", "a", "c", "a", "b"].into_iter().cycle();
        let pool = pool(names.zip(0..40).map(|(name, n)| (name, n * 3 * HOUR_MS)));
        let (at, policy) = (At(40 * 3 * HOUR_MS), PoolPolicy::default());
        let whole = pool.gate(ONLY, at, &policy);
        let own = &pool.cohort_gates(ONLY, &cohorts, at, &policy)[&cohort("all")];
        assert_eq!((own.clients, own.occurrences), (whole.clients, whole.occurrences));
        assert_eq!(
            (&own.top_client, own.top_occurrences),
            (&whole.top_client, whole.top_occurrences)
        );
        // Rounded down at each step here, and once there.
        assert!((own.heat_micro - whole.heat_micro).abs() < 100, "{own:?} {whole:?}");
        assert!(
            (own.capped_heat_micro - whole.capped_heat_micro).abs() < 100,
            "{own:?} {whole:?}"
        );
    }

    #[test]
    fn anonymous_clients_add_heat_and_never_a_client_z104() {
        let pool = pool((0..30).map(|n| ("", n)));
        let reading = pool.gate(ONLY, At(30), &PoolPolicy::default());
        assert_eq!((reading.clients, reading.occurrences), (0, 0));
        assert!(reading.heat_micro > 599 * MICRO);
        assert_eq!(opening(&pool, 30), None);
    }

    #[test]
    fn a_client_that_is_not_the_busiest_may_open_for_itself_z130() {
        let pool = pool((0..24).map(|n| (if n % 2 == 0 { "a" } else { "b" }, n)));
        let policy = PoolPolicy::default();
        let open = pool.openings(ONLY, At(30), &policy);
        assert_eq!(open, ["a", "b"].map(|name| ClientId::parse(name).expect("a client")));
    }
}
