//! A turn as somebody sends it: words, and typed parts beside them (P-005 … P-011, P-018).
//!
//! Reads both forms: `{"role", "content"}`, and a message of A2A with its `parts`. Invariant: what is wrong is told by its
//! place, never by its value.

use serde::Deserialize;
use serde::Serialize;

use crate::domain::task::field::FieldFault;
use crate::domain::task::field::Fields;
use crate::domain::task::message::parts;
use crate::domain::task::part::Content;
use crate::domain::task::part::Part;

/// Who spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    User,
    Assistant,
}

impl Speaker {
    /// As a `role` of a ConversationHistory (P-018).
    pub fn name(self) -> &'static str {
        match self {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        }
    }

    fn parse(text: &str) -> Option<Speaker> {
        match text {
            "user" | "ROLE_USER" => Some(Speaker::User),
            "assistant" | "agent" | "ROLE_AGENT" => Some(Speaker::Assistant),
            _ => None,
        }
    }
}

/// One turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    pub speaker: Speaker,
    /// The words of all its parts; empty where it has none.
    pub content: String,
    /// Parts of data, each with its place among all parts.
    pub data: Vec<(usize, Part)>,
    /// Whether it goes to nobody but who is declared to get what is sensitive (P-035).
    pub sensitive: bool,
    pub task: Option<String>,
    /// The context id that it names; empty for none.
    pub context: String,
}

/// What a turn may hold: its own members, and those of a message of A2A.
const MEMBERS: [&str; 12] = [
    "role",
    "content",
    "parts",
    "sensitive",
    "taskId",
    "contextId",
    "messageId",
    "metadata",
    "extensions",
    "referenceTaskIds",
    "kind",
    "timestamp",
];

impl Turn {
    /// Reads a turn from JSON text; `bytes_max` bounds its words.
    ///
    /// # Errors
    /// Everything that is wrong, by its place.
    pub fn read(text: &str, bytes_max: usize) -> Result<Turn, Vec<FieldFault>> {
        let fields = Fields::read(text, "").map_err(|_| vec![FieldFault::new("the body", "must be a JSON object")])?;
        let mut faults: Vec<FieldFault> = fields.only(&MEMBERS).err().into_iter().collect();
        let speaker = match fields.get::<String>("role", "a string") {
            Ok(role) => role.as_deref().and_then(Speaker::parse),
            Err(_) => None,
        };
        if speaker.is_none() {
            faults.push(FieldFault::new(
                "role",
                "must be user or assistant (or ROLE_USER, ROLE_AGENT)",
            ));
        }
        let mut id = |name: &str| {
            fields.id(name).unwrap_or_else(|fault| {
                faults.push(fault);
                String::new()
            })
        };
        let (task, context) = (id("taskId"), id("contextId"));
        let sensitive = fields
            .get::<bool>("sensitive", "true or false")
            .unwrap_or_else(|fault| {
                faults.push(fault);
                None
            });
        let mut words: Vec<String> = Vec::new();
        let mut data = Vec::new();
        match (fields.raw("content").is_some(), fields.raw("parts").is_some()) {
            (true, false) => match fields.text("content") {
                Ok(content) => words.push(content),
                Err(fault) => faults.push(fault),
            },
            (false, true) => {
                for (place, part) in parts(&fields, &mut faults).into_iter().enumerate() {
                    match part.content {
                        Content::Text(text) => words.push(text),
                        Content::Data(_) => data.push((place, part)),
                        Content::Raw(_) | Content::Url(_) => {
                            let what = "holds a file, and files are not kept: send text or data";
                            faults.push(FieldFault::new(format!("parts[{place}]"), what));
                        }
                    }
                }
            }
            (true, true) | (false, false) => {
                faults.push(FieldFault::new("content", "or parts must be given, and not both"));
            }
        }
        words.retain(|word| !word.trim().is_empty());
        let content = words.join("\n");
        if content.len() > bytes_max {
            faults.push(FieldFault::new(
                "content",
                format!("must have at most {bytes_max} bytes of text"),
            ));
        } else if content.is_empty() && data.is_empty() && faults.is_empty() {
            faults.push(FieldFault::new("content", "must not be empty"));
        }
        match speaker {
            Some(speaker) if faults.is_empty() => Ok(Turn {
                speaker,
                content,
                data,
                sensitive: sensitive.unwrap_or(false),
                task: Some(task).filter(|task| !task.is_empty()),
                context,
            }),
            Some(_) | None => Err(faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Speaker;
    use super::Turn;

    fn places(text: &str) -> Vec<String> {
        let faults = Turn::read(text, 8).expect_err("wrong");
        faults.into_iter().map(|fault| fault.field).collect()
    }

    #[test]
    fn a_turn_is_read_in_both_forms_p005_p006_p018() {
        let short = Turn::read(r#"{"role":"assistant","content":"Hello","taskId":"task_1"}"#, 8).expect("a turn");
        assert_eq!((short.speaker, short.content.as_str()), (Speaker::Assistant, "Hello"));
        assert_eq!((short.task.as_deref(), short.sensitive), (Some("task_1"), false));
        let text = r#"{"role":"ROLE_USER","sensitive":true,"contextId":"ctx_1",
            "parts":[{"text":"a"},{"data":[1],"metadata":{"type":"T"}},{"text":"b"}]}"#;
        let whole = Turn::read(text, 8).expect("a turn");
        assert_eq!((whole.speaker, whole.content.as_str()), (Speaker::User, "a\nb"));
        assert_eq!((whole.data.len(), whole.data[0].0, whole.sensitive), (1, 1, true));
        assert_eq!(whole.context, "ctx_1");
    }

    #[test]
    fn words_are_taken_up_to_their_end_and_faults_are_told_by_their_place() {
        assert!(Turn::read(r#"{"role":"user","content":"12345678"}"#, 8).is_ok());
        assert_eq!(places(r#"{"role":"user","content":"123456789"}"#), ["content"]);
        assert_eq!(places(r#"{"role":"user","content":" "}"#), ["content"]);
        assert_eq!(places(r#"{"role":"user"}"#), ["content"]);
        assert_eq!(
            places(r#"{"role":"user","content":"a","parts":[{"text":"a"}]}"#),
            ["content"]
        );
        assert_eq!(places(r#"{"role":"nobody","content":7}"#), ["role", "content"]);
        assert_eq!(
            places(r#"{"role":"user","parts":[{"url":"https://a"},{}],"sensitive":1}"#),
            ["sensitive", "parts[1]", "parts[0]"]
        );
        assert_eq!(places("[]"), ["the body"]);
    }
}
