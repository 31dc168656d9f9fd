//! The pool's numbers. Defaults are the draft's unless docs/design.md §5 says otherwise; all can be set per scenario.

use crate::bound::COUNT;
use crate::bound::Range;
use crate::bound::SECONDS;
use crate::bound::SHARE;
use crate::pool::heat::units;

crate::section! {
    /// Settings of the pool of one scenario.
    "policy.pool" PoolPolicy

    /// At or above it a fragment joins a micro-cluster (Z-087).
    micro_cosine_min: f64 = 0.85, SHARE, "cosine";
    /// Average linkage stops below it; 0: where the model's calibration says.
    link_min: f64 = 0.0, SHARE, "similarity";
    /// Fragments between two reclusterings.
    look_every_fragments: u64 = 64, COUNT, "fragments";
    /// Micro-clusters linked at once, which takes the square of their number; more are linked in portions, and their
    /// groups then.
    block_from_micros: usize = 2_000, COUNT, "micro-clusters";
    /// Micro-clusters kept; cold singletons go first. A template may only make it stricter: lower it.
    micros_max: usize = 20_000, COUNT, Lower, "micro-clusters";
    /// Half-life of heat (Z-092). The draft's day suits a service with hundreds of submissions a day; where a wish is
    /// said every few days, a week (604800) finds it.
    heat_half_life_s: i64 = 86_400, SECONDS, "seconds";
    /// Heat added when a fragment joins (Z-090, Z-099).
    heat_increment: f64 = 20.0, Range::Real(0.001, 1_000_000.0), "heat";
    /// How many times that an extension request adds instead (Z-022); clients and occurrences count once either way.
    extension_weight: f64 = 2.0, Range::Real(1.0, 1_000.0), "";
    /// Heat that must be exceeded for the gate to open (Z-094).
    heat_threshold: f64 = 50.0, Range::Real(0.0, 1_000_000.0), "heat";
    /// Window of the source gate (Z-095); four weeks (2419200) beside a half-life of one.
    gate_window_s: i64 = 7 * 86_400, SECONDS, "seconds";
    /// Distinct clients that open the gate for all (Z-095).
    gate_clients_min: u64 = 5, COUNT, "clients";
    /// Occurrences that open a gate (Z-095).
    gate_occurrences_min: u64 = 10, COUNT, "fragments";
    /// Distinct clients needed beside the occurrences.
    gate_occurrence_clients_min: u64 = 2, COUNT, "clients";
    /// Largest share of the occurrences that one client may have made.
    gate_client_share_max: f64 = 0.60, SHARE, "share";
    /// Share of the occurrences above which a gate that many opened is one cohort's alone, where there are clients
    /// outside of it (Z-098).
    gate_cohort_share_max: f64 = 0.80, SHARE, "share";
    /// Fragments taken from one submission.
    fragments_per_submission_max: usize = 16, Range::Whole(1, 1_000), "fragments";
    /// Fragments of a cluster before a key that others see is made of it.
    mature_members_min: u64 = 10, COUNT, "fragments";
    /// Submissions held that nobody has read yet; further ones are recorded and answered as ever, wait in the journal
    /// alone, and are read back once half of these are read. A template may only make it stricter: lower it.
    // As many as one core reads in some twenty seconds where nobody has said the like before; in memory and in a snapshot they take
    // some megabytes.
    pending_max: usize = 10_000, COUNT, Lower, "submissions";
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
