//! What becomes of a message: it is answered at once, begins a task, or goes on with one.
//!
//! Invariant: a task that is being put on disk counts among those of its owner.

use std::sync::Arc;

use crate::app::a2a_tasks::Sent;
use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::documents;
use crate::app::a2a_tasks::push_notifications;
use crate::app::a2a_tasks::push_notifications::PushConfig;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Opening;
use crate::app::error::ServiceError;
use context::a2a_task::event::TaskEvent;
use context::a2a_task::event::TaskId;
use context::a2a_task::message::Message;
use context::a2a_task::message::Role;
use context::fields::FieldFault;

impl Tasks {
    /// Takes a message: answers it at once, begins a task, or goes on with one. `said` is the message as it was sent, which is worked
    /// at; the other is without its secrets, and kept.
    ///
    /// # Errors
    /// What is wrong with the message; [`ServiceError::UnknownTask`], [`ServiceError::TaskForbids`],
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn send(
        self: &Arc<Self>,
        asking: Asking,
        mut said: Message,
        mut message: Message,
        push: Option<PushConfig>,
    ) -> Result<Sent, ServiceError> {
        let owner = asking.caller.client.clone();
        if message.role != Role::User {
            return Err(FieldFault::new("message.role", "must be ROLE_USER").into());
        }
        let goes_on = !message.task_id.is_empty();
        let (mut first, mut own_context) = (None, String::new());
        if goes_on {
            let (id, context) = (&message.task_id, &message.context_id);
            self.decide(id, |index| index.say(owner.as_ref(), id, context, &self.options.limits))?;
            let task = self.own(owner.as_ref(), &message.task_id)?;
            first = task.history.first().and_then(|seq| self.message(*seq));
            own_context = task.context;
        }
        if let Some(push) = &push {
            push.check(self.webhook_sender.as_ref(), "configuration.taskPushNotificationConfig")?;
        }
        let worker = Arc::clone(&self.worker);
        match worker.open(&asking, &message, first.as_ref()).await? {
            Opening::Answer(answer) => {
                let id = self.message_name()?;
                let (_, context) = self.names()?;
                let context = [message.context_id, own_context, context]
                    .into_iter()
                    .find(|id| !id.is_empty())
                    .unwrap_or_default();
                let text = documents::message(&id, &context, "", answer)?;
                Ok(Sent::Message(text))
            }
            Opening::Task if goes_on => self.say(asking, said, message, push).await,
            Opening::Task => {
                let (id, context) = self.names()?;
                message.task_id = id;
                if message.context_id.is_empty() {
                    message.context_id = context;
                }
                said.task_id.clone_from(&message.task_id);
                said.context_id.clone_from(&message.context_id);
                self.start(asking, said, message, push).await
            }
        }
    }

    async fn start(
        self: &Arc<Self>,
        asking: Asking,
        said: Message,
        message: Message,
        push: Option<PushConfig>,
    ) -> Result<Sent, ServiceError> {
        let owner = asking.caller.client.clone();
        let id = TaskId::named(&message.task_id);
        let begun = TaskEvent::Begun {
            task: id.clone(),
            context: message.context_id.clone(),
            owner: owner.clone(),
            more: 0,
        };
        let (beginning, beside) = self.beginning.reserve(owner.clone());
        let now = self.deps.clock.now();
        let events = self.decide(id.as_str(), |index| {
            index.begin(begun, owner.as_ref(), beside, now, &self.options.limits)
        })?;
        let mut wanted = Vec::new();
        for event in events {
            let content = match &event {
                TaskEvent::Begun { .. } => documents::sealed(&message)?,
                _ => Vec::new(),
            };
            wanted.push((event, content));
        }
        let push = push.map(|push| self.push_event(&id, push)).transpose()?;
        wanted.extend(push.clone().map(|(event, content, _)| (event, content)));
        self.put(beginning, wanted).await?;
        if let Some((_, _, config)) = push {
            push_notifications::begin(self, &id, config);
        }
        self.drive(asking, &id, 1, said)
    }

    async fn say(
        self: &Arc<Self>,
        asking: Asking,
        mut as_sent: Message,
        mut message: Message,
        push: Option<PushConfig>,
    ) -> Result<Sent, ServiceError> {
        let owner = asking.caller.client.clone();
        let id = TaskId::named(&message.task_id);
        let held = self.events.lock(id.as_str()).await;
        let (said, context, turn) = self.decide(id.as_str(), |index| {
            let said = index.say(owner.as_ref(), id.as_str(), &message.context_id, &self.options.limits)?;
            let task = index.own(owner.as_ref(), id.as_str())?;
            Ok((said, task.context.clone(), task.turns + 1))
        })?;
        message.context_id = context;
        as_sent.context_id.clone_from(&message.context_id);
        let mut wanted = Vec::new();
        let push = push.map(|push| self.push_event(&id, push)).transpose()?;
        if let Some((_, _, config)) = &push {
            self.decide(id.as_str(), |index| {
                index.set_push(owner.as_ref(), id.as_str(), config, &self.options.limits)
            })?;
        }
        wanted.extend(push.clone().map(|(event, content, _)| (event, content)));
        wanted.push((said, documents::sealed(&message)?));
        self.put(held, wanted).await?;
        if let Some((_, _, config)) = push {
            push_notifications::begin(self, &id, config);
        }
        self.drive(asking, &id, turn, as_sent)
    }
}
