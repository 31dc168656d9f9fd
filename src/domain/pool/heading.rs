//! What a reader made of the fragments of a cluster: whoever looked at the texts themselves and said what they mean together.
//!
//! Words of a reader are kept as they were given; what of them may be shown is decided where a key is made of them
//! ([`crate::domain::evolution::screen`]).

use serde::Deserialize;
use serde::Serialize;

use crate::domain::pool::micro::FragmentId;
use crate::domain::template::key::KeyType;
use crate::domain::template::key::Sensitive;
use crate::domain::template::name::KeyName;

/// What a cluster stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    /// One wish.
    Wish(Box<Wish>),
    /// What a key in force holds already.
    Held(KeyName),
    /// Nothing is asked for.
    Nothing,
}

impl Heading {
    /// The wish, where it is one.
    pub fn wish(&self) -> Option<&Wish> {
        match self {
            Heading::Wish(wish) => Some(wish),
            Heading::Held(_) | Heading::Nothing => None,
        }
    }
}

/// One wish in the words of a reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    pub key_name: KeyName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub key_type: KeyType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Values that were said; empty where any value may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Sensitive>,
    /// The fragments that the reader saw.
    #[serde(default)]
    pub ids: Vec<FragmentId>,
    /// Those of them that want the opposite of what the name of a switch says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<FragmentId>,
    /// Who read it: the name of a model, or of a person.
    pub by: String,
}
