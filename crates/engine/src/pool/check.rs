//! The pool's invariants, checked after each step of a simulation.

use std::collections::BTreeSet;

use crate::pool::micro::ARRIVALS_MAX;
use crate::pool::micro::EXAMPLES_MAX;
use crate::pool::micro::Micro;
use crate::pool::micro::MicroId;
use crate::pool::micro::centroid;
use crate::pool::state::Pool;

impl Pool {
    /// The first broken invariant, in words.
    ///
    /// # Errors
    /// Names what does not hold: a micro-cluster in no or two clusters, counts that do not add up, negative heat …
    pub fn check(&self) -> Result<(), String> {
        let mut homed = BTreeSet::new();
        for (id, cluster) in &self.clusters {
            let is_home = |micro: &MicroId| homed.insert(*micro) && self.cluster_of(*micro) == Some(*id);
            let rules = [
                (cluster.id == *id, "is filed under another id"),
                (!cluster.micros.is_empty(), "is empty"),
                (cluster.micros.is_sorted(), "is not in order"),
                (cluster.heat_max_micro >= 0, "was never that cold"),
                (cluster.micros.iter().all(is_home), "holds what is elsewhere as well"),
            ];
            hold(&format!("cluster {}", id.0), &rules)?;
        }
        for micro in self.micros.values() {
            let rules = rules_of(micro, self.demand, homed.contains(&micro.id));
            hold(&format!("micro-cluster {}", micro.id.0), &rules)?;
        }
        let members = self.micros.values().map(|micro| micro.members).sum::<u64>();
        let ids = self.micros.keys().map(|id| id.0);
        let highest = ids.chain(self.clusters.keys().map(|id| id.0)).max();
        let rules = [
            (
                members + self.dropped == self.demand,
                "members and dropped ones are not all",
            ),
            (
                self.looked_at <= self.demand,
                "a reclustering saw more fragments than there are",
            ),
            (
                self.unsummed <= self.demand,
                "more fragments without a vector than there are",
            ),
            (
                highest.is_none_or(|highest| highest < self.next_id),
                "an id lies ahead of the next one",
            ),
        ];
        hold("the pool", &rules)
    }
}

fn rules_of(micro: &Micro, demand: u64, is_homed: bool) -> [(bool, &'static str); 10] {
    let arrivals = micro.arrivals.len();
    [
        (is_homed, "is in no cluster"),
        (micro.members > 0, "has no member"),
        (micro.joined_at_demand <= demand, "was joined in the future"),
        (micro.capped_heat.micro >= 0, "has negative heat"),
        (
            micro.capped_heat.micro <= micro.heat.micro,
            "has capped heat above all heat",
        ),
        (arrivals <= ARRIVALS_MAX, "has too many arrivals"),
        (arrivals as u64 <= micro.members, "has more arrivals than members"),
        (
            micro.arrivals.is_sorted_by_key(|arrival| arrival.at),
            "has arrivals out of order",
        ),
        (
            (1..=EXAMPLES_MAX).contains(&micro.examples.len()),
            "has examples out of bounds",
        ),
        (
            micro.centroid == centroid(&micro.sum),
            "has another centroid than its sum's",
        ),
    ]
}

fn hold(what: &str, rules: &[(bool, &str)]) -> Result<(), String> {
    let broken = rules.iter().find(|(holds, _)| !holds);
    broken.map_or(Ok(()), |(_, fault)| Err(format!("{what}: {fault}")))
}
