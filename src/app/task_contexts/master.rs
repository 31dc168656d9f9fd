//! What a master does with its task: begin it, make subtasks out for agents, change its goals, evaluate, close, delete.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::app::caller::Permission;
use crate::app::end_as;
use crate::app::error::ServiceError;
use crate::app::random;
use crate::app::task_contexts::TaskContexts;
use crate::app::task_contexts::documents;
use crate::app::task_contexts::invalid;
use crate::app::task_contexts::refused;
use context::task_context::agent_context::AGENT_CONTEXT;
use context::task_context::agent_context::AgentContext;
use context::task_context::agent_context::Filed;
use context::task_context::decide;
use context::task_context::evaluation;
use context::task_context::evaluation::Evaluation;
use context::task_context::evaluation::Overruled;
use context::task_context::event::WorkEvent;
use context::task_context::fault;
use context::task_context::id::SubtaskId;
use context::task_context::id::WorkId;
use context::task_context::round;
use context::task_context::task_context::TaskContext;
use context::task_context::works::Subtask;
use context::task_context::works::Work;
use schema::exchange::violation::ViolationCode;
use schema::name::ClientId;

/// Tasks told in one page.
pub const PAGE_MAX: u64 = 200;
/// Where nothing else was said.
const PAGE: u64 = 50;

/// Which page of a list is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page<'a> {
    pub limit: Option<u64>,
    /// The `next` of the page before.
    pub after: Option<&'a str>,
    /// Of these alone.
    pub state: Option<&'a str>,
}

impl Page<'_> {
    /// How many are told.
    ///
    /// # Errors
    /// [`ServiceError::BadParameter`].
    pub fn size(&self) -> Result<usize, ServiceError> {
        let size = self.limit.unwrap_or(PAGE);
        if size == 0 || size > PAGE_MAX {
            let what = format!("the parameter limit must be 1 to {PAGE_MAX}");
            return Err(ServiceError::BadParameter(what));
        }
        Ok(usize::try_from(size).unwrap_or(usize::MAX))
    }
}

impl TaskContexts {
    /// Begins a task: `{"TaskContext", "mode"?, "release"?, "AgentContexts"?}`. Whoever begins it is its master.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`], [`ServiceError::InvalidContext`], [`ServiceError::LimitReached`], or what the journal says.
    pub async fn create(self: &Arc<Self>, master: &ClientId, body: &str) -> Result<Value, ServiceError> {
        let members = documents::members(body, &["TaskContext", "mode", "release", "AgentContexts"])?;
        let mode = documents::mode(&members)?;
        let release = documents::release(&members)?;
        let wanted = documents::required(&members, "TaskContext")?;
        let mut context = TaskContext::begun(&self.task, wanted).map_err(invalid)?;
        let mut filed = Vec::new();
        match members.get("AgentContexts") {
            None => {}
            Some(Value::Array(contexts)) => {
                for (nth, wanted) in contexts.iter().enumerate() {
                    filed.push(self.filed(wanted).map_err(|error| among(error, nth))?);
                }
            }
            Some(_) => return Err(ServiceError::BadRequest("AgentContexts must be an array".to_owned())),
        }
        let limits = &self.options.limits;
        let rounds = decide::places(None, &filed, limits).map_err(refused)?;
        limits.more_changes(None, 1 + filed.len()).map_err(refused)?;
        let refers = filed.iter().any(|filed| !filed.context.refers().is_empty());
        let contents_lock = if refers { Some(self.contents_lock().await) } else { None };
        for (nth, filed) in filed.iter().enumerate() {
            self.may_refer(master, &filed.context)
                .map_err(|error| among(error, nth))?;
        }
        let id = match WorkId::parse(&context.task_id) {
            Some(own) => own,
            None => self.new_id()?,
        };
        id.as_str().clone_into(&mut context.task_id);
        let (held, beside) = self.hold(master, &id)?;
        limits
            .one_more_task(&self.events.state(), master, beside)
            .map_err(refused)?;
        let begun = WorkEvent::Begun {
            work: id.clone(),
            master: master.clone(),
            mode,
            release,
            more: 0,
        };
        let mut events = vec![(begun, self.sealed("TaskContext", &context)?)];
        for (filed, round) in filed.iter().zip(rounds) {
            events.push(self.sent(&id, filed, round)?);
        }
        self.record((held, contents_lock), events).await?;
        self.task(master, id.as_str())
    }

