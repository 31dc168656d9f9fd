//! Tells those who asked what becomes of a task, by calls of their own addresses (A2A §4.3, §13.2).
//!
//! The journal is the queue: a receiver that is away costs no memory. Everything is told at least once and in order until it
//! is taken or given up; after a restart, what was not settled is told again. Invariant: no address is called that may not be.

use std::sync::Arc;
use std::time::Duration;

use backon::BackoffBuilder;
use backon::ExponentialBuilder;

use crate::api::a2a::TaskPushNotificationConfig;
use crate::api::a2a::TaskPushNotificationConfigs;
use crate::app::a2a_tasks::Tasks;
use crate::app::a2a_tasks::documents;
use crate::app::a2a_tasks::drive::closes;
use crate::app::error::ServiceError;
use crate::app::event_store::Wanted;
use crate::app::ports::Delivered;
use crate::app::ports::Notification;
use crate::app::ports::WebhookSender;
use context::a2a_task::event::TaskEvent;
use context::a2a_task::event::TaskId;
use context::a2a_task::index::Push;
use context::a2a_task::index::Task;
use context::fields::FieldFault;
use schema::name::ClientId;

/// Bytes of an address.
const URL_BYTES_MAX: usize = 2_048;
/// Bytes of a token, and of credentials.
const SECRET_BYTES_MAX: usize = 4_096;
/// Bytes of a name.
const NAME_BYTES_MAX: usize = 128;

/// Checks whether somebody may be told so; `within` is where it stands, such as `configuration.`.
///
/// # Errors
/// [`ServiceError::InvalidMessage`] with the first member that is wrong.
pub fn check(push: &TaskPushNotificationConfig, sender: &dyn WebhookSender, within: &str) -> Result<(), ServiceError> {
    let visible = |text: &str| text.len() <= SECRET_BYTES_MAX && text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let secret = format!("must have at most {SECRET_BYTES_MAX} visible ASCII characters");
    let is_name = push.id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    let authentication = push.authentication.as_ref();
    let (member, what) = if push.id.len() > NAME_BYTES_MAX || !is_name {
        let what = format!("must have at most {NAME_BYTES_MAX} visible ASCII characters and no slash");
        ("id", what)
    } else if push.url.is_empty() || push.url.len() > URL_BYTES_MAX {
        ("url", format!("must have 1 to {URL_BYTES_MAX} bytes"))
    } else if let Err(what) = sender.admits(&push.url) {
        ("url", format!("must {what}"))
    } else if !visible(&push.token) {
        ("token", secret)
    } else if authentication.is_some_and(|with| !(1..=NAME_BYTES_MAX).contains(&with.scheme.len()))
        || authentication.is_some_and(|with| !with.scheme.bytes().all(is_token))
    {
        ("authentication.scheme", "must be the name of an HTTP scheme".to_owned())
    } else if authentication.is_some_and(|with| !visible(&with.credentials)) {
        ("authentication.credentials", secret)
    } else {
        return Ok(());
    };
    Err(FieldFault::new(format!("{within}{member}"), what).into())
}

/// As its owner is shown it: credentials and the token, which signs, are not shown again.
fn shown(mut push: TaskPushNotificationConfig) -> TaskPushNotificationConfig {
    push.token = String::new();
    if let Some(authentication) = &mut push.authentication {
        authentication.credentials = String::new();
    }
    push
}

