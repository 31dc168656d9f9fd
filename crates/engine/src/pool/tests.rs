//! Pools that something was said to, for the tests of all that reads a pool; and where each fragment goes.

use crate::scenario::sample::check::check_pool;
use proptest::collection::vec;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::proptest;

use crate::pool::analysis::Analysis;
use crate::pool::assignment::Arriving;
use crate::pool::assignment::Assignment;
use crate::pool::assignment::Embedded;
use crate::pool::gate::Audience;
use crate::pool::gate::open_for;
use crate::pool::heat::MICRO;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::policy::PoolPolicy;
use crate::pool::recluster::recluster;
use crate::pool::reclustering::Reclustering;
use crate::pool::state::Pool;
use schema::name::ClientId;
use schema::name::KeyName;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::HOUR_MS;
use text::vector::Vector;

/// A fragment of this meaning that no key holds.
pub(crate) fn embedded(vector: Vector) -> Embedded {
    Embedded {
        reading: Analysis::default(),
        vector,
        covered_by: None,
    }
}

/// A direction along an axis, with something of all others.
pub(crate) fn along(width: usize, axis: usize, rest: f32) -> Vector {
    let mut values = vec![rest; width];
    values[axis] = 1.0;
    Vector::quantise(&values).expect("a vector")
}

/// A submission that is the pool's next.
pub(crate) fn arriving(pool: &Pool, client: &str, at: At, said: Vec<Embedded>) -> Arriving {
    let submission = pool.demand;
    let id = |ordinal| FragmentId { submission, ordinal };
    Arriving {
        fragments: (0..).map(id).zip(said).collect(),
        client: ClientId::parse(client),
        at,
        requested: false,
    }
}

/// Says something in one submission of a client, of nobody where its name is empty: assigned, applied and checked.
pub(crate) fn submit(
    pool: &mut Pool,
    client: &str,
    at: At,
    said: Vec<Embedded>,
    policy: &PoolPolicy,
) -> Vec<Assignment> {
    let arriving = arriving(pool, client, at, said);
    let assigned = pool.assign(std::slice::from_ref(&arriving), policy).concat();
    for one in &assigned {
        pool.apply(one, arriving.client.as_ref(), at);
    }
    assert_eq!(check_pool(pool), Ok(()));
    assigned
}

/// Says one thing.
pub(crate) fn say(pool: &mut Pool, client: &str, at: At, vector: Vector) -> Vec<Assignment> {
    submit(pool, client, at, vec![embedded(vector)], &PoolPolicy::default())
}

fn plain(cosine: f64) -> Embedded {
    let vector = Vector::quantise_wide(vec![cosine, (1.0 - cosine * cosine).sqrt(), 0.0]);
    embedded(vector.expect("a vector"))
}

/// Heat and capped heat of a micro-cluster after a join, in thousandths.
fn heats(assigned: &Assignment) -> (i64, i64) {
    match assigned {
        Assignment::Joined { heat, capped_heat, .. } => (heat.micro / 1_000, capped_heat.micro / 1_000),
        Assignment::Dropped { .. } | Assignment::Covered { .. } | Assignment::Failed { .. } => (0, 0),
    }
}

#[test]
fn a_fragment_joins_at_the_threshold_and_opens_a_cluster_below_it_z083_z086_z087() {
    for (cosine, micros) in [(0.86, 1), (0.85, 1), (0.84, 2)] {
        let mut pool = Pool::default();
        for cosine in [1.0, cosine] {
            say(&mut pool, "", At(0), plain(cosine).vector);
        }
        assert_eq!((pool.micros.len(), pool.clusters.len()), (micros, micros), "{cosine}");
    }
}

#[test]
fn one_submission_heats_a_cluster_once_z101_z090() {
    let (mut pool, policy) = (Pool::default(), PoolPolicy::default());
    let said = vec![plain(1.0), plain(1.0), plain(0.0)];
    let assigned = submit(&mut pool, "", At(0), said, &policy);
    assert!(
        assigned.iter().all(|one| heats(one) == (20_000, 20_000)),
        "{assigned:?}"
    );
    assert_eq!(pool.heat_micro(ClusterId(0), At(0), &policy), 20 * MICRO);
}

#[test]
fn each_further_fragment_of_one_client_within_a_day_adds_half_to_the_capped_heat_z104() {
    let mut pool = Pool::default();
    let mut capped = |client: &str| heats(&say(&mut pool, client, At(0), plain(1.0).vector)[0]);
    let capped = ["a", "a", "b", "", "", "a"].map(&mut capped);
    let expected = [(20, 20), (40, 30), (60, 50), (80, 70), (100, 80), (120, 85)];
    assert_eq!(capped, expected.map(|(heat, capped)| (heat * 1_000, capped * 1_000)));
    for (dt, added) in [(DAY_MS, 10), (DAY_MS + 1, 20)] {
        let mut pool = Pool::default();
        say(&mut pool, "a", At(0), plain(1.0).vector);
        let (_, capped) = heats(&say(&mut pool, "a", At(dt), plain(1.0).vector)[0]);
        assert!(
            (capped - (10 + added) * 1_000).abs() <= 1,
            "a day later: {dt}, {capped}"
        );
    }
}

