//! What the journeys share: a service in this process, a clock that is set by hand, seeded numbers, pictures of states.

pub mod appends;

pub mod agent;

pub mod chat;

pub mod events;

pub mod loopback;

pub mod receiver;

pub mod clock;

pub mod patience;

pub mod server;

pub mod principal;

pub mod wishes;

pub mod child;

pub mod random;

pub mod picture;
