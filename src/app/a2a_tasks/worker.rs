//! Who answers messages: the port between tasks and what is done for them.

use serde_json::Map;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::app::caller::Caller;
use crate::app::error::ServiceError;
use crate::app::execution::Left;
use context::a2a_task::event::TaskId;
use context::a2a_task::message::Artifact;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::a2a_task::message::Role;
use context::a2a_task::phase::Phase;
use store::journal::Promise;

/// Who asks, and how it wants to be answered.
#[derive(Clone, Debug)]
pub struct Asking {
    pub caller: Caller,
    /// BCP 47 tag.
    pub language: Option<String>,
    /// Whether the schema contract extension is activated.
    pub contract: bool,
}

/// What the service says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    pub parts: Vec<Part>,
    pub metadata: Map<String, Value>,
    pub extensions: Vec<String>,
}

impl Words {
    /// Words without metadata.
    pub fn of(parts: Vec<Part>) -> Words {
        Words {
            parts,
            ..Words::default()
        }
    }

    /// The message that says them, of a task where there is one.
    pub fn into_message(self, message_id: String, context_id: String, task_id: String) -> Message {
        Message {
            message_id,
            context_id,
            task_id,
            role: Role::Agent,
            parts: self.parts,
            metadata: self.metadata,
            extensions: self.extensions,
            reference_task_ids: Vec::new(),
        }
    }
}

/// How a message is taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Opening {
    /// Answered at once, without a task.
    Answer(Words),
    /// To be worked at.
    Task,
}

/// A message that is worked at.
#[derive(Clone, Debug)]
pub struct Work {
    pub asking: Asking,
    pub task: TaskId,
    /// How many messages the client has sent in this task, this one included.
    pub turn: usize,
    /// As it was sent; one that was read back as it is kept, without its secrets.
    pub message: Message,
    /// Whether something was taken out of it.
    pub is_redacted: bool,
}

/// One step of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    Produced {
        artifact: Artifact,
        append: bool,
        last: bool,
    },
    Became(Phase, Option<Words>),
}

/// Takes steps: those of one batch are on disk together. Closed when nobody wants any more of them.
pub type Steps = mpsc::Sender<Vec<Done>>;

/// Answers messages.
pub trait Worker: Send + Sync {
    /// Whether a message is answered at once or worked at; what is refused here begins no task. `first` is the message that the
    /// task was begun with, where the message goes on with one and that can still be read.
    fn open<'a>(
        &'a self,
        asking: &'a Asking,
        message: &'a Message,
        first: Option<&'a Message>,
    ) -> Promise<'a, Result<Opening, ServiceError>>;

    /// Works at a message. The last step must leave the task ended or waiting for its client. Called again with the same task
    /// and turn when a restart cut it short.
    fn work(&self, work: Work, steps: Steps) -> Promise<'_, ()>;

    /// The client wants no more of a message, and nobody works at it any more: sees to it that nothing of it is gone on with
    /// after the next start, unless its result has come meanwhile.
    fn give_up<'a>(&'a self, work: &'a Work) -> Promise<'a, Result<Left, ServiceError>> {
        let _ = work;
        Box::pin(std::future::ready(Ok(Left::Undone)))
    }
}
