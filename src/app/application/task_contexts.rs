//! What agents know of tasks: a master's calls, an agent's, and large contents of both.

use std::sync::Arc;

use serde_json::Value;

use crate::api::tasks::Content;
use crate::api::tasks::DeletedContent;
use crate::api::tasks::StoredContent;
use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::end_as::Right;
use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;
use crate::app::task_contexts::TaskContexts;
use crate::app::task_contexts::WorkCensus;
use crate::app::task_contexts::WorkOptions;
use crate::app::task_contexts::master::Page;
use crate::app::task_contexts::named;
use crate::app::task_contexts::watch::WorkWatch;

impl App {
    /// Begins to keep what agents know of tasks, once.
    ///
    /// # Errors
    /// The first fault of the journal, named.
    pub fn keep_works(&self, webhook_sender: Arc<dyn WebhookSender>, options: WorkOptions) -> Result<(), ServiceError> {
        let works = TaskContexts::begin(&self.inner.registry.deps, webhook_sender, options)?;
        self.inner.task_contexts.get_or_init(|| works);
        Ok(())
    }

    /// How much agents know of tasks.
    pub fn work_census(&self) -> impl Fn() -> WorkCensus + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            let works = inner.as_ref().and_then(|inner| inner.task_contexts.get());
            works.map(|works| works.census()).unwrap_or_default()
        }
    }

    /// Begins a task, see [`TaskContexts::create`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::create`] says.
    pub async fn create_work(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.create(named(caller)?, body).await
    }

    /// The tasks that the caller is the master of, see [`TaskContexts::tasks`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::tasks`] says.
    pub fn works(&self, caller: &Caller, page: &Page<'_>) -> Result<Value, ServiceError> {
        self.works_of(caller)?.tasks(named(caller)?, page)
    }

    /// The subtasks that were handed out to the caller, see [`TaskContexts::assigned`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::assigned`] says.
    pub fn assigned_work(&self, caller: &Caller, page: &Page<'_>) -> Result<Value, ServiceError> {
        self.works_of(caller)?.assigned(named(caller)?, page)
    }

    /// Follows what is handed out to the caller, see [`TaskContexts::follow`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`]; [`ServiceError::FollowsItself`] for any name but the caller's own.
    pub fn follow_work(&self, caller: &Caller, agent: &str) -> Result<WorkWatch, ServiceError> {
        let works = self.works_of(caller)?;
        let itself = named(caller)?;
        if itself.as_str() != agent {
            return Err(ServiceError::FollowsItself {
                agent: agent.to_owned(),
                caller: itself.as_str().to_owned(),
            });
        }
        Ok(works.follow(itself))
    }

    /// One of the caller's tasks, see [`TaskContexts::task`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::task`] says.
    pub fn work(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.task(named(caller)?, id)
    }

    /// Changes one of the caller's tasks, see [`TaskContexts::change`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::change`] says.
    pub async fn change_work(&self, caller: &Caller, id: &str, body: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.change(named(caller)?, id, body).await
    }

    /// Ends one of the caller's tasks, see [`TaskContexts::end`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::end`] says.
    pub async fn close_work(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.end(named(caller)?, id).await
    }

    /// Deletes one of the caller's tasks, or any as an operator, see [`TaskContexts::delete`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::delete`] says.
    pub async fn delete_work(&self, caller: &Caller, id: &str, by: Right) -> Result<Value, ServiceError> {
        let operator = by.operator(caller)?;
        self.works_of(caller)?.delete(named(caller)?, id, operator).await
    }

    /// Makes a subtask out for an agent, see [`TaskContexts::send`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::send`] says.
    pub async fn send_subtask(&self, caller: &Caller, id: &str, body: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.send(named(caller)?, id, body).await
    }

    /// Makes a subtask out anew, see [`TaskContexts::resend`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::resend`] says.
    pub async fn resend_subtask(
        &self,
        caller: &Caller,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        self.works_of(caller)?.resend(named(caller)?, id, subtask, body).await
    }

    /// Evaluates what an agent gave back, see [`TaskContexts::evaluate`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::evaluate`] says.
    pub async fn evaluate_subtask(
        &self,
        caller: &Caller,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        self.works_of(caller)?.evaluate(named(caller)?, id, subtask, body).await
    }

    /// A subtask: any of the caller's own task, else the one that is the caller's own in another's.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::own_subtask`] says.
    pub fn subtask(&self, caller: &Caller, id: &str, subtask: &str) -> Result<Value, ServiceError> {
        let works = self.works_of(caller)?;
        match works.subtask(named(caller)?, id, subtask) {
            Err(ServiceError::UnknownTask(_)) => works.own_subtask(named(caller)?, id, subtask),
            told => told,
        }
    }

    /// Gives the caller's own subtask back, see [`TaskContexts::give_back`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::give_back`] says.
    pub async fn return_subtask(
        &self,
        caller: &Caller,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        self.works_of(caller)?
            .give_back(named(caller)?, id, subtask, body)
            .await
    }

    /// Takes an AgentContext that came in a message to where it belongs, see [`TaskContexts::arrived`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::arrived`] says.
    pub async fn take_context(
        &self,
        caller: &Caller,
        task: Option<&str>,
        document: &Value,
    ) -> Result<Value, ServiceError> {
        self.works_of(caller)?.arrived(named(caller)?, task, document).await
    }

    /// Stores a content, see [`TaskContexts::store`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::store`] says.
    pub async fn store_content(&self, caller: &Caller, body: &str) -> Result<StoredContent, ServiceError> {
        self.works_of(caller)?.store(named(caller)?, body).await
    }

    /// A content that the caller may read, see [`TaskContexts::content`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::content`] says.
    pub fn content(&self, caller: &Caller, sha256: &str) -> Result<Content, ServiceError> {
        self.works_of(caller)?.content(named(caller)?, sha256)
    }

    /// Keeps a content of the caller's no longer, see [`TaskContexts::release`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`TaskContexts::release`] says.
    pub async fn release_content(&self, caller: &Caller, sha256: &str) -> Result<DeletedContent, ServiceError> {
        self.works_of(caller)?.release(named(caller)?, sha256).await
    }

    /// What is kept, for who may negotiate; each method shows its caller's own alone.
    fn works_of(&self, caller: &Caller) -> Result<&Arc<TaskContexts>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let works = self.inner.task_contexts.get();
        works.ok_or_else(|| ServiceError::Fault("tasks are not kept in this process".to_owned()))
    }
}
