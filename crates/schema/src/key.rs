//! One key of a template: its type, its constraints, its meaning (Z-033 … Z-056).
//!
//! Knows one key; what holds between keys (unique names, the key `other`) is the schema's.

mod parser;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use sha2::Digest;
use sha2::Sha256;
use strum::EnumString;
use strum::IntoStaticStr;
use text::name::hexadecimal;
use utoipa::ToSchema;

use crate::name::KeyName;
use crate::numeral::Numeral;

/// Bytes of one semantic description.
pub const DESCRIPTION_BYTES_MAX: usize = 16 * 1024;
/// Translations of one semantic description.
pub const TRANSLATIONS_MAX: usize = 64;

/// The member that holds the name in the letters of those who use it; a key's name itself is made of ASCII (Z-034).
pub const TITLE: &str = "title";

/// A type of JSON (Z-036, Z-037); the alias `float` is read as `number` (Z-038) and never written.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, EnumString, IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum KeyType {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
    Null,
}

/// What a key is about that a person has to approve (Z-165, Z-171).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sensitive {
    Payment,
    Identity,
    AccessControl,
    Personal,
}

// Serialises to the draft's members in the draft's order, then the optional ones, then what is not known here (Z-050).
/// A key of a template. Members that are not named here are kept and served back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KeyDefinition {
    #[schema(value_type = String, pattern = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length = 64)]
    pub key_name: KeyName,
    pub key_type: KeyType,
    pub required: bool,
    /// What is taken where the key is left out; none for a required key. Absent and `null` mean the same (Z-045).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub default_value: Option<Value>,
    /// What the key means, with examples. Lists and ranges in it become `constraints`.
    #[schema(min_length = 1)]
    pub semantic_description: String,
    /// Descriptions in other languages: BCP 47 tag and text (Z-041, Z-056).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub semantic_descriptions: BTreeMap<String, String>,
    /// Keywords of JSON Schema that are enforced (Z-048, Z-051); only the admitted ones.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub constraints: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Sensitive)]
    pub sensitive: Option<Sensitive>,
    #[serde(flatten)]
    #[schema(ignore)]
    pub unknown: Map<String, Value>,
}

impl KeyType {
    /// The JSON Schema type identifier.
    pub fn name(self) -> &'static str {
        self.into()
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
        text.parse().ok()
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

    /// What a client keeps to see whether what it was told of the key has changed, which everyone can compute: `sha256:` and the
    /// SHA-256, in hexadecimal, of what a model goes by, `{"constraints", "key_name", "key_type", "semantic_description"}` in the
    /// canonical form of RFC 8785; `constraints` is an empty object where there are none.
    pub fn digest(&self) -> String {
        let covered = json!({
            "constraints": self.constraints,
            "key_name": self.key_name,
            "key_type": self.key_type,
            "semantic_description": self.semantic_description,
        });
        canonical_digest(&covered)
    }
}

/// `sha256:` and the SHA-256, in hexadecimal, of a document in the canonical form of RFC 8785.
pub(crate) fn canonical_digest(document: &Value) -> String {
    // Only a number that is none could fail, and JSON has none.
    let canonical = serde_json_canonicalizer::to_vec(document).unwrap_or_default();
    format!("sha256:{}", hexadecimal(&Sha256::digest(&canonical)))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::KeyDefinition;

    fn digest(change: &Value) -> String {
        let mut document = json!({
            "key_name": "price", "key_type": "number", "required": false, "default_value": 10.0,
            "semantic_description": "What it may cost, in €.", "constraints": {"minimum": 1.0, "maximum": 1e21},
        });
        json_patch::merge(&mut document, change);
        serde_json::from_value::<KeyDefinition>(document)
            .expect("a key")
            .digest()
    }

    #[test]
    fn a_digest_is_what_others_compute_and_changes_with_what_a_model_goes_by_alone() {
        // printf '%s' '{"constraints":{"maximum":1e+21,"minimum":1},"key_name":"price","key_type":"number","semantic_description":"What it may cost, in €."}' | sha256sum
        let plain = "sha256:212ea3faea90222a14a55ec9b024c1a90bbe570479be3d754176f87d1367718c";
        for (change, same) in [
            (json!({}), true),
            (
                json!({"required": true, "default_value": 11, "sensitive": "payment"}),
                true,
            ),
            (json!({"constraints": {"minimum": 1}}), true),
            (json!({"key_name": "cost"}), false),
            (json!({"key_type": "integer"}), false),
            (json!({"semantic_description": "What it may cost, in $."}), false),
            (json!({"constraints": {"minimum": 2}}), false),
        ] {
            assert_eq!(digest(&change) == plain, same, "{change}");
        }
    }
}
