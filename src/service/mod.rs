//! The conductor: who calls, which template is in force, append to the journal, run effects. Async and thin.
//!
//! Knows the domain and the traits in [`ports`]; knows no transport, no store and no model's protocol. Decides nothing itself.

#[macro_use]
mod administered;

pub mod ports;

pub mod caller;

pub mod ending;

pub mod roster;

pub mod error;

pub mod census;

pub mod observed;

pub mod sealed;

pub mod facts;

pub mod view;

pub mod pin;

pub mod live;

pub mod updates;

pub mod delivery;

pub mod webhooks;

pub mod secrets;
pub mod typed;

pub mod tasks;

pub mod conversations;
pub mod sessions;

pub mod directory;
pub mod works;

pub mod consult;

pub mod effects;

pub mod reader;

pub mod reembedding;

pub mod reviewing;

pub mod steward;

pub mod restore;

pub mod inspect;

pub mod execution;

pub mod intake;

pub mod idempotency;

pub mod extension;

pub mod phrases;

pub mod wishes;

pub mod batch;
pub mod writes;

pub mod background;
pub mod lock;
pub mod parts;
pub mod patch_action;
pub mod reply;
pub mod validation;

pub mod gallery;

pub mod hosting;

pub mod retention;

pub mod backup;

pub mod publishing;

pub mod operating;

pub mod ownership;

pub mod approvals;

pub mod audits;

pub mod history;

pub mod listing;

pub mod search;

pub mod otherwise;

pub mod replay;

#[cfg(test)]
#[path = "../../crates/engine/tests/support/scene.rs"]
#[expect(dead_code, reason = "the engine's own tests use the rest")]
mod scene;
