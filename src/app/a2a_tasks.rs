//! Tasks: what agents ask over A2A, kept in a journal of their own, so that a restart loses none (A2A 1.0).
//!
//! Owns who may see a task, the order of its steps, and the journal; what a message is answered with is the [`Worker`]'s, and
//! what a task may do the domain's ([`context::a2a_task`]). Invariants: a step is seen by nobody before it is on disk; the
//! steps of one task are on disk in the order in which everybody is told of them; nobody learns of another one's task.

pub mod documents;

pub mod worker;

pub mod send;

pub mod drive;

pub mod watch;

pub mod push_notifications;

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;
use tokio::sync::Semaphore;
use tokio::sync::watch as channel;

use crate::api::a2a::A2aTask;
use crate::api::a2a::ListTasksResponse;
use crate::api::a2a::StreamResponse;
use crate::app::a2a_tasks::watch::TaskWatch;
use crate::app::a2a_tasks::watch::Until;
use crate::app::a2a_tasks::worker::Worker;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Wanted;
use crate::app::event_store::Written;
use crate::app::ports::WebhookSender;
use crate::app::random;
use crate::app::reservations::Reservations;
use context::a2a_task::decide::Filter;
use context::a2a_task::decide::TaskLimits;
use context::a2a_task::decide::TaskRefusal;
use context::a2a_task::event::TaskEvent;
use context::a2a_task::event::TaskId;
use context::a2a_task::index::Task;
use context::a2a_task::index::TaskIndex;
use context::a2a_task::message::Message;
use context::a2a_task::phase::Phase;
use context::fields::FieldFault;
use schema::name::ClientId;
use text::name::hexadecimal;

/// How tasks are worked at and told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskOptions {
    pub limits: TaskLimits,
    /// Worked at, at once.
    pub working_max: usize,
    /// Receivers called at once.
    pub push_concurrency_max: usize,
    pub first_pause_ms: u64,
    pub longest_pause_ms: u64,
    /// Calls in a row that fail before a receiver is given up.
    pub push_attempts_max: u32,
    /// How long after its last step a task that a restart cut short is still worked at.
    pub resume_ms: i64,
}

/// All tasks.
pub struct Tasks {
    pub deps: Arc<Dependencies>,
    pub webhook_sender: Arc<dyn WebhookSender>,
    pub options: TaskOptions,
    worker: Arc<dyn Worker>,
    events: Arc<EventStore<TaskIndex>>,
    /// Tasks that are being put on disk, for each owner.
    beginning: Reservations,
    /// Tasks that their clients want no more of: nobody works at them from then on, and no step counts.
    unwanted: channel::Sender<BTreeSet<TaskId>>,
    working: Semaphore,
    calls: Semaphore,
    closing: channel::Sender<bool>,
}

/// Which tasks of a list are wanted, and how much of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub filter: Filter,
    pub size: usize,
    /// Where the page begins.
    pub before: Option<u64>,
    /// The last messages of each; `None` for all.
    pub messages: Option<usize>,
    pub artifacts: bool,
}

/// What was sent, as it is answered.
pub enum Sent {
    /// A message alone; `None` once it was told.
    Message(Option<Box<Message>>),
    /// A task that was begun or goes on.
    Task(Box<TaskWatch>),
}

impl Sent {
    /// The next stream response.
    pub async fn next(&mut self) -> Option<StreamResponse> {
        match self {
            Sent::Message(message) => message.take().map(|message| StreamResponse::Message(*message)),
            Sent::Task(watch) => watch.next().await,
        }
    }
}

impl Tasks {
    /// Reads all tasks back, and goes on with those that a restart cut short.
    ///
    /// # Errors
    /// The journal's first fault, named.
    pub fn begin(
        deps: &Arc<Dependencies>,
        webhook_sender: Arc<dyn WebhookSender>,
        worker: Arc<dyn Worker>,
        options: TaskOptions,
    ) -> Result<Arc<Tasks>, ServiceError> {
        let tasks = Arc::new(Tasks {
            deps: Arc::clone(deps),
            webhook_sender,
            worker,
            events: Arc::new(EventStore::open(deps, "tasks")?),
            beginning: Reservations::default(),
            unwanted: channel::Sender::default(),
            working: Semaphore::new(options.working_max),
            calls: Semaphore::new(options.push_concurrency_max),
            closing: channel::Sender::new(false),
            options,
        });
        drive::resume(&tasks);
        push_notifications::resume(&tasks);
        Ok(tasks)
    }

    /// A task as its owner sees it.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or a fault of the journal.
    pub fn get(&self, owner: Option<&ClientId>, id: &str, messages: Option<usize>) -> Result<A2aTask, ServiceError> {
        let task = self.own(owner, id)?;
        documents::task(&self.events, &task, messages, true)
    }

