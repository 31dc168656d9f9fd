//! The pool's invariants, checked after each step of a simulation.

use std::collections::BTreeSet;

use crate::domain::pool::facet::Facets;
use crate::domain::pool::micro::ARRIVALS_MAX;
use crate::domain::pool::micro::EXAMPLES_MAX;
use crate::domain::pool::micro::Micro;
use crate::domain::pool::state::Pool;

impl Pool {
    /// The first broken invariant, in words.
    ///
    /// # Errors
    /// Names what does not hold: a micro-cluster in no or two clusters, counts that do not add up, negative heat …
    pub fn check(&self) -> Result<(), String> {
        self.check_clusters()?;
        for micro in self.micros.values() {
            check_micro(micro, self.demand)?;
        }
        let members = self.micros.values().map(|micro| micro.members).sum::<u64>();
        hold(members + self.dropped == self.demand, || {
            format!(
                "{members} members and {} dropped make {} fragments",
                self.dropped, self.demand
            )
        })?;
        hold(self.looked_at <= self.demand, || {
            "a look saw more fragments than there are".to_owned()
        })?;
        let ids = self
            .micros
            .keys()
            .map(|id| id.0)
            .chain(self.clusters.keys().map(|id| id.0));
        hold(ids.max().is_none_or(|highest| highest < self.next_id), || {
            "an id lies ahead of the next one".to_owned()
        })?;
        hold(self.facets == Facets::of(self.micros.values()), || {
            "the facets are not those of the micro-clusters".to_owned()
        })
    }

    fn check_clusters(&self) -> Result<(), String> {
        let mut homed = BTreeSet::new();
        for (id, cluster) in &self.clusters {
            hold(cluster.id == *id, || {
                format!("cluster {} is filed under {}", cluster.id.0, id.0)
            })?;
            hold(!cluster.micros.is_empty(), || format!("cluster {} is empty", id.0))?;
            hold(cluster.micros.is_sorted(), || {
                format!("cluster {} is not in order", id.0)
            })?;
            hold(cluster.heat_max_micro >= 0, || {
                format!("cluster {} was never that cold", id.0)
            })?;
            for micro in &cluster.micros {
                hold(homed.insert(*micro), || {
                    format!("micro-cluster {} is in two clusters", micro.0)
                })?;
                hold(self.cluster_of(*micro) == Some(*id), || {
                    format!("micro-cluster {} is not in {}", micro.0, id.0)
                })?;
            }
        }
        let lost = self.micros.keys().find(|id| !homed.contains(id));
        hold(lost.is_none(), || format!("micro-cluster {lost:?} is in no cluster"))
    }
}

fn check_micro(micro: &Micro, demand: u64) -> Result<(), String> {
    let fault = |what: &str| format!("micro-cluster {}: {what}", micro.id.0);
    hold(micro.members > 0, || fault("no member"))?;
    hold(micro.joined_at_demand <= demand, || fault("joined in the future"))?;
    hold(micro.heat.micro >= 0 && micro.capped_heat.micro >= 0, || {
        fault("negative heat")
    })?;
    hold(micro.capped_heat.micro <= micro.heat.micro, || {
        fault("capped heat above all heat")
    })?;
    hold(micro.arrivals.len() <= ARRIVALS_MAX, || fault("too many arrivals"))?;
    hold(micro.arrivals.len() as u64 <= micro.members, || {
        fault("more arrivals than members")
    })?;
    hold(micro.arrivals.is_sorted_by_key(|arrival| arrival.at), || {
        fault("arrivals out of order")
    })?;
    hold(
        !micro.examples.is_empty() && micro.examples.len() <= EXAMPLES_MAX,
        || fault("examples out of bounds"),
    )?;
    hold(micro.cues.values().all(|&count| count <= micro.members), || {
        fault("a cue on more fragments than joined")
    })
}

fn hold(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
