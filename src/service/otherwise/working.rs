//! What agents know of tasks: a master's calls, an agent's, and large contents of both.

use std::sync::Arc;

use serde_json::Value;

use crate::service::caller::Caller;
use crate::service::caller::Deed;
use crate::service::ending::Right;
use crate::service::error::ServiceError;
use crate::service::otherwise::Otherwise;
use crate::service::ports::Courier;
use crate::service::works::Keeping;
use crate::service::works::WorkCensus;
use crate::service::works::WorkOptions;
use crate::service::works::following::WorkWatch;
use crate::service::works::mastering::Page;
use crate::service::works::named;

impl Otherwise {
    /// Begins to keep what agents know of tasks, once.
    ///
    /// # Errors
    /// The first fault of the journal, named.
    pub fn keep_works(&self, courier: Arc<dyn Courier>, options: WorkOptions) -> Result<(), ServiceError> {
        let works = Keeping::begin(&self.inner.hosting.parts, courier, options)?;
        self.inner.works.get_or_init(|| works);
        Ok(())
    }

    /// How much agents know of tasks.
    pub fn work_census(&self) -> impl Fn() -> WorkCensus + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            let works = inner.as_ref().and_then(|inner| inner.works.get());
            works.map(|works| works.census()).unwrap_or_default()
        }
    }

    /// Begins a task, see [`Keeping::create`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::create`] says.
    pub async fn create_work(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.create(named(caller)?, body).await
    }

    /// The tasks that the caller is the master of, see [`Keeping::tasks`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::tasks`] says.
    pub fn works(&self, caller: &Caller, page: &Page<'_>) -> Result<Value, ServiceError> {
        self.works_of(caller)?.tasks(named(caller)?, page)
    }

    /// The subtasks that were handed out to the caller, see [`Keeping::assigned`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::assigned`] says.
    pub fn assigned_work(&self, caller: &Caller, page: &Page<'_>) -> Result<Value, ServiceError> {
        self.works_of(caller)?.assigned(named(caller)?, page)
    }

    /// Follows what is handed out to the caller, see [`Keeping::follow`].
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

    /// One of the caller's tasks, see [`Keeping::task`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::task`] says.
    pub fn work(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.task(named(caller)?, id)
    }

    /// Changes one of the caller's tasks, see [`Keeping::change`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::change`] says.
    pub async fn change_work(&self, caller: &Caller, id: &str, body: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.change(named(caller)?, id, body).await
    }

    /// Ends one of the caller's tasks, see [`Keeping::end`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::end`] says.
    pub async fn close_work(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.end(named(caller)?, id).await
    }

    /// Deletes one of the caller's tasks, or any as an operator, see [`Keeping::delete`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::delete`] says.
    pub async fn delete_work(&self, caller: &Caller, id: &str, by: Right) -> Result<Value, ServiceError> {
        let operator = by.operator(caller)?;
        self.works_of(caller)?.delete(named(caller)?, id, operator).await
    }

    /// Makes a subtask out for an agent, see [`Keeping::send`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::send`] says.
    pub async fn send_subtask(&self, caller: &Caller, id: &str, body: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.send(named(caller)?, id, body).await
    }

    /// Makes a subtask out anew, see [`Keeping::resend`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::resend`] says.
    pub async fn resend_subtask(
        &self,
        caller: &Caller,
        id: &str,
        subtask: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        self.works_of(caller)?.resend(named(caller)?, id, subtask, body).await
    }

    /// Evaluates what an agent gave back, see [`Keeping::evaluate`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::evaluate`] says.
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
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::own_subtask`] says.
    pub fn subtask(&self, caller: &Caller, id: &str, subtask: &str) -> Result<Value, ServiceError> {
        let works = self.works_of(caller)?;
        match works.subtask(named(caller)?, id, subtask) {
            Err(ServiceError::UnknownTask(_)) => works.own_subtask(named(caller)?, id, subtask),
            told => told,
        }
    }

    /// Gives the caller's own subtask back, see [`Keeping::give_back`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::give_back`] says.
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

    /// Takes an AgentContext that came in a message to where it belongs, see [`Keeping::arrived`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::arrived`] says.
    pub async fn take_context(
        &self,
        caller: &Caller,
        task: Option<&str>,
        document: &Value,
    ) -> Result<Value, ServiceError> {
        self.works_of(caller)?.arrived(named(caller)?, task, document).await
    }

    /// Stores a content, see [`Keeping::store`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::store`] says.
    pub async fn store_content(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.store(named(caller)?, body).await
    }

    /// A content that the caller may read, see [`Keeping::content`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::content`] says.
    pub fn content(&self, caller: &Caller, sha256: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.content(named(caller)?, sha256)
    }

    /// Keeps a content of the caller's no longer, see [`Keeping::release`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Keeping::release`] says.
    pub async fn release_content(&self, caller: &Caller, sha256: &str) -> Result<Value, ServiceError> {
        self.works_of(caller)?.release(named(caller)?, sha256).await
    }

    /// What is kept, for who may negotiate; each method shows its caller's own alone.
    fn works_of(&self, caller: &Caller) -> Result<&Arc<Keeping>, ServiceError> {
        caller.demand(Deed::Negotiate)?;
        let works = self.inner.works.get();
        works.ok_or_else(|| ServiceError::Fault("tasks are not kept in this process".to_owned()))
    }
}
