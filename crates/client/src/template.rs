//! A template as a service serves it to one client.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use schema::key::KeyDefinition;

/// A template: what a payload may say, in words that a model reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pub schema_id: String,
    pub scenario: String,
    pub version: String,
    /// The last change of it that this client sees.
    pub revision: u64,
    pub keys: Vec<KeyDefinition>,
    /// What each key's wording comes to, by its name.
    pub key_digests: BTreeMap<String, String>,
    /// As it was served.
    pub document: Value,
}

#[derive(Deserialize)]
struct Members {
    schema_id: String,
    scenario: String,
    #[serde(default)]
    version: String,
    revision: u64,
    keys: Vec<KeyDefinition>,
    #[serde(default)]
    key_digests: BTreeMap<String, String>,
}

impl Template {
    /// Reads what a service serves.
    ///
    /// # Errors
    /// Why it is no template.
    pub fn read(document: Value) -> Result<Template, serde_json::Error> {
        let members = Members::deserialize(&document)?;
        Ok(Template {
            schema_id: members.schema_id,
            scenario: members.scenario,
            version: members.version,
            revision: members.revision,
            keys: members.keys,
            key_digests: members.key_digests,
            document,
        })
    }
}
