//! What can happen to tasks. Read forever.
//!
//! The open part says what happened and to which task; what was said, brought forth or whom to call lies in the sealed part of
//! the same record, and goes on in `more` records right after it.

use serde::Deserialize;
use serde::Serialize;

use crate::a2a_task::phase::Phase;
use crate::aggregate::Event;
use schema::name::ClientId;

text::plain_name! {
    /// A task's id: `task_` and 32 hexadecimal digits. Also one that somebody names, whether or not there is such a task.
    TaskId
}

impl TaskId {
    /// The id of this text.
    pub fn named(text: &str) -> TaskId {
        TaskId(text.to_owned())
    }
}

/// What can happen to tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    /// A task begins. Sealed: the client's message.
    Begun {
        task: TaskId,
        context: String,
        /// `None` for a caller without a name.
        owner: Option<ClientId>,
        more: u32,
    },
    /// The client said more. Sealed: its message.
    Said { task: TaskId, more: u32 },
    /// Something was brought forth. Sealed: the artifact.
    Produced {
        task: TaskId,
        artifact: String,
        /// It goes on what was brought forth under this name before.
        append: bool,
        last: bool,
        more: u32,
    },
    /// The task came into a state. Sealed: what the service said of it, where it said something.
    Became {
        task: TaskId,
        phase: Phase,
        said: bool,
        more: u32,
    },
    /// Somebody is to be told of what becomes of the task. Sealed: whom, and by which credentials.
    PushSet { task: TaskId, config: String, more: u32 },
    /// Nobody is to be told any more under this name.
    PushRemoved { task: TaskId, config: String },
    /// Everything was told under this name, or was given up.
    PushSettled { task: TaskId, config: String },
    /// The task made room for others.
    Removed { task: TaskId },
    /// The sealed part of the record before goes on here.
    Continued,
}

impl TaskEvent {
    /// A task came into a state; `said` is whether the service says something of it.
    pub fn became(task: &TaskId, phase: Phase, said: bool) -> TaskEvent {
        TaskEvent::Became {
            task: task.clone(),
            phase,
            said,
            more: 0,
        }
    }

    /// Which task it concerns.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            TaskEvent::Begun { task, .. }
            | TaskEvent::Said { task, .. }
            | TaskEvent::Produced { task, .. }
            | TaskEvent::Became { task, .. }
            | TaskEvent::PushSet { task, .. }
            | TaskEvent::PushRemoved { task, .. }
            | TaskEvent::PushSettled { task, .. }
            | TaskEvent::Removed { task } => Some(task),
            TaskEvent::Continued => None,
        }
    }

    /// The state that the task comes into by it.
    pub fn enters(&self) -> Option<Phase> {
        match self {
            TaskEvent::Begun { .. } | TaskEvent::Said { .. } => Some(Phase::Submitted),
            TaskEvent::Became { phase, .. } => Some(*phase),
            TaskEvent::Produced { .. }
            | TaskEvent::PushSet { .. }
            | TaskEvent::PushRemoved { .. }
            | TaskEvent::PushSettled { .. }
            | TaskEvent::Removed { .. }
            | TaskEvent::Continued => None,
        }
    }
}

impl Event for TaskEvent {
    fn continued() -> TaskEvent {
        TaskEvent::Continued
    }

    fn more_mut(&mut self) -> Option<&mut u32> {
        match self {
            TaskEvent::Begun { more, .. }
            | TaskEvent::Said { more, .. }
            | TaskEvent::Produced { more, .. }
            | TaskEvent::Became { more, .. }
            | TaskEvent::PushSet { more, .. } => Some(more),
            TaskEvent::PushRemoved { .. }
            | TaskEvent::PushSettled { .. }
            | TaskEvent::Removed { .. }
            | TaskEvent::Continued => None,
        }
    }
}
