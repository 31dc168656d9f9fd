//! All tasks and contents as a value: a view of their journal.
//!
//! A task knows at which records its contexts lie, not what they are. Invariant ([`Works::check`]): the indexes name exactly what
//! there is, each content knows the tasks that refer to it, and a content that nobody keeps is not there.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Aggregate;
use crate::task_context::content::Content;
use crate::task_context::event::Mode;
use crate::task_context::event::Release;
use crate::task_context::event::WorkEvent;
use crate::task_context::id::ContentId;
use crate::task_context::id::SubtaskId;
use crate::task_context::id::WorkId;
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
    /// What was given back last was evaluated, its structure is whole, and the master said no to nothing.
    #[serde(default)]
    pub structural: bool,
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

    /// Contents that its agent may read.
    pub fn refers(&self) -> impl Iterator<Item = &ContentId> {
        self.sent_refers.union(&self.returned_refers)
    }
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    pub id: WorkId,
    pub master: ClientId,
    pub mode: Option<Mode>,
    /// In old snapshots, what was verified.
    #[serde(default)]
    pub release: Release,
    pub closed: bool,
    pub began: At,
    pub changed: At,
    /// The record of its TaskContext as it is now.
    pub context: u64,
    pub subtasks: BTreeMap<SubtaskId, Subtask>,
    /// Every record with something sealed, and in how many more it goes on.
    pub records: Vec<(u64, u32)>,
}

impl Work {
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

    /// Whether what depends on a subtask may begin: it is complete, or its structure is whole where the task is content with that.
    pub fn releases(&self, subtask: &Subtask) -> bool {
        let structural = || match self.release {
            Release::Verified => false,
            Release::Structural => subtask.structural,
        };
        subtask.standing == Standing::Complete || structural()
    }

    /// Contents that its contexts refer to.
    pub fn refers(&self) -> BTreeSet<ContentId> {
        self.subtasks.values().flat_map(Subtask::refers).cloned().collect()
    }
}

/// Everything. Written as tasks and contents alone, since the indexes follow from them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Works {
    pub works: BTreeMap<WorkId, Work>,
    pub contents: BTreeMap<ContentId, Content>,
    /// By the record that each began with, so that a list is in the order of time.
    pub by_master: BTreeMap<ClientId, BTreeMap<u64, WorkId>>,
    pub by_agent: BTreeMap<ClientId, BTreeSet<(WorkId, SubtaskId)>>,
    /// Tasks whose contexts refer to a content, whether or not it is there.
    pub referred: BTreeMap<ContentId, BTreeSet<WorkId>>,
    /// Of all contents.
    pub bytes: u64,
    pub bytes_by_owner: BTreeMap<ClientId, u64>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    works: Vec<Work>,
    contents: Vec<Content>,
}

impl From<Works> for Written {
    fn from(works: Works) -> Written {
        Written {
            works: works.works.into_values().collect(),
            contents: works.contents.into_values().collect(),
        }
    }
}

impl From<Written> for Works {
    fn from(written: Written) -> Works {
        let mut works = Works::default();
        for content in written.contents {
            works.bytes += content.bytes;
            for owner in content.owners.keys() {
                *works.bytes_by_owner.entry(owner.clone()).or_default() += content.bytes;
            }
            works.contents.insert(content.id.clone(), content);
        }
        for work in written.works {
            works.index(&work);
            works.works.insert(work.id.clone(), work);
        }
        works
    }
}

impl Aggregate for Works {
    type Event = WorkEvent;

    /// Applies one event that lies at this record. What concerns a task that is not there any more is passed over.
    fn evolve(&mut self, seq: u64, at: At, event: &WorkEvent) {
        match event {
            WorkEvent::Begun {
                work,
                master,
                mode,
                release,
                more,
            } => {
                self.remove(work);
                let begun = Work {
                    id: work.clone(),
                    master: master.clone(),
                    mode: *mode,
                    release: *release,
                    closed: false,
                    began: at,
                    changed: at,
                    context: seq,
                    subtasks: BTreeMap::new(),
                    records: vec![(seq, *more)],
                };
                self.index(&begun);
                self.works.insert(work.clone(), begun);
            }
            WorkEvent::Changed { work, more } => self.step(work, at, Some((seq, *more)), |work| work.context = seq),
            WorkEvent::Sent {
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
                    structural: false,
                    sent: seq,
                    returned: None,
                    evaluated: None,
                    sent_refers: refers.clone(),
                    returned_refers: BTreeSet::new(),
                    at,
                };
                self.step(work, at, Some((seq, *more)), |work| {
                    work.subtasks.insert(subtask.clone(), sent);
                });
            }
            WorkEvent::Returned {
                work,
                subtask,
                refers,
                more,
            } => self.step(work, at, Some((seq, *more)), |work| {
                if let Some(found) = work.subtasks.get_mut(subtask) {
                    (found.standing, found.structural) = (Standing::Returned, false);
                    (found.returned, found.at) = (Some(seq), at);
                    found.returned_refers.clone_from(refers);
                }
            }),
            WorkEvent::Evaluated {
                work,
                subtask,
                complete,
                structural,
                more,
            } => self.step(work, at, Some((seq, *more)), |work| {
                if let Some(found) = work.subtasks.get_mut(subtask) {
                    found.standing = match (*complete, *structural) {
                        (true, _) => Standing::Complete,
                        (false, true) => Standing::Returned,
                        (false, false) => Standing::Incomplete,
                    };
                    (found.structural, found.evaluated, found.at) = (*structural, Some(seq), at);
                }
            }),
            WorkEvent::Closed { work } => self.step(work, at, None, |work| work.closed = true),
            WorkEvent::Removed { work, .. } => self.remove(work),
            WorkEvent::Stored {
                content,
                owner,
                bytes,
                until,
                text,
                more,
            } => {
                let place = text.then_some((seq, *more));
                self.store(place, content, owner, *bytes, *until);
            }
            WorkEvent::Released { content, owner } => self.release(content, owner),
            WorkEvent::Continued => {}
        }
    }
}

