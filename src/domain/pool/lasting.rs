//! Lasting: a cluster that one look found may be gone in the next, so several must find it before it becomes a key.
//!
//! Half of what an early look finds falls apart or falls together as more is said: siblings are still one group, or one
//! slot still two. A cluster that holds a good part of all that was asked for needs no second look: little could
//! compete with it.

use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::state::Cluster;
use crate::domain::pool::state::Pool;

/// Whether a cluster is mature and will stay so (Z-096).
pub fn lasts(pool: &Pool, cluster: &Cluster, policy: &PoolPolicy) -> bool {
    let whole = pool.members(cluster.id) as f64 >= policy.lasting_share * pool.demand as f64;
    let proven = pool.demand >= policy.lasting_demand_min && cluster.mature_looks >= policy.lasting_looks_min;
    cluster.mature && (whole || proven)
}

#[cfg(test)]
mod tests {
    use super::lasts;
    use crate::domain::pool::policy::PoolPolicy;
    use crate::domain::pool::reading::Reading;
    use crate::domain::pool::sample::say;
    use crate::domain::pool::state::ClusterId;
    use crate::domain::pool::state::Pool;
    use crate::domain::pool::vector::Vector;

    /// A pool of two wishes, so many of each; the first cluster was found mature so often.
    fn lasting(first: u64, second: u64, looks: u32) -> bool {
        let policy = PoolPolicy::default();
        let mut pool = Pool::default();
        for (axis, times) in [first, second].into_iter().enumerate() {
            let mut values = vec![0.0_f32; 8];
            values[axis] = 1.0;
            let vector = Vector::quantise(&values).expect("a vector");
            say(&mut pool, &Reading::of(&[], &[], &[]), &vector, times, &policy);
        }
        let cluster = pool.clusters.get_mut(&ClusterId(0)).expect("the first wish");
        (cluster.mature, cluster.mature_looks) = (looks > 0, looks);
        let cluster = cluster.clone();
        lasts(&pool, &cluster, &policy)
    }

    #[test]
    fn two_looks_must_find_it_and_enough_must_have_been_said_z096() {
        assert!(lasting(10, 40, 2));
        assert!(!lasting(10, 40, 1));
        assert!(!lasting(9, 40, 2));
    }

    #[test]
    fn a_good_part_of_what_a_pool_asks_for_needs_one_look_z095_z096() {
        assert!(lasting(5, 15, 1));
        assert!(!lasting(5, 16, 1));
        assert!(!lasting(5, 15, 0));
    }
}
