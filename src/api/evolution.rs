//! What was learned, why, and what waits for a person.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use engine::evolution::evidence::Tried;
use engine::evolution::operator_action::Scope;
use engine::evolution::patch::PublishedPatch;
use engine::evolution::stage::Waiting;
use engine::pool::gate::Audience;
use engine::pool::hold::Hold;
use schema::advice::Finding;
use schema::effective::ModifiedKey;
use schema::effective::ServedKey;
use schema::key::KeyType;

/// What is approved, and why. The body may be left out.
#[derive(Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Approving {
    #[schema(required = false, value_type = KeyEdit)]
    pub edit: Option<Value>,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// What of a key is replaced before its trial; of a better description of a key that exists, `semantic_description` alone.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct KeyEdit {
    #[schema(required = false)]
    pub key_name: String,
    #[schema(required = false)]
    pub title: Option<String>,
    #[schema(required = false)]
    pub semantic_description: String,
    #[schema(required = false)]
    pub key_type: KeyType,
    /// Null takes all of them away.
    #[schema(required = false, value_type = Option<Object>)]
    pub constraints: Value,
    /// Filled in where a client leaves the key out; null takes it away.
    #[schema(required = false)]
    pub default_value: Value,
}

/// Why something is refused. The body may be left out.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rejecting {
    /// `demand`: it is no wish, and its cluster rests until the cool-down is over. `key`: this key is wrong for it, and what was
    /// said is read anew once twice as many ask.
    #[serde(default)]
    #[schema(required = false, value_type = String, default = "demand", pattern = "^(demand|key)$")]
    pub scope: Scope,
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// A patch that was approved, or what an edit of it came to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Approved {
    AsProposed(Box<PublishedPatch>),
    AsEdited(Box<EditTried>),
}

/// What an edit came to, or would.
#[derive(Debug, Serialize, ToSchema)]
pub struct EditTried {
    /// As it stands; of a dry run, with the definition that it would get.
    pub patch: PublishedPatch,
    /// What a publisher would be told of the key.
    pub lint: Vec<Finding>,
    /// Null where history is not asked.
    pub fits: Option<Fits>,
    /// The key tried on the past.
    pub backtest: Option<Tried>,
}

/// How the key would have fitted what was said.
#[derive(Debug, Serialize, ToSchema)]
pub struct Fits {
    /// Submissions of the history that asked for it.
    pub wishes: u64,
    /// Those of them out of which a value of it was read.
    pub right: u64,
    /// Examples out of which none is read.
    pub wrong: Vec<Misfitting>,
}

/// An example that does not fit.
#[derive(Debug, Serialize, ToSchema)]
pub struct Misfitting {
    pub text: String,
    /// The member of the definition that lets no value be read out of it.
    pub pointer: String,
}

/// What waits for a person, in the order that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub struct Approvals {
    /// How many wait where it was looked, on this page or not.
    pub waiting: u64,
    pub approvals: Vec<Approval>,
    /// `after` of the next page.
    pub next: Option<String>,
}

/// A patch that waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct Approval {
    pub patch_id: String,
    pub scenario: String,
    pub why: String,
    /// What a trial that its figures leave undecided waits for; null where a proposal waits to be let pass.
    pub waits_for: Option<Waiting>,
    pub sensitive: Option<String>,
    /// What else a person has to look at.
    pub holds: Vec<Hold>,
    #[schema(format = DateTime)]
    pub since: String,
    pub waits_s: i64,
    pub audience: Audience,
    pub new_keys: Vec<ServedKey>,
    pub modified_keys: Vec<ModifiedKey>,
    pub evidence: ApprovalEvidence,
}

/// What an approval rests on.
#[derive(Debug, Serialize, ToSchema)]
pub struct ApprovalEvidence {
    pub examples: Vec<String>,
    pub expected_coverage: f64,
    pub occurrences: u64,
    pub clients: u64,
    pub explanation: Vec<String>,
    pub backtest: Option<Tried>,
}
