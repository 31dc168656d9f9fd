//! What happens. Every result is a list of events; nothing is changed here.
//!
//! While a scenario is frozen no rule proposes, begins a trial or changes a stage (Z-073); submissions, templates, the ledger
//! and the pool go on, and so does a person's hand on a patch. The time in between does not count: what a patch waits for
//! moves on by as long.

pub mod situation;

pub mod keys;

pub mod stages;

pub mod fold;

pub mod dependents;

pub mod operate;

pub mod induce;

pub mod trigger;

pub mod records;

pub mod backlog;

pub mod upkeep;

use crate::scenario::command::Command;
use crate::scenario::command::Refusal;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::time::At;
use schema::time::DAY_MS;

/// Decides. `at` is never earlier than the last entry: an earlier one counts as that.
///
/// # Errors
/// The rule that says no. A refusal changes nothing and is not recorded.
pub fn decide(state: &State, command: Command, at: At, policy: &Policy) -> Result<Vec<Event>, Refusal> {
    let at = at.max(state.at);
    let now = Situation { state, at, policy };
    let once = |happens: bool, event: Event| if happens { vec![event] } else { Vec::new() };
    Ok(match command {
        Command::Submit(submitted) => {
            upkeep::accepts(state, &submitted.schema_id)?;
            vec![Event::Submitted(submitted)]
        }
        Command::Receive { client, schema_id, via } => records::receive(now, client, schema_id.as_ref(), via),
        Command::Publish { template, unproved } => upkeep::publish(state, template, unproved)?,
        Command::Retire(schema_id) => upkeep::retire(state, schema_id)?,
        Command::Restore(schema_id) => upkeep::restore(state, schema_id)?,
        Command::Check(schema_id) => vec![Event::SchemaChecked { schema_id, by: None }],
        Command::Deprecate {
            schema_id,
            sunset,
            reason,
        } => upkeep::deprecate(state, schema_id, sunset, reason)?,
        Command::Digest { model, digestions } => records::digest(now, &model, digestions)?,
        Command::Recall {
            source,
            after,
            through,
            submissions,
            erased,
        } => backlog::recall(state, source.as_ref(), after, through, submissions, erased)?,
        Command::Judge(judged) => records::judge(state, judged)?,
        Command::Audit(opinion) => records::audit(state, opinion)?,
        Command::Regroup(regrouping) => {
            let (mut parts, last) = regrouping.changing(&state.pool).split();
            parts.push(last);
            parts.into_iter().map(Event::Regrouped).collect()
        }
        Command::Reembed { model, micros } => records::reembed(state, model, micros)?,
        Command::Review {
            answer,
            by,
            digest,
            tokens,
        } => records::review(state, *answer, by, digest, tokens),
        Command::ReviewFailed { why } => vec![Event::ReviewFailed { why }],
        Command::Induce {
            cluster,
            audience,
            outcome,
        } => induce::induce(now, cluster, &audience, outcome)?,
        Command::Tick => tick(now),
        Command::Operate { patch_id, order } => dependents::along(now, operate::operate(now, &patch_id, &order)?),
        Command::Erased { through } => once(through > state.erased_through, Event::Erased { through }),
        Command::Freeze { by, reason } => once(state.frozen.is_none(), Event::Frozen { by, reason }),
        Command::Thaw { by, reason } => once(state.frozen.is_some(), Event::Thawed { by, reason }),
        Command::Dismiss {
            cluster,
            days,
            by,
            reason,
        } => {
            if !state.pool.clusters.contains_key(&cluster) {
                return Err(Refusal::UnknownCluster(cluster));
            }
            let until = at.plus_ms(days.saturating_mul(DAY_MS));
            vec![Event::Dismissed {
                cluster,
                until,
                by,
                reason,
            }]
        }
    })
}

/// Everything that is due, one layer at a time: the caller ticks again until nothing comes back.
fn tick(now: Situation<'_>) -> Vec<Event> {
    let deferred = backlog::defer(now);
    if !deferred.is_empty() {
        return deferred;
    }
    if now.state.frozen.is_some() {
        return upkeep::trim(now);
    }
    let due = dependents::along(now, stages::due(now));
    if !due.is_empty() {
        return due;
    }
    let folded = fold::fold(now);
    if !folded.is_empty() {
        return dependents::along(now, folded);
    }
    for layer in [stages::advance, trigger::fire, upkeep::trim] {
        let events = layer(now);
        if !events.is_empty() {
            return events;
        }
    }
    Vec::new()
}
