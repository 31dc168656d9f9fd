//! The pool of one scenario as a value: micro-clusters, clusters, and what is needed to place the next fragment.
//!
//! Each scenario has its own (Z-082, Z-097). Invariants, held by `check_pool` of the tests: each micro-cluster is in exactly one
//! cluster, no cluster is empty, counts add up, no heat is negative, and ids are below `next_id`.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;

use crate::pool::assignment::Assignment;
use crate::pool::heading::Heading;
use crate::pool::heading::Wish;
use crate::pool::heard::Heard;
use crate::pool::heat;
use crate::pool::heat::decayed;
use crate::pool::languages::Languages;
use crate::pool::micro::ClusterId;
use crate::pool::micro::FragmentId;
use crate::pool::micro::Joining;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::policy::PoolPolicy;
use crate::pool::reclustering::Reclustering;
use crate::pool::source::Source;
use schema::name::ClientId;
use schema::time::At;
use schema::time::Day;
use text::vector;
use text::vector::Cosine;
use text::vector::Mean;
use text::vector::Sum;
use text::vector::Vector;

/// A distinct recurring intent (Z-088). Its heat and arrivals are the sums of its micro-clusters'.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    pub id: ClusterId,
    /// Sorted.
    pub micros: Vec<MicroId>,
    pub opened_at: At,
    /// Highest heat seen, in micro-units.
    pub heat_max_micro: i64,
    /// The highest heat of each day on which it got warmer, in micro-units; of a time before it was kept there is none.
    /// Those of clusters that became one are added up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heat_curve: Vec<(Day, i64)>,
    /// What a reader says that it is, where one has read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<Heading>,
}

impl Cluster {
    /// The wish that a reader says it is.
    pub fn wish(&self) -> Option<&Wish> {
        self.heading.as_ref()?.wish()
    }
}

/// What is embedded anew so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reembedding {
    /// The model that all of it comes from.
    pub model: String,
    pub means: BTreeMap<MicroId, Option<Mean>>,
}

/// A reclustering is due when one part in so many of all fragments was said since the last.
const LOOK_SHARE: u64 = 8;

/// What the pool knows. No texts: ids, vectors, counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pool {
    /// The model whose vectors these are (Z-103); empty until the first.
    pub model: String,
    #[serde(deserialize_with = "with_centroids")]
    pub micros: BTreeMap<MicroId, Micro>,
    pub clusters: BTreeMap<ClusterId, Cluster>,
    /// Fragments placed so far, joined ones only.
    pub demand: u64,
    /// `demand` at the last look.
    pub looked_at: u64,
    /// What says how much one client's noise may put off the next reclustering.
    #[serde(default, skip_serializing_if = "Heard::is_empty")]
    pub heard: Heard,
    pub next_id: u64,
    /// Fragments of micro-clusters that were dropped to stay within the bound.
    pub dropped: u64,
    /// Sum of all vectors that joined.
    pub sum: Sum,
    /// Fragments that joined and that the sum does not hold: since the model changed nothing of them can be embedded.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unsummed: u64,
    #[serde(default, skip_serializing_if = "Languages::is_empty")]
    pub languages: Languages,
    /// What is embedded anew so far, while a change of the model is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reembedding: Option<Reembedding>,
    /// The reclustering of which parts are still to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<Reclustering>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(fragments: &u64) -> bool {
    *fragments == 0
}

/// Micro-clusters as a snapshot holds them, with their centroids.
fn with_centroids<'de, D: Deserializer<'de>>(stored: D) -> Result<BTreeMap<MicroId, Micro>, D::Error> {
    let mut micros = BTreeMap::<MicroId, Micro>::deserialize(stored)?;
    micros.values_mut().for_each(Micro::take_centroid);
    Ok(micros)
}

impl Pool {
    /// Applies what was decided; arrivals are trimmed by [`Pool::forget_before`]. A function of what was recorded: a
    /// micro-cluster that was dropped in between is opened again from it.
    pub fn apply(&mut self, placement: &Assignment, client: Option<&ClientId>, at: At) {
        match placement {
            Assignment::Dropped { fragment: _, reason: _ }
            | Assignment::Covered { fragment: _, key: _ }
            | Assignment::Failed { fragment: _ } => {}
            Assignment::Joined {
                fragment,
                micro,
                cluster,
                opened: _,
                requested,
                reading,
                vector,
                heat,
                capped_heat,
                cluster_heat_micro,
            } => {
                // Whoever places fragments has gone back to the pool's own model.
                self.reembedding = None;
                if let Some(language) = &reading.language {
                    self.languages.note(language);
                }
                self.sum.add(vector);
                self.demand += 1;
                self.heard.note(&Source::of(client));
                let joining = Joining {
                    fragment: *fragment,
                    vector,
                    client,
                    at,
                    requested: *requested,
                    heat: *heat,
                    capped_heat: *capped_heat,
                };
                let cluster = self.join(*micro, *cluster, &joining);
                if let Some(home) = self.clusters.get_mut(&cluster) {
                    home.heat_max_micro = home.heat_max_micro.max(*cluster_heat_micro);
                    heat::draw(&mut home.heat_curve, at.day(), *cluster_heat_micro);
                }
            }
        }
    }