impl Tasks {
    /// Somebody is to be told of a task from now on. The registration as it is kept.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::InvalidMessage`], [`ServiceError::LimitReached`], or a fault.
    pub async fn set_push(
        self: &Arc<Self>,
        owner: Option<&ClientId>,
        id: &str,
        push: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, ServiceError> {
        let task = self.own(owner, id)?.id;
        check(&push, self.webhook_sender.as_ref(), "")?;
        let held = self.events.lock(id).await;
        let (event, config) = self.push_event(&task, push)?;
        self.decide(id, |index| index.check_push(owner, id, &config, &self.options.limits))?;
        self.put(held, vec![event]).await?;
        begin(self, &task, config.clone());
        self.push(owner, id, &config)
    }

    /// One registration.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], [`ServiceError::UnknownPush`], or a fault.
    pub fn push(
        &self,
        owner: Option<&ClientId>,
        id: &str,
        config: &str,
    ) -> Result<TaskPushNotificationConfig, ServiceError> {
        let task = self.own(owner, id)?;
        let push = task.pushes.get(config);
        let push = push.ok_or_else(|| ServiceError::UnknownPush(config.to_owned()))?;
        let read = self.read_push(push)?;
        let read = read.ok_or_else(|| ServiceError::UnknownPush(config.to_owned()))?;
        Ok(shown(read))
    }

    /// Every registration of a task, by name.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or a fault.
    pub fn pushes(&self, owner: Option<&ClientId>, id: &str) -> Result<TaskPushNotificationConfigs, ServiceError> {
        let task = self.own(owner, id)?;
        let mut configs = Vec::new();
        for push in task.pushes.values() {
            configs.extend(self.read_push(push)?.map(shown));
        }
        Ok(TaskPushNotificationConfigs {
            configs,
            next_page_token: String::new(),
        })
    }

    /// Nobody is told under this name any more; that nobody was told is as well.
    ///
    /// # Errors
    /// [`ServiceError::UnknownTask`], or what the journal says.
    pub async fn remove_push(
        self: &Arc<Self>,
        owner: Option<&ClientId>,
        id: &str,
        config: &str,
    ) -> Result<(), ServiceError> {
        self.own(owner, id)?;
        let held = self.events.lock(id).await;
        let task = self.own(owner, id)?;
        if !task.pushes.contains_key(config) {
            return Ok(());
        }
        let event = TaskEvent::PushRemoved {
            task: task.id,
            config: config.to_owned(),
        };
        self.put(held, vec![(event, Vec::new())]).await
    }

    /// The event of a registration with its content and its name.
    pub(in crate::app::a2a_tasks) fn push_event(
        &self,
        task: &TaskId,
        mut push: TaskPushNotificationConfig,
    ) -> Result<(Wanted<TaskEvent>, String), ServiceError> {
        if push.id.is_empty() {
            push.id = self.name("push")?;
        }
        task.as_str().clone_into(&mut push.task_id);
        let event = TaskEvent::PushSet {
            task: task.clone(),
            config: push.id.clone(),
            more: 0,
        };
        Ok(((event, serde_json::to_vec(&push)?), push.id))
    }

    fn read_push(&self, push: &Push) -> Result<Option<TaskPushNotificationConfig>, ServiceError> {
        let text = self.events.content(push.seq)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

/// Goes on telling what was not settled before a restart, from its first step on.
pub fn resume(tasks: &Arc<Tasks>) {
    let open: Vec<(TaskId, String)> = {
        let index = tasks.events.state();
        let pushes = index.tasks.values().flat_map(|task| {
            let open = task.pushes.iter().filter(|(_, push)| !push.settled);
            open.map(|(config, _)| (task.id.clone(), config.clone()))
        });
        pushes.collect()
    };
    for (task, config) in open {
        begin(tasks, &task, config);
    }
}

/// Begins to tell one receiver.
pub fn begin(tasks: &Arc<Tasks>, id: &TaskId, config: String) {
    let (tasks, id) = (Arc::clone(tasks), id.clone());
    tokio::spawn(async move {
        let mut closing = tasks.closing.subscribe();
        tokio::select! {
            () = closes(&mut closing) => {}
            () = tell(&tasks, &id, &config) => {}
        }
    });
}

/// Tells every step until the task has ended, or the receiver is taken away or given up.
async fn tell(tasks: &Arc<Tasks>, id: &TaskId, config: &str) {
    let Ok(mut changes) = tasks.follow(id.as_str()) else {
        return;
    };
    let found = |tasks: &Tasks| -> Option<(Task, Push)> {
        let index = tasks.events.state();
        let task = index.tasks.get(id)?;
        let push = task.pushes.get(config).filter(|push| !push.settled)?;
        Some((task.clone(), *push))
    };
    let Some((_, first)) = found(tasks) else { return };
    let receiver = match tasks.read_push(&first) {
        Ok(Some(receiver)) => receiver,
        // What was erased says no longer whom to call.
        Ok(None) | Err(_) => return settle(tasks, id, config, first).await,
    };
    let mut told = first.from;
    loop {
        // A registration that was replaced has a teller of its own.
        let Some((task, push)) = found(tasks).filter(|(_, push)| push.seq == first.seq) else {
            return;
        };
        let Some(step) = task.steps.get(told) else {
            if task.phase.has_ended() {
                return settle(tasks, id, config, push).await;
            }
            if changes.changed().await.is_err() {
                return;
            }
            continue;
        };
        if let Ok(Some(response)) = documents::step(&tasks.events, &task, step)
            && let Ok(body) = serde_json::to_string(&response)
            && !deliver(tasks, &receiver, told, body).await
        {
            return settle(tasks, id, config, push).await;
        }
        told += 1;
    }
}

/// Calls until it is taken; whether it was.
async fn deliver(tasks: &Tasks, receiver: &TaskPushNotificationConfig, step: usize, body: String) -> bool {
    let authorization = receiver.authentication.as_ref();
    let notification = Notification {
        url: receiver.url.clone(),
        id: format!("{}.{}.{step}", receiver.task_id, receiver.id),
        token: receiver.token.clone(),
        authorization: authorization.map(|with| (with.scheme.clone(), with.credentials.clone())),
        body,
    };
    let options = &tasks.options;
    let longest = Duration::from_millis(options.longest_pause_ms);
    let mut pauses = ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(options.first_pause_ms))
        .with_max_delay(longest)
        .with_max_times(options.push_attempts_max.saturating_sub(1) as usize)
        .with_jitter()
        .build();
    loop {
        let outcome = match tasks.calls.acquire().await {
            Ok(_permit) => tasks.webhook_sender.notify(notification.clone()).await,
            Err(_closed) => return false,
        };
        let asked_s = match outcome {
            Delivered::Taken(_) => return true,
            Delivered::Gone => return false,
            Delivered::Refused { retry_after_s, .. } => retry_after_s.unwrap_or_default(),
            Delivered::Failed(_) => 0,
        };
        let Some(pause) = pauses.next() else { break };
        tokio::time::sleep(pause.max(Duration::from_secs(asked_s)).min(longest)).await;
    }
    tracing::warn!(
        task = receiver.task_id,
        "a receiver of a task's steps is given up: it took nothing for long"
    );
    false
}

async fn settle(tasks: &Arc<Tasks>, id: &TaskId, config: &str, push: Push) {
    let held = tasks.events.lock(id.as_str()).await;
    let current = {
        let index = tasks.events.state();
        index.tasks.get(id).and_then(|task| task.pushes.get(config)).copied()
    };
    if current != Some(push) {
        return;
    }
    let event = TaskEvent::PushSettled {
        task: id.clone(),
        config: config.to_owned(),
    };
    // What is not on record is told once more after the next start.
    let _ = tasks.put(held, vec![(event, Vec::new())]).await;
}
