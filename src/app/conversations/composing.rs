//! What goes to an agent: the message of a coordinator, the context that an agent fetches, and the summaries in both (P-025 …
//! P-035).
//!
//! Invariant: nothing goes out that the declaration of that agent does not name, whoever asks.

use std::sync::Arc;

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::app::conversations::Conversations;
use crate::app::conversations::refused;
use crate::app::error::ServiceError;
use crate::app::llm;
use crate::app::lock::locked;
use crate::app::random;
use crate::app::telemetry::conversations::FETCHED;
use crate::app::telemetry::conversations::Withheld;
use context::a2a_task::field::FieldFault;
use context::a2a_task::field::Fields;
use context::a2a_task::message::Message;
use context::a2a_task::message::Role;
use context::a2a_task::part::Part;
use context::conversation::book::Conversation;
use context::conversation::book::Shared;
use context::conversation::decide::Sight;
use context::conversation::event::ConversationEvent;
use context::conversation::history;
use context::conversation::history::Plan;
use context::conversation::part::HISTORY;
use context::conversation::recipient::Pattern;
use context::conversation::recipient::Recipient;
use context::conversation::said::Speaker;
use context::conversation::sentence::Sentence;
use context::conversation::sentence::sentences;
use context::conversation::summary;
use context::conversation::summary::Item;
use context::conversation::summary::Method;
use context::conversation::summary::SummaryLimits;
use schema::export::tokens::estimate;
use schema::name::ClientId;
use text::name::hexadecimal;
use text::secrets;
use text::vector::Vector;

/// What a coordinator wants sent.
struct Wanted {
    agent: ClientId,
    /// `None`: what the user said last.
    text: Option<String>,
    metadata: Map<String, Value>,
}

impl Conversations {
    /// The message that a coordinator sends to an agent, as that agent's declaration has it:
    /// `{"pattern", "message", "tokens", "tokens_of_everything"}` (P-026).
    ///
    /// # Errors
    /// [`ServiceError::InvalidMessage`], [`ServiceError::UnknownConversation`], [`ServiceError::UnknownRecipient`], or what the
    /// model or the journal says.
    pub async fn embed(
        self: &Arc<Self>,
        caller: Option<&ClientId>,
        id: &str,
        body: &str,
    ) -> Result<Value, ServiceError> {
        let wanted = wanted(body, self.options.limits.turn_bytes_max)?;
        self.owned(caller, id)?;
        self.summarise(id).await?;
        let conversation = self.owned(caller, id)?;
        let recipient = conversation.recipients.get(&wanted.agent);
        let recipient = recipient.ok_or_else(|| ServiceError::UnknownRecipient(wanted.agent.as_str().to_owned()))?;
        let turns = conversation.turns.len();
        let (text, before) = match wanted.text {
            Some(text) => (shown(text, recipient), turns),
            None => (self.query(&conversation, recipient)?, turns.saturating_sub(1)),
        };
        let mut parts = vec![Part::text(text)];
        let tokens_of_everything = self.tokens_of_everything(&conversation, &parts[0], before)?;
        if recipient.pattern == Pattern::Embedded {
            parts.extend(self.parts_for(&conversation, recipient, before)?);
            self.count_withheld(&conversation, recipient, before);
        }
        let context_id = match recipient.pattern {
            // The agent fetches under the id that was given out here.
            Pattern::Shared => id.to_owned(),
            // The first message to an agent bears none: it gives one out itself (P-002, P-003).
            Pattern::Embedded | Pattern::Own => recipient.agent_context_id.clone().unwrap_or_default(),
        };
        let message = Message {
            message_id: self.message_id()?,
            context_id,
            task_id: String::new(),
            role: Role::User,
            parts,
            metadata: wanted.metadata,
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        };
        let message = serde_json::to_value(&message).map_err(|error| ServiceError::Fault(error.to_string()))?;
        self.deps.observer.passed(recipient.pattern.name());
        Ok(json!({
            "pattern": recipient.pattern, "agent": wanted.agent,
            "tokens": estimate(&message["parts"].to_string()),
            "tokens_of_everything": tokens_of_everything,
            "message": message,
        }))
    }

