//! The Model Context Protocol, one of the transports of the service (docs/design.md §8): tools for the calls, effective templates as
//! resources that can be followed, a prompt for each scenario.
//!
//! rmcp speaks the protocol (revisions 2025-11-25 and 2026-07-28); this folder says what there is. [`crate::wire::calls`]
//! makes the calls. Knows no listener: [`carried`] takes requests from whoever has one. Invariant: what a caller is shown
//! and may do depends on who calls alone, never on the connection.

pub mod mcp_caller;

pub mod mcp_limits;

pub mod schemas;

pub mod tools;

pub mod scenario_tools;

pub mod resources;

pub mod prompts;

pub mod following;

pub mod param_errors;

pub mod server;

pub mod stdio;

pub mod carried;
