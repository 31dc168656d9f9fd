//! The description of the HTTP interface (OpenAPI 3.1), made from what stands at each handler.
//!
//! [`handlers`] names them all; [`document`] adds what follows from the table of addresses: the failures of who may come and of
//! what is read or recorded ([`failures`], [`agents`] for A2A), and the examples with the answers that the service gave to them
//! ([`examples`], [`shown`]). Serves nothing: that is [`crate::http::docs`]. Invariant: an address without a description, or a description
//! without an address, fails a test.

pub mod agents;

pub mod document;

pub mod examples;

pub mod failures;

pub mod handlers;

pub mod parameters;

pub mod shown;

#[cfg(test)]
mod tests;
