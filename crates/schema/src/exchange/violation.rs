//! Why a payload is refused, and the repair that is offered where it is determined.
//!
//! Shapes only: the validator finds violations, and what puts one right is looked for beside it.
//! Invariant: no value of a payload stands here, but in a repair, where it is the client's own value put right.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

/// Violations reported for one payload: enough to mend it in one go, and an answer stays small.
pub const VIOLATIONS_MAX: usize = 100;

/// The codes of docs/design.md §4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ViolationCode {
    MissingRequired,
    WrongType,
    NotAcceptable,
    OutOfRange,
    BadFormat,
    BadShape,
    UnknownKey,
}

/// One RFC 6902 operation on the submission, such as `{"op":"replace","path":"/payload/k","value":2}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepairOperation {
    /// `replace`, `move`, `copy` or `remove`.
    pub op: &'static str,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// One reason for a refusal. Never holds the offending value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Violation {
    pub key: String,
    /// JSON pointer from the submission, such as `/payload/passenger_count`.
    pub pointer: String,
    pub code: ViolationCode,
    pub message: String,
    /// `{"type", "enum"?, …}`: what would have been right.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub expected: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<Vec<RepairOperation>>,
}

/// Said to the client beside an acceptance or a refusal; never refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    pub key: String,
    /// `unknown_key`, `patch_value`, `deprecated_key`, `withdrawn_key`, `other_truncated`, `other_deferred`,
    /// `other_unread`, `repeated_key`, `unknown_member`.
    pub code: &'static str,
    pub message: String,
}
