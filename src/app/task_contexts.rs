//! What agents know of tasks, kept in a journal of its own, so that a restart loses nothing that was acknowledged (C-022, C-065).
//!
//! Owns the order of a task's steps and the journal `works/default`; who may do what, and what a context must be, is the domain's
//! ([`context::task_context`]). Invariants: a step is seen by nobody before it is on disk; two steps of one task are decided one
//! after the other; whoever asks is known by name.

pub mod documents;

pub mod master;

pub mod assigned;

pub mod incoming;

pub mod contents;

pub mod watch;

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;

use tokio::sync::Mutex as TokioMutex;
use tokio::sync::OwnedMutexGuard;

use crate::app::background::to_its_end;
use crate::app::caller::Caller;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Written;
use crate::app::lock::locked;
use crate::app::ports::WebhookSender;
use crate::app::task_contexts::watch::Followers;
use crate::app::telemetry::task_contexts::WorkStep;
use context::aggregate::Aggregate;
use context::task_context::agent_context::AGENT_CONTEXT;
use context::task_context::agent_context::AgentContext;
use context::task_context::content::Content;
use context::task_context::decide;
use context::task_context::decide::WorkLimits;
use context::task_context::decide::WorkRefusal;
use context::task_context::event::WorkEvent;
use context::task_context::fault;
use context::task_context::form::Form;
use context::task_context::id::ContentId;
use context::task_context::id::WorkId;
use context::task_context::round;
use context::task_context::works::Work;
use context::task_context::works::Works;
use schema::exchange::violation::Violation;
use schema::exchange::violation::ViolationCode;
use schema::name::ClientId;
use schema::time::At;

/// What is over is let go in steps of so many.
const LET_GO_AT_ONCE: usize = 256;

/// How tasks are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkOptions {
    pub limits: WorkLimits,
}

/// Everything that agents know of tasks.
pub struct TaskContexts {
    deps: Arc<Dependencies>,
    webhook_sender: Arc<dyn WebhookSender>,
    options: WorkOptions,
    task: Form,
    agent: Form,
    events: EventStore<Works>,
    /// Held while a step of a task is decided and put on disk.
    locks: Mutex<BTreeMap<WorkId, Arc<TokioMutex<()>>>>,
    /// Tasks that are being put on disk, for each client, so that limits hold.
    beginning: Mutex<BTreeMap<ClientId, BTreeSet<WorkId>>>,
    /// Held while something is decided that contents hang on, so that their steps are applied in the journal's order.
    contents_lock: Arc<TokioMutex<()>>,
    /// Runs of records that nobody can ask for any more and that are not erased yet.
    unneeded: Mutex<Vec<(u64, u64)>>,
    followers: Mutex<Followers>,
}

/// How much agents know of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkCensus {
    pub open: usize,
    pub closed: usize,
    /// Subtasks by their state, see [`round::STATES`]; a state without any may be missing.
    pub subtasks: BTreeMap<&'static str, usize>,
    pub contents: usize,
    pub content_bytes: u64,
    /// What all contents together may have.
    pub content_bytes_max: u64,
}

/// A task of a client is being put on disk.
struct Held {
    keeping: Arc<TaskContexts>,
    client: ClientId,
    id: WorkId,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut beginning = locked(&self.keeping.beginning);
        if let Some(tasks) = beginning.get_mut(&self.client) {
            tasks.remove(&self.id);
            if tasks.is_empty() {
                beginning.remove(&self.client);
            }
        }
    }
}

impl TaskContexts {
    /// Reads everything back.
    ///
    /// # Errors
    /// The journal's first fault, named; or that a template which this program was built with is none.
    pub fn begin(
        deps: &Arc<Dependencies>,
        webhook_sender: Arc<dyn WebhookSender>,
        options: WorkOptions,
    ) -> Result<Arc<TaskContexts>, ServiceError> {
        let events: EventStore<Works> = EventStore::open(deps, "works")?;
        let locks = events
            .state()
            .works
            .keys()
            .map(|id| (id.clone(), Arc::default()))
            .collect();
        // What a crash kept from being erased is erased with the first look.
        let unneeded = gaps(&events.state().needed(), events.end()?);
        Ok(Arc::new(TaskContexts {
            deps: Arc::clone(deps),
            webhook_sender,
            options,
            task: Form::of_task().map_err(ServiceError::Fault)?,
            agent: Form::of_agent().map_err(ServiceError::Fault)?,
            events,
            locks: Mutex::new(locks),
            beginning: Mutex::default(),
            contents_lock: Arc::default(),
            unneeded: Mutex::new(unneeded),
            followers: Mutex::default(),
        }))
    }

