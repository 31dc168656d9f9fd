//! What happens: one file for each kind of command. Every result is a list of events; nothing is changed here.

pub mod publish;

pub mod receive;

pub mod digest;

pub mod trigger;

pub mod induce;

pub mod fold;

pub mod transition;

pub mod operate;

pub mod judgement;

pub mod pool;

pub mod candidate;

pub mod dependents;

pub mod edit;

pub mod entry;

pub mod upkeep;

use crate::scenario::command::Command;
use crate::scenario::command::Refusal;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::time::At;

/// Decides. `at` is never earlier than the last entry: an earlier one counts as that.
///
/// # Errors
/// The rule that says no. A refusal changes nothing and is not recorded.
pub fn decide(state: &State, command: Command, at: At, policy: &Policy) -> Result<Vec<Event>, Refusal> {
    let at = at.max(state.at);
    match command {
        Command::Submit(submitted) => {
            publish::accepts(state, &submitted.schema_id).map(|()| vec![Event::Submitted(submitted)])
        }
        Command::Receive { client, via } => Ok(receive::receive(state, client, via, policy)),
        Command::Publish(template) => publish::publish(state, template),
        Command::Retire(schema_id) => publish::retire(state, schema_id),
        Command::Restore(schema_id) => publish::restore(state, schema_id),
        Command::Digest { model, digestions } => digest::digest(state, &model, digestions, policy),
        Command::Judge(judged) => judgement::judge(state, judged),
        Command::Audit(opinion) => judgement::audit(state, opinion),
        Command::Regroup(regrouping) => Ok(vec![Event::Regrouped(regrouping)]),
        Command::Reembed { model, micros } => pool::reembed(state, model, micros),
        Command::Review {
            answer,
            by,
            digest,
            tokens,
        } => Ok(pool::review(state, *answer, by, digest, tokens)),
        Command::ReviewFailed { why } => Ok(vec![Event::ReviewFailed { why }]),
        Command::Induce {
            cluster,
            audience,
            outcome,
        } => induce::induce(state, cluster, &audience, outcome, at, policy),
        Command::Tick => Ok(tick(state, at, policy)),
        Command::Operate { patch_id, order } => {
            let events = operate::operate(state, &patch_id, order, at, policy)?;
            Ok(dependents::along(state, events, at, policy))
        }
        Command::Erased { through } => Ok(upkeep::erased(state, through)),
        Command::Freeze { by, reason } => Ok(upkeep::freeze(state, by, reason)),
        Command::Thaw { by, reason } => Ok(upkeep::thaw(state, by, reason)),
    }
}

/// Everything that is due, one layer at a time: the caller ticks again until nothing comes back.
fn tick(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    if state.frozen.is_some() {
        return upkeep::trim(state, at, policy);
    }
    let due = dependents::along(state, transition::due(state, at, policy), at, policy);
    if !due.is_empty() {
        return due;
    }
    let folded = fold::fold(state, at, policy);
    if !folded.is_empty() {
        return dependents::along(state, folded, at, policy);
    }
    let queued = entry::advance(state, at, policy);
    if !queued.is_empty() {
        return queued;
    }
    let triggered = trigger::fire(state, at, policy);
    if !triggered.is_empty() {
        return triggered;
    }
    upkeep::trim(state, at, policy)
}
