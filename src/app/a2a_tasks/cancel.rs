//! How a task is canceled, whether somebody works at it or not.
//!
//! Invariant: a result that was there before the end of it is on disk is the task's result.

use std::sync::Arc;

use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::drive;
use crate::app::a2a_tasks::worker::Work;
use crate::app::error::ServiceError;
use crate::app::execution::Left;
use context::a2a_task::index::Task;
use context::a2a_task::phase::Phase;
use schema::name::ClientId;

impl Tasks {
    /// Cancels a task; what was put on record for it stays there, and nothing of it is executed any more, also after a restart.
    /// An executor that was called is waited for a while: a result that comes within it ends the task instead. The task, as JSON text.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::NotCancelable`], also of one that came to its end meanwhile, or what the
    /// journals say.
    pub async fn cancel(self: &Arc<Self>, owner: Option<&ClientId>, id: &str) -> Result<String, ServiceError> {
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
        let work = drive::work_of(self, &task);
        let canceled = self.cancel_idle(owner, &task, work.as_ref()).await;
        // It is canceled, or still wanted by all that is on record.
        self.set_unwanted(&name, false);
        if canceled.is_err() {
            drop(driving);
            if let Some(work) = work.filter(|work| self.events.state().goes_on(&name, work.turn)) {
                drive::begin(self, work);
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
            drive::work_at(self, work.clone()).await;
        }
        let held = self.events.lock(id).await;
        let event = self.decide(id, |index| index.cancel(owner, id))?;
        self.put(held, vec![(event, Vec::new())]).await
    }
}
