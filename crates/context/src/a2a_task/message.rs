//! Messages, their parts, and what a task brings forth (A2A §4.1.4, §4.1.6, §4.1.7, P-005 … P-010, P-017, P-020). As JSON they are the
//! protocol's.
//!
//! Data stays the text that came, so that big numbers and members that are written twice reach the validator as they are.

use serde::Serialize;
use serde::Serializer;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::fields::Faults;
use crate::fields::FieldFault;
use crate::fields::Fields;
use crate::fields::ID_BYTES_MAX;
use schema::exchange::envelope;

/// Parts of one message.
pub const PARTS_MAX: usize = 64;
/// Extensions and referenced tasks that one message may name, each.
const NAMES_MAX: usize = 64;

/// The roles as version 0.3 spells them (P-017).
const OLD_USER: &str = "user";
const OLD_AGENT: &str = "agent";

/// Who speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = A2aRole)]
pub enum Role {
    #[default]
    #[serde(rename = "ROLE_USER")]
    User,
    #[serde(rename = "ROLE_AGENT")]
    Agent,
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = A2aMessage)]
pub struct Message {
    pub message_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    pub role: Role,
    #[schema(value_type = Vec<Object>)]
    pub parts: Vec<Part>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
}

/// What a part holds: exactly one of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Content {
    Text(String),
    /// Base64.
    Raw(String),
    Url(String),
    /// JSON text.
    #[serde(serialize_with = "verbatim")]
    Data(String),
}

/// One part.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    #[serde(flatten)]
    pub content: Content,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub filename: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub media_type: String,
    /// Whether it came as `file`, the way of version 0.3: such a part is passed over and fails no message (P-006).
    #[serde(skip)]
    pub is_file: bool,
    /// A member beside what it holds that is meant to be one of a submission. Where it holds one, to pass that over would be to put on
    /// record what was only to be tried.
    #[serde(skip)]
    pub beside: Option<FieldFault>,
}

/// Something that a task brings forth.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = A2aArtifact)]
pub struct Artifact {
    pub artifact_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[schema(value_type = Vec<Object>)]
    pub parts: Vec<Part>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

impl Message {
    /// Reads a message that stands at this place.
    ///
    /// # Errors
    /// Everything that is wrong, by its place.
    pub fn read(text: &str, place: &str) -> Result<Message, Vec<FieldFault>> {
        let fields = Fields::read(text, &format!("{place}.")).map_err(|fault| vec![fault])?;
        let mut faults = Faults::default();
        let mut message = Message {
            message_id: faults.take(fields.id("messageId")),
            context_id: faults.take(fields.id("contextId")),
            task_id: faults.take(fields.id("taskId")),
            ..Message::default()
        };
        if message.message_id.is_empty() && faults.is_empty() {
            faults.note(fields.place("messageId"), "is required");
        }
        message.role = faults.take(role(&fields));
        message.parts = parts(&fields, &mut faults);
        message.extensions = faults.take(names(&fields, "extensions"));
        message.reference_task_ids = faults.take(names(&fields, "referenceTaskIds"));
        message.metadata = faults.take(fields.object("metadata"));
        faults.none_in(message)
    }
}

fn role(fields: &Fields<'_>) -> Result<Role, FieldFault> {
    match fields.text("role")?.as_str() {
        "ROLE_USER" | OLD_USER => Ok(Role::User),
        "ROLE_AGENT" | OLD_AGENT => Ok(Role::Agent),
        _ => Err(FieldFault::new(fields.place("role"), "must be ROLE_USER")),
    }
}

fn names(fields: &Fields<'_>, name: &str) -> Result<Vec<String>, FieldFault> {
    let names: Vec<String> = fields.get(name, "a list of strings")?.unwrap_or_default();
    if names.len() > NAMES_MAX || names.iter().any(|name| name.len() > ID_BYTES_MAX) {
        let what = format!("must be at most {NAMES_MAX} strings of at most {ID_BYTES_MAX} bytes");
        return Err(FieldFault::new(fields.place(name), what));
    }
    Ok(names)
}

/// Whether a message bears a role in the spelling of version 0.3, by which it says what it speaks where no header does.
pub fn is_spelt_as_before(message: &str) -> bool {
    let role = Fields::read(message, "").and_then(|fields| fields.text("role"));
    role.is_ok_and(|role| [OLD_USER, OLD_AGENT].contains(&role.as_str()))
}

/// The parts of a message or an artifact; at least one, at most [`PARTS_MAX`].
pub fn parts(fields: &Fields<'_>, faults: &mut Faults) -> Vec<Part> {
    let place = fields.place("parts");
    let listed: Vec<&RawValue> = match fields.get("parts", "a list of parts") {
        Ok(listed) => listed.unwrap_or_default(),
        Err(fault) => {
            faults.extend([fault]);
            return Vec::new();
        }
    };
    if listed.is_empty() || listed.len() > PARTS_MAX {
        faults.note(place, format!("must hold 1 to {PARTS_MAX} parts"));
        return Vec::new();
    }
    let read = listed.into_iter().enumerate();
    let read = read.map(|(n, raw)| Part::read(raw.get(), &format!("{place}[{n}]")).map(Some));
    read.filter_map(|part| faults.take(part)).collect()
}

impl Part {
    /// A part of plain words.
    pub fn text(text: impl Into<String>) -> Part {
        Part::of(Content::Text(text.into()), "")
    }

