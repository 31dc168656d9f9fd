//! Everything that touches the world: HTTP, the command line, the clock, settings, who calls, what is measured.
//!
//! Decides nothing about schemas or demand. Folders here do not import each other, but for `wire`, `settings` and
//! `boot`, which knows all parts.

pub mod boot;

pub mod settings;

pub mod clock;

pub mod wire;

pub mod http;

pub mod cli;

pub mod identity;

pub mod metrics;
