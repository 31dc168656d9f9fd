//! A turn as somebody sends it: words, and typed parts beside them (P-005 … P-011, P-018).
//!
//! Reads both forms: `{"role", "content"}`, and a message of A2A with its `parts`; a message that is only looked at may hold files,
//! and stand within the params that it is sent with. Invariant: what is wrong is told by its place, never by its value.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::a2a_task::message::Content;
use crate::a2a_task::message::Message;
use crate::a2a_task::message::Part;
use crate::a2a_task::message::parts;
use crate::a2a_task::typed_part;
use crate::fields::Faults;
use crate::fields::FieldFault;
use crate::fields::Fields;

/// Who spoke; as JSON a `role` of a ConversationHistory (P-018).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    #[default]
    User,
    Assistant,
}

impl Speaker {
    fn parse(role: &str) -> Option<Speaker> {
        match role {
            "user" | "ROLE_USER" => Some(Speaker::User),
            "assistant" | "agent" | "ROLE_AGENT" => Some(Speaker::Assistant),
            _ => None,
        }
    }
}

/// One turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    pub speaker: Speaker,
    /// The words of all its parts; empty where it has none.
    pub content: String,
    /// Parts of data, each with its place among all parts; files too, where it is only looked at.
    pub data: Vec<(usize, Part)>,
    /// Where all its parts stand in what was sent, such as `message.parts`.
    pub parts_at: String,
    /// Whether it goes to nobody but who is declared to get what is sensitive (P-035).
    pub sensitive: bool,
    /// Whether it stands word for word beside every summary that covers it.
    pub keep: bool,
    pub task: Option<String>,
    /// The context id that it names; empty for none.
    pub context: String,
}

/// What was said as a ConversationHistory has it (P-018).
pub fn as_history<'a>(said: impl IntoIterator<Item = (Speaker, &'a str)>) -> Value {
    let one = |(speaker, content): (Speaker, &str)| json!({"role": speaker, "content": content});
    Value::Array(said.into_iter().map(one).collect())
}

/// What a turn may hold: its own members, and those of a message of A2A.
const MEMBERS: [&str; 13] = [
    "role",
    "content",
    "parts",
    "sensitive",
    "keep",
    "taskId",
    "contextId",
    "messageId",
    "metadata",
    "extensions",
    "referenceTaskIds",
    "kind",
    "timestamp",
];

/// What a part of it may hold, files of A2A 0.3 included. `sensitive` beside `metadata` would let out what it was to hold back.
const PART: [&str; 9] = [
    "text",
    "raw",
    "url",
    "data",
    "file",
    "kind",
    "metadata",
    "filename",
    "mediaType",
];

/// Members of what a message of A2A is sent with.
const ENVELOPE: [&str; 3] = ["message", "configuration", "metadata"];

impl Turn {
    /// Reads a turn from JSON text; `bytes_max` bounds its words. Files are passed over by name, since none is kept; a turn of files
    /// alone is refused.
    ///
    /// # Errors
    /// Everything that is wrong, by its place.
    pub fn read(text: &str, bytes_max: usize) -> Result<Turn, Vec<FieldFault>> {
        let fields = body(text)?;
        let mut faults = Faults::default();
        let turn = Turn::of(&fields, bytes_max, &mut faults);
        let is_file = |(_, part): &(usize, Part)| matches!(part.content, Content::Raw(_) | Content::Url(_));
        if turn.content.is_empty() && !turn.data.is_empty() && turn.data.iter().all(is_file) {
            let what = "hold files alone, and files are not kept: send text or data beside them";
            faults.note(fields.place("parts"), what);
        }
        faults.none_in(turn)
    }

    /// Reads a message that nobody keeps, by itself or as the `message` of what `SendMessage` of A2A takes (P-017); files stand among
    /// its data, for who says what becomes of each part.
    ///
    /// # Errors
    /// Everything that is wrong, by its place.
    pub fn looked_at(text: &str) -> Result<Turn, Vec<FieldFault>> {
        let mut fields = body(text)?;
        if let Some(message) = fields.raw("message") {
            fields.only(&ENVELOPE).map_err(|fault| vec![fault])?;
            fields = Fields::read(message, "message.").map_err(|fault| vec![fault])?;
        }
        let mut faults = Faults::default();
        let turn = Turn::of(&fields, usize::MAX, &mut faults);
        faults.none_in(turn)
    }

