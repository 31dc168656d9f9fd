//! A template as a service serves it to one client.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::transport::Answer;
use schema::key::KeyDefinition;

/// A template: what a payload may say, in words that a model reads.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Template {
    pub schema_id: String,
    pub scenario: String,
    pub version: String,
    /// The last change of it that this client sees.
    pub revision: u64,
    pub keys: Vec<KeyDefinition>,
    /// What each key's wording comes to, by its name.
    pub key_digests: BTreeMap<String, String>,
    /// What that of all keys comes to, where the service says it.
    #[serde(skip)]
    pub digest: Option<String>,
    #[serde(skip)]
    pub(crate) etag: Option<String>,
    /// As it was served.
    #[serde(skip)]
    pub document: Value,
}

impl Template {
    pub(crate) fn read(answer: &Answer) -> Result<Template, serde_json::Error> {
        let document = answer.json();
        let mut template = Template::deserialize(&document)?;
        template.digest = answer.header("otherwise-digest").map(str::to_owned);
        template.etag = answer.header("etag").map(str::to_owned);
        template.document = document;
        Ok(template)
    }
}
