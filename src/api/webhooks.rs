//! Webhooks.

use serde::Deserialize;
use serde::Serialize;
use utoipa::ToSchema;

use engine::scenario::change_feed;

/// Who is to be told, and of what.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// https; http on this machine alone.
    #[schema(max_length = 2048, format = "uri")]
    pub url: String,
    /// Of these alone; of all where there are none.
    #[serde(default)]
    #[schema(required = false, max_items = 100)]
    pub scenarios: Vec<String>,
    /// These alone; all where there are none.
    #[serde(default)]
    #[schema(required = false, value_type = Vec<Topic>)]
    pub events: Vec<String>,
}

/// What is told.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub enum Topic {
    #[serde(rename = "schema.published")]
    SchemaPublished,
    #[serde(rename = "schema.retired")]
    SchemaRetired,
    #[serde(rename = "schema.restored")]
    SchemaRestored,
    #[serde(rename = "schema.deprecated")]
    SchemaDeprecated,
    #[serde(rename = "patch.staged")]
    PatchStaged,
    #[serde(rename = "patch.awaiting_approval")]
    PatchAwaitingApproval,
}

impl From<change_feed::Topic> for Topic {
    fn from(topic: change_feed::Topic) -> Topic {
        match topic {
            change_feed::Topic::SchemaPublished => Topic::SchemaPublished,
            change_feed::Topic::SchemaRetired => Topic::SchemaRetired,
            change_feed::Topic::SchemaRestored => Topic::SchemaRestored,
            change_feed::Topic::SchemaDeprecated => Topic::SchemaDeprecated,
            change_feed::Topic::PatchStaged => Topic::PatchStaged,
            change_feed::Topic::PatchAwaitingApproval => Topic::PatchAwaitingApproval,
        }
    }
}

/// A webhook and how it fares.
#[derive(Debug, Serialize, ToSchema)]
pub struct Webhook {
    pub id: String,
    pub url: String,
    pub scenarios: Vec<String>,
    pub events: Vec<Topic>,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// `active`, `retrying` or `paused`.
    pub status: String,
    /// Failed calls in a row.
    pub failures: u32,
    /// Letters taken since the service began.
    pub delivered: u64,
    /// Entries that it may still have to be told of.
    pub waiting: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    pub last_delivered_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Failure)]
    pub last_failure: Option<Failure>,
    /// Told when it is registered: scenarios that it names and nobody has published, still to come or misspelt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_hosted: Vec<String>,
    /// Shown once, when it is registered: `whsec_` and the key in Base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub secret: Option<String>,
}

/// How a call ended that was not taken.
#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u16)]
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub what: Option<String>,
    #[schema(format = DateTime)]
    pub at: String,
}

/// Every webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct Webhooks {
    pub webhooks: Vec<Webhook>,
}

/// It is told nothing more.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deleted {
    pub id: String,
    pub deleted: bool,
}

/// What became of one call.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tried {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u16)]
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub what: Option<String>,
    pub delivered: bool,
}