    /// Lets go of what is over, and erases what was said in it; erases what is older than so many days (0 keeps it).
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn forget(self: &Arc<Self>, kept_days: i64) -> Result<(), ServiceError> {
        self.let_go().await?;
        self.erase().await?;
        self.events.erase_older(1, kept_days).await.map(drop)
    }

    /// Keeps a snapshot where one is due.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub fn keep_up(&self) -> Result<(), ServiceError> {
        self.events.keep_up()
    }

    /// Lets go of tasks and contents that are over.
    async fn let_go(self: &Arc<Self>) -> Result<(), ServiceError> {
        loop {
            let contents_lock = self.contents_lock().await;
            let over = decide::lapsed(
                &self.events.state(),
                self.now(),
                &self.options.limits.lives,
                LET_GO_AT_ONCE,
            );
            if over.is_empty() {
                return Ok(());
            }
            let over = over.into_iter().map(|event| (event, Vec::new())).collect();
            self.put(contents_lock, over, WorkStep::lapsed).await?;
        }
    }

    /// Erases what nobody can ask for any more; what is not erased now is tried again later.
    async fn erase(&self) -> Result<(), ServiceError> {
        loop {
            let Some((from, through)) = locked(&self.unneeded).pop() else {
                return Ok(());
            };
            // What is being erased happened before now, be the clock as coarse as it may.
            let erased = self.events.erase(from, through, self.now().plus_ms(1)).await;
            if let Err(error) = erased {
                locked(&self.unneeded).push((from, through));
                return Err(error);
            }
        }
    }

    fn now(&self) -> At {
        self.deps.clock.now()
    }

    /// Takes a task's lock; the task may be gone by then.
    async fn lock(&self, id: &str) -> Result<OwnedMutexGuard<()>, ServiceError> {
        let lock = locked(&self.locks).get(&WorkId::named(id)).cloned();
        let lock = lock.ok_or_else(|| ServiceError::UnknownTask(id.to_owned()))?;
        Ok(lock.lock_owned().await)
    }

    /// Takes the lock of contents, for what contents hang on.
    async fn contents_lock(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.contents_lock).lock_owned().await
    }

    /// The lock of contents where a context refers to contents.
    async fn contents_lock_for(&self, context: &AgentContext) -> Option<OwnedMutexGuard<()>> {
        if context.refers().is_empty() {
            return None;
        }
        Some(self.contents_lock().await)
    }

    /// Puts on disk what somebody asked for, see [`TaskContexts::put`].
    async fn record<G: Send + 'static>(
        self: &Arc<Self>,
        until: G,
        events: Vec<(WorkEvent, Vec<u8>)>,
    ) -> Result<(), ServiceError> {
        self.put(until, events, WorkStep::asked).await
    }

    /// Puts events on disk, applies them, counts them as what `step` calls them, and erases what nobody can ask for any more.
    /// Runs to its end whether or not the caller waits for it, and holds `until` as long: a step on disk that was not applied
    /// would be seen after the next start alone.
    async fn put<G: Send + 'static>(
        self: &Arc<Self>,
        until: G,
        events: Vec<(WorkEvent, Vec<u8>)>,
        step: fn(&WorkEvent) -> Option<WorkStep>,
    ) -> Result<(), ServiceError> {
        let keeping = Arc::clone(self);
        to_its_end(async move {
            let written = keeping.events.append(events).await?;
            let gone = keeping.apply(&written);
            keeping.count(&written, step);
            drop(until);
            if gone.is_empty() {
                return Ok(());
            }
            locked(&keeping.unneeded).extend(runs(gone));
            if let Err(error) = keeping.erase().await
                && !error.is_stop()
            {
                tracing::warn!(%error, "what was deleted is not erased yet");
            }
            Ok(())
        })
        .await
    }

    /// Applies what is on disk, and wakes the agents that it concerns; gives back the records that are needed no more.
    fn apply(&self, written: &[Written<WorkEvent>]) -> Vec<(u64, u32)> {
        let mut works = self.events.state();
        let mut locks = locked(&self.locks);
        let mut gone = Vec::new();
        let mut concerned = BTreeSet::new();
        for one in written {
            concerned.extend(watch::agents(&works, one.event.work()));
            let contents = at_stake(&works, &one.event);
            match &one.event {
                WorkEvent::Begun { work, .. } => {
                    locks.insert(work.clone(), Arc::default());
                }
                WorkEvent::Removed { work, .. } => {
                    locks.remove(work);
                    let removed = works.works.get(work);
                    gone.extend(removed.into_iter().flat_map(|work| work.records.iter().copied()));
                }
                WorkEvent::Changed { .. }
                | WorkEvent::Sent { .. }
                | WorkEvent::Returned { .. }
                | WorkEvent::Evaluated { .. }
                | WorkEvent::Closed { .. }
                | WorkEvent::Stored { .. }
                | WorkEvent::Released { .. }
                | WorkEvent::Continued => {}
            }
            let complete = |works: &Works| {
                one.event
                    .work()
                    .and_then(|id| works.works.get(id))
                    .map_or(0, round::complete)
            };
            let before = complete(&works);
            works.evolve(one.seq, one.at, &one.event);
            // What is evaluated anew in a round that is complete completes it no second time.
            if complete(&works) > before {
                self.deps.observer.work(WorkStep::RoundCompleted);
            }
            concerned.extend(watch::agents(&works, one.event.work()));
            let left = contents
                .iter()
                .filter(|content| !works.contents.contains_key(&content.id));
            gone.extend(left.map(|content| (content.seq, content.more)));
        }
        self.wake(&concerned);
        gone
    }

    fn count(&self, written: &[Written<WorkEvent>], step: fn(&WorkEvent) -> Option<WorkStep>) {
        let observer = &self.deps.observer;
        for one in written {
            if let Some(step) = step(&one.event) {
                observer.work(step);
            }
        }
    }

    /// How much there is.
    pub fn census(&self) -> WorkCensus {
        let works = self.events.state();
        let closed = works.works.values().filter(|work| work.closed).count();
        let mut subtasks = BTreeMap::new();
        for state in works.works.values().flat_map(round::states) {
            *subtasks.entry(state).or_default() += 1;
        }
        WorkCensus {
            open: works.works.len() - closed,
            closed,
            subtasks,
            contents: works.contents.len(),
            content_bytes: works.bytes,
            content_bytes_max: self.options.limits.contents_bytes_max,
        }
    }

    /// What lies at a record.
    fn read<T: serde::de::DeserializeOwned>(
        &self,
        seq: u64,
        gone: impl FnOnce() -> ServiceError,
    ) -> Result<T, ServiceError> {
        let text = self.events.content(seq)?.ok_or_else(gone)?;
        serde_json::from_str(&text).map_err(|error| ServiceError::Fault(format!("record {seq}: {error}")))
    }

    /// Holds a place for a task of a client while it is put on disk, and says how many others there are: of its own and of anyone.
    ///
    /// # Errors
    /// [`ServiceError::TaskForbids`] where there is a task with this id.
    fn hold(self: &Arc<Self>, client: &ClientId, id: &WorkId) -> Result<(Held, (usize, usize)), ServiceError> {
        let works = self.events.state();
        let mut beginning = locked(&self.beginning);
        if works.works.contains_key(id) || beginning.values().any(|begun| begun.contains(id)) {
            let what = format!(
                "there is a task with the TaskID {id}: give another one, or none",
                id = id.as_str()
            );
            return Err(ServiceError::TaskForbids(what));
        }
        let all: usize = beginning.values().map(BTreeSet::len).sum();
        let own = beginning.entry(client.clone()).or_default();
        let beside = (own.len(), all);
        own.insert(id.clone());
        let held = Held {
            keeping: Arc::clone(self),
            client: client.clone(),
            id: id.clone(),
        };
        Ok((held, beside))
    }

    /// Whether somebody may refer to all contents that a context names: who may not read one cannot pass it on (C-067).
    fn may_refer(&self, client: &ClientId, context: &AgentContext) -> Result<(), ServiceError> {
        let works = self.events.state();
        let handles = &self.options.limits.lives;
        let readable = |content: &ContentId| works.of_reader(client, content, self.now(), handles).is_some();
        let foreign = context
            .referring()
            .into_iter()
            .find(|(_, _, content)| !readable(content));
        let Some((member, below, _)) = foreign else {
            return Ok(());
        };
        let message = "it refers to a content that is not there, or that is not yours to pass on";
        let wrong = fault::wrong(AGENT_CONTEXT, member, &below, ViolationCode::NotAcceptable, message);
        Err(ServiceError::InvalidContext(vec![wrong]))
    }
}

