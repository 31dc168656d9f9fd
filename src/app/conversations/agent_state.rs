//! What an agent keeps of its own under a context id, which nobody else can read (P-027).
//!
//! The context id need not be one of a conversation here: the agent may have given it out itself, before anybody declares it. So no
//! declaration is asked for. Invariant: one id is another place for every agent.

use std::sync::Arc;

use crate::api::conversations::KeptState;
use crate::api::conversations::RemovedContext;
use crate::app::caller::Caller;
use crate::app::conversations::Conversations;
use crate::app::conversations::removed;
use crate::app::error::ServiceError;
use context::conversation::event::ConversationEvent;
use context::fields::FieldFault;
use context::fields::Fields;
use context::fields::ID_BYTES_MAX;
use schema::name::ClientId;
use text::secrets;
use text::secrets::Scope;

impl Conversations {
    /// Keeps the `state` of a body; with `expected_version`, only if that is the version there.
    ///
    /// # Errors
    /// [`ServiceError::Nameless`], [`ServiceError::InvalidMessage`], [`ServiceError::VersionMoved`],
    /// [`ServiceError::LimitReached`], or what the journal says.
    pub async fn keep(self: &Arc<Self>, caller: &Caller, context: &str, body: &str) -> Result<KeptState, ServiceError> {
        let agent = itself(caller)?;
        if !(1..=ID_BYTES_MAX).contains(&context.len()) || context.chars().any(char::is_control) {
            let what = format!("must have 1 to {ID_BYTES_MAX} bytes and no control characters");
            return Err(FieldFault::new("context_id", what).into());
        }
        let fields = Fields::read(body, "")?;
        fields.only(&["state", "expected_version"])?;
        let state = fields
            .given("state")
            .ok_or_else(|| FieldFault::new("state", "is required"))?;
        let expected = fields.count("expected_version")?;
        let state = secrets::scrubbed_whole(state, Scope::Everywhere);
        let max = self.options.limits.part_bytes_max;
        if state.len() > max {
            return Err(ServiceError::LimitReached(format!("a state may have {max} bytes")));
        }
        self.change(agent.as_str(), context, state.into_bytes(), |rules| {
            rules.keep(agent, context, expected)
        })
        .await?;
        self.kept(caller, context)
    }

    /// What the caller keeps.
    ///
    /// # Errors
    /// [`ServiceError::Nameless`], [`ServiceError::NothingKept`], or a fault of the journal.
    pub fn kept(&self, caller: &Caller, context: &str) -> Result<KeptState, ServiceError> {
        let agent = itself(caller)?;
        let own = self.decide(context, |rules| rules.kept(agent, context).cloned())?;
        let content = self.events.content(own.records.from)?;
        let content = content.ok_or_else(|| ServiceError::NothingKept(context.to_owned()))?;
        let broken = |_| ServiceError::Fault("what an agent keeps cannot be read back".to_owned());
        Ok(KeptState {
            context_id: context.to_owned(),
            version: own.version,
            changed_at: own.at.rfc3339(),
            state: serde_json::from_str(&content).map_err(broken)?,
        })
    }

    /// Keeps nothing there any more.
    ///
    /// # Errors
    /// [`ServiceError::Nameless`], [`ServiceError::NothingKept`], or what the journal says.
    pub async fn drop_kept(self: &Arc<Self>, caller: &Caller, context: &str) -> Result<RemovedContext, ServiceError> {
        let agent = itself(caller)?;
        let mut garbage = Vec::new();
        self.change(agent.as_str(), context, Vec::new(), |rules| {
            garbage.push(rules.kept(agent, context)?.records.range());
            let (agent, context) = (agent.clone(), context.to_owned());
            Ok(ConversationEvent::Dropped { agent, context })
        })
        .await?;
        self.events.sweep_now_or_later(&garbage).await;
        Ok(removed(context, None))
    }
}

fn itself(caller: &Caller) -> Result<&ClientId, ServiceError> {
    caller.client.as_ref().ok_or(ServiceError::Nameless)
}
