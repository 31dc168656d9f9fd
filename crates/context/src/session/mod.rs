//! Shared context (Shared Context Specification 0.1): a small store of keys and texts for the agents of one session.
//!
//! Owns the rules: how keys are named ([`name`]), how large values may be ([`size`]), who speaks as what ([`participant`]), which
//! extensions a session has ([`config`]), what agents ask ([`action`]), what may happen ([`decide`], [`history`]) and what that
//! means ([`sessions`], [`session`]). It knows where values lie, not what they say. Invariants: a version of a key is given once,
//! whatever happens to the key and its session; each of those who follow is told what went for it ([`tombstones`]); sizes hold after
//! every event.

pub mod action;

pub mod changes;

pub mod config;

pub mod decide;

pub mod entry;

pub mod event;

pub mod history;

pub mod name;

pub mod participant;

pub mod prompt;

pub mod refusal;

pub mod session;

pub mod sessions;

pub mod size;

pub mod tombstones;
