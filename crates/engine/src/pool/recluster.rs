//! A look at the whole pool: average linkage over micro-clusters, centred in the pool, to one threshold for each model.
//!
//! Pure: it reads the pool and proposes; [`Pool::regroup`] applies.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::pool::cluster_identity::inherit;
use crate::pool::feature::Feature;
use crate::pool::feature::centred;
use crate::pool::feature::centring;
use crate::pool::heading::Heading;
use crate::pool::linkage::link;
use crate::pool::micro::ClusterId;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::policy::PoolPolicy;
use crate::pool::state::Pool;
use schema::name::ClientId;

/// One cluster as a look found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The cluster that it goes on as ([`crate::pool::cluster_identity`]), or a new one.
    pub cluster: ClusterId,
    /// Sorted.
    pub micros: Vec<MicroId>,
    /// What a reader says that it is; a look says nothing of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<Heading>,
}

/// What a look found. Micro-clusters that it does not name keep their cluster; those opened later are untouched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reclustering {
    /// Fragments placed when the look was taken.
    pub looked_at: u64,
    /// The pool's next id when the look was taken; a group numbered from there on gets a fresh id when this is applied.
    pub next_id: u64,
    pub groups: Vec<Group>,
    /// Clusters that end, and the cluster that most of their members went to: what was known of the one holds for the
    /// other.
    pub absorbed: BTreeMap<ClusterId, ClusterId>,
    /// Cold singletons dropped to stay within `micros_max`.
    pub dropped: Vec<MicroId>,
}

/// Looks at the pool. Pure and deterministic; takes long, so it runs beside the pool on a copy.
pub fn recluster(pool: &Pool, policy: &PoolPolicy) -> Reclustering {
    let dropped = cold(pool, policy.micros_max);
    let width = pool.sum.components().len();
    let micros = pool
        .micros
        .values()
        .filter(|micro| micro.sum.components().len() == width && dropped.binary_search(&micro.id).is_err())
        .collect::<Vec<_>>();
    let mut groups = grouped(pool, &micros, policy);
    groups.sort();
    let heirs = inherit(pool, &groups, policy.members_min());
    Reclustering {
        looked_at: pool.demand,
        next_id: pool.next_id,
        groups: groups
            .into_iter()
            .zip(heirs.ids)
            .map(|(micros, cluster)| Group {
                cluster,
                micros,
                heading: None,
            })
            .collect(),
        absorbed: heirs.absorbed,
        dropped,
    }
}

/// Mean likeness at which linkage stops where neither the policy nor the model's calibration says: between those of the two models at hand.
pub const LINK: f64 = 0.2;

/// All micro-clusters in groups, by their meaning alone: average linkage to one threshold.
fn grouped(pool: &Pool, micros: &[&Micro], policy: &PoolPolicy) -> Vec<Vec<MicroId>> {
    let mean = pool.mean();
    let share = centring(pool);
    let each = micros.iter().map(|micro| {
        let members = micro.members as f64;
        Feature::of(members, centred(micro.sum.components(), members, &mean, share))
    });
    let features: Vec<Feature> = each.collect();
    let stop = if policy.link_min > 0.0 { policy.link_min } else { LINK };
    let (mut groups, unread) = read(micros, &features, stop);
    groups.extend(link(&features, &unread, stop, policy.block_from_micros));
    let ids = |mut places: Vec<usize>| {
        places.sort_unstable();
        places.into_iter().map(|place| micros[place].id).collect()
    };
    groups.into_iter().map(ids).collect()
}

/// How much more like one member of a cluster that was read a fragment has to be than the members of a cluster are on average, to belong
/// to it before the reader has seen it.
const NEAR: f64 = 2.0;

/// What a reader put together stays together, and takes in what is nearest to one of its members; the rest is left to be linked.
fn read(micros: &[&Micro], features: &[Feature], stop: f64) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut groups = BTreeMap::<ClusterId, Vec<usize>>::new();
    for (place, micro) in micros.iter().enumerate().filter(|(_, micro)| micro.is_read) {
        groups.entry(micro.cluster).or_default().push(place);
    }
    let near = NEAR * stop;
    let anchors: Vec<usize> = groups.values().flatten().copied().collect();
    let mut unread = Vec::new();
    for place in (0..micros.len()).filter(|place| !micros[*place].is_read) {
        let likenesses = anchors
            .iter()
            .map(|anchor| (features[place].similarity(&features[*anchor]), *anchor));
        let nearest = likenesses
            .filter(|(likeness, _)| *likeness >= near)
            .max_by(|one, other| one.0.total_cmp(&other.0));
        match nearest.and_then(|(_, anchor)| groups.get_mut(&micros[anchor].cluster)) {
            Some(group) => group.push(place),
            None => unread.push(place),
        }
    }
    (groups.into_values().collect(), unread)
}

