//! Applying a look to the pool as it has become since.
//!
//! Invariant: no micro-cluster is lost. What joined after the look stays where it joined; a micro-cluster that was to be
//! dropped and was joined since is kept.

use std::collections::BTreeMap;

use crate::pool::heading::Heading;
use crate::pool::micro::ClusterId;
use crate::pool::micro::MicroId;
use crate::pool::recluster::Reclustering;
use crate::pool::state::Cluster;
use crate::pool::state::Pool;
use schema::time::At;

impl Pool {
    /// Applies a look: the oldest id survives a merge, joins that came after the look are kept. A function of the pool
    /// and what was recorded.
    pub fn regroup(&mut self, regrouping: &Reclustering, at: At) {
        for id in &regrouping.dropped {
            self.drop_micro(*id, regrouping.looked_at);
        }
        let mut former = BTreeMap::<ClusterId, Cluster>::new();
        for id in regrouping.groups.iter().flat_map(|group| &group.micros) {
            self.detach(*id, &mut former);
        }
        for group in &regrouping.groups {
            let mut micros = group
                .micros
                .iter()
                .copied()
                .filter(|id| self.micros.contains_key(id))
                .collect::<Vec<_>>();
            if micros.is_empty() {
                continue;
            }
            micros.sort_unstable();
            let id = if group.cluster.0 >= regrouping.next_id {
                self.fresh()
            } else {
                group.cluster
            };
            // What a reader put together keeps its word, whichever id it goes on under.
            let read = micros.iter().find_map(|micro| {
                let micro = self.micros.get(micro).filter(|micro| micro.is_read)?;
                former.get(&micro.cluster)?.heading.clone()
            });
            self.attach(id, &micros, former.get(&id), at);
            if let Some(heading) = &group.heading {
                self.head(id, &micros, heading.clone(), true);
            } else if let Some(heading) = read {
                self.head(id, &micros, heading, false);
            }
        }
        self.looked_at = self.looked_at.max(regrouping.looked_at).min(self.demand);
        self.heard.looked();
    }

    /// Puts a reader's word over a cluster.
    fn head(&mut self, id: ClusterId, micros: &[MicroId], heading: Heading, is_new: bool) {
        if let Some(cluster) = self.clusters.get_mut(&id) {
            cluster.heading = Some(heading);
        }
        for micro in micros.iter().filter(|_| is_new) {
            if let Some(micro) = self.micros.get_mut(micro) {
                micro.is_read = true;
            }
        }
    }

    fn fresh(&mut self) -> ClusterId {
        let id = ClusterId(self.next_id);
        self.next_id = self.next_id.saturating_add(1);
        id
    }

    fn drop_micro(&mut self, id: MicroId, looked_at: u64) {
        let unchanged = self
            .micros
            .get(&id)
            .is_some_and(|micro| micro.joined_at_demand <= looked_at);
        if !unchanged {
            return;
        }
        self.detach(id, &mut BTreeMap::new());
        if let Some(micro) = self.micros.remove(&id) {
            self.dropped += micro.members;
        }
    }

    /// Takes a micro-cluster out of its cluster, which ends when it was the last; remembers how the cluster was.
    fn detach(&mut self, id: MicroId, former: &mut BTreeMap<ClusterId, Cluster>) {
        let Some(home) = self.cluster_of(id) else { return };
        let Some(cluster) = self.clusters.get_mut(&home) else {
            return;
        };
        former.entry(home).or_insert_with(|| Cluster {
            micros: Vec::new(),
            ..cluster.clone()
        });
        if let Ok(place) = cluster.micros.binary_search(&id) {
            cluster.micros.remove(place);
        }
        if cluster.micros.is_empty() {
            self.clusters.remove(&home);
        }
    }

    fn attach(&mut self, id: ClusterId, micros: &[MicroId], former: Option<&Cluster>, at: At) {
        let opened_at = micros
            .iter()
            .filter_map(|micro| self.micros.get(micro))
            .map(|micro| micro.opened_at)
            .min();
        let opened_at = former
            .map(|cluster| cluster.opened_at)
            .into_iter()
            .chain(opened_at)
            .min()
            .unwrap_or(at);
        let cluster = self.clusters.entry(id).or_insert_with(|| Cluster {
            id,
            micros: Vec::new(),
            opened_at,
            heat_max_micro: former.map_or(0, |cluster| cluster.heat_max_micro),
            heading: None,
        });
        cluster.opened_at = cluster.opened_at.min(opened_at);
        cluster.micros.extend(micros);
        cluster.micros.sort_unstable();
        cluster.micros.dedup();
        for micro in micros {
            if let Some(micro) = self.micros.get_mut(micro) {
                micro.cluster = id;
            }
        }
        self.next_id = self.next_id.max(id.0.saturating_add(1));
    }
}
