//! Which cluster's id each group of a look goes on under: ids live through merges and splits, and never collide.
//!
//! A cluster's heir is the group with most of its members. Of several clusters with one heir one that is large enough to have
//! opened a gate outlives the others, because something may have come of it, and then the oldest. A group that inherits nothing takes the number
//! of its lowest micro-cluster, under which that one was opened, or a fresh one where that is taken.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::pool::micro::ClusterId;
use crate::pool::micro::MicroId;
use crate::pool::state::Pool;

/// Who goes on under which id.
pub struct Inheritance {
    /// One for each group, in their order. Ids from the pool's next one on are fresh.
    pub ids: Vec<ClusterId>,
    /// Clusters that end, and the cluster that most of their members went to.
    pub absorbed: BTreeMap<ClusterId, ClusterId>,
}

/// Settles the ids of groups that do not overlap.
pub fn inherit(pool: &Pool, groups: &[Vec<MicroId>], members_min: u64) -> Inheritance {
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
    let large = |cluster: &ClusterId| pool.members(*cluster) >= members_min;
    let mut absorbed = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let inherited = claims
        .into_iter()
        .map(|mut claims| {
            claims.sort_by_key(|cluster| (!large(cluster), *cluster));
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

#[cfg(test)]
mod tests {
    use super::inherit;
    use crate::pool::analysis::Analysis;
    use crate::pool::micro::ClusterId;
    use crate::pool::micro::MicroId;
    use crate::pool::policy::PoolPolicy;
    use crate::pool::recluster::Group;
    use crate::pool::recluster::Reclustering;
    use crate::pool::sample::say;
    use crate::pool::state::Pool;
    use schema::time::At;
    use text::vector::Vector;

    /// Micro-clusters 0, 1, 2 … with so many members each.
    fn pool(members: &[u64]) -> Pool {
        let mut pool = Pool::default();
        for (axis, &count) in members.iter().enumerate() {
            let mut values = vec![0.0_f32; 8];
            values[axis] = 1.0;
            let vector = Vector::quantise(&values).expect("a vector");
            say(&mut pool, &Analysis::default(), &vector, count, &PoolPolicy::default());
        }
        pool
    }

    fn group(pool: &mut Pool, groups: &[&[u64]]) -> Vec<ClusterId> {
        let named = groups
            .iter()
            .map(|micros| micros.iter().copied().map(MicroId).collect())
            .collect::<Vec<Vec<_>>>();
        let heirs = inherit(pool, &named, PoolPolicy::default().members_min());
        let regrouping = Reclustering {
            looked_at: pool.demand,
            next_id: pool.next_id,
            groups: named
                .into_iter()
                .zip(&heirs.ids)
                .map(|(micros, &cluster)| Group {
                    cluster,
                    micros,
                    heading: None,
                })
                .collect(),
            absorbed: heirs.absorbed,
            dropped: Vec::new(),
        };
        pool.regroup(&regrouping, At(1));
        assert_eq!(pool.check(), Ok(()));
        heirs.ids
    }

    #[test]
    fn the_oldest_survives_a_merge_unless_a_younger_one_could_open_a_gate() {
        let mut pool = pool(&[1, 1, 5, 5]);
        assert_eq!(group(&mut pool, &[&[0, 1], &[2, 3]]), [ClusterId(0), ClusterId(2)]);
        assert_eq!(group(&mut pool, &[&[0, 1, 2, 3]]), [ClusterId(2)]);
    }

    #[test]
    fn the_larger_part_keeps_the_id_and_the_other_takes_that_of_its_lowest() {
        let mut pool = pool(&[1, 4, 2]);
        group(&mut pool, &[&[0, 1, 2]]);
        assert_eq!(group(&mut pool, &[&[0, 2], &[1]]), [ClusterId(3), ClusterId(0)]);
        assert_eq!(pool.cluster_of(MicroId(1)), Some(ClusterId(0)));
        assert_eq!(pool.next_id, 4);
    }

    #[test]
    fn clusters_that_end_name_their_heir() {
        let pool = pool(&[2, 2, 2]);
        let heirs = inherit(&pool, &[vec![MicroId(0), MicroId(2)], vec![MicroId(1)]], 5);
        assert_eq!(heirs.ids, [ClusterId(0), ClusterId(1)]);
        assert_eq!(
            heirs.absorbed.into_iter().collect::<Vec<_>>(),
            [(ClusterId(2), ClusterId(0))]
        );
    }
}
