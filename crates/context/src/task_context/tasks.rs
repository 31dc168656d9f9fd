//! All tasks and contents as a value: a view of their journal.
//!
//! A task knows at which records its contexts lie, not what they are. Invariant: a content that nobody keeps is not there.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::task_context::event::Mode;
use crate::task_context::event::TaskContextEvent;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::TaskId;
use schema::name::ClientId;
use schema::time::At;

/// How far a subtask is, whether or not it was handed out yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Its agent has it, or will.
    Sent,
    /// It waits for the master's evaluation, or was evaluated without a verdict.
    Returned,
    /// It was evaluated, and something is missing.
    Incomplete,
    /// Every item is verified.
    Complete,
}

/// A subtask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subtask {
    pub agent: ClientId,
    pub after: Vec<SubtaskId>,
    pub round: u32,
    pub standing: Standing,
    /// The record of what was sent.
    pub sent: u64,
    /// The record of what was given back last.
    pub returned: Option<u64>,
    /// The record of the last verdicts.
    pub evaluated: Option<u64>,
    /// Contents that what was sent names, and what was given back last.
    pub sent_refers: BTreeSet<ContentId>,
    pub returned_refers: BTreeSet<ContentId>,
    /// Of its last step.
    pub at: At,
}

impl Subtask {
    /// The record of the context as it is now.
    pub fn context(&self) -> u64 {
        self.returned.unwrap_or(self.sent)
    }

    /// Whether its agent may read a content by it.
    pub fn refers_to(&self, content: &ContentId) -> bool {
        self.sent_refers.contains(content) || self.returned_refers.contains(content)
    }

    /// Whether what depends on it may begin.
    pub fn is_complete(&self) -> bool {
        self.standing == Standing::Complete
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: TaskId,
    pub master: ClientId,
    pub mode: Option<Mode>,
    pub closed: bool,
    pub began: At,
    pub changed: At,
    /// The record of its TaskContext as it is now.
    pub context: u64,
    pub subtasks: BTreeMap<SubtaskId, Subtask>,
    /// Every record with something sealed, and in how many more it goes on.
    pub records: Vec<(u64, u32)>,
}

impl Task {
    /// How subtasks are handed out: as the master said, else by whether any depends on another (C-020).
    pub fn mode(&self) -> Mode {
        let depends = || self.subtasks.values().any(|subtask| !subtask.after.is_empty());
        self.mode.unwrap_or_else(|| {
            if depends() {
                Mode::Synchronous
            } else {
                Mode::Asynchronous
            }
        })
    }

    /// Contents that its contexts refer to.
    pub fn refers(&self) -> BTreeSet<ContentId> {
        let subtasks = self.subtasks.values();
        let refers = subtasks.flat_map(|subtask| subtask.sent_refers.union(&subtask.returned_refers));
        refers.cloned().collect()
    }

    /// The record that it began with.
    pub fn first_record(&self) -> u64 {
        self.records.first().map_or(0, |(seq, _)| *seq)
    }
}

/// A large context that lies outside of messages, under the hash of its text (C-051, C-058): kept once, whoever stores it. Who stored
/// it may read it until its time is over; who is told of it in a context may read it as long as that context lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub id: ContentId,
    /// The record that holds its text, and in how many more it goes on.
    pub seq: u64,
    pub more: u32,
    /// Of its text in UTF-8.
    pub bytes: u64,
    /// Who stored it, each until when.
    pub owners: BTreeMap<ClientId, At>,
}

impl Content {
    /// Whether this client stored it and its time is not over.
    pub fn is_owned(&self, client: &ClientId, now: At) -> bool {
        self.owners.get(client).is_some_and(|until| now < *until)
    }
}

/// Everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
pub struct TaskContexts {
    pub tasks: BTreeMap<TaskId, Task>,
    pub contents: BTreeMap<ContentId, Content>,
}

/// Everything as it lies on disk: each says its own name.
#[derive(Serialize, Deserialize)]
struct Kept {
    tasks: Vec<Task>,
    contents: Vec<Content>,
}

impl From<TaskContexts> for Kept {
    fn from(all: TaskContexts) -> Kept {
        Kept {
            tasks: all.tasks.into_values().collect(),
            contents: all.contents.into_values().collect(),
        }
    }
}

impl From<Kept> for TaskContexts {
    fn from(kept: Kept) -> TaskContexts {
        let tasks = kept.tasks.into_iter().map(|task| (task.id.clone(), task));
        let contents = kept.contents.into_iter().map(|content| (content.id.clone(), content));
        TaskContexts {
            tasks: tasks.collect(),
            contents: contents.collect(),
        }
    }
}

impl Aggregate for TaskContexts {
    type Event = TaskContextEvent;

