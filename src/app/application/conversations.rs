//! What agents pass on to each other: conversations, the message that says what the work is about, and what they offer.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::application::App;
use crate::app::caller::Caller;
use crate::app::caller::Permission;
use crate::app::conversations::ConversationCensus;
use crate::app::conversations::ConversationOptions;
use crate::app::conversations::Conversations;
use crate::app::conversations::Recorded;
use crate::app::conversations::documents;
use crate::app::directory::MessageOptions;
use crate::app::directory::Offered;
use crate::app::directory::Services;
use crate::app::directory::ServicesWatch;
use crate::app::end_as::Right;
use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;
use crate::app::telemetry::Outcome;
use crate::app::typed;
use context::a2a_task::doubled;
use context::a2a_task::field::FieldFault;
use context::a2a_task::message::Message;
use context::a2a_task::part::Content;
use context::a2a_task::part::Part;
use context::conversation::part;
use context::conversation::part::Told;
use context::conversation::recipient::Recipient;
use context::conversation::said::Speaker;
use context::conversation::said::Turn;
use context::message::agent_context;
use context::message::convert;
use context::message::markdown;
use schema::name::ClientId;
use schema::name::SchemaId;
use text::secrets;
use text::secrets::Scope;

/// The largest budget of a rendered message.
pub const RENDER_TOKENS_MAX: u64 = 1_000_000;

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
        let parts = &self.inner.registry.deps;
        let kept = Conversations::begin(parts, webhook_sender, conversations)?;
        let services = Services::begin(parts, messages)?;
        self.inner.conversations.get_or_init(|| kept);
        self.inner.services.get_or_init(|| services);
        Ok(())
    }

    /// Begins a conversation, with a first turn where the body holds one (P-001, P-003).
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`], and what [`Conversations::open`] says.
    pub async fn open_conversation(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        let conversations = self.conversations_of(caller)?;
        let first = if says_nothing(body) {
            None
        } else {
            let turn = self.turn(body)?;
            if !turn.context.is_empty() {
                let what = "must be left out: the context id of a new conversation is given out here";
                return Err(ServiceError::InvalidMessage(vec![FieldFault::new("contextId", what)]));
            }
            let (told, taken) = self.parts_of(caller, &turn)?;
            Some((turn, told, taken))
        };
        let recorded = conversations.open(caller.client.as_ref(), first).await?;
        Ok(documents::recorded(&recorded))
    }

    /// The caller's conversations, see [`Conversations::list`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn conversations(&self, caller: &Caller, max: usize) -> Result<Value, ServiceError> {
        Ok(self.conversations_of(caller)?.list(caller.client.as_ref(), max))
    }

    /// One of the caller's conversations, see [`Conversations::show`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Conversations::show`] says.
    pub fn conversation(&self, caller: &Caller, id: &str, last_turns: usize) -> Result<Value, ServiceError> {
        self.conversations_of(caller)?
            .show(caller.client.as_ref(), id, last_turns)
    }

    /// Removes one of the caller's conversations, or any as an operator.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::Nameless`], and what [`Conversations::remove`] says.
    pub async fn remove_conversation(&self, caller: &Caller, id: &str, by: Right) -> Result<Value, ServiceError> {
        let operator = by.operator(caller)?;
        self.conversations_of(caller)?
            .remove(caller.client.as_ref(), id, operator)
            .await?;
        Ok(json!({"context_id": id, "deleted": true}))
    }

    /// Records a turn in one of the caller's conversations.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`], and what [`Conversations::say`] says.
    pub async fn say(&self, caller: &Caller, id: &str, body: &str) -> Result<Value, ServiceError> {
        let turn = {
            let conversations = self.conversations_of(caller)?;
            if !conversations.has(caller.client.as_ref(), id) {
                return Err(ServiceError::UnknownConversation(id.to_owned()));
            }
            self.turn(body)?
        };
        let recorded = self.record(caller, id, turn).await?;
        Ok(documents::recorded(&recorded))
    }

    /// Declares what an agent gets of one of the caller's conversations.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`], and what [`Conversations::declare`] says.
    pub async fn declare_recipient(
        &self,
        caller: &Caller,
        id: &str,
        agent: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        let conversations = self.conversations_of(caller)?;
        if !conversations.has(caller.client.as_ref(), id) {
            return Err(ServiceError::UnknownConversation(id.to_owned()));
        }
        let agent = named(agent)?;
        let recipient = Recipient::read(body).map_err(ServiceError::InvalidMessage)?;
        let client = caller.client.as_ref();
        conversations
            .declare(client, id, agent, recipient, &self.inner.registry)
            .await
    }

    /// Takes a declaration back.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Conversations::undeclare`] says.
    pub async fn remove_recipient(&self, caller: &Caller, id: &str, agent: &str) -> Result<Value, ServiceError> {
        let conversations = self.conversations_of(caller)?;
        if !conversations.has(caller.client.as_ref(), id) {
            return Err(ServiceError::UnknownConversation(id.to_owned()));
        }
        let agent = named(agent)?;
        conversations.undeclare(caller.client.as_ref(), id, &agent).await?;
        Ok(json!({"context_id": id, "agent": agent, "deleted": true}))
    }

    /// The message for an agent, see [`Conversations::embed`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Conversations::embed`] says.
    pub async fn embed(&self, caller: &Caller, id: &str, body: &str) -> Result<Value, ServiceError> {
        let conversations = self.conversations_of(caller)?;
        conversations.embed(caller.client.as_ref(), id, body).await
    }

    /// What the caller may see of a conversation as an agent that is declared in it, see [`Conversations::fetch`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Conversations::fetch`] says.
    pub async fn fetch_context(&self, caller: &Caller, id: &str) -> Result<Value, ServiceError> {
        self.conversations_of(caller)?.fetch(caller.client.as_ref(), id).await
    }

    /// Keeps something of the caller's own under a context id, see [`Conversations::keep`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`] for who has no name, and what [`Conversations::keep`] says.
    pub async fn keep_state(&self, caller: &Caller, context: &str, body: &str) -> Result<String, ServiceError> {
        let conversations = self.conversations_of(caller)?;
        let agent = self_of(caller)?;
        conversations.keep(agent, context, body).await
    }

    /// What the caller keeps under a context id, see [`Conversations::kept`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`] for who has no name, and what [`Conversations::kept`] says.
    pub fn kept_state(&self, caller: &Caller, context: &str) -> Result<String, ServiceError> {
        let conversations = self.conversations_of(caller)?;
        let agent = self_of(caller)?;
        conversations.kept(agent, context)
    }

    /// Keeps nothing there any more.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`] for who has no name, and what [`Conversations::drop_kept`] says.
    pub async fn drop_state(&self, caller: &Caller, context: &str) -> Result<Value, ServiceError> {
        let conversations = self.conversations_of(caller)?;
        let agent = self_of(caller)?;
        conversations.drop_kept(agent, context).await?;
        Ok(json!({"context_id": context, "deleted": true}))
    }

    /// What becomes of each part of a message here, nothing recorded (P-038): `{"parts": […]}`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`].
    pub fn check_message(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        self.counted("check", self.checked(caller, body))
    }

    fn checked(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let turn = Turn::looked_at(body).map_err(ServiceError::InvalidMessage)?;
        let (told, _) = typed::check_all(&self.inner.registry, caller.client.as_ref(), &turn.parts_at, &turn.data)?;
        Ok(json!({ "parts": told }))
    }

    /// An Agent Context Message as Markdown within a budget of tokens (M-006):
    /// `{"markdown", "tokens", "tokens_max", "left_out", "redacted", "guidance"}`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`], [`ServiceError::BadParameter`].
    pub fn render_message(&self, caller: &Caller, body: &str, tokens_max: Option<u64>) -> Result<Value, ServiceError> {
        self.counted("render", self.rendered(caller, body, tokens_max))
    }

    fn rendered(&self, caller: &Caller, body: &str, tokens_max: Option<u64>) -> Result<Value, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let tokens_max = match tokens_max {
            Some(tokens) if (markdown::TOKENS_MIN..=RENDER_TOKENS_MAX).contains(&tokens) => tokens,
            Some(_) => {
                let what = format!("tokens_max must be {} to {RENDER_TOKENS_MAX}", markdown::TOKENS_MIN);
                return Err(ServiceError::BadParameter(what));
            }
            None => self.services_of(caller)?.options.render_tokens,
        };
        let read = agent_context::read(body).map_err(ServiceError::InvalidMessage)?;
        let rendered = markdown::render(&read.message, tokens_max);
        Ok(json!({
            "markdown": rendered.markdown, "tokens": rendered.tokens, "tokens_max": tokens_max,
            "left_out": rendered.left_out, "redacted": read.redacted, "guidance": rendered.guidance,
        }))
    }

    /// A task context turned into that of the other draft, whichever of the two the body is (M-037): the document with `lost`.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::InvalidMessage`].
    pub fn convert_message(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        self.counted("convert", self.converted(caller, body))
    }

    fn converted(&self, caller: &Caller, body: &str) -> Result<Value, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let invalid = |field: &str, what: &str| ServiceError::InvalidMessage(vec![FieldFault::new(field, what)]);
        doubled::refused(body).map_err(|fault| ServiceError::InvalidMessage(vec![fault]))?;
        let body = secrets::scrubbed_whole(body, Scope::Everywhere);
        let members: Map<String, Value> =
            serde_json::from_str(&body).map_err(|_| invalid("the body", "must be a JSON object"))?;
        let converted = match (members.get("taskContext"), members.get("TaskContext")) {
            (Some(_), None) => {
                let message = json!({ "agentContext": members }).to_string();
                let read = agent_context::read(&message).map_err(ServiceError::InvalidMessage)?;
                let task = read.message.agent_context.task_context.unwrap_or_default();
                convert::to_distribution(&task)
            }
            (None, Some(Value::Object(task))) => {
                convert::from_distribution(task).map_err(ServiceError::InvalidMessage)?
            }
            (None, Some(_)) => return Err(invalid("TaskContext", "must be an object")),
            (Some(_), Some(_)) | (None, None) => {
                return Err(invalid("the body", "must hold either taskContext or TaskContext"));
            }
        };
        Ok(json!({"document": converted.document, "lost": converted.lost}))
    }

    /// Registers what an agent offers by MCP; nobody but itself may (M-019).
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], [`ServiceError::NotItself`], [`ServiceError::InvalidMessage`], and what [`Services::register`]
    /// says.
    pub async fn register_services(&self, caller: &Caller, agent: &str, body: &str) -> Result<Value, ServiceError> {
        let registered = self.registered(caller, agent, body).await;
        self.counted("register", registered)
    }

    async fn registered(&self, caller: &Caller, agent: &str, body: &str) -> Result<Value, ServiceError> {
        let services = self.services_of(caller)?;
        let itself = self_of(caller)?;
        if itself.as_str() != agent {
            return Err(ServiceError::NotItself);
        }
        let context = agent_context::read_services(body).map_err(ServiceError::InvalidMessage)?;
        services.register(itself, &context).await
    }

    /// Counts what was done with a message, and how it ended.
    fn counted(&self, operation: &'static str, done: Result<Value, ServiceError>) -> Result<Value, ServiceError> {
        let outcome = done.as_ref().err().map_or(Outcome::Accepted, ServiceError::outcome);
        self.inner.registry.deps.observer.message(operation, outcome);
        done
    }

    /// How many conversations there are.
    pub fn conversation_census(&self) -> impl Fn() -> ConversationCensus + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade();
            let conversations = inner.as_ref().and_then(|inner| inner.conversations.get());
            conversations
                .map(|conversations| conversations.census())
                .unwrap_or_default()
        }
    }

    /// What an agent offers by MCP.
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`] and what [`Services::offered`] says.
    pub fn services(&self, caller: &Caller, agent: &str) -> Result<Offered, ServiceError> {
        self.services_of(caller)?.offered(&known(agent)?)
    }

    /// Follows what an agent offers, see [`Services::follow`].
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`], or [`ServiceError::UnknownAgent`] of what can be no agent's name.
    pub fn follow_services(&self, caller: &Caller, agent: &str, seen: u64) -> Result<ServicesWatch, ServiceError> {
        Ok(self.services_of(caller)?.follow(&known(agent)?, seen))
    }

    /// The policies of who runs this service (M-023).
    ///
    /// # Errors
    /// [`ServiceError::Forbidden`].
    pub fn policies(&self, caller: &Caller) -> Result<Value, ServiceError> {
        Ok(self.services_of(caller)?.policies())
    }

    /// Records in a conversation what was said over A2A under its context id. What cannot be recorded is passed over: the
    /// message itself was answered.
    pub(in crate::app) async fn overhear(
        &self,
        caller: &Caller,
        speaker: Speaker,
        message: Message,
        task: Option<&str>,
    ) {
        let Some(conversations) = self.inner.conversations.get() else {
            return;
        };
        let context = message.context_id;
        if context.is_empty() || !conversations.has(caller.client.as_ref(), &context) {
            return;
        }
        let mut words: Vec<String> = Vec::new();
        let mut data: Vec<(usize, Part)> = Vec::new();
        let mut sensitive = part::is_sensitive(&message.metadata);
        let keep = message.metadata.get("keep") == Some(&Value::Bool(true));
        for (place, part) in message.parts.into_iter().enumerate() {
            match part.content {
                Content::Text(text) => {
                    sensitive |= part::is_sensitive(&part.metadata);
                    words.push(text);
                }
                Content::Data(_) => data.push((place, part)),
                Content::Raw(_) | Content::Url(_) => {}
            }
        }
        words.retain(|word| !word.trim().is_empty());
        if words.is_empty() {
            // A message of data alone is a turn as well; what data say is not for everybody who gets what was said.
            words.extend(data.iter().map(|(_, part)| said_by_name(part)));
        }
        let mut content = words.join("\n");
        content.truncate(content.floor_char_boundary(conversations.turn_bytes_max()));
        // Data that are submitted are no context.
        data.retain(|(_, part)| {
            let name = part.metadata.get("type").and_then(Value::as_str);
            name.is_some_and(|name| typed::is_for_parts(&self.inner.registry, name))
        });
        if content.trim().is_empty() && data.is_empty() {
            return;
        }
        let turn = Turn {
            speaker,
            content,
            data,
            parts_at: "message.parts".to_owned(),
            sensitive,
            keep,
            task: task.map(str::to_owned),
            context: String::new(),
        };
        if let Err(error) = self.record(caller, &context, turn).await {
            tracing::warn!(%error, "what was said over A2A was not recorded in its conversation");
        }
    }

    /// Records in a conversation how a task was answered that stands as this JSON text.
    pub(in crate::app) async fn overhear_reply(&self, caller: &Caller, task: &str) {
        let Ok(task) = serde_json::from_str::<Value>(task) else {
            return;
        };
        let artifacts = task["artifacts"].as_array().into_iter().flatten();
        let answers = [&task["status"]["message"]].into_iter().chain(artifacts);
        let parts: Vec<&Value> = answers
            .flat_map(|answer| answer["parts"].as_array().into_iter().flatten())
            .collect();
        let message =
            json!({"messageId": "reply", "contextId": task["contextId"], "role": "ROLE_AGENT", "parts": parts});
        if let Ok(message) = Message::read(&message.to_string(), "message") {
            self.overhear(caller, Speaker::Assistant, message, task["id"].as_str())
                .await;
        }
    }

    async fn record(&self, caller: &Caller, id: &str, turn: Turn) -> Result<Recorded, ServiceError> {
        let (told, taken) = self.parts_of(caller, &turn)?;
        let conversations = self.conversations_of(caller)?;
        conversations.say(caller.client.as_ref(), id, turn, told, taken).await
    }

    fn turn(&self, body: &str) -> Result<Turn, ServiceError> {
        let max = self
            .inner
            .conversations
            .get()
            .map_or(0, |conversations| conversations.turn_bytes_max());
        Turn::read(body, max).map_err(ServiceError::InvalidMessage)
    }

    fn parts_of(&self, caller: &Caller, turn: &Turn) -> Result<(Vec<Told>, Vec<typed::Taken>), ServiceError> {
        let (mut told, mut taken) =
            typed::check_all(&self.inner.registry, caller.client.as_ref(), &turn.parts_at, &turn.data)?;
        typed::without_history(&mut told, &mut taken);
        let says_nothing = turn.content.is_empty() && taken.is_empty();
        // What is passed over never fails a message (P-016); what is refused does where nothing else is left (P-014).
        if says_nothing && told.iter().any(Told::is_refused) {
            return Err(ServiceError::NothingTaken(told));
        }
        Ok((told, taken))
    }

    fn conversations_of(&self, caller: &Caller) -> Result<&Arc<Conversations>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let conversations = self.inner.conversations.get();
        conversations.ok_or_else(|| ServiceError::Fault("conversations are not kept in this process".to_owned()))
    }

    fn services_of(&self, caller: &Caller) -> Result<&Arc<Services>, ServiceError> {
        caller.require(Permission::Negotiate)?;
        let services = self.inner.services.get();
        services.ok_or_else(|| ServiceError::Fault("what agents offer is not kept in this process".to_owned()))
    }
}

