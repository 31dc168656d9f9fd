//! Works at tasks: each message is handed to the worker, and each step that comes back is put on disk; and cancels them, whether
//! somebody works at them or not.
//!
//! Invariant: a result that was there before the end of a task is on disk is the task's result.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::sync::watch;

use crate::api::a2a::A2aTask;
use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::documents;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Done;
use crate::app::a2a_tasks::worker::Words;
use crate::app::a2a_tasks::worker::Work;
use crate::app::caller::Caller;
use crate::app::error::ServiceError;
use crate::app::execution::Left;
use context::a2a_task::event::TaskEvent;
use context::a2a_task::event::TaskId;
use context::a2a_task::index::Task;
use context::a2a_task::message::Content;
use context::a2a_task::message::Part;
use context::a2a_task::phase::Phase;
use schema::name::ClientId;
use text::secrets::prose::MARK;

/// Attempts to put a step on disk while the journal's queue is full, and the pause between them.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// Begins to work at a message.
pub fn begin(tasks: &Arc<Tasks>, work: Work) {
    let tasks = Arc::clone(tasks);
    tokio::spawn(async move { drive(&tasks, work).await });
}

/// Goes on with what a restart cut short. What was allowed when it was sent is carried out.
pub fn resume(tasks: &Arc<Tasks>) {
    let now = tasks.deps.clock.now();
    let cut_short: Vec<_> = {
        let index = tasks.events.state();
        let under_way = index.tasks.values().filter(|task| task.phase.is_under_way());
        under_way.cloned().collect()
    };
    for task in cut_short {
        let late = now.since_ms(task.at) >= tasks.options.resume_ms;
        match work_of(tasks, &task).filter(|_| !late) {
            Some(work) => begin(tasks, work),
            None => {
                let tasks = Arc::clone(tasks);
                tokio::spawn(
                    async move { give_up(&tasks, &task.id, task.turns, "it was cut short by a restart").await },
                );
            }
        }
    }
}

/// What a task that is under way is worked at for, read back; `None` when it is not under way, or its message is gone.
fn work_of(tasks: &Tasks, task: &Task) -> Option<Work> {
    let said = task.history.last().filter(|_| task.phase.is_under_way())?;
    let message = documents::message(&tasks.events, *said).ok()??;
    let is_redacted = message.parts.iter().any(|part| match &part.content {
        Content::Text(text) | Content::Data(text) => text.contains(MARK),
        Content::Raw(_) | Content::Url(_) => false,
    });
    Some(Work {
        asking: Asking {
            caller: Caller::client(task.owner.clone()),
            language: None,
            contract: false,
        },
        task: task.id.clone(),
        turn: task.turns,
        message,
        is_redacted,
    })
}

async fn drive(tasks: &Arc<Tasks>, work: Work) {
    let begun = Instant::now();
    let (id, turn) = (work.task.clone(), work.turn);
    let _driving = tasks.drive_lock(&id).await;
    let _permit = tokio::select! {
        permit = tasks.working.acquire() => match permit {
            Ok(permit) => permit,
            Err(_closed) => return,
        },
        () = unwanted(tasks, &id) => return,
    };
    work_at(tasks, work).await;
    let phase = tasks.events.state().tasks.get(&id).map(|task| (task.phase, task.turns));
    if let Some((phase, turns)) = phase
        && turns == turn
        && !phase.is_under_way()
    {
        tasks.deps.observer.task_seconds(begun.elapsed().as_secs_f64());
    }
}

/// Works at a message to its end. Whoever calls this holds the task's [`Tasks::drive_lock`].
async fn work_at(tasks: &Arc<Tasks>, work: Work) {
    let (id, turn) = (work.task.clone(), work.turn);
    let mut closing = tasks.closing.subscribe();
    let Ok(mut changes) = tasks.follow(id.as_str()) else {
        return;
    };
    if !tasks.events.state().goes_on(&id, turn) {
        return;
    }
    let (steps, mut done) = mpsc::channel(1);
    let worker = Arc::clone(&tasks.worker);
    let mut working = worker.work(work, steps);
    let mut works = true;
    loop {
        tokio::select! {
            biased;
            () = closes(&mut closing) => return,
            () = unwanted(tasks, &id) => return,
            batch = done.recv() => match batch {
                None => break,
                Some(batch) => if !take(tasks, &id, turn, batch).await { return },
            },
            () = &mut working, if works => works = false,
            changed = changes.changed() => if changed.is_err() || !tasks.events.state().goes_on(&id, turn) { return },
        }
    }
    give_up(tasks, &id, turn, "it ended without a result").await;
}

