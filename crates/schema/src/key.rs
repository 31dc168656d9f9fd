//! One key of a template: its type, its constraints, its meaning (Z-033 … Z-056).
//!
//! Knows one key; what holds between keys (unique names, the key `other`) is the schema's.

mod parser;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;

use crate::name::KeyName;
use crate::numeral::Numeral;

/// Bytes of one semantic description.
pub const DESCRIPTION_BYTES_MAX: usize = 16 * 1024;
/// Translations of one semantic description.
pub const TRANSLATIONS_MAX: usize = 64;

/// The member that holds the name in the letters of those who use it; a key's name itself is made of ASCII (Z-034).
pub const TITLE: &str = "title";

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

impl KeyType {
    /// The JSON Schema type identifier.
    pub fn name(self) -> &'static str {
        match self {
            KeyType::String => "string",
            KeyType::Integer => "integer",
            KeyType::Number => "number",
            KeyType::Boolean => "boolean",
            KeyType::Array => "array",
            KeyType::Object => "object",
            KeyType::Null => "null",
        }
    }

    /// Whether a value is of the type, as JSON Schema has it: 7.0 is an integer.
    pub fn holds(self, value: &Value) -> bool {
        match self {
            KeyType::String => value.is_string(),
            KeyType::Integer => value.as_number().is_some_and(|number| Numeral::of(number).is_integer()),
            KeyType::Number => value.is_number(),
            KeyType::Boolean => value.is_boolean(),
            KeyType::Array => value.is_array(),
            KeyType::Object => value.is_object(),
            KeyType::Null => value.is_null(),
        }
    }

    /// Reads a type identifier; the alias `float` is not one (Z-038).
    pub fn parse(text: &str) -> Option<KeyType> {
        match text {
            "string" => Some(KeyType::String),
            "integer" => Some(KeyType::Integer),
            "number" => Some(KeyType::Number),
            "boolean" => Some(KeyType::Boolean),
            "array" => Some(KeyType::Array),
            "object" => Some(KeyType::Object),
            "null" => Some(KeyType::Null),
            _ => None,
        }
    }
}

/// The type of a value as messages name it.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl KeyDefinition {
    /// What people call it, in their own letters.
    pub fn title(&self) -> Option<&str> {
        self.unknown.get(TITLE)?.as_str()
    }

    /// Gives it a title, or takes it away.
    pub fn set_title(&mut self, title: Option<String>) {
        match title {
            Some(title) => self.unknown.insert(TITLE.to_owned(), Value::String(title)),
            None => self.unknown.shift_remove(TITLE),
        };
    }
}
