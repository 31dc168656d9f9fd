//! A2A 1.0, one of the transports of the service (docs/design.md §8): what its two bindings, JSON-RPC and HTTP+JSON, have in common.
//!
//! Knows no HTTP and decides nothing: params come in as JSON text, one call into the service is made, and what comes back
//! is encoded. Invariant: both bindings make the same call for the same params and name a failure alike.

pub mod headers;

pub mod failure;

pub mod params;

pub mod call;

pub mod card;
