//! Conversations and what of them is passed on.

use std::collections::BTreeMap;
use std::ops::Not;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use context::conversation::recipient::Pattern;
use context::conversation::summary::Item;
use context::conversation::summary::Method;
use context::conversation::turn::Speaker;

/// One turn, either as words or as a message of A2A.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum TurnSaid {
    Words(WordsSaid),
    Parts(PartsSaid),
}

/// A turn in words.
#[derive(ToSchema)]
pub struct WordsSaid {
    /// `user` or `assistant`; also `ROLE_USER` and `ROLE_AGENT`.
    #[schema(pattern = "^(user|assistant|ROLE_USER|ROLE_AGENT)$")]
    pub role: String,
    #[schema(pattern = r"\S")]
    pub content: String,
    /// The task that the turn belongs to.
    #[schema(required = false, rename = "taskId", max_length = 256)]
    pub task_id: String,
    /// Left out for every agent that is not declared to get what is sensitive, and of every summary.
    #[schema(required = false)]
    pub sensitive: bool,
    /// Stands word for word beside every summary that covers it.
    #[schema(required = false)]
    pub keep: bool,
}

/// A turn with data in it.
#[derive(ToSchema)]
pub struct PartsSaid {
    /// `user` or `assistant`; also `ROLE_USER` and `ROLE_AGENT`.
    #[schema(pattern = "^(user|assistant|ROLE_USER|ROLE_AGENT)$")]
    pub role: String,
    #[schema(min_items = 1, max_items = 64)]
    pub parts: Vec<MessagePart>,
    /// The task that the turn belongs to.
    #[schema(required = false, rename = "taskId", max_length = 256)]
    pub task_id: String,
    /// Left out for every agent that is not declared to get what is sensitive, and of every summary.
    #[schema(required = false)]
    pub sensitive: bool,
    /// Stands word for word beside every summary that covers it.
    #[schema(required = false)]
    pub keep: bool,
}

/// A message that is only looked at: as a turn is sent, or as `SendMessage` of A2A has it.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum MessageChecked {
    Words(WordsSaid),
    Parts(PartsSaid),
    Enveloped(MessageEnveloped),
}

/// A message within the params that it is sent with.
#[derive(ToSchema)]
pub struct MessageEnveloped {
    pub message: PartsSaid,
    /// Of the request; nothing here reads it.
    #[schema(required = false, value_type = Object)]
    pub configuration: Value,
    /// Of the request; nothing here reads it.
    #[schema(required = false, value_type = Object)]
    pub metadata: Value,
}

/// A part of a message of A2A 1.0, or of 0.3: exactly one of words, data and a file. Files are passed over.
#[derive(ToSchema)]
pub struct MessagePart {
    #[schema(required = false)]
    pub text: String,
    /// Any JSON value.
    #[schema(required = false)]
    pub data: Value,
    /// A file, Base64.
    #[schema(required = false)]
    pub raw: String,
    /// Where a file lies.
    #[schema(required = false)]
    pub url: String,
    /// A file as version 0.3 has it: `bytes` or `uri`, with `mimeType` and `name`.
    #[schema(required = false, value_type = Object)]
    pub file: Value,
    /// `type` and `schemaVersion` name the template that data are held against; `required` makes the message fail with the part,
    /// `sensitive` keeps it from agents that get nothing sensitive.
    #[schema(required = false, value_type = Object)]
    pub metadata: Value,
    #[schema(required = false, rename = "mediaType")]
    pub media_type: String,
    #[schema(required = false)]
    pub filename: String,
}

/// What became of a turn.
#[derive(Debug, Serialize, ToSchema)]
pub struct Recorded {
    pub context_id: String,
    pub parts: Vec<PartOutcome>,
    /// Its number, from 1; not where the turn brought parts alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub turn: Option<u64>,
}

/// What became of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PartOutcome {
    /// Its place among the parts, from 0.
    pub part: u64,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub type_name: Option<String>,
    pub outcome: PartStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub schema_id: Option<String>,
    /// Of the schema that read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub version: Option<String>,
    /// Why it is not processed, with what is hosted instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Whether a part was processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartStatus {
    Processed,
    /// Passed over.
    Skipped,
    /// Not processed, by itself.
    Refused,
}

impl PartOutcome {
    /// Whether it was refused by itself, not merely passed over.
    pub fn is_refused(&self) -> bool {
        self.outcome == PartStatus::Refused
    }
}

/// A conversation in numbers.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConversationRow {
    pub context_id: String,
    #[schema(format = DateTime)]
    pub began_at: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
    pub turns: u64,
    /// How many of the first turns a summary stands for.
    pub summarised_turns: u64,
    /// How many agents are declared.
    pub recipients: u64,
}