impl Works {
    /// Lets something happen to a task, and keeps what follows from it.
    fn step(&mut self, id: &WorkId, at: At, record: Option<(u64, u32)>, change: impl FnOnce(&mut Work)) {
        let Some(mut work) = self.works.remove(id) else { return };
        let before = self.unindex(&work);
        work.changed = at;
        work.records.extend(record);
        change(&mut work);
        self.index(&work);
        self.works.insert(id.clone(), work);
        before.iter().for_each(|content| self.drop_left(content));
    }

    fn remove(&mut self, id: &WorkId) {
        if let Some(work) = self.works.remove(id) {
            let before = self.unindex(&work);
            before.iter().for_each(|content| self.drop_left(content));
        }
    }

    fn index(&mut self, work: &Work) {
        let own = self.by_master.entry(work.master.clone()).or_default();
        own.insert(first(work), work.id.clone());
        for (subtask, found) in &work.subtasks {
            let own = self.by_agent.entry(found.agent.clone()).or_default();
            own.insert((work.id.clone(), subtask.clone()));
        }
        for content in work.refers() {
            self.referred.entry(content).or_default().insert(work.id.clone());
        }
    }

    /// Takes a task out of the indexes; gives back the contents that it referred to.
    fn unindex(&mut self, work: &Work) -> BTreeSet<ContentId> {
        if let Some(own) = self.by_master.get_mut(&work.master) {
            own.remove(&first(work));
            if own.is_empty() {
                self.by_master.remove(&work.master);
            }
        }
        for (subtask, found) in &work.subtasks {
            if let Some(own) = self.by_agent.get_mut(&found.agent) {
                own.remove(&(work.id.clone(), subtask.clone()));
                if own.is_empty() {
                    self.by_agent.remove(&found.agent);
                }
            }
        }
        let refers = work.refers();
        for content in &refers {
            if let Some(works) = self.referred.get_mut(content) {
                works.remove(&work.id);
                if works.is_empty() {
                    self.referred.remove(content);
                }
            }
        }
        refers
    }

    /// Keeps a content for an owner. Its text lies where it was stored last; without a text, nothing new is kept.
    fn store(&mut self, place: Option<(u64, u32)>, id: &ContentId, owner: &ClientId, bytes: u64, until: At) {
        if let Some((seq, more)) = place {
            let content = self.contents.entry(id.clone()).or_insert_with(|| {
                self.bytes += bytes;
                Content {
                    id: id.clone(),
                    seq,
                    more,
                    bytes,
                    owners: BTreeMap::new(),
                }
            });
            (content.seq, content.more) = (seq, more);
        }
        if let Some(content) = self.contents.get_mut(id)
            && content.owners.insert(owner.clone(), until).is_none()
        {
            *self.bytes_by_owner.entry(owner.clone()).or_default() += content.bytes;
        }
    }

    fn release(&mut self, id: &ContentId, owner: &ClientId) {
        let Some(content) = self.contents.get_mut(id) else {
            return;
        };
        if content.owners.remove(owner).is_some()
            && let Some(bytes) = self.bytes_by_owner.get_mut(owner)
        {
            *bytes -= content.bytes;
            if *bytes == 0 {
                self.bytes_by_owner.remove(owner);
            }
        }
        self.drop_left(id);
    }

    /// A content that nobody keeps any more is not there any more.
    fn drop_left(&mut self, id: &ContentId) {
        let left = self.contents.get(id).is_some_and(|content| content.owners.is_empty());
        if left
            && !self.referred.contains_key(id)
            && let Some(content) = self.contents.remove(id)
        {
            self.bytes -= content.bytes;
        }
    }

    /// Every record that is still needed, each with those that it goes on in, in order.
    pub fn needed(&self) -> Vec<(u64, u32)> {
        let of_works = self.works.values().flat_map(|work| work.records.iter().copied());
        let of_contents = self.contents.values().map(|content| (content.seq, content.more));
        let mut needed: Vec<(u64, u32)> = of_works.chain(of_contents).collect();
        needed.sort_unstable();
        needed
    }

    /// What must hold after every event.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self) -> Result<(), String> {
        let again = Works::from(Written::from(self.clone()));
        let hold = |right: bool, what: &str| if right { Ok(()) } else { Err(what.to_owned()) };
        hold(again == *self, "the indexes follow from tasks and contents")?;
        for (id, content) in &self.contents {
            let kept = !content.owners.is_empty() || self.referred.contains_key(id);
            hold(kept, "a content is kept by somebody")?;
        }
        for work in self.works.values() {
            for subtask in work.subtasks.values() {
                let after = subtask.after.iter().map(|id| work.subtasks.get(id));
                let before = |other: Option<&Subtask>| other.is_some_and(|other| other.round < subtask.round);
                hold(
                    after.into_iter().all(before),
                    "a subtask's round comes after its dependencies'",
                )?;
            }
        }
        Ok(())
    }
}

/// The record that a task began with.
fn first(work: &Work) -> u64 {
    work.records.first().map_or(0, |(seq, _)| *seq)
}

#[cfg(test)]
pub mod tests;
