//! Otherwise hosts the schemas that agents speak, and learns from what those schemas cannot say.
//!
//! The journey of a payload, which is also the order of the folders:
//!
//! 1. [`domain::template`] holds what has been agreed: a server agent's schema template.
//! 2. [`domain::exchange`] checks what one client sent against it.
//! 3. [`domain::pool`] gathers what was said but not agreed: fragments of `other`, clustered and heated.
//! 4. [`domain::evolution`] turns a mature cluster into a key, tries it, keeps it or drops it.
//! 5. [`domain::scenario`] is all of this as one value: `decide` what happens, `evolve` what it means.
//! 6. [`service`] conducts: it asks the domain, appends to the journal, runs effects.
//! 7. [`edge`] touches the world: HTTP, the store, the model, the clock, the command line.
//!
//! Imports run from the later to the earlier, never back; `tests/house.rs` holds that.

pub mod domain;
pub mod edge;
pub mod service;
