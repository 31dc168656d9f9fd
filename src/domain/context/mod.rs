//! Context that travels between agents beside the work itself.
//!
//! Owns what agents tell each other of a task. Knows no journal, no transport and no clock. Invariant: who may read what is
//! decided here, from names that the identity layer established.

pub mod work;
