//! What a session is created with: its extensions, each on or off (Shared Context §7), and the conventions for its keys (§6.1).

use std::ops::Not;

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use crate::fields::Faults;
use crate::fields::Fields;
use crate::session::names::Key;
use crate::session::refusal::SessionRefusal;

/// What a configuration may hold.
const MEMBERS: [&str; 7] = [
    "prefixes",
    "history_versions",
    "batch_read",
    "snapshots",
    "subscriptions",
    "if_version",
    "namespace",
];

// Off where the document's core does without (S-075, S-079).
/// The extensions of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Config {
    /// Whether one colon may stand in a key.
    #[schema(required = true)]
    pub prefixes: bool,
    /// Whether keys said who may read them, in old journals: nobody but its creator knows of such a session any more.
    #[serde(skip_serializing_if = "Not::not")]
    #[schema(ignore)]
    pub access_control: bool,
    /// Versions of a key that are kept, the current one included; 0 keeps no history.
    #[schema(required = true, value_type = u64)]
    pub history_versions: usize,
    #[schema(required = true)]
    pub batch_read: bool,
    #[schema(required = true)]
    pub snapshots: bool,
    #[schema(required = true)]
    pub subscriptions: bool,
    #[schema(required = true)]
    pub if_version: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            prefixes: false,
            access_control: false,
            history_versions: 0,
            batch_read: true,
            snapshots: true,
            subscriptions: true,
            if_version: true,
        }
    }
}

impl Config {
    /// Reads the extensions of a new session; `namespace` beside them is left aside.
    pub fn read(fields: &Fields<'_>, history_max: usize, faults: &mut Faults) -> Config {
        faults.take(fields.only(&MEMBERS));
        let history = fields.count("history_versions").map(Option::unwrap_or_default);
        let history = history.ok().and_then(|count| usize::try_from(count).ok());
        let history = history.filter(|count| *count <= history_max);
        if history.is_none() {
            let what = format!("must be a whole number from 0 to {history_max}");
            faults.note(fields.place("history_versions"), what);
        }
        let usual = Config::default();
        let mut flag = |name: &str, usual: bool| faults.take(fields.get(name, "true or false")).unwrap_or(usual);
        Config {
            prefixes: flag("prefixes", usual.prefixes),
            access_control: false,
            history_versions: history.unwrap_or_default(),
            batch_read: flag("batch_read", usual.batch_read),
            snapshots: flag("snapshots", usual.snapshots),
            subscriptions: flag("subscriptions", usual.subscriptions),
            if_version: flag("if_version", usual.if_version),
        }
    }

    /// Says no where an extension is off.
    ///
    /// # Errors
    /// [`SessionRefusal::ExtensionOff`].
    pub fn require(&self, on: bool, extension: &'static str) -> Result<(), SessionRefusal> {
        on.then_some(()).ok_or(SessionRefusal::ExtensionOff(extension))
    }

    /// A key that somebody names.
    ///
    /// # Errors
    /// [`SessionRefusal::InvalidKey`].
    pub fn key(&self, text: &str) -> Result<Key, SessionRefusal> {
        Key::parse(text, self.prefixes).ok_or(SessionRefusal::InvalidKey {
            prefixes: self.prefixes,
        })
    }
}

// In which shape its value is expected stands in `content` (S-059).
/// What a key is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Convention {
    pub key: String,
    pub purpose: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(required = false, value_type = String)]
    pub content: Option<String>,
}

/// Conventions that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub title: String,
    pub keys: Vec<Convention>,
}
