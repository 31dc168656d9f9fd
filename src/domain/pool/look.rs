//! A look at the whole pool: average linkage over micro-clusters, then split and merge by type and role.

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::micro::MicroId;
use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::state::ClusterId;
use crate::domain::pool::state::Pool;

/// One cluster as a look found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The oldest cluster among those whose micro-clusters these were (by majority of members), or a new one.
    pub cluster: ClusterId,
    /// Sorted.
    pub micros: Vec<MicroId>,
    /// Whether the group passes the floors of `learning` (large next to the others).
    pub mature: bool,
}

/// What a look found. Micro-clusters that it does not name keep their cluster; those opened later are untouched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regrouping {
    /// Fragments placed when the look was taken.
    pub looked_at: u64,
    pub groups: Vec<Group>,
    /// Cold singletons dropped to stay within `micros_max`.
    pub dropped: Vec<MicroId>,
}

/// Looks at the pool. Pure and deterministic; takes long, so it runs beside the pool on a copy.
pub fn look(pool: &Pool, policy: &PoolPolicy) -> Regrouping {
    let _ = (pool, policy);
    todo!()
}
