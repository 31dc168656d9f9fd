//! A part of a message or an artifact: text, bytes, an address or data (A2A §4.1.6, P-006, P-007, P-020).
//!
//! Data stays the text that came, so that big numbers and members that are written twice reach the validator as they are.

use serde::Serialize;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::a2a_task::field::FieldFault;
use crate::a2a_task::field::Fields;
use schema::exchange::envelope;

/// What a part holds: exactly one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Text(String),
    /// Base64.
    Raw(String),
    Url(String),
    /// JSON text.
    Data(String),
}

/// One part.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub content: Content,
    pub metadata: Map<String, Value>,
    pub filename: String,
    pub media_type: String,
    /// Whether it came as `file`, the way of version 0.3: such a part is passed over and fails no message (P-006).
    pub is_file: bool,
    /// A member beside what it holds that is meant to be one of a submission. Where it holds one, to pass that over would be to put on
    /// record what was only to be tried.
    pub beside: Option<FieldFault>,
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
        held.extend(file);
        // Data may be null, which for the others means that they are left out.
        held.extend(fields.given("data").map(|data| Content::Data(data.to_owned())));
        let content = match (held.pop(), held.pop()) {
            (Some(content), None) => content,
            (None | Some(_), _) => {
                return Err(FieldFault::new(
                    place,
                    "must hold exactly one of text, raw, url and data (or file, as version 0.3 has it)",
                ));
            }
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
            is_file: fields.raw("file").is_some(),
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

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.content {
            Content::Text(text) => map.serialize_entry("text", text)?,
            Content::Raw(raw) => map.serialize_entry("raw", raw)?,
            Content::Url(url) => map.serialize_entry("url", url)?,
            Content::Data(json) => {
                let data: &RawValue = serde_json::from_str(json).map_err(serde::ser::Error::custom)?;
                map.serialize_entry("data", data)?;
            }
        }
        if !self.metadata.is_empty() {
            map.serialize_entry("metadata", &self.metadata)?;
        }
        if !self.filename.is_empty() {
            map.serialize_entry("filename", &self.filename)?;
        }
        if !self.media_type.is_empty() {
            map.serialize_entry("mediaType", &self.media_type)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::Content;
    use super::Part;

    #[test]
    fn a_part_holds_exactly_one_thing_p006_p007() {
        for (text, right) in [
            (r#"{"text":"a"}"#, true),
            (r#"{"text":""}"#, true),
            (r#"{"raw":"YQ=="}"#, true),
            (r#"{"url":"https://a"}"#, true),
            (r#"{"data":null}"#, true),
            (r#"{"data":[1]}"#, true),
            (r#"{"text":"a","data":null}"#, false),
            (r#"{"text":"a","raw":null}"#, true),
            (r#"{"text":"a","url":"https://a"}"#, false),
            ("{}", false),
            (r#"{"kind":"text"}"#, false),
            (r#"{"kind":"file","file":{"uri":"https://a"}}"#, true),
            (r#"{"file":{"bytes":"YQ=="},"url":"https://a"}"#, false),
            (r#"{"file":{"bytes":"YQ==","uri":"https://a"}}"#, false),
            (r#"{"file":{"name":"a.pdf"}}"#, false),
            (r#"{"file":"https://a"}"#, false),
            (r#"{"text":7}"#, false),
            (r#"{"text":"a","metadata":[]}"#, false),
            ("7", false),
        ] {
            assert_eq!(Part::read(text, "message.parts[0]").is_ok(), right, "{text}");
        }
    }

    #[test]
    fn a_file_of_version_0_3_is_read_as_one_of_version_1_0_p007() {
        for (content, old) in [
            (
                Content::Raw("YQ==".to_owned()),
                r#"{"bytes":"YQ==","mimeType":"image/png","name":"a.png"}"#,
            ),
            (
                Content::Url("https://a".to_owned()),
                r#"{"uri":"https://a","mimeType":"image/png","name":"a.png"}"#,
            ),
            (
                Content::Url("https://a".to_owned()),
                r#"{"fileWithUri":"https://a","mimeType":"image/png","name":"a.png"}"#,
            ),
        ] {
            let text = format!(r#"{{"kind":"file","file":{old},"metadata":{{"type":"t"}}}}"#);
            let part = Part::read(&text, "p").expect("a part");
            assert_eq!(part.content, content, "{old}");
            assert_eq!(
                (part.filename.as_str(), part.media_type.as_str()),
                ("a.png", "image/png")
            );
            assert_eq!(part.metadata["type"], "t");
        }
    }

    #[test]
    fn data_of_any_value_comes_out_as_it_came_in_p020() {
        for data in [
            "[1,2]",
            "{\"a\":12345678901234567890123,\"a\":7.0}",
            "\"x\"",
            "null",
            "1e400",
        ] {
            let text =
                format!("{{\"data\":{data},\"metadata\":{{\"type\":\"t\"}},\"mediaType\":\"application/json\"}}");
            let part = Part::read(&text, "p").expect("a part");
            assert_eq!(part.content, Content::Data(data.to_owned()));
            assert_eq!(serde_json::to_string(&part).expect("JSON"), text);
        }
    }
}