    /// What an agent may see of a conversation, fetched by itself (P-025): `{"context_id", "parts"}`.
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], also of who is not declared in it; or what the model or the journal says.
    pub async fn fetch(self: &Arc<Self>, caller: Option<&ClientId>, id: &str) -> Result<Value, ServiceError> {
        let (_, recipient) = self.as_recipient(caller, id)?;
        if recipient.pattern == Pattern::Own {
            return Ok(json!({"context_id": id, "parts": []}));
        }
        self.summarise(id).await?;
        let (conversation, recipient) = self.as_recipient(caller, id)?;
        let parts = self.parts_for(&conversation, &recipient, conversation.turns.len())?;
        self.count_withheld(&conversation, &recipient, conversation.turns.len());
        self.deps.observer.passed(FETCHED);
        let parts = serde_json::to_value(parts).map_err(|error| ServiceError::Fault(error.to_string()))?;
        Ok(json!({"context_id": id, "parts": parts}))
    }

    fn as_recipient(&self, caller: Option<&ClientId>, id: &str) -> Result<(Conversation, Recipient), ServiceError> {
        let book = self.events.state();
        let seen = book.seen(caller, id, self.now(), &self.options.limits);
        let (conversation, sight) = seen.map_err(|refusal| refused(refusal, id))?;
        let recipient = match sight {
            Sight::Recipient(recipient) => Some(recipient),
            // Who owns it may have declared itself, to see what it would get.
            Sight::Owner => caller.and_then(|caller| conversation.recipients.get(caller)),
        };
        let recipient = recipient.ok_or_else(|| {
            ServiceError::UnknownRecipient(caller.map_or_else(String::new, |caller| caller.as_str().to_owned()))
        })?;
        Ok((conversation.clone(), recipient.clone()))
    }

    /// Everything that a declaration lets out.
    fn parts_for(
        &self,
        conversation: &Conversation,
        recipient: &Recipient,
        before: usize,
    ) -> Result<Vec<Part>, ServiceError> {
        let plan: Plan = history::plan(conversation, recipient, before);
        let items = if plan.summary {
            self.summary_items(conversation)?
        } else {
            Vec::new()
        };
        let mut kept = Vec::new();
        for place in &plan.kept {
            let Some(turn) = conversation.turns.get(*place) else {
                continue;
            };
            if let Some(content) = self.events.content(turn.records.from)? {
                kept.push(Item {
                    turn: place + 1,
                    role: turn.speaker,
                    content,
                });
            }
        }
        let items = history::with_kept(items, kept, recipient);
        let mut said: Vec<(Speaker, String)> = Vec::new();
        for place in &plan.turns {
            let Some(turn) = conversation.turns.get(*place) else {
                continue;
            };
            if let Some(content) = self.events.content(turn.records.from)? {
                said.push((turn.speaker, content));
            }
        }
        let mut parts: Vec<Part> = history::part(conversation, recipient, &plan, &items, &said)
            .into_iter()
            .collect();
        for (type_name, shared) in &conversation.parts {
            if withheld(recipient, type_name, shared).is_some() {
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
                    recipient
                        .selected(type_name, &value)
                        .map(|selected| selected.to_string())
                }
            };
            parts.extend(data.map(|data| Part::data(data, "application/json").typed(type_name, &shared.version)));
        }
        Ok(parts)
    }

    /// Counts what a declaration kept from its agent.
    fn count_withheld(&self, conversation: &Conversation, recipient: &Recipient, before: usize) {
        let observer = &self.deps.observer;
        let plan = history::plan(conversation, recipient, before);
        observer.withheld(Withheld::SensitiveTurn, plan.sensitive);
        for (type_name, shared) in &conversation.parts {
            if let Some(what) = withheld(recipient, type_name, shared) {
                observer.withheld(what, 1);
            }
        }
    }

    /// What the user said last, as far as this agent may see it.
    fn query(&self, conversation: &Conversation, recipient: &Recipient) -> Result<String, ServiceError> {
        let wrong = |what: &str| ServiceError::InvalidMessage(vec![FieldFault::new("text", what)]);
        let last = conversation.turns.last().filter(|turn| turn.speaker == Speaker::User);
        let last = last.ok_or_else(|| wrong("must be given: the last turn is not the user's"))?;
        if last.sensitive && !recipient.sensitive {
            return Err(wrong(
                "must be given: the last turn is sensitive, and this agent gets nothing sensitive",
            ));
        }
        let content = self.events.content(last.records.from)?;
        let content = content.ok_or_else(|| wrong("must be given: the words of the last turn are erased"))?;
        Ok(let_out(content, recipient))
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
        parts.extend(self.parts_for(conversation, &everything, before)?);
        let text = serde_json::to_string(&parts).map_err(|error| ServiceError::Fault(error.to_string()))?;
        Ok(estimate(&text))
    }

    /// Summarises what is due (P-032); nothing where nothing is. Where a language model is asked, whoever waits for the same
    /// summary waits for it too; turns go on being recorded.
    ///
    /// # Errors
    /// What the model or the journal says.
    pub async fn summarise(&self, id: &str) -> Result<(), ServiceError> {
        let _alone = self.scribe(id).lock().await;
        let after = self.options.limits.summarise_after_turns;
        let due = {
            let book = self.events.state();
            let found = book.conversations.get(id);
            found.filter(|found| found.wants_summary(&self.options.limits)).cloned()
        };
        let Some(conversation) = due else { return Ok(()) };
        let covered = conversation.covered();
        let through = covered + conversation.unsummarised() / after.max(1) * after.max(1);
        let mut replaced = self.summary_items(&conversation)?;
        for (at, turn) in conversation.turns.iter().enumerate().take(through).skip(covered) {
            // What is sensitive is in no summary, since everyone gets the same (P-035); what is kept stands beside it.
            if turn.sensitive || turn.keep {
                continue;
            }
            if let Some(content) = self.events.content(turn.records.from)? {
                replaced.push(Item {
                    turn: at + 1,
                    role: turn.speaker,
                    content,
                });
            }
        }
        let limits = self.options.summary.instead_of(replaced.iter().map(Item::said));
        let all: Vec<Sentence> = replaced
            .iter()
            .flat_map(|item| sentences(item.turn, item.role, &item.content))
            .collect();
        let (items, method, model) = self.written_or_taken(&all, limits).await?;
        let content = serde_json::to_vec(&items).map_err(|error| ServiceError::Fault(error.to_string()))?;
        let _held = self.lock(id).lock().await;
        let still = {
            let book = self.events.state();
            book.conversations
                .get(id)
                .is_some_and(|found| found.covered() == covered)
        };
        if !still {
            return Ok(());
        }
        let event = ConversationEvent::Summarised {
            context: id.to_owned(),
            turns: through,
            items: items.len(),
            model,
            method,
            more: 0,
        };
        self.put(event, content).await?;
        self.deps.observer.summary(method);
        Ok(())
    }

    /// A summary of these sentences, who made it, and by which model: a language model where one is asked and what it wrote is
    /// kept, else the rules with the vectors of the embedding model.
    async fn written_or_taken(
        &self,
        said: &[Sentence],
        limits: SummaryLimits,
    ) -> Result<(Vec<Item>, Method, String), ServiceError> {
        if let Some(model) = self.deps.model.as_deref()
            && let Some(items) = llm::summary(model, said, limits).await
        {
            return Ok((items, Method::Model, model.name().to_owned()));
        }
        let texts: Vec<String> = said.iter().map(|sentence| sentence.text.clone()).collect();
        let vectors = if texts.is_empty() {
            Vec::new()
        } else {
            self.deps.embedder.embed(texts).await?
        };
        let vectors: Vec<Option<Vector>> = vectors.into_iter().map(Some).collect();
        let items = summary::summarise(said, &vectors, limits);
        Ok((items, Method::Extractive, self.deps.embedder.model().to_owned()))
    }

    fn message_id(&self) -> Result<String, ServiceError> {
        Ok(format!(
            "msg_{}",
            hexadecimal(&random::id(self.webhook_sender.as_ref())?)
        ))
    }
}

