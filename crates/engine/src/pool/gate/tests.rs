//! Gates of what pools hold, and of what a gate may read.

use super::*;
use crate::pool::cohort::Cohorts;
use crate::pool::heat::MICRO;
use crate::pool::micro::ClusterId;
use crate::pool::state::Pool;
use crate::pool::tests::along;
use crate::pool::tests::say;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;

fn reading(capped: i64, clients: u64, occurrences: u64, top: u64) -> GateReading {
    GateReading {
        heat_micro: 1_000 * MICRO,
        capped_heat_micro: capped,
        clients,
        occurrences,
        top_client: ClientId::parse("ana"),
        top_occurrences: top,
        top_heat_micro: 0,
    }
}

fn opens(reading: &GateReading) -> Option<Audience> {
    open_for(reading, &PoolPolicy::default())
}

const HOT: i64 = 50 * MICRO + 1;

#[test]
fn heat_must_exceed_the_threshold_and_five_clients_or_ten_even_occurrences_stand_behind_it_z093_z094_z095_z096_z104() {
    for (capped, clients, occurrences, top, is_open) in [
        (HOT, 5, 5, 1, true),
        (50 * MICRO, 5, 5, 1, false),
        (900 * MICRO, 4, 9, 2, false),
        (HOT, 4, 9, 3, false),
        (HOT, 5, 9, 3, true),
        (HOT, 4, 10, 3, true),
        (HOT, 2, 10, 6, true),
        (HOT, 2, 10, 7, false),
        (HOT, 4, 15, 9, true),
        (HOT, 4, 15, 10, false),
    ] {
        let reading = reading(capped, clients, occurrences, top);
        assert_eq!(opens(&reading) == Some(Audience::Global), is_open, "{reading:?}");
        assert!(is_open || opens(&reading).is_none());
    }
}

#[test]
fn one_client_opens_for_itself_with_occurrences_and_heat_of_its_own_z130_z098() {
    let own = |occurrences, heat| GateReading {
        top_heat_micro: heat,
        ..reading(HOT, 1, occurrences, occurrences)
    };
    assert_eq!(opens(&own(10, HOT)), ClientId::parse("ana").map(Audience::Client));
    assert_eq!(opens(&own(9, HOT)), None);
    assert_eq!(opens(&own(10, 50 * MICRO)), None);
}

#[test]
fn a_gate_leans_above_the_share_of_a_cohort_and_not_at_it_z098() {
    let policy = PoolPolicy::default();
    assert!(!leans(8, 10, &policy) && leans(9, 10, &policy));
    assert!(!leans(4, 5, &policy) && leans(81, 100, &policy));
    let never = PoolPolicy {
        gate_cohort_share_max: 1.0,
        ..policy
    };
    assert!(!leans(10, 10, &never));
}

#[test]
fn no_policy_lets_one_client_speak_for_all_z104() {
    let lax = PoolPolicy {
        gate_clients_min: 0,
        gate_occurrences_min: 0,
        gate_occurrence_clients_min: 0,
        gate_client_share_max: 1.0,
        heat_threshold: 0.0,
        ..PoolPolicy::default()
    };
    let alone = reading(HOT, 1, 100, 100);
    assert_ne!(open_for(&alone, &lax), Some(Audience::Global));
}

const ONLY: ClusterId = ClusterId(0);

