//! What a master does with its task: begin it, make subtasks out for agents, change its goals, evaluate, close, delete.

use serde_json::Value;
use tokio::sync::OwnedMutexGuard;

use crate::api::tasks::BegunTask;
use crate::api::tasks::ChangedTask;
use crate::api::tasks::DeletedTask;
use crate::api::tasks::Round;
use crate::api::tasks::SentSubtask;
use crate::api::tasks::SubtaskCounts;
use crate::api::tasks::SubtaskDocument;
use crate::api::tasks::SubtaskStanding;
use crate::api::tasks::TaskDocument;
use crate::api::tasks::TaskPage;
use crate::api::tasks::TaskRow;
use crate::app::caller::Permission;
use crate::app::end_as;
use crate::app::error::ServiceError;
use crate::app::event_store::Wanted;
use crate::app::random;
use crate::app::task_contexts::NEW;
use crate::app::task_contexts::Page;
use crate::app::task_contexts::TaskContextService;
use crate::app::task_contexts::bodies;
use crate::app::task_contexts::unknown_subtask;
use crate::app::task_contexts::unknown_task;
use crate::app::telemetry::TaskContextStep;
use context::task_context::agent_context::AGENT_CONTEXT;
use context::task_context::agent_context::AgentContext;
use context::task_context::agent_context::wrong;
use context::task_context::decide;
use context::task_context::document::TASK_CONTEXT;
use context::task_context::document::TaskContext;
use context::task_context::evaluation;
use context::task_context::event::TaskContextEvent;
use context::task_context::id::SubtaskId;
use context::task_context::id::TaskId;
use context::task_context::tasks::Subtask;
use context::task_context::tasks::Task;
use schema::exchange::verdict::ViolationCode;
use schema::name::ClientId;

impl TaskContextService {
    /// Begins a task: `{"TaskContext", "mode"?, "AgentContexts"?}`. Whoever begins it is its master.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`], [`ServiceError::InvalidContext`], [`ServiceError::LimitReached`], or what the journal says.
    pub async fn create(&self, master: &ClientId, body: &str) -> Result<TaskDocument, ServiceError> {
        let form = "TaskContext, mode (synchronous or asynchronous) and AgentContexts (an array)";
        let wanted: BegunTask = bodies::read(body, form)?;
        let mut context = TaskContext::begun(&self.task, &wanted.task_context)?;
        let sent = wanted.agent_contexts.iter().enumerate();
        let sent = sent.map(|(nth, document)| self.made_out(document).map_err(|error| among(error, nth)));
        let sent: Vec<AgentContext> = sent.collect::<Result<_, _>>()?;
        let rounds = decide::places(None, &sent, &self.limits)?;
        self.limits.more_changes(None, 1 + sent.len())?;
        let refers = sent.iter().any(|context| !context.refers().is_empty());
        let contents = self.lock_contents(refers).await;
        for (nth, context) in sent.iter().enumerate() {
            self.may_refer(master, context).map_err(|error| among(error, nth))?;
        }
        let id = match TaskId::parse(&context.task_id) {
            Some(own) => own,
            None => TaskId::of(random::id(self.webhook_sender.as_ref())?),
        };
        id.as_str().clone_into(&mut context.task_id);
        let new = self.events.lock(NEW).await;
        {
            let all = self.events.state();
            if all.tasks.contains_key(&id) {
                let what = format!("there is a task with the TaskID {id}: give another one, or none");
                return Err(ServiceError::TaskForbids(what));
            }
            self.limits.one_more_task(&all, master)?;
        }
        let begun = TaskContextEvent::Begun {
            work: id.clone(),
            master: master.clone(),
            mode: wanted.mode,
            more: 0,
        };
        let mut events = vec![(begun, self.sealed(TASK_CONTEXT, &context)?)];
        for (context, round) in sent.iter().zip(rounds) {
            events.push(self.sent(&id, context, round)?);
        }
        self.record((new, contents), events, TaskContextStep::asked).await?;
        self.task(master, id.as_str())
    }

