//! What happens to conversations and to messages between agents, as labels of metrics.

use context::conversation::event::ConversationEvent;

/// What happens to a conversation, or to what an agent keeps of its own. What goes by its age is removed or dropped as well.
pub const CONVERSATION_EVENTS: [&str; 8] = [
    "opened",
    "said",
    "shared",
    "declared",
    "undeclared",
    "removed",
    "kept",
    "dropped",
];

/// The one of them that an event is. Summaries are counted by who made them.
pub fn label(event: &ConversationEvent) -> Option<&'static str> {
    match event {
        ConversationEvent::Opened { .. } => Some("opened"),
        ConversationEvent::Said { .. } => Some("said"),
        ConversationEvent::Shared { .. } => Some("shared"),
        ConversationEvent::Declared { .. } => Some("declared"),
        ConversationEvent::Undeclared { .. } => Some("undeclared"),
        ConversationEvent::Removed { .. } => Some("removed"),
        ConversationEvent::Kept { .. } => Some("kept"),
        ConversationEvent::Dropped { .. } => Some("dropped"),
        ConversationEvent::Summarised { .. } | ConversationEvent::Erased { .. } | ConversationEvent::Continued => None,
    }
}

/// How an agent comes by its context, where no message brings it.
pub const FETCHED: &str = "fetched";

/// Turns that a declaration kept from an agent since they are marked sensitive.
pub const SENSITIVE_TURN: &str = "sensitive_turn";
/// Parts that are.
pub const SENSITIVE_PART: &str = "sensitive_part";
/// Parts of a type that is not declared.
pub const UNDECLARED_PART: &str = "undeclared_part";
/// All that is kept from agents.
pub const WITHHELD: [&str; 3] = [SENSITIVE_TURN, SENSITIVE_PART, UNDECLARED_PART];

/// What is done with Agent Context Messages and with what agents offer.
pub const MESSAGE_OPERATIONS: [&str; 4] = ["check", "render", "convert", "register"];
