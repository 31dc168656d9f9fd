//! What can happen to tasks and contents. Read forever.
//!
//! The open part says what happened, to which task, and by which names; contexts, verdicts and contents lie in the sealed part of
//! the same record, and go on in `more` records right after it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use crate::aggregate::Event;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::TaskId;
use schema::name::ClientId;
use schema::time::At;

/// How subtasks are handed out (C-012).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Round by round: the next begins when the one before is complete (C-016).
    Synchronous,
    /// Each as soon as what it depends on is complete (C-018).
    Asynchronous,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskContextEvent {
    /// A task begins. Sealed: its TaskContext.
    Begun {
        work: TaskId,
        master: ClientId,
        /// `None` leaves it to the dependencies.
        mode: Option<Mode>,
        more: u32,
    },
    /// The master changed it. Sealed: its TaskContext.
    Changed { work: TaskId, more: u32 },
    /// A subtask was made out for an agent, or made out anew. Sealed: its AgentContext.
    Sent {
        work: TaskId,
        subtask: SubtaskId,
        agent: ClientId,
        after: Vec<SubtaskId>,
        round: u32,
        /// Contents whose addresses stand in it.
        refers: BTreeSet<ContentId>,
        more: u32,
    },
    /// The agent gave it back. Sealed: its AgentContext.
    Returned {
        work: TaskId,
        subtask: SubtaskId,
        refers: BTreeSet<ContentId>,
        more: u32,
    },
    /// The master evaluated what was given back. Sealed: the verdicts.
    Evaluated {
        work: TaskId,
        subtask: SubtaskId,
        /// Every item is verified.
        complete: bool,
        /// Its structure is whole and the master said no to nothing.
        #[serde(default)]
        structural: bool,
        more: u32,
    },
    /// Nothing more is done for the task.
    Closed { work: TaskId },
    /// The task is gone.
    Removed {
        work: TaskId,
        /// Who runs the service and did it instead of its master.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operator: Option<ClientId>,
    },
    /// A content was stored, or is to be kept longer. Sealed: its text, where it is not there already.
    Stored {
        content: ContentId,
        owner: ClientId,
        bytes: u64,
        until: At,
        /// Whether its text lies here.
        text: bool,
        more: u32,
    },
    /// Who stored it keeps it no longer.
    Released { content: ContentId, owner: ClientId },
    /// The sealed part of the record before goes on here.
    Continued,
}

impl TaskContextEvent {
    /// Which task it concerns.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            TaskContextEvent::Begun { work, .. }
            | TaskContextEvent::Changed { work, .. }
            | TaskContextEvent::Sent { work, .. }
            | TaskContextEvent::Returned { work, .. }
            | TaskContextEvent::Evaluated { work, .. }
            | TaskContextEvent::Closed { work }
            | TaskContextEvent::Removed { work, .. } => Some(work),
            TaskContextEvent::Stored { .. } | TaskContextEvent::Released { .. } | TaskContextEvent::Continued => None,
        }
    }
}

impl Event for TaskContextEvent {
    fn continued() -> TaskContextEvent {
        TaskContextEvent::Continued
    }

    fn more_mut(&mut self) -> Option<&mut u32> {
        match self {
            TaskContextEvent::Begun { more, .. }
            | TaskContextEvent::Changed { more, .. }
            | TaskContextEvent::Sent { more, .. }
            | TaskContextEvent::Returned { more, .. }
            | TaskContextEvent::Evaluated { more, .. }
            | TaskContextEvent::Stored { more, .. } => Some(more),
            TaskContextEvent::Closed { .. }
            | TaskContextEvent::Removed { .. }
            | TaskContextEvent::Released { .. }
            | TaskContextEvent::Continued => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::TaskContextEvent;
    use crate::aggregate::Event;
    use crate::task_context::id::SubtaskId;
    use crate::task_context::id::TaskId;
    use schema::name::ClientId;

    #[test]
    fn events_are_written_as_they_will_be_read_for_good_c022() {
        let work = TaskId::of([0xab; 16]);
        let event = TaskContextEvent::Sent {
            work: work.clone(),
            subtask: SubtaskId::parse("hotel").expect("an id"),
            agent: ClientId::parse("hotel-agent").expect("a name"),
            after: Vec::new(),
            round: 1,
            refers: BTreeSet::new(),
            more: 0,
        };
        let event = event.going_on(2);
        assert_eq!(event.more(), 2);
        let text = serde_json::to_string(&event).expect("JSON");
        let expected = format!(
            r#"{{"sent":{{"work":"{}","subtask":"hotel","agent":"hotel-agent","after":[],"round":1,"refers":[],"more":2}}}}"#,
            work.as_str()
        );
        assert_eq!(text, expected);
        assert_eq!(
            serde_json::from_str::<TaskContextEvent>(&text).expect("an event"),
            event
        );
        assert_eq!(TaskContextEvent::continued().more(), 0);
    }
}