    /// A task by its master, see [`documents::task`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or a fault of the journal.
    pub fn task(&self, master: &ClientId, id: &str) -> Result<Value, ServiceError> {
        let work = self.of_master(master, id)?;
        let context: TaskContext = self.read(work.context, || ServiceError::UnknownTask(id.to_owned()))?;
        Ok(documents::task(&work, &context, self.options.limits.lives.end(&work)))
    }

    /// The tasks of a master, the last begun first: `{"tasks": […], "next"?}`.
    ///
    /// # Errors
    /// [`ServiceError::BadParameter`].
    pub fn tasks(&self, master: &ClientId, page: &Page<'_>) -> Result<Value, ServiceError> {
        let size = page.size()?;
        let closed = match page.state {
            None => None,
            Some("open") => Some(false),
            Some("closed") => Some(true),
            Some(_) => {
                let what = "the parameter state must be open or closed for role=master";
                return Err(ServiceError::BadParameter(what.to_owned()));
            }
        };
        let (works, now, handles) = (self.events.state(), self.now(), &self.options.limits.lives);
        let none = BTreeMap::new();
        let own = works.by_master.get(master).unwrap_or(&none);
        let mut found = own
            .values()
            .rev()
            .filter_map(|id| works.works.get(id))
            .filter(|work| !handles.is_over(work, now) && closed.is_none_or(|closed| work.closed == closed));
        if let Some(after) = page.after
            && !found.by_ref().any(|work| work.id.as_str() == after)
        {
            let what = "the parameter after must be the `next` of a page before";
            return Err(ServiceError::BadParameter(what.to_owned()));
        }
        let rows: Vec<&Work> = found.by_ref().take(size).collect();
        let next = found.next().and(rows.last()).map(|work| work.id.as_str());
        let told: Vec<Value> = rows
            .iter()
            .map(|work| Value::Object(documents::row(work, handles.end(work))))
            .collect();
        Ok(paged("tasks", &told, next))
    }

