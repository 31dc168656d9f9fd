//! A proposal: what induction made of a cluster, before conflicts are looked for (Z-111, Z-112).

use serde::Deserialize;
use serde::Serialize;

use crate::pool::heading::Wish;
use crate::pool::hold::Hold;
use crate::pool::rationale::Rationale;
use schema::key::KeyDefinition;

/// A fragment that may stand in the description, and what it maps to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub fragment: String,
    /// `None` where no value could be told apart.
    pub value: Option<String>,
    /// The words that the value was read from, where they are a typed value's.
    pub from: Option<String>,
}

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
    pub grounds: Rationale,
    /// What a person has to look at first.
    #[serde(default)]
    pub holds: Vec<Hold>,
    /// What the description says before values and examples.
    #[serde(default)]
    pub about: String,
    /// Everything that could stand in the description as an example, the best first.
    #[serde(default)]
    pub shown: Vec<Shown>,
    /// What a reader said of it, where one has read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Box<Wish>>,
}

impl Proposal {
    /// Whether somebody has read what was said. A key that a person made of a cluster as it is nobody has read.
    pub fn is_read(&self) -> bool {
        self.read.as_ref().is_some_and(|wish| !wish.by_hand)
    }
}
