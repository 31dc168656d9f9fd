//! Following a task: the task as it is, then every step, each read back from the journal.
//!
//! Nothing is held in memory for a follower that is slow, and every follower is told the same in the same order.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::documents;
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

    /// The next stream response, as JSON text: the task itself, then its steps; `None` when there are no more.
    pub async fn next(&mut self) -> Option<String> {
        if !self.begun {
            self.begun = true;
            let text = documents::task(&self.tasks.events, &self.task, None, true);
            return self.readable(text).map(|task| format!("{{\"task\":{task}}}"));
        }
        loop {
            if self.over {
                return None;
            }
            let task = self.tasks.events.state().tasks.get(&self.task.id).cloned()?;
            match task.steps.get(self.told) {
                Some(step) => {
                    self.told += 1;
                    if let Step::Status { phase, .. } = step {
                        self.over = match self.until {
                            Until::Settled => !phase.is_under_way(),
                            Until::Ended => phase.has_ended(),
                        };
                    }
                    let text = documents::step(&self.tasks.events, &task, step);
                    if let Some(text) = self.readable(text)? {
                        return Some(text);
                    }
                }
                None => self.changes.changed().await.ok()?,
            }
        }
    }

    /// Waits until a message was dealt with; the task then as JSON text with its last messages, and what was wrong with the
    /// message where something was.
    ///
    /// # Errors
    /// [`ServiceError::ShuttingDown`], or a fault of the journal.
    pub async fn settled(
        mut self,
        turn: usize,
        messages: Option<usize>,
    ) -> Result<(String, Option<Value>), ServiceError> {
        let mut closing = self.tasks.closing.subscribe();
        let task = loop {
            let task = self.tasks.events.state().tasks.get(&self.task.id).cloned();
            let Some(task) = task else {
                return Err(ServiceError::UnknownTask(self.task.id.as_str().to_owned()));
            };
            if !task.phase.is_under_way() || task.turns != turn {
                break task;
            }
            tokio::select! {
                changed = self.changes.changed() => changed.map_err(|_| ServiceError::ShuttingDown)?,
                () = closes(&mut closing) => return Err(ServiceError::ShuttingDown),
            }
        };
        let problem = documents::problem(&self.tasks.events, &task)?;
        let text = documents::task(&self.tasks.events, &task, messages, true)?;
        Ok((text, problem))
    }

    /// The task as it was when following began, as JSON text with its last messages.
    ///
    /// # Errors
    /// A fault of the journal.
    pub fn now(self, messages: Option<usize>) -> Result<String, ServiceError> {
        documents::task(&self.tasks.events, &self.task, messages, true)
    }

    fn readable<T>(&mut self, read: Result<T, ServiceError>) -> Option<T> {
        match read {
            Ok(read) => Some(read),
            Err(fault) => {
                self.over = true;
                tracing::error!(task = self.task.id.as_str(), %fault, "a task cannot be followed: the journal cannot be read");
                None
            }
        }
    }
}
