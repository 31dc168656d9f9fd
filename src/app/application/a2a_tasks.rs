//! What agents ask over A2A: messages, tasks, who is told of them, and what this service is good for.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;

use crate::api::scenarios::ScenarioRow;
use crate::app::a2a_tasks::Sent;
use crate::app::a2a_tasks::TaskOptions;
use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::documents::Listed;
use crate::app::a2a_tasks::push_notifications::PushConfig;
use crate::app::a2a_tasks::watch::TaskWatch;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Worker;
use crate::app::application::App;
use crate::app::application::contract::Contract;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;
use crate::app::reply::Wanted;
use crate::app::scenario_list;
use crate::app::secrets;
use context::a2a_task::message::Message;
use context::a2a_task::phase::Phase;
use context::conversation::said::Speaker;
use text::name::hexadecimal;

/// Something that this service is good for: a scenario with the template that it goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// A row of `GET /v1/scenarios`.
    pub row: ScenarioRow,
    /// SHA-256 of the template as it is served to the caller, in hexadecimal digits.
    pub digest: String,
}

impl App {
    /// Begins to work at tasks, once. `worker` stands in for the one that answers for the hosted schemas; `said` is what a
    /// failure is called.
    ///
    /// # Errors
    /// The first fault of the journal, named.
    pub fn work_at_tasks(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        worker: Option<Arc<dyn Worker>>,
        options: TaskOptions,
        said: fn(ServiceError) -> Value,
    ) -> Result<(), ServiceError> {
        let worker = worker.unwrap_or_else(|| {
            Arc::new(Contract {
                service: Arc::downgrade(&self.inner),
                said,
            })
        });
        let tasks = Tasks::begin(&self.inner.registry.deps, webhook_sender, worker, options)?;
        self.inner.tasks.get_or_init(|| tasks);
        Ok(())
    }

