//! The pool of one scenario as a value: micro-clusters, clusters, and what is needed to place the next fragment.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::gate::Audience;
use crate::domain::pool::gate::GateReading;
use crate::domain::pool::look::Regrouping;
use crate::domain::pool::micro::FragmentId;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::micro::MicroId;
use crate::domain::pool::placement::Embedded;
use crate::domain::pool::placement::Placement;
use crate::domain::pool::policy::PoolPolicy;
use crate::domain::pool::vector::Vector;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;

/// The lowest micro-cluster that opened it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClusterId(pub u64);

/// A distinct recurring intent (Z-088). Its heat and arrivals are the sums of its micro-clusters'.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub id: ClusterId,
    /// Sorted.
    pub micros: Vec<MicroId>,
    /// As the last look found.
    pub mature: bool,
    pub opened_at: At,
    /// Highest heat seen, in micro-units.
    pub heat_max_micro: i64,
}

/// What the pool knows. No texts: ids, vectors, counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pool {
    /// The model whose vectors these are (Z-103); empty until the first.
    pub model: String,
    pub micros: BTreeMap<MicroId, Micro>,
    pub clusters: BTreeMap<ClusterId, Cluster>,
    /// Fragments placed so far, joined ones only.
    pub demand: u64,
    /// `demand` at the last look.
    pub looked_at: u64,
    pub next_id: u64,
}

impl Pool {
    /// Decides where the fragments of one submission go, in order: the nearest micro-cluster of the same types and roles
    /// at or above the threshold, ties to the lowest id (Z-087), else a new one. A later fragment may join what an
    /// earlier one of the same submission opened; only the first one to reach a cluster heats it (Z-101).
    pub fn place(
        &self,
        fragments: Vec<(FragmentId, Embedded)>,
        client: Option<&ClientId>,
        at: At,
        policy: &PoolPolicy,
    ) -> Vec<Placement> {
        let _ = (fragments, client, at, policy);
        todo!()
    }

    /// Applies what was decided; arrivals are trimmed by [`Pool::forget_before`].
    pub fn apply(&mut self, placement: &Placement, client: Option<&ClientId>, at: At) {
        let _ = (placement, client, at);
        todo!()
    }

    /// Applies a look: the oldest id survives a merge, joins that came after the look are kept.
    pub fn regroup(&mut self, regrouping: &Regrouping, at: At) {
        let _ = (regrouping, at);
        todo!()
    }

    /// Drops arrivals before a moment.
    pub fn forget_before(&mut self, before: At) {
        let _ = before;
        todo!()
    }

    /// Reads the gate of a cluster.
    pub fn gate(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> GateReading {
        let _ = (cluster, at, policy);
        todo!()
    }

    /// For whom the gate is open, if for anyone (DESIGN §5.7).
    pub fn opening(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> Option<Audience> {
        let _ = (cluster, at, policy);
        todo!()
    }

    /// The cluster of a micro-cluster.
    pub fn cluster_of(&self, micro: MicroId) -> Option<ClusterId> {
        let _ = micro;
        todo!()
    }

    /// Members over all micro-clusters of a cluster.
    pub fn members(&self, cluster: ClusterId) -> u64 {
        let _ = cluster;
        todo!()
    }

    /// Fragments of the cluster whose texts induction should read, spread over its micro-clusters, at most `max`.
    pub fn examples(&self, cluster: ClusterId, max: usize) -> Vec<FragmentId> {
        let _ = (cluster, max);
        todo!()
    }

    /// Mean direction of a cluster's fragments.
    pub fn centroid(&self, cluster: ClusterId) -> Option<Vector> {
        let _ = cluster;
        todo!()
    }

    /// The first broken invariant, in words.
    ///
    /// # Errors
    /// Names what does not hold: a micro-cluster in no or two clusters, counts that do not add up, negative heat …
    pub fn check(&self) -> Result<(), String> {
        todo!()
    }
}
