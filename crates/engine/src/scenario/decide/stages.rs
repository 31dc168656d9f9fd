//! How a patch comes to a stage: its first, one that it comes back to, one that a person's order brings it to, and those that
//! time brings (Z-141 … Z-152, Z-157 … Z-164).
//!
//! What waits before the convergence guard is tried once there is room, best expected coverage first, however few ask for it by
//! then (Z-156, Z-164): trials last a week, and heat halves in a day. What else goes with a patch is decided elsewhere.

use crate::evolution::ledger::KeyReading;
use crate::evolution::operator_action::OperatorAction;
use crate::evolution::operator_action::OperatorRequest;
use crate::evolution::patch::Patch;
use crate::evolution::patch::StageChange;
use crate::evolution::policy::Autonomy;
use crate::evolution::stage::Reason;
use crate::evolution::stage::Stage;
use crate::evolution::stage::Trial;
use crate::evolution::trial;
use crate::evolution::trial::Assessment;
use crate::pool::gate::Audience;
use crate::pool::micro::ClusterId;
use crate::scenario::decide::keys;
use crate::scenario::decide::situation::Situation;
use crate::scenario::event::Event;
use crate::scenario::layer;
use schema::name::ClientId;
use schema::time::DAY_MS;
use schema::time::SECOND_MS;

/// Where a new or revived patch begins (Z-127, Z-140, Z-156, Z-165); `waits` says that a person has to look at it first.
pub fn first_stage(now: Situation<'_>, audience: &Audience, waits: bool) -> (Stage, Reason) {
    if waits {
        (Stage::AwaitingApproval { since: now.at }, Reason::NeedsApproval)
    } else if now.has_room(&now.occupancy(), audience) {
        (Stage::Experimental(now.trial()), Reason::GateOpened)
    } else {
        (Stage::Queued { since: now.at }, Reason::GuardFull)
    }
}

/// A trial of a patch that has a past: long enough that its end is no change too many.
pub fn trial_again(now: Situation<'_>, patch: &Patch) -> Trial {
    Trial {
        until: now.end(patch, now.evolution().trial_s),
        ..now.trial()
    }
}

/// Whether it stood firm when it went: a promotion that a person took back since counts no more.
pub fn was_stable(patch: &Patch) -> bool {
    last_stood(patch).is_some_and(|change| change.to == "stable")
}

/// Its last change to a stage in which it waits or is in force.
fn last_stood(patch: &Patch) -> Option<&StageChange> {
    let stood = ["experimental", "stable", "queued", "awaiting_approval"];
    let mut changes = patch.history.iter().rev();
    changes.find(|change| stood.contains(&change.to.as_str()))
}

/// The stage that a patch comes back to: what waited for its person when it went, or was never let pass where everything
/// waits now, waits again; everything else goes on trial (Z-127, Z-165).
pub fn as_it_was(now: Situation<'_>, patch: &Patch) -> Stage {
    let waits = last_stood(patch).is_some_and(|last| match last.to.as_str() {
        "awaiting_approval" => true,
        "queued" => now.evolution().autonomy == Autonomy::Review && last.by.is_none(),
        _ => false,
    });
    match waits {
        true => Stage::AwaitingApproval { since: now.at },
        false => Stage::Experimental(now.trial()),
    }
}

/// The event that brings a patch to a stage by a person's order. A trial that begins once more gets a new date: the old
/// one may be past, and would end it with its first period (Z-119, Z-128).
pub fn ordered(now: Situation<'_>, patch: &Patch, stage: Stage, order: &OperatorRequest) -> Event {
    let begins_again = matches!(order.hand, OperatorAction::Demote | OperatorAction::Restore);
    let expiration = match &stage {
        Stage::Experimental(trial) if begins_again => {
            let date = Patch::expiration_date(now.at, Some(trial.until), now.evolution());
            Some(date.max(patch.expiration))
        }
        _ => None,
    };
    Event::Staged {
        patch_id: patch.patch_id.clone(),
        stage,
        reason: Reason::Operator,
        by: Some(order.by.clone()),
        reading: None,
        cool_until: None,
        hand: Some(order.hand),
        because: order.because.clone(),
        scope: (order.hand == OperatorAction::Reject).then_some(order.scope),
        expiration,
    }
}

