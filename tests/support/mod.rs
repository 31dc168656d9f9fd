//! What the journeys share: a service in this process, and a clock that is set by hand.

pub mod clock;

pub mod server;

pub mod random;

pub mod appends;

pub mod folder;