#[test]
fn a_client_gains_nothing_by_what_is_read_together_z104() {
    let policy = PoolPolicy::default();
    for standing in [0, 1] {
        let mut pool = Pool::default();
        for _ in 0..standing {
            say(&mut pool, "b", At(0), plain(1.0).vector);
        }
        let mut batch: Vec<Arriving> = (0..3).map(|_| arriving(&pool, "a", At(0), vec![plain(1.0)])).collect();
        for (arriving, submission) in batch.iter_mut().zip(10..) {
            arriving.fragments[0].0.submission = submission;
        }
        let together = pool.assign(&batch, &policy).concat();
        let singly: Vec<_> = (0..3)
            .flat_map(|_| say(&mut pool, "a", At(0), plain(1.0).vector))
            .collect();
        let of = |assigned: &[Assignment]| assigned.iter().map(heats).collect::<Vec<_>>();
        assert_eq!(of(&together), of(&singly), "{standing}");
    }
}

#[test]
fn two_wishes_that_several_clients_say_in_the_same_words_stay_two_in_a_young_pool_z086() {
    for (cosine, clusters) in [(0.45, 2), (0.7, 1)] {
        let mut pool = Pool::default();
        // One after the other, so that the pool's mean is first the one wish alone.
        for wish in [1.0, cosine] {
            for client in ["a", "b", "c", "d", "e"] {
                say(&mut pool, client, At(0), plain(wish).vector);
            }
        }
        let reclustering = recluster(&pool, &PoolPolicy::default());
        pool.apply_reclustering(&reclustering, At(0));
        assert_eq!((pool.micros.len(), pool.clusters.len()), (2, clusters), "{cosine}");
    }
}

#[test]
fn what_a_key_holds_neither_heats_nor_opens_z088() {
    let mut pool = Pool::default();
    let covered = Embedded {
        covered_by: KeyName::parse("seat_preference"),
        ..plain(1.0)
    };
    let assigned = submit(&mut pool, "", At(0), vec![covered], &PoolPolicy::default());
    assert!(matches!(assigned[0], Assignment::Covered { .. }));
    assert_eq!(pool, Pool::default());
}

#[test]
fn vectors_of_another_width_open_their_own_z103() {
    let mut pool = Pool::default();
    say(&mut pool, "", At(0), along(3, 0, 0.0));
    say(&mut pool, "", At(0), along(2, 0, 0.0));
    assert_eq!(pool.micros.len(), 2);
    pool.model = "minilm".to_owned();
    assert!(pool.speaks("minilm") && !pool.speaks("other") && Pool::default().speaks("other"));
}

#[derive(Clone, Debug)]
enum Step {
    Submit {
        client: u8,
        hours: i64,
        fragments: Vec<(u8, u8)>,
    },
    Plan,
    /// Applies a reclustering that was planned some steps before.
    Recluster,
    Forget {
        hours: i64,
    },
    Restore,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let submit = (0..5_u8, 0..30_i64, vec((0..6_u8, any::<u8>()), 1..4));
    let submit = submit.prop_map(|(client, hours, fragments)| Step::Submit {
        client,
        hours,
        fragments,
    });
    let step = proptest::prop_oneof![
        8 => submit,
        1 => proptest::strategy::Just(Step::Plan),
        1 => proptest::strategy::Just(Step::Recluster),
        1 => (0..400_i64).prop_map(|hours| Step::Forget { hours }),
        1 => proptest::strategy::Just(Step::Restore),
    ];
    vec(step, 1..60)
}

fn noisy((kind, noise): (u8, u8)) -> Embedded {
    let mut values = [0.05_f32; 8];
    values[usize::from(kind)] = 1.0;
    values[6] = f32::from(noise) / 200.0;
    embedded(Vector::quantise(&values).expect("a vector"))
}

fn client(number: u8) -> &'static str {
    ["", "c1", "c2", "c3", "c4"][usize::from(number)]
}

/// What a journal would hold.
enum Record {
    Assigned(Vec<Assignment>, &'static str, At),
    Reclustered(Reclustering, At),
    Forgotten(At),
}

fn replay(records: &[Record]) -> Pool {
    let mut pool = Pool::default();
    for record in records {
        match record {
            Record::Assigned(assigned, client, at) => {
                for one in assigned {
                    let text = serde_json::to_string(one).expect("text");
                    let one = serde_json::from_str(&text).expect("an assignment");
                    pool.apply(&one, ClientId::parse(client).as_ref(), *at);
                }
            }
            Record::Reclustered(reclustering, at) => {
                let text = serde_json::to_string(reclustering).expect("text");
                pool.apply_reclustering(&serde_json::from_str(&text).expect("a reclustering"), *at);
            }
            Record::Forgotten(before) => pool.forget_before(*before),
        }
    }
    pool
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]