    /// Changes members and goals: `{"TaskContext": {…}}`, see [`TaskContext::changed`].
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::TaskForbids`], [`ServiceError::InvalidContext`],
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn change(self: &Arc<Self>, master: &ClientId, id: &str, body: &str) -> Result<Value, ServiceError> {
        let (lock, work) = self.at_desk(master, id).await?;
        let members = documents::members(body, &["TaskContext"])?;
        let changes = documents::required(&members, "TaskContext")?;
        work.is_open().map_err(refused)?;
        self.options.limits.more_changes(Some(&work), 1).map_err(refused)?;
        let context: TaskContext = self.read(work.context, || ServiceError::UnknownTask(id.to_owned()))?;
        let next = context.changed(&self.task, changes).map_err(invalid)?;
        let sealed = self.sealed("TaskContext", &next)?;
        let work = work.id;
        self.record(lock, vec![(WorkEvent::Changed { work, more: 0 }, sealed)])
            .await?;
        self.task(master, id)
    }

    /// Makes a subtask out for an agent: `{"AgentContext"}`. It is handed out when its turn comes.
    ///
    /// # Errors
    /// As [`TaskContexts::change`].
    pub async fn send(self: &Arc<Self>, master: &ClientId, id: &str, body: &str) -> Result<Value, ServiceError> {
        let (lock, work) = self.at_desk(master, id).await?;
        let filed = self.filed_in(body)?;
        let contents_lock = self.contents_lock_for(&filed.context).await;
        self.may_refer(master, &filed.context)?;
        let limits = &self.options.limits;
        limits.more_changes(Some(&work), 1).map_err(refused)?;
        let rounds = decide::places(Some(&work), std::slice::from_ref(&filed), limits).map_err(refused)?;
        let round = rounds.first().copied().unwrap_or(1);
        let sent = self.sent(&work.id, &filed, round)?;
        self.record((lock, contents_lock), vec![sent]).await?;
        self.subtask(master, id, filed.subtask.as_str())
    }

    /// Makes a subtask out anew, for the same agent or another; what was given back before is forgotten.
    ///
    /// # Errors
    /// As [`TaskContexts::change`], and [`ServiceError::UnknownSubtask`].
    pub async fn resend(
        self: &Arc<Self>,
        master: &ClientId,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        let (lock, work) = self.at_desk(master, id).await?;
        let (subtask, found) = own(&work, subtask)?;
        let filed = self.filed_in(body)?;
        let contents_lock = self.contents_lock_for(&filed.context).await;
        self.may_refer(master, &filed.context)?;
        work.may_resend(found, subtask, &filed).map_err(refused)?;
        self.options.limits.more_changes(Some(&work), 1).map_err(refused)?;
        let sent = self.sent(&work.id, &filed, found.round)?;
        self.record((lock, contents_lock), vec![sent]).await?;
        self.subtask(master, id, subtask.as_str())
    }

    /// A subtask by its master, with its last evaluation.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::UnknownSubtask`], or a fault of the journal.
    pub fn subtask(&self, master: &ClientId, id: &str, subtask: &str) -> Result<Value, ServiceError> {
        let work = self.of_master(master, id)?;
        let (_, found) = own(&work, subtask)?;
        self.told(&work, found)
    }

    /// Evaluates what was given back, in two phases; `{"verdicts"?}` are the master's own, and without one a subtask whose
    /// structure is whole waits for it. Answers with the subtask. One that is complete is opened again by a verdict of the master's that says no.
    ///
    /// # Errors
    /// As [`TaskContexts::resend`].
    pub async fn evaluate(
        self: &Arc<Self>,
        master: &ClientId,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        let (lock, work) = self.at_desk(master, id).await?;
        let (subtask, found) = own(&work, subtask)?;
        work.may_evaluate(found, true).map_err(refused)?;
        let context: AgentContext = self.read(found.context(), || gone(subtask.as_str()))?;
        let overruled: BTreeMap<String, Overruled> = documents::overruled(body, &context)?.into_iter().collect();
        let reopens = overruled.values().any(|own| !own.verified);
        work.may_evaluate(found, reopens).map_err(refused)?;
        self.options.limits.more_changes(Some(&work), 1).map_err(refused)?;
        let evaluation = evaluation::evaluate(&context, &overruled);
        let evaluated = WorkEvent::Evaluated {
            work: work.id.clone(),
            subtask: subtask.clone(),
            complete: evaluation.complete,
            structural: evaluation.structural,
            more: 0,
        };
        let sealed = serde_json::to_vec(&evaluation).map_err(|error| ServiceError::Fault(error.to_string()))?;
        self.record(lock, vec![(evaluated, sealed)]).await?;
        for verdict in &evaluation.verdicts {
            self.deps.observer.verdict(verdict.verdict);
        }
        self.subtask(master, id, subtask.as_str())
    }

    /// Ends a task: nothing more is given back or changed.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::TaskForbids`], or what the journal says.
    pub async fn end(self: &Arc<Self>, master: &ClientId, id: &str) -> Result<Value, ServiceError> {
        let (lock, work) = self.at_desk(master, id).await?;
        work.is_open().map_err(refused)?;
        self.record(lock, vec![(WorkEvent::Closed { work: work.id }, Vec::new())])
            .await?;
        self.task(master, id)
    }

    /// Deletes a task with everything that was said in it: it is gone for everyone, and erased. By its master, or by an operator
    /// where the master is gone.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or what the journal says.
    pub async fn delete(
        self: &Arc<Self>,
        master: &ClientId,
        id: &str,
        operator: Option<ClientId>,
    ) -> Result<Value, ServiceError> {
        let there = || {
            let (works, now, handles) = (self.events.state(), self.now(), &self.options.limits.lives);
            let work = match &operator {
                None => works.of_master(master, id, now, handles).map(|work| &work.id),
                Some(_) => works.of_operator(id, now, handles),
            };
            work.cloned().ok_or_else(|| ServiceError::UnknownTask(id.to_owned()))
        };
        there()?;
        let lock = self.lock(id).await?;
        let work = there()?;
        let contents_lock = self.contents_lock().await;
        end_as::log("task", id, "remove", operator.as_ref());
        let removed = WorkEvent::Removed { work, operator };
        self.record((lock, contents_lock), vec![(removed, Vec::new())]).await?;
        Ok(json!({"TaskID": id, "deleted": true}))
    }

    /// A task by its master.
    fn of_master(&self, master: &ClientId, id: &str) -> Result<Work, ServiceError> {
        let works = self.events.state();
        let found = works.of_master(master, id, self.now(), &self.options.limits.lives);
        found.cloned().ok_or_else(|| ServiceError::UnknownTask(id.to_owned()))
    }

    /// A task by its master, while nobody else decides about it.
    async fn at_desk(
        &self,
        master: &ClientId,
        id: &str,
    ) -> Result<(tokio::sync::OwnedMutexGuard<()>, Work), ServiceError> {
        // Who is not the master does not wait behind the master's own steps, and learns nothing by it.
        self.of_master(master, id)?;
        let lock = self.lock(id).await?;
        Ok((lock, self.of_master(master, id)?))
    }

    fn filed_in(&self, body: &str) -> Result<Filed, ServiceError> {
        let members = documents::members(body, &["AgentContext"])?;
        self.filed(documents::required(&members, "AgentContext")?)
    }

    fn filed(&self, document: &Value) -> Result<Filed, ServiceError> {
        let context = AgentContext::read(&self.agent, document).map_err(invalid)?;
        let filed = context.filed().map_err(invalid)?;
        if self.deps.principals.lacks(&filed.agent, Permission::Negotiate) {
            let message = "`AgentID` is the name of no principal: nobody could give the subtask back";
            let code = ViolationCode::NotAcceptable;
            return Err(invalid(vec![fault::wrong(AGENT_CONTEXT, "AgentID", "", code, message)]));
        }
        Ok(filed)
    }

    fn sent(&self, work: &WorkId, filed: &Filed, round: u32) -> Result<(WorkEvent, Vec<u8>), ServiceError> {
        let event = WorkEvent::Sent {
            work: work.clone(),
            subtask: filed.subtask.clone(),
            agent: filed.agent.clone(),
            after: filed.after.clone(),
            round,
            refers: filed.context.refers(),
            more: 0,
        };
        Ok((event, self.sealed("AgentContext", &filed.context)?))
    }

    /// A context as it is sealed, no longer than it may be.
    pub(in crate::app::task_contexts) fn sealed<T: serde::Serialize>(
        &self,
        what: &str,
        context: &T,
    ) -> Result<Vec<u8>, ServiceError> {
        let sealed = serde_json::to_vec(context).map_err(|error| ServiceError::Fault(error.to_string()))?;
        self.options.limits.fits(what, sealed.len()).map_err(refused)?;
        Ok(sealed)
    }

    /// A subtask with its context and last evaluation.
    pub(in crate::app::task_contexts) fn told(&self, work: &Work, subtask: &Subtask) -> Result<Value, ServiceError> {
        let context: AgentContext = self.read(subtask.context(), || gone("whose context was erased"))?;
        let evaluation: Option<Evaluation> = match subtask.evaluated {
            Some(seq) => Some(self.read(seq, || gone("whose evaluation was erased"))?),
            None => None,
        };
        Ok(documents::subtask(
            &context,
            round::state(work, subtask),
            work.closed,
            evaluation.as_ref(),
        ))
    }

    fn new_id(&self) -> Result<WorkId, ServiceError> {
        Ok(WorkId::of(random::id(self.webhook_sender.as_ref())?))
    }
}

/// `{name: rows, "next"?}`
pub(in crate::app::task_contexts) fn paged(name: &str, rows: &[Value], next: Option<&str>) -> Value {
    let mut document = json!({name: rows});
    if let Some(next) = next {
        document["next"] = json!(next);
    }
    document
}

fn own<'a>(work: &'a Work, subtask: &str) -> Result<(&'a SubtaskId, &'a Subtask), ServiceError> {
    let found = SubtaskId::parse(subtask).and_then(|id| work.subtasks.get_key_value(&id));
    found.ok_or_else(|| gone(subtask))
}

fn gone(subtask: &str) -> ServiceError {
    ServiceError::UnknownSubtask(subtask.to_owned())
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
