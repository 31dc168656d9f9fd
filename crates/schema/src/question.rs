//! A question for a language model (docs/design.md §6, §7).
//!
//! What is asked lies beside the rule that it helps. Knows no protocol and no model. Invariants: everything that people wrote
//! stands as JSON in the user text and never in the system text; an answer can only take the place of what the rules would have
//! said, and passes their checks first.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use serde_json::json;

use crate::key::KeyDefinition;

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// Does a value match what was asked?
    Judge,
    /// Which wishes are there in a pool?
    Reader,
}

impl Use {
    /// All of them.
    pub const ALL: [Use; 2] = [Use::Judge, Use::Reader];
    /// What a model is asked for where nothing is said: about keys, and never what clients say.
    pub const OF_KEYS: [Use; 1] = [Use::Judge];

    /// The name in settings and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Use::Judge => "judge",
            Use::Reader => "reader",
        }
    }
}

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub for_use: Use,
    /// Instructions; the same for every question of its use.
    pub system: &'static str,
    /// One JSON object, as text.
    pub user: String,
    /// JSON Schema of the answer: an object, all members required, none beside them.
    pub schema: Value,
}

/// Characters of a description that a question holds.
const DESCRIPTION_CHARS_MAX: usize = 300;
/// Listed values that a question holds.
const VALUES_MAX: usize = 24;

/// The beginning of a description.
pub fn shortened(description: &str) -> String {
    description.chars().take(DESCRIPTION_CHARS_MAX).collect()
}

/// A key as a question shows it.
pub fn shown(key: &KeyDefinition) -> Value {
    let listed = key.constraints.get("enum").and_then(Value::as_array);
    json!({
        "key_name": key.key_name.as_str(),
        "key_type": key.key_type.name(),
        "description": shortened(&key.semantic_description),
        "values": listed.map(|values| values.iter().take(VALUES_MAX).collect::<Vec<_>>()),
    })
}

/// The schema of an answer that is one word out of a list.
pub fn one_word(name: &str, words: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {name: {"type": "string", "enum": words}},
        "required": [name],
        "additionalProperties": false,
    })
}