/// A pool with one cluster, to which these clients came at these moments.
fn pool(arrivals: impl IntoIterator<Item = (&'static str, i64)>) -> Pool {
    let mut pool = Pool::default();
    for (client, at) in arrivals {
        say(&mut pool, client, At(at), along(1, 0, 0.0));
    }
    pool
}

fn opening(pool: &Pool, at: i64) -> Option<Audience> {
    let policy = PoolPolicy::default();
    open_for(&pool.gate(ONLY, At(at), &policy), &policy)
}

#[test]
fn a_pool_opens_for_many_or_for_one_client_alone_z093_z095_z096_z098_z099_z104_z130() {
    let week = 7 * DAY_MS;
    let names = ["a", "b", "c", "d", "e"].into_iter();
    let even = |count: i64| {
        ["a", "b"]
            .into_iter()
            .cycle()
            .zip((0..count).map(move |n| n * week / 10))
    };
    let burst = |name: &'static str, count: i64| (0..count).map(move |n| (name, n));
    let (all, loud) = (Some(Audience::Global), ClientId::parse("loud").map(Audience::Client));
    for (arrivals, at, expected) in [
        (names.clone().map(|name| (name, 0)).collect::<Vec<_>>(), 0, all.clone()),
        (names.clone().take(4).map(|name| (name, 0)).collect(), 0, None),
        // Five clients whose heat is gone.
        (names.zip((0..).map(|n| n * 36 * HOUR_MS)).collect(), 6 * DAY_MS, None),
        (even(10).collect(), 9 * week / 10, all),
        (even(9).collect(), 8 * week / 10, None),
        (burst("loud", 9).collect(), 9, None),
        (burst("loud", 10).collect(), 10, loud),
        // Anonymous clients add heat and never a client.
        (burst("", 30).collect(), 30, None),
    ] {
        assert_eq!(opening(&pool(arrivals.clone()), at), expected, "{arrivals:?}");
    }
    let gate = |pool: &Pool, at| pool.gate(ONLY, At(at), &PoolPolicy::default());
    let (one, anonymous) = (gate(&pool(burst("loud", 10)), 10), gate(&pool(burst("", 30)), 30));
    assert!(one.top_heat_micro > 199 * MICRO && one.capped_heat_micro < 40 * MICRO);
    assert_eq!((anonymous.clients, anonymous.occurrences), (0, 0));
    assert!(anonymous.heat_micro > 599 * MICRO);
    // A client that is not the busiest may open for itself.
    let both = pool((0..24).map(|n| (if n % 2 == 0 { "a" } else { "b" }, n)));
    let open = both.window(ONLY, At(30), &PoolPolicy::default()).openings();
    assert_eq!(open, ["a", "b"].map(|name| ClientId::parse(name).expect("a client")));
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
    let gates = pool(said)
        .window(ONLY, At(5), &PoolPolicy::default())
        .cohort_gates(&cohorts);
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
    let none = pool(said)
        .window(ONLY, At(5), &PoolPolicy::default())
        .cohort_gates(&Cohorts::default());
    assert!(none.is_empty());
}

#[test]
fn a_cohort_of_everyone_reads_what_the_cluster_reads_z098_z104() {
    let cohorts = Cohorts::declare([("all", ["*"])]).expect("cohorts");
    let names = ["a", "b", "a", "a", "c", "a", "b"].into_iter().cycle();
    let pool = pool(names.zip(0..40).map(|(name, n)| (name, n * 3 * HOUR_MS)));
    let (at, policy) = (At(40 * 3 * HOUR_MS), PoolPolicy::default());
    let whole = pool.gate(ONLY, at, &policy);
    let own = &pool.window(ONLY, at, &policy).cohort_gates(&cohorts)[&cohort("all")];
    assert_eq!((own.clients, own.occurrences), (whole.clients, whole.occurrences));
    assert_eq!(&own.top_client, &whole.top_client);
    assert_eq!(own.top_occurrences, whole.top_occurrences);
    // Rounded down at each step here, and once there.
    assert!((own.heat_micro - whole.heat_micro).abs() < 100, "{own:?} {whole:?}");
    assert!(
        (own.capped_heat_micro - whole.capped_heat_micro).abs() < 100,
        "{own:?} {whole:?}"
    );
}

#[test]
fn what_a_cluster_lacks_is_what_its_gate_asks_z093_z095_z096() {
    let policy = PoolPolicy::default();
    let met = |reading: &GateReading, what: Need| {
        let needed = needed(reading, 10, &policy);
        assert_eq!(needed.len(), 6);
        needed.iter().any(|needed| needed.what == what && needed.met)
    };
    for (capped, clients, occurrences) in combined(&[50 * MICRO, HOT], &[0, 1, 2, 4, 5], &[0, 1, 9, 10, 15]) {
        for top in 0..=occurrences {
            let reading = reading(capped, clients, occurrences, top);
            let often = [Need::Occurrences, Need::OccurrenceClients, Need::ClientShare]
                .iter()
                .all(|what| met(&reading, *what));
            let is_open = met(&reading, Need::Heat) && (met(&reading, Need::Clients) || often);
            assert_eq!(is_open, open_for_many(&reading, &policy), "{reading:?}");
        }
    }
    let few = needed(&reading(HOT, 5, 5, 1), 9, &policy);
    let fragments = few
        .iter()
        .find(|needed| needed.what == Need::Fragments)
        .expect("it is told");
    assert_eq!((fragments.needs, fragments.has, fragments.met), (10.0, 9.0, false));
}

/// Every one with every other.
fn combined(heats: &[i64], clients: &[u64], occurrences: &[u64]) -> Vec<(i64, u64, u64)> {
    let with = |heat: i64, clients: u64| occurrences.iter().map(move |occurrences| (heat, clients, *occurrences));
    let of_heat = |heat: i64| clients.iter().flat_map(move |clients| with(heat, *clients));
    heats.iter().flat_map(|heat| of_heat(*heat)).collect()
}
