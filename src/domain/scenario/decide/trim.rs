//! Once a day: what lies outside every window is forgotten.

use crate::domain::scenario::event::Event;
use crate::domain::scenario::policy::Policy;
use crate::domain::scenario::state::State;
use crate::domain::time::At;
use crate::domain::time::DAY_MS;
use crate::domain::time::Day;
use crate::domain::time::SECOND_MS;

/// How long an idempotency key is remembered (DESIGN §4): 24 hours.
pub const IDEMPOTENCY_MS: i64 = DAY_MS;

/// Trims when a day has begun since the last time and there is anything that could be old.
pub fn trim(state: &State, at: At, policy: &Policy) -> Vec<Event> {
    if at.day() <= state.trimmed || (state.ledger.days.is_empty() && state.idempotency.is_empty()) {
        return Vec::new();
    }
    vec![Event::Trimmed {
        arrivals_before: at.plus_ms(-policy.pool.gate_window_s.saturating_mul(SECOND_MS)),
        ledger_before: Day(at.day().0 - policy.evolution.window_days - 1),
        idempotency_before: at.plus_ms(-IDEMPOTENCY_MS),
    }]
}

#[cfg(test)]
mod tests;
