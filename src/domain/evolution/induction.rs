//! Induction: from a cluster's fragments to a candidate key, by rules (Z-109 … Z-112).

use crate::domain::pool::proposal::Proposal;
use crate::domain::pool::reading::Reading;
use crate::domain::template::effective::EffectiveKey;
use crate::domain::template::name::ClientId;
use crate::domain::time::At;

/// One member of the cluster, with its text out of the sealed part of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub text: String,
    pub client: Option<ClientId>,
    pub reading: Reading,
    /// When it was said: dates are relative to it.
    pub at: At,
}

/// What induction sees.
#[derive(Clone, Debug)]
pub struct Inducement<'a> {
    pub members: &'a [Member],
    /// Fragments of the pool that are not in the cluster: what this service's clients say anyway.
    pub background: &'a [String],
    /// Name and description of the service.
    pub scenario: &'a str,
    pub description: &'a str,
    /// Keys in force for the audience.
    pub keys: &'a [EffectiveKey],
    /// Whether the key is for the one client who said all of this: its examples may be shown to it.
    pub personal: bool,
    pub example_clients_min: u64,
}

/// Why no key came of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abstention {
    /// Mostly questions.
    Question,
    /// Nothing in it says what is wanted.
    NoContent,
    /// No name that is legal and free of sensitive text could be made.
    NoName,
}

/// Makes a candidate out of a cluster.
///
/// # Errors
/// Why none was made.
pub fn induce(inducement: &Inducement<'_>) -> Result<Proposal, Abstention> {
    let _ = inducement;
    todo!()
}
