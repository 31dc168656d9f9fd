//! Otherwise hosts the schemas that agents speak, and learns from what those schemas cannot say.
//!
//! The journey of a payload, which is also the order of the crates and folders:
//!
//! 1. `text` reads what a text says by its form alone.
//! 2. [`schema`] holds what has been agreed, a server agent's template, and checks what one client sent against it.
//! 3. [`engine::pool`] gathers what was said but not agreed: fragments of `other`, clustered and heated.
//! 4. [`engine::evolution`] turns a mature cluster into a key, tries it, keeps it or drops it.
//! 5. [`engine::scenario`] is all of this as one value: `decide` what happens, `evolve` what it means.
//! 6. [`context`] is what agents that work together know of each other: sessions, tasks, messages, conversations.
//! 7. [`api`] is what is asked and answered, as types.
//! 8. [`app`] conducts: it asks the engine, appends to the journal, runs effects.
//! 9. [`http`], [`rpc`], [`mcp`] and [`a2a`] are the transports, over the forms of [`wire`]; [`auth`] says who calls.
//! 10. [`adapters`] touch the world: models, webhooks, other services, the clock. [`config`], [`bootstrap`] and [`cli`] start it all.
//!
//! Imports run from the later to the earlier, never back: cargo holds that between crates, `tests/house.rs` within this one.

pub mod api;

pub mod app;

pub mod a2a;
pub mod http;
pub mod mcp;
pub mod rpc;
pub mod wire;

pub mod adapters;
pub mod auth;
pub mod metrics;

pub mod bootstrap;
pub mod cli;
pub mod config;
