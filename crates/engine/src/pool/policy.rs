//! The pool's numbers. Defaults are the draft's unless docs/design.md §5 says otherwise; all can be set per scenario.

use serde::Deserialize;
use serde::Serialize;

use crate::pool::heat::units;

/// Settings of the pool of one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PoolPolicy {
    /// Cosine at or above which a fragment joins a micro-cluster (Z-087).
    pub micro_cosine_min: f64,
    /// Average linkage stops below this similarity; 0: where the model's calibration says.
    pub link_min: f64,
    /// Fragments between two reclusterings.
    pub look_every_fragments: u64,
    /// Micro-clusters linked at once; more are linked in portions of so many, whose groups are linked then.
    pub block_from_micros: usize,
    /// Micro-clusters kept; cold singletons go first.
    pub micros_max: usize,
    /// Half-life of heat, in seconds (Z-092).
    pub heat_half_life_s: i64,
    /// Heat added when a fragment joins (Z-090, Z-099).
    pub heat_increment: f64,
    /// How many times that an extension request adds instead (Z-022): what is asked for as such is meant, where what is said
    /// in passing may be a whim. Clients and occurrences count once either way.
    pub extension_weight: f64,
    /// Heat that must be exceeded (Z-094).
    pub heat_threshold: f64,
    /// Window of the source gate, in seconds (Z-095).
    pub gate_window_s: i64,
    /// Distinct clients that open the gate for all (Z-095).
    pub gate_clients_min: u64,
    /// Occurrences that open a gate (Z-095).
    pub gate_occurrences_min: u64,
    /// Distinct clients needed beside the occurrences.
    pub gate_occurrence_clients_min: u64,
    /// Largest share of the occurrences that one client may have made.
    pub gate_client_share_max: f64,
    /// Share of the occurrences above which a gate that many opened is one cohort's and not everyone's (Z-098).
    pub gate_cohort_share_max: f64,
    /// Fragments taken from one submission.
    pub fragments_per_submission_max: usize,
    /// Fragments of a cluster before a key that others see is made of it.
    pub mature_members_min: u64,
}

impl Default for PoolPolicy {
    fn default() -> Self {
        PoolPolicy {
            micro_cosine_min: 0.85,
            link_min: 0.0,
            look_every_fragments: 64,
            block_from_micros: 2_000,
            micros_max: 20_000,
            heat_half_life_s: 86_400,
            heat_increment: 20.0,
            extension_weight: 2.0,
            heat_threshold: 50.0,
            gate_window_s: 7 * 86_400,
            gate_clients_min: 5,
            gate_occurrences_min: 10,
            gate_occurrence_clients_min: 2,
            gate_client_share_max: 0.60,
            gate_cohort_share_max: 0.80,
            fragments_per_submission_max: 16,
            mature_members_min: 10,
        }
    }
}

impl PoolPolicy {
    /// Members of the smallest group that is more than a leftover: so many could open a gate, or are mature.
    pub fn members_min(&self) -> u64 {
        self.mature_members_min.min(self.gate_clients_min)
    }

    /// What a submission's first fragment in a cluster adds to its heat, in micro-units.
    pub fn raise(&self, requested: bool) -> i64 {
        let weight = if requested { self.extension_weight } else { 1.0 };
        units(self.heat_increment * weight)
    }
}
