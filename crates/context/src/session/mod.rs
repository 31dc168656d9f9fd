//! Shared context (Shared Context Specification 0.1): a small store of keys and texts for the agents of one session.
//!
//! Owns the rules: how sessions, keys and participants are named ([`names`]), how large values may be ([`limits`]), which extensions a
//! session has ([`config`]), what is asked ([`request`]), what may happen ([`decide`]) and what that means ([`sessions`],
//! [`working_memory`]). It knows where values lie, not what they say. Invariants: a version of a key is given once, whatever happens to
//! the key and its session; each of those who follow is told what went for it, or to look anew; sizes hold after every event.

pub mod changes;

pub mod config;

pub mod decide;

pub mod event;

pub mod limits;

pub mod names;

pub mod prompt;

pub mod refusal;

pub mod request;

pub mod sessions;

pub mod working_memory;
