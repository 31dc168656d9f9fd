//! Pools before and after reclustering.

use crate::scenario::sample::check::check_pool;
use std::f64::consts::FRAC_PI_4;

use super::*;
use crate::pool::tests::along;
use crate::pool::tests::say;
use text::vector::Vector;

/// A direction near an axis of eight, told apart from its neighbours by the turn.
fn towards(axis: usize, turn: f64) -> Vector {
    let mut values = vec![0.0; 8];
    (values[axis], values[(axis + 4) % 8]) = (turn.cos(), turn.sin());
    Vector::quantise_wide(values).expect("a vector")
}

fn add(pool: &mut Pool, client: &str, vector: Vector) {
    let at = At(pool.demand as i64);
    say(pool, client, at, vector);
}

fn reclustered(pool: &mut Pool, policy: &PoolPolicy) {
    let reclustering = recluster(pool, policy);
    pool.apply_reclustering(&reclustering, At(1_000));
    assert_eq!(check_pool(pool), Ok(()));
}

/// Fragments of some intents, in turn; each intent has its axis and two wordings.
fn pool_of(intents: &[(usize, u64)]) -> Pool {
    let mut pool = Pool::default();
    for round in 0..intents.iter().map(|intent| intent.1).max().unwrap_or(0) {
        for (axis, _) in intents.iter().filter(|(_, count)| round < *count) {
            add(&mut pool, "", towards(*axis, if round % 2 == 0 { 0.0 } else { 0.7 }));
        }
    }
    pool
}

/// Members of each cluster that could open a gate.
fn large(pool: &Pool) -> Vec<u64> {
    let members = pool.clusters.keys().map(|cluster| pool.members(*cluster));
    members
        .filter(|members| *members >= PoolPolicy::default().members_min())
        .collect()
}

#[test]
fn each_intent_is_one_cluster_from_five_clients_on_and_outliers_stay_apart_z086_z088_z095_z096() {
    let policy = PoolPolicy::default();
    for (intents, expected) in [
        (&[(0, 5), (2, 1)][..], &[5][..]),
        (&[(0, 20), (1, 30), (2, 1)], &[20, 30]),
    ] {
        let mut pool = pool_of(intents);
        assert!(pool.look_due(&policy));
        reclustered(&mut pool, &policy);
        assert_eq!(large(&pool).as_slice(), expected);
        assert_eq!(pool.clusters.len(), intents.len());
        assert!(!pool.look_due(&policy));
        // The same each time.
        assert_eq!(recluster(&pool, &policy), recluster(&pool.clone(), &policy));
    }
    let mut empty = Pool::default();
    reclustered(&mut empty, &policy);
    assert!(!empty.look_due(&policy));
}

#[test]
fn blocked_or_not_the_groups_are_the_same_z086() {
    let grouped = |block_from_micros: usize| {
        let policy = PoolPolicy {
            block_from_micros,
            ..PoolPolicy::default()
        };
        let mut pool = pool_of(&[(0, 24), (1, 24), (2, 24), (3, 24)]);
        reclustered(&mut pool, &policy);
        pool.clusters
    };
    assert_eq!(grouped(2), grouped(10_000));
}

#[test]
fn what_is_near_to_what_a_reader_read_joins_it_and_the_rest_does_not_z096() {
    let policy = PoolPolicy::default();
    let mut pool = pool_of(&[(0, 6), (1, 6), (2, 6)]);
    for micro in pool.micros.values_mut() {
        // Of two intents one wording each was read, as one wish by mistake or for a reason.
        micro.is_read = micro.id.0 < 2;
    }
    let read = (vec![MicroId(0), MicroId(1)], None);
    let reclustering = Reclustering::of(&pool, vec![read], 1);
    pool.apply_reclustering(&reclustering, At(1_000));
    reclustered(&mut pool, &policy);
    let homes: Vec<_> = pool.micros.values().map(|micro| micro.cluster.0).collect();
    // Each wording at its intent, and the two stay together.
    assert_eq!(homes, [0, 0, 2, 0, 0, 2]);
}

#[test]
fn a_small_pool_that_speaks_of_one_thing_is_not_centred_and_a_manifold_one_is_z088() {
    let share = |axes: &[usize]| {
        let mut pool = Pool::default();
        axes.iter().for_each(|axis| add(&mut pool, "", along(8, *axis, 0.1)));
        centring(&pool)
    };
    for (axes, expected) in [
        (&[0; 5][..], 0.0),
        (&[0, 1, 2, 3, 4, 5, 6, 7], 1.0),
        (&[0; 50], 1.0),
        (&[0; 49], 0.0),
    ] {
        assert!((share(axes) - expected).abs() < 1e-9, "{axes:?}");
    }
}

#[test]
fn cold_singletons_go_first_and_nothing_else_is_lost_z096() {
    let policy = PoolPolicy {
        micros_max: 3,
        ..PoolPolicy::default()
    };
    let mut pool = pool_of(&[(0, 4)]);
    (1..4).for_each(|axis| add(&mut pool, "", towards(axis, 0.0)));
    let reclustering = recluster(&pool, &policy);
    assert_eq!(reclustering.dropped, [MicroId(2), MicroId(3)]);
    // One of them is joined before it is applied, and stays.
    add(&mut pool, "", towards(1, 0.0));
    pool.apply_reclustering(&reclustering, At(1_000));
    assert_eq!(check_pool(&pool), Ok(()));
    assert_eq!(pool.micros.keys().map(|id| id.0).collect::<Vec<_>>(), [0, 1, 2, 4]);
    assert_eq!(pool.dropped, 1);
}

