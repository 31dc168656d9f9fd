//! Who may read what (C-003, C-021, C-035, C-036, C-065, C-067).
//!
//! The one place that lets anyone in: every call asks here, by the names that the identity layer established. Invariant: what is
//! not one's own is as if it were not there.

use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::TaskId;
use crate::task_context::tasks::Content;
use crate::task_context::tasks::Subtask;
use crate::task_context::tasks::Task;
use crate::task_context::tasks::TaskContexts;
use schema::name::ClientId;
use schema::time::At;

/// How long tasks are kept without a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lives {
    pub open_kept_ms: i64,
    pub closed_kept_ms: i64,
}

impl Lives {
    /// When a task ends by itself if nothing happens any more.
    pub fn end(&self, task: &Task) -> At {
        task.changed.plus_ms(if task.closed {
            self.closed_kept_ms
        } else {
            self.open_kept_ms
        })
    }
}

/// A subtask with its task.
pub type Found<'a> = (&'a Task, &'a SubtaskId, &'a Subtask);

/// What there is at a moment.
#[derive(Clone, Copy)]
pub struct Living<'a> {
    pub all: &'a TaskContexts,
    pub now: At,
    pub lives: &'a Lives,
}

impl<'a> Living<'a> {
    /// A task, whoever's it is.
    pub fn task(self, id: &str) -> Option<&'a Task> {
        let task = self.all.tasks.get(&TaskId::named(id))?;
        (self.now < self.lives.end(task)).then_some(task)
    }

    /// Every task.
    pub fn tasks(self) -> impl Iterator<Item = &'a Task> {
        let tasks = self.all.tasks.values();
        tasks.filter(move |task| self.now < self.lives.end(task))
    }

    /// A task by its master.
    pub fn of_master(self, client: &ClientId, id: &str) -> Option<&'a Task> {
        self.task(id).filter(|task| task.master == *client)
    }

    /// The subtasks of a task that were handed out to an agent.
    pub fn of_agent(self, client: &'a ClientId, id: &str) -> impl Iterator<Item = Found<'a>> {
        self.task(id).into_iter().flat_map(move |task| own(task, client))
    }

    /// Every subtask that was handed out to an agent, of closed tasks too, in the order of their names.
    pub fn handed_out(self, client: &'a ClientId) -> impl Iterator<Item = Found<'a>> {
        self.tasks().flat_map(move |task| own(task, client))
    }

    /// What an agent's list holds: its subtasks of tasks that are not closed.
    pub fn assigned(self, client: &'a ClientId) -> impl Iterator<Item = Found<'a>> {
        self.handed_out(client).filter(|(task, ..)| !task.closed)
    }

    /// A content by who stored it, by the master of a task that refers to it, or by the agent whose own context does, once that
    /// was handed out (C-058).
    pub fn content(self, client: &ClientId, id: &ContentId) -> Option<&'a Content> {
        let content = self.all.contents.get(id)?;
        (content.is_owned(client, self.now) || self.is_told(client, id)).then_some(content)
    }

    /// Whether a context of a task that goes on lets this client read a content, whoever stored it.
    pub fn is_told(self, client: &ClientId, id: &ContentId) -> bool {
        self.tasks().any(|task| {
            let mut referring = task.subtasks.values().filter(|subtask| subtask.refers_to(id));
            referring.any(|subtask| task.master == *client || is_own(task, subtask, client))
        })
    }
}

/// The subtasks of a task that are an agent's own, once they were handed out.
fn own<'a>(task: &'a Task, client: &'a ClientId) -> impl Iterator<Item = Found<'a>> {
    let own = task
        .subtasks
        .iter()
        .filter(|(_, subtask)| is_own(task, subtask, client));
    own.map(move |(id, subtask)| (task, id, subtask))
}

fn is_own(task: &Task, subtask: &Subtask, client: &ClientId) -> bool {
    subtask.agent == *client && task.hands_out(subtask)
}
