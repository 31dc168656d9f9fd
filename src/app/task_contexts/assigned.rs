//! What an agent does with its subtasks: see which are its own, fetch one, give it back (C-003, C-035, C-036, C-062, C-063).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::app::error::ServiceError;
use crate::app::task_contexts::TaskContexts;
use crate::app::task_contexts::documents;
use crate::app::task_contexts::invalid;
use crate::app::task_contexts::master::Page;
use crate::app::task_contexts::master::paged;
use crate::app::task_contexts::refused;
use context::task_context::agent_context::AgentContext;
use context::task_context::event::WorkEvent;
use context::task_context::id::SubtaskId;
use context::task_context::returned::returned;
use context::task_context::round;
use context::task_context::works::Subtask;
use context::task_context::works::Work;
use schema::name::ClientId;

/// What an agent's subtask may be once it was handed out.
const STATES: [&str; 4] = ["sent", "returned", "incomplete", "complete"];

impl TaskContexts {
    /// The subtasks that were handed out to an agent, of tasks that are not closed: `{"subtasks": […], "next"?}`.
    ///
    /// # Errors
    /// [`ServiceError::BadParameter`].
    pub fn assigned(&self, agent: &ClientId, page: &Page<'_>) -> Result<Value, ServiceError> {
        let size = page.size()?;
        if page.state.is_some_and(|state| !STATES.contains(&state)) {
            let what = format!(
                "the parameter state must be one of {} for role=agent",
                STATES.join(", ")
            );
            return Err(ServiceError::BadParameter(what));
        }
        let (works, now, handles) = (self.events.state(), self.now(), &self.options.limits.lives);
        let mut found = works
            .assigned(agent, now, handles)
            .filter(|(work, _, found)| page.state.is_none_or(|state| round::state(work, found) == state));
        if let Some(after) = page.after
            && !found.by_ref().any(|(work, subtask, _)| mark(work, subtask) == after)
        {
            let what = "the parameter after must be the `next` of a page before";
            return Err(ServiceError::BadParameter(what.to_owned()));
        }
        let rows: Vec<_> = found.by_ref().take(size).collect();
        let next = found
            .next()
            .and(rows.last())
            .map(|(work, subtask, _)| mark(work, subtask));
        let told: Vec<Value> = rows
            .iter()
            .map(|(work, subtask, found)| documents::assigned(work, subtask, found))
            .collect();
        Ok(paged("subtasks", &told, next.as_deref()))
    }

    /// An agent's own subtask, with what was found of it.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`] where nothing of the task is the agent's, [`ServiceError::UnknownSubtask`] where only this is
    /// not, or a fault of the journal.
    pub fn own_subtask(&self, agent: &ClientId, id: &str, subtask: &str) -> Result<Value, ServiceError> {
        let (work, _, found) = self.of_agent(agent, id, subtask)?;
        self.told(&work, &found)
    }

    /// Gives a subtask back: `{"AgentContext"}`, its own and with nothing changed but what came of its items.
    ///
    /// # Errors
    /// As [`TaskContexts::own_subtask`], [`ServiceError::TaskForbids`], [`ServiceError::InvalidContext`],
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn give_back(
        self: &Arc<Self>,
        agent: &ClientId,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        self.of_agent(agent, id, subtask)?;
        let lock = self.lock(id).await?;
        let (work, name, found) = self.of_agent(agent, id, subtask)?;
        let members = documents::members(body, &["AgentContext"])?;
        work.may_return(&found).map_err(refused)?;
        self.options.limits.more_changes(Some(&work), 1).map_err(refused)?;
        let wanted = documents::required(&members, "AgentContext")?;
        let back = AgentContext::read(&self.agent, wanted).map_err(invalid)?;
        let gone = || ServiceError::UnknownSubtask(subtask.to_owned());
        let sent: AgentContext = self.read(found.sent, gone)?;
        let back = returned(&sent, back).map_err(invalid)?;
        let contents_lock = self.contents_lock_for(&back).await;
        self.may_refer(agent, &back)?;
        let event = WorkEvent::Returned {
            work: work.id,
            subtask: name,
            refers: back.refers(),
            more: 0,
        };
        let sealed = self.sealed("AgentContext", &back)?;
        self.record((lock, contents_lock), vec![(event, sealed)]).await?;
        self.own_subtask(agent, id, subtask)
    }

    fn of_agent(&self, agent: &ClientId, id: &str, subtask: &str) -> Result<(Work, SubtaskId, Subtask), ServiceError> {
        let (works, now, handles) = (self.events.state(), self.now(), &self.options.limits.lives);
        if let Some((work, name, found)) = works.of_agent(agent, id, subtask, now, handles) {
            return Ok((work.clone(), name.clone(), found.clone()));
        }
        let none = BTreeSet::new();
        let mut own = works.by_agent.get(agent).unwrap_or(&none).iter();
        let is_there = own.any(|(work, other)| {
            work.as_str() == id && works.of_agent(agent, id, other.as_str(), now, handles).is_some()
        });
        Err(if is_there {
            ServiceError::UnknownSubtask(subtask.to_owned())
        } else {
            ServiceError::UnknownTask(id.to_owned())
        })
    }
}

/// What names a subtask in a list.
fn mark(work: &Work, subtask: &SubtaskId) -> String {
    format!("{}.{}", work.id.as_str(), subtask.as_str())
}
