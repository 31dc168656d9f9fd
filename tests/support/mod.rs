//! What the journeys share: a service in this process, a clock that is set by hand, seeded numbers, pictures of states.

pub mod agent;
pub mod appends;
pub mod chat;
pub mod child;
pub mod clock;
pub mod events;
pub mod journals;
pub mod loopback;
pub mod patience;
pub mod picture;
pub mod principal;
pub mod random;
pub mod receiver;
pub mod server;
pub mod wishes;
