//! What is learned from what no key holds.
//!
//! [`pool`] gathers what was said but not agreed: fragments of `other`, clustered and heated. [`evolution`] turns a mature cluster
//! into a key, tries it, keeps it or drops it. [`scenario`] is all of this as one value: `decide` what happens, `evolve` what it
//! means. [`namespace`] is what stands above the scenarios, [`bound`] what a number of a policy may be. Pure: no clock, no input or output, no randomness, no async, no globals.

pub mod bound;

pub mod pool;

pub mod evolution;

pub mod scenario;

pub mod namespace;

#[cfg(test)]
extern crate self as engine;
