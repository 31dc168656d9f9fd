//! Conflict: does a candidate say what a key already says, by name or by meaning (Z-113, Z-114, Z-126)?

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::vector::Vector;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::name::KeyName;

/// How a candidate relates to the keys that exist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conflict {
    /// Nothing like it.
    Free,
    /// The same key in other words: refine its description (never type, default or requiredness).
    Merge {
        key_name: KeyName,
        semantic_description: String,
        by: Collision,
    },
    /// A key whose description already says all of it: nothing to do.
    Covered { key_name: KeyName },
}

/// What collided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Collision {
    Name,
    Meaning,
}

/// An existing key with the vector of its `name: description`.
#[derive(Clone, Debug)]
pub struct Incumbent<'a> {
    pub key: &'a EffectiveKey,
    pub meaning: Option<&'a Vector>,
}

/// Compares a candidate with every incumbent: base keys, and keys of patches that are not expired, for the audience.
pub fn detect(
    proposal: &Proposal,
    meaning: Option<&Vector>,
    centroid: Option<&Vector>,
    incumbents: &[Incumbent<'_>],
) -> Conflict {
    let _ = (proposal, meaning, centroid, incumbents);
    todo!()
}
