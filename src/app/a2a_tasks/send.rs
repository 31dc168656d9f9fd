//! What becomes of a message: it is answered at once, begins a task, or goes on with one.
//!
//! Invariant: a task that is being put on disk counts among those of its owner.

use std::sync::Arc;

use crate::api::a2a::TaskPushNotificationConfig;
use crate::app::a2a_tasks::Sent;
use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::documents;
use crate::app::a2a_tasks::drive;
use crate::app::a2a_tasks::push_notifications;
use crate::app::a2a_tasks::watch::Until;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::a2a_tasks::worker::Opening;
use crate::app::a2a_tasks::worker::Work;
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
        push: Option<TaskPushNotificationConfig>,
    ) -> Result<Sent, ServiceError> {
        let owner = asking.caller.client.as_ref();
        if message.role != Role::User {
            return Err(FieldFault::new("message.role", "must be ROLE_USER").into());
        }
        let before = match message.task_id.as_str() {
            "" => None,
            id => {
                self.decide(id, |index| {
                    index.say(owner, id, &message.context_id, &self.options.limits)
                })?;
                Some(self.own(owner, id)?)
            }
        };
        if let Some(push) = &push {
            push_notifications::check(
                push,
                self.webhook_sender.as_ref(),
                "configuration.taskPushNotificationConfig.",
            )?;
        }
        let first = before.as_ref().and_then(|task| task.history.first());
        let first = first.and_then(|seq| documents::message(&self.events, *seq).ok()?);
        let opening = self.worker.open(&asking, &message, first.as_ref()).await?;
        if message.context_id.is_empty() {
            message.context_id = match &before {
                Some(task) => task.context.clone(),
                None => self.name("ctx")?,
            };
        }
        if let Opening::Answer(words) = opening {
            let answer = words.into_message(self.name("msg")?, message.context_id, String::new());
            return Ok(Sent::Message(Some(Box::new(answer))));
        }
        if before.is_none() {
            message.task_id = self.name("task")?;
        }
        said.task_id.clone_from(&message.task_id);
        said.context_id.clone_from(&message.context_id);
        let id = TaskId::named(&message.task_id);
        let push = push.map(|push| self.push_event(&id, push)).transpose()?;
        let (push, config) = push.unzip();
        let turn = match before {
            None => self.start(&asking, &message, push).await?,
            Some(_) => self.say(&asking, &message, push, config.as_deref()).await?,
        };
        if let Some(config) = config {
            push_notifications::begin(self, &id, config);
        }
        let mut watch = self.watch(asking.caller.client.as_ref(), id.as_str(), Until::Settled)?;
        let work = Work {
            asking,
            task: id,
            turn,
            message: said,
            is_redacted: false,
        };
        drive::begin(self, work);
        watch.turn = turn;
        Ok(Sent::Task(Box::new(watch)))
    }

    /// Puts a new task on disk; the number of its message.
    async fn start(
        self: &Arc<Self>,
        asking: &Asking,
        message: &Message,
        push: Option<(TaskEvent, Vec<u8>)>,
    ) -> Result<usize, ServiceError> {
        let owner = asking.caller.client.clone();
        let begun = TaskEvent::Begun {
            task: TaskId::named(&message.task_id),
            context: message.context_id.clone(),
            owner: owner.clone(),
            more: 0,
        };
        let (beginning, beside) = self.beginning.reserve(owner.clone());
        let now = self.deps.clock.now();
        let room = self.decide(&message.task_id, |index| {
            index.make_room(owner.as_ref(), beside, now, &self.options.limits)
        })?;
        let mut wanted: Vec<_> = room.into_iter().map(|event| (event, Vec::new())).collect();
        wanted.push((begun, serde_json::to_vec(message)?));
        wanted.extend(push);
        self.put(beginning, wanted).await?;
        Ok(1)
    }

    /// Puts a further message of a task on disk; its number.
    async fn say(
        self: &Arc<Self>,
        asking: &Asking,
        message: &Message,
        push: Option<(TaskEvent, Vec<u8>)>,
        config: Option<&str>,
    ) -> Result<usize, ServiceError> {
        let (owner, id) = (asking.caller.client.as_ref(), message.task_id.as_str());
        let limits = &self.options.limits;
        let held = self.events.lock(id).await;
        let (said, turn) = self.decide(id, |index| {
            let said = index.say(owner, id, &message.context_id, limits)?;
            if let Some(config) = config {
                index.check_push(owner, id, config, limits)?;
            }
            Ok((said, index.own(owner, id)?.turns + 1))
        })?;
        let mut wanted: Vec<_> = push.into_iter().collect();
        wanted.push((said, serde_json::to_vec(message)?));
        self.put(held, wanted).await?;
        Ok(turn)
    }
}
