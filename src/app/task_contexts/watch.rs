//! Following one's own subtasks: an agent learns of what is handed out to it, and of what was found of it, as it happens (C-063).
//!
//! Read off how the tasks stand, so that a follower may be slow and misses nothing that still holds. A stream begins with what waits
//! for its agent and with what waited when its task was closed, so that nothing is lost where one broke off. Invariant: each look asks [`context::task_context::access`]
//! anew, and tells what the agent's list would tell.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use serde_json::json;
use tokio::sync::watch as channel;

use crate::app::lock::locked;
use crate::app::sessions::watch::Told;
use crate::app::task_contexts::TaskContexts;
use crate::app::task_contexts::documents;
use context::task_context::id::SubtaskId;
use context::task_context::id::WorkId;
use context::task_context::round;
use context::task_context::works::Subtask;
use context::task_context::works::Works;
use schema::name::ClientId;
use schema::time::At;

/// How a subtask stands, as far as its agent sees it: its state, and the records of what was sent, given back and found.
type Stand = (&'static str, u64, Option<u64>, Option<u64>);

/// States in which something waits for the agent.
const WAITING: [&str; 2] = ["sent", "incomplete"];

/// An agent that follows its subtasks.
pub struct WorkWatch {
    keeping: Arc<TaskContexts>,
    agent: ClientId,
    changes: channel::Receiver<u64>,
    known: BTreeMap<(WorkId, SubtaskId), Stand>,
}

/// Whom to wake when something happens to an agent's subtasks; none for an agent that nobody follows.
pub type Followers = BTreeMap<ClientId, channel::Sender<u64>>;

impl TaskContexts {
    /// Follows what is handed out to an agent, from what waits for it now.
    pub fn follow(self: &Arc<Self>, agent: &ClientId) -> WorkWatch {
        let changes = {
            let mut followers = locked(&self.followers);
            followers.retain(|_, changes| changes.receiver_count() > 0);
            let changes = followers
                .entry(agent.clone())
                .or_insert_with(|| channel::Sender::new(0));
            changes.subscribe()
        };
        let mut watch = WorkWatch {
            keeping: Arc::clone(self),
            agent: agent.clone(),
            changes,
            known: BTreeMap::new(),
        };
        watch.known = watch.now().into_iter().map(|(key, (stand, ..))| (key, stand)).collect();
        watch.known.retain(|_, (state, ..)| !WAITING.contains(state));
        watch.known.extend(watch.closed());
        watch
    }

    /// Wakes who follows one of these agents.
    pub(in crate::app::task_contexts) fn wake(&self, agents: &BTreeSet<ClientId>) {
        let followers = locked(&self.followers);
        for changes in agents.iter().filter_map(|agent| followers.get(agent)) {
            changes.send_modify(|change| *change += 1);
        }
    }
}

/// The agents of a task's subtasks: whatever happens to one may hand out another.
pub(in crate::app::task_contexts) fn agents(works: &Works, work: Option<&WorkId>) -> BTreeSet<ClientId> {
    let work = work.and_then(|work| works.works.get(work));
    let subtasks = work.into_iter().flat_map(|work| work.subtasks.values());
    subtasks.map(|subtask| subtask.agent.clone()).collect()
}

impl WorkWatch {
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
        let now = self.now();
        let mut told = Vec::new();
        let say = |event, data| Told { id: None, event, data };
        let mut fresh: Vec<_> = now
            .iter()
            .filter(|(key, (stand, ..))| self.known.get(key) != Some(stand))
            .collect();
        // As it happened, whatever the tasks are called.
        fresh.sort_by_key(|(_, (_, changed, _))| *changed);
        for (_, (stand, _, data)) in fresh {
            told.push(say(stand.0, data.clone()));
        }
        for (work, subtask) in self.known.keys().filter(|key| !now.contains_key(*key)) {
            let data = json!({"TaskID": work.as_str(), "SubTaskID": subtask.as_str()});
            told.push(say("gone", data));
        }
        self.known = now.into_iter().map(|(key, (stand, ..))| (key, stand)).collect();
        told
    }

    /// What waited for the agent when its task was closed: told as gone, since whoever broke off before may still be at it.
    fn closed(&self) -> BTreeMap<(WorkId, SubtaskId), Stand> {
        let (works, handles) = (self.keeping.events.state(), &self.keeping.options.limits.lives);
        let all = works.handed_out(&self.agent, self.keeping.now(), handles);
        all.filter(|(work, ..)| work.closed)
            .map(|(work, name, found)| ((work.id.clone(), name.clone()), stand(round::state(work, found), found)))
            .filter(|(_, (state, ..))| WAITING.contains(state))
            .collect()
    }

    /// Everything that is handed out to the agent, as its list has it.
    fn now(&self) -> BTreeMap<(WorkId, SubtaskId), (Stand, At, Value)> {
        let (works, at, handles) = (
            self.keeping.events.state(),
            self.keeping.now(),
            &self.keeping.options.limits.lives,
        );
        works
            .assigned(&self.agent, at, handles)
            .map(|(work, name, found)| {
                let stand = stand(round::state(work, found), found);
                let data = documents::assigned(work, name, found);
                (
                    (work.id.clone(), name.clone()),
                    (stand, round::since(work, found), data),
                )
            })
            .collect()
    }
}

fn stand(state: &'static str, subtask: &Subtask) -> Stand {
    (state, subtask.sent, subtask.returned, subtask.evaluated)
}
