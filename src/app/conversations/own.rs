//! What an agent keeps of its own under a context id, in a room that nobody else can open (P-027).
//!
//! The context id need not be one of a conversation here: the agent may have given it out itself, before anybody declares it. So no
//! declaration is asked for. Invariant: one id is another room for every agent.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::app::background::to_its_end;
use crate::app::conversations::Conversations;
use crate::app::conversations::refused;
use crate::app::error::ServiceError;
use context::a2a_task::field::FieldFault;
use context::a2a_task::field::Fields;
use context::a2a_task::field::ID_BYTES_MAX;
use context::conversation::decide::ConversationRefusal;
use context::conversation::event::ConversationEvent;
use schema::name::ClientId;
use text::secrets;
use text::secrets::Scope;

impl Conversations {
    /// Keeps the `state` of a body; with `expected_version`, only if that is the version there.
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`], [`ServiceError::VersionMoved`], [`ServiceError::LimitReached`], or what the journal
    /// says.
    pub async fn keep(self: &Arc<Self>, agent: &ClientId, context: &str, body: &str) -> Result<String, ServiceError> {
        check_id(context)?;
        let invalid = |fault: FieldFault| ServiceError::InvalidMessage(vec![fault]);
        let fields = Fields::read(body, "").map_err(invalid)?;
        fields.only(&["state", "expected_version"]).map_err(invalid)?;
        let Some(state) = fields.given("state") else {
            return Err(invalid(FieldFault::new("state", "is required")));
        };
        let expected = fields.count("expected_version").map_err(invalid)?;
        let state = secrets::scrubbed_whole(state, Scope::Everywhere);
        let max = self.options.limits.part_bytes_max;
        if state.len() > max {
            return Err(ServiceError::LimitReached(format!("a state may have {max} bytes")));
        }
        let (conversations, agent, context) = (Arc::clone(self), agent.clone(), context.to_owned());
        to_its_end(async move {
            let held = conversations.lock(agent.as_str()).lock().await;
            let (now, limits) = (conversations.now(), &conversations.options.limits);
            let event = conversations
                .events
                .state()
                .keep(&agent, &context, expected, now, limits);
            let event = event.map_err(|refusal| refused(refusal, &context))?;
            conversations.put(event, state.into_bytes()).await?;
            drop(held);
            conversations.kept(&agent, &context)
        })
        .await
    }

    /// What an agent keeps: `{"context_id", "version", "changed_at", "state"}`, as JSON text.
    ///
    /// # Errors
    /// [`ServiceError::NothingKept`], or a fault of the journal.
    pub fn kept(&self, agent: &ClientId, context: &str) -> Result<String, ServiceError> {
        let own = {
            let book = self.events.state();
            let kept = book.kept(agent, context, self.now(), &self.options.limits);
            kept.cloned().map_err(|refusal| refused(refusal, context))?
        };
        let content = self.events.content(own.records.from)?;
        let content = content.ok_or_else(|| refused(ConversationRefusal::NothingKept, context))?;
        let state: &RawValue = serde_json::from_str(&content).map_err(|_| broken())?;
        let mut head = Map::new();
        head.insert("context_id".to_owned(), Value::from(context));
        head.insert("version".to_owned(), Value::from(own.version));
        head.insert("changed_at".to_owned(), Value::from(own.at.rfc3339()));
        let mut text = Value::Object(head).to_string();
        text.pop();
        text.push_str(&format!(",\"state\":{}}}", state.get()));
        Ok(text)
    }

    /// Keeps nothing there any more.
    ///
    /// # Errors
    /// [`ServiceError::NothingKept`], or what the journal says.
    pub async fn drop_kept(self: &Arc<Self>, agent: &ClientId, context: &str) -> Result<(), ServiceError> {
        let (conversations, agent, context) = (Arc::clone(self), agent.clone(), context.to_owned());
        to_its_end(async move {
            {
                let _held = conversations.lock(agent.as_str()).lock().await;
                let (now, limits) = (conversations.now(), &conversations.options.limits);
                let there = conversations
                    .events
                    .state()
                    .kept(&agent, &context, now, limits)
                    .map(|_| ());
                there.map_err(|refusal| refused(refusal, &context))?;
                conversations
                    .put(ConversationEvent::Dropped { agent, context }, Vec::new())
                    .await?;
            }
            conversations.erase_gone().await
        })
        .await
    }
}

fn check_id(context: &str) -> Result<(), ServiceError> {
    if (1..=ID_BYTES_MAX).contains(&context.len()) && !context.chars().any(char::is_control) {
        return Ok(());
    }
    let what = format!("must have 1 to {ID_BYTES_MAX} bytes and no control characters");
    Err(ServiceError::InvalidMessage(vec![FieldFault::new("context_id", what)]))
}

fn broken() -> ServiceError {
    ServiceError::Fault("what an agent keeps cannot be read back".to_owned())
}
