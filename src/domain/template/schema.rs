//! A published schema template (Z-028 … Z-062): parsed once into a value that cannot be wrong.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::domain::template::defect::Defect;
use crate::domain::template::defect::Finding;
use crate::domain::template::key::KeyDefinition;
use crate::domain::template::name::KeyName;
use crate::domain::template::name::ScenarioKey;
use crate::domain::template::name::SchemaId;

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
    /// Members not interpreted here (`response_schema`, `executor`, `policy` and whatever else), served back (Z-050).
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl SchemaTemplate {
    /// Reads a template as a publisher wrote it.
    ///
    /// # Errors
    /// All defects at once, never only the first.
    pub fn parse(document: &Value) -> Result<(SchemaTemplate, Vec<Finding>), Vec<Defect>> {
        let _ = document;
        todo!()
    }

    /// The scenario in the form that look-ups use (Z-049).
    pub fn scenario_key(&self) -> ScenarioKey {
        todo!()
    }

    /// The published version, else the number at the end of the schema id (`…_v2` is 2.0.0), else 1.0.0.
    pub fn version(&self) -> Version {
        todo!()
    }

    /// Whether two templates say the same: the order of members and a `null` default make no difference.
    pub fn same_content(&self, other: &SchemaTemplate) -> bool {
        let _ = other;
        todo!()
    }

    /// The `policy` member, if any.
    pub fn policy(&self) -> Option<&Value> {
        self.unknown.get("policy")
    }

    /// Whether unknown top-level payload keys refuse (`"strict": true`).
    pub fn strict(&self) -> bool {
        self.unknown.get("strict") == Some(&Value::Bool(true))
    }

    /// The definition of a key.
    pub fn key(&self, name: &KeyName) -> Option<&KeyDefinition> {
        self.keys.iter().find(|key| &key.key_name == name)
    }
}