    /// Applies one event that lies at this record. What concerns a task that is not there any more is passed over.
    fn evolve(&mut self, seq: u64, at: At, event: &TaskContextEvent) {
        match event {
            TaskContextEvent::Begun {
                work,
                master,
                mode,
                more,
            } => {
                let begun = Task {
                    id: work.clone(),
                    master: master.clone(),
                    mode: *mode,
                    closed: false,
                    began: at,
                    changed: at,
                    context: seq,
                    subtasks: BTreeMap::new(),
                    records: vec![(seq, *more)],
                };
                self.tasks.insert(work.clone(), begun);
            }
            TaskContextEvent::Changed { work, more } => {
                self.step(work, at, Some((seq, *more)), |task| task.context = seq)
            }
            TaskContextEvent::Sent {
                work,
                subtask,
                agent,
                after,
                round,
                refers,
                more,
            } => {
                let sent = Subtask {
                    agent: agent.clone(),
                    after: after.clone(),
                    round: *round,
                    standing: Standing::Sent,
                    sent: seq,
                    returned: None,
                    evaluated: None,
                    sent_refers: refers.clone(),
                    returned_refers: BTreeSet::new(),
                    at,
                };
                self.step(work, at, Some((seq, *more)), |task| {
                    task.subtasks.insert(subtask.clone(), sent);
                });
            }
            TaskContextEvent::Returned {
                work,
                subtask,
                refers,
                more,
            } => self.step(work, at, Some((seq, *more)), |task| {
                if let Some(found) = task.subtasks.get_mut(subtask) {
                    found.standing = Standing::Returned;
                    (found.returned, found.at) = (Some(seq), at);
                    found.returned_refers.clone_from(refers);
                }
            }),
            TaskContextEvent::Evaluated {
                work,
                subtask,
                complete,
                structural,
                more,
            } => self.step(work, at, Some((seq, *more)), |task| {
                if let Some(found) = task.subtasks.get_mut(subtask) {
                    found.standing = match (*complete, *structural) {
                        (true, _) => Standing::Complete,
                        (false, true) => Standing::Returned,
                        (false, false) => Standing::Incomplete,
                    };
                    (found.evaluated, found.at) = (Some(seq), at);
                }
            }),
            TaskContextEvent::Closed { work } => self.step(work, at, None, |task| task.closed = true),
            TaskContextEvent::Removed { work, .. } => {
                let refers = self.tasks.remove(work).map(|task| task.refers());
                refers.iter().flatten().for_each(|content| self.drop_unkept(content));
            }
            TaskContextEvent::Stored {
                content,
                owner,
                bytes,
                until,
                text,
                more,
            } => {
                if *text {
                    // Its text lies where it was stored last.
                    let stored = self.contents.entry(content.clone()).or_insert_with(|| Content {
                        id: content.clone(),
                        seq,
                        more: *more,
                        bytes: *bytes,
                        owners: BTreeMap::new(),
                    });
                    (stored.seq, stored.more) = (seq, *more);
                }
                if let Some(stored) = self.contents.get_mut(content) {
                    stored.owners.insert(owner.clone(), *until);
                }
            }
            TaskContextEvent::Released { content, owner } => {
                if let Some(stored) = self.contents.get_mut(content) {
                    stored.owners.remove(owner);
                }
                self.drop_unkept(content);
            }
            TaskContextEvent::Continued => {}
        }
    }

    fn needed(&self) -> Vec<(u64, u64)> {
        let of_tasks = self.tasks.values().flat_map(|task| task.records.iter().copied());
        let of_contents = self.contents.values().map(|content| (content.seq, content.more));
        of_tasks.chain(of_contents).map(range).collect()
    }

    /// Those of a task that goes, and of contents that may be kept by it alone.
    fn at_stake(&self, event: &TaskContextEvent) -> Vec<(u64, u64)> {
        let task = event.task().and_then(|id| self.tasks.get(id));
        let (contents, records) = match event {
            TaskContextEvent::Sent { .. } | TaskContextEvent::Returned { .. } => (task.map(Task::refers), None),
            TaskContextEvent::Removed { .. } => (task.map(Task::refers), task.map(|task| &task.records)),
            TaskContextEvent::Released { content, .. } => (Some(BTreeSet::from([content.clone()])), None),
            _ => (None, None),
        };
        let contents = contents.into_iter().flatten().filter_map(|id| self.contents.get(&id));
        let contents = contents.map(|content| (content.seq, content.more));
        let all = contents.chain(records.into_iter().flatten().copied());
        all.map(range).collect()
    }
}

impl TaskContexts {
    /// Lets something happen to a task.
    fn step(&mut self, id: &TaskId, at: At, record: Option<(u64, u32)>, change: impl FnOnce(&mut Task)) {
        let Some(task) = self.tasks.get_mut(id) else { return };
        let before = task.refers();
        task.changed = at;
        task.records.extend(record);
        change(task);
        before.iter().for_each(|content| self.drop_unkept(content));
    }

    /// A content that nobody keeps any more is not there any more.
    fn drop_unkept(&mut self, id: &ContentId) {
        let is_owned = |content: &Content| !content.owners.is_empty();
        let mut subtasks = self.tasks.values().flat_map(|task| task.subtasks.values());
        if !self.contents.get(id).is_some_and(is_owned) && !subtasks.any(|subtask| subtask.refers_to(id)) {
            self.contents.remove(id);
        }
    }

    /// Bytes of all contents.
    pub fn content_bytes(&self) -> u64 {
        self.contents.values().map(|content| content.bytes).sum()
    }
}

/// A record with those that it goes on in, first to last.
fn range((seq, more): (u64, u32)) -> (u64, u64) {
    (seq, seq + u64::from(more))
}

#[cfg(test)]
pub mod tests;
