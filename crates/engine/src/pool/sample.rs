//! Pools for tests: what is said so and so often.

use crate::pool::analysis::Analysis;
use crate::pool::assignment::Embedded;
use crate::pool::micro::FragmentId;
use crate::pool::policy::PoolPolicy;
use crate::pool::state::Pool;
use schema::time::At;
use text::vector::Vector;

/// Says the same a number of times: nobody's fragments with one reading and one vector, all in one moment.
pub(crate) fn say(pool: &mut Pool, reading: &Analysis, vector: &Vector, times: u64, policy: &PoolPolicy) {
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
