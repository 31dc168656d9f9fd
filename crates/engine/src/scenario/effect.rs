//! What the world must do next, read off the state: after a crash the same effects come up again.

use std::collections::BTreeMap;

use crate::evolution::patch::Patch;
use crate::evolution::review;
use crate::evolution::review::Seat;
use crate::evolution::stage::Stage;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::policy::Policy;
use crate::scenario::recall::Recall;
use crate::scenario::state::Claim;
use crate::scenario::state::State;
use schema::name::ClientId;
use schema::time::At;
use schema::time::DAY_MS;

/// Work outside the core; its result comes back as a command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Read, embed and judge the submission at this sequence.
    Digest { of: u64 },
    /// Read back submissions that wait in the journal alone.
    Recall,
    /// Embed the next micro-clusters of the pool anew, by the model at hand.
    Reembed,
    /// Group the micro-clusters of the pool anew.
    Recluster,
    /// Ask the reader what was said.
    Review,
    /// Induce a key from a triggered cluster.
    Induce { cluster: ClusterId, audience: Audience },
}

/// Everything outstanding for a process with this model; at most `max` digests, the clients by turns. While the pool holds
/// vectors of another model, that comes first and everything that would compare vectors waits (Z-103).
pub fn outstanding(state: &State, policy: &Policy, model: &str, max: usize) -> Vec<Effect> {
    if !state.pool.speaks(model) {
        return vec![Effect::Reembed];
    }
    let recalled = Recall::wanted(state, policy).map(|_| Effect::Recall);
    let digests = in_turns(state, max).into_iter().map(|of| Effect::Digest { of });
    let mut effects: Vec<Effect> = recalled.into_iter().chain(digests).collect();
    if state.pool.look_due(&policy.pool) {
        effects.push(Effect::Recluster);
    }
    // A scenario that is frozen, or takes nothing any more, begins no key; what was triggered waits.
    let evolving = state.frozen.is_none() && state.base_in_force().is_some();
    let has_reader = policy.evolution.reader == Seat::Model;
    let is_due = review::is_enough_new(&state.pool, state.review.as_ref());
    // It is asked first when a gate opens, and from then on as enough is new: what it has not read waits for it.
    let is_inducing = |claim: &Claim| matches!(claim, Claim::Inducing { .. });
    let mut claimed = state.claims.values().flatten();
    let is_begun = state.review.is_some() || claimed.any(|(_, claim)| is_inducing(claim));
    if evolving && has_reader && is_due && is_begun {
        effects.push(Effect::Review);
        return effects;
    }
    // What a reader that answers left out waits until it reads again; while it cannot be had the engine goes on alone.
    let answers = state.review.as_ref().is_some_and(|asked| asked.failed.is_none());
    let waits = |cluster: ClusterId| has_reader && answers && is_unread(state, cluster);
    let claims = state.claims.iter().filter(|(cluster, _)| evolving && !waits(**cluster));
    for (cluster, claims) in claims {
        for (audience, claim) in claims {
            if is_inducing(claim) {
                effects.push(Effect::Induce {
                    cluster: *cluster,
                    audience: audience.clone(),
                });
            }
        }
    }
    effects
}

/// The submissions to read next, oldest first: each client's oldest, then each one's second, and so on, so that one client's flood costs
/// the others a turn. Clients without a name take turns as one.
fn in_turns(state: &State, max: usize) -> Vec<u64> {
    if max == 0 {
        return Vec::new();
    }
    let mut turns: BTreeMap<Option<&ClientId>, usize> = BTreeMap::new();
    let mut waiting: Vec<(usize, u64)> = Vec::new();
    for (of, pending) in &state.pending {
        let turn = turns.entry(pending.client.as_ref()).or_default();
        *turn += 1;
        // No client has more turns than there is room.
        waiting.extend((*turn <= max).then_some((*turn, *of)));
    }
    waiting.sort_unstable();
    let mut next: Vec<u64> = waiting.into_iter().take(max).map(|(_, of)| of).collect();
    next.sort_unstable();
    next
}

/// Whether no reader has said what a cluster is.
fn is_unread(state: &State, cluster: ClusterId) -> bool {
    let cluster = state.pool.clusters.get(&cluster);
    cluster.is_some_and(|cluster| cluster.heading.is_none())
}

/// When [`crate::scenario::command::Command::Tick`] has something to do by itself; `None` when never.
pub fn next_due(state: &State) -> Option<At> {
    let evolving = state.frozen.is_none();
    let mut patches = state.patches.iter().filter(|_| evolving);
    let stages = patches.clone().filter_map(Patch::due);
    let waiting = patches.any(|patch| matches!(patch.stage, Stage::Queued { .. }));
    let midnight = (waiting || !state.ledger.days.is_empty())
        .then(|| state.trimmed.start().plus_ms(DAY_MS))
        .filter(|_| state.seq > 0);
    stages.chain(midnight).min()
}

#[cfg(test)]
mod tests;
