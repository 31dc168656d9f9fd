//! A template as a service serves it to one client, in one form or another, and what of a newer one is not taken unasked.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde::Deserialize;
use serde::Serialize;

use crate::error::Error;
use crate::transport::Answer;
use schema::key::KeyDefinition;

/// The header that says what the wording of all keys of a template comes to.
pub(crate) const DIGEST: &str = "otherwise-digest";
pub(crate) const LOST: &str = "otherwise-export-lost";
/// The headers that say what is to become of a schema.
pub(crate) const OUTLOOK: [&str; 4] = ["deprecation", "sunset", "link", "otherwise-latest"];

/// A template: what a payload may say, in words that a model reads.
#[derive(Clone, Debug, Deserialize)]
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
    /// As it was served.
    #[serde(skip)]
    pub answer: Answer,
}

/// A template in one form.
#[derive(Clone, Debug)]
pub struct Form {
    pub text: String,
    /// What it does not hold as the template does, as `labels.properties;narrowed, …`.
    pub lost: Option<String>,
    pub(crate) template: Arc<Template>,
}

/// What it is a form of.
impl Deref for Form {
    type Target = Template;

    fn deref(&self) -> &Template {
        &self.template
    }
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
    pub(crate) fn read(answer: Answer) -> Result<Template, Error> {
        let template = Template::deserialize(&answer.json()).map_err(|error| answer.unreadable(&error))?;
        let digest = answer.header(DIGEST).map(str::to_owned);
        Ok(Template {
            digest,
            answer,
            ..template
        })
    }

    /// That the schema is to go, where its publisher announced that.
    pub fn deprecation(&self) -> Option<Deprecation> {
        let seconds = self.answer.header("deprecation")?.strip_prefix('@')?.parse().ok()?;
        let sunset = self.answer.header("sunset");
        let sunset = sunset.and_then(|date| rfc2822::DateTimeParser::new().parse_timestamp(date).ok());
        // `<address>; rel="deprecation"`, one of several.
        let links = self.answer.header("link").unwrap_or_default();
        let link = links.split('<').find_map(|link| {
            let (address, about) = link.split_once('>')?;
            let about = about.replace('"', "");
            about.contains("rel=deprecation").then(|| address.to_owned())
        });
        Some(Deprecation {
            since: Timestamp::from_second(seconds).ok()?.to_string(),
            sunset: sunset.map(|sunset| sunset.to_string()),
            link,
        })
    }

    /// The version in force, where that is another one.
    pub fn latest(&self) -> Option<&str> {
        self.answer.header("otherwise-latest")
    }
}

/// Which changes of a template are taken unasked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pin {
    /// Every change.
    None,
    /// New optional keys; no key that reads otherwise, is gone, or became required. A key on trial may go.
    #[default]
    Additive,
    /// None.
    Exact,
    /// The versions that fit, such as `^1` or `~1.2`, and of their changes those of [`Pin::Additive`].
    Range(String),
}

/// What of a template was agreed to: to be kept as JSON, and given back after a restart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinState {
    pub schema_id: String,
    pub revision: u64,
    /// What each key's wording comes to, by its name.
    pub digests: BTreeMap<String, String>,
    pub required: BTreeSet<String>,
    /// Keys on trial, which may go.
    pub experimental: BTreeSet<String>,
}

impl PinState {
    pub(crate) fn of(template: &Template) -> PinState {
        let names = |is_meant: fn(&KeyDefinition) -> bool| {
            let keys = template.keys.iter().filter(|key| is_meant(key));
            keys.map(|key| key.key_name.to_string()).collect()
        };
        PinState {
            schema_id: template.schema_id.clone(),
            revision: template.revision,
            digests: template.key_digests.clone(),
            required: names(|key| key.required),
            experimental: names(|key| key.unknown.get("experimental").is_some_and(|mark| mark == true)),
        }
    }
}

impl Pin {
    /// The versions that are asked for.
    pub(crate) fn version(&self) -> Option<&str> {
        match self {
            Pin::Range(range) => Some(range),
            Pin::None | Pin::Additive | Pin::Exact => None,
        }
    }

    /// The keys that are not taken as they are now, in the order of their names.
    pub(crate) fn refused(&self, agreed: &PinState, newer: &PinState) -> Vec<String> {
        if *self == Pin::None {
            return Vec::new();
        }
        let is_exact = *self == Pin::Exact;
        let names: BTreeSet<&String> = agreed.digests.keys().chain(newer.digests.keys()).collect();
        let is_refused = |name: &&String| {
            let is_demanded = newer.required.contains(*name) && !agreed.required.contains(*name);
            match (agreed.digests.get(*name), newer.digests.get(*name)) {
                (Some(was), Some(is)) => was != is || is_demanded,
                (Some(_), None) => is_exact || !agreed.experimental.contains(*name),
                (None, _) => is_exact || is_demanded,
            }
        };
        names.into_iter().filter(is_refused).cloned().collect()
    }
}
