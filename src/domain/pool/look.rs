//! A look at the whole pool: average linkage over micro-clusters, then split and merge by type and role.
//!
//! Partial centring, linkage at one threshold, cut, merge, floors: the order and the numbers are those that separated
//! hidden slots best over ten domains. Pure: it reads the pool and proposes; [`Pool::regroup`] applies.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::block::blocks;
use crate::domain::pool::cut::cut_and_merge;
use crate::domain::pool::feature::Feature;
use crate::domain::pool::feature::features;
use crate::domain::pool::floor::Floors;
use crate::domain::pool::heir::inherit;
use crate::domain::pool::linkage::link;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::micro::MicroId;
use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::state::Pool;

/// One cluster as a look found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The cluster that it goes on as ([`crate::domain::pool::heir`]), or a new one.
    pub cluster: ClusterId,
    /// Sorted.
    pub micros: Vec<MicroId>,
    /// Whether the group passes the floors: large next to the demand and to the others.
    pub mature: bool,
}

/// What a look found. Micro-clusters that it does not name keep their cluster; those opened later are untouched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regrouping {
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
pub fn look(pool: &Pool, policy: &PoolPolicy) -> Regrouping {
    let dropped = cold(pool, policy.micros_max);
    let width = pool.sum.components().len();
    let micros = pool
        .micros
        .values()
        .filter(|micro| micro.sum.components().len() == width && dropped.binary_search(&micro.id).is_err())
        .collect::<Vec<_>>();
    let mut found = grouped(pool, &micros, policy);
    found.sort();
    let (groups, mature): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let heirs = inherit(pool, &groups);
    Regrouping {
        looked_at: pool.demand,
        next_id: pool.next_id,
        groups: groups
            .into_iter()
            .zip(mature)
            .zip(heirs.ids)
            .map(|((micros, mature), cluster)| Group {
                cluster,
                micros,
                mature,
            })
            .collect(),
        absorbed: heirs.absorbed,
        dropped,
    }
}

/// All micro-clusters in groups, and whether each passes the floors.
fn grouped(pool: &Pool, micros: &[&Micro], policy: &PoolPolicy) -> Vec<(Vec<MicroId>, bool)> {
    let features = features(pool, micros, policy.centring);
    let linked = if micros.len() >= policy.block_from_micros {
        let blocks = blocks(&features, policy.link_min);
        blocks
            .iter()
            .flat_map(|block| link(&features, block, policy.link_min))
            .collect()
    } else {
        all_linked(&features, policy.link_min)
    };
    let size = |places: &[usize]| places.iter().map(|&place| micros[place].members).sum::<u64>();
    let (mut large, small): (Vec<_>, Vec<_>) = linked
        .into_iter()
        .partition(|places: &Vec<usize>| size(places) >= policy.mature_members_min);
    large.sort();
    let (candidates, left_out) = cut_and_merge(micros, &features, &large, policy.mature_members_min);
    let competing = if candidates.is_empty() {
        small.iter().map(|places| size(places)).collect::<Vec<_>>()
    } else {
        candidates.iter().map(|candidate| size(&candidate.places)).collect()
    };
    let floors = Floors::of(policy, pool.demand, &competing);
    let named = |places: &[usize]| places.iter().map(|&place| micros[place].id).collect::<Vec<_>>();
    let keys = candidates.iter().map(|candidate| &candidate.places).chain(&small);
    let keys = keys.map(|places| (named(places), floors.pass(size(places))));
    keys.chain(left_out.iter().map(|places| (named(places), false)))
        .collect()
}

fn all_linked(features: &[Feature], stop: f64) -> Vec<Vec<usize>> {
    link(features, &(0..features.len()).collect::<Vec<_>>(), stop)
}

/// The micro-clusters that have to go, sorted: fewest members first, the one that rested longest first among these.
fn cold(pool: &Pool, micros_max: usize) -> Vec<MicroId> {
    let surplus = pool.micros.len().saturating_sub(micros_max.max(1));
    if surplus == 0 {
        return Vec::new();
    }
    let mut order = pool
        .micros
        .values()
        .map(|m| (m.members, m.heat.at, m.id))
        .collect::<Vec<_>>();
    order.sort_unstable();
    let mut dropped = order.into_iter().take(surplus).map(|(_, _, id)| id).collect::<Vec<_>>();
    dropped.sort_unstable();
    dropped
}
