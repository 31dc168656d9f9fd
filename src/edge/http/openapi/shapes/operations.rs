//! Health, the service's standing, and problems.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::ToSchema;

use crate::edge::http::openapi::shapes::conversing::PartOutcome;
use crate::edge::http::openapi::shapes::exchange::Exchange;
use crate::edge::http::openapi::shapes::exchange::Violation;
use crate::edge::http::openapi::shapes::publishing::Assessment;
use crate::edge::http::openapi::shapes::sharing::ContextError;

/// Why a person does something. The body may be left out.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Hand {
    #[schema(required = false, max_length = 500)]
    pub reason: Option<String>,
}

/// What this is, and where to go.
#[derive(ToSchema)]
pub struct Front {
    pub service: String,
    pub version: String,
    pub description: String,
    /// Addresses by what they are for.
    pub links: BTreeMap<String, String>,
}

/// Who did something, known by what, in which request.
#[derive(ToSchema)]
pub struct By {
    pub principal: String,
    pub method: Option<Method>,
    /// What the key is called: the first digits of its `key_sha256`.
    pub key: Option<String>,
    pub request_id: Option<String>,
}

/// By what a caller was known.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Method {
    ApiKey,
    /// By what it says of itself, which nobody checked.
    Open,
    /// The service itself, or whoever runs it.
    System,
}

/// Whether the service writes.
#[derive(ToSchema)]
pub struct Standing {
    pub writes: Writes,
    /// Whether the settings keep it read-only.
    pub by_setting: bool,
    #[schema(required = false, format = DateTime)]
    pub since: String,
    #[schema(required = false)]
    pub by: By,
    #[schema(required = false)]
    pub reason: Option<String>,
    /// Room on the disk that holds the data.
    #[schema(required = false)]
    pub free_bytes: u64,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Writes {
    Open,
    ReadOnly,
    DiskFull,
    Stalled,
    Broken,
}

/// The process answers.
#[derive(ToSchema)]
pub struct Alive {
    pub status: String,
}

/// Calls should come.
#[derive(ToSchema)]
pub struct Ready {
    /// `ready`, or `degraded` where scenarios record what is submitted and learn nothing from it.
    pub status: String,
    pub writes: Writes,
    /// How many scenarios that are; left out where there are none.
    #[schema(required = false)]
    pub stalled_scenarios: u64,
}

/// A failure (RFC 9457).
#[derive(ToSchema)]
pub struct ProblemDocument {
    /// `/problems/{code}`, relative to the service.
    #[schema(format = "uri-reference")]
    pub r#type: String,
    pub title: String,
    pub status: u16,
    /// What happened this time.
    pub detail: String,
    /// Stable.
    pub code: String,
    /// Of `invalid_payload`: every reason.
    #[schema(required = false)]
    pub violations: Vec<Violation>,
    /// Of `invalid_template` and `unfit_key`: every reason.
    #[schema(required = false)]
    pub defects: Vec<Defect>,
    /// Of `incompatible`: what is broken.
    #[schema(required = false)]
    pub compatibility: Assessment,
    /// Of a submission that is on record.
    #[schema(required = false)]
    pub exchange: Exchange,
    /// Of `bad_result`: the places in the result.
    #[schema(required = false)]
    pub misfits: Vec<Misfit>,
    /// Of `executor_refused`.
    #[schema(required = false)]
    pub executor_status: u16,
    /// Of shared contexts: the code as their specification spells it, and words.
    #[schema(required = false)]
    pub error: ContextError,
    /// Of `version_conflict`: where the key is; null where there is none.
    #[schema(required = false)]
    pub current_version: Option<u64>,
    /// The same, of which incarnation it is.
    #[schema(required = false)]
    pub current_incarnation: Option<u64>,
    /// Of `patch_moved`: the revision of the patch.
    #[schema(required = false)]
    pub current_revision: u64,
    /// Of `bad_request`, where members are wrong: each of them.
    #[schema(required = false)]
    pub fields: Vec<WrongField>,
    /// Of `nothing_taken`: what became of each part.
    #[schema(required = false)]
    pub parts: Vec<PartOutcome>,
    /// In an item of a batch, what the header `Retry-After` would have said.
    #[schema(required = false)]
    pub retry_after_s: u64,
}

/// A member that is wrong.
#[derive(ToSchema)]
pub struct WrongField {
    pub field: String,
    pub description: String,
}

/// One reason why a template cannot be published.
#[derive(ToSchema)]
pub struct Defect {
    /// JSON pointer into the template.
    pub pointer: String,
    pub requirement: String,
    pub message: String,
}

/// A place where an executor's result is not what was promised.
#[derive(ToSchema)]
pub struct Misfit {
    pub pointer: String,
    pub keyword: String,
}

/// The table of problems.
#[derive(ToSchema)]
pub struct Problems {
    pub problems: Vec<ProblemMeaning>,
}

/// What a problem means.
#[derive(ToSchema)]
pub struct ProblemMeaning {
    #[schema(format = "uri-reference")]
    pub r#type: String,
    pub code: String,
    pub title: String,
    #[schema(minimum = 400, maximum = 599)]
    pub status: u16,
    /// The error number on JSON-RPC.
    pub number: i32,
    pub meaning: String,
}

/// The description of the interface.
#[derive(ToSchema)]
pub struct OpenApiDocument {
    pub openapi: String,
    #[schema(value_type = Object)]
    pub info: Value,
    #[schema(value_type = Object)]
    pub paths: Value,
    #[schema(required = false)]
    pub servers: Vec<Value>,
    #[schema(required = false, value_type = Object)]
    pub components: Value,
    #[schema(required = false)]
    pub tags: Vec<Value>,
    #[schema(required = false)]
    pub security: Vec<Value>,
}
