//! What is asked of tasks, as it is read out of a body; its secrets are gone before anything is made of it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use serde_json::Value;

use crate::api::tasks::MasterVerdict;
use crate::api::tasks::MasterVerdicts;
use crate::app::error::ServiceError;
use context::fields::refuse_repeated;
use context::task_context::agent_context::AgentContext;
use context::task_context::evaluation::Overruled;
use context::task_context::evaluation::REASON_CHARS_MAX;
use text::secrets;
use text::secrets::Scope;

/// What a verdict of the master's must be.
const VERDICT: &str = "must have itemId, a reason and the member verified, true or false, and nothing else";

/// What a body says by its members, which are those of a type; `form` says which.
///
/// # Errors
/// [`ServiceError::BadRequest`] where it is anything else; a member that is not known, missing or given twice is named.
pub fn read<T: DeserializeOwned>(body: &str, form: &str) -> Result<T, ServiceError> {
    refuse_repeated(body)
        .map_err(|fault| ServiceError::BadRequest(format!("{} {}", fault.field, fault.description)))?;
    let wrong = || format!("the body must be a JSON object with {form}");
    let members: Map<String, Value> = serde_json::from_str(&secrets::scrubbed_whole(body, Scope::Everywhere))
        .map_err(|_| ServiceError::BadRequest(wrong()))?;
    serde_json::from_value(Value::Object(members)).map_err(|error| {
        let said = error.to_string();
        // These name a member alone; others would show a value.
        let is_of_names = ["unknown", "missing", "duplicate"]
            .iter()
            .any(|word| said.starts_with(&format!("{word} field")));
        let shown = said.get(..said.floor_char_boundary(128)).filter(|_| is_of_names);
        ServiceError::BadRequest(shown.map_or_else(wrong, |said| format!("{said}: {}", wrong())))
    })
}

/// The master's own verdicts by item: `{"verdicts"?: [{"itemId", "verified", "reason"}]}`; an empty body is none.
///
/// # Errors
/// [`ServiceError::BadRequest`].
pub fn overruled(body: &str, context: &AgentContext) -> Result<BTreeMap<String, Overruled>, ServiceError> {
    let body = if body.trim().is_empty() { "{}" } else { body };
    let MasterVerdicts { verdicts } = read(body, "verdicts, an array")?;
    let mut overruled = BTreeMap::new();
    for (place, verdict) in verdicts.into_iter().enumerate() {
        let wrong = |what: &str| ServiceError::BadRequest(format!("verdicts[{place}] {what}"));
        let verdict = MasterVerdict::deserialize(verdict).map_err(|_| wrong(VERDICT))?;
        if !context.todo_items.iter().any(|todo| todo.item_id == verdict.item_id) {
            return Err(wrong("must name an itemId of todoItems"));
        }
        let verified = verdict.verified;
        let reason = verdict.reason.trim().to_owned();
        if reason.is_empty() || reason.chars().count() > REASON_CHARS_MAX {
            return Err(wrong(&format!(
                "must give a reason of 1 to {REASON_CHARS_MAX} characters"
            )));
        }
        if overruled
            .insert(verdict.item_id, Overruled { verified, reason })
            .is_some()
        {
            return Err(wrong("names an item again"));
        }
    }
    Ok(overruled)
}