    /// A task by its master.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or a fault of the journal.
    pub fn task(&self, master: &ClientId, id: &str) -> Result<TaskDocument, ServiceError> {
        let task = self.of_master(master, id)?;
        let context: TaskContext = self.read(task.context, || unknown_task(id))?;
        let rounds = task.rounds().into_iter().map(|(round, state, ids)| Round {
            round,
            state,
            subtasks: ids.into_iter().map(SubtaskId::to_string).collect(),
        });
        let subtasks = task.subtasks.iter().map(|(id, subtask)| SubtaskStanding {
            sub_task_id: id.to_string(),
            agent_id: subtask.agent.to_string(),
            round: subtask.round,
            state: task.state(subtask),
            changed_at: task.since(subtask).rfc3339(),
        });
        Ok(TaskDocument {
            task_context: context,
            mode: task.mode(),
            state: state(&task),
            created_at: task.began.rfc3339(),
            changed_at: task.changed.rfc3339(),
            expires_at: self.limits.lives.end(&task).rfc3339(),
            subtasks: subtasks.collect(),
            rounds: rounds.collect(),
        })
    }

    /// The tasks of a master, the last begun first.
    ///
    /// # Errors
    /// [`ServiceError::BadParameter`].
    pub fn tasks(&self, master: &ClientId, page: &Page<'_>) -> Result<TaskPage, ServiceError> {
        let closed = match page.state {
            None => None,
            Some("open") => Some(false),
            Some("closed") => Some(true),
            Some(_) => {
                let what = "the parameter state must be open or closed for role=master";
                return Err(ServiceError::BadParameter(what.to_owned()));
            }
        };
        let all = self.events.state();
        let own = self.living(&all).tasks().filter(|task| task.master == *master);
        let own = own.filter(|task| closed.is_none_or(|closed| task.closed == closed));
        let mut own: Vec<&Task> = own.collect();
        own.sort_by_key(|task| std::cmp::Reverse(task.first_record()));
        let (rows, next) = page.cut(own.into_iter(), |task| task.id.to_string())?;
        let row = |task: &Task| {
            let count = |state: &str| task.subtasks.values().filter(|own| task.state(own) == state).count();
            TaskRow {
                task_id: task.id.to_string(),
                mode: task.mode(),
                state: state(task),
                created_at: task.began.rfc3339(),
                changed_at: task.changed.rfc3339(),
                expires_at: self.limits.lives.end(task).rfc3339(),
                subtasks: SubtaskCounts {
                    waiting: count("waiting"),
                    sent: count("sent"),
                    returned: count("returned"),
                    incomplete: count("incomplete"),
                    complete: count("complete"),
                },
            }
        };
        Ok(TaskPage {
            tasks: Some(rows.into_iter().map(row).collect()),
            next,
            ..TaskPage::default()
        })
    }

    /// Changes members and goals: `{"TaskContext": {…}}`, see [`TaskContext::changed`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::TaskForbids`], [`ServiceError::InvalidContext`],
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn change(&self, master: &ClientId, id: &str, body: &str) -> Result<TaskDocument, ServiceError> {
        let (lock, task) = self.locked(master, id).await?;
        let ChangedTask { task_context: changes } = bodies::read(body, TASK_CONTEXT)?;
        task.is_open()?;
        self.limits.more_changes(Some(&task), 1)?;
        let context: TaskContext = self.read(task.context, || unknown_task(id))?;
        let next = context.changed(&self.task, &changes)?;
        let changed = TaskContextEvent::Changed { work: task.id, more: 0 };
        let events = vec![(changed, self.sealed(TASK_CONTEXT, &next)?)];
        self.record(lock, events, TaskContextStep::asked).await?;
        self.task(master, id)
    }

