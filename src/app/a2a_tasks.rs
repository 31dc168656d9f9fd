//! Tasks: what agents ask over A2A, kept in a journal of their own, so that a restart loses none (A2A 1.0).
//!
//! Owns who may see a task, the order of its steps, and the journal; what a message is answered with is the [`Worker`]'s, and
//! what a task may do the domain's ([`context::a2a_task`]). Invariants: a step is seen by nobody before it is on disk; the
//! steps of one task are on disk in the order in which everybody is told of them; nobody learns of another one's task.

pub mod documents;

pub mod worker;

pub mod send;

pub mod cancel;

pub mod drive;

pub mod watch;

pub mod push_notifications;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;

use tokio::sync::Mutex as TokioMutex;
use tokio::sync::Semaphore;
use tokio::sync::watch as channel;

use crate::app::a2a_tasks::documents::Listed;
use crate::app::a2a_tasks::watch::TaskWatch;
use crate::app::a2a_tasks::watch::Until;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Work;
use crate::app::a2a_tasks::worker::Worker;
use crate::app::dependencies::Dependencies;
use crate::app::error::ServiceError;
use crate::app::event_store::EventStore;
use crate::app::event_store::Written;
use crate::app::lock::locked;
use crate::app::ports::WebhookSender;
use crate::app::random;
use crate::app::reservations::Reservations;
use context::a2a_task::book::Book;
use context::a2a_task::book::Task;
use context::a2a_task::decide::TaskLimits;
use context::a2a_task::decide::TaskRefusal;
use context::a2a_task::event::TaskEvent;
use context::a2a_task::event::TaskId;
use context::a2a_task::field::FieldFault;
use context::a2a_task::message::Message;
use context::a2a_task::page::Filter;
use context::a2a_task::phase::Phase;
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

/// A task in this process.
struct TaskLock {
    /// Held while a step is decided and put on disk.
    writing: TokioMutex<()>,
    /// Held while somebody works at it.
    driving: TokioMutex<()>,
    /// Whether its client wants no more of it: nobody works at it from then on, and no step counts.
    unwanted: channel::Sender<bool>,
    /// Moves with every step.
    changes: channel::Sender<u64>,
}

/// All tasks.
pub struct Tasks {
    pub deps: Arc<Dependencies>,
    pub webhook_sender: Arc<dyn WebhookSender>,
    pub options: TaskOptions,
    worker: Arc<dyn Worker>,
    events: EventStore<Book>,
    locks: Mutex<BTreeMap<TaskId, Arc<TaskLock>>>,
    /// Tasks that are being put on disk, for each owner.
    beginning: Reservations,
    working: Semaphore,
    calls: Semaphore,
    closing: channel::Sender<bool>,
    /// Up to which record contents that nobody can ask for any more were erased.
    erased: Mutex<u64>,
}

