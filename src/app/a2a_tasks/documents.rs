//! Tasks and steps as the protocol has them (A2A §4), with contents out of the journal.
//!
//! Invariant: what was erased is left out, never made up.

use crate::api::a2a::A2aTask;
use crate::api::a2a::StreamResponse;
use crate::api::a2a::TaskArtifactUpdateEvent;
use crate::api::a2a::TaskStatus;
use crate::api::a2a::TaskStatusUpdateEvent;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use context::a2a_task::index::Step;
use context::a2a_task::index::Task;
use context::a2a_task::index::TaskIndex;
use context::a2a_task::message::Artifact;
use context::a2a_task::message::Message;
use context::a2a_task::phase::Phase;
use schema::time::At;

/// The media type of a part that says what is wrong (RFC 9457).
pub const PROBLEM: &str = "application/problem+json";

/// A task with its last messages; `None` for all of them.
pub fn task(
    events: &EventStore<TaskIndex>,
    task: &Task,
    messages: Option<usize>,
    artifacts: bool,
) -> Result<A2aTask, ServiceError> {
    let skipped = messages.map_or(0, |messages| task.history.len().saturating_sub(messages));
    let mut history = Vec::new();
    for seq in &task.history[skipped..] {
        history.extend(message(events, *seq)?);
    }
    Ok(A2aTask {
        id: task.id.as_str().to_owned(),
        context_id: task.context.clone(),
        status: status(events, task.phase, task.at, task.saying)?,
        artifacts: artifacts.then(|| self::artifacts(events, task)).transpose()?,
        history,
    })
}

/// What was brought forth, each with the parts of all its pieces.
fn artifacts(events: &EventStore<TaskIndex>, task: &Task) -> Result<Vec<Artifact>, ServiceError> {
    let mut artifacts = Vec::new();
    for (_, pieces) in &task.artifacts {
        let mut whole: Option<Artifact> = None;
        for piece in pieces {
            let read = artifact(events, piece.seq)?;
            match (&mut whole, read) {
                (Some(whole), Some(more)) => whole.parts.extend(more.parts),
                (whole, read) => *whole = whole.take().or(read),
            }
        }
        artifacts.extend(whole);
    }
    Ok(artifacts)
}

/// One step as a stream response.
pub fn step(events: &EventStore<TaskIndex>, task: &Task, step: &Step) -> Result<Option<StreamResponse>, ServiceError> {
    let (task_id, context_id) = (task.id.as_str().to_owned(), task.context.clone());
    Ok(match step {
        Step::Status { seq, at, phase, said } => Some(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id,
            context_id,
            status: status(events, *phase, *at, said.then_some(*seq))?,
        })),
        Step::Artifact(piece) => artifact(events, piece.seq)?.map(|artifact| {
            StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                task_id,
                context_id,
                artifact,
                append: piece.append,
                last_chunk: piece.last,
            })
        }),
    })
}

fn status(
    events: &EventStore<TaskIndex>,
    state: Phase,
    at: At,
    saying: Option<u64>,
) -> Result<TaskStatus, ServiceError> {
    let message = saying.map(|seq| message(events, seq)).transpose()?.flatten();
    Ok(TaskStatus {
        state,
        message,
        timestamp: timestamp(at),
    })
}

/// A moment with its milliseconds, as the protocol writes it (A2A §5.6.1).
fn timestamp(at: At) -> String {
    let milliseconds = at.0.rem_euclid(1_000);
    let second = at.plus_ms(-milliseconds).rfc3339();
    format!("{}.{milliseconds:03}Z", second.trim_end_matches('Z'))
}

/// A message at a record, where it can still be read.
pub fn message(events: &EventStore<TaskIndex>, seq: u64) -> Result<Option<Message>, ServiceError> {
    let text = events.content(seq)?;
    Ok(text.and_then(|text| Message::read(&text, "message").ok()))
}

fn artifact(events: &EventStore<TaskIndex>, seq: u64) -> Result<Option<Artifact>, ServiceError> {
    Ok(events.content(seq)?.and_then(|text| Artifact::read(&text)))
}

#[cfg(test)]
mod tests {
    use super::At;
    use super::timestamp;

    #[test]
    fn a_moment_has_three_digits_of_milliseconds() {
        assert_eq!(timestamp(At(1_000)), "1970-01-01T00:00:01.000Z");
        assert_eq!(timestamp(At(1_290)), "1970-01-01T00:00:01.290Z");
        assert_eq!(timestamp(At(-1)), "1969-12-31T23:59:59.999Z");
    }
}
