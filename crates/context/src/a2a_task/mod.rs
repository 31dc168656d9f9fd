//! Tasks: what agents ask over A2A and what becomes of it, as a value (A2A 1.0, §3 and §4).
//!
//! Owns the words of the protocol (messages, parts, artifacts, states), what a message asks of a service that hosts schemas,
//! and which step a task may take. Contents lie in the journal: a task knows only where. It does not know transports, who is
//! called, nor what a payload means. Invariants: a task that has ended never moves again; how many tasks, messages and push
//! addresses there are is bounded.

pub mod message;

pub mod phase;

pub mod typed_part;

pub mod asked;

pub mod event;

pub mod index;

pub mod decide;