    #[test]
    fn any_history_keeps_the_invariants_and_replays_to_the_same_bytes_z083_z088_z101(steps in steps()) {
        let policy = PoolPolicy { micros_max: 12, mature_members_min: 4, block_from_micros: 8, ..PoolPolicy::default() };
        let (mut pool, mut now, mut records) = (Pool::default(), At(0), Vec::new());
        let mut planned = None;
        for step in steps {
            match step {
                Step::Submit { client: from, hours, fragments } => {
                    now = now.plus_ms(hours * HOUR_MS);
                    let said = fragments.into_iter().map(noisy).collect();
                    let mut before = pool.clone();
                    let assigned = submit(&mut pool, client(from), now, said, &policy);
                    for one in &assigned {
                        before.apply(one, ClientId::parse(client(from)).as_ref(), now);
                        if let Assignment::Joined { micro, heat, cluster, cluster_heat_micro, .. } = one {
                            assert_eq!(before.cluster_of(*micro), Some(*cluster));
                            assert_eq!(before.micros[micro].heat, *heat);
                            assert_eq!(before.heat_micro(*cluster, now, &policy), *cluster_heat_micro);
                        }
                    }
                    records.push(Record::Assigned(assigned, client(from), now));
                }
                Step::Plan => planned = Some(recluster(&pool, &policy)),
                Step::Recluster => {
                    if let Some(reclustering) = planned.take() {
                        pool.apply_reclustering(&reclustering, now);
                        records.push(Record::Reclustered(reclustering, now));
                    }
                }
                Step::Forget { hours } => {
                    let before = now.plus_ms(-hours * HOUR_MS);
                    pool.forget_before(before);
                    records.push(Record::Forgotten(before));
                }
                Step::Restore => {
                    let text = serde_json::to_string(&pool).expect("text");
                    let restored = serde_json::from_str::<Pool>(&text).expect("a pool");
                    assert_eq!(restored, pool);
                    pool = restored;
                }
            }
            assert_eq!(check_pool(&pool), Ok(()));
        }
        let bytes = |pool: &Pool| serde_json::to_string(pool).expect("text");
        assert_eq!(bytes(&replay(&records)), bytes(&pool));
    }

    #[test]
    fn one_client_never_opens_the_gate_for_all_z096_z104(hours in vec(0..12_i64, 1..60), anonymous in vec(any::<bool>(), 60)) {
        let policy = PoolPolicy::default();
        let (mut pool, mut now) = (Pool::default(), At(0));
        for (hours, is_anonymous) in hours.into_iter().zip(anonymous) {
            now = now.plus_ms(hours * HOUR_MS);
            submit(&mut pool, client(u8::from(!is_anonymous)), now, vec![noisy((0, 0))], &policy);
            for cluster in pool.clusters.keys() {
                assert_ne!(open_for(&pool.gate(*cluster, now, &policy), &policy), Some(Audience::Global));
            }
        }
    }
}

#[test]
fn a_cluster_has_its_heat_day_by_day_its_growth_and_its_nearest_z088_z092() {
    let (mut pool, policy) = (Pool::default(), PoolPolicy::default());
    let day = |n: i64| At(n * DAY_MS + HOUR_MS);
    for (when, times) in [(0, 3), (5, 5)] {
        for time in 0..times {
            say(&mut pool, &format!("c{time}"), day(when), along(4, 0, 0.0));
        }
    }
    let (near, far) = (along(4, 1, 0.5), along(4, 2, 0.0));
    say(&mut pool, "c1", day(5), near);
    say(&mut pool, "c1", day(5), far);
    let ids: Vec<ClusterId> = pool.clusters.keys().copied().collect();
    let [own, near, far] = ids[..] else {
        panic!("three clusters: {ids:?}")
    };
    let curve = &pool.clusters[&own].heat_curve;
    let days: Vec<i64> = curve
        .iter()
        .map(|(day, _)| day.start().since_ms(At(0)) / DAY_MS)
        .collect();
    assert_eq!(days, [0, 5]);
    assert_eq!((curve[0].1, curve[1].1), (60 * MICRO, 100 * MICRO + 60 * MICRO / 32));
    assert_eq!(
        pool.growth(own, day(6), &policy),
        2,
        "five in the newer half, three in the older"
    );
    assert_eq!(pool.growth(own, day(5), &policy), 2);
    assert_eq!(pool.growth(own, day(13), &policy), 0, "all of it is out of the window");
    let found = pool.near(own, 5);
    let order: Vec<ClusterId> = found.iter().map(|(id, _)| *id).collect();
    assert_eq!(order, [near, far]);
    assert!((found[0].1.value() - 0.378).abs() < 0.001, "{found:?}");
    assert_eq!(pool.near(own, 1).len(), 1);
    assert_eq!(pool.near(ClusterId(99), 5), []);
}
