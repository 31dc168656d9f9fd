//! One operation (A2A §5.3): params in, one call into the service, its answer out. Both bindings come through here.

use serde::Serialize;
use serde_json::json;
use strum::EnumString;
use strum::VariantNames;

use crate::a2a::card::Card;
use crate::a2a::failure::Failure;
use crate::a2a::params;
use crate::api::a2a::SendMessageRequest;
use crate::api::a2a::StreamResponse;
use crate::app::a2a_tasks::Sent;
use crate::app::a2a_tasks::watch::TaskWatch;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::application::App;
use crate::app::error::ServiceError;

/// One operation, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
pub enum Method {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    ListTasks,
    CancelTask,
    SubscribeToTask,
    #[strum(serialize = "CreateTaskPushNotificationConfig")]
    CreatePush,
    #[strum(serialize = "GetTaskPushNotificationConfig")]
    GetPush,
    #[strum(serialize = "ListTaskPushNotificationConfigs")]
    ListPushes,
    #[strum(serialize = "DeleteTaskPushNotificationConfig")]
    DeletePush,
    GetExtendedAgentCard,
}

impl Method {
    /// The operation of this name.
    pub fn named(name: &str) -> Option<Method> {
        name.parse().ok()
    }
}

/// Who asks, of whom.
pub struct Handler<'a> {
    pub service: &'a App,
    pub asking: Asking,
    pub card: Card<'a>,
}

/// What goes back.
pub enum Reply {
    /// JSON text.
    Text(String),
    Stream(Sent),
}

impl Handler<'_> {
    /// Makes the call.
    pub async fn call(self, method: Method, params: &str) -> Result<Reply, Failure> {
        let caller = &self.asking.caller;
        let owner = caller.client.as_ref();
        let tasks = self.service.tasks(caller)?;
        match method {
            Method::SendMessage => self.send(params::send(params)?).await,
            Method::SendStreamingMessage => Ok(Reply::Stream(self.stream(params::send(params)?).await?)),
            Method::SubscribeToTask => {
                let watch = tasks.subscribe(owner, &params::task(params)?.0)?;
                Ok(Reply::Stream(Sent::Task(Box::new(watch))))
            }
            Method::GetTask => {
                let (task, messages) = params::task(params)?;
                text(&tasks.get(owner, &task, messages)?)
            }
            Method::ListTasks => text(&tasks.list(owner, &params::list(params)?)?),
            Method::CancelTask => text(&tasks.cancel(owner, &params::task(params)?.0).await?),
            Method::CreatePush => {
                let push = params::registration(params)?;
                let task = push.task_id.clone();
                text(&tasks.set_push(owner, &task, push).await?)
            }
            Method::GetPush => {
                let (task, config) = params::push(params, true)?;
                text(&tasks.push(owner, &task, &config)?)
            }
            Method::ListPushes => text(&tasks.pushes(owner, &params::push(params, false)?.0)?),
            Method::DeletePush => {
                let (task, config) = params::push(params, true)?;
                tasks.remove_push(owner, &task, &config).await?;
                text(&json!({}))
            }
            Method::GetExtendedAgentCard => text(&self.card.extended(self.service, caller)?),
        }
    }

    async fn stream(self, request: SendMessageRequest) -> Result<Sent, ServiceError> {
        let caller = self.asking.caller.clone();
        let push = request.configuration.task_push_notification_config;
        let sent = self.service.send_message(self.asking, request.message, push).await?;
        if let Sent::Task(watch) = &sent {
            self.service.hear_out(&caller, TaskWatch::clone(watch));
        }
        Ok(sent)
    }

    async fn send(self, request: SendMessageRequest) -> Result<Reply, Failure> {
        let contract = self.asking.contract;
        let caller = self.asking.caller.clone();
        let configuration = request.configuration;
        let (push, messages) = (
            configuration.task_push_notification_config,
            configuration.history_length,
        );
        let mut sent = self.service.send_message(self.asking, request.message, push).await?;
        let Sent::Task(watch) = sent else {
            return text(&sent.next().await);
        };
        if configuration.return_immediately {
            let task = watch.now(messages)?;
            self.service.hear_out(&caller, *watch);
            return text(&StreamResponse::Task(task));
        }
        let (task, problem) = self.service.settled(&caller, *watch, messages).await?;
        match problem.filter(|problem| contract && problem["violations"].is_array()) {
            Some(problem) => Err(Failure::refused(&problem, &task.id)),
            None => text(&StreamResponse::Task(task)),
        }
    }
}

fn text(answer: &impl Serialize) -> Result<Reply, Failure> {
    Ok(Reply::Text(serde_json::to_string(answer).map_err(ServiceError::from)?))
}
