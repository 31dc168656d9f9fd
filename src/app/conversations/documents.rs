//! Conversations as they are shown, read back from the journal.

use serde_json::Value;
use serde_json::json;

use crate::app::conversations::Conversations;
use crate::app::conversations::Recorded;
use crate::app::error::ServiceError;
use context::conversation::book::Conversation;
use context::conversation::recipient::Recipient;
use context::conversation::summary::Item;
use schema::name::ClientId;

/// What became of a turn: `{"context_id", "turn"?, "parts"}`.
pub fn recorded(recorded: &Recorded) -> Value {
    let mut document = json!({"context_id": recorded.context, "parts": recorded.parts});
    if let (Some(turn), Some(members)) = (recorded.turn, document.as_object_mut()) {
        members.insert("turn".to_owned(), json!(turn));
    }
    document
}

/// What an agent gets: `{"context_id", "agent", …}`.
pub fn recipient(context: &str, agent: &ClientId, recipient: &Recipient) -> Value {
    let mut document = json!({"context_id": context, "agent": agent});
    if let (Some(members), Ok(Value::Object(declared))) = (document.as_object_mut(), serde_json::to_value(recipient)) {
        members.extend(declared);
    }
    document
}

fn row(conversation: &Conversation) -> Value {
    json!({
        "context_id": conversation.id, "began_at": conversation.began_at.rfc3339(),
        "changed_at": conversation.at.rfc3339(), "turns": conversation.turns.len(),
        "summarised_turns": conversation.covered(), "recipients": conversation.recipients.len(),
    })
}

impl Conversations {
    /// The caller's conversations, the one that changed last first: `{"conversations": […], "total"}`.
    pub fn list(&self, caller: Option<&ClientId>, max: usize) -> Value {
        let book = self.events.state();
        let own = book.list(caller, self.now(), &self.options.limits);
        let rows: Vec<Value> = own.iter().take(max).map(|conversation| row(conversation)).collect();
        json!({"conversations": rows, "total": own.len()})
    }

    /// One of the caller's conversations with its last turns.
    ///
    /// # Errors
    /// [`ServiceError::UnknownConversation`], or a fault of the journal.
    pub fn show(&self, caller: Option<&ClientId>, id: &str, last_turns: usize) -> Result<Value, ServiceError> {
        let conversation = self.owned(caller, id)?;
        let first = conversation.turns.len().saturating_sub(last_turns);
        let mut turns = Vec::new();
        for (at, turn) in conversation.turns.iter().enumerate().skip(first) {
            let mut shown = json!({"turn": at + 1, "role": turn.speaker, "at": turn.at.rfc3339()});
            if let Some(members) = shown.as_object_mut() {
                // What was erased is not there any more.
                let content = self.events.content(turn.records.from)?;
                members.extend(content.map(|content| ("content".to_owned(), json!(content))));
                members.extend(turn.task.as_ref().map(|task| ("task_id".to_owned(), json!(task))));
                members.extend(turn.sensitive.then(|| ("sensitive".to_owned(), json!(true))));
                members.extend(turn.keep.then(|| ("keep".to_owned(), json!(true))));
            }
            turns.push(shown);
        }
        let mut tasks: Vec<&String> = Vec::new();
        for task in conversation.turns.iter().filter_map(|turn| turn.task.as_ref()) {
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        let mut parts = Vec::new();
        for (type_name, shared) in &conversation.parts {
            let Some(data) = self.events.content(shared.records.from)? else {
                continue;
            };
            let data: Value = serde_json::from_str(&data).unwrap_or_default();
            parts.push(json!({
                "type": type_name, "schema_version": shared.version, "sensitive": shared.sensitive,
                "at": shared.at.rfc3339(), "data": data,
            }));
        }
        let mut document = row(&conversation);
        let recipients: Vec<Value> = conversation
            .recipients
            .iter()
            .map(|(agent, declared)| recipient(id, agent, declared))
            .collect();
        if let Some(members) = document.as_object_mut() {
            members.insert("recipients".to_owned(), json!(recipients));
            members.insert("tasks".to_owned(), json!(tasks));
            members.insert("parts".to_owned(), json!(parts));
            members.insert("said".to_owned(), json!(turns));
            if let Some(made) = &conversation.summary {
                let items = self.summary_items(&conversation)?;
                let summary = json!({
                    "turns": made.turns, "method": made.method, "model": made.model, "made_at": made.at.rfc3339(),
                    "items": items,
                });
                members.insert("summary".to_owned(), summary);
            }
        }
        Ok(document)
    }

    /// What is kept of the first turns; nothing where there is no summary, or it was erased.
    ///
    /// # Errors
    /// A fault of the journal.
    pub fn summary_items(&self, conversation: &Conversation) -> Result<Vec<Item>, ServiceError> {
        let Some(summary) = &conversation.summary else {
            return Ok(Vec::new());
        };
        let content = self.events.content(summary.records.from)?;
        Ok(content
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default())
    }
}
