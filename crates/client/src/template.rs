//! A template as a service serves it to one client.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde::Deserialize;
use serde::Serialize;
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
    #[serde(skip)]
    pub(crate) outlook: Outlook,
}

/// What is to become of the schema that was served, as the headers of an answer say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outlook {
    pub deprecation: Option<Deprecation>,
    pub latest: Option<String>,
}

/// An announcement that a schema is to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deprecation {
    /// Since when it is deprecated (RFC 9745), as RFC 3339 writes a moment.
    pub since: String,
    /// From when on it may be gone (RFC 8594), where its publisher says so.
    pub sunset: Option<String>,
    /// Where there is more to read of it, where that is said.
    pub link: Option<String>,
}

impl Template {
    pub(crate) fn read(answer: &Answer) -> Result<Template, serde_json::Error> {
        let document = answer.json();
        let mut template = Template::deserialize(&document)?;
        template.digest = answer.header("otherwise-digest").map(str::to_owned);
        template.etag = answer.header("etag").map(str::to_owned);
        template.document = document;
        template.outlook = Outlook::read(answer);
        Ok(template)
    }

    /// That the schema is to go, where its publisher announced that.
    pub fn deprecation(&self) -> Option<&Deprecation> {
        self.outlook.deprecation.as_ref()
    }

    /// The version in force, where that is another one.
    pub fn latest(&self) -> Option<&str> {
        self.outlook.latest.as_deref()
    }
}

impl Outlook {
    pub fn read(answer: &Answer) -> Outlook {
        let since = answer.header("deprecation").and_then(|since| {
            let seconds = since.strip_prefix('@')?.parse().ok()?;
            Timestamp::from_second(seconds).ok()
        });
        let sunset = answer.header("sunset");
        let sunset = sunset.and_then(|date| rfc2822::DateTimeParser::new().parse_timestamp(date).ok());
        // `<address>; rel="deprecation"`, one of several.
        let mut links = answer.header("link").unwrap_or_default().split('<');
        let link = links.find_map(|link| {
            let (address, about) = link.split_once('>')?;
            about
                .replace('"', "")
                .contains("rel=deprecation")
                .then(|| address.to_owned())
        });
        Outlook {
            deprecation: since.map(|since| Deprecation {
                since: since.to_string(),
                sunset: sunset.map(|sunset| sunset.to_string()),
                link,
            }),
            latest: answer.header("otherwise-latest").map(str::to_owned),
        }
    }
}
