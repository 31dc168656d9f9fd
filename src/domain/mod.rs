//! Everything that decides. Pure: no clock, no input or output, no randomness, no async, no globals.

#[macro_use]
pub mod name;

pub mod time;

pub mod fact;

pub mod act;

pub mod template;

pub mod exchange;

pub mod pool;

pub mod evolution;

pub mod scenario;

pub mod namespace;

pub mod task;

pub mod context;
