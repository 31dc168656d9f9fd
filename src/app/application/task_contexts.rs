//! What agents know of tasks within the application.

use std::sync::Arc;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;
use crate::app::task_contexts::TaskContextCounts;
use crate::app::task_contexts::TaskContextService;
use context::task_context::decide::TaskContextLimits;
use schema::name::ClientId;

impl App {
    /// Begins to keep what agents know of tasks, once.
    ///
    /// # Errors
    /// The first fault of the journal, named.
    pub fn open_task_contexts(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        limits: TaskContextLimits,
    ) -> Result<(), ServiceError> {
        let tasks = TaskContextService::open(&self.inner.registry.deps, webhook_sender, limits)?;
        self.inner.task_contexts.get_or_init(|| tasks);
        Ok(())
    }

    /// How much agents know of tasks.
    pub fn task_context_counts(&self) -> impl Fn() -> TaskContextCounts + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            let tasks = inner.as_ref().and_then(|inner| inner.task_contexts.get());
            tasks.map(|tasks| tasks.counts()).unwrap_or_default()
        }
    }

    /// What is kept, and who calls by name, for who may negotiate; each method shows its caller's own alone.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`].
    pub fn task_contexts<'a>(
        &'a self,
        caller: &'a Caller,
    ) -> Result<(&'a Arc<TaskContextService>, &'a ClientId), ServiceError> {
        caller.require(Permission::Negotiate)?;
        let tasks = self.inner.task_contexts.get();
        let tasks = tasks.ok_or_else(|| ServiceError::Fault("tasks are not kept in this process".to_owned()))?;
        Ok((tasks, caller.client.as_ref().ok_or(ServiceError::Nameless)?))
    }
}
