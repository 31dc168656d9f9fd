//! Freezing and thawing: a person stops evolution of one scenario, and lets it go on (Z-073).
//!
//! While it is frozen no rule proposes, begins a trial or changes a stage; submissions, templates, the ledger and the pool
//! go on, and so does a person's hand on a patch. The time in between does not count: what a patch waits for moves on by
//! as long (`evolution/freeze.rs`).
//!
//! Once a day: what lies outside every window is forgotten; and what retention lets be erased (Z-167).

use crate::evolution::patch::Patch;
use crate::scenario::event::Event;
use crate::scenario::policy::Policy;
use crate::scenario::state::State;
use schema::act::By;
use schema::time::At;
use schema::time::DAY_MS;
use schema::time::Day;
use schema::time::SECOND_MS;

/// Stops evolution; where it is stopped already nothing happens.
pub fn freeze(state: &State, by: By, reason: Option<String>) -> Vec<Event> {
    match &state.frozen {
        Some(_) => Vec::new(),
        None => vec![Event::Frozen { by, reason }],
    }
}

/// Lets evolution go on; where it does nothing happens.
pub fn thaw(state: &State, by: By, reason: Option<String>) -> Vec<Event> {
    match &state.frozen {
        Some(_) => vec![Event::Thawed { by, reason }],
        None => Vec::new(),
    }
}

/// How long an idempotency key is remembered (docs/design.md §4): 24 hours.
pub const IDEMPOTENCY_MS: i64 = DAY_MS;

/// Trims when a day has begun since the last time and there is anything that could be old.
pub fn trim(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    let examples_before = examples_before(at, policy);
    let is_over = |before: At| {
        let old = |patch: &Patch| patch.over_since(before) && !(patch.examples.is_empty() && patch.surfaces.is_empty());
        state.patches.iter().any(old)
    };
    let nothing = state.ledger.days.is_empty() && state.idempotency.is_empty() && !examples_before.is_some_and(is_over);
    if at.day() <= state.trimmed || nothing {
        return Vec::new();
    }
    vec![Event::Trimmed {
        arrivals_before: at.plus_ms(-policy.pool.gate_window_s.saturating_mul(SECOND_MS)),
        ledger_before: Day(at.day().0 - policy.evolution.window_days - 1),
        idempotency_before: at.plus_ms(-IDEMPOTENCY_MS),
        examples_before,
    }]
}

/// Patches that ended before this lose their examples and known values; `None` when they are kept for good.
fn examples_before(at: At, policy: &Policy) -> Option<At> {
    let days = policy.evolution.examples_kept_days;
    (days > 0).then(|| at.plus_ms(-days.saturating_mul(DAY_MS)))
}

/// Which records have told enough, as (through, before): submissions that are not digested yet and everything after the
/// first of them are kept, so that nothing that was said is lost to the pool. `kept_days` is how long sealed parts are
/// kept, `closed_kept_days` how long those of a scenario of which every schema is retired; 0 is for good.
pub fn erasable(state: &State, at: At, kept_days: i64, closed_kept_days: i64) -> Option<(u64, At)> {
    let ago = |days: i64| at.plus_ms(-days.saturating_mul(DAY_MS));
    let closed = closed_kept_days > 0 && state.closed_since().is_some_and(|since| since <= ago(closed_kept_days));
    let before = if closed {
        // Everything, this moment's own records too.
        Some(at.plus_ms(1))
    } else {
        (kept_days > 0).then(|| ago(kept_days))
    };
    let undigested = state.pending.keys().next().map(|first| first.saturating_sub(1));
    let through = undigested.unwrap_or(state.seq);
    before
        .filter(|_| through > state.erased_through)
        .map(|before| (through, before))
}

/// Notes that sealed parts were erased; what was noted already is not noted again.
pub fn erased(state: &State, through: u64) -> Vec<Event> {
    if through > state.erased_through {
        vec![Event::Erased { through }]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
