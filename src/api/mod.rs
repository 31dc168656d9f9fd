//! Requests and responses, one file a subject: the contract that every transport speaks.
//!
//! The service builds its answers out of these types, the handlers name them, and utoipa makes schemas of them for the OpenAPI
//! document. Knows no transport and decides nothing: what a type promises of values that only the engine knows is told in its comments.

pub mod a2a;

pub mod audits;

pub mod clients;

pub mod conversations;

pub mod events;

pub mod evolution;

pub mod history;

pub mod messages;

pub mod pool;

pub mod problems;

pub mod rpc;

pub mod scenarios;

pub mod schemas;

pub mod service;

pub mod sessions;

pub mod stats;

pub mod submissions;

pub mod tasks;

pub mod templates;

pub mod webhooks;
