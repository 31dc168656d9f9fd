//! Journals on disk: the embedded store, and one in memory with the same contract.
//!
//! Knows the journal's port; knows nothing of what the records say. Invariant: what was acknowledged is on disk, in
//! order, chained by hash; what is damaged or missing is named, never passed over.

pub mod options;

pub mod frame;

pub mod heads;

pub mod snapshots;

pub mod rows;

pub mod committer;

pub mod embedded;

pub mod verify;

pub mod memory;
