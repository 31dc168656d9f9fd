//! The app layer: who calls, which template is in force, append to the journal, run effects. Async and thin.
//!
//! Knows the engine and the traits in [`ports`]; knows no transport, no store and no model's protocol. Decides nothing itself.
//! Invariants: [`registry`] knows scenarios and none of those who use them; [`application`] stands on top, and nothing below names it.

#[macro_use]
mod administered;

// What is said and asked: words, errors, replies, callers.
pub mod caller;
pub mod check_limiter;
pub mod end_as;
pub mod error;
pub mod ports;
pub mod reply;
mod reported;
pub mod telemetry;

// What everything is built with.
pub mod background;
pub mod dependencies;
pub mod event_store;
pub mod lock;
pub mod models;
pub mod random;
pub mod reservations;
pub mod restore;
pub mod sealed;
pub mod write_gate;

// One scenario, and all of them.
pub mod actor;
pub mod compiled_template;
pub mod effects;
pub mod feed;
pub mod handle;
pub mod pool_review;
pub mod registry;
pub mod view;

// What is submitted.
pub mod batch;
pub mod execution;
pub mod idempotency;
pub mod intake;
mod key_room;
pub mod secrets;
pub mod typed;
mod used_keys;
pub mod validation;

// What is published, learned, looked up and operated.
pub mod activity;
pub mod clients;
pub mod delivery;
pub mod history;
pub mod learning;
pub mod line;
pub mod negotiation;
pub mod operator;
pub mod pool;
pub mod publishing;
pub mod queues;
pub mod scenario_index;
pub mod scenario_list;
pub mod scenario_tool;
pub mod scenarios;
pub mod stats;
pub mod versions;
pub mod webhooks;
pub mod wishes;
pub mod would_break;

// What agents keep, each in an event store of its own.
pub mod a2a_tasks;
pub mod conversations;
pub mod directory;
pub mod messages;
pub mod sessions;
pub mod task_contexts;

// On top.
pub mod application;
pub mod replay;

#[cfg(test)]
#[path = "../../crates/engine/tests/support/scene.rs"]
#[expect(dead_code, reason = "the engine's own tests use the rest")]
mod scene;
