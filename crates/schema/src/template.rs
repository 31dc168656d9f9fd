//! A published schema template (Z-028 … Z-062): parsed once into a value that cannot be wrong.
//!
//! Knows what two templates have in common. Whether another template bears the same id is the scenario's to know (Z-030).

mod parser;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::annotation;
use crate::defect::pointer_to;
use crate::key::KeyDefinition;
use crate::language;
use crate::name::KeyName;
use crate::name::OTHER;
use crate::name::ScenarioKey;
use crate::name::SchemaId;

/// Keys of one template beside `other`, whatever is set.
pub const KEYS_MAX: usize = 1_024;
/// Bytes of a template's own description.
pub const TEMPLATE_DESCRIPTION_BYTES_MAX: usize = 16 * 1024;

/// The member that names who answers for a schema, and the one that holds what it is filed under, for people and for finding it.
pub const OWNER: &str = "owner";
pub const LABELS: &str = "labels";

/// What the service says of a schema that was retired, beside what its publisher said: no part of the schema, whoever
/// sends back what was served.
pub const RETIRED: &str = "retired";

/// MAJOR.MINOR.PATCH.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// A base schema: immutable once published (Z-030, Z-105). Always has the key `other` (Z-062).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchemaTemplate {
    pub schema_id: SchemaId,
    /// As published; look-ups use [`SchemaTemplate::scenario_key`].
    pub scenario: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// BCP 47 tag of `semantic_description`; `en` where nothing was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub keys: Vec<KeyDefinition>,
    /// Members without a field (`response_schema`, `executor`, `policy` and whatever else), served back (Z-050).
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl SchemaTemplate {
    /// The scenario in the form that look-ups use (Z-049).
    pub fn scenario_key(&self) -> ScenarioKey {
        ScenarioKey::normalised(&self.scenario)
    }

    /// The published version, else the number at the end of the schema id (`…_v2` is 2.0.0), else 1.0.0.
    pub fn version(&self) -> Version {
        let published = self.version.as_deref().and_then(Version::parse);
        published
            .or_else(|| Version::of_id(self.schema_id.as_str()))
            .unwrap_or(Version {
                major: 1,
                minor: 0,
                patch: 0,
            })
    }

    /// BCP 47 tag of the semantic descriptions; `en` where nothing was said.
    pub fn language(&self) -> &str {
        self.language.as_deref().unwrap_or(language::DEFAULT)
    }

    /// Whether two templates say the same (Z-030): the order of members, an absent member that is spelt out as null or
    /// as its own default, and the notation of a number do not matter; nor does what was taken over of a description, since
    /// one text may have been read otherwise when it was published first.
    pub fn same_content(&self, other: &SchemaTemplate) -> bool {
        jsonschema::json::cmp::equal(&self.content(), &other.content())
    }

    /// What the template says, with everything spelt out that has a default.
    fn content(&self) -> Value {
        let mut content = self.clone();
        content.version = Some(self.version().to_string());
        content.language = Some(self.language().to_owned());
        content.unknown.shift_remove(RETIRED);
        if takes_over(&self.unknown) {
            for key in &mut content.keys {
                key.constraints = annotation::closed(key);
            }
        }
        json!(content)
    }

    /// The `policy` member, if any.
    pub fn policy(&self) -> Option<&Value> {
        self.unknown.get("policy")
    }

    /// Whether unknown top-level payload keys refuse (`"strict": true`).
    pub fn strict(&self) -> bool {
        self.unknown.get("strict") == Some(&Value::Bool(true))
    }

    /// Returns true where a request may have wrong values of optional keys kept out instead of refused (`"lenient": true`).
    pub fn lenient(&self) -> bool {
        self.unknown.get("lenient") == Some(&Value::Bool(true))
    }

    /// The template as the same content is on record, with pointers to the constraints that it has otherwise: what is enforced
    /// was settled when it was published first.
    pub fn as_on_record(mut self, on_record: &SchemaTemplate) -> (SchemaTemplate, Vec<String>) {
        let mut settled = Vec::new();
        for (place, (key, known)) in self.keys.iter_mut().zip(&on_record.keys).enumerate() {
            if !jsonschema::json::cmp::equal_objects(&key.constraints, &known.constraints) {
                key.constraints.clone_from(&known.constraints);
                settled.push(pointer_to(&format!("/keys/{place}"), "constraints"));
            }
        }
        (self, settled)
    }

    /// The definition of a key.
    pub fn key(&self, name: &KeyName) -> Option<&KeyDefinition> {
        self.keys.iter().find(|key| &key.key_name == name)
    }
}

impl Version {
    /// Reads `MAJOR.MINOR.PATCH`: three decimal numbers without leading zeros.
    pub fn parse(text: &str) -> Option<Version> {
        let mut parts = text.split('.').map(whole);
        let version = Version {
            major: parts.next()??,
            minor: parts.next()??,
            patch: parts.next()??,
        };
        parts.next().is_none().then_some(version)
    }

    /// The version in the end of a schema id: `…_v2` is 2.0.0, `…_v2_1` (a rebased line) is 2.1.0.
    pub fn of_id(schema_id: &str) -> Option<Version> {
        let (_, tail) = schema_id.rsplit_once("_v")?;
        let (major, minor) = tail.split_once('_').unwrap_or((tail, "0"));
        Some(Version {
            major: whole(major)?,
            minor: whole(minor)?,
            patch: 0,
        })
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Version { major, minor, patch } = self;
        write!(f, "{major}.{minor}.{patch}")
    }
}

fn whole(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

/// What is said of a template with more keys than it may have; `other` is not counted, since every template has it.
pub fn too_many_keys(max: usize) -> String {
    format!("a template has at most {max} keys beside `{OTHER}`")
}

/// Whether a template with these members has sentences of descriptions enforced.
fn takes_over(members: &Map<String, Value>) -> bool {
    members.get(annotation::SWITCH) != Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests;
