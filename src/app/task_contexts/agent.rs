//! What an agent does with its subtasks: see which are its own, fetch one, give it back (C-003, C-035, C-036, C-062, C-063); and where
//! a context belongs that names no address (C-015).

use serde_json::Value;
use serde_json::json;

use crate::api::tasks::AssignedRow;
use crate::api::tasks::SentSubtask;
use crate::api::tasks::SubtaskDocument;
use crate::api::tasks::TaskPage;
use crate::app::error::ServiceError;
use crate::app::task_contexts::Page;
use crate::app::task_contexts::TaskContextService;
use crate::app::task_contexts::bodies;
use crate::app::task_contexts::unknown_subtask;
use crate::app::task_contexts::unknown_task;
use crate::app::telemetry::TaskContextStep;
use context::task_context::access::Found;
use context::task_context::agent_context::AGENT_CONTEXT;
use context::task_context::agent_context::AgentContext;
use context::task_context::agent_context::returned;
use context::task_context::event::TaskContextEvent;
use context::task_context::id::SubtaskId;
use context::task_context::tasks::Standing;
use context::task_context::tasks::Subtask;
use context::task_context::tasks::Task;
use schema::name::ClientId;

/// What an agent's subtask may be once it was handed out.
const STATES: [&str; 4] = ["sent", "returned", "incomplete", "complete"];

impl TaskContextService {
    /// The subtasks that were handed out to an agent, of tasks that are not closed.
    ///
    /// # Errors
    /// [`ServiceError::BadParameter`].
    pub fn assigned(&self, agent: &ClientId, page: &Page<'_>) -> Result<TaskPage, ServiceError> {
        if page.state.is_some_and(|state| !STATES.contains(&state)) {
            let states = STATES.join(", ");
            let what = format!("the parameter state must be one of {states} for role=agent");
            return Err(ServiceError::BadParameter(what));
        }
        let all = self.events.state();
        let found = self.living(&all).assigned(agent);
        let found = found.filter(|(task, _, found)| page.state.is_none_or(|state| task.state(found) == state));
        let name = |(task, id, _): &Found<'_>| format!("{}.{}", task.id, id);
        let (rows, next) = page.cut(found, name)?;
        Ok(TaskPage {
            subtasks: Some(rows.into_iter().map(row).collect()),
            next,
            ..TaskPage::default()
        })
    }

    /// An agent's own subtask, with what was found of it.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`] where nothing of the task is the agent's, [`ServiceError::UnknownSubtask`] where only this is
    /// not, or a fault of the journal.
    pub fn own_subtask(&self, agent: &ClientId, id: &str, subtask: &str) -> Result<SubtaskDocument, ServiceError> {
        let (task, _, found) = self.of_agent(agent, id, subtask)?;
        self.document(&task, &found)
    }

    /// Gives a subtask back: `{"AgentContext"}`, its own and with nothing changed but what came of its items.
    ///
    /// # Errors
    /// As [`TaskContextService::own_subtask`], [`ServiceError::TaskForbids`], [`ServiceError::InvalidContext`],
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn give_back(
        &self,
        agent: &ClientId,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<SubtaskDocument, ServiceError> {
        self.of_agent(agent, id, subtask)?;
        let lock = self.events.lock(id).await;
        let (task, name, found) = self.of_agent(agent, id, subtask)?;
        let SentSubtask { agent_context } = bodies::read(body, AGENT_CONTEXT)?;
        task.may_return(&found)?;
        self.limits.more_changes(Some(&task), 1)?;
        let back = AgentContext::read(&self.agent, &agent_context)?;
        let sent: AgentContext = self.read(found.sent, || unknown_subtask(subtask))?;
        let back = returned(&sent, back)?;
        let refers = back.refers();
        let contents = self.lock_contents(!refers.is_empty()).await;
        self.may_refer(agent, &back)?;
        let event = TaskContextEvent::Returned {
            work: task.id,
            subtask: name,
            refers,
            more: 0,
        };
        let events = vec![(event, self.sealed(AGENT_CONTEXT, &back)?)];
        self.record((lock, contents), events, TaskContextStep::asked).await?;
        self.own_subtask(agent, id, subtask)
    }

    fn of_agent(&self, agent: &ClientId, id: &str, subtask: &str) -> Result<(Task, SubtaskId, Subtask), ServiceError> {
        let all = self.events.state();
        let mut own = self.living(&all).of_agent(agent, id).peekable();
        if own.peek().is_none() {
            return Err(unknown_task(id));
        }
        let found = own.find(|(_, name, _)| name.as_str() == subtask);
        let (task, name, found) = found.ok_or_else(|| unknown_subtask(subtask))?;
        Ok((task.clone(), name.clone(), found.clone()))
    }

    /// Takes an AgentContext that came in a message to where it belongs: the caller's own subtask that it gives back, or one that it
    /// makes out as the task's master. It becomes what it becomes at its address under `/v1/tasks`. `task` is needed where the
    /// master makes a subtask out, and where an agent has subtasks of this name in several tasks.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] where the task is needed and not named, and what [`TaskContextService::give_back`],
    /// [`TaskContextService::send`] and [`TaskContextService::resend`] say.
    pub async fn take_in(
        &self,
        client: &ClientId,
        task: Option<&str>,
        document: &Value,
    ) -> Result<SubtaskDocument, ServiceError> {
        let context = AgentContext::read(&self.agent, document)?;
        let subtask = context.sub_task_id.as_str();
        let body = json!({AGENT_CONTEXT: document}).to_string();
        if context.agent_id == *client {
            match self.own_named(client, task, subtask).as_slice() {
                [] => {}
                [only] => return self.give_back(client, only, subtask, &body).await,
                [..] => {
                    let what = "TaskID is required beside AgentContext: several tasks have a subtask of yours with this SubTaskID";
                    return Err(ServiceError::BadRequest(what.to_owned()));
                }
            }
        }
        let Some(task) = task else {
            let what = "no subtask of yours has this SubTaskID; a master names the task by TaskID beside AgentContext";
            return Err(ServiceError::BadRequest(what.to_owned()));
        };
        let is_there = {
            let all = self.events.state();
            let found = self.living(&all).of_master(client, task);
            found.is_some_and(|task| task.subtasks.contains_key(&context.sub_task_id))
        };
        if is_there {
            self.resend(client, task, subtask, &body).await
        } else {
            self.send(client, task, &body).await
        }
    }

    /// Tasks that go on and have a subtask of this name handed out to a client; of several, those where it is still to be done.
    fn own_named(&self, client: &ClientId, task: Option<&str>, subtask: &str) -> Vec<String> {
        let all = self.events.state();
        let own = self.living(&all).handed_out(client);
        let own =
            own.filter(|(found, id, _)| id.as_str() == subtask && task.is_none_or(|task| found.id.as_str() == task));
        let (open, over): (Vec<_>, Vec<_>) =
            own.partition(|(task, _, found)| !task.closed && found.standing != Standing::Complete);
        let own = if open.is_empty() {
            over.into_iter().take(1).collect()
        } else {
            open
        };
        own.into_iter().map(|(task, ..)| task.id.to_string()).collect()
    }
}

/// What an agent's list says of a subtask.
fn row((task, id, subtask): Found<'_>) -> AssignedRow {
    AssignedRow {
        task_id: task.id.to_string(),
        sub_task_id: id.to_string(),
        state: task.state(subtask),
        changed_at: task.since(subtask).rfc3339(),
    }
}
