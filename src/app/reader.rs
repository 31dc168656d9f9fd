//! Which of the models reads a pool: the one for English, or the one for many languages where the pool speaks another or several.

use std::sync::Arc;

use crate::app::ports::Embedder;
use engine::pool::heads::Heads;
use engine::pool::policy::PoolPolicy;
use engine::pool::state::Pool;
use engine::scenario::state::State;

/// The embedder whose vectors a scenario's pool should hold.
pub fn of_pool<'e>(embedder: &'e dyn Embedder, state: &State) -> &'e dyn Embedder {
    let is_other = state.pool.languages.is_other_than_english();
    match embedder.multilingual() {
        Some(multilingual) if is_other => multilingual,
        Some(_) | None => embedder,
    }
}

/// What tells demand from the rest of a scenario's fragments; `None` while it is not known whether the model reads their language: a
/// fragment that is taken for nothing is lost to the pool, one too many does no harm.
pub fn demand_of_pool<'e>(embedder: &'e dyn Embedder, state: &State) -> Option<&'e Arc<Heads>> {
    let is_known = state.pool.languages.is_settled();
    of_pool(embedder, state).heads().filter(|_| is_known)
}

/// A pool's policy with the threshold of the model that its vectors are of, where the policy leaves it to the model.
pub fn calibrated(embedder: &dyn Embedder, pool: &Pool, policy: &PoolPolicy) -> PoolPolicy {
    let mut policy = policy.clone();
    if policy.link_min <= 0.0 {
        policy.link_min = by_name(embedder, &pool.model).link();
    }
    policy
}

/// The embedder of a model that [`of_pool`] named.
pub fn by_name<'e>(embedder: &'e dyn Embedder, model: &str) -> &'e dyn Embedder {
    let multilingual = embedder.multilingual();
    multilingual.filter(|other| other.model() == model).unwrap_or(embedder)
}
