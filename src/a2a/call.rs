//! One operation (A2A §5.3): params in, one call into the service, its answer out. Both bindings come through here.

use serde::Serialize;
use serde_json::json;

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

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    ListTasks,
    CancelTask,
    SubscribeToTask,
    CreatePush,
    GetPush,
    ListPushes,
    DeletePush,
    GetExtendedAgentCard,
}

/// Every operation by its name.
pub const METHODS: [(&str, Method); 11] = [
    ("SendMessage", Method::SendMessage),
    ("SendStreamingMessage", Method::SendStreamingMessage),
    ("GetTask", Method::GetTask),
    ("ListTasks", Method::ListTasks),
    ("CancelTask", Method::CancelTask),
    ("SubscribeToTask", Method::SubscribeToTask),
    ("CreateTaskPushNotificationConfig", Method::CreatePush),
    ("GetTaskPushNotificationConfig", Method::GetPush),
    ("ListTaskPushNotificationConfigs", Method::ListPushes),
    ("DeleteTaskPushNotificationConfig", Method::DeletePush),
    ("GetExtendedAgentCard", Method::GetExtendedAgentCard),
];

impl Method {
    /// The operation of this name.
    pub fn named(name: &str) -> Option<Method> {
        let found = METHODS.iter().find(|(known, _)| *known == name);
        found.map(|(_, method)| *method)
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
    Stream(Stream),
}

/// Stream responses, one after another.
pub enum Stream {
    /// A message alone; `None` once it was told.
    Message(Option<Box<StreamResponse>>),
    Task(Box<TaskWatch>),
}

impl Stream {
    /// The next stream response.
    pub async fn next(&mut self) -> Option<StreamResponse> {
        match self {
            Stream::Message(message) => message.take().map(|message| *message),
            Stream::Task(watch) => watch.next().await,
        }
    }
}

impl Handler<'_> {
    /// Makes the call.
    ///
    /// # Errors
    /// What is wrong with the params, and what the service says.
    pub async fn call(self, method: Method, params: &str) -> Result<Reply, Failure> {
        let caller = &self.asking.caller;
        let owner = caller.client.as_ref();
        let tasks = self.service.tasks(caller)?;
        match method {
            Method::SendMessage => self.send(params::send(params)?).await,
            Method::SendStreamingMessage => Ok(Reply::Stream(self.stream(params::send(params)?).await?)),
            Method::SubscribeToTask => {
                let watch = tasks.subscribe(owner, &params::task(params)?.task)?;
                Ok(Reply::Stream(Stream::Task(Box::new(watch))))
            }
            Method::GetTask => {
                let named = params::task(params)?;
                text(&tasks.get(owner, &named.task, named.messages)?)
            }
            Method::ListTasks => text(&tasks.list(owner, &params::list(params)?)?),
            Method::CancelTask => text(&tasks.cancel(owner, &params::task(params)?.task).await?),
            Method::CreatePush => {
                let push = params::registration(params)?;
                let task = push.task_id.clone();
                text(&tasks.set_push(owner, &task, push).await?)
            }
            Method::GetPush => {
                let named = params::push(params, true)?;
                text(&tasks.push(owner, &named.task, &named.config)?)
            }
            Method::ListPushes => text(&tasks.pushes(owner, &params::push(params, false)?.task)?),
            Method::DeletePush => {
                let named = params::push(params, true)?;
                tasks.remove_push(owner, &named.task, &named.config).await?;
                text(&json!({}))
            }
            Method::GetExtendedAgentCard => text(&self.card.extended(self.service, caller)?),
        }
    }

    async fn stream(self, request: SendMessageRequest) -> Result<Stream, ServiceError> {
        let caller = self.asking.caller.clone();
        let push = request.configuration.task_push_notification_config;
        Ok(
            match self.service.send_message(self.asking, request.message, push).await? {
                Sent::Message(message) => Stream::Message(Some(Box::new(StreamResponse::Message(*message)))),
                Sent::Task(watch) => {
                    self.service.hear_out(&caller, TaskWatch::clone(&watch));
                    Stream::Task(watch)
                }
            },
        )
    }

    async fn send(self, request: SendMessageRequest) -> Result<Reply, Failure> {
        let contract = self.asking.contract;
        let caller = self.asking.caller.clone();
        let configuration = request.configuration;
        let (push, messages) = (
            configuration.task_push_notification_config,
            configuration.history_length,
        );
        let watch = match self.service.send_message(self.asking, request.message, push).await? {
            Sent::Message(message) => return text(&StreamResponse::Message(*message)),
            Sent::Task(watch) => watch,
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
    let text = serde_json::to_string(answer).map_err(|error| ServiceError::Fault(error.to_string()))?;
    Ok(Reply::Text(text))
}
