//! Everything that touches the world: HTTP, the command line, the store, the models, the clock, settings, who calls.
//!
//! Decides nothing about schemas or demand. Folders here do not import each other, but for `wire`, `settings`, `clock` and
//! `outbound`; `http` carries the mouths that are spoken over it; `boot` and `cli` know all parts.

pub mod boot;

pub mod settings;

pub mod clock;

pub mod text_file;

pub mod wire;

pub mod rpc;

pub mod a2a;
pub mod mcp;

pub mod http;

pub mod cli;

pub mod embed;

pub mod outbound;

pub mod model;

pub mod execute;
pub mod webhook;

pub mod identity;

pub mod metrics;