/// What was sent, as it is answered.
pub enum Sent {
    /// A message, as JSON text.
    Message(String),
    /// A task that was begun or goes on, with its number of messages.
    Task(Box<TaskWatch>, usize),
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
        let events: EventStore<Book> = EventStore::open(deps, "tasks")?;
        let locks = events
            .state()
            .tasks
            .keys()
            .map(|id| (id.clone(), TaskLock::new()))
            .collect();
        let tasks = Arc::new(Tasks {
            deps: Arc::clone(deps),
            webhook_sender,
            options,
            worker,
            events,
            locks: Mutex::new(locks),
            beginning: Reservations::default(),
            working: Semaphore::new(options.working_max),
            calls: Semaphore::new(options.push_concurrency_max),
            closing: channel::Sender::new(false),
            erased: Mutex::new(0),
        });
        drive::resume(&tasks);
        push_notifications::resume(&tasks);
        Ok(tasks)
    }

    fn drive(
        self: &Arc<Self>,
        asking: Asking,
        id: &TaskId,
        turn: usize,
        message: Message,
    ) -> Result<Sent, ServiceError> {
        let owner = asking.caller.client.clone();
        let watch = self.watch(owner.as_ref(), id.as_str(), Until::Settled)?;
        let work = Work {
            asking,
            task: id.clone(),
            turn,
            message,
            is_redacted: false,
        };
        drive::begin(self, work);
        Ok(Sent::Task(Box::new(watch), turn))
    }

    /// A task as its owner sees it, as JSON text.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or a fault of the journal.
    pub fn get(&self, owner: Option<&ClientId>, id: &str, messages: Option<usize>) -> Result<String, ServiceError> {
        let task = self.own(owner, id)?;
        documents::task(&self.events, &task, messages, true)
    }

    /// A page of somebody's tasks, as JSON text.
    ///
    /// # Errors
    /// A fault of the journal.
    pub fn list(&self, owner: Option<&ClientId>, listed: &Listed) -> Result<String, ServiceError> {
        let filter: &Filter = &listed.filter;
        let (tasks, next, total) = {
            let book = self.events.state();
            let page = book.page(owner, filter, listed.size, listed.before);
            let tasks: Vec<Task> = page.tasks.into_iter().cloned().collect();
            (tasks, page.next, page.total)
        };
        let mut texts = Vec::with_capacity(tasks.len());
        for task in &tasks {
            texts.push(documents::task(&self.events, task, listed.messages, listed.artifacts)?);
        }
        Ok(documents::page(&texts, next, listed.size, total))
    }

    /// A message at a record, where it can still be read.
    fn message(&self, seq: u64) -> Option<Message> {
        let text = self.events.content(seq).ok()??;
        Message::read(&text, "message").ok()
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
        let (name, lock) = self.lock(id)?;
        let changes = lock.changes.subscribe();
        let task = self.own(owner, name.as_str())?;
        Ok(TaskWatch::new(Arc::clone(self), task, changes, until))
    }

    /// Erases what was said in tasks that are gone, and what is older than so many days (0 keeps it); a task that has ended
    /// stays with what is left.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub async fn forget(&self, kept_days: i64) -> Result<(), ServiceError> {
        let end = self.events.end()?;
        let needed_from = self.events.state().needed_from().unwrap_or(end + 1);
        let now = self.deps.clock.now();
        let from = *locked(&self.erased) + 1;
        if needed_from > from {
            self.events.erase(from, needed_from - 1, now.plus_ms(1)).await?;
            *locked(&self.erased) = needed_from - 1;
        }
        self.events.erase_older(needed_from, kept_days).await.map(drop)
    }

    /// Keeps a snapshot where one is due.
    ///
    /// # Errors
    /// What the journal says, or that nothing may be written.
    pub fn keep_up(&self) -> Result<(), ServiceError> {
        self.events.keep_up()
    }

    /// How many tasks are in each state.
    pub fn count_by_phase(&self) -> BTreeMap<Phase, usize> {
        let mut counts: BTreeMap<Phase, usize> = Phase::ALL.into_iter().map(|phase| (phase, 0)).collect();
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
        let book = self.events.state();
        let task = book.own(owner, id).map_err(|refusal| refused(refusal, id))?;
        Ok(task.clone())
    }

    fn lock(&self, id: &str) -> Result<(TaskId, Arc<TaskLock>), ServiceError> {
        let name = TaskId::named(id);
        let lock = locked(&self.locks).get(&name).cloned();
        let lock = lock.ok_or_else(|| ServiceError::UnknownTask(id.to_owned()))?;
        Ok((name, lock))
    }

    /// Applies what is on disk, and tells those who follow.
    fn apply(&self, written: &[Written<TaskEvent>]) {
        self.events.apply(written);
        let entered = written.iter().filter_map(|one| one.event.enters());
        entered.for_each(|phase| self.deps.observer.task(phase));
        let mut locks = locked(&self.locks);
        for one in written {
            let Some(task) = one.event.task() else { continue };
            if let Some(lock) = locks.get(task) {
                lock.changes.send_modify(|change| *change += 1);
            }
            if matches!(one.event, TaskEvent::Removed { .. }) {
                locks.remove(task);
            }
        }
    }

    /// A new task's id, and a new context's.
    fn names(&self) -> Result<(String, String), ServiceError> {
        let random = random::bytes(self.webhook_sender.as_ref())?;
        let (task, context) = random.split_at(16);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(task);
        Ok((
            TaskId::of(bytes).as_str().to_owned(),
            format!("ctx_{}", hexadecimal(&context[..16])),
        ))
    }

    /// A new message's id.
    fn message_name(&self) -> Result<String, ServiceError> {
        Ok(format!(
            "msg_{}",
            hexadecimal(&random::id(self.webhook_sender.as_ref())?)
        ))
    }
}

impl TaskLock {
    fn new() -> Arc<TaskLock> {
        Arc::new(TaskLock {
            writing: TokioMutex::new(()),
            driving: TokioMutex::new(()),
            unwanted: channel::Sender::new(false),
            changes: channel::Sender::new(0),
        })
    }
}

/// What a refusal is to a caller.
fn refused(refusal: TaskRefusal, id: &str) -> ServiceError {
    match refusal {
        TaskRefusal::Unknown => ServiceError::UnknownTask(id.to_owned()),
        TaskRefusal::OtherContext => ServiceError::InvalidMessage(vec![FieldFault::new(
            "message.contextId",
            "must be the context of the task, or be left out",
        )]),
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
