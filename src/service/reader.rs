//! Which of the models reads a pool: the one for English, or the one for many languages where the pool speaks another or several.

use crate::domain::pool::policy::Analysis;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::service::ports::Embedder;

/// The embedder whose vectors a scenario's pool should hold.
pub fn of_pool<'e>(embedder: &'e dyn Embedder, state: &State, policy: &Policy) -> &'e dyn Embedder {
    let is_other = policy.pool.analysis == Analysis::Plain && state.pool.languages.is_other_than_english();
    match embedder.multilingual() {
        Some(multilingual) if is_other => multilingual,
        Some(_) | None => embedder,
    }
}

/// The embedder of a model that [`of_pool`] named.
pub fn by_name<'e>(embedder: &'e dyn Embedder, model: &str) -> &'e dyn Embedder {
    let multilingual = embedder.multilingual();
    multilingual.filter(|other| other.model() == model).unwrap_or(embedder)
}
