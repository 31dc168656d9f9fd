//! The dual gate (Z-093 … Z-100): heat and sources within the window, for all, for a cohort or for one client.
//!
//! Pure: what the gate reads is gathered by the pool, whether it opens is decided here. Invariant: what one client
//! does, however often, never opens the gate for all (Z-104).

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use crate::pool::heat::MICRO;
use crate::pool::heat::units;
use crate::pool::policy::PoolPolicy;
use schema::name::ClientId;
use schema::name::CohortId;

/// Whom a patch is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum Audience {
    Global,
    // The clients of a cohort, and nobody else (Z-098).
    Cohort(#[schema(inline)] CohortId),
    Client(#[schema(inline)] ClientId),
}

impl Audience {
    /// The one client that a key is for; `None` when it is for several.
    pub fn client(&self) -> Option<&ClientId> {
        match self {
            Audience::Global | Audience::Cohort(_) => None,
            Audience::Client(client) => Some(client),
        }
    }
}

/// What the gate read when it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateReading {
    /// Heat in micro-units: all, and capped per client.
    pub heat_micro: i64,
    pub capped_heat_micro: i64,
    /// Within the window: distinct authenticated clients, and their occurrences (one per submission).
    pub clients: u64,
    pub occurrences: u64,
    /// The client with most occurrences (lowest name on a tie), and how many; its own heat.
    pub top_client: Option<ClientId>,
    pub top_occurrences: u64,
    pub top_heat_micro: i64,
}

/// Parts of a whole that shares are counted in.
const PARTS: u128 = 1_000_000;

/// For whom the gate is open, if for anyone (Z-093 … Z-096, Z-130).
pub fn open_for(reading: &GateReading, policy: &PoolPolicy) -> Option<Audience> {
    if open_for_many(reading, policy) {
        return Some(Audience::Global);
    }
    let threshold = units(policy.heat_threshold);
    let client = reading.top_client.as_ref()?;
    let own = reading.top_occurrences >= policy.gate_occurrences_min && reading.top_heat_micro > threshold;
    own.then(|| Audience::Client(client.clone()))
}

/// Whether the gate is open for all whom it was read of: everyone, or the clients of one cohort (Z-098).
pub fn open_for_many(reading: &GateReading, policy: &PoolPolicy) -> bool {
    reading.capped_heat_micro > units(policy.heat_threshold) && many_sources(reading, policy)
}

/// Arrivals without which no gate is open for anybody.
pub fn arrivals_min(policy: &PoolPolicy) -> u64 {
    policy.gate_clients_min.min(policy.gate_occurrences_min)
}

/// Whether so many of all occurrences are one cohort's that they say nothing of the others (Z-098).
pub fn leans(own: u64, all: u64, policy: &PoolPolicy) -> bool {
    u128::from(own) * PARTS > parts(policy.gate_cohort_share_max) * u128::from(all)
}

/// Whether a client's own occurrences and heat open the gate for it alone (Z-130).
pub fn open_for_one(occurrences: u64, heat_micro: i64, policy: &PoolPolicy) -> bool {
    occurrences >= policy.gate_occurrences_min && heat_micro > units(policy.heat_threshold)
}

/// Whether enough distinct clients stand behind a cluster, or enough occurrences that no client dominates. Whatever
/// the policy says, one client is not many.
fn many_sources(reading: &GateReading, policy: &PoolPolicy) -> bool {
    if reading.clients < MANY {
        return false;
    }
    let often = reading.occurrences >= policy.gate_occurrences_min
        && reading.clients >= policy.gate_occurrence_clients_min
        && is_spread(reading, policy);
    reading.clients >= policy.gate_clients_min || often
}

/// The fewest clients that are more than one.
const MANY: u64 = 2;

/// Whether no client made more of the occurrences than one may.
fn is_spread(reading: &GateReading, policy: &PoolPolicy) -> bool {
    let share = parts(policy.gate_client_share_max);
    u128::from(reading.top_occurrences) * PARTS <= share * u128::from(reading.occurrences)
}

/// What a cluster needs to become a key for all. Its gate is open with `heat` and either `clients`, or `occurrences`,
/// `occurrence_clients` and `client_share` together; a key is made of it with `fragments`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// More capped heat than this.
    Heat,
    /// Distinct clients within the window.
    Clients,
    /// Occurrences within the window, one a submission.
    Occurrences,
    /// Distinct clients beside the occurrences.
    OccurrenceClients,
    /// The largest share of the occurrences that is one client's, which is to be at most this.
    ClientShare,
    /// Fragments that were said of it, ever.
    Fragments,
}

/// One need, and what a cluster has of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Needed {
    pub what: Need,
    pub needs: f64,
    pub has: f64,
    pub met: bool,
}

/// Every need of a cluster of so many fragments, beside what its gate reads.
pub fn needed(reading: &GateReading, members: u64, policy: &PoolPolicy) -> Vec<Needed> {
    let at_least = |what: Need, needs: u64, has: u64| Needed {
        what,
        needs: needs as f64,
        has: has as f64,
        met: has >= needs,
    };
    let (clients, occurrences) = (reading.clients, reading.occurrences);
    vec![
        Needed {
            what: Need::Heat,
            needs: policy.heat_threshold,
            has: reading.capped_heat_micro as f64 / MICRO as f64,
            met: reading.capped_heat_micro > units(policy.heat_threshold),
        },
        at_least(Need::Clients, policy.gate_clients_min.max(MANY), clients),
        at_least(Need::Occurrences, policy.gate_occurrences_min, occurrences),
        at_least(
            Need::OccurrenceClients,
            policy.gate_occurrence_clients_min.max(MANY),
            clients,
        ),
        Needed {
            what: Need::ClientShare,
            needs: policy.gate_client_share_max,
            has: reading.top_occurrences as f64 / occurrences.max(1) as f64,
            met: is_spread(reading, policy),
        },
        at_least(Need::Fragments, policy.mature_members_min, members),
    ]
}

fn parts(share: f64) -> u128 {
    (share.clamp(0.0, 1.0) * PARTS as f64).round() as u128
}

#[cfg(test)]
mod tests;
