//! Tasks, messages and steps as the JSON texts of the protocol (A2A §4), with contents out of the journal.
//!
//! Contents are passed on word for word. Invariant: what was erased is left out, never made up.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::a2a_tasks::worker::Words;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use context::a2a_task::decide::Filter;
use context::a2a_task::index::Step;
use context::a2a_task::index::Task;
use context::a2a_task::index::TaskIndex;
use context::a2a_task::message::Artifact;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::a2a_task::message::Role;
use context::a2a_task::phase::Phase;
use schema::time::At;

/// The media type of a part that says what is wrong.
pub const PROBLEM: &str = "application/problem+json";

/// Which tasks of a list are wanted, and how much of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub filter: Filter,
    pub size: usize,
    /// Where the page begins.
    pub before: Option<u64>,
    /// The last messages of each; `None` for all.
    pub messages: Option<usize>,
    pub artifacts: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskDocument<'a> {
    id: &'a str,
    context_id: &'a str,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifacts: Option<Vec<Box<RawValue>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Box<RawValue>>,
}

#[derive(Serialize)]
struct Status {
    state: Phase,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Box<RawValue>>,
    timestamp: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusUpdate<'a> {
    task_id: &'a str,
    context_id: &'a str,
    status: Status,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactUpdate<'a> {
    task_id: &'a str,
    context_id: &'a str,
    artifact: Box<RawValue>,
    append: bool,
    last_chunk: bool,
}

/// A task with its last messages; `None` for all of them.
///
/// # Errors
/// A fault of the journal.
pub fn task(
    events: &EventStore<TaskIndex>,
    task: &Task,
    messages: Option<usize>,
    artifacts: bool,
) -> Result<String, ServiceError> {
    let skipped = messages.map_or(0, |messages| task.history.len().saturating_sub(messages));
    let mut history = Vec::new();
    for seq in task.history.iter().skip(skipped) {
        history.extend(raw(events, *seq)?);
    }
    let artifacts = artifacts.then(|| self::artifacts(events, task)).transpose()?;
    text(&TaskDocument {
        id: task.id.as_str(),
        context_id: &task.context,
        status: status(events, task.phase, task.at, task.saying)?,
        artifacts,
        history,
    })
}

fn artifacts(events: &EventStore<TaskIndex>, task: &Task) -> Result<Vec<Box<RawValue>>, ServiceError> {
    let mut artifacts = Vec::new();
    for (_, pieces) in &task.artifacts {
        let mut texts = Vec::new();
        for piece in pieces {
            texts.extend(events.content(piece.seq)?);
        }
        let whole = match texts.as_slice() {
            [] => continue,
            [one] => one.clone(),
            [first, rest @ ..] => {
                let Some(mut whole) = Artifact::read(first) else {
                    continue;
                };
                whole.parts.extend(
                    rest.iter()
                        .filter_map(|text| Artifact::read(text))
                        .flat_map(|piece| piece.parts),
                );
                text(&whole)?
            }
        };
        artifacts.push(as_raw(whole)?);
    }
    Ok(artifacts)
}

/// A page of tasks.
pub fn page(tasks: &[String], next: Option<u64>, size: usize, total: usize) -> String {
    let next = json!(next.map(|next| next.to_string()).unwrap_or_default());
    format!(
        "{{\"tasks\":[{}],\"nextPageToken\":{next},\"pageSize\":{size},\"totalSize\":{total}}}",
        tasks.join(",")
    )
}

/// One step as a stream response.
///
/// # Errors
/// A fault of the journal.
pub fn step(events: &EventStore<TaskIndex>, task: &Task, step: &Step) -> Result<Option<String>, ServiceError> {
    let (task_id, context_id) = (task.id.as_str(), task.context.as_str());
    match step {
        Step::Status { seq, at, phase, said } => {
            let update = StatusUpdate {
                task_id,
                context_id,
                status: status(events, *phase, *at, said.then_some(*seq))?,
            };
            Ok(Some(format!("{{\"statusUpdate\":{}}}", text(&update)?)))
        }
        Step::Artifact(piece) => {
            let Some(artifact) = raw(events, piece.seq)? else {
                return Ok(None);
            };
            let update = ArtifactUpdate {
                task_id,
                context_id,
                artifact,
                append: piece.append,
                last_chunk: piece.last,
            };
            Ok(Some(format!("{{\"artifactUpdate\":{}}}", text(&update)?)))
        }
    }
}

