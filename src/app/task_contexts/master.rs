//! What a master does with its task: begin it, make subtasks out for agents, change its goals, evaluate, close, delete.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::sync::OwnedMutexGuard;

use crate::api::tasks::DeletedTask;
use crate::api::tasks::SubtaskDocument;
use crate::api::tasks::TaskDocument;
use crate::api::tasks::TaskPage;
use crate::app::caller::Permission;
use crate::app::end_as;
use crate::app::error::ServiceError;
use crate::app::event_store::Wanted;
use crate::app::random;
use crate::app::task_contexts::NEW;
use crate::app::task_contexts::Page;
use crate::app::task_contexts::TaskContextService;
use crate::app::task_contexts::answers;
use crate::app::task_contexts::bodies;
use crate::app::task_contexts::unknown_subtask;
use crate::app::task_contexts::unknown_task;
use crate::app::telemetry::task_contexts::TaskContextStep;
use context::task_context::agent_context::AGENT_CONTEXT;
use context::task_context::agent_context::AgentContext;
use context::task_context::agent_context::Filed;
use context::task_context::decide;
use context::task_context::document::TASK_CONTEXT;
use context::task_context::document::TaskContext;
use context::task_context::evaluation;
use context::task_context::evaluation::Overruled;
use context::task_context::event::TaskContextEvent;
use context::task_context::form;
use context::task_context::id::SubtaskId;
use context::task_context::id::TaskId;
use context::task_context::tasks::Subtask;
use context::task_context::tasks::Task;
use schema::exchange::verdict::ViolationCode;
use schema::name::ClientId;

impl TaskContextService {
    /// Begins a task: `{"TaskContext", "mode"?, "release"?, "AgentContexts"?}`. Whoever begins it is its master.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`], [`ServiceError::InvalidContext`], [`ServiceError::LimitReached`], or what the journal says.
    pub async fn create(&self, master: &ClientId, body: &str) -> Result<TaskDocument, ServiceError> {
        let members = bodies::members(body, &[TASK_CONTEXT, "mode", "release", "AgentContexts"])?;
        let mode = bodies::mode(&members)?;
        let release = bodies::release(&members)?;
        let context = TaskContext::begun(&self.task, bodies::required(&members, TASK_CONTEXT)?);
        let mut context = context.map_err(ServiceError::InvalidContext)?;
        let filed = self.all_filed(members.get("AgentContexts"))?;
        let rounds = decide::places(None, &filed, &self.limits)?;
        self.limits.more_changes(None, 1 + filed.len())?;
        let refers = filed.iter().any(|filed| !filed.context.refers().is_empty());
        let contents = self.lock_contents(refers).await;
        for (nth, filed) in filed.iter().enumerate() {
            let may = self.may_refer(master, &filed.context);
            may.map_err(|error| among(error, nth))?;
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
            mode,
            release,
            more: 0,
        };
        let mut events = vec![(begun, self.sealed(TASK_CONTEXT, &context)?)];
        for (filed, round) in filed.iter().zip(rounds) {
            events.push(self.sent(&id, filed, round)?);
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
        Ok(answers::task(&task, context, self.limits.lives.end(&task)))
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
        let row = |task: &Task| answers::row(task, self.limits.lives.end(task));
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
        let members = bodies::members(body, &[TASK_CONTEXT])?;
        let changes = bodies::required(&members, TASK_CONTEXT)?;
        task.is_open()?;
        self.limits.more_changes(Some(&task), 1)?;
        let context: TaskContext = self.read(task.context, || unknown_task(id))?;
        let next = context.changed(&self.task, changes);
        let next = next.map_err(ServiceError::InvalidContext)?;
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
        let filed = self.filed_in(body)?;
        let contents = self.lock_contents(!filed.context.refers().is_empty()).await;
        self.may_refer(master, &filed.context)?;
        self.limits.more_changes(Some(&task), 1)?;
        let rounds = decide::places(Some(&task), std::slice::from_ref(&filed), &self.limits)?;
        let sent = self.sent(&task.id, &filed, rounds.first().copied().unwrap_or(1))?;
        self.record((lock, contents), vec![sent], TaskContextStep::asked)
            .await?;
        self.subtask(master, id, filed.subtask.as_str())
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
        let filed = self.filed_in(body)?;
        let contents = self.lock_contents(!filed.context.refers().is_empty()).await;
        self.may_refer(master, &filed.context)?;
        task.may_resend(found, subtask, &filed)?;
        self.limits.more_changes(Some(&task), 1)?;
        let sent = self.sent(&task.id, &filed, found.round)?;
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
        let overruled: BTreeMap<String, Overruled> = bodies::overruled(body, &context)?.into_iter().collect();
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

    fn filed_in(&self, body: &str) -> Result<Filed, ServiceError> {
        let members = bodies::members(body, &[AGENT_CONTEXT])?;
        self.filed(bodies::required(&members, AGENT_CONTEXT)?)
    }

    fn all_filed(&self, contexts: Option<&Value>) -> Result<Vec<Filed>, ServiceError> {
        match contexts {
            None => Ok(Vec::new()),
            Some(Value::Array(contexts)) => {
                let contexts = contexts.iter().enumerate();
                let filed = contexts.map(|(nth, context)| self.filed(context).map_err(|error| among(error, nth)));
                filed.collect()
            }
            Some(_) => Err(ServiceError::BadRequest("AgentContexts must be an array".to_owned())),
        }
    }

    fn filed(&self, document: &Value) -> Result<Filed, ServiceError> {
        let context = AgentContext::read(&self.agent, document).map_err(ServiceError::InvalidContext)?;
        let filed = context.filed().map_err(ServiceError::InvalidContext)?;
        if self.deps.principals.lacks(&filed.agent, Permission::Negotiate) {
            let message = "`AgentID` is the name of no principal: nobody could give the subtask back";
            let wrong = form::wrong(AGENT_CONTEXT, "AgentID", "", ViolationCode::NotAcceptable, message);
            return Err(ServiceError::InvalidContext(vec![wrong]));
        }
        Ok(filed)
    }

    fn sent(&self, work: &TaskId, filed: &Filed, round: u32) -> Result<Wanted<TaskContextEvent>, ServiceError> {
        let event = TaskContextEvent::Sent {
            work: work.clone(),
            subtask: filed.subtask.clone(),
            agent: filed.agent.clone(),
            after: filed.after.clone(),
            round,
            refers: filed.context.refers(),
            more: 0,
        };
        Ok((event, self.sealed(AGENT_CONTEXT, &filed.context)?))
    }
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
