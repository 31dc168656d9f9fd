//! Whether a typed part can be processed: its type and version beside what is hosted (P-009 … P-016, P-020, P-038).
//!
//! Invariant: a part that cannot be processed is skipped or refused by itself, with what is hosted instead; it never takes the
//! message with it, unless it says that it must be understood.

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::a2a_task::field::FieldFault;
use crate::a2a_task::typed;
use crate::a2a_task::typed::Fit;
use crate::a2a_task::typed::Known;
use schema::catalogue::LABELS;
use schema::name::SchemaId;
use schema::template::SchemaTemplate;
use schema::template::Version;

/// The label of a template whose payload is the data of a part: its value names the key that holds the data whole.
pub const LABEL: &str = "part_data";
/// The type of a part that holds what was said.
pub const HISTORY: &str = "ConversationHistory";
/// The version that is written here.
pub const HISTORY_VERSION: &str = "1.0.0";
/// Bytes of a type's name.
pub const TYPE_BYTES_MAX: usize = 128;

/// The key that a part's data are the value of, where a template is for parts.
pub fn data_key(template: &SchemaTemplate) -> Option<&str> {
    let labels = template.unknown.get(LABELS)?.as_object()?;
    labels.get(LABEL)?.as_str()
}

/// A part's data as the payload of a template: under the key that its label names, or as they are where it has none.
pub fn payload(template: &SchemaTemplate, data: &str) -> String {
    match data_key(template) {
        Some(key) => format!("{{{}:{data}}}", Value::from(key)),
        None => data.to_owned(),
    }
}

/// How a type is spelt beside how it is published. A part is read by a type of any case; to whom it goes is said by its very name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As it is published.
    Own,
    /// It is published in this spelling.
    Other(String),
    /// Nothing of it is published; this is the nearest that is, where one is near.
    Unknown(Option<String>),
}

/// What becomes of a part before its data are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// This schema reads it. What is newer in it is ignored, where its version is newer (P-014).
    By {
        schema_id: SchemaId,
        version: Version,
        newer: bool,
    },
    /// Passed over, with the reason (P-016).
    Skipped(String),
    /// Not processed, with the reason and what is hosted (P-014).
    Refused(String),
}

/// How a part is read. `known` says what a type names.
pub fn read(metadata: &Map<String, Value>, known: impl Fn(&str) -> Vec<Known>) -> Reading {
    let name = match metadata.get("type") {
        Some(Value::String(name)) if !name.is_empty() && name.len() <= TYPE_BYTES_MAX => name,
        Some(_) => return Reading::Skipped(format!("its type is no text of 1 to {TYPE_BYTES_MAX} bytes")),
        None => return Reading::Skipped("its metadata say no type".to_owned()),
    };
    let wanted = match metadata.get("schemaVersion") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => match typed::version(text) {
            Some(version) => Some(version),
            None => return Reading::Refused("its schemaVersion is not MAJOR.MINOR or MAJOR.MINOR.PATCH".to_owned()),
        },
        Some(_) => return Reading::Refused("its schemaVersion is not MAJOR.MINOR or MAJOR.MINOR.PATCH".to_owned()),
    };
    let known = known(name);
    match typed::fit(wanted, None, &known) {
        Fit::Unknown | Fit::Context => Reading::Skipped("no schema of its type is hosted".to_owned()),
        Fit::Schema(schema_id) => {
            let hosted = known.iter().find(|known| known.schema_id == schema_id);
            let version = hosted.map_or_else(Version::default, |known| known.version);
            Reading::By {
                newer: wanted.is_some_and(|wanted| wanted > version),
                schema_id,
                version,
            }
        }
        Fit::OtherMajor(_) => {
            let hosted = hosted_versions(&known);
            Reading::Refused(match hosted.as_slice() {
                [] => "every schema of its type is retired".to_owned(),
                hosted => format!(
                    "its major version is not read here; hosted of its type: {}",
                    hosted.join(", ")
                ),
            })
        }
    }
}

/// Versions that take something, oldest first.
pub fn hosted_versions(known: &[Known]) -> Vec<String> {
    let mut open: Vec<Version> = known
        .iter()
        .filter(|known| !known.retired)
        .map(|known| known.version)
        .collect();
    open.sort_unstable();
    open.dedup();
    open.iter().map(Version::to_string).collect()
}

/// What became of a part, as its sender is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// Its place among the parts, from 0.
    pub part: usize,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// `processed`, `skipped` or `refused`.
    pub outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_id: Option<String>,
    /// Of the schema that read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Why it is not processed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Told {
    /// Whether it was refused by itself, not merely passed over.
    pub fn is_refused(&self) -> bool {
        self.outcome == "refused"
    }
}

