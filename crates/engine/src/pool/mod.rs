//! What is said but not agreed: fragments as vectors, clustered and heated, until a gate opens.
//!
//! Knows templates and what was submitted; knows nothing of trials, stages or storage. Pure: vectors come in as
//! quantised integers, time as `At`. Texts pass through and are not kept.

pub mod policy;

pub mod nearest;

pub mod languages;

pub mod analysis;

pub mod source;

pub mod heard;

pub mod heading;

pub mod heads;

pub mod heat;

pub mod micro;

pub mod assignment;

pub mod draft;

pub mod feature;

pub mod linkage;

pub mod block;

pub mod cluster_identity;

pub mod hold;

pub mod recluster;

pub mod regroup;

pub mod mean;

pub mod reembed;

pub mod texts;

pub mod coverage;

pub mod gate;

pub mod cohort;

pub mod window;

pub mod rationale;

pub mod proposal;

pub mod state;

pub mod check;

#[cfg(test)]
pub(crate) mod sample;
