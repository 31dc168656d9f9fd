//! What the check of one payload found.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::exchange::violation::Violation;
use crate::exchange::violation::Warning;
use crate::name::KeyName;
use crate::name::PatchId;

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
    /// Learned keys whose value is of another type: it is not executed, and refuses nothing.
    pub kept_out: Vec<KeyName>,
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
}
