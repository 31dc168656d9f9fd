//! Conversations as they are shown, read back from the journal.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::api::conversations::Conversation as ConversationDocument;
use crate::api::conversations::ConversationRow;
use crate::api::conversations::Conversations as ConversationList;
use crate::api::conversations::Declared;
use crate::api::conversations::PartShown;
use crate::api::conversations::SummaryShown;
use crate::api::conversations::TurnShown;
use crate::app::caller::Caller;
use crate::app::conversations::Conversations;
use crate::app::error::ServiceError;
use context::conversation::index::Conversation;
use context::conversation::recipient::Recipient;
use context::conversation::summary::Item;
use schema::name::ClientId;

/// What an agent gets, without warnings.
pub fn declared(context: &str, agent: &ClientId, recipient: &Recipient) -> Declared {
    let recipient = recipient.clone();
    Declared {
        context_id: context.to_owned(),
        agent: agent.as_str().to_owned(),
        pattern: recipient.pattern,
        types: recipient.types,
        members: recipient.members,
        last_turns: recipient.last_turns.map(|turns| turns as u64),
        summary: recipient.summary,
        sensitive: recipient.sensitive,
        agent_context_id: recipient.agent_context_id,
        warnings: Vec::new(),
    }
}

impl Conversations {
    /// The caller's conversations, at most so many, the one that changed last first.
    pub fn list(&self, caller: &Caller, max: usize) -> Result<ConversationList, ServiceError> {
        self.decide("", |rules| {
            let own = rules.list(caller.client.as_ref());
            let row = |conversation: &&Conversation| ConversationRow {
                context_id: conversation.id.clone(),
                began_at: conversation.began_at.rfc3339(),
                changed_at: conversation.at.rfc3339(),
                turns: conversation.turns.len() as u64,
                summarised_turns: conversation.covered() as u64,
                recipients: conversation.recipients.len() as u64,
            };
            Ok(ConversationList {
                conversations: own.iter().take(max).map(row).collect(),
                total: own.len() as u64,
            })
        })
    }

    /// One of the caller's conversations with its last turns.
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], or a fault of the journal.
    pub fn show(&self, caller: &Caller, id: &str, last_turns: usize) -> Result<ConversationDocument, ServiceError> {
        let conversation = self.owned(caller, id)?;
        let first = conversation.turns.len().saturating_sub(last_turns);
        let mut said = Vec::new();
        for (at, turn) in conversation.turns.iter().enumerate().skip(first) {
            said.push(TurnShown {
                turn: at as u64 + 1,
                role: turn.speaker,
                at: turn.at.rfc3339(),
                content: self.events.content(turn.records.from)?,
                task_id: turn.task.clone(),
                sensitive: turn.sensitive,
                keep: turn.keep,
            });
        }
        let mut tasks: Vec<String> = conversation.turns.iter().filter_map(|turn| turn.task.clone()).collect();
        let mut known = BTreeSet::new();
        tasks.retain(|task| known.insert(task.clone()));
        let mut parts = Vec::new();
        for (type_name, shared) in &conversation.parts {
            let Some(data) = self.events.content(shared.records.from)? else {
                continue;
            };
            parts.push(PartShown {
                type_name: type_name.clone(),
                schema_version: shared.version.clone(),
                sensitive: shared.sensitive,
                at: shared.at.rfc3339(),
                data: serde_json::from_str::<Value>(&data).unwrap_or_default(),
            });
        }
        let items = self.summary_items(&conversation)?;
        let summary = conversation.summary.as_ref().map(|made| SummaryShown {
            turns: made.turns as u64,
            method: made.method,
            model: made.model.clone(),
            made_at: made.at.rfc3339(),
            items,
        });
        let recipients = conversation.recipients.iter();
        let recipients = recipients.map(|(agent, recipient)| declared(id, agent, recipient));
        Ok(ConversationDocument {
            context_id: conversation.id.clone(),
            began_at: conversation.began_at.rfc3339(),
            changed_at: conversation.at.rfc3339(),
            turns: conversation.turns.len() as u64,
            summarised_turns: conversation.covered() as u64,
            recipients: recipients.collect(),
            tasks,
            parts,
            said,
            summary,
        })
    }

    /// What is kept of the first turns; nothing where there is no summary, or it was erased.
    pub fn summary_items(&self, conversation: &Conversation) -> Result<Vec<Item>, ServiceError> {
        let Some(summary) = &conversation.summary else {
            return Ok(Vec::new());
        };
        let content = self.events.content(summary.records.from)?;
        let items = content.and_then(|text| serde_json::from_str(&text).ok());
        Ok(items.unwrap_or_default())
    }
}
