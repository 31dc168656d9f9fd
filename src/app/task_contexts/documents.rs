//! Tasks and subtasks as they are told, and the bodies that are read.
//!
//! Members of the draft bear its names; what is said beside them is in snake case. Invariant: to its agent a subtask tells nothing
//! of the task but its own context, its state, what was found of it and whether the task is closed.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::error::ServiceError;
use context::fields::refuse_repeated;
use context::task_context::agent_context::AgentContext;
use context::task_context::evaluation::Evaluation;
use context::task_context::evaluation::Judged;
use context::task_context::evaluation::Overruled;
use context::task_context::evaluation::REASON_CHARS_MAX;
use context::task_context::event::Mode;
use context::task_context::event::Release;
use context::task_context::id::SubtaskId;
use context::task_context::round;
use context::task_context::task_context::TaskContext;
use context::task_context::works::Subtask;
use context::task_context::works::Work;
use schema::time::At;
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

/// `{"TaskContext", "mode", "release", "state", "created_at", "changed_at", "expires_at", "rounds": […], "subtasks": […]}`
pub fn task(work: &Work, context: &TaskContext, end: At) -> Value {
    let rounds: Vec<Value> = round::rounds(work)
        .into_iter()
        .map(|(round, turn, ids)| {
            let ids: Vec<&str> = ids.into_iter().map(SubtaskId::as_str).collect();
            json!({"round": round, "state": turn.name(), "subtasks": ids})
        })
        .collect();
    let subtasks: Vec<Value> = work
        .subtasks
        .iter()
        .map(|(id, subtask)| {
            json!({
                "SubTaskID": id.as_str(), "AgentID": subtask.agent.as_str(), "round": subtask.round,
                "state": round::state(work, subtask), "changed_at": round::since(work, subtask).rfc3339(),
            })
        })
        .collect();
    let mut document = row(work, end);
    document.insert("TaskContext".to_owned(), json!(context));
    document.remove("TaskID");
    document.insert("rounds".to_owned(), json!(rounds));
    document.insert("subtasks".to_owned(), json!(subtasks));
    Value::Object(document)
}

/// `{"TaskID", "mode", "release", "state", "created_at", "changed_at", "expires_at", "subtasks": {"complete": 1, …}}`
pub fn row(work: &Work, end: At) -> Map<String, Value> {
    let mut counts: Map<String, Value> = Map::new();
    let states: Vec<&str> = round::states(work).collect();
    for state in round::STATES {
        let own = states.iter().filter(|own| **own == state);
        counts.insert(state.to_owned(), json!(own.count()));
    }
    Map::from_iter([
        ("TaskID".to_owned(), json!(work.id.as_str())),
        ("mode".to_owned(), json!(work.mode().name())),
        ("release".to_owned(), json!(work.release.name())),
        ("state".to_owned(), json!(if work.closed { "closed" } else { "open" })),
        ("created_at".to_owned(), json!(work.began.rfc3339())),
        ("changed_at".to_owned(), json!(work.changed.rfc3339())),
        ("expires_at".to_owned(), json!(end.rfc3339())),
        ("subtasks".to_owned(), Value::Object(counts)),
    ])
}

/// `{"TaskID", "SubTaskID", "state", "changed_at"}`: what an agent's list says of a subtask.
pub fn assigned(work: &Work, id: &SubtaskId, subtask: &Subtask) -> Value {
    json!({
        "TaskID": work.id.as_str(), "SubTaskID": id.as_str(), "state": round::state(work, subtask),
        "changed_at": round::since(work, subtask).rfc3339(),
    })
}

/// `{"AgentContext", "state", "closed"?, "evaluation"?}`; `closed` is true where its task is, and is not there else.
pub fn subtask(context: &AgentContext, state: &str, closed: bool, evaluation: Option<&Evaluation>) -> Value {
    let mut document = json!({"AgentContext": context, "state": state});
    if closed {
        document["closed"] = json!(true);
    }
    if let Some(evaluation) = evaluation {
        document["evaluation"] = json!(evaluation);
    }
    document
}

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
    let mode = said.as_str().and_then(Mode::named);
    let wrong = || ServiceError::BadRequest("mode must be synchronous or asynchronous".to_owned());
    mode.map(Some).ok_or_else(wrong)
}

/// What lets the next subtasks begin, where the body says it.
///
/// # Errors
/// [`ServiceError::BadRequest`].
pub fn release(members: &Map<String, Value>) -> Result<Release, ServiceError> {
    let Some(said) = members.get("release") else {
        return Ok(Release::default());
    };
    let wrong = || ServiceError::BadRequest("release must be verified or structural".to_owned());
    said.as_str().and_then(Release::named).ok_or_else(wrong)
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