    /// The first of what is hosted for the caller, by name, and how much there is.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn skills(&self, caller: &Caller, max: usize) -> Result<(Vec<Skill>, usize), ServiceError> {
        caller.require(Permission::Negotiate)?;
        let listed = scenario_list::listed(&self.inner.registry, caller, None);
        let total = listed.len();
        let mut skills = Vec::new();
        for (handle, row) in listed.into_iter().take(max) {
            let view = handle.view.load();
            let in_force = view.in_force.as_ref();
            let Some(compiled) = in_force.and_then(|id| view.compiled(id, caller.client.as_ref())) else {
                continue;
            };
            let served = compiled.render(Wanted {
                language: None,
                experimental: true,
                form: None,
            });
            let digest = hexadecimal(&Sha256::digest(served.body.as_bytes()));
            skills.push(Skill { row, digest });
        }
        Ok((skills, total))
    }

    /// Takes a message, see [`Tasks::send`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::send`] says.
    pub async fn send_message(
        &self,
        asking: Asking,
        message: Message,
        push: Option<PushConfig>,
    ) -> Result<Sent, ServiceError> {
        asking.caller.require(Permission::Negotiate)?;
        let clean = secrets::out_of_message(&self.inner.registry, asking.caller.client.as_ref(), message.clone());
        let (caller, said) = (asking.caller.clone(), clean.clone());
        let sent = self
            .tasks_of(&asking.caller)?
            .send(asking, message, clean, push)
            .await?;
        match &sent {
            Sent::Message(answer) => {
                self.overhear(&caller, Speaker::User, said, None).await;
                if let Ok(answer) = Message::read(answer, "message") {
                    self.overhear(&caller, Speaker::Assistant, answer, None).await;
                }
            }
            Sent::Task(watch, _) => self.overhear(&caller, Speaker::User, said, Some(watch.id())).await,
        }
        Ok(sent)
    }

    /// Waits until a message of a task was dealt with, see [`TaskWatch::settled`]; the answer is recorded in the conversation that
    /// the message was sent under, also where whoever waits goes.
    ///
    /// # Errors
    /// What [`TaskWatch::settled`] says.
    pub async fn settled(
        &self,
        caller: &Caller,
        watch: TaskWatch,
        turn: usize,
        messages: Option<usize>,
    ) -> Result<(String, Option<Value>), ServiceError> {
        let heard = tokio::spawn(self.clone().heard(caller.clone(), watch, turn, messages));
        heard.await?
    }

    async fn heard(
        self,
        caller: Caller,
        watch: TaskWatch,
        turn: usize,
        messages: Option<usize>,
    ) -> Result<(String, Option<Value>), ServiceError> {
        let (task, problem) = watch.settled(turn, messages).await?;
        self.overhear_reply(&caller, &task).await;
        Ok((task, problem))
    }

    /// Records the answer to a message of a task once it is there, for who does not wait for it.
    pub fn hear_out(&self, caller: &Caller, watch: TaskWatch, turn: usize) {
        let heard = self.clone().heard(caller.clone(), watch, turn, None);
        tokio::spawn(async move {
            if let Err(error) = heard.await {
                tracing::debug!(%error, "the answer of a task goes into no conversation");
            }
        });
    }

    /// One of the caller's tasks, see [`Tasks::get`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::get`] says.
    pub fn task(&self, caller: &Caller, id: &str, messages: Option<usize>) -> Result<String, ServiceError> {
        self.tasks_of(caller)?.get(caller.client.as_ref(), id, messages)
    }

    /// A page of the caller's tasks, see [`Tasks::list`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::list`] says.
    pub fn list_tasks(&self, caller: &Caller, listed: &Listed) -> Result<String, ServiceError> {
        self.tasks_of(caller)?.list(caller.client.as_ref(), listed)
    }

    /// Cancels one of the caller's tasks, see [`Tasks::cancel`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::cancel`] says.
    pub async fn cancel_task(&self, caller: &Caller, id: &str) -> Result<String, ServiceError> {
        self.tasks_of(caller)?.cancel(caller.client.as_ref(), id).await
    }

    /// Follows one of the caller's tasks, see [`Tasks::subscribe`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::subscribe`] says.
    pub fn subscribe_to_task(&self, caller: &Caller, id: &str) -> Result<TaskWatch, ServiceError> {
        self.tasks_of(caller)?.subscribe(caller.client.as_ref(), id)
    }

    /// Tells an address of one of the caller's tasks, see [`Tasks::set_push`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::set_push`] says.
    pub async fn set_task_push(&self, caller: &Caller, id: &str, push: PushConfig) -> Result<PushConfig, ServiceError> {
        let tasks = self.tasks_of(caller)?;
        tasks.set_push(caller.client.as_ref(), id, push).await
    }

    /// Who is told of one of the caller's tasks under a name, see [`Tasks::push`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::push`] says.
    pub fn task_push(&self, caller: &Caller, id: &str, config: &str) -> Result<PushConfig, ServiceError> {
        self.tasks_of(caller)?.push(caller.client.as_ref(), id, config)
    }

    /// Who is told of one of the caller's tasks, see [`Tasks::pushes`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::pushes`] says.
    pub fn task_pushes(&self, caller: &Caller, id: &str) -> Result<Vec<PushConfig>, ServiceError> {
        self.tasks_of(caller)?.pushes(caller.client.as_ref(), id)
    }

    /// Tells nobody of one of the caller's tasks under a name any more, see [`Tasks::remove_push`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::remove_push`] says.
    pub async fn remove_task_push(&self, caller: &Caller, id: &str, config: &str) -> Result<(), ServiceError> {
        let tasks = self.tasks_of(caller)?;
        tasks.remove_push(caller.client.as_ref(), id, config).await
    }

    /// Who says how many tasks stand in each state, as long as the service is there.
    pub fn task_census(&self) -> impl Fn() -> BTreeMap<Phase, usize> + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            let tasks = inner.as_ref().and_then(|inner| inner.tasks.get());
            tasks.map(|tasks| tasks.count_by_phase()).unwrap_or_default()
        }
    }

    /// The tasks, for who may negotiate; each method shows its caller's own alone.
    fn tasks_of(&self, caller: &Caller) -> Result<&Arc<Tasks>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let tasks = self.inner.tasks.get();
        tasks.ok_or_else(|| ServiceError::Fault("tasks are not worked at in this process".to_owned()))
    }
}