/// Whether a part must be understood, so that the message fails with it (P-016).
pub fn is_required(metadata: &Map<String, Value>) -> bool {
    metadata.get("required") == Some(&Value::Bool(true))
}

/// Whether metadata call what they stand beside sensitive (P-035). What is neither yes nor no is taken for yes, since a mistake
/// could let something out.
pub fn is_sensitive(metadata: &Map<String, Value>) -> bool {
    !matches!(metadata.get("sensitive"), None | Some(Value::Null | Value::Bool(false)))
}

/// A flag of metadata that is neither true nor false: passing over it could let something out (P-016, P-035). `place` is where what
/// the metadata belong to stands, such as `message.parts[0].`.
pub fn odd_flag(metadata: &Map<String, Value>, place: &str) -> Option<FieldFault> {
    let odd = ["required", "sensitive"].into_iter().find(|name| {
        let given = metadata.get(*name);
        given.is_some_and(|value| !value.is_boolean() && !value.is_null())
    });
    odd.map(|name| FieldFault::new(format!("{place}metadata.{name}"), "must be true or false"))
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use serde_json::Value;
    use serde_json::json;

    use super::Known;
    use super::Reading;
    use super::SchemaId;
    use super::SchemaTemplate;
    use super::TYPE_BYTES_MAX;
    use super::Version;
    use super::payload;
    use super::read;
    use schema::name::ScenarioKey;

    fn known(name: &str) -> Vec<Known> {
        let one = |id: &str, version: &str, retired| Known {
            schema_id: SchemaId::parse(id).expect("an id"),
            scenario: ScenarioKey::parse(name).expect("a name"),
            version: Version::parse(version).expect("a version"),
            retired,
            in_force: true,
            published: 0,
            changed: 0,
        };
        match name {
            "Line" => vec![one("line_v1", "1.2.0", false), one("line_v2", "2.0.0", false)],
            "Old" => vec![one("old_v1", "1.0.0", true)],
            _ => Vec::new(),
        }
    }

    fn reading(metadata: Value) -> Reading {
        read(metadata.as_object().expect("an object"), known)
    }

    #[test]
    fn the_same_major_is_read_whatever_the_minor_p012_p013_p014_p015() {
        for (version, id, newer) in [
            ("1.0", "line_v1", false),
            ("1.2", "line_v1", false),
            ("1.3", "line_v1", true),
            ("1.2.1", "line_v1", true),
            ("2.0.0", "line_v2", false),
        ] {
            let Reading::By {
                schema_id,
                newer: found,
                ..
            } = reading(json!({"type": "Line", "schemaVersion": version}))
            else {
                panic!("{version} is not read");
            };
            assert_eq!((schema_id.as_str(), found), (id, newer), "{version}");
        }
    }

    #[test]
    fn another_major_is_refused_with_what_is_hosted_p014() {
        for version in ["3.0", "0.9"] {
            let Reading::Refused(why) = reading(json!({"type": "Line", "schemaVersion": version})) else {
                panic!("{version} is read");
            };
            assert!(why.contains("1.2.0, 2.0.0"), "{why}");
        }
        for wrong in [json!(1.0), json!("1"), json!("one")] {
            let refused = reading(json!({"type": "Line", "schemaVersion": wrong}));
            assert!(matches!(refused, Reading::Refused(_)), "{wrong}");
        }
        assert!(matches!(reading(json!({"type": "Old"})), Reading::Refused(_)));
    }

    #[test]
    fn no_type_or_an_unknown_one_is_skipped_p016() {
        for metadata in [
            json!({}),
            json!({"type": 7}),
            json!({"type": ""}),
            json!({"type": "Nobody", "schemaVersion": "1.0"}),
            json!({"type": "x".repeat(TYPE_BYTES_MAX + 1)}),
        ] {
            assert!(matches!(reading(metadata.clone()), Reading::Skipped(_)), "{metadata}");
        }
        assert!(super::is_required(
            json!({"required": true}).as_object().expect("an object")
        ));
        assert!(!super::is_required(&Map::new()));
    }

    #[test]
    fn data_of_any_value_stand_under_the_key_that_the_label_names_p020_p038() {
        let mut document = json!({"schema_id": "h_v1", "scenario": "h", "labels": {"part_data": "history"}, "keys": [
            {"key_name": "history", "key_type": "array", "required": true, "semantic_description": "What was said."}]});
        let template = |document: &Value| SchemaTemplate::parse(document).expect("a template").0;
        assert_eq!(payload(&template(&document), "[1.50]"), r#"{"history":[1.50]}"#);
        document["labels"] = json!({});
        assert_eq!(payload(&template(&document), "[1.50]"), "[1.50]");
    }
}
