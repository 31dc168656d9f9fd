//! Where a context belongs that names no address: an AgentContext that comes in a message is the caller's own subtask that it
//! gives back, or one that it makes out as the task's master (C-015, C-062, C-063).
//!
//! Invariant: what a context becomes here is what the same context becomes at its address under `/v1/tasks`.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;

use crate::app::error::ServiceError;
use crate::app::task_contexts::TaskContexts;
use crate::app::task_contexts::invalid;
use context::task_context::agent_context::AGENT_CONTEXT;
use context::task_context::agent_context::AgentContext;
use context::task_context::id::SubtaskId;
use context::task_context::works::Standing;
use schema::name::ClientId;

impl TaskContexts {
    /// Takes an AgentContext to where it belongs. `task` is needed where the master makes a subtask out, and where an agent has
    /// subtasks of this name in several tasks.
    ///
    /// # Errors
    /// [`ServiceError::BadRequest`] where the task is needed and not named, and what [`TaskContexts::give_back`], [`TaskContexts::send`]
    /// and [`TaskContexts::resend`] say.
    pub async fn arrived(
        self: &Arc<Self>,
        client: &ClientId,
        task: Option<&str>,
        document: &Value,
    ) -> Result<Value, ServiceError> {
        let context = AgentContext::read(&self.agent, document).map_err(invalid)?;
        let subtask = context.sub_task_id.as_str();
        let body = json!({AGENT_CONTEXT: document}).to_string();
        if context.agent_id == client.as_str() {
            let own = self.own_named(client, task, subtask);
            match own.as_slice() {
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
            let works = self.events.state();
            let work = works.of_master(client, task, self.now(), &self.options.limits.lives);
            let subtasks = work.map(|work| &work.subtasks);
            SubtaskId::parse(subtask).is_some_and(|id| subtasks.is_some_and(|there| there.contains_key(&id)))
        };
        if is_there {
            self.resend(client, task, subtask, &body).await
        } else {
            self.send(client, task, &body).await
        }
    }

    /// Tasks that go on and have a subtask of this name handed out to a client; of several, those where it is still to be done.
    fn own_named(&self, client: &ClientId, task: Option<&str>, subtask: &str) -> Vec<String> {
        let (works, now, handles) = (self.events.state(), self.now(), &self.options.limits.lives);
        let own = || {
            let handed_out = works.handed_out(client, now, handles);
            handed_out
                .filter(|(work, id, _)| id.as_str() == subtask && task.is_none_or(|task| work.id.as_str() == task))
        };
        let open = own().filter(|(work, _, found)| !work.closed && found.standing != Standing::Complete);
        let open: Vec<String> = open.map(|(work, ..)| work.id.as_str().to_owned()).collect();
        if open.is_empty() {
            return own().take(1).map(|(work, ..)| work.id.as_str().to_owned()).collect();
        }
        open
    }
}