fn status(events: &EventStore<TaskIndex>, phase: Phase, at: At, saying: Option<u64>) -> Result<Status, ServiceError> {
    let message = match saying {
        Some(seq) => raw(events, seq)?,
        None => None,
    };
    Ok(Status {
        state: phase,
        message,
        timestamp: moment(at),
    })
}

/// A moment with its milliseconds, as the protocol writes it (A2A §5.6.1).
fn moment(at: At) -> String {
    let milliseconds = at.0.rem_euclid(1_000);
    let second = at.plus_ms(-milliseconds).rfc3339();
    format!("{}.{milliseconds:03}Z", second.trim_end_matches('Z'))
}

/// What the service says.
///
/// # Errors
/// A fault where it cannot be written, which no input brings about.
pub fn message(id: &str, context: &str, task: &str, words: Words) -> Result<String, ServiceError> {
    text(&Message {
        message_id: id.to_owned(),
        context_id: context.to_owned(),
        task_id: task.to_owned(),
        role: Role::Agent,
        parts: words.parts,
        metadata: words.metadata,
        extensions: words.extensions,
        reference_task_ids: Vec::new(),
    })
}

/// What is wrong, where a status says so in a part of its own (RFC 9457).
///
/// # Errors
/// A fault of the journal.
pub fn problem(events: &EventStore<TaskIndex>, task: &Task) -> Result<Option<Value>, ServiceError> {
    let Some(said) = task.saying else { return Ok(None) };
    let Some(text) = events.content(said)? else {
        return Ok(None);
    };
    let parts = Message::read(&text, "message")
        .map(|message| message.parts)
        .unwrap_or_default();
    let found = parts.iter().find(|part| part.media_type == PROBLEM);
    let said = found.and_then(Part::as_data);
    Ok(said.and_then(|json| serde_json::from_str(json).ok()))
}

/// Words without metadata.
pub fn words(parts: Vec<Part>) -> Words {
    Words {
        parts,
        metadata: Map::new(),
        extensions: Vec::new(),
    }
}

/// What goes into a sealed part.
///
/// # Errors
/// A fault where it cannot be written, which no input brings about.
pub fn sealed(value: &impl Serialize) -> Result<Vec<u8>, ServiceError> {
    text(value).map(String::into_bytes)
}

fn raw(events: &EventStore<TaskIndex>, seq: u64) -> Result<Option<Box<RawValue>>, ServiceError> {
    events.content(seq)?.map(as_raw).transpose()
}

fn as_raw(text: String) -> Result<Box<RawValue>, ServiceError> {
    RawValue::from_string(text).map_err(|error| ServiceError::Fault(error.to_string()))
}

fn text(value: &impl Serialize) -> Result<String, ServiceError> {
    serde_json::to_string(value).map_err(|error| ServiceError::Fault(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::moment;
    use super::page;

    #[test]
    fn a_moment_has_three_digits_of_milliseconds() {
        assert_eq!(moment(At(1_000)), "1970-01-01T00:00:01.000Z");
        assert_eq!(moment(At(1_290)), "1970-01-01T00:00:01.290Z");
        assert_eq!(moment(At(-1)), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn the_last_page_names_no_other() {
        let last = page(&["{}".to_owned()], None, 50, 1);
        assert_eq!(last, r#"{"tasks":[{}],"nextPageToken":"","pageSize":50,"totalSize":1}"#);
        assert!(page(&[], Some(7), 1, 9).contains(r#""nextPageToken":"7""#));
    }
}
