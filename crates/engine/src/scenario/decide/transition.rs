//! What time brings: ends of trials, of grace, of windows (Z-141 … Z-152, Z-157 … Z-164).

use crate::evolution::ledger::KeyReading;
use crate::evolution::patch::Patch;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::evolution::stage_dwell;
use crate::evolution::trial;
use crate::evolution::trial::Assessment;
use crate::scenario::event::Event;
use crate::scenario::layer;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::time::At;

/// Every transition that is due.
pub fn due(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    state
        .patches
        .iter()
        .filter_map(|patch| transition(state, patch, at, policy))
        .collect()
}

fn transition(state: &State, patch: &Patch, at: At, policy: &Policy) -> Option<Event> {
    if patch.due().is_none_or(|due| at < due) {
        return None;
    }
    match &patch.stage {
        Stage::Experimental(running) => Some(trial_ends(state, patch, running, at, policy)),
        Stage::Stable { since, next_look: _ } => {
            let reading = state.ledger.read(&patch.patch_id, at, policy.evolution.window_days);
            let reason = trial::assess_stable(&reading, &patch.audience, &policy.evolution);
            match reason.filter(|_| layer::taken_over_by(state, patch).is_none()) {
                Some(reason) => Some(deprecate(patch, reason, Some(reading), at, policy)),
                None => {
                    let stage = Stage::Stable {
                        since: *since,
                        next_look: at.plus_s(policy.evolution.trial_s),
                    };
                    Some(Event::staged(patch, stage, Reason::Measured, Some(reading)))
                }
            }
        }
        Stage::Deprecated { .. } => {
            let until = stage_dwell::end(patch, at, policy.evolution.withdrawn_s, &policy.evolution);
            Some(Event::staged(
                patch,
                Stage::Withdrawn { since: at, until },
                Reason::GraceOver,
                None,
            ))
        }
        Stage::Withdrawn { .. } => Some(Event::staged(
            patch,
            Stage::Expired { since: at },
            Reason::WindowOver,
            None,
        )),
        Stage::Queued { .. }
        | Stage::AwaitingApproval { .. }
        | Stage::Expired { .. }
        | Stage::Lapsed { .. }
        | Stage::Rejected { .. } => None,
    }
}

/// A period's end, or the patch's expiration (Z-128).
fn trial_ends(state: &State, patch: &Patch, running: &Trial, at: At, policy: &Policy) -> Event {
    let reading = state.ledger.read(&patch.patch_id, at, policy.evolution.window_days);
    // Payloads under a base that has the key itself say nothing of the patch.
    let assessment = match layer::taken_over_by(state, patch) {
        Some(_) => Assessment::Wait,
        None => trial::assess(&reading, &patch.audience, running.extensions, &policy.evolution),
    };
    let period_over = at >= running.until;
    let expired = at >= patch.expiration;
    let next = at.plus_s(policy.evolution.trial_s);
    // No period reaches beyond the patch's date, so that the date stays what was published and what came before it is
    // judged like any other period's end (Z-119, Z-128).
    let prolonged = next.min(patch.expiration);
    match assessment.clone() {
        Assessment::Promote if period_over => Event::staged(
            patch,
            Stage::Stable {
                since: at,
                next_look: stage_dwell::end(patch, at, policy.evolution.trial_s, &policy.evolution),
            },
            Reason::Promoted,
            Some(reading),
        ),
        Assessment::Deprecate(reason) if period_over => deprecate(patch, reason, Some(reading), at, policy),
        Assessment::Promote
        | Assessment::Deprecate(_)
        | Assessment::Extend
        | Assessment::Undecided(_)
        | Assessment::Wait
            if expired =>
        {
            let until = stage_dwell::end(patch, at, policy.evolution.grace_s, &policy.evolution);
            Event::staged(
                patch,
                Stage::Deprecated { since: at, until },
                Reason::NoEvidence,
                Some(reading),
            )
        }
        Assessment::Extend => {
            let stage = Trial {
                since: running.since,
                until: prolonged,
                extensions: running.extensions + 1,
            };
            Event::staged(patch, Stage::Experimental(stage), Reason::MiddleBand, Some(reading))
        }
        Assessment::Promote | Assessment::Deprecate(_) | Assessment::Undecided(_) | Assessment::Wait => {
            let stage = Trial {
                since: running.since,
                until: prolonged,
                extensions: running.extensions,
            };
            let reason = match assessment {
                Assessment::Undecided(reason) => reason,
                _ => Reason::TooLittleData,
            };
            Event::staged(patch, Stage::Experimental(stage), reason, Some(reading))
        }
    }
}

/// Deprecates with a cool-down that doubles each time (docs/design.md §7).
fn deprecate(patch: &Patch, reason: Reason, reading: Option<KeyReading>, at: At, policy: &Policy) -> Event {
    let until = stage_dwell::end(patch, at, policy.evolution.grace_s, &policy.evolution);
    let stage = Stage::Deprecated { since: at, until };
    let cool_until = patch.cool_down(&stage, &reason, at, &policy.evolution);
    Event::cooled(patch, stage, reason, reading, cool_until)
}

#[cfg(test)]
mod tests;
