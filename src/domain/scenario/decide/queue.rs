//! The queue before the convergence guard: best expected coverage first, lapsing when its gate closes (Z-156, Z-164).

use crate::domain::evolution::guard;
use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::stage::Reason;
use crate::domain::evolution::stage::Stage;
use crate::domain::pool::gate;
use crate::domain::pool::gate::Audience;
use crate::domain::pool::state::ClusterId;
use crate::domain::scenario::decide::induce;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::domain::time::At;
use crate::domain::time::DAY_MS;
use crate::domain::time::SECOND_MS;

/// Expected coverage in millionths: occurrences of the last 7 days over payloads of the last 7 days (Z-164).
pub fn coverage_ppm(state: &State, cluster: ClusterId, at: At, policy: &Policy) -> u64 {
    let days = (policy.pool.gate_window_s.saturating_mul(SECOND_MS) / DAY_MS).max(1);
    let (payloads, _, _) = state.ledger.totals(at, days);
    let occurrences = state.pool.gate(cluster, at, &policy.pool).occurrences;
    occurrences
        .saturating_mul(1_000_000)
        .checked_div(payloads)
        .unwrap_or(0)
        .min(1_000_000)
}

/// Lets those lapse whose gate has closed, and the best of the others in while there is room.
pub fn advance(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    let mut waiting: Vec<(u64, &Patch)> = Vec::new();
    for patch in &state.patches {
        if matches!(patch.stage, Stage::Queued { .. }) {
            if !still_open(state, patch, at, policy) {
                return vec![Event::staged(
                    patch,
                    Stage::Lapsed { since: at },
                    Reason::GateClosed,
                    None,
                )];
            }
            waiting.push((coverage_ppm(state, patch.cluster, at, policy), patch));
        }
    }
    waiting.sort_by(|(a, left), (b, right)| b.cmp(a).then(left.timestamp.cmp(&right.timestamp)));
    for (_, patch) in waiting {
        if guard::has_room(
            state.patches.iter(),
            &patch.audience,
            &policy.evolution,
            &policy.cohorts,
        ) {
            let trial = induce::trial_again(patch, at, policy);
            return vec![Event::staged(
                patch,
                Stage::Experimental(trial),
                Reason::RoomInGuard,
                None,
            )];
        }
    }
    Vec::new()
}

/// Whether the gate that a patch came through still stands open. A client's own is asked for that client: that another
/// has become the busiest, or that all may pass now, takes nothing from it (Z-130).
fn still_open(state: &State, patch: &Patch, at: At, policy: &Policy) -> bool {
    match &patch.audience {
        Audience::Global => state.pool.opening(patch.cluster, at, &policy.pool) == Some(Audience::Global),
        Audience::Cohort(cohort) => state
            .pool
            .cohort_gates(patch.cluster, &policy.cohorts, at, &policy.pool)
            .get(cohort)
            .is_some_and(|gate| gate::open_for_many(gate, &policy.pool)),
        Audience::Client(client) => state.pool.opening_for(patch.cluster, client, at, &policy.pool),
    }
}

#[cfg(test)]
mod tests;
