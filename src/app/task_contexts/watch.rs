//! Following one's own subtasks: an agent learns of what is handed out to it, and of what was found of it, as it happens (C-063).
//!
//! Read off how the tasks stand, so that a follower may be slow and misses nothing that still holds. A stream begins with what waits
//! for its agent and with what waited when its task was closed, so that nothing is lost where one broke off. Invariant: each look asks
//! [`context::task_context::access`] anew, and tells what the agent's list would tell.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch as channel;

use crate::api::tasks::AssignedRow;
use crate::api::tasks::SubtaskGone;
use crate::app::error::ServiceError;
use crate::app::sessions::watch::Told;
use crate::app::task_contexts::TaskContextService;
use crate::app::task_contexts::agent::row;
use context::task_context::access::Found;
use context::task_context::id::SubtaskId;
use context::task_context::id::TaskId;
use schema::name::ClientId;
use schema::time::At;

/// How a subtask stands, as far as its agent sees it: its state, and the records of what was sent, given back and found.
type Stand = (&'static str, u64, Option<u64>, Option<u64>);

/// States in which something waits for the agent.
const WAITING: [&str; 2] = ["sent", "incomplete"];

/// An agent that follows its subtasks.
pub struct TaskContextWatch {
    tasks: Arc<TaskContextService>,
    agent: ClientId,
    changes: channel::Receiver<u64>,
    known: BTreeMap<(TaskId, SubtaskId), Stand>,
}

impl TaskContextService {
    /// Follows what is handed out to an agent, from what waits for it now.
    ///
    /// # Errors
    /// [`ServiceError::FollowsItself`] for any name but the caller's own.
    pub fn follow(self: &Arc<Self>, itself: &ClientId, agent: &str) -> Result<TaskContextWatch, ServiceError> {
        if itself.as_str() != agent {
            return Err(ServiceError::FollowsItself {
                agent: agent.to_owned(),
                caller: itself.to_string(),
            });
        }
        let changes = self.events.follow(agent, usize::MAX);
        let changes = changes.ok_or(ServiceError::Busy { retry_after_s: 1 })?;
        let mut watch = TaskContextWatch {
            tasks: Arc::clone(self),
            agent: itself.clone(),
            changes,
            known: BTreeMap::new(),
        };
        let assigned = watch.assigned().into_iter().map(|(key, (stand, ..))| (key, stand));
        watch.known = assigned.filter(|(_, (state, ..))| !WAITING.contains(state)).collect();
        watch.known.extend(watch.closed());
        Ok(watch)
    }
}

impl TaskContextWatch {
    /// What changed; waits for it. Nothing is lost when this is given up before it answers. `None` when there is nothing more
    /// to be told.
    pub async fn next(&mut self) -> Option<Vec<Told>> {
        loop {
            // Before the tasks are looked at: a change after that wakes again.
            self.changes.borrow_and_update();
            let told = self.fresh();
            if !told.is_empty() {
                return Some(told);
            }
            self.changes.changed().await.ok()?;
        }
    }

    fn fresh(&mut self) -> Vec<Told> {
        let now = self.assigned();
        let fresh = now
            .iter()
            .filter(|(key, (stand, ..))| self.known.get(key) != Some(stand));
        let mut fresh: Vec<&(Stand, At, AssignedRow)> = fresh.map(|(_, found)| found).collect();
        // As it happened, whatever the tasks are called.
        fresh.sort_by_key(|(_, changed, _)| *changed);
        let mut told: Vec<Told> = fresh
            .into_iter()
            .map(|(_, _, row)| Told::new(None, row.state, row))
            .collect();
        let gone = self.known.keys().filter(|key| !now.contains_key(*key));
        told.extend(gone.map(|(task, subtask)| {
            let gone = SubtaskGone {
                task_id: task.to_string(),
                sub_task_id: subtask.to_string(),
            };
            Told::new(None, "gone", &gone)
        }));
        self.known = now.into_iter().map(|(key, (stand, ..))| (key, stand)).collect();
        told
    }

    /// What waited for the agent when its task was closed: told as gone, since whoever broke off before may still be at it.
    fn closed(&self) -> BTreeMap<(TaskId, SubtaskId), Stand> {
        let all = self.tasks.events.state();
        let closed = self
            .tasks
            .living(&all)
            .handed_out(&self.agent)
            .filter(|(task, ..)| task.closed);
        let stands = closed.map(|found| (key(found), stand(found)));
        stands.filter(|(_, (state, ..))| WAITING.contains(state)).collect()
    }

    /// Everything that is handed out to the agent, as its list has it.
    fn assigned(&self) -> BTreeMap<(TaskId, SubtaskId), (Stand, At, AssignedRow)> {
        let all = self.tasks.events.state();
        let assigned = self.tasks.living(&all).assigned(&self.agent);
        let stands = assigned.map(|found| (key(found), (stand(found), found.0.since(found.2), row(found))));
        stands.collect()
    }
}

fn key((task, id, _): Found<'_>) -> (TaskId, SubtaskId) {
    (task.id.clone(), id.clone())
}

fn stand((task, _, found): Found<'_>) -> Stand {
    (task.state(found), found.sent, found.returned, found.evaluated)
}
