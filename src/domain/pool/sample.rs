//! Pools for tests: what is said so and so often.

use crate::domain::pool::micro::FragmentId;
use crate::domain::pool::placement::Embedded;
use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::reading::Reading;
use crate::domain::pool::state::Pool;
use crate::domain::pool::vector::Vector;
use crate::domain::time::At;

/// Says the same a number of times: nobody's fragments with one reading and one vector, all in one moment.
pub(crate) fn say(pool: &mut Pool, reading: &Reading, vector: &Vector, times: u64, policy: &PoolPolicy) {
    for _ in 0..times {
        let embedded = Embedded {
            reading: reading.clone(),
            vector: vector.clone(),
            covered_by: None,
        };
        let id = FragmentId {
            submission: pool.demand,
            ordinal: 0,
        };
        for placement in pool.place(vec![(id, embedded)], None, At(0), policy) {
            pool.apply(&placement, None, At(0));
        }
    }
}