/// One client holds more than its share of the places from one in so many on.
const CROWDING_PART: usize = 8;

/// The micro-clusters that have to go, sorted: first what one client alone says that holds more than its share of the places,
/// then fewest members first, the one that rested longest first among these.
fn cold(pool: &Pool, micros_max: usize) -> Vec<MicroId> {
    let surplus = pool.micros.len().saturating_sub(micros_max.max(1));
    if surplus == 0 {
        return Vec::new();
    }
    let mut held = BTreeMap::<Option<&ClientId>, usize>::new();
    for owner in pool.micros.values().filter_map(owner) {
        *held.entry(owner).or_default() += 1;
    }
    let crowds = |micro: &Micro| owner(micro).is_some_and(|owner| held[&owner] > micros_max / CROWDING_PART);
    let mut order = pool
        .micros
        .values()
        .map(|m| (!crowds(m), m.members, m.heat.at, m.id))
        .collect::<Vec<_>>();
    order.sort_unstable();
    let mut dropped = order.into_iter().take(surplus).map(|(.., id)| id).collect::<Vec<_>>();
    dropped.sort_unstable();
    dropped
}

/// Who alone says what a micro-cluster holds, the anonymous clients as one; nothing where several do, or where that is too
/// long ago to be known.
fn owner(micro: &Micro) -> Option<Option<&ClientId>> {
    let mut clients = micro.arrivals.iter().map(|arrival| arrival.client.as_ref());
    let first = clients.next()?;
    clients.all(|client| client == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::recluster;
    use crate::pool::analysis::Analysis;
    use crate::pool::assignment::Embedded;
    use crate::pool::micro::ClusterId;
    use crate::pool::micro::FragmentId;
    use crate::pool::micro::MicroId;
    use crate::pool::policy::PoolPolicy;
    use crate::pool::state::Pool;
    use schema::name::ClientId;
    use schema::time::At;
    use text::vector::Vector;

    /// A direction near an axis of eight, told apart from its neighbours by the turn.
    fn towards(axis: usize, turn: f64) -> Embedded {
        let mut values = vec![0.0; 8];
        (values[axis], values[(axis + 4) % 8]) = (turn.cos(), turn.sin());
        Embedded {
            reading: Analysis::default(),
            vector: Vector::quantise_wide(values).expect("a vector"),
            covered_by: None,
        }
    }

    fn add(pool: &mut Pool, embedded: Embedded, policy: &PoolPolicy) {
        let fragment = FragmentId {
            submission: pool.demand,
            ordinal: 0,
        };
        let at = At(pool.demand as i64);
        for placement in pool.place(vec![(fragment, embedded)], None, at, policy) {
            pool.apply(&placement, None, at);
        }
    }

    fn looked(pool: &mut Pool, policy: &PoolPolicy) {
        let regrouping = recluster(pool, policy);
        pool.regroup(&regrouping, At(1_000));
        assert_eq!(pool.check(), Ok(()));
    }

    /// Fragments of some intents, in turn; each intent has its axis and two wordings.
    fn pool_of(intents: &[(usize, u64)], policy: &PoolPolicy) -> Pool {
        let mut pool = Pool::default();
        for round in 0..intents.iter().map(|intent| intent.1).max().unwrap_or(0) {
            for (axis, count) in intents {
                if round < *count {
                    let turn = if round % 2 == 0 { 0.0 } else { 0.7 };
                    add(&mut pool, towards(*axis, turn), policy);
                }
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
    fn five_clients_with_one_wish_are_a_cluster_of_their_own_z088_z095() {
        let policy = PoolPolicy::default();
        let mut pool = pool_of(&[(0, 5), (2, 1)], &policy);
        assert!(pool.look_due(&policy));
        looked(&mut pool, &policy);
        assert_eq!(large(&pool), [5]);
        assert!(!pool.look_due(&policy));
    }

    #[test]
    fn each_intent_is_one_cluster_and_outliers_stay_apart_z086_z088_z096() {
        let policy = PoolPolicy::default();
        let mut pool = pool_of(&[(0, 20), (1, 30), (2, 1)], &policy);
        looked(&mut pool, &policy);
        assert_eq!(large(&pool), [20, 30]);
        assert_eq!(pool.clusters.len(), 3);
    }

    #[test]
    fn blocked_or_not_the_groups_are_the_same_z086() {
        let grouped = |block_from_micros: usize| {
            let policy = PoolPolicy {
                block_from_micros,
                ..PoolPolicy::default()
            };
            let intents = [(0, 24), (1, 24), (2, 24), (3, 24)];
            let mut pool = pool_of(&intents, &policy);
            looked(&mut pool, &policy);
            pool.clusters
        };
        assert_eq!(grouped(2), grouped(10_000));
    }

    #[test]
    fn ids_outlive_looks() {
        let policy = PoolPolicy::default();
        let mut pool = pool_of(&[(0, 6)], &policy);
        looked(&mut pool, &policy);
        looked(&mut pool, &policy);
        for _ in 0..5 {
            add(&mut pool, towards(0, 0.35), &policy);
        }
        looked(&mut pool, &policy);
        assert_eq!(pool.members(ClusterId(0)), 11);
    }

    #[test]
    fn cold_singletons_go_first_and_nothing_else_is_lost_z096() {
        let policy = PoolPolicy {
            micros_max: 3,
            ..PoolPolicy::default()
        };
        let mut pool = pool_of(&[(0, 4)], &policy);
        for axis in 1..4 {
            add(&mut pool, towards(axis, 0.0), &policy);
        }
        let regrouping = recluster(&pool, &policy);
        assert_eq!(regrouping.dropped, [MicroId(2), MicroId(3)]);
        // One of them is joined before the look is applied, and stays.
        add(&mut pool, towards(1, 0.0), &policy);
        pool.regroup(&regrouping, At(1_000));
        assert_eq!(pool.check(), Ok(()));
        assert_eq!(pool.micros.keys().map(|id| id.0).collect::<Vec<_>>(), [0, 1, 2, 4]);
        assert_eq!(pool.dropped, 1);
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
                let turn = if place < 8 { 0.0 } else { std::f64::consts::FRAC_PI_4 };
                let embedded = towards(place % 8, turn);
                let fragment = FragmentId {
                    submission: place as u64,
                    ordinal: 0,
                };
                let (client, at) = (ClientId::parse(client), At(place as i64));
                for placement in pool.place(vec![(fragment, embedded)], client.as_ref(), at, &policy) {
                    pool.apply(&placement, client.as_ref(), at);
                }
            }
            assert_eq!(pool.micros.len(), 9);
            recluster(&pool, &policy).dropped
        };
        let loud = ["a", "b", "c", "loud", "loud", "d", "e", "f", "g"];
        assert_eq!(
            dropped(loud),
            [MicroId(3)],
            "two of eight places are more than an eighth"
        );
        let each_its_own = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        assert_eq!(dropped(each_its_own), [MicroId(0)], "the one that rested longest");
    }

    #[test]
    fn one_that_says_much_puts_off_nobodys_look_z096() {
        let policy = PoolPolicy::default();
        let mut pool = Pool::default();
        let say = |pool: &mut Pool, client: &str| {
            let fragment = FragmentId {
                submission: pool.demand,
                ordinal: 0,
            };
            let (client, at) = (ClientId::parse(client), At(pool.demand as i64));
            let embedded = towards(pool.demand as usize % 8, 0.0);
            for placement in pool.place(vec![(fragment, embedded)], client.as_ref(), at, &policy) {
                pool.apply(&placement, client.as_ref(), at);
            }
        };
        for _ in 0..600 {
            say(&mut pool, "loud");
        }
        looked(&mut pool, &PoolPolicy::default());
        say(&mut pool, "loud");
        say(&mut pool, "a");
        assert!(
            pool.look_due(&PoolPolicy::default()),
            "two clients, an eighth of sixteen fragments"
        );
        looked(&mut pool, &PoolPolicy::default());
        for _ in 0..63 {
            say(&mut pool, "loud");
        }
        assert!(
            !pool.look_due(&PoolPolicy::default()),
            "alone it does not hasten one either"
        );
        say(&mut pool, "loud");
        assert!(pool.look_due(&PoolPolicy::default()));
    }

    #[test]
    fn two_looks_at_one_pool_give_the_same_bytes() {
        let policy = PoolPolicy::default();
        let pool = pool_of(&[(0, 9), (1, 14)], &policy);
        let text = |pool: &Pool| serde_json::to_string(&recluster(pool, &policy)).expect("text");
        assert_eq!(text(&pool), text(&pool.clone()));
    }

    #[test]
    fn an_empty_pool_is_looked_at_in_peace_z082() {
        let mut pool = Pool::default();
        looked(&mut pool, &PoolPolicy::default());
        assert!(!pool.look_due(&PoolPolicy::default()));
    }
}
