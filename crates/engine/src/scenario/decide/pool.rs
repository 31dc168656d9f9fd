//! What changes the pool as a whole: another model's vectors (Z-103), and a reader's answer, by which it is put together.
//!
//! What waits or is tried there is made anew by [`super::edit`], in the reader's words.

use crate::evolution::patch::Patch;
use crate::evolution::review::Review;
use crate::evolution::review::answer;
use crate::evolution::review::answer::Answer;
use crate::evolution::review::answer::Owner;
use crate::pool::reembed::Anew;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::state::State;
use schema::name::KeyName;

/// Records micro-clusters that a model has embedded anew. An empty step is recorded where nothing waits any more, so that
/// the pool becomes that model's.
///
/// # Errors
/// [`Refusal::Done`] where the pool holds vectors of this model, or all of these were embedded anew before.
pub fn reembed(state: &State, model: String, micros: Vec<Anew>) -> Result<Vec<Event>, Refusal> {
    if state.pool.speaks(&model) {
        return Err(Refusal::Done);
    }
    let waiting: Vec<_> = state.pool.waiting(&model).map(|micro| micro.id).collect();
    let micros: Vec<Anew> = micros
        .into_iter()
        .filter(|anew| waiting.binary_search(&anew.micro).is_ok())
        .collect();
    if micros.is_empty() && !waiting.is_empty() {
        return Err(Refusal::Done);
    }
    Ok(vec![Event::Reembedded { model, micros }])
}

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
