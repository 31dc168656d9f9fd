//! A reader's answer takes effect: the pool is put together as it says; what waits or is tried there is made anew by
//! [`super::anew`], in the reader's words.

use crate::evolution::patch::Patch;
use crate::evolution::review::Review;
use crate::evolution::review::answer;
use crate::evolution::review::answer::Answer;
use crate::evolution::review::answer::Owner;
use crate::scenario::event::Event;
use crate::scenario::state::State;
use schema::name::KeyName;

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

#[cfg(test)]
mod tests;
