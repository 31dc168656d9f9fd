//! One operation: params in, one call into the service, its answer out. Both bindings come through here.

use serde_json::json;

use crate::a2a::card::Card;
use crate::a2a::failure::Failure;
use crate::a2a::method::Method;
use crate::a2a::params;
use crate::a2a::params::Send;
use crate::app::a2a_tasks::Sent;
use crate::app::a2a_tasks::watch::TaskWatch;
use crate::app::a2a_tasks::worker::Asking;
use crate::app::application::App;
use crate::app::error::ServiceError;
use crate::wire::problem::Problem;

/// Who asks, of whom.
pub struct Desk<'a> {
    pub service: &'a App,
    pub asking: Asking,
    pub card: Card<'a>,
}

/// What goes back.
pub enum Reply {
    /// JSON text.
    Text(String),
    /// Stream responses.
    Stream(Stream),
}

/// Stream responses, one after another.
pub enum Stream {
    /// A message alone; `None` once it was told.
    Message(Option<String>),
    Task(Box<TaskWatch>),
}

impl Stream {
    /// The next stream response, as JSON text.
    pub async fn next(&mut self) -> Option<String> {
        match self {
            Stream::Message(message) => message.take().map(|message| format!("{{\"message\":{message}}}")),
            Stream::Task(watch) => watch.next().await,
        }
    }
}

impl Desk<'_> {
    /// Makes the call.
    ///
    /// # Errors
    /// What is wrong with the params, and what the service says.
    pub async fn make(self, method: Method, params: &str) -> Result<Reply, Failure> {
        let caller = &self.asking.caller;
        let owner = caller.client.as_ref();
        let tasks = self.service.tasks(caller).map_err(failed)?;
        let text = match method {
            Method::SendMessage => return self.send(Send::read(params).map_err(failed)?).await.map(Reply::Text),
            Method::SendStreamingMessage => {
                let send = Send::read(params).map_err(failed)?;
                return self.stream(send).await.map(Reply::Stream).map_err(failed);
            }
            Method::SubscribeToTask => {
                let watch = params::task(params).and_then(|named| tasks.subscribe(owner, &named.task));
                return Ok(Reply::Stream(Stream::Task(Box::new(watch.map_err(failed)?))));
            }
            Method::GetTask => params::task(params).and_then(|named| tasks.get(owner, &named.task, named.messages)),
            Method::ListTasks => params::list(params).and_then(|listed| tasks.list(owner, &listed)),
            Method::CancelTask => {
                let named = params::task(params).map_err(failed)?;
                tasks.cancel(owner, &named.task).await
            }
            Method::CreatePush => {
                let push = params::registration(params).map_err(failed)?;
                let task = push.task_id.clone();
                let kept = tasks.set_push(owner, &task, push).await;
                kept.map(|push| json!(push).to_string())
            }
            Method::GetPush => {
                let push = params::push(params, true).and_then(|named| tasks.push(owner, &named.task, &named.config));
                push.map(|push| json!(push).to_string())
            }
            Method::ListPushes => {
                let pushes = params::push(params, false).and_then(|named| tasks.pushes(owner, &named.task));
                pushes.map(|pushes| json!({"configs": pushes, "nextPageToken": ""}).to_string())
            }
            Method::DeletePush => {
                let named = params::push(params, true).map_err(failed)?;
                let removed = tasks.remove_push(owner, &named.task, &named.config).await;
                removed.map(|()| "{}".to_owned())
            }
            Method::GetExtendedAgentCard => self.card.extended(self.service, caller),
        };
        text.map(Reply::Text).map_err(failed)
    }

    async fn stream(self, send: Send) -> Result<Stream, ServiceError> {
        let caller = self.asking.caller.clone();
        let sent = self.service.send_message(self.asking, send.message, send.push).await?;
        Ok(match sent {
            Sent::Message(message) => Stream::Message(Some(message)),
            Sent::Task(watch, turn) => {
                self.service.hear_out(&caller, TaskWatch::clone(&watch), turn);
                Stream::Task(watch)
            }
        })
    }

    async fn send(self, send: Send) -> Result<String, Failure> {
        let contract = self.asking.contract;
        let caller = self.asking.caller.clone();
        let sent = self.service.send_message(self.asking, send.message, send.push).await;
        let (watch, turn) = match sent.map_err(failed)? {
            Sent::Message(message) => return Ok(format!("{{\"message\":{message}}}")),
            Sent::Task(watch, turn) => (watch, turn),
        };
        if send.return_immediately {
            self.service.hear_out(&caller, TaskWatch::clone(&watch), turn);
            let task = watch.now(send.messages).map_err(failed)?;
            return Ok(format!("{{\"task\":{task}}}"));
        }
        let id = watch.id().to_owned();
        let settled = self.service.settled(&caller, *watch, turn, send.messages).await;
        let (task, problem) = settled.map_err(failed)?;
        match problem.filter(|problem| contract && problem["violations"].is_array()) {
            Some(problem) => Err(Failure::refused(&problem, &id)),
            None => Ok(format!("{{\"task\":{task}}}")),
        }
    }
}

fn failed(error: ServiceError) -> Failure {
    Failure::from(Problem::from(error))
}