/// Expected coverage in millionths: occurrences of the last 7 days over payloads of the last 7 days (Z-164).
pub fn coverage_ppm(now: Situation<'_>, cluster: ClusterId) -> u64 {
    let pool = &now.policy.pool;
    let days = (pool.gate_window_s.saturating_mul(SECOND_MS) / DAY_MS).max(1);
    let (payloads, _, _) = now.state.ledger.totals(now.at, days);
    let occurrences = now.state.pool.gate(cluster, now.at, pool).occurrences;
    let share = occurrences.saturating_mul(1_000_000).checked_div(payloads);
    share.unwrap_or(0).min(1_000_000)
}

/// Lets the best of those that wait in while there is room; one whose name another key took meanwhile waits for nothing.
pub fn advance(now: Situation<'_>) -> Vec<Event> {
    let mut waiting: Vec<&Patch> = Vec::new();
    for patch in &now.state.patches {
        if matches!(patch.stage, Stage::Queued { .. }) {
            if keys::lost_its_name(now, patch) {
                let lapsed = Stage::Lapsed { since: now.at };
                return vec![Event::staged(patch, lapsed, Reason::NameTaken, None)];
            }
            waiting.push(patch);
        }
    }
    let occupancy = now.occupancy();
    // What waits behind a full guard stays where it is, however much asks for it.
    let may_enter = |patch: &&Patch| {
        now.has_room(&occupancy, &patch.audience)
            || occupancy
                .crowded(&patch.audience, now.evolution(), &now.policy.cohorts)
                .is_some()
    };
    let may = waiting.into_iter().filter(may_enter);
    let mut waiting: Vec<(u64, &Patch)> = may.map(|patch| (coverage_ppm(now, patch.cluster), patch)).collect();
    waiting.sort_by(|(a, left), (b, right)| b.cmp(a).then(left.timestamp.cmp(&right.timestamp)));
    // What one client alone waits for comes last: it may have made way for another.
    waiting.sort_by_key(|(_, patch)| patch.audience.client().is_some());
    for (_, patch) in waiting {
        if now.has_room(&occupancy, &patch.audience) {
            let trial = Stage::Experimental(trial_again(now, patch));
            return vec![Event::staged(patch, trial, Reason::RoomInGuard, None)];
        }
        let crowded = occupancy.crowded(&patch.audience, now.evolution(), &now.policy.cohorts);
        if let Some(own) = crowded.and_then(|client| newest_trial(now, client)) {
            // A key that its client received stays accepted (Z-147, Z-151).
            let back = match now.state.ledger.is_known(&own.patch_id) {
                true => Stage::Deprecated {
                    since: now.at,
                    until: now.end(own, now.evolution().grace_s),
                },
                false => Stage::Queued { since: now.at },
            };
            return vec![Event::staged(own, back, Reason::GuardFull, None)];
        }
    }
    Vec::new()
}

/// The newest trial for one client alone: it makes way where the client's own trials, however many it asked for, would keep
/// one for several waiting.
fn newest_trial<'s>(now: Situation<'s>, client: &ClientId) -> Option<&'s Patch> {
    let own = |patch: &&Patch| patch.audience.client() == Some(client) && matches!(patch.stage, Stage::Experimental(_));
    now.state.patches.iter().rev().find(own)
}

/// Every transition that is due.
pub fn due(now: Situation<'_>) -> Vec<Event> {
    let due = now.state.patches.iter().filter_map(|patch| transition(now, patch));
    due.collect()
}

