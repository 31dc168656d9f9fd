//! What can happen to conversations. Read forever.
//!
//! The open part says what happened and to which conversation; what was said, summarised or kept lies in the sealed part of the
//! same record, and goes on in `more` records right after it.

use std::ops::Not;

use serde::Deserialize;
use serde::Serialize;

use crate::aggregate::Event;
use crate::conversation::recipient::Recipient;
use crate::conversation::summary::Method;
use crate::conversation::turn::Speaker;
use schema::name::ClientId;
use text::name::hexadecimal;

/// The id of a conversation made of sixteen random bytes: `ctx_` and 32 hexadecimal digits (P-001).
pub fn context_id(random: [u8; 16]) -> String {
    format!("ctx_{}", hexadecimal(&random))
}

/// What can happen to conversations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversationEvent {
    /// A conversation begins.
    Opened {
        context: String,
        /// The coordinator; `None` for a caller without a name.
        owner: Option<ClientId>,
    },
    /// Somebody spoke. Sealed: the words.
    Said {
        context: String,
        speaker: Speaker,
        /// The task that this turn belongs to (P-004).
        task: Option<String>,
        sensitive: bool,
        /// Whether it stands word for word beside every summary.
        #[serde(default, skip_serializing_if = "Not::not")]
        keep: bool,
        more: u32,
    },
    /// A typed part took the place of the one of its type. Sealed: its data.
    Shared {
        context: String,
        type_name: String,
        version: String,
        sensitive: bool,
        more: u32,
    },
    /// The first so many turns were summarised. Sealed: what of them is kept.
    Summarised {
        context: String,
        turns: usize,
        items: usize,
        /// The model whose vectors chose them.
        model: String,
        /// Who made it; extractive where an event does not say.
        #[serde(default)]
        method: Method,
        more: u32,
    },
    /// What an agent gets.
    Declared {
        context: String,
        agent: ClientId,
        recipient: Recipient,
    },
    /// An agent gets nothing any more.
    Undeclared { context: String, agent: ClientId },
    /// The conversation is gone.
    Removed {
        context: String,
        /// Who runs the service and did it instead of its owner.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operator: Option<ClientId>,
    },
    /// An agent kept something of its own: in old journals, where its contents are garbage.
    Kept {},
    /// It kept that no more: in old journals.
    Dropped {},
    /// Contents that nobody could ask for any more as of this record are erased. Written before the store itself knew what was erased.
    Erased { through: u64 },
    /// The sealed part of the record before goes on in this one.
    Continued,
}

impl Event for ConversationEvent {
    fn continued() -> ConversationEvent {
        ConversationEvent::Continued
    }

    fn more_mut(&mut self) -> Option<&mut u32> {
        match self {
            ConversationEvent::Said { more, .. }
            | ConversationEvent::Shared { more, .. }
            | ConversationEvent::Summarised { more, .. } => Some(more),
            ConversationEvent::Opened { .. }
            | ConversationEvent::Declared { .. }
            | ConversationEvent::Undeclared { .. }
            | ConversationEvent::Removed { .. }
            | ConversationEvent::Kept {}
            | ConversationEvent::Dropped {}
            | ConversationEvent::Erased { .. }
            | ConversationEvent::Continued => None,
        }
    }
}
