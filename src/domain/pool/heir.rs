//! Which cluster's id each group of a look goes on under: ids live through merges and splits, and never collide.
//!
//! A cluster's heir is the group with most of its members. Of several clusters with one heir a mature one outlives the
//! others, because something may have come of it, and then the oldest. A group that inherits nothing takes the number
//! of its lowest micro-cluster, under which that one was opened, or a fresh one where that is taken.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::domain::pool::micro::MicroId;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::state::Pool;

/// Who goes on under which id.
pub struct Inheritance {
    /// One for each group, in their order. Ids from the pool's next one on are fresh.
    pub ids: Vec<ClusterId>,
    /// Clusters that end, and the cluster that most of their members went to.
    pub absorbed: BTreeMap<ClusterId, ClusterId>,
}

/// Settles the ids of groups that do not overlap.
pub fn inherit(pool: &Pool, groups: &[Vec<MicroId>]) -> Inheritance {
    let mut shares = BTreeMap::<ClusterId, BTreeMap<usize, u64>>::new();
    for (index, group) in groups.iter().enumerate() {
        for micro in group.iter().filter_map(|id| pool.micros.get(id)) {
            *shares.entry(micro.cluster).or_default().entry(index).or_default() += micro.members;
        }
    }
    let mut claims = vec![Vec::<ClusterId>::new(); groups.len()];
    for (cluster, share) in &shares {
        let mut heir: Option<(usize, u64)> = None;
        for (&index, &members) in share {
            if heir.is_none_or(|(_, most)| members > most) {
                heir = Some((index, members));
            }
        }
        if let Some((index, _)) = heir {
            claims[index].push(*cluster);
        }
    }
    let mature = |cluster: &ClusterId| pool.clusters.get(cluster).is_some_and(|cluster| cluster.mature);
    let mut absorbed = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let inherited = claims
        .into_iter()
        .map(|mut claims| {
            claims.sort_by_key(|cluster| (!mature(cluster), *cluster));
            let (first, others) = claims.split_first()?;
            taken.insert(*first);
            absorbed.extend(others.iter().map(|&other| (other, *first)));
            Some(*first)
        })
        .collect::<Vec<_>>();
    let mut next = pool.next_id;
    let ids = inherited
        .into_iter()
        .zip(groups)
        .map(|(inherited, group)| {
            let own = group.first().map(|lowest| ClusterId(lowest.0));
            inherited
                .or(own.filter(|id| !pool.clusters.contains_key(id) && taken.insert(*id)))
                .unwrap_or_else(|| {
                    next = next.saturating_add(1);
                    ClusterId(next - 1)
                })
        })
        .collect();
    Inheritance { ids, absorbed }
}
