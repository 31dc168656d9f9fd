//! What the journeys share.

pub mod appends;