fn transition(now: Situation<'_>, patch: &Patch) -> Option<Event> {
    if patch.due().is_none_or(|due| now.at < due) {
        return None;
    }
    let since = now.at;
    match &patch.stage {
        Stage::Experimental(running) => Some(trial_ends(now, patch, running)),
        Stage::Stable {
            since: promoted,
            next_look: _,
        } => {
            let reading = now.reading(patch);
            let low = trial::assess_stable(&reading, &patch.audience, now.evolution());
            Some(match low.filter(|_| layer::taken_over_by(now.state, patch).is_none()) {
                Some(reason) => deprecated(now, patch, reason, reading),
                None => {
                    let stage = Stage::Stable {
                        since: *promoted,
                        next_look: since.plus_s(now.evolution().trial_s),
                    };
                    Event::staged(patch, stage, Reason::Measured, Some(reading))
                }
            })
        }
        Stage::Deprecated { .. } => {
            let until = now.end(patch, now.evolution().withdrawn_s);
            let withdrawn = Stage::Withdrawn { since, until };
            Some(Event::staged(patch, withdrawn, Reason::GraceOver, None))
        }
        Stage::Withdrawn { .. } => {
            let expired = Stage::Expired { since };
            Some(Event::staged(patch, expired, Reason::WindowOver, None))
        }
        Stage::Queued { .. }
        | Stage::AwaitingApproval { .. }
        | Stage::Expired { .. }
        | Stage::Lapsed { .. }
        | Stage::Rejected { .. } => None,
    }
}

/// A period's end, or the patch's expiration (Z-128).
fn trial_ends(now: Situation<'_>, patch: &Patch, running: &Trial) -> Event {
    let reading = now.reading(patch);
    // Payloads under a base that has the key itself say nothing of the patch.
    let assessment = match layer::taken_over_by(now.state, patch) {
        Some(_) => Assessment::Wait,
        None => trial::assess(&reading, &patch.audience, running.extensions, now.evolution()),
    };
    let is_over = now.at >= running.until;
    // No period reaches beyond the patch's date, so that the date stays what was published and what came before it is
    // judged like any other period's end (Z-119, Z-128).
    let until = now.at.plus_s(now.evolution().trial_s).min(patch.expiration);
    let goes_on = |extensions, reason, reading| {
        let since = running.since;
        let trial = Trial {
            since,
            until,
            extensions,
        };
        Event::staged(patch, Stage::Experimental(trial), reason, Some(reading))
    };
    match assessment {
        Assessment::Promote if is_over => {
            let next_look = now.end(patch, now.evolution().trial_s);
            let stable = Stage::Stable {
                since: now.at,
                next_look,
            };
            Event::staged(patch, stable, Reason::Promoted, Some(reading))
        }
        Assessment::Deprecate(reason) if is_over => deprecated(now, patch, reason, reading),
        _ if now.at >= patch.expiration => deprecated(now, patch, Reason::NoEvidence, reading),
        Assessment::Extend => goes_on(running.extensions + 1, Reason::MiddleBand, reading),
        Assessment::Undecided(reason) => goes_on(running.extensions, reason, reading),
        Assessment::Promote | Assessment::Deprecate(_) | Assessment::Wait => {
            goes_on(running.extensions, Reason::TooLittleData, reading)
        }
    }
}

/// Deprecates by what was measured, with a cool-down that doubles each time where that counts against the key
/// (docs/design.md §7).
fn deprecated(now: Situation<'_>, patch: &Patch, reason: Reason, reading: KeyReading) -> Event {
    let stage = Stage::Deprecated {
        since: now.at,
        until: now.end(patch, now.evolution().grace_s),
    };
    let cool_until = patch.cool_down(&stage, &reason, now.at, now.evolution());
    Event::staged(patch, stage, reason, Some(reading)).cooling(cool_until)
}

#[cfg(test)]
mod tests;
