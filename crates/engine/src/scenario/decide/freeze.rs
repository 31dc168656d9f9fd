//! Freezing and thawing: a person stops evolution of one scenario, and lets it go on (Z-073).
//!
//! While it is frozen no rule proposes, begins a trial or changes a stage; submissions, templates, the ledger and the pool
//! go on, and so does a person's hand on a patch. The time in between does not count: what a patch waits for moves on by
//! as long (`evolution/freeze.rs`).

use crate::scenario::event::Event;
use crate::scenario::state::State;
use schema::act::By;

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

#[cfg(test)]
mod tests;