/// Your conversations.
#[derive(Debug, Serialize, ToSchema)]
pub struct Conversations {
    pub conversations: Vec<ConversationRow>,
    pub total: u64,
}

/// A turn as it was said.
#[derive(Debug, Serialize, ToSchema)]
pub struct TurnShown {
    /// From 1.
    pub turn: u64,
    #[schema(value_type = String)]
    pub role: Speaker,
    #[schema(format = DateTime)]
    pub at: String,
    /// Not where it was erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub task_id: Option<String>,
    #[serde(skip_serializing_if = "Not::not")]
    pub sensitive: bool,
    /// Stands word for word beside every summary that covers it.
    #[serde(skip_serializing_if = "Not::not")]
    #[schema(required = false)]
    pub keep: bool,
}

/// The part of a type that was shared last.
#[derive(Debug, Serialize, ToSchema)]
pub struct PartShown {
    #[serde(rename = "type")]
    pub type_name: String,
    pub schema_version: String,
    pub sensitive: bool,
    #[schema(format = DateTime)]
    pub at: String,
    pub data: Value,
}

/// What is kept of the first turns.
#[derive(Debug, Serialize, ToSchema)]
pub struct SummaryShown {
    /// How many of the first turns it stands for.
    pub turns: u64,
    /// `extractive`: sentences that were said, never new ones; `model` where an older version let a language model write it.
    #[schema(value_type = String)]
    pub method: Method,
    /// The model whose vectors chose them.
    pub model: String,
    #[schema(format = DateTime)]
    pub made_at: String,
    pub items: Vec<Item>,
}

/// A conversation as its owner sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Conversation {
    pub context_id: String,
    #[schema(format = DateTime)]
    pub began_at: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
    pub turns: u64,
    pub summarised_turns: u64,
    pub recipients: Vec<Declared>,
    /// Tasks of its turns, in their order.
    pub tasks: Vec<String>,
    pub parts: Vec<PartShown>,
    /// Its last turns.
    pub said: Vec<TurnShown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = SummaryShown)]
    pub summary: Option<SummaryShown>,
}

/// A conversation or a declaration is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct RemovedContext {
    pub context_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub agent: Option<String>,
    pub deleted: bool,
}

/// What an agent gets.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    #[schema(required = false)]
    pub pattern: Pattern,
    /// Types of parts; `ConversationHistory` is what was said. Required but for `own`.
    #[schema(required = false)]
    pub types: Vec<String>,
    /// For a type the JSON pointers of what goes out; a type that is not here goes out whole.
    #[schema(required = false)]
    pub members: BTreeMap<String, Vec<String>>,
    /// The last so many turns as they were said; without it those that no summary stands for.
    #[schema(required = false)]
    pub last_turns: u64,
    /// True where nothing is said.
    #[schema(required = false)]
    pub summary: bool,
    /// False where nothing is said: what is marked sensitive is left out, and what is personal is redacted.
    #[schema(required = false)]
    pub sensitive: bool,
    /// The context id that the agent gave out itself.
    #[schema(required = false)]
    pub agent_context_id: String,
}

/// What an agent gets, as declared.
#[derive(Debug, Serialize, ToSchema)]
pub struct Declared {
    /// The conversation's.
    pub context_id: String,
    pub agent: String,
    pub pattern: Pattern,
    pub types: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub members: BTreeMap<String, Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub last_turns: Option<u64>,
    pub summary: bool,
    pub sensitive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub agent_context_id: Option<String>,
    /// Where the agent is no principal: it is sent what is embedded for it, and can fetch nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Which message is wanted.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Embedding {
    /// One that is declared.
    #[schema(pattern = "^[!-~]{1,128}$")]
    pub agent: String,
    /// The query; without it what the user said last.
    #[schema(required = false, min_length = 1)]
    pub text: String,
    /// Metadata of the message, such as `userId`.
    #[schema(required = false, value_type = Object)]
    pub metadata: Value,
}

/// A message to be sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct Embedded {
    pub pattern: Pattern,
    pub agent: String,
    /// Estimated, of its parts.
    pub tokens: u64,
    /// What the same message would take with every turn and part of the conversation as it is.
    pub tokens_of_everything: u64,
    /// A message of A2A 1.0.
    #[schema(value_type = Object)]
    pub message: Value,
}

/// What an agent may see.
#[derive(Debug, Serialize, ToSchema)]
pub struct ForAgent {
    pub context_id: String,
    #[schema(value_type = Vec<MessagePart>)]
    pub parts: Value,
}
