//! Webhooks.

use utoipa::ToSchema;

/// Who is to be told, and of what.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// https; http on this machine alone.
    #[schema(max_length = 2048, format = "uri")]
    pub url: String,
    /// Of these alone; of all where there are none.
    #[schema(required = false, max_items = 100)]
    pub scenarios: Vec<String>,
    /// These alone; all where there are none.
    #[schema(required = false)]
    pub events: Vec<Topic>,
}

/// What is told.
#[derive(ToSchema)]
pub enum Topic {
    #[schema(rename = "schema.published")]
    SchemaPublished,
    #[schema(rename = "schema.retired")]
    SchemaRetired,
    #[schema(rename = "schema.restored")]
    SchemaRestored,
    #[schema(rename = "patch.staged")]
    PatchStaged,
    #[schema(rename = "patch.awaiting_approval")]
    PatchAwaitingApproval,
}

/// A webhook and how it fares.
#[derive(ToSchema)]
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
    pub failures: u64,
    /// Letters taken since the service began.
    pub delivered: u64,
    /// Entries that it may still have to be told of.
    pub waiting: u64,
    #[schema(required = false, format = DateTime)]
    pub last_delivered_at: String,
    #[schema(required = false)]
    pub last_failure: Failure,
}

/// How a call ended that was not taken.
#[derive(ToSchema)]
pub struct Failure {
    #[schema(format = DateTime)]
    pub at: String,
    #[schema(required = false)]
    pub status: u16,
    #[schema(required = false)]
    pub what: String,
}

/// A new webhook.
#[derive(ToSchema)]
pub struct Registered {
    pub id: String,
    pub url: String,
    pub scenarios: Vec<String>,
    pub events: Vec<Topic>,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub status: String,
    pub failures: u64,
    pub delivered: u64,
    pub waiting: u64,
    /// `whsec_` and the key in Base64; shown this once.
    pub secret: String,
    /// Scenarios that it names and nobody has published: still to come, or misspelt.
    #[schema(required = false)]
    pub not_hosted: Vec<String>,
    #[schema(required = false, format = DateTime)]
    pub last_delivered_at: String,
    #[schema(required = false)]
    pub last_failure: Failure,
}

/// Every webhook.
#[derive(ToSchema)]
pub struct Webhooks {
    pub webhooks: Vec<Webhook>,
}

/// It is told nothing more.
#[derive(ToSchema)]
pub struct Deleted {
    pub id: String,
    pub deleted: bool,
}

/// What became of one call.
#[derive(ToSchema)]
pub struct Tried {
    pub delivered: bool,
    #[schema(required = false)]
    pub status: u16,
    #[schema(required = false)]
    pub what: String,
}
