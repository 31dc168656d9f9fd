//! Shared context (Shared Context Specification 0.1): a small store of keys and texts for the agents of one session.
//!
//! Owns the rules: how keys are named ([`name`]), how large values may be ([`size`]), who speaks as what ([`participant`]), which
//! extensions a session has ([`config`]), what agents ask ([`action`]), what may happen ([`decide`], [`remember`]) and what that
//! means ([`book`], [`session`]). It knows where values lie, not what they say. Invariants: a version of a key is given once
//! ([`graves`], [`removed`]), whatever happens to the key and its session; each of those who follow is told what went for it
//! ([`closed`]); sizes hold after every event; what nobody can read any more is listed in [`freed`].

pub mod action;

pub mod book;

pub mod changes;

pub mod closed;

pub mod config;

pub mod decide;

pub mod entry;

pub mod event;

pub mod freed;

pub mod graves;

pub mod name;

pub mod participant;

pub mod prompt;

pub mod refusal;

pub mod remember;

pub mod session;

pub mod size;
