//! What agents know of tasks, kept in a journal of its own, so that a restart loses nothing that was acknowledged (C-022, C-065).
//!
//! Owns the order of a task's steps and the journal `works/default`; who may do what, and what a context must be, is the domain's
//! ([`context::task_context`]). Invariants: two steps of one task are decided one after the other; steps that contents hang on are
//! decided one after another too; whoever asks is known by name.

pub mod agent;

pub mod bodies;

pub mod contents;

pub mod master;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedMutexGuard;

use crate::api::tasks::SubtaskDocument;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Wanted;
use crate::app::event_store::Written;
use crate::app::ports::WebhookSender;
use crate::app::telemetry::TaskContextStep;
use context::task_context::access::Living;
use context::task_context::agent_context::AgentContext;
use context::task_context::agent_context::wrong;
use context::task_context::decide;
use context::task_context::decide::TaskContextLimits;
use context::task_context::decide::TaskContextRefusal;
use context::task_context::event::TaskContextEvent;
use context::task_context::form::Form;
use context::task_context::tasks::Subtask;
use context::task_context::tasks::Task;
use context::task_context::tasks::TaskContexts;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::ViolationCode;
use schema::name::ClientId;
use schema::time::At;

/// What is over is let go in steps of so many, each put on disk at once.
const LET_GO_AT_ONCE: usize = 256;
/// The key of the lock under which contents, and what refers to them, are decided. No task is called so.
const CONTENTS: &str = "/contents";
/// The key of the lock under which tasks begin one after another, so that they can be counted.
const NEW: &str = "/new";
/// Rows told in one page.
pub const PAGE_MAX: u64 = 200;
/// Where nothing else was said.
const PAGE: u64 = 50;

/// The service of everything that agents know of tasks.
pub struct TaskContextService {
    deps: Arc<Dependencies>,
    webhook_sender: Arc<dyn WebhookSender>,
    limits: TaskContextLimits,
    task: Form,
    agent: Form,
    events: Arc<EventStore<TaskContexts>>,
}

/// How much agents know of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskContextCounts {
    pub open: usize,
    pub closed: usize,
    /// Subtasks by their state, see [`STATES`](context::task_context::rounds::STATES); a state without any may be missing.
    pub subtasks: BTreeMap<&'static str, usize>,
    pub contents: usize,
    pub content_bytes: u64,
    /// What all contents together may have.
    pub content_bytes_max: u64,
}

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
    /// The rows of a page with the `next` of the following one, of all in order; `name` is what `next` says of a row.
    fn cut<T>(
        &self,
        mut all: impl Iterator<Item = T>,
        name: impl Fn(&T) -> String,
    ) -> Result<(Vec<T>, Option<String>), ServiceError> {
        let size = self.limit.unwrap_or(PAGE);
        if size == 0 || size > PAGE_MAX {
            let what = format!("the parameter limit must be 1 to {PAGE_MAX}");
            return Err(ServiceError::BadParameter(what));
        }
        if let Some(after) = self.after
            && !all.by_ref().any(|row| name(&row) == after)
        {
            let what = "the parameter after must be the `next` of a page before";
            return Err(ServiceError::BadParameter(what.to_owned()));
        }
        let rows: Vec<T> = all.by_ref().take(usize::try_from(size).unwrap_or(usize::MAX)).collect();
        let next = all.next().and(rows.last()).map(name);
        Ok((rows, next))
    }
}

impl TaskContextService {
    /// Reads everything back.
    ///
    /// # Errors
    /// The journal's first fault, named; or that a template which this program was built with is none.
    pub fn open(
        deps: &Arc<Dependencies>,
        webhook_sender: Arc<dyn WebhookSender>,
        limits: TaskContextLimits,
    ) -> Result<Arc<TaskContextService>, ServiceError> {
        Ok(Arc::new(TaskContextService {
            deps: Arc::clone(deps),
            webhook_sender,
            limits,
            task: Form::of_task().map_err(ServiceError::Fault)?,
            agent: Form::of_agent().map_err(ServiceError::Fault)?,
            events: Arc::new(EventStore::open(deps, "works")?),
        }))
    }

    /// Lets go of what is over, erases what was said in it, and what is older than so many days (0 keeps it).
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn tidy(&self, kept_days: i64) -> Result<(), ServiceError> {
        loop {
            let contents = self.events.lock(CONTENTS).await;
            let over = decide::lapsed(&self.events.state(), self.now(), &self.limits.lives, LET_GO_AT_ONCE);
            if over.is_empty() {
                break;
            }
            let over = over.into_iter().map(|event| (event, Vec::new())).collect();
            self.record(contents, over, TaskContextStep::lapsed).await?;
        }
        self.events.tidy(kept_days).await
    }

