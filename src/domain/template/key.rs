//! One key of a template: its type, its constraints, its meaning (Z-033 … Z-056).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::domain::template::name::KeyName;

/// A JSON Schema type identifier (Z-036, Z-037). The alias `float` is read as `number` (Z-038) and never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyType {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
    Null,
}

/// Why a key needs a person before it may change (Z-165, Z-171).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sensitive {
    Payment,
    Identity,
    AccessControl,
    Personal,
}

/// A key definition. Serialises to the draft's members in the draft's order, then the optional ones, then what was
/// published and is not known here, unchanged (Z-050).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyDefinition {
    pub key_name: KeyName,
    pub key_type: KeyType,
    pub required: bool,
    /// Absent and `null` mean the same (Z-045).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_value: Option<Value>,
    pub semantic_description: String,
    /// BCP 47 tag -> text (Z-041, Z-056).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub semantic_descriptions: BTreeMap<String, String>,
    /// JSON Schema keywords that are enforced (Z-048, Z-051); only the admitted ones.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub constraints: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Sensitive>,
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}
