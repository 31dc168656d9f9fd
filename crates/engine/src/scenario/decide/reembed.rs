//! A step of embedding the pool anew: what is there already, or is not needed any more, is not recorded (Z-103).

use crate::pool::reembed::Anew;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::state::State;

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

#[cfg(test)]
mod tests;