    /// A page of somebody's tasks.
    pub fn list(&self, owner: Option<&ClientId>, listed: &Listed) -> Result<ListTasksResponse, ServiceError> {
        let (tasks, next, total_size) = {
            let index = self.events.state();
            let page = index.page(owner, &listed.filter, listed.size, listed.before);
            let tasks: Vec<Task> = page.tasks.into_iter().cloned().collect();
            (tasks, page.next, page.total)
        };
        let read = |task: &Task| documents::task(&self.events, task, listed.messages, listed.artifacts);
        Ok(ListTasksResponse {
            tasks: tasks.iter().map(read).collect::<Result<_, _>>()?,
            next_page_token: next.map(|next| next.to_string()).unwrap_or_default(),
            page_size: listed.size,
            total_size,
        })
    }

    /// Follows a task until it has ended.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::TaskForbids`] of one that has ended.
    pub fn subscribe(self: &Arc<Self>, owner: Option<&ClientId>, id: &str) -> Result<TaskWatch, ServiceError> {
        let task = self.own(owner, id)?;
        if task.phase.has_ended() {
            let what = format!("the task has ended: {}", task.phase.name());
            return Err(ServiceError::TaskForbids(what));
        }
        self.watch(owner, id, Until::Ended)
    }

    fn watch(self: &Arc<Self>, owner: Option<&ClientId>, id: &str, until: Until) -> Result<TaskWatch, ServiceError> {
        // Followed before it is read, so that no step falls between.
        let changes = self.follow(id)?;
        let task = self.own(owner, id)?;
        Ok(TaskWatch::new(Arc::clone(self), task, changes, until))
    }

    /// Is told of every step of a task; ends with it.
    fn follow(&self, id: &str) -> Result<channel::Receiver<u64>, ServiceError> {
        let changes = self.events.follow(id, usize::MAX);
        changes.ok_or_else(|| ServiceError::LimitReached("too many follow this task".to_owned()))
    }

    /// Erases what was said in tasks that are gone, and what is older than so many days (0 keeps it); a task that has ended
    /// stays with what is left.
    pub async fn tidy(&self, kept_days: i64) -> Result<(), ServiceError> {
        self.events.tidy(kept_days).await
    }

    /// How many tasks are in each state.
    pub fn count_by_phase(&self) -> BTreeMap<Phase, usize> {
        let mut counts: BTreeMap<Phase, usize> = Phase::all().map(|phase| (phase, 0)).collect();
        for task in self.events.state().tasks.values() {
            *counts.entry(task.phase).or_default() += 1;
        }
        counts
    }

    /// Nothing is worked at any more; what is under way goes on after the next start.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// A task by its owner.
    fn own(&self, owner: Option<&ClientId>, id: &str) -> Result<Task, ServiceError> {
        self.decide(id, |index| index.own(owner, id).cloned())
    }

    /// What the rules say of a task.
    fn decide<T>(
        &self,
        id: &str,
        decide: impl FnOnce(&TaskIndex) -> Result<T, TaskRefusal>,
    ) -> Result<T, ServiceError> {
        decide(&self.events.state()).map_err(|refusal| refused(refusal, id))
    }

    /// Waits until nobody else works at a task. No id that is given out holds a blank, so that this is no lock of its steps.
    async fn drive_lock(&self, id: &TaskId) -> OwnedMutexGuard<()> {
        self.events.lock(&format!("driving {}", id.as_str())).await
    }

    /// Puts steps on disk and counts the states that tasks come into by them; holds `until` as long.
    async fn put<G: Send + 'static>(
        self: &Arc<Self>,
        until: G,
        events: Vec<Wanted<TaskEvent>>,
    ) -> Result<(), ServiceError> {
        let observer = Arc::clone(&self.deps.observer);
        let count = move |written: &[Written<TaskEvent>]| {
            let entered = written.iter().filter_map(|one| one.event.enters());
            entered.for_each(|phase| observer.task(phase));
        };
        self.events.put(until, events, count).await.map(drop)
    }

    /// Whether the client of a task wants no more of it.
    fn is_unwanted(&self, id: &TaskId) -> bool {
        self.unwanted.borrow().contains(id)
    }

    fn set_unwanted(&self, id: &TaskId, unwanted: bool) {
        self.unwanted.send_modify(|all| {
            if unwanted {
                all.insert(id.clone());
            } else {
                all.remove(id);
            }
        });
    }

    /// A new id with this before it.
    fn name(&self, kind: &str) -> Result<String, ServiceError> {
        let random = random::id(self.webhook_sender.as_ref())?;
        Ok(format!("{kind}_{}", hexadecimal(&random)))
    }
}

/// What a refusal is to a caller.
fn refused(refusal: TaskRefusal, id: &str) -> ServiceError {
    match refusal {
        TaskRefusal::Unknown => ServiceError::UnknownTask(id.to_owned()),
        TaskRefusal::OtherContext => {
            let what = "must be the context of the task, or be left out";
            FieldFault::new("message.contextId", what).into()
        }
        TaskRefusal::Takes(phase) => ServiceError::TaskForbids(format!(
            "the task takes no message: it is in the state {}",
            phase.name()
        )),
        TaskRefusal::NotCancelable(phase) => {
            ServiceError::NotCancelable(format!("it has ended, in the state {}", phase.name()))
        }
        TaskRefusal::Full(what, max) => ServiceError::LimitReached(format!("there may be {max} {what}")),
    }
}
