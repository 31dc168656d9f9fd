//! Submissions and what is answered to them.

use std::ops::Not;

use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa::openapi::schema::Array;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::schema::Type;

use crate::api::templates::Suggestion;
use schema::exchange::verdict::Violation;
use schema::exchange::verdict::Warning;
use schema::name::KeyName;
use schema::staleness::Missed;
use schema::template::Version;
use schema::time::At;

/// A payload with its envelope. Members that are not named here are passed over.
#[derive(ToSchema)]
pub struct Submission {
    /// The schema that the payload was made by.
    pub schema_id: String,
    /// Keys and values as the template says; what no key holds stands in `other`.
    #[schema(value_type = Object)]
    pub payload: Value,
    /// What the user said.
    #[schema(required = false)]
    pub utterance: Option<String>,
    /// BCP 47 tag of the utterance.
    #[schema(required = false)]
    pub language: Option<String>,
    /// The template's revision that the client holds.
    #[schema(required = false, minimum = 0, maximum = 18_446_744_073_709_551_615_u64)]
    pub revision: Option<u64>,
    /// Whether the payload is judged by the template of that revision, without what is newer.
    #[schema(required = false)]
    pub pinned: Option<bool>,
    /// Checks and records nothing.
    #[schema(required = false)]
    pub dry_run: Option<bool>,
    /// `lenient` to have wrong values of optional keys kept out, where the template allows it, instead of the payload refused; `strict`
    /// otherwise. Over HTTP the header `Prefer: handling=lenient` means the same.
    #[schema(required = false)]
    pub handling: Option<Handling>,
}

/// The treatment of a wrong value of an optional key.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Handling {
    Strict,
    Lenient,
}

/// The answer to an accepted submission: the executor's result, or `payload` as it was understood, with `exchange`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Accepted {
    /// Without an executor: the payload with defaults, and without what was passed over.
    #[schema(required = false, value_type = Object)]
    pub payload: Map<String, Value>,
    pub exchange: Exchange,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Suggestion)]
    pub schema_update_suggestion: Option<Suggestion>,
}

/// A refusal as it is kept for its idempotency key, and told again.
#[derive(Serialize)]
pub struct Refused<'a> {
    pub violations: &'a [Violation],
    pub exchange: Exchange,
}

/// What the template cannot say, in the client's own words.
#[derive(ToSchema)]
pub struct ExtensionRequest {
    /// None is blank. At most `service.other_strings_max` of at most `service.other_bytes_max` bytes.
    #[schema(schema_with = wishes)]
    pub wishes: Vec<String>,
    /// The template's revision that the client holds.
    #[schema(required = false, minimum = 0, maximum = 18_446_744_073_709_551_615_u64)]
    pub revision: Option<u64>,
}

fn wishes() -> Array {
    let wish = ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"\S"));
    ArrayBuilder::new()
        .items(wish)
        .min_items(Some(1))
        .max_items(Some(16))
        .build()
}

/// The answer to an extension request.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ExtensionReply {
    /// The wishes as they were taken apart.
    pub wishes: Vec<Wish>,
    pub exchange: Exchange,
    /// There were more than are taken from one request; the first ones were.
    #[serde(skip_serializing_if = "Not::not")]
    pub deferred: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Suggestion)]
    pub schema_update_suggestion: Option<Suggestion>,
}

/// What becomes of one wish.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Wish {
    pub text: String,
    pub fate: WishFate,
    /// The key that says it already.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub key_name: Option<KeyName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WishFate {
    /// It is demand for a key that is not there.
    Pooled,
    /// A key holds it.
    Covered,
    /// It wishes for nothing.
    NoDemand,
    /// It is on record as it was said, and too long, or of too many values, to be read.
    Captured,
}

/// What became of a submission.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Exchange {
    /// Missing where nothing was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub submission_id: Option<String>,
    pub schema_id: String,
    /// The template's revision by which it was judged.
    pub revision: u64,
    pub status: ExchangeStatus,
    /// Keys that were left out and have a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<String>)]
    pub defaults_applied: Option<Vec<KeyName>>,
    /// Keys whose value is wrong, is not executed, and refuses nothing: learned ones whose value is of another type, and, where `handling`
    /// is `lenient`, optional ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Vec<String>)]
    pub kept_out: Vec<KeyName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<Warning>)]
    pub warnings: Option<Vec<Warning>>,
    /// Where the submission says a revision that is not the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Missed)]
    pub template_change: Option<Missed>,
    /// The version in force, where the schema is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub latest: Option<String>,
    /// When it was announced that the schema is to go, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    pub deprecated_at: Option<String>,
    /// From when on it may be gone, where that was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    pub sunset: Option<String>,
    /// `lenient` where the request preferred that and the template allows it: wrong values of optional keys are kept out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub handling: Option<&'static str>,
}

impl Exchange {
    /// What is said of every submission; nothing else yet.
    pub fn new(schema_id: &str, revision: u64, status: ExchangeStatus) -> Exchange {
        Exchange {
            submission_id: None,
            schema_id: schema_id.to_owned(),
            revision,
            status,
            defaults_applied: None,
            kept_out: Vec::new(),
            warnings: None,
            template_change: None,
            latest: None,
            deprecated_at: None,
            sunset: None,
            handling: None,
        }
    }

    /// With what the schema is to its scenario.
    pub fn of_schema(self, schema: SchemaStatus) -> Exchange {
        Exchange {
            latest: schema.latest.map(|version| version.to_string()),
            deprecated_at: schema.deprecated_at.map(At::rfc3339),
            sunset: schema.sunset.map(At::rfc3339),
            handling: schema.lenient.then_some("lenient"),
            ..self
        }
    }
}

/// What a schema is to its scenario, beside what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemaStatus {
    /// Version of the schema in force, where that is another one.
    pub latest: Option<Version>,
    /// When it was announced that the schema is to go, where it was.
    pub deprecated_at: Option<At>,
    /// From when on it may be gone.
    pub sunset: Option<At>,
    /// True where a payload was read leniently by it.
    pub lenient: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeStatus {
    Accepted,
    Refused,
    /// On record; its executor was not called, or refused it.
    NotExecuted,
    /// On record; its executor was called, and what came of that is not known.
    MaybeExecuted,
    /// An extension request.
    Recorded,
}

/// Many submissions. Each item is judged by itself.
#[derive(ToSchema)]
pub struct Batch {
    /// Each a `Submission`, which may also hold `idempotency_key`, at most `service.batch_submissions_max` of them. What is none
    /// is answered with 400 in its place, so that it spoils nothing for the others.
    #[schema(min_items = 1, max_items = 100)]
    pub submissions: Vec<Value>,
}

/// The answers in the order of the submissions.
#[derive(Serialize, ToSchema)]
pub struct BatchReply {
    pub items: Vec<BatchItem>,
}

/// One answer, as a single submission would have got it.
#[derive(Serialize, ToSchema)]
pub struct BatchItem {
    pub status: u16,
    /// It is the stored answer of an earlier call.
    #[serde(skip_serializing_if = "Not::not")]
    pub replayed: bool,
    /// What was accepted, or a problem.
    #[schema(value_type = Object)]
    pub body: Box<RawValue>,
}
