//! What the journeys share.

pub mod appends;

pub mod folder;