/// Why a part does not go to an agent; `None` where it goes.
fn withheld(recipient: &Recipient, type_name: &str, shared: &Shared) -> Option<Withheld> {
    if !recipient.gets(type_name) {
        return Some(Withheld::UndeclaredPart);
    }
    (shared.sensitive && !recipient.sensitive).then_some(Withheld::SensitivePart)
}

/// Words as an agent gets them: without secrets, and without what is personal unless it was declared to get that too.
fn let_out(words: String, recipient: &Recipient) -> String {
    let words = secrets::scrubbed_words(&words).unwrap_or(words);
    shown(words, recipient)
}

/// The words of a message that is handed on and not kept: as they were sent, but for what is personal.
fn shown(words: String, recipient: &Recipient) -> String {
    if recipient.sensitive {
        words
    } else {
        history::redacted_whole(&words)
    }
}

fn wanted(body: &str, bytes_max: usize) -> Result<Wanted, ServiceError> {
    let invalid = |fault: FieldFault| ServiceError::InvalidMessage(vec![fault]);
    let fields = Fields::read(body, "").map_err(invalid)?;
    fields.only(&["agent", "text", "metadata"]).map_err(invalid)?;
    let agent = fields.text("agent").map_err(invalid)?;
    let agent = ClientId::parse(&agent).ok_or_else(|| {
        invalid(FieldFault::new(
            "agent",
            "must be the name of an agent that is declared",
        ))
    })?;
    let text: Option<String> = fields.get("text", "a string").map_err(invalid)?;
    if text
        .as_ref()
        .is_some_and(|text| text.is_empty() || text.len() > bytes_max)
    {
        let what = format!("must have 1 to {bytes_max} bytes, or be left out for what the user said last");
        return Err(invalid(FieldFault::new("text", what)));
    }
    let metadata: Map<String, Value> = serde_json::from_str(fields.raw("metadata").unwrap_or("{}"))
        .map_err(|_| invalid(FieldFault::new("metadata", "must be an object")))?;
    Ok(Wanted { agent, text, metadata })
}
