//! A reader's answer takes effect: the pool is put together as it says, and what waits for a person is proposed anew in its words.
//!
//! Invariant: nothing that clients are served, and nothing that a person had a hand in, changes by an answer.

use crate::domain::evolution::patch::Patch;
use crate::domain::evolution::review::Review;
use crate::domain::evolution::review::answer;
use crate::domain::evolution::review::answer::Answer;
use crate::domain::evolution::review::answer::Owner;
use crate::domain::evolution::stage::Reason;
use crate::domain::evolution::stage::Stage;
use crate::domain::pool::gate;
use crate::domain::pool::heading::Heading;
use crate::domain::scenario::event::Event;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::domain::template::effective::KeyChange;
use crate::domain::template::name::KeyName;
use crate::domain::time::At;

/// What an answer makes of the pool.
pub fn review(state: &State, answer: Answer, by: String, digest: Option<String>, tokens: Option<u64>) -> Vec<Event> {
    let owner = |key: &KeyName| {
        let base = state.base_in_force();
        if base.is_some_and(|base| base.template.key(key).is_some()) {
            return Some(Owner::Base);
        }
        let adds = |patch: &&Patch| patch.adds_in_life() && patch.change.key_name() == key;
        let mut patches = state.patches.iter().filter(adds);
        let patch = patches.find(|patch| patch.stage.standing().is_some())?;
        Some(Owner::Learned(patch.cluster))
    };
    let (regrouping, refused) = answer::applied(&state.pool, answer, &by, &owner);
    vec![Event::Reviewed(Review {
        by,
        digest,
        tokens,
        regrouping,
        refused,
    })]
}

/// Proposals that wait and whose demand was read otherwise since; only where the gate stands open, so that they come again at once.
pub fn reread(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    let waits = |patch: &&Patch| {
        let waits = matches!(patch.stage, Stage::Queued { .. } | Stage::AwaitingApproval { .. });
        waits && matches!(patch.change, KeyChange::Add(_)) && !patch.is_handled()
    };
    let is_otherwise = |patch: &&Patch| {
        let cluster = state.pool.clusters.get(&patch.cluster);
        let wish = cluster.and_then(|cluster| cluster.heading.as_ref().and_then(Heading::wish));
        wish.is_some_and(|wish| {
            let read = patch.read.as_deref().map(|read| (&read.key_name, read.key_type));
            read != Some((&wish.key_name, wish.key_type))
        })
    };
    let is_open = |patch: &&Patch| {
        let reading = state.pool.gate(patch.cluster, at, &policy.pool);
        gate::open_for_many(&reading, &policy.pool)
    };
    let otherwise = state.patches.iter().filter(waits).filter(is_otherwise).filter(is_open);
    let lapsed = Stage::Lapsed { since: at };
    otherwise
        .map(|patch| Event::staged(patch, lapsed.clone(), Reason::Reread, None))
        .collect()
}

#[cfg(test)]
mod tests;