/// What stands in a turn for a part of data: its type, or the schema that it is submitted by.
fn said_by_name(part: &Part) -> String {
    let submitted = match &part.content {
        Content::Data(json) => serde_json::from_str::<Value>(json).unwrap_or_default(),
        Content::Text(_) | Content::Raw(_) | Content::Url(_) => Value::Null,
    };
    let name = part.metadata.get("type").unwrap_or(&submitted["schema_id"]);
    let known = name.as_str().and_then(SchemaId::parse);
    known.map_or_else(|| "[data]".to_owned(), |name| format!("[data: {}]", name.as_str()))
}

fn says_nothing(body: &str) -> bool {
    let body = body.trim();
    body.is_empty() || serde_json::from_str::<Map<String, Value>>(body).is_ok_and(|members| members.is_empty())
}

fn self_of(caller: &Caller) -> Result<&ClientId, ServiceError> {
    caller.client.as_ref().ok_or(ServiceError::Nameless)
}

fn named(agent: &str) -> Result<ClientId, ServiceError> {
    let what = "must be 1 to 128 visible ASCII characters";
    ClientId::parse(agent).ok_or_else(|| ServiceError::InvalidMessage(vec![FieldFault::new("agent", what)]))
}

fn known(agent: &str) -> Result<ClientId, ServiceError> {
    ClientId::parse(agent).ok_or_else(|| ServiceError::UnknownAgent(agent.to_owned()))
}
