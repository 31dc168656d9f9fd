//! A proposal: what induction made of a cluster, before conflicts are looked for (Z-111, Z-112).

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::grounds::Grounds;
use crate::domain::template::key::KeyDefinition;

/// A candidate key and where it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Always `required: false` (Z-125).
    pub key: KeyDefinition,
    /// Known surface values, lower case, most frequent first: what the judge compares with.
    pub surfaces: Vec<String>,
    /// Redacted fragments that may be shown as evidence.
    pub examples: Vec<String>,
    /// Whether the meaning is sensitive (Z-165) and why, in a word.
    pub sensitive: Option<String>,
    /// Why it is as it is.
    #[serde(default)]
    pub grounds: Grounds,
}
