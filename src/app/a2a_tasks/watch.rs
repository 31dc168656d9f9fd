//! Following a task: the task as it is, then every step, each read back from the journal.
//!
//! Nothing is held in memory for a follower that is slow, and every follower is told the same in the same order.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use crate::api::a2a::A2aTask;
use crate::api::a2a::StreamResponse;
use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::documents;
use crate::app::a2a_tasks::documents::PROBLEM;
use crate::app::a2a_tasks::drive::closes;
use crate::app::error::ServiceError;
use context::a2a_task::index::Step;
use context::a2a_task::index::Task;

/// Up to where a task is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// It has ended, or waits for its client.
    Settled,
    Ended,
}

/// A task that is followed.
#[derive(Clone)]
pub struct TaskWatch {
    tasks: Arc<Tasks>,
    /// As it was when following began.
    task: Task,
    changes: watch::Receiver<u64>,
    until: Until,
    /// The number of the message whose answer is waited for.
    pub turn: usize,
    begun: bool,
    /// Steps that were told.
    told: usize,
    over: bool,
}

impl TaskWatch {
    /// Follows from a task as it is now.
    pub fn new(tasks: Arc<Tasks>, task: Task, changes: watch::Receiver<u64>, until: Until) -> TaskWatch {
        TaskWatch {
            tasks,
            told: task.steps.len(),
            turn: task.turns,
            task,
            changes,
            until,
            begun: false,
            over: false,
        }
    }

    /// The task's id.
    pub fn id(&self) -> &str {
        self.task.id.as_str()
    }

    /// The next stream response: the task itself, then its steps; `None` when there are no more, or the journal fails.
    pub async fn next(&mut self) -> Option<StreamResponse> {
        let next = self.read_next().await;
        next.unwrap_or_else(|fault| {
            self.over = true;
            tracing::error!(task = self.id(), %fault, "a task cannot be followed: the journal cannot be read");
            None
        })
    }

    async fn read_next(&mut self) -> Result<Option<StreamResponse>, ServiceError> {
        if !self.begun {
            self.begun = true;
            return self.now(None).map(|task| Some(StreamResponse::Task(task)));
        }
        while !self.over {
            let Some(task) = self.current() else { break };
            let Some(step) = task.steps.get(self.told) else {
                match self.changes.changed().await {
                    Ok(()) => continue,
                    Err(_gone) => break,
                }
            };
            self.told += 1;
            if let Step::Status { phase, .. } = step {
                self.over = match self.until {
                    Until::Settled => !phase.is_under_way(),
                    Until::Ended => phase.has_ended(),
                };
            }
            if let Some(response) = documents::step(&self.tasks.events, &task, step)? {
                return Ok(Some(response));
            }
        }
        Ok(None)
    }

    /// Waits until a message was dealt with; the task then with its last messages, and what was wrong with the message where
    /// something was.
    ///
    /// # Errors
    /// [`ServiceError::ShuttingDown`], or a fault of the journal.
    pub async fn settled(mut self, messages: Option<usize>) -> Result<(A2aTask, Option<Value>), ServiceError> {
        let mut closing = self.tasks.closing.subscribe();
        loop {
            let Some(task) = self.current() else {
                return Err(ServiceError::UnknownTask(self.id().to_owned()));
            };
            if !task.phase.is_under_way() || task.turns != self.turn {
                let task = documents::task(&self.tasks.events, &task, messages, true)?;
                let problem = problem(&task);
                return Ok((task, problem));
            }
            tokio::select! {
                changed = self.changes.changed() => changed.map_err(|_| ServiceError::ShuttingDown)?,
                () = closes(&mut closing) => return Err(ServiceError::ShuttingDown),
            }
        }
    }

    /// The task as it was when following began, with its last messages.
    pub fn now(&self, messages: Option<usize>) -> Result<A2aTask, ServiceError> {
        documents::task(&self.tasks.events, &self.task, messages, true)
    }

    fn current(&self) -> Option<Task> {
        self.tasks.events.state().tasks.get(&self.task.id).cloned()
    }
}

/// What is wrong, where a status says so in a part of its own (RFC 9457).
fn problem(task: &A2aTask) -> Option<Value> {
    let said = task.status.message.as_ref()?;
    let found = said.parts.iter().find(|part| part.media_type == PROBLEM)?;
    serde_json::from_str(found.as_data()?).ok()
}
