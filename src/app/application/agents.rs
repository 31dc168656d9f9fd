//! What agents ask of each other: conversations, what they offer, and A2A messages with their tasks; begun here once, and what they
//! have to do with each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use sha2::Digest;
use sha2::Sha256;

use crate::api::a2a::A2aTask;
use crate::api::a2a::TaskPushNotificationConfig;
use crate::api::messages::RegisteredServices;
use crate::api::scenarios::ScenarioRow;
use crate::app::a2a_tasks::Sent;
use crate::app::a2a_tasks::TaskOptions;
use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::watch::TaskWatch;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Worker;
use crate::app::application::App;
use crate::app::application::contract::Contract;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::conversations::ConversationCensus;
use crate::app::conversations::ConversationOptions;
use crate::app::conversations::Conversations;
use crate::app::directory::MessageOptions;
use crate::app::directory::Services;
use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;
use crate::app::reply::Wanted;
use crate::app::scenarios;
use crate::app::secrets;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::a2a_task::message::Role;
use context::a2a_task::phase::Phase;
use context::conversation::turn::Speaker;
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
    /// Begins to keep conversations and what agents offer, once.
    ///
    /// # Errors
    /// The first fault of a journal, named.
    pub fn converse(
        &self,
        webhook_sender: Arc<dyn WebhookSender>,
        conversations: ConversationOptions,
        messages: MessageOptions,
    ) -> Result<(), ServiceError> {
        let registry = &self.inner.registry;
        let kept = Conversations::begin(registry, webhook_sender, conversations)?;
        let services = Services::begin(&registry.deps, messages)?;
        self.inner.conversations.get_or_init(|| kept);
        self.inner.services.get_or_init(|| services);
        Ok(())
    }

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

    /// The conversations, for who may negotiate; each method shows its caller what is its own or declared to it.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn conversations(&self, caller: &Caller) -> Result<&Arc<Conversations>, ServiceError> {
        begun(caller, self.inner.conversations.get())
    }

    /// What agents offer, for who may negotiate.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn services(&self, caller: &Caller) -> Result<&Arc<Services>, ServiceError> {
        begun(caller, self.inner.services.get())
    }

    /// The A2A tasks, for who may negotiate; each method shows its caller's own alone.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn tasks(&self, caller: &Caller) -> Result<&Arc<Tasks>, ServiceError> {
        begun(caller, self.inner.tasks.get())
    }

    /// Registers what an agent offers, see [`Services::register`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], and as there.
    pub async fn register_services(
        &self,
        caller: &Caller,
        agent: &str,
        body: &str,
    ) -> Result<RegisteredServices, ServiceError> {
        let registered = self.services(caller)?.register(caller, agent, body).await;
        self.count_message("register", registered.as_ref().err());
        registered
    }

    /// The first of what is hosted for the caller, by name, and how much there is.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn skills(&self, caller: &Caller, max: usize) -> Result<(Vec<Skill>, usize), ServiceError> {
        caller.require(Permission::Negotiate)?;
        let listed = scenarios::listed(&self.inner.registry, caller, None);
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

    /// Takes a message, see [`Tasks::send`]; what was said goes into the conversation that it was sent under.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Tasks::send`] says.
    pub async fn send_message(
        &self,
        asking: Asking,
        message: Message,
        push: Option<TaskPushNotificationConfig>,
    ) -> Result<Sent, ServiceError> {
        let tasks = self.tasks(&asking.caller)?;
        let clean = secrets::out_of_message(&self.inner.registry, asking.caller.client.as_ref(), message.clone());
        let (caller, said) = (asking.caller.clone(), clean.clone());
        let sent = tasks.send(asking, message, clean, push).await?;
        if let Ok(conversations) = self.conversations(&caller) {
            let task = match &sent {
                Sent::Message(_) => None,
                Sent::Task(watch) => Some(watch.id()),
            };
            conversations.overhear(&caller, Speaker::User, said, task).await;
            if let Sent::Message(Some(answer)) = &sent {
                let agent = Speaker::Assistant;
                conversations
                    .overhear(&caller, agent, Message::clone(answer), None)
                    .await;
            }
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
        messages: Option<usize>,
    ) -> Result<(A2aTask, Option<Value>), ServiceError> {
        let (app, caller) = (self.clone(), caller.clone());
        let heard = tokio::spawn(async move {
            let (task, problem) = watch.settled(messages).await?;
            if let (Ok(conversations), Some(reply)) = (app.conversations(&caller), reply(&task)) {
                let agent = Speaker::Assistant;
                conversations.overhear(&caller, agent, reply, Some(&task.id)).await;
            }
            Ok((task, problem))
        });
        heard.await?
    }

    /// Records the answer to a message of a task once it is there, for who does not wait for it.
    pub fn hear_out(&self, caller: &Caller, watch: TaskWatch) {
        let (app, caller) = (self.clone(), caller.clone());
        tokio::spawn(async move {
            if let Err(error) = app.settled(&caller, watch, None).await {
                tracing::debug!(%error, "the answer of a task goes into no conversation");
            }
        });
    }

    /// Who says how many conversations there are, as long as the service is there.
    pub fn conversation_census(&self) -> impl Fn() -> ConversationCensus + Send + Sync + 'static {
        self.count(|inner| inner.conversations.get().map(|all| all.census()))
    }

    /// Who says how many tasks stand in each state, as long as the service is there.
    pub fn task_census(&self) -> impl Fn() -> BTreeMap<Phase, usize> + Send + Sync + 'static {
        self.count(|inner| inner.tasks.get().map(|tasks| tasks.count_by_phase()))
    }
}

fn begun<'a, T>(caller: &Caller, kept: Option<&'a Arc<T>>) -> Result<&'a Arc<T>, ServiceError> {
    caller.require(Permission::Negotiate)?;
    kept.ok_or_else(|| ServiceError::Fault("this is not kept in this process".to_owned()))
}

/// What a task was answered with; `None` where nothing was said or brought forth.
fn reply(task: &A2aTask) -> Option<Message> {
    let said = task.status.message.iter().flat_map(|message| &message.parts);
    let brought = task.artifacts.iter().flatten().flat_map(|artifact| &artifact.parts);
    let parts: Vec<Part> = said.chain(brought).cloned().collect();
    (!parts.is_empty()).then(|| Message {
        message_id: "reply".to_owned(),
        context_id: task.context_id.clone(),
        role: Role::Agent,
        parts,
        ..Message::default()
    })
}
