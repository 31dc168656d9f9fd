//! The repairs that a refusal names, applied to the payload that was refused.

use serde_json::Value;
use serde_json::json;

use crate::error::Violation;

/// The payload with every violation mended; `None` where one has no repair, or a repair does not apply.
pub(crate) fn repaired(payload: &Value, violations: &[Violation]) -> Option<Value> {
    let mut document = json!({ "payload": payload });
    for violation in violations {
        let steps = serde_json::from_value::<json_patch::Patch>(violation.repair.clone()?).ok()?;
        json_patch::patch(&mut document, &steps).ok()?;
    }
    let mended = document.get_mut("payload").map(Value::take);
    mended.filter(|mended| !violations.is_empty() && mended.is_object())
}