/// Waits until nothing is worked at any more.
pub async fn closes(closing: &mut watch::Receiver<bool>) {
    // An error means that whoever could close is gone.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// Waits until the client of a task wants no more of it.
async fn unwanted(tasks: &Tasks, id: &TaskId) {
    let mut unwanted = tasks.unwanted.subscribe();
    let _ = unwanted.wait_for(|all| all.contains(id)).await;
}

/// A task that is still under way has failed.
async fn give_up(tasks: &Arc<Tasks>, id: &TaskId, turn: usize, why: &str) {
    let words = Words::of(vec![Part::text(why)]);
    take(tasks, id, turn, vec![Done::Became(Phase::Failed, Some(words))]).await;
}

/// Puts steps on disk, unless they do not count any more; whether they did.
async fn take(tasks: &Arc<Tasks>, id: &TaskId, turn: usize, batch: Vec<Done>) -> bool {
    let _held = tasks.events.lock(id.as_str()).await;
    let context = {
        let index = tasks.events.state();
        if !index.goes_on(id, turn) || tasks.is_unwanted(id) {
            return false;
        }
        index.tasks.get(id).map(|task| task.context.clone()).unwrap_or_default()
    };
    let mut events = Vec::new();
    for done in batch {
        match event(tasks, id, &context, done) {
            Ok(event) => events.push(event),
            Err(error) => {
                tracing::error!(task = id.as_str(), %error, "a step of a task cannot be written");
                return false;
            }
        }
    }
    for _ in 0..ATTEMPTS {
        match tasks.put((), events.clone()).await {
            Ok(()) => return true,
            Err(ServiceError::Busy { .. }) => tokio::time::sleep(PAUSE).await,
            Err(fault) => {
                if !fault.is_stop() {
                    tracing::warn!(task = id.as_str(), %fault, "a step of a task is not on record: the next start works at it again");
                }
                return false;
            }
        }
    }
    tracing::warn!(
        task = id.as_str(),
        "a step of a task is not on record: the journal's queue stays full"
    );
    false
}

fn event(tasks: &Tasks, id: &TaskId, context: &str, done: Done) -> Result<(TaskEvent, Vec<u8>), ServiceError> {
    match done {
        Done::Produced { artifact, append, last } => {
            let event = TaskEvent::Produced {
                task: id.clone(),
                artifact: artifact.artifact_id.clone(),
                append,
                last,
                more: 0,
            };
            Ok((event, serde_json::to_vec(&artifact)?))
        }
        Done::Became(phase, words) => {
            let event = TaskEvent::became(id, phase, words.is_some());
            let content = match words {
                None => Vec::new(),
                Some(words) => {
                    let (context, id) = (context.to_owned(), id.as_str().to_owned());
                    serde_json::to_vec(&words.into_message(tasks.name("msg")?, context, id))?
                }
            };
            Ok((event, content))
        }
    }
}

impl Tasks {
    /// Cancels a task; what was put on record for it stays there, and nothing of it is executed any more, also after a restart.
    /// An executor that was called is waited for a while: a result that comes within it ends the task instead.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::NotCancelable`], also of one that came to its end meanwhile, or what the
    /// journals say.
    pub async fn cancel(self: &Arc<Self>, owner: Option<&ClientId>, id: &str) -> Result<A2aTask, ServiceError> {
        let (tasks, by, name) = (Arc::clone(self), owner.cloned(), id.to_owned());
        // Whoever asked may break off; what was begun is brought to its end.
        let canceled = tokio::spawn(async move { tasks.cancel_whole(by.as_ref(), &name).await });
        canceled.await.map_err(|_gone| ServiceError::ShuttingDown)??;
        self.get(owner, id, None)
    }

    async fn cancel_whole(self: &Arc<Self>, owner: Option<&ClientId>, id: &str) -> Result<(), ServiceError> {
        let name = self.own(owner, id)?.id;
        {
            let _held = self.events.lock(id).await;
            self.decide(id, |index| index.cancel(owner, id))?;
            self.set_unwanted(&name, true);
        }
        // Nobody works at it once this is held.
        let driving = self.drive_lock(&name).await;
        let task = self.own(owner, id)?;
        let work = work_of(self, &task);
        let canceled = self.cancel_idle(owner, &task, work.as_ref()).await;
        // It is canceled, or still wanted by all that is on record.
        self.set_unwanted(&name, false);
        if canceled.is_err() {
            drop(driving);
            if let Some(work) = work.filter(|work| self.events.state().goes_on(&name, work.turn)) {
                begin(self, work);
            }
        }
        canceled
    }

    /// Cancels a task that nobody works at: first what its execution has left undone, so that no crash in between makes it be
    /// executed again though it is canceled.
    async fn cancel_idle(
        self: &Arc<Self>,
        owner: Option<&ClientId>,
        task: &Task,
        work: Option<&Work>,
    ) -> Result<(), ServiceError> {
        let id = task.id.as_str();
        if let Some(work) = work
            && self.worker.give_up(work).await? == Left::Answered
            && task.phase == Phase::Working
        {
            // What its executor did cannot be undone: the task ends with the result that came while it was waited for.
            self.set_unwanted(&task.id, false);
            work_at(self, work.clone()).await;
        }
        let held = self.events.lock(id).await;
        let event = self.decide(id, |index| index.cancel(owner, id))?;
        self.put(held, vec![(event, Vec::new())]).await
    }
}
