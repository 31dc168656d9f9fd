//! What goes to an agent: the message of a coordinator, and the context that an agent fetches (P-025 … P-035).
//!
//! Invariant: nothing goes out that the declaration of that agent does not name, whoever asks.

use std::sync::Arc;

use serde_json::Value;

use crate::api::conversations::Embedded;
use crate::api::conversations::ForAgent;
use crate::app::caller::Caller;
use crate::app::conversations::Conversations;
use crate::app::error::ServiceError;
use crate::app::lock::locked;
use crate::app::random;
use crate::app::telemetry::FETCHED;
use crate::app::telemetry::SENSITIVE_PART;
use crate::app::telemetry::SENSITIVE_TURN;
use crate::app::telemetry::UNDECLARED_PART;
use context::a2a_task::message::Message;
use context::a2a_task::message::Part;
use context::a2a_task::typed_part::HISTORY;
use context::conversation::history;
use context::conversation::index::Conversation;
use context::conversation::recipient::Pattern;
use context::conversation::recipient::Recipient;
use context::conversation::turn::Speaker;
use context::fields::FieldFault;
use context::fields::Fields;
use schema::export::tokens::estimate;
use schema::name::ClientId;
use schema::nearest::with_near;
use text::name::hexadecimal;
use text::secrets::words::scrubbed_words;

