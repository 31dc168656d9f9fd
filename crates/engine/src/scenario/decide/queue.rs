//! The queue before the convergence guard: best expected coverage first (Z-156, Z-164).
//!
//! What waits is tried once there is room, however few ask for it by then: trials last a week, and heat halves in a day.

use crate::evolution::guard::Occupancy;
use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::pool::micro::ClusterId;
use crate::scenario::decide::entry;
use crate::scenario::event::Event;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::effective::KeyChange;
use schema::name::ClientId;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::SECOND_MS;

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

/// Lets the best of those that wait in while there is room; one whose name another key took meanwhile waits for nothing.
pub fn advance(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    let mut waiting: Vec<(u64, &Patch)> = Vec::new();
    for patch in &state.patches {
        if matches!(patch.stage, Stage::Queued { .. }) {
            if name_taken(state, patch, policy) {
                let lapsed = Stage::Lapsed { since: at };
                return vec![Event::staged(patch, lapsed, Reason::NameTaken, None)];
            }
            waiting.push((coverage_ppm(state, patch.cluster, at, policy), patch));
        }
    }
    let occupancy = Occupancy::count(state.patches.iter());
    waiting.sort_by(|(a, left), (b, right)| b.cmp(a).then(left.timestamp.cmp(&right.timestamp)));
    // What one client alone waits for comes last: it may have made way for another.
    waiting.sort_by_key(|(_, patch)| patch.audience.client().is_some());
    for (_, patch) in waiting {
        if occupancy.has_room(&patch.audience, &policy.evolution, &policy.cohorts) {
            let trial = entry::trial_again(patch, at, policy);
            return vec![Event::staged(
                patch,
                Stage::Experimental(trial),
                Reason::RoomInGuard,
                None,
            )];
        }
        let crowded = occupancy.crowded(&patch.audience, &policy.evolution, &policy.cohorts);
        if let Some(own) = crowded.and_then(|client| newest_trial(state, client)) {
            let back = Stage::Queued { since: at };
            return vec![Event::staged(own, back, Reason::GuardFull, None)];
        }
    }
    Vec::new()
}

/// The newest trial for one client alone: it makes way where the client's own trials, however many it asked for, would keep
/// one for several waiting.
fn newest_trial<'s>(state: &'s State, client: &ClientId) -> Option<&'s Patch> {
    let own = |patch: &&Patch| patch.audience.client() == Some(client) && matches!(patch.stage, Stage::Experimental(_));
    state.patches.iter().rev().find(own)
}

/// Whether those for whom a patch adds a key have one of that name by now: in the base, or by another patch.
fn name_taken(state: &State, patch: &Patch, policy: &Policy) -> bool {
    let KeyChange::Add(key) = &patch.change else {
        return false;
    };
    let to = policy.cohorts.addressed(&patch.audience);
    let in_base = state
        .base_in_force()
        .is_some_and(|base| base.template.key(&key.key_name).is_some());
    let mut others = state.patches.iter().filter(|other| other.patch_id != patch.patch_id);
    in_base
        || others.any(|other| {
            other.adds_in_life()
                && other.stage.standing().is_some()
                && *other.change.key_name() == key.key_name
                && layer::concerns(other, to)
        })
}

#[cfg(test)]
mod tests;