    fn of(fields: &Fields<'_>, bytes_max: usize, faults: &mut Faults) -> Turn {
        faults.extend(fields.only(&MEMBERS).err());
        let speaker = fields.text("role").ok().and_then(|role| Speaker::parse(&role));
        if speaker.is_none() {
            let what = "must be user or assistant (or ROLE_USER, ROLE_AGENT)";
            faults.note(fields.place("role"), what);
        }
        let task = faults.take(fields.id("taskId"));
        let context = faults.take(fields.id("contextId"));
        let mut flag = |name: &str| faults.take(fields.get::<bool>(name, "true or false")).unwrap_or(false);
        let (sensitive, keep) = (flag("sensitive"), flag("keep"));
        let metadata = faults.take(fields.object("metadata"));
        faults.extend(typed_part::odd_flag(&metadata, &fields.place("")));
        let parts = held(fields, faults);
        let mut turn = Turn::of_parts(speaker.unwrap_or_default(), &metadata, parts);
        turn.parts_at = fields.place("parts");
        turn.sensitive |= sensitive;
        turn.keep |= keep;
        turn.task = Some(task).filter(|task| !task.is_empty());
        turn.context = context;
        if turn.content.len() > bytes_max {
            let what = format!("must have at most {bytes_max} bytes of text");
            faults.note(fields.place("content"), what);
        } else if turn.content.is_empty() && turn.data.is_empty() && faults.is_empty() {
            faults.note(fields.place("content"), "must not be empty");
        }
        turn
    }

    /// What a message of A2A says in a conversation.
    pub fn of_message(speaker: Speaker, message: Message) -> Turn {
        Turn::of_parts(speaker, &message.metadata, message.parts)
    }

    fn of_parts(speaker: Speaker, metadata: &Map<String, Value>, parts: Vec<Part>) -> Turn {
        let mut turn = Turn {
            speaker,
            sensitive: typed_part::is_sensitive(metadata),
            keep: metadata.get("keep") == Some(&Value::Bool(true)),
            parts_at: "message.parts".to_owned(),
            ..Turn::default()
        };
        let mut words: Vec<String> = Vec::new();
        for (place, part) in parts.into_iter().enumerate() {
            match part.content {
                Content::Text(text) => {
                    turn.sensitive |= typed_part::is_sensitive(&part.metadata);
                    words.extend(Some(text).filter(|text| !text.trim().is_empty()));
                }
                Content::Data(_) | Content::Raw(_) | Content::Url(_) => turn.data.push((place, part)),
            }
        }
        turn.content = words.join("\n");
        turn
    }
}

fn body(text: &str) -> Result<Fields<'_>, Vec<FieldFault>> {
    Fields::read(text, "").map_err(|fault| vec![fault])
}

/// The parts of a turn; one of words where it says `content`.
fn held(fields: &Fields<'_>, faults: &mut Faults) -> Vec<Part> {
    match (fields.raw("content").is_some(), fields.raw("parts").is_some()) {
        (true, false) => vec![Part::text(faults.take(fields.text("content")))],
        (false, true) => {
            let place = |at: usize| format!("{}[{at}].", fields.place("parts"));
            let listed: Vec<&RawValue> = fields.get("parts", "a list").ok().flatten().unwrap_or_default();
            let members = listed.iter().enumerate();
            faults
                .extend(members.filter_map(|(at, part)| Fields::read(part.get(), &place(at)).ok()?.only(&PART).err()));
            let parts = parts(fields, faults);
            let words = parts.iter().enumerate();
            let words = words.filter(|(_, part)| matches!(part.content, Content::Text(_)));
            faults.extend(words.filter_map(|(at, part)| odd_words(part, &place(at))));
            parts
        }
        (true, true) | (false, false) => {
            faults.note(fields.place("content"), "or parts must be given, and not both");
            Vec::new()
        }
    }
}