    fn now(&self) -> At {
        self.deps.clock.now()
    }

    /// What there is now.
    fn living<'a>(&'a self, all: &'a TaskContexts) -> Living<'a> {
        Living {
            all,
            now: self.now(),
            lives: &self.limits.lives,
        }
    }

    /// The lock of contents where something refers to contents.
    async fn lock_contents(&self, refers: bool) -> Option<OwnedMutexGuard<()>> {
        if refers {
            Some(self.events.lock(CONTENTS).await)
        } else {
            None
        }
    }

    /// Puts events on disk, and counts them as what `step` calls them.
    async fn record<G: Send + 'static>(
        &self,
        until: G,
        events: Vec<Wanted<TaskContextEvent>>,
        step: fn(&TaskContextEvent) -> Option<TaskContextStep>,
    ) -> Result<(), ServiceError> {
        let deps = Arc::clone(&self.deps);
        let count = move |written: &[Written<TaskContextEvent>]| {
            let steps = written.iter().filter_map(|one| step(&one.event));
            steps.for_each(|step| deps.observer.task_context(step));
        };
        self.events.put(until, events, count).await.map(drop)
    }

    /// How much there is.
    pub fn counts(&self) -> TaskContextCounts {
        let all = self.events.state();
        let closed = all.tasks.values().filter(|task| task.closed).count();
        let mut subtasks = BTreeMap::new();
        for task in all.tasks.values() {
            for subtask in task.subtasks.values() {
                *subtasks.entry(task.state(subtask)).or_default() += 1;
            }
        }
        TaskContextCounts {
            open: all.tasks.len() - closed,
            closed,
            subtasks,
            contents: all.contents.len(),
            content_bytes: all.content_bytes(),
            content_bytes_max: self.limits.contents_bytes_max,
        }
    }

    /// What lies at a record.
    fn read<T: DeserializeOwned>(&self, seq: u64, gone: impl FnOnce() -> ServiceError) -> Result<T, ServiceError> {
        let text = self.events.content(seq)?.ok_or_else(gone)?;
        serde_json::from_str(&text).map_err(|error| ServiceError::Fault(format!("record {seq}: {error}")))
    }

    /// A context as it is sealed, no longer than it may be.
    fn sealed<T: Serialize>(&self, what: &str, context: &T) -> Result<Vec<u8>, ServiceError> {
        let sealed = serde_json::to_vec(context).map_err(|error| ServiceError::Fault(error.to_string()))?;
        self.limits.fits(what, sealed.len())?;
        Ok(sealed)
    }

    /// A subtask with its context and last evaluation.
    fn document(&self, task: &Task, subtask: &Subtask) -> Result<SubtaskDocument, ServiceError> {
        let erased = || unknown_subtask("that was erased");
        let evaluation = subtask.evaluated.map(|seq| self.read(seq, erased));
        Ok(SubtaskDocument {
            agent_context: self.read(subtask.context(), erased)?,
            state: task.state(subtask),
            closed: task.closed.then_some(true),
            evaluation: evaluation.transpose()?,
        })
    }

    /// Whether somebody may refer to all contents that a context names: who may not read one cannot pass it on (C-067).
    fn may_refer(&self, client: &ClientId, context: &AgentContext) -> Result<(), ServiceError> {
        let all = self.events.state();
        let living = self.living(&all);
        let mut foreign = context.referring().into_iter();
        let foreign = foreign.find(|(_, _, content)| living.content(client, content).is_none());
        let Some((member, below, _)) = foreign else {
            return Ok(());
        };
        let message = "it refers to a content that is not there, or that is not yours to pass on";
        Err(vec![wrong(member, &below, ViolationCode::NotAcceptable, message)].into())
    }
}

impl From<Vec<Violation>> for ServiceError {
    fn from(violations: Vec<Violation>) -> ServiceError {
        ServiceError::InvalidContext(violations)
    }
}

impl From<TaskContextRefusal> for ServiceError {
    fn from(refusal: TaskContextRefusal) -> ServiceError {
        match refusal {
            TaskContextRefusal::Invalid(violations) => ServiceError::InvalidContext(violations),
            TaskContextRefusal::Forbids(what) => ServiceError::TaskForbids(what.to_owned()),
            TaskContextRefusal::Full(what) => ServiceError::LimitReached(what),
        }
    }
}

fn unknown_task(id: &str) -> ServiceError {
    ServiceError::UnknownTask(id.to_owned())
}

fn unknown_subtask(id: &str) -> ServiceError {
    ServiceError::UnknownSubtask(id.to_owned())
}
