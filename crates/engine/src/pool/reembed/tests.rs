//! A pool under two models: never both at once, and nothing but vectors is new.

use super::*;
use crate::pool::policy::PoolPolicy;
use crate::pool::recluster::recluster;
use crate::pool::tests;
use crate::pool::tests::along;
use crate::scenario::sample::check::check_pool;
use schema::time::At;
use text::vector::Vector;

const OLD: &str = "old/4";
const NEW: &str = "new/6";

fn towards(width: usize, axis: usize) -> Vector {
    along(width, axis, 0.0)
}

/// Says something; the micro-cluster that it joined.
fn say(pool: &mut Pool, vector: Vector) -> Option<MicroId> {
    let at = At(i64::try_from(pool.demand).expect("few"));
    let submission = pool.demand;
    tests::say(pool, "ana", at, vector);
    let mut micros = pool.micros.values();
    let home = micros.find(|micro| micro.examples.iter().any(|id| id.submission == submission));
    home.map(|micro| micro.id)
}

/// Three wishes of the old model: three times, twice and once.
fn old() -> Pool {
    let mut pool = Pool {
        model: OLD.to_owned(),
        ..Pool::default()
    };
    for axis in [0, 1, 0, 2, 1, 0] {
        say(&mut pool, towards(4, axis));
    }
    pool
}

fn anew(micro: u64, vectors: &[Vector]) -> Anew {
    Anew {
        micro: MicroId(micro),
        mean: Mean::of(vectors),
    }
}

/// The ids that wait for a vector.
fn waiting(pool: &Pool, model: &str) -> Vec<u64> {
    pool.waiting(model).map(|micro| micro.id.0).collect()
}

#[test]
fn a_pool_stays_the_old_models_until_all_of_it_is_embedded_anew_z103() {
    let mut pool = old();
    let before = pool.clone();
    assert_eq!((waiting(&pool, OLD), waiting(&pool, NEW)), (vec![], vec![0, 1, 2]));
    let first = pool.next_stale(NEW, 2);
    assert_eq!(
        first
            .iter()
            .map(|stale| (stale.micro.0, stale.examples.len()))
            .collect::<Vec<_>>(),
        [(0, 3), (1, 2)]
    );
    pool.reembed(
        NEW,
        &[anew(0, &[towards(6, 5)]), anew(1, &[towards(6, 3), towards(6, 3)])],
    );
    assert_eq!(waiting(&pool, NEW), [2]);
    assert_eq!(&pool.model, &before.model);
    assert_eq!(&pool.sum, &before.sum);
    assert_eq!(&pool.micros, &before.micros);
    assert_eq!(check_pool(&pool), Ok(()));
    // What is under way survives a snapshot.
    let text = serde_json::to_string(&pool).expect("text");
    assert_eq!(serde_json::from_str::<Pool>(&text).expect("a pool"), pool);
    pool.reembed(NEW, &[anew(2, &[towards(6, 4)])]);
    assert_eq!((pool.model.as_str(), &pool.reembedding), (NEW, &None));
    assert_eq!(check_pool(&pool), Ok(()));
    assert_eq!(pool.sum.components()[5], 3 * 16_384);
    assert_eq!(pool.sum.components()[3], 2 * 16_384);
    for (id, micro) in &pool.micros {
        let was = &before.micros[id];
        assert_eq!(
            (micro.members, micro.heat, &micro.arrivals, &micro.examples),
            (was.members, was.heat, &was.arrivals, &was.examples)
        );
    }
    assert_eq!(&pool.clusters, &before.clusters);
    assert_eq!(pool.demand, before.demand);
    assert_eq!(pool.next_id, before.next_id);
    // Fragments of the new model find what was said under the old one.
    assert_eq!(say(&mut pool, towards(6, 5)), Some(MicroId(0)));
}

#[test]
fn what_cannot_be_read_any_more_counts_and_meets_nobody_z103_z167() {
    let mut pool = old();
    pool.reembed(
        NEW,
        &[anew(0, &[]), anew(1, &[towards(6, 3)]), anew(2, &[towards(6, 4)])],
    );
    assert_eq!((pool.model.as_str(), pool.mute_members(), pool.summed()), (NEW, 3, 3));
    assert_eq!(pool.members(pool.micros[&MicroId(0)].cluster), 3);
    assert_eq!(check_pool(&pool), Ok(()));
    // The mean is of what has a vector.
    assert!((pool.mean()[3] - 2.0 / 3.0 * 16_384.0).abs() < 1.0, "{:?}", pool.mean());
    assert_eq!(say(&mut pool, towards(6, 0)), Some(MicroId(3)));
    let policy = PoolPolicy::default();
    let reclustering = recluster(&pool, &policy);
    let named = reclustering.groups.iter().flat_map(|group| &group.micros);
    assert!(named.clone().all(|id| *id != MicroId(0)) && named.count() == 3);
    let home = pool.cluster_of(MicroId(0));
    pool.apply_reclustering(&reclustering, At(100));
    assert_eq!((pool.cluster_of(MicroId(0)), check_pool(&pool)), (home, Ok(())));
    let text = serde_json::to_string(&pool).expect("text");
    assert_eq!(serde_json::from_str::<Pool>(&text).expect("a pool"), pool);
    // The next model finds nothing to read either, and goes on all the same.
    pool.reembed("third/6", &(0..4).map(|id| anew(id, &[])).collect::<Vec<_>>());
    assert_eq!((pool.mute_members(), pool.summed(), check_pool(&pool)), (7, 0, Ok(())));
    assert_eq!(say(&mut pool, towards(6, 0)), Some(MicroId(4)));
}

#[test]
fn a_change_that_was_not_finished_is_begun_anew_for_the_next_model_z103() {
    let mut pool = old();
    pool.reembed(NEW, &[anew(0, &[towards(6, 5)])]);
    assert_eq!(waiting(&pool, "third/6"), [0, 1, 2]);
    pool.reembed("third/6", &[anew(1, &[towards(6, 1)])]);
    assert_eq!(waiting(&pool, "third/6"), vec![0, 2]);
    assert_eq!(waiting(&pool, NEW), vec![0, 1, 2]);
    // Back to the first: fragments are placed again, and what was made meanwhile would lack them.
    say(&mut pool, towards(4, 0));
    assert_eq!((&pool.reembedding, waiting(&pool, "third/6")), (&None, vec![0, 1, 2]));
    pool.reembed(OLD, &[anew(0, &[towards(4, 3)])]);
    assert_eq!(pool.reembedding, None, "it speaks that model");
}

#[test]
fn an_empty_pool_becomes_the_new_models_at_once_z103() {
    let mut pool = Pool {
        model: OLD.to_owned(),
        ..Pool::default()
    };
    pool.reembed(NEW, &[]);
    assert_eq!((pool.model.as_str(), check_pool(&pool)), (NEW, Ok(())));
}