    /// Makes a subtask out for an agent: `{"AgentContext"}`. It is handed out when its turn comes.
    ///
    /// # Errors
    /// As [`TaskContextService::change`].
    pub async fn send(&self, master: &ClientId, id: &str, body: &str) -> Result<SubtaskDocument, ServiceError> {
        let (lock, task) = self.locked(master, id).await?;
        let context = self.made_out(&bodies::read::<SentSubtask>(body, AGENT_CONTEXT)?.agent_context)?;
        let contents = self.lock_contents(!context.refers().is_empty()).await;
        self.may_refer(master, &context)?;
        self.limits.more_changes(Some(&task), 1)?;
        let rounds = decide::places(Some(&task), std::slice::from_ref(&context), &self.limits)?;
        let sent = self.sent(&task.id, &context, rounds.first().copied().unwrap_or(1))?;
        self.record((lock, contents), vec![sent], TaskContextStep::asked)
            .await?;
        self.subtask(master, id, context.sub_task_id.as_str())
    }

    /// Makes a subtask out anew, for the same agent or another; what was given back before is forgotten.
    ///
    /// # Errors
    /// As [`TaskContextService::change`], and [`ServiceError::UnknownSubtask`].
    pub async fn resend(
        &self,
        master: &ClientId,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<SubtaskDocument, ServiceError> {
        let (lock, task) = self.locked(master, id).await?;
        let (subtask, found) = own(&task, subtask)?;
        let context = self.made_out(&bodies::read::<SentSubtask>(body, AGENT_CONTEXT)?.agent_context)?;
        let contents = self.lock_contents(!context.refers().is_empty()).await;
        self.may_refer(master, &context)?;
        task.may_resend(found, subtask, &context)?;
        self.limits.more_changes(Some(&task), 1)?;
        let sent = self.sent(&task.id, &context, found.round)?;
        self.record((lock, contents), vec![sent], TaskContextStep::asked)
            .await?;
        self.subtask(master, id, subtask.as_str())
    }

    /// A subtask by its master, with its last evaluation.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::UnknownSubtask`], or a fault of the journal.
    pub fn subtask(&self, master: &ClientId, id: &str, subtask: &str) -> Result<SubtaskDocument, ServiceError> {
        let task = self.of_master(master, id)?;
        let (_, found) = own(&task, subtask)?;
        self.document(&task, found)
    }

    /// A subtask: any of the client's own task, else the one that is the client's own in another's.
    ///
    /// # Errors
    /// As [`TaskContextService::own_subtask`].
    pub fn any_subtask(&self, client: &ClientId, id: &str, subtask: &str) -> Result<SubtaskDocument, ServiceError> {
        match self.subtask(client, id, subtask) {
            Err(ServiceError::UnknownTask(_)) => self.own_subtask(client, id, subtask),
            told => told,
        }
    }

    /// Evaluates what was given back, in two phases; `{"verdicts"?}` are the master's own, and without one a subtask whose
    /// structure is whole waits for it. One that is complete is opened again by a verdict of the master's that says no.
    ///
    /// # Errors
    /// As [`TaskContextService::resend`].
    pub async fn evaluate(
        &self,
        master: &ClientId,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<SubtaskDocument, ServiceError> {
        let (lock, task) = self.locked(master, id).await?;
        let (subtask, found) = own(&task, subtask)?;
        task.may_evaluate(found, true)?;
        let context: AgentContext = self.read(found.context(), || unknown_subtask(subtask.as_str()))?;
        let overruled = bodies::overruled(body, &context)?;
        let reopens = overruled.values().any(|own| !own.verified);
        task.may_evaluate(found, reopens)?;
        self.limits.more_changes(Some(&task), 1)?;
        let evaluation = evaluation::evaluate(&context, &overruled);
        let evaluated = TaskContextEvent::Evaluated {
            work: task.id.clone(),
            subtask: subtask.clone(),
            complete: evaluation.complete,
            structural: evaluation.structural,
            more: 0,
        };
        let sealed = serde_json::to_vec(&evaluation).map_err(|error| ServiceError::Fault(error.to_string()))?;
        self.record(lock, vec![(evaluated, sealed)], TaskContextStep::asked)
            .await?;
        for verdict in &evaluation.verdicts {
            self.deps.observer.verdict(verdict.verdict);
        }
        self.subtask(master, id, subtask.as_str())
    }

    /// Ends a task: nothing more is given back or changed.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::TaskForbids`], or what the journal says.
    pub async fn close(&self, master: &ClientId, id: &str) -> Result<TaskDocument, ServiceError> {
        let (lock, task) = self.locked(master, id).await?;
        task.is_open()?;
        let closed = TaskContextEvent::Closed { work: task.id };
        self.record(lock, vec![(closed, Vec::new())], TaskContextStep::asked)
            .await?;
        self.task(master, id)
    }

    /// Deletes a task with everything that was said in it: it is gone for everyone, and erased. By its master, or by an operator
    /// where the master is gone.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or what the journal says.
    pub async fn delete(
        &self,
        master: &ClientId,
        id: &str,
        operator: Option<ClientId>,
    ) -> Result<DeletedTask, ServiceError> {
        let there = || {
            let all = self.events.state();
            let living = self.living(&all);
            let task = match &operator {
                None => living.of_master(master, id),
                // Who runs the service ends it and reads nothing of it.
                Some(_) => living.task(id),
            };
            task.map(|task| task.id.clone()).ok_or_else(|| unknown_task(id))
        };
        there()?;
        let lock = self.events.lock(id).await;
        let work = there()?;
        let contents = self.lock_contents(true).await;
        end_as::log("task", id, "remove", operator.as_ref());
        let removed = TaskContextEvent::Removed { work, operator };
        self.record((lock, contents), vec![(removed, Vec::new())], TaskContextStep::asked)
            .await?;
        Ok(DeletedTask {
            task_id: id.to_owned(),
            deleted: true,
        })
    }

    /// A task by its master.
    fn of_master(&self, master: &ClientId, id: &str) -> Result<Task, ServiceError> {
        let all = self.events.state();
        let found = self.living(&all).of_master(master, id);
        found.cloned().ok_or_else(|| unknown_task(id))
    }

    /// A task by its master, while nobody else decides about it.
    async fn locked(&self, master: &ClientId, id: &str) -> Result<(OwnedMutexGuard<()>, Task), ServiceError> {
        // Who is not the master does not wait behind the master's own steps, and learns nothing by it.
        self.of_master(master, id)?;
        let lock = self.events.lock(id).await;
        Ok((lock, self.of_master(master, id)?))
    }

    /// The context of a subtask that is made out for an agent.
    fn made_out(&self, document: &Value) -> Result<AgentContext, ServiceError> {
        let context = AgentContext::read(&self.agent, document)?;
        if self.deps.principals.lacks(&context.agent_id, Permission::Negotiate) {
            let message = "`AgentID` is the name of no principal: nobody could give the subtask back";
            return Err(vec![wrong("AgentID", "", ViolationCode::NotAcceptable, message)].into());
        }
        Ok(context)
    }

    fn sent(
        &self,
        work: &TaskId,
        context: &AgentContext,
        round: u32,
    ) -> Result<Wanted<TaskContextEvent>, ServiceError> {
        let event = TaskContextEvent::Sent {
            work: work.clone(),
            subtask: context.sub_task_id.clone(),
            agent: context.agent_id.clone(),
            after: context.dependencies.clone(),
            round,
            refers: context.refers(),
            more: 0,
        };
        Ok((event, self.sealed(AGENT_CONTEXT, context)?))
    }
}

fn state(task: &Task) -> &'static str {
    if task.closed { "closed" } else { "open" }
}

fn own<'a>(task: &'a Task, subtask: &str) -> Result<(&'a SubtaskId, &'a Subtask), ServiceError> {
    let found = SubtaskId::parse(subtask).and_then(|id| task.subtasks.get_key_value(&id));
    found.ok_or_else(|| unknown_subtask(subtask))
}

/// A failure of the n-th context of several.
fn among(error: ServiceError, nth: usize) -> ServiceError {
    match error {
        ServiceError::InvalidContext(mut violations) => {
            for violation in &mut violations {
                violation.pointer = decide::among(&violation.pointer, nth);
            }
            ServiceError::InvalidContext(violations)
        }
        other => other,
    }
}