/// Contents that may be kept by nobody any more after an event.
fn at_stake(works: &Works, event: &WorkEvent) -> Vec<Content> {
    let ids: BTreeSet<ContentId> = match event {
        WorkEvent::Sent { work, .. } | WorkEvent::Returned { work, .. } | WorkEvent::Removed { work, .. } => {
            works.works.get(work).map(Work::refers).unwrap_or_default()
        }
        WorkEvent::Released { content, .. } => BTreeSet::from([content.clone()]),
        WorkEvent::Begun { .. }
        | WorkEvent::Changed { .. }
        | WorkEvent::Evaluated { .. }
        | WorkEvent::Closed { .. }
        | WorkEvent::Stored { .. }
        | WorkEvent::Continued => BTreeSet::new(),
    };
    ids.iter().filter_map(|id| works.contents.get(id)).cloned().collect()
}

/// Records with those that they go on in, as runs without gaps.
fn runs(mut records: Vec<(u64, u32)>) -> Vec<(u64, u64)> {
    records.sort_unstable();
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for (from, more) in records {
        let through = from + u64::from(more);
        match runs.last_mut() {
            Some((_, end)) if from <= *end + 1 => *end = through.max(*end),
            _ => runs.push((from, through)),
        }
    }
    runs
}

/// The runs of records that are not among the needed ones, up to the last.
fn gaps(needed: &[(u64, u32)], end: u64) -> Vec<(u64, u64)> {
    let mut gaps = Vec::new();
    let mut next = 1;
    for (from, through) in runs(needed.to_vec()) {
        if next < from {
            gaps.push((next, from - 1));
        }
        next = through + 1;
    }
    if next <= end {
        gaps.push((next, end));
    }
    gaps
}

