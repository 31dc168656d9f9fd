//! What the check of one payload found: why it is refused, with the repair where one is determined, and what is said beside it.
//!
//! Shapes only: the validator finds violations, and what puts one right is looked for beside it. Invariant: no value of a payload
//! stands in a violation, but in a repair, where it is the client's own value put right.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use utoipa::ToSchema;

use crate::name::KeyName;
use crate::name::PatchId;

/// Violations reported for one payload: enough to mend it in one go, and an answer stays small.
pub const VIOLATIONS_MAX: usize = 100;

/// What is wrong with a value, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
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

/// An operation of RFC 6902 on the submission, such as `{"op":"replace","path":"/payload/k","value":2,"lossless":true}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RepairOperation {
    /// `replace`, `move`, `copy` or `remove`.
    pub op: &'static str,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub value: Option<Value>,
    /// True where it loses and guesses nothing, so that a client applies it by itself. Any other is an offer.
    pub lossless: bool,
}

/// One reason for a refusal. Never holds the value.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Violation {
    pub key: String,
    /// JSON pointer from the submission, such as `/payload/passenger_count`.
    pub pointer: String,
    pub code: ViolationCode,
    pub message: String,
    /// What would have been right: `type`, `enum`, bounds.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub expected: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub received_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub nearest_key: Option<String>,
    /// RFC 6902 operations on the submission, where the right value is determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<RepairOperation>)]
    pub repair: Option<Vec<RepairOperation>>,
}

impl Violation {
    /// A violation of which no more is known.
    pub(super) fn new(key: &str, pointer: String, code: ViolationCode, message: String) -> Violation {
        Violation {
            key: key.to_owned(),
            pointer,
            code,
            message,
            expected: Map::new(),
            received_type: None,
            nearest_key: None,
            repair: None,
        }
    }
}

/// Said beside an answer; never refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Warning {
    pub key: String,
    /// `unknown_key`, `patch_value`, `value_kept_out`, `deprecated_key`, `withdrawn_key`, `other_truncated`, `other_deferred`,
    /// `other_unread`, `repeated_key`, `unknown_member`, `taken_as_other`.
    pub code: &'static str,
    pub message: String,
    /// RFC 6902 operations on the submission, where the right payload is determined.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<RepairOperation>)]
    pub repair: Option<Vec<RepairOperation>>,
}

impl Warning {
    /// A warning without a repair.
    pub fn new(key: &str, code: &'static str, message: impl Into<String>) -> Warning {
        Warning {
            key: key.to_owned(),
            code,
            message: message.into(),
            repair: None,
        }
    }
}

/// A patch key that was present in a payload: what the ledger counts (Z-135, Z-138).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    pub patch_id: PatchId,
    pub key: KeyName,
    /// Whether the value is of the key's type, whatever list, range or pattern it misses.
    pub type_ok: bool,
}

/// The outcome of a check. Accepted when there is no violation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    pub violations: Vec<Violation>,
    pub warnings: Vec<Warning>,
    /// Optional keys that were absent (or `null`) and have a default (Z-043).
    pub defaults_applied: Vec<KeyName>,
    /// Keys whose value is wrong, is not executed, and refuses nothing: learned ones whose value is of another type, and, on a lenient
    /// reading, optional ones.
    pub kept_out: Vec<KeyName>,
    /// True where the payload was read leniently: the request prefers it, and the template allows it.
    pub lenient: bool,
    /// Keys of the template that were given a value, whatever is wrong with it.
    pub filled: BTreeSet<KeyName>,
    /// Keys of the patch layer that were present.
    pub observed: Vec<Observed>,
    /// Strings found in `other`, in order, truncated to the limit.
    pub other: Vec<String>,
    /// Unknown top-level keys with their value as text: demand (`"key: value"`).
    pub unknown: Vec<(String, String)>,
    /// What would be executed: the values of known keys but those kept out, and defaults. Filled only on request.
    pub normalised: Option<Map<String, Value>>,
}

impl Verdict {
    /// Whether nothing refuses the payload.
    pub fn accepted(&self) -> bool {
        self.violations.is_empty()
    }

    pub(super) fn refuse(&mut self, violation: Violation) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(violation);
        }
    }

    pub(super) fn warn(&mut self, key: &str, code: &'static str, message: impl Into<String>) {
        self.warnings.push(Warning::new(key, code, message));
    }
}