/// What is wrong with the metadata of words: a flag that is none, or a type that they must be understood by (P-016, P-035).
fn odd_words(part: &Part, place: &str) -> Option<FieldFault> {
    typed_part::odd_flag(&part.metadata, place).or_else(|| {
        let is_typed = part.metadata.contains_key("type") && typed_part::is_required(&part.metadata);
        let what = "must be understood, but words are of no type: send data";
        is_typed.then(|| FieldFault::new(format!("{place}metadata.type"), what))
    })
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
        assert_eq!(
            (short.task.as_deref(), short.sensitive, short.keep),
            (Some("task_1"), false, false)
        );
        for kept in [
            r#"{"role":"user","content":"Hello","keep":true}"#,
            r#"{"role":"user","content":"Hello","metadata":{"keep":true}}"#,
        ] {
            assert!(Turn::read(kept, 8).expect("a turn").keep);
        }
        assert_eq!(places(r#"{"role":"user","content":"Hello","keep":"yes"}"#), ["keep"]);
        let text = r#"{"role":"ROLE_USER","sensitive":true,"contextId":"ctx_1",
            "parts":[{"text":"a"},{"data":[1],"metadata":{"type":"T"}},{"text":"b"}]}"#;
        let whole = Turn::read(text, 8).expect("a turn");
        assert_eq!((whole.speaker, whole.content.as_str()), (Speaker::User, "a\nb"));
        assert_eq!((whole.data.len(), whole.data[0].0, whole.sensitive), (1, 1, true));
        assert_eq!(whole.context, "ctx_1");
    }

    #[test]
    fn words_that_are_called_sensitive_make_their_turn_so_and_a_flag_is_yes_or_no_p016_p035() {
        let turn = |part: &str, message: &str| {
            let text = format!(
                r#"{{"role":"user","metadata":{message},"parts":[{{"text":"a"}},{{"text":"b","metadata":{part}}}]}}"#
            );
            Turn::read(&text, 8).map(|turn| turn.sensitive)
        };
        assert_eq!(turn("{}", "{}"), Ok(false));
        assert_eq!(turn(r#"{"sensitive":false}"#, r#"{"sensitive":null}"#), Ok(false));
        assert_eq!(turn(r#"{"sensitive":true}"#, "{}"), Ok(true));
        assert_eq!(turn("{}", r#"{"sensitive":true}"#), Ok(true));
        let places = |part: &str, message: &str| -> Vec<String> {
            let faults = turn(part, message).expect_err("wrong");
            faults.into_iter().map(|fault| fault.field).collect()
        };
        assert_eq!(places(r#"{"sensitive":"no"}"#, "{}"), ["parts[1].metadata.sensitive"]);
        assert_eq!(places("{}", r#"{"sensitive":1}"#), ["metadata.sensitive"]);
        assert_eq!(
            places(r#"{"type":"T","required":true}"#, "{}"),
            ["parts[1].metadata.type"]
        );
    }

    #[test]
    fn a_message_that_is_looked_at_may_hold_files_and_stand_in_its_envelope_p007_p017() {
        let parts = r#"[{"text":"a"},{"url":"https://a"},{"file":{"uri":"https://a"}},{"data":1}]"#;
        let message = format!(r#"{{"role":"user","messageId":"m","parts":{parts}}}"#);
        let sent = format!(r#"{{"message":{message},"configuration":{{}},"metadata":{{}}}}"#);
        for text in [&message, &sent] {
            let turn = Turn::looked_at(text).expect("a message");
            assert_eq!(turn.content, "a");
            assert_eq!(turn.data.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [1, 2, 3]);
        }
        assert!(Turn::read(&message, 8).is_ok(), "they are passed over beside words");
        let alone = r#"{"role":"user","parts":[{"url":"https://a"},{"file":{"uri":"https://a"}}]}"#;
        assert!(Turn::looked_at(alone).is_ok());
        assert_eq!(places(alone), ["parts"]);
    }

    #[test]
    fn words_are_taken_up_to_their_end_and_faults_are_told_by_their_place() {
        assert!(Turn::read(r#"{"role":"user","content":"12345678"}"#, 8).is_ok());
        for (text, told) in [
            (r#"{"role":"user","content":"123456789"}"#, vec!["content"]),
            (r#"{"role":"user","content":" "}"#, vec!["content"]),
            (r#"{"role":"nobody","content":7}"#, vec!["role", "content"]),
            (
                r#"{"role":"user","parts":[{"url":"https://a"},{}],"sensitive":1}"#,
                vec!["sensitive", "parts[1]", "parts"],
            ),
        ] {
            assert_eq!(places(text), told, "{text}");
        }
    }
}
