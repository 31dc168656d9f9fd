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

pub mod bounds;

pub mod policy;

pub mod submission;

pub mod execution;

pub mod event;

pub mod audits;

pub mod command;

pub mod patch_timeline;

pub mod state;

pub mod layer;

pub mod notice;

pub mod rebase;

pub mod evolve;

pub mod decide;

pub mod digest;

pub mod inducement;

pub mod review;

pub mod blocking_reason;
pub mod rehearsal;
pub mod undecided;

pub mod effect;

pub mod check;

pub mod decision_log;

#[cfg(test)]
#[path = "../../tests/support/scene.rs"]
pub(crate) mod sample;
