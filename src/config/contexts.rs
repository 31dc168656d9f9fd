//! How conversations, and messages between agents, are bounded.
//!
//! What each setting means stands in [`crate::config::catalogue::contexts`].

use serde::Deserialize;
use serde::Serialize;

/// What is said between users and agents, kept for coordinators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conversations {
    pub conversations_max: usize,
    pub per_client_max: usize,
    pub turns_max: usize,
    pub turn_bytes_max: usize,
    pub parts_max: usize,
    pub part_bytes_max: usize,
    pub recipients_max: usize,
    pub states_per_client_max: usize,
    pub kept_s: i64,
    pub summarise_after_turns: usize,
    pub kept_turns_max: usize,
    pub carried_bytes_max: usize,
    pub summary_sentences_max: usize,
    pub summary_bytes_max: usize,
}

impl Default for Conversations {
    fn default() -> Self {
        Conversations {
            conversations_max: 10_000,
            per_client_max: 1_000,
            turns_max: 1_000,
            turn_bytes_max: 16 * 1024,
            parts_max: 16,
            part_bytes_max: 64 * 1024,
            recipients_max: 32,
            states_per_client_max: 1_000,
            kept_s: 2_592_000,
            summarise_after_turns: 10,
            kept_turns_max: 20,
            carried_bytes_max: 16 * 1024 * 1024,
            summary_sentences_max: 12,
            summary_bytes_max: 4_096,
        }
    }
}

/// Agent Context Messages, and the agents that say what they offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Messages {
    pub policies: Vec<String>,
    pub render_tokens: u64,
    pub agents_max: usize,
}

impl Default for Messages {
    fn default() -> Self {
        Messages {
            policies: Vec::new(),
            render_tokens: 2_000,
            agents_max: 1_000,
        }
    }
}
