//! What the words of a fragment say before any vector is looked at: typed values, roles, cues, or no demand at all.

use serde::Deserialize;
use serde::Serialize;

/// Why a fragment does not reach the pool (Z-065).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoDemand {
    Empty,
    Acknowledgement,
    Thanks,
    Question,
}

/// The type of a value that a fragment mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    Money,
    Time,
    Date,
    Duration,
    Address,
    Place,
    Number,
    Name,
    /// No value at all.
    None,
}

/// A value found in a fragment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub value_type: ValueType,
    /// Byte range within the fragment.
    pub start: usize,
    pub end: usize,
}

/// A fragment as read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Distinct types, sorted; `[None]` when no value was found.
    pub types: Vec<ValueType>,
    /// Role words beside the values, as tags such as `SRC`, `DST`, `RET`, `U:bag`; sorted, distinct.
    pub roles: Vec<String>,
    /// Lexical cues such as `p:to` or `u:bag`; sorted, distinct.
    pub cues: Vec<String>,
}

/// Splits what one client said into fragments: sentences and clauses, never inside a value. Keeps at most `max`.
pub fn split(text: &str, max: usize) -> Vec<String> {
    let _ = (text, max);
    todo!()
}

/// Reads one fragment. `service_words` are the content words of the template's description and scenario: they carry no
/// demand of their own.
///
/// # Errors
/// Why the fragment carries no demand.
pub fn read(fragment: &str, service_words: &[String]) -> Result<Reading, NoDemand> {
    let _ = (fragment, service_words);
    todo!()
}

/// The typed values of a fragment, in order, without overlaps.
pub fn spans(fragment: &str) -> Vec<Span> {
    let _ = fragment;
    todo!()
}

/// The fragment with personal data (e-mail, phone, card and account numbers, long digit runs, names after a name cue)
/// replaced by marks such as `<email>`, and with control characters, bidi marks and markup made harmless (Z-169, Z-171).
pub fn redact(fragment: &str) -> String {
    let _ = fragment;
    todo!()
}
