//! Forms that every transport shares: the one table of codes, the problem document, negotiation.
//!
//! Knows no transport: no request, no response, no header type. Invariant: whatever goes wrong in the service or at the
//! edge has exactly one row in [`codes`].

pub mod codes;

pub mod percent;
pub mod problem;

pub mod json_rpc;

pub mod params;

pub mod lone_surrogate;

pub mod negotiation;

pub mod listing;

pub mod calls;

pub mod authenticator;

pub mod rate;

pub mod loopback;

pub mod network;

#[cfg(test)]
mod tests;