#[test]
fn what_stays_as_it_is_is_not_on_record_and_nothing_else_comes_of_it() {
    let policy = PoolPolicy::default();
    let mut pool = pool_of(&[(0, 12), (1, 12), (2, 1), (3, 1)]);
    let first = recluster(&pool, &policy);
    let mut changed = pool.clone();
    changed.apply_reclustering(&first.clone().changing(&pool), At(1_000));
    pool.apply_reclustering(&first, At(1_000));
    assert_eq!(changed, pool);
    let again = recluster(&pool, &policy);
    assert!(!again.groups.is_empty());
    assert_eq!(again.changing(&pool).groups, []);
}

#[test]
fn what_one_client_crowds_the_pool_with_goes_before_what_others_said_long_ago_z096() {
    let policy = PoolPolicy {
        micros_max: 8,
        ..PoolPolicy::default()
    };
    let dropped = |clients: [&str; 9]| {
        let mut pool = Pool::default();
        for (place, client) in clients.into_iter().enumerate() {
            // Half a right angle lies between two axes.
            add(
                &mut pool,
                client,
                towards(place % 8, if place < 8 { 0.0 } else { FRAC_PI_4 }),
            );
        }
        assert_eq!(pool.micros.len(), 9);
        recluster(&pool, &policy).dropped
    };
    let loud = dropped(["a", "b", "c", "loud", "loud", "d", "e", "f", "g"]);
    assert_eq!(loud, [MicroId(3)], "two of eight places are more than an eighth");
    let each_its_own = dropped(["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
    assert_eq!(each_its_own, [MicroId(0)], "the one that rested longest");
}

#[test]
fn one_client_alone_holds_no_more_than_its_share_however_much_room_there_is() {
    let policy = PoolPolicy {
        micros_max: 24,
        ..PoolPolicy::default()
    };
    let dropped = |flood: &str| {
        let mut pool = Pool::default();
        (0..5).for_each(|axis| add(&mut pool, flood, towards(axis, 0.0)));
        add(&mut pool, "ana", towards(0, 0.0));
        add(&mut pool, "ana", towards(5, 0.0));
        recluster(&pool, &policy).dropped
    };
    assert_eq!(
        dropped("loud"),
        [MicroId(1)],
        "four are its own, three of them its share"
    );
    assert_eq!(dropped(""), [], "the anonymous ones may be many");
}

#[test]
fn one_that_says_much_puts_off_nobodys_look_z096() {
    let policy = PoolPolicy::default();
    let mut pool = Pool::default();
    let say = |pool: &mut Pool, client: &str| add(pool, client, towards(pool.demand as usize % 8, 0.0));
    (0..600).for_each(|_| say(&mut pool, "loud"));
    reclustered(&mut pool, &policy);
    say(&mut pool, "loud");
    say(&mut pool, "a");
    assert!(pool.look_due(&policy), "two clients, an eighth of sixteen fragments");
    reclustered(&mut pool, &policy);
    (0..63).for_each(|_| say(&mut pool, "loud"));
    assert!(!pool.look_due(&policy), "alone it does not hasten one either");
    say(&mut pool, "loud");
    assert!(pool.look_due(&policy));
}

/// Micro-clusters 0, 1, 2 … with so many members each.
fn counted(members: &[u64]) -> Pool {
    let mut pool = Pool::default();
    for (axis, count) in members.iter().enumerate() {
        (0..*count).for_each(|_| add(&mut pool, "", along(8, axis, 0.0)));
    }
    pool
}

/// Puts micro-clusters into groups; the clusters that these go on as, and those that are absorbed.
fn group(pool: &mut Pool, groups: &[&[u64]]) -> (Vec<u64>, Vec<(u64, u64)>) {
    let ids = |micros: &&[u64]| (micros.iter().copied().map(MicroId).collect(), None);
    let groups = groups.iter().map(ids).collect();
    let reclustering = Reclustering::of(pool, groups, PoolPolicy::default().members_min());
    pool.apply_reclustering(&reclustering, At(1));
    assert_eq!(check_pool(pool), Ok(()));
    let absorbed = reclustering.absorbed.iter().map(|(old, new)| (old.0, new.0));
    let clusters = reclustering.groups.iter().map(|group| group.cluster.0);
    (clusters.collect(), absorbed.collect())
}

#[test]
fn the_oldest_survives_a_merge_unless_a_younger_one_could_open_a_gate() {
    let mut pool = counted(&[1, 1, 5, 5]);
    assert_eq!(
        group(&mut pool, &[&[0, 1], &[2, 3]]),
        (vec![0, 2], vec![(1, 0), (3, 2)])
    );
    assert_eq!(group(&mut pool, &[&[0, 1, 2, 3]]), (vec![2], vec![(0, 2)]));
}

#[test]
fn the_larger_part_keeps_the_id_and_the_other_takes_that_of_its_lowest() {
    let mut pool = counted(&[1, 4, 2]);
    group(&mut pool, &[&[0, 1, 2]]);
    assert_eq!(group(&mut pool, &[&[0, 2], &[1]]), (vec![3, 0], vec![]));
    assert_eq!(pool.cluster_of(MicroId(1)), Some(ClusterId(0)));
    assert_eq!(pool.next_id, 4);
}
