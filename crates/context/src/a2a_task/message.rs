//! A message between a client and this service (A2A §4.1.4, P-005, P-010, P-017).

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::a2a_task::field::FieldFault;
use crate::a2a_task::field::Fields;
use crate::a2a_task::field::ID_BYTES_MAX;
use crate::a2a_task::part::Part;

/// Parts of one message.
pub const PARTS_MAX: usize = 64;
/// Extensions and referenced tasks that one message may name, each.
const NAMES_MAX: usize = 64;

/// The roles as version 0.3 spells them (P-017).
const OLD_USER: &str = "user";
const OLD_AGENT: &str = "agent";

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Role {
    #[serde(rename = "ROLE_USER")]
    User,
    #[serde(rename = "ROLE_AGENT")]
    Agent,
}

/// One message. As JSON it is A2A's.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub message_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    pub role: Role,
    pub parts: Vec<Part>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// Reads a message that stands at this place.
    ///
    /// # Errors
    /// Everything that is wrong, by its place.
    pub fn read(text: &str, place: &str) -> Result<Message, Vec<FieldFault>> {
        let fields = Fields::read(text, &format!("{place}.")).map_err(|fault| vec![fault])?;
        let mut faults = Vec::new();
        let mut id = |name: &str| match fields.id(name) {
            Ok(id) => id,
            Err(fault) => {
                faults.push(fault);
                String::new()
            }
        };
        let (message_id, context_id, task_id) = (id("messageId"), id("contextId"), id("taskId"));
        if message_id.is_empty() && faults.is_empty() {
            faults.push(FieldFault::new(fields.place("messageId"), "is required"));
        }
        let role = match fields.get::<String>("role", "a string") {
            Ok(Some(role)) if ["ROLE_USER", OLD_USER].contains(&role.as_str()) => Role::User,
            Ok(Some(role)) if ["ROLE_AGENT", OLD_AGENT].contains(&role.as_str()) => Role::Agent,
            Ok(None | Some(_)) => {
                faults.push(FieldFault::new(fields.place("role"), "must be ROLE_USER"));
                Role::User
            }
            Err(fault) => {
                faults.push(fault);
                Role::User
            }
        };
        let parts = parts(&fields, &mut faults);
        let names =
            |name: &str, faults: &mut Vec<FieldFault>| match fields.get::<Vec<String>>(name, "a list of strings") {
                Ok(names) => {
                    let names = names.unwrap_or_default();
                    if names.len() > NAMES_MAX || names.iter().any(|name| name.len() > ID_BYTES_MAX) {
                        let what = format!("must be at most {NAMES_MAX} strings of at most {ID_BYTES_MAX} bytes");
                        faults.push(FieldFault::new(fields.place(name), what));
                    }
                    names
                }
                Err(fault) => {
                    faults.push(fault);
                    Vec::new()
                }
            };
        let extensions = names("extensions", &mut faults);
        let reference_task_ids = names("referenceTaskIds", &mut faults);
        let metadata = fields.object("metadata").unwrap_or_else(|fault| {
            faults.push(fault);
            Map::new()
        });
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Message {
            message_id,
            context_id,
            task_id,
            role,
            parts,
            metadata,
            extensions,
            reference_task_ids,
        })
    }
}

/// Whether a message bears a role in the spelling of version 0.3, by which it says what it speaks where no header does.
pub fn is_spelt_as_before(message: &str) -> bool {
    let role = Fields::read(message, "").and_then(|fields| fields.text("role"));
    role.is_ok_and(|role| [OLD_USER, OLD_AGENT].contains(&role.as_str()))
}

/// The parts of a message or an artifact; at least one, at most [`PARTS_MAX`].
pub fn parts(fields: &Fields<'_>, faults: &mut Vec<FieldFault>) -> Vec<Part> {
    let place = fields.place("parts");
    let listed = match fields.get::<Vec<&RawValue>>("parts", "a list of parts") {
        Ok(listed) => listed.unwrap_or_default(),
        Err(fault) => {
            faults.push(fault);
            return Vec::new();
        }
    };
    if listed.is_empty() || listed.len() > PARTS_MAX {
        faults.push(FieldFault::new(place, format!("must hold 1 to {PARTS_MAX} parts")));
        return Vec::new();
    }
    let mut parts = Vec::with_capacity(listed.len());
    for (n, raw) in listed.into_iter().enumerate() {
        match Part::read(raw.get(), &format!("{place}[{n}]")) {
            Ok(part) => parts.push(part),
            Err(fault) => faults.push(fault),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::Message;
    use super::PARTS_MAX;
    use super::Role;

    const GOLDEN: &str = r#"{"messageId":"msg-001","contextId":"ctx-123","role":"ROLE_USER","parts":[{"text":"tell me more about option 4"},{"data":[{"role":"user","content":"hi"}],"metadata":{"type":"ConversationHistory","schemaVersion":"1.0"}},{"data":{"userProfile":{"location":"Ulm"}},"metadata":{"type":"UserContext","schemaVersion":"1.0"}}],"metadata":{"userId":"2"}}"#;

    #[test]
    fn the_golden_message_is_read_and_written_as_it_is_p005_p008_p010_p017() {
        let message = Message::read(GOLDEN, "message").expect("a message");
        assert_eq!((message.role, message.parts.len()), (Role::User, 3));
        assert_eq!(message.metadata["userId"], "2");
        assert_eq!(message.parts[1].metadata["type"], "ConversationHistory");
        assert_eq!(serde_json::to_string(&message).expect("JSON"), GOLDEN);
    }

    #[test]
    fn everything_that_is_wrong_is_told_by_its_place() {
        let faults = Message::read(
            r#"{"role":"nobody","parts":[{"text":1},{"text":"a"},{}],"metadata":7}"#,
            "message",
        );
        let places: Vec<String> = faults
            .expect_err("wrong")
            .into_iter()
            .map(|fault| fault.field)
            .collect();
        assert_eq!(
            places,
            [
                "message.messageId",
                "message.role",
                "message.parts[0].text",
                "message.parts[2]",
                "message.metadata"
            ]
        );
    }

    #[test]
    fn a_message_in_the_spelling_of_before_is_read_p006_p017() {
        let old = r#"{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"a"},{"text":"b"},
            {"kind":"file","file":{"uri":"https://a.example/b.png","mimeType":"image/png"}},{"kind":"data","data":[1]}]}"#;
        let message = Message::read(old, "message").expect("a message");
        assert_eq!((message.role, message.parts.len()), (Role::User, 4));
        assert_eq!(message.parts.iter().filter(|part| part.is_file).count(), 1);
        for (text, old) in [
            (old, true),
            (r#"{"role":"agent"}"#, true),
            (GOLDEN, false),
            ("{}", false),
            ("[]", false),
        ] {
            assert_eq!(super::is_spelt_as_before(text), old, "{text}");
        }
    }

    #[test]
    fn a_message_has_one_to_so_many_parts_p005() {
        let of = |count: usize| {
            let parts = vec![r#"{"text":"a"}"#; count].join(",");
            let text = format!(r#"{{"messageId":"m","role":"ROLE_USER","parts":[{parts}]}}"#);
            Message::read(&text, "message").is_ok()
        };
        assert_eq!([0, 1, PARTS_MAX, PARTS_MAX + 1].map(of), [false, true, true, false]);
    }
}
