//! Models: which embedder reads a pool, and asking a language model where one is configured. What that does not answer stays as the rules
//! have it.
//!
//! Knows the ports, no protocol. Invariants: nothing waits for a language model but what it was asked about; what it said travels in the
//! command, so that no replay of a journal asks again.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc::Sender;

use crate::app::background::Done;
use crate::app::dependencies::Dependencies;
use crate::app::ports::Embedder;
use crate::app::ports::Model;
use engine::pool::heads::Heads;
use engine::pool::policy::PoolPolicy;
use engine::pool::state::Pool;
use engine::scenario::command::Command;
use engine::scenario::digest::Undecided;
use engine::scenario::policy::Policy;
use engine::scenario::state::State;
use schema::question::Question;
use schema::question::Use;

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

/// Share of the undecided values that the model is asked about; none without a model that judges.
pub fn judge_share(model: Option<&dyn Model>, policy: &Policy) -> f64 {
    model
        .filter(|model| model.takes(Use::Judge))
        .map_or(0.0, |_| policy.evolution.model_judge_share)
}

/// Asks about values beside everything else. A value whose answer is lost to a crash stays as the rules judged it.
pub fn judge(deps: &Arc<Dependencies>, undecided: Vec<Undecided>, done: &Sender<Done>) {
    for value in undecided {
        let (deps, done) = (Arc::clone(deps), done.clone());
        // The model's own queue bounds how many of these there are: beyond it the answer is a fault at once.
        tokio::spawn(async move {
            let commands = judgement(deps.model.as_deref(), value).await;
            if !commands.is_empty() {
                let judged = Done {
                    effects: Vec::new(),
                    commands,
                    broke: false,
                };
                let _ = done.send(judged).await;
            }
        });
    }
}

/// Asks about one value; nothing comes of it without an answer.
pub async fn judgement(model: Option<&dyn Model>, undecided: Undecided) -> Vec<Command> {
    let Some(model) = model else {
        return Vec::new();
    };
    let answer = ask(model, undecided.question.clone()).await;
    answer.map_or_else(Vec::new, |answer| undecided.judged(&answer, model.name()))
}

async fn ask(model: &dyn Model, question: Question) -> Option<Value> {
    let purpose = question.for_use.name();
    match model.ask(question).await {
        Ok(answer) => Some(answer),
        Err(fault) => {
            tracing::debug!(purpose, %fault, "the rules decide without the model");
            None
        }
    }
}
