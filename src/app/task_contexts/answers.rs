//! Tasks and subtasks as they are answered.
//!
//! Members of the draft bear its names; what is said beside them is in snake case. Invariant: to its agent a subtask tells nothing
//! of the task but its own context, its state, what was found of it and whether the task is closed.

use crate::api::tasks::AssignedRow;
use crate::api::tasks::Round;
use crate::api::tasks::SubtaskCounts;
use crate::api::tasks::SubtaskStanding;
use crate::api::tasks::TaskDocument;
use crate::api::tasks::TaskRow;
use context::task_context::id::SubtaskId;
use context::task_context::round;
use context::task_context::task_context::TaskContext;
use context::task_context::tasks::Subtask;
use context::task_context::tasks::Task;
use schema::time::At;

/// A task as its master sees it.
pub fn task(task: &Task, task_context: TaskContext, end: At) -> TaskDocument {
    let rounds = round::rounds(task).into_iter().map(|(round, turn, ids)| Round {
        round,
        state: turn.name(),
        subtasks: ids.into_iter().map(SubtaskId::to_string).collect(),
    });
    let subtasks = task.subtasks.iter().map(|(id, subtask)| SubtaskStanding {
        sub_task_id: id.to_string(),
        agent_id: subtask.agent.to_string(),
        round: subtask.round,
        state: round::state(task, subtask),
        changed_at: round::since(task, subtask).rfc3339(),
    });
    TaskDocument {
        task_context,
        mode: task.mode(),
        release: task.release,
        state: state(task),
        created_at: task.began.rfc3339(),
        changed_at: task.changed.rfc3339(),
        expires_at: end.rfc3339(),
        subtasks: subtasks.collect(),
        rounds: rounds.collect(),
    }
}

/// A row of a master's list.
pub fn row(task: &Task, end: At) -> TaskRow {
    let count = |state: &str| round::states(task).filter(|own| *own == state).count();
    TaskRow {
        task_id: task.id.to_string(),
        mode: task.mode(),
        release: task.release,
        state: state(task),
        created_at: task.began.rfc3339(),
        changed_at: task.changed.rfc3339(),
        expires_at: end.rfc3339(),
        subtasks: SubtaskCounts {
            waiting: count("waiting"),
            sent: count("sent"),
            returned: count("returned"),
            incomplete: count("incomplete"),
            complete: count("complete"),
        },
    }
}

fn state(task: &Task) -> &'static str {
    if task.closed { "closed" } else { "open" }
}

/// What an agent's list says of a subtask.
pub fn assigned((task, id, subtask): (&Task, &SubtaskId, &Subtask)) -> AssignedRow {
    AssignedRow {
        task_id: task.id.to_string(),
        sub_task_id: id.to_string(),
        state: round::state(task, subtask),
        changed_at: round::since(task, subtask).rfc3339(),
    }
}
