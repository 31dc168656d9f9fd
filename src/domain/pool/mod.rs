//! What is said but not agreed: fragments as vectors, clustered and heated, until a gate opens.
//!
//! Knows templates and what was submitted; knows nothing of trials, stages or storage. Pure: vectors come in as
//! quantised integers, time as `At`. Texts pass through and are not kept.

pub mod policy;

pub mod vector;

pub mod reading;

pub mod heat;

pub mod micro;

pub mod placement;

pub mod look;

pub mod covered;

pub mod gate;

pub mod proposal;

pub mod state;