    /// Takes a fragment into a micro-cluster, which is opened where it is not there; returns the cluster it is in.
    fn join(&mut self, id: MicroId, cluster: ClusterId, joining: &Joining) -> ClusterId {
        let micro = self.micros.entry(id);
        let micro = micro.or_insert_with(|| Micro::open(id, cluster, joining.at));
        micro.join(joining, self.demand);
        let cluster = micro.cluster;
        let home = self.clusters.entry(cluster).or_insert_with(|| Cluster {
            id: cluster,
            micros: Vec::new(),
            opened_at: joining.at,
            heat_max_micro: 0,
            heat_curve: Vec::new(),
            heading: None,
        });
        if let Err(place) = home.micros.binary_search(&id) {
            home.micros.insert(place, id);
            let next = id.0.max(cluster.0).saturating_add(1);
            self.next_id = self.next_id.max(next);
        }
        cluster
    }

    /// Drops arrivals before a moment.
    pub fn forget_before(&mut self, before: At) {
        for micro in self.micros.values_mut() {
            let old = micro.arrivals.partition_point(|arrival| arrival.at < before);
            micro.arrivals.drain(..old);
        }
    }

    /// The micro-clusters of a cluster.
    pub fn micros_of(&self, cluster: ClusterId) -> impl Iterator<Item = &Micro> {
        let ids = self.clusters.get(&cluster).map_or(&[][..], |cluster| &cluster.micros);
        ids.iter().filter_map(|id| self.micros.get(id))
    }

    /// Heat of a cluster at a moment, in micro-units.
    pub fn heat_micro(&self, cluster: ClusterId, at: At, policy: &PoolPolicy) -> i64 {
        self.micros_of(cluster)
            .map(|micro| decayed(micro.heat.micro, at.since_ms(micro.heat.at), policy.heat_half_life_s))
            .fold(0, i64::saturating_add)
    }

    /// The cluster of a micro-cluster.
    pub fn cluster_of(&self, micro: MicroId) -> Option<ClusterId> {
        self.micros.get(&micro).map(|micro| micro.cluster)
    }

    /// Members over all micro-clusters of a cluster.
    pub fn members(&self, cluster: ClusterId) -> u64 {
        self.micros_of(cluster).map(|micro| micro.members).sum()
    }

    /// Fragments of the cluster whose texts induction should read, spread over its micro-clusters, at most `max`.
    pub fn examples(&self, cluster: ClusterId, max: usize) -> Vec<FragmentId> {
        let mut micros = self.micros_of(cluster).collect::<Vec<_>>();
        micros.sort_by_key(|micro| (Reverse(micro.members), micro.id));
        let rounds = micros.iter().map(|micro| micro.examples.len()).max().unwrap_or(0);
        let examples = (0..rounds).flat_map(|round| micros.iter().filter_map(move |micro| micro.examples.get(round)));
        let mut taken: Vec<FragmentId> = examples.copied().take(max).collect();
        taken.sort_unstable();
        taken
    }

    /// Mean direction of a cluster's fragments.
    pub fn centroid(&self, cluster: ClusterId) -> Option<Vector> {
        let mut sum = Sum::default();
        for micro in self.micros_of(cluster) {
            sum.merge(&micro.sum);
        }
        sum.centroid()
    }

    /// The clusters whose mean direction is nearest to one's, the nearest first; none where it has no vector.
    pub fn near(&self, cluster: ClusterId, count: usize) -> Vec<(ClusterId, Cosine)> {
        let Some(own) = self.centroid(cluster) else {
            return Vec::new();
        };
        // Most clusters are one micro-cluster, whose centroid is at hand.
        let cosine = |other: &Cluster| match other.micros.as_slice() {
            [only] => Some(vector::cosine(&self.micros.get(only)?.centroid, own.components())),
            _ => Some(self.centroid(other.id)?.cosine(&own)),
        };
        let others = self.clusters.values().filter(|other| other.id != cluster);
        let mut near: Vec<(ClusterId, Cosine)> = others.filter_map(|other| Some((other.id, cosine(other)?))).collect();
        near.retain(|(_, cosine)| *cosine > vector::UNLIKE);
        near.sort_by_key(|(id, cosine)| (Reverse(*cosine), *id));
        near.truncate(count);
        near
    }

    /// Fragments whose vectors the sum holds.
    pub fn summed(&self) -> u64 {
        self.demand.saturating_sub(self.unsummed)
    }

    /// Mean of all vectors that joined, in the components' own scale; empty before the first.
    pub fn mean(&self) -> Vec<f64> {
        let demand = self.summed().max(1) as f64;
        let sums = self.sum.components().iter();
        sums.map(|&sum| sum as f64 / demand).collect()
    }

    /// Whether enough was said since the last look: an eighth of all that was said, and at most so many fragments. While
    /// the pool is small each fragment may complete a cluster. Where one client said most of it, an eighth of what is left
    /// of that when nobody counts for much is enough, so that it puts off nobody's look.
    pub fn look_due(&self, policy: &PoolPolicy) -> bool {
        let since = self.demand.saturating_sub(self.looked_at);
        let enough = |all: u64| policy.look_every_fragments.min(all / LOOK_SHARE).max(1);
        since >= enough(self.demand) || self.heard.since_look() >= enough(self.heard.all())
    }

    /// Whether vectors of a model may join (Z-103).
    pub fn speaks(&self, model: &str) -> bool {
        self.model.is_empty() || self.model == model
    }
}