    /// A part of data, by its JSON text.
    pub fn data(json: String, media_type: &str) -> Part {
        Part::of(Content::Data(json), media_type)
    }

    /// A part without metadata.
    pub fn of(content: Content, media_type: &str) -> Part {
        Part {
            content,
            metadata: Map::new(),
            filename: String::new(),
            media_type: media_type.to_owned(),
            is_file: false,
            beside: None,
        }
    }

    /// The same part, said to be of this type and version (P-009, P-011).
    #[must_use]
    pub fn typed(mut self, name: &str, version: &str) -> Part {
        self.metadata.insert("type".to_owned(), Value::from(name));
        self.metadata.insert("schemaVersion".to_owned(), Value::from(version));
        self
    }

    /// The JSON text of a part of data.
    pub fn as_data(&self) -> Option<&str> {
        match &self.content {
            Content::Data(json) => Some(json),
            Content::Text(_) | Content::Raw(_) | Content::Url(_) => None,
        }
    }

    /// The type that its metadata name.
    pub fn type_name(&self) -> Option<&str> {
        self.metadata.get("type").and_then(Value::as_str)
    }

    /// Reads a part at a place such as `message.parts[0]`; a file also in the shape of version 0.3 (P-007).
    ///
    /// # Errors
    /// The first member that is wrong.
    pub fn read(text: &str, place: &str) -> Result<Part, FieldFault> {
        let fields = Fields::read(text, &format!("{place}."))?;
        let string = |name: &str| -> Result<Option<String>, FieldFault> { fields.get(name, "a string") };
        let mut held = Vec::new();
        held.extend(string("text")?.map(Content::Text));
        held.extend(string("raw")?.map(Content::Raw));
        held.extend(string("url")?.map(Content::Url));
        let old = fields.raw("file").map(|file| old_file(file, &fields.place("file")));
        let (file, filename, media_type) = match old.transpose()? {
            Some(old) => (Some(old.content), old.filename, old.media_type),
            None => (None, fields.text("filename")?, fields.text("mediaType")?),
        };
        let is_file = file.is_some();
        held.extend(file);
        // Data may be null, which for the others means that they are left out.
        held.extend(fields.given("data").map(|data| Content::Data(data.to_owned())));
        let (Some(content), None) = (held.pop(), held.pop()) else {
            let what = "must hold exactly one of text, raw, url and data (or file, as version 0.3 has it)";
            return Err(FieldFault::new(place, what));
        };
        let stray = |name: &str| Some((envelope::shown(name), envelope::meant(name, &envelope::MEMBERS)?));
        let beside = fields.names().find_map(stray).map(|(given, member)| {
            let what = format!("is no member of a part: `{member}` is meant, in its data or its metadata");
            FieldFault::new(fields.place(&given), what)
        });
        Ok(Part {
            content,
            metadata: fields.object("metadata")?,
            filename,
            media_type,
            is_file,
            beside,
        })
    }
}

/// A file as version 0.3 has it: `{"bytes" or "uri", "mimeType", "name"}`; its binding of gRPC says `fileWithBytes` and `fileWithUri`.
fn old_file(text: &str, place: &str) -> Result<Part, FieldFault> {
    let fields = Fields::read(text, &format!("{place}."))?;
    let either = |names: [&str; 2]| -> Result<Option<String>, FieldFault> {
        match fields.get(names[0], "a string")? {
            None => fields.get(names[1], "a string"),
            given => Ok(given),
        }
    };
    let content = match (either(["bytes", "fileWithBytes"])?, either(["uri", "fileWithUri"])?) {
        (Some(bytes), None) => Content::Raw(bytes),
        (None, Some(address)) => Content::Url(address),
        (Some(_), Some(_)) | (None, None) => {
            return Err(FieldFault::new(place, "must hold either bytes or uri"));
        }
    };
    Ok(Part {
        filename: fields.text("name")?,
        ..Part::of(content, &fields.text("mimeType")?)
    })
}

/// JSON text as it is.
fn verbatim<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let data: &RawValue = serde_json::from_str(json).map_err(serde::ser::Error::custom)?;
    data.serialize(serializer)
}

impl Artifact {
    /// Reads one that was written here; `None` for anything else.
    pub fn read(text: &str) -> Option<Artifact> {
        let fields = Fields::read(text, "").ok()?;
        let mut faults = Faults::default();
        let artifact = Artifact {
            artifact_id: fields.text("artifactId").ok()?,
            name: fields.text("name").ok()?,
            parts: parts(&fields, &mut faults),
            extensions: fields.get("extensions", "a list").ok()?.unwrap_or_default(),
        };
        faults.none_in(artifact).ok()
    }
}

#[cfg(test)]
mod tests;
