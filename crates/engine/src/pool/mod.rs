//! What is said but not agreed: fragments as vectors, clustered and heated, until a gate opens.
//!
//! Knows templates and what was submitted; knows nothing of trials, stages or storage. Pure: vectors come in as
//! quantised integers, time as `At`. Texts pass through and are not kept.

pub mod analysis;
pub mod assignment;
pub mod cohort;
pub mod coverage;
pub mod draft;
pub mod gate;
pub mod heading;
pub mod heads;
pub mod heard;
pub mod heat;
pub mod hold;
pub mod languages;
pub mod linkage;
pub mod micro;
pub mod policy;
pub mod proposal;
pub mod rationale;
pub mod recluster;
pub mod reclustering;
pub mod reembed;
pub mod source;
pub mod state;
pub mod window;

#[cfg(test)]
pub(crate) mod tests;
