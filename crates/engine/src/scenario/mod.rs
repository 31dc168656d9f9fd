//! One scenario as a value: what happened to it, what it decides, and what that means.
//!
//! ```text
//! decide(&State, Command, At, &Policy) -> Result<Vec<Event>, Refusal>     what happens
//! evolve(&mut State, &Entry)                                              what that means
//! outstanding(&State, &Policy, model, max) -> Vec<Effect>                 what the world must do next
//! ```
//!
//! Pure: no clock, no input or output, no randomness, no order that differs between two runs. A state is what its
//! journal says; a snapshot is a shortcut.

pub mod policy;

pub mod event;

pub mod submission;

pub mod audits;

pub mod clients;

pub mod command;

pub mod state;

pub mod layer;

pub mod change_feed;

pub mod activity;

pub mod decision_log;

pub mod blocking_reason;

pub mod evolve;

pub mod decide;

pub mod digest;

pub mod inducement;

pub mod review;

pub mod rehearsal;

pub mod recall;

pub mod effect;

#[cfg(test)]
#[path = "../../tests/support/scene.rs"]
pub(crate) mod sample;
