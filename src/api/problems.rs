//! Failures (RFC 9457), and the table of what they mean.

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::conversations::PartOutcome;
use crate::api::sessions::ContextError;
use crate::api::submissions::Exchange;
use context::fields::FieldFault;
use schema::compatibility::Assessment;
use schema::defect::Defect;
use schema::exchange::verdict::Violation;
use schema::response_schema::Misfit;

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
    pub fields: Vec<FieldFault>,
    /// Of `nothing_taken`: what became of each part.
    #[schema(required = false)]
    pub parts: Vec<PartOutcome>,
    /// In an item of a batch, what the header `Retry-After` would have said.
    #[schema(required = false)]
    pub retry_after_s: u64,
}

/// The table of problems.
#[derive(Debug, Serialize, ToSchema)]
pub struct Problems {
    pub problems: Vec<ProblemMeaning>,
}

/// What a problem means.
#[derive(Debug, Serialize, ToSchema)]
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