/// Who calls, by name.
///
/// # Errors
/// [`ServiceError::Nameless`].
pub fn named(caller: &Caller) -> Result<&ClientId, ServiceError> {
    caller.client.as_ref().ok_or(ServiceError::Nameless)
}

/// What a refusal is to a caller.
fn refused(refusal: WorkRefusal) -> ServiceError {
    match refusal {
        WorkRefusal::Invalid(violations) => ServiceError::InvalidContext(violations),
        WorkRefusal::Forbids(what) => ServiceError::TaskForbids(what.to_owned()),
        WorkRefusal::Full(what) => ServiceError::LimitReached(what),
    }
}

fn invalid(violations: Vec<Violation>) -> ServiceError {
    ServiceError::InvalidContext(violations)
}

#[cfg(test)]
mod tests {
    use super::gaps;
    use super::runs;

    #[test]
    fn records_are_erased_in_runs_without_gaps() {
        assert_eq!(runs(vec![(5, 0), (1, 1), (3, 0), (9, 2)]), [(1, 3), (5, 5), (9, 11)]);
        assert_eq!(runs(Vec::new()), []);
        assert_eq!(gaps(&[(2, 1), (5, 0)], 7), [(1, 1), (4, 4), (6, 7)]);
        assert_eq!(gaps(&[(1, 6)], 7), []);
        assert_eq!(gaps(&[], 0), []);
    }
}
