//! Who uses a scenario, and whom another version of its schema would refuse: names and counts, no values.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use engine::scenario::clients;

/// A page of a scenario's clients, in the order of their names.
#[derive(Debug, Serialize, ToSchema)]
pub struct Clients {
    pub clients: Vec<Client>,
    /// Clients that are known, on all pages.
    pub total: u64,
    /// There where the list goes on: the `after` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub next: Option<String>,
}

/// One client.
#[derive(Debug, Serialize, ToSchema)]
pub struct Client {
    pub client: String,
    pub state: ClientState,
    /// Its last submission or extension request, or when patches came to it last.
    #[schema(format = DateTime)]
    pub last_seen: String,
    /// Of today and the six days before (UTC), accepted or refused.
    pub submissions_7d: u64,
    /// By which it submitted last; before its first submission the one in force when patches came to it.
    pub schema_id: String,
    pub version: String,
    /// That judged its last submission, or that came to it since.
    pub revision: u64,
    /// Versions that are higher and not retired.
    pub versions_behind: u64,
    /// Of how many of its newest submissions the shares are; 64 at most.
    #[schema(maximum = 64)]
    pub sample: u32,
    /// The share of them that said something in `other`; null where there is none.
    pub other_ratio: Option<f64>,
    /// The share of them that filled each key; a key that none of them filled is left out.
    pub keys: BTreeMap<String, f64>,
    /// Keys on trial that it has used rightly.
    pub trial_keys: Vec<String>,
}

/// Whether a client is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientState {
    Active,
    /// Not seen for 7 days.
    Stale,
    /// Not seen for 30 days.
    Silent,
}

impl From<clients::Activity> for ClientState {
    fn from(activity: clients::Activity) -> ClientState {
        match activity {
            clients::Activity::Active => ClientState::Active,
            clients::Activity::Stale => ClientState::Stale,
            clients::Activity::Silent => ClientState::Silent,
        }
    }
}

/// What clients of the scenario submitted in the last 30 days, judged by the schema that is checked: the newest 200 submissions of
/// each, 10,000 in all.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct WouldBreak {
    /// Submissions that were judged.
    pub looked_at: u64,
    /// Submissions whose texts are kept no more.
    pub gone: u64,
    /// Up to when all of them were looked at: 30 days back, or less where the bounds of number and time came first.
    #[schema(format = DateTime)]
    pub looked_back_to: String,
    /// The clients that would be refused, the most often refused first: for a key that is missing, of another type or gone, and for a
    /// value that at least `clients_min` of them sent alike.
    pub clients: Vec<BrokenClient>,
    /// Clients that must have sent the same value under a key before its refusal is reported.
    pub clients_min: u64,
    /// Keys whose constraints the candidate changes: of a refused value that fewer clients sent nothing is reported.
    pub value_keys: Vec<String>,
    /// Sensitive keys, of which nothing is reported.
    pub sensitive_keys: Vec<String>,
}

/// A client whose submissions would be refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BrokenClient {
    /// Null for those without a name, together.
    pub client: Option<String>,
    /// That were judged.
    pub submissions: u64,
    /// Of them those that were accepted, fit their own version, and do not fit this one.
    pub refused: u64,
    /// Keys that refuse them; a name that no template has is not told.
    pub keys: Vec<String>,
}