/// What a declaration kept from its agent, and how much of it.
type Withheld = Vec<(&'static str, usize)>;

impl Conversations {
    /// The message that a coordinator sends to an agent, as that agent's declaration has it (P-026).
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`], [`ServiceError::UnknownConversation`], [`ServiceError::UnknownRecipient`], or what the
    /// model or the journal says.
    pub async fn embed(self: &Arc<Self>, caller: &Caller, id: &str, body: &str) -> Result<Embedded, ServiceError> {
        let fields = Fields::read(body, "")?;
        fields.only(&["agent", "text", "metadata"])?;
        let agent = ClientId::parse(&fields.text("agent")?);
        let agent = agent.ok_or_else(|| FieldFault::new("agent", "must be the name of an agent that is declared"))?;
        let text: Option<String> = fields.get("text", "a string")?;
        let bytes_max = self.options.limits.turn_bytes_max;
        if text.as_ref().is_some_and(|text| !(1..=bytes_max).contains(&text.len())) {
            let what = format!("must have 1 to {bytes_max} bytes, or be left out for what the user said last");
            return Err(FieldFault::new("text", what).into());
        }
        let metadata = fields.get("metadata", "an object")?.unwrap_or_default();
        self.owned(caller, id)?;
        self.summarise(id).await?;
        let conversation = self.owned(caller, id)?;
        let recipient = conversation.recipients.get(&agent);
        let declared = conversation.recipients.keys().map(ClientId::as_str);
        let recipient = recipient.ok_or_else(|| ServiceError::UnknownRecipient(with_near(agent.as_str(), declared)))?;
        let turns = conversation.turns.len();
        let (text, before) = match text {
            // It is handed on and not kept: as it was sent, but for what is personal.
            Some(text) => (history::shown(&text, recipient), turns),
            None => (self.query(&conversation, recipient)?, turns.saturating_sub(1)),
        };
        let mut parts = vec![Part::text(text)];
        let tokens_of_everything = self.tokens_of_everything(&conversation, &parts[0], before)?;
        if recipient.pattern == Pattern::Embedded {
            let (more, withheld) = self.parts_for(&conversation, recipient, before)?;
            parts.extend(more);
            self.count(&withheld);
        }
        let context_id = match recipient.pattern {
            // The agent fetches under the id that was given out here.
            Pattern::Shared => id.to_owned(),
            // The first message to an agent bears none: it gives one out itself (P-002, P-003).
            Pattern::Embedded | Pattern::Own => recipient.agent_context_id.clone().unwrap_or_default(),
        };
        let message = serde_json::to_value(Message {
            message_id: format!("msg_{}", hexadecimal(&random::id(self.webhook_sender.as_ref())?)),
            context_id,
            parts,
            metadata,
            ..Message::default()
        })?;
        self.deps().observer.passed(recipient.pattern.name());
        Ok(Embedded {
            pattern: recipient.pattern,
            agent: agent.as_str().to_owned(),
            tokens: estimate(&message["parts"].to_string()),
            tokens_of_everything,
            message,
        })
    }

    /// What an agent may see of a conversation, fetched by itself (P-025).
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], also of who is not declared in it; or what the model or the journal says.
    pub async fn fetch(self: &Arc<Self>, caller: &Caller, id: &str) -> Result<ForAgent, ServiceError> {
        let as_recipient = || {
            self.decide(id, |rules| {
                let (conversation, recipient) = rules.as_recipient(caller.client.as_ref(), id)?;
                Ok((conversation.clone(), recipient.clone()))
            })
        };
        let (_, recipient) = as_recipient()?;
        let mut parts = Vec::new();
        if recipient.pattern != Pattern::Own {
            self.summarise(id).await?;
            let (conversation, recipient) = as_recipient()?;
            let withheld;
            (parts, withheld) = self.parts_for(&conversation, &recipient, conversation.turns.len())?;
            self.count(&withheld);
            self.deps().observer.passed(FETCHED);
        }
        Ok(ForAgent {
            context_id: id.to_owned(),
            parts: serde_json::to_value(&parts)?,
        })
    }

    /// Everything that a declaration lets out, and how much it does not.
    fn parts_for(
        &self,
        conversation: &Conversation,
        recipient: &Recipient,
        before: usize,
    ) -> Result<(Vec<Part>, Withheld), ServiceError> {
        let plan = history::plan(conversation, recipient, before);
        let items = match plan.summary {
            true => self.summary_items(conversation)?,
            false => Vec::new(),
        };
        let items = history::with_kept(items, &self.said_at(conversation, &plan.kept)?, recipient);
        let said = self.said_at(conversation, &plan.turns)?;
        let mut parts: Vec<Part> = Vec::new();
        let mut withheld = vec![(SENSITIVE_TURN, plan.sensitive)];
        parts.extend(history::part(conversation, recipient, &plan, &items, &said));
        for (type_name, shared) in &conversation.parts {
            if !recipient.gets(type_name) {
                withheld.push((UNDECLARED_PART, 1));
                continue;
            }
            if shared.sensitive && !recipient.sensitive {
                withheld.push((SENSITIVE_PART, 1));
                continue;
            }
            let record = shared.records.from;
            let as_sent = locked(&self.carried)
                .of(&conversation.id, type_name, record)
                .map(str::to_owned);
            let Some(data) = as_sent.map_or_else(|| self.events.content(record), |data| Ok(Some(data)))? else {
                continue;
            };
            let data = match recipient.members.contains_key(type_name) {
                // Whole, as it came.
                false => Some(data),
                true => {
                    let value: Value = serde_json::from_str(&data).unwrap_or_default();
                    let selected = recipient.selected(type_name, &value);
                    selected.map(|selected| selected.to_string())
                }
            };
            parts.extend(data.map(|data| Part::data(data, "application/json").typed(type_name, &shared.version)));
        }
        Ok((parts, withheld))
    }

    fn count(&self, withheld: &Withheld) {
        for (what, count) in withheld {
            self.deps().observer.withheld(what, *count);
        }
    }

    /// What the user said last, as far as this agent may see it.
    fn query(&self, conversation: &Conversation, recipient: &Recipient) -> Result<String, ServiceError> {
        let wrong = |what: &str| ServiceError::from(FieldFault::new("text", format!("must be given: {what}")));
        let last = conversation.turns.last().filter(|turn| turn.speaker == Speaker::User);
        let last = last.ok_or_else(|| wrong("the last turn is not the user's"))?;
        if last.sensitive && !recipient.sensitive {
            return Err(wrong(
                "the last turn is sensitive, and this agent gets nothing sensitive",
            ));
        }
        let content = self.events.content(last.records.from)?;
        let content = content.ok_or_else(|| wrong("the words of the last turn are erased"))?;
        let content = scrubbed_words(&content).unwrap_or(content);
        Ok(history::shown(&content, recipient))
    }

    /// What the same message would take with every turn and part as it is.
    fn tokens_of_everything(
        &self,
        conversation: &Conversation,
        query: &Part,
        before: usize,
    ) -> Result<u64, ServiceError> {
        let everything = Recipient {
            types: conversation.parts.keys().cloned().chain([HISTORY.to_owned()]).collect(),
            last_turns: Some(before),
            sensitive: true,
            ..Recipient::default()
        };
        let mut parts = vec![query.clone()];
        parts.extend(self.parts_for(conversation, &everything, before)?.0);
        Ok(estimate(&serde_json::to_string(&parts)?))
    }
}
