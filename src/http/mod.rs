//! HTTP, one of the transports of the service (docs/design.md §8): decode, one call, encode.
//!
//! [`routes`] is the one table of addresses. Decides nothing: who may do what is the service's, what a failure is called
//! is [`crate::wire::codes`]'s. Invariant: every answer of this service that is no success is
//! `application/problem+json`, but where another protocol is carried and has a form of its own, and no payload's value reaches the log.

pub mod app_state;

pub mod routes;

pub mod middleware;

pub mod origins;

pub mod call;

pub mod query;

pub mod body;

pub mod accept;

pub mod access;

pub mod answer;

pub mod agents;

pub mod catalogue;

pub mod conversations;

pub mod messages;

pub mod services;

pub mod template;

pub mod submissions;

pub mod rpc;

pub mod mcp;

pub mod webhooks;

pub mod session_contents;

pub mod sessions;

pub mod task_contexts;

pub mod learning;

pub mod me;
pub mod stats;

pub mod events;
pub mod pool;

pub mod history;

pub mod streams;

pub mod operations;
pub mod sse;

pub mod openapi;

pub mod docs;

pub mod console;

pub mod listener;

#[cfg(test)]
mod tests;
