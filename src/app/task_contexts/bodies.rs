//! What is asked of tasks, as it is read out of a body.

use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;

use crate::app::error::ServiceError;
use context::fields::refuse_repeated;
use context::task_context::agent_context::AgentContext;
use context::task_context::evaluation::Judged;
use context::task_context::evaluation::Overruled;
use context::task_context::evaluation::REASON_CHARS_MAX;
use context::task_context::event::Mode;
use context::task_context::event::Release;
use text::secrets;
use text::secrets::Scope;

/// What the templates call the contexts, with the document's names for them.
const SPELLINGS: [(&str, &str); 3] = [
    ("task_context", "TaskContext"),
    ("agent_context", "AgentContext"),
    ("agent_contexts", "AgentContexts"),
];

/// What a verdict of the master's may hold.
const VERDICT_MEMBERS: [&str; 4] = ["itemId", "verified", "verdict", "reason"];

/// A body's members, none but these; its secrets are gone before anything is made of it.
///
/// # Errors
/// [`ServiceError::BadRequest`] naming what is wrong.
pub fn members(body: &str, known: &[&str]) -> Result<Map<String, Value>, ServiceError> {
    refuse_repeated(body).map_err(|fault| {
        let (field, what) = (fault.field, fault.description);
        ServiceError::BadRequest(format!("{field} {what}"))
    })?;
    let parsed: Result<Value, _> = serde_json::from_str(&secrets::scrubbed_whole(body, Scope::Everywhere));
    let said = || format!("the body is a JSON object with {}", known.join(", "));
    let Ok(Value::Object(mut members)) = parsed else {
        return Err(ServiceError::BadRequest(said()));
    };
    for (other, written) in SPELLINGS {
        if !members.contains_key(written)
            && let Some(value) = members.remove(other)
        {
            members.insert(written.to_owned(), value);
        }
    }
    if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
        let shown = &unknown[..unknown.floor_char_boundary(128)];
        return Err(ServiceError::BadRequest(format!(
            "{shown:?} is no member here: {}",
            said()
        )));
    }
    Ok(members)
}

/// The member that a body must have.
///
/// # Errors
/// [`ServiceError::BadRequest`] naming it.
pub fn required<'a>(members: &'a Map<String, Value>, name: &str) -> Result<&'a Value, ServiceError> {
    let found = members.get(name).filter(|value| !value.is_null());
    found.ok_or_else(|| ServiceError::BadRequest(format!("{name} is required")))
}

/// How subtasks are to be handed out, where the body says it.
///
/// # Errors
/// [`ServiceError::BadRequest`].
pub fn mode(members: &Map<String, Value>) -> Result<Option<Mode>, ServiceError> {
    let Some(said) = members.get("mode") else {
        return Ok(None);
    };
    let wrong = |_| ServiceError::BadRequest("mode must be synchronous or asynchronous".to_owned());
    Mode::deserialize(said).map(Some).map_err(wrong)
}

/// What lets the next subtasks begin, where the body says it.
///
/// # Errors
/// [`ServiceError::BadRequest`].
pub fn release(members: &Map<String, Value>) -> Result<Release, ServiceError> {
    let Some(said) = members.get("release") else {
        return Ok(Release::default());
    };
    let wrong = |_| ServiceError::BadRequest("release must be verified or structural".to_owned());
    Release::deserialize(said).map_err(wrong)
}

/// The master's own verdicts: `{"verdicts"?: [{"itemId", "verified" | "verdict", "reason"}]}`; an empty body is none.
///
/// # Errors
/// [`ServiceError::BadRequest`].
pub fn overruled(body: &str, context: &AgentContext) -> Result<Vec<(String, Overruled)>, ServiceError> {
    if body.trim().is_empty() {
        return Ok(Vec::new());
    }
    let wrong = |place: usize, what: &str| ServiceError::BadRequest(format!("verdicts[{place}] {what}"));
    let members = members(body, &["verdicts"])?;
    let Some(verdicts) = members.get("verdicts") else {
        return Ok(Vec::new());
    };
    let Value::Array(verdicts) = verdicts else {
        return Err(ServiceError::BadRequest("verdicts must be an array".to_owned()));
    };
    let mut read: Vec<(String, Overruled)> = Vec::new();
    for (place, verdict) in verdicts.iter().enumerate() {
        let item = verdict["itemId"].as_str().unwrap_or_default();
        if !context.todo_items.iter().any(|todo| todo.item_id == item) {
            return Err(wrong(place, "must name an itemId of todoItems"));
        }
        if read.iter().any(|(other, _)| other == item) {
            return Err(wrong(place, "names an item again"));
        }
        let verified = is_verified(verdict).map_err(|what| wrong(place, what))?;
        let known = |member: &String| VERDICT_MEMBERS.contains(&member.as_str());
        if !verdict.as_object().is_some_and(|verdict| verdict.keys().all(known)) {
            let what = format!("may hold {} and nothing else", VERDICT_MEMBERS.join(", "));
            return Err(wrong(place, &what));
        }
        let reason = verdict["reason"].as_str().map(str::trim).unwrap_or_default();
        if reason.is_empty() || reason.chars().count() > REASON_CHARS_MAX {
            return Err(wrong(
                place,
                &format!("must give a reason of 1 to {REASON_CHARS_MAX} characters"),
            ));
        }
        let reason = reason.to_owned();
        read.push((item.to_owned(), Overruled { verified, reason }));
    }
    Ok(read)
}

/// What a verdict of the master's says: `verified`, or `verdict` in the words of an evaluation.
fn is_verified(verdict: &Value) -> Result<bool, &'static str> {
    let word = |word: &Value| match word.as_str() {
        Some(word) if word == Judged::Verified.name() => Ok(true),
        Some(word) if word == Judged::Unverified.name() => Ok(false),
        _ => Err("must have verdict \"verified\" or \"unverified\" (or the member verified, true or false)"),
    };
    let flag = |flag: &Value| flag.as_bool().ok_or("must have verified true or false");
    match (verdict.get("verified"), verdict.get("verdict")) {
        (Some(said), None) => flag(said),
        (None, Some(said)) => word(said),
        (Some(one), Some(other)) if flag(one)? == word(other)? => flag(one),
        (Some(_), Some(_)) => Err("says one thing by verified and another by verdict"),
        (None, None) => {
            Err("must have the member verified, true or false (or verdict, \"verified\" or \"unverified\")")
        }
    }
}
