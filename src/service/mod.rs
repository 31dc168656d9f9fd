//! The conductor: who calls, which template is in force, append to the journal, run effects. Async and thin.
//!
//! Knows the domain and the traits in [`ports`]; knows no transport, no store and no model's protocol. Decides nothing itself.

#[macro_use]
mod administered;

pub mod ports;

pub mod caller;

pub mod end_as;

pub mod principals;

pub mod error;

pub mod scenario_stats;

pub mod telemetry;

pub mod sealed;

pub mod event_store;

pub mod view;

pub mod pin;

pub mod handle;

pub mod updates;

pub mod delivery;

pub mod webhooks;

pub mod secrets;
pub mod typed;

pub mod a2a_tasks;

pub mod conversations;
pub mod sessions;

pub mod directory;
pub mod task_contexts;

pub mod llm;

pub mod effects;

pub mod reader;

pub mod reembedding;

pub mod pool_review;

pub mod actor;

pub mod restore;

pub mod inspect;

pub mod execution;

pub mod intake;

pub mod idempotency;

pub mod extension;

pub mod phrases;

pub mod wishes;

pub mod batch;
pub mod write_gate;

pub mod background;
pub mod dependencies;
pub mod lock;
pub mod patch_action;
pub mod reply;
pub mod validation;

pub mod scenario_index;

pub mod registry;

pub mod retention;

pub mod backup;

pub mod publishing;

pub mod operations;

pub mod ownership;

pub mod approvals;

pub mod audits;

pub mod history;

pub mod scenario_list;

pub mod search;

pub mod app;

pub mod replay;

#[cfg(test)]
#[path = "../../crates/engine/tests/support/scene.rs"]
#[expect(dead_code, reason = "the engine's own tests use the rest")]
mod scene;
