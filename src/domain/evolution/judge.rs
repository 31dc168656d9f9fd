//! The judge without a language model: does the value match what was asked (Z-136, Z-137, DESIGN §7)?

use crate::domain::evolution::ledger::Basis;
use crate::domain::template::key::KeyDefinition;

/// What the judge sees of one payload.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    pub key: &'a KeyDefinition,
    /// The value as it was sent, JSON text.
    pub value: &'a serde_json::Value,
    pub utterance: Option<&'a str>,
    /// Strings that the same payload left in `other`.
    pub other: &'a [String],
    /// Known surface values of the key's cluster, lower case.
    pub surfaces: &'a [String],
}

/// Judges one value; `None` when nothing can be said. Lexical with an utterance; a proxy without one: a known surface
/// value, and whether `other` still asks for the same.
pub fn judge(case: &Case<'_>) -> Option<(bool, Basis)> {
    let _ = case;
    todo!()
}
