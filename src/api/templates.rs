//! Templates as they are published and as they are served, and the patches that change them.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::schema::Type;

use engine::evolution::patch;
use engine::evolution::patch::PatchHead;
use engine::evolution::patch::PublishedPatch;
use schema::compatibility::Mode;
use schema::effective::ModifiedKey;
use schema::effective::ServedKey;
use schema::export::NAMES;
use schema::key::KeyDefinition;
use schema::template;

/// A base schema as its publisher writes it. Members that are not named here are kept and served back.
#[derive(ToSchema)]
pub struct SchemaTemplate {
    #[schema(pattern = "^[A-Za-z0-9._-]{1,128}$")]
    pub schema_id: String,
    /// What the schema is for. Lookup ignores case and takes spaces and hyphens for `_`.
    #[schema(min_length = 1)]
    pub scenario: String,
    /// Without `other`, one is added.
    #[schema(min_items = 1)]
    pub keys: Vec<KeyDefinition>,
    /// MAJOR.MINOR.PATCH; 1.0.0 where nothing is said.
    #[schema(required = false, pattern = r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")]
    pub version: String,
    #[schema(required = false)]
    pub description: String,
    /// BCP 47 tag of the descriptions.
    #[schema(required = false)]
    pub language: String,
    /// Whether a key that the template does not have refuses a submission.
    #[schema(required = false)]
    pub strict: bool,
    /// True where a request may have wrong values of optional keys kept out instead of refused (`handling`).
    #[schema(required = false)]
    pub lenient: bool,
    /// Whether closed lists and ranges that descriptions state in so many words (`Acceptable values: a, b.`, `Range: 1-9.`) are
    /// enforced; true where nothing is said.
    #[schema(required = false, default = true)]
    pub constraints_from_descriptions: bool,
    /// JSON Schema that the executor's result must keep.
    #[schema(required = false)]
    pub response_schema: Value,
    /// Where what was accepted is executed.
    #[schema(required = false)]
    pub executor: ExecutorSpec,
    /// What the scenario does otherwise than the service's settings say, such as `{"evolution": {"autonomy": "review"}}`.
    #[schema(required = false, value_type = Object)]
    pub policy: Value,
    #[schema(required = false)]
    pub compatibility: Mode,
    /// Who answers for the schema.
    #[schema(required = false, min_length = 1, max_length = 256)]
    pub owner: String,
    /// Name and value, at most 32.
    #[schema(required = false, value_type = Object)]
    pub labels: Value,
}

/// The server agent's own address, which is called with what was accepted.
#[derive(ToSchema)]
pub struct ExecutorSpec {
    /// https, or http on this machine.
    #[schema(max_length = 2048)]
    pub url: String,
    #[schema(required = false, minimum = 100, maximum = 600_000)]
    pub timeout_ms: u64,
    #[schema(required = false, minimum = 100, maximum = 600_000)]
    pub attempt_timeout_ms: u64,
    #[schema(required = false, minimum = 1, maximum = 10)]
    pub attempts: u64,
}

/// The effective template: the base with the patches in force for the caller.
#[derive(ToSchema)]
pub struct EffectiveTemplate {
    pub schema_id: String,
    pub scenario: String,
    pub version: String,
    /// The last change that this caller sees; for `since` and `as_of`.
    pub revision: u64,
    pub language: String,
    /// The language that was asked for, where the template has none of it.
    #[schema(required = false)]
    pub language_fallback: LanguageFallback,
    #[schema(required = false)]
    pub description: String,
    pub keys: Vec<ServedKey>,
    /// The digest of each key as it is served (name, type, description, constraints), by its name.
    #[schema(value_type = HashMap<String, String>)]
    pub key_digests: Value,
    /// The patches in force, without their keys.
    pub patches: Vec<PatchHead>,
    /// Patches in force that change a key which this version has not.
    #[schema(required = false)]
    pub left_out: Vec<LeftOut>,
    #[schema(required = false)]
    pub response_schema: Value,
    #[schema(required = false)]
    pub strict: bool,
    #[schema(required = false)]
    pub lenient: bool,
    #[schema(required = false)]
    pub owner: String,
    #[schema(required = false, value_type = Object)]
    pub labels: Value,
    #[schema(required = false)]
    pub compatibility: Mode,
}

/// A language that the template does not have, and the one that is served instead.
#[derive(ToSchema)]
pub struct LanguageFallback {
    pub requested: String,
    pub served: String,
}

/// A patch that is in force and not laid over a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LeftOut {
    pub patch_id: String,
    pub key_name: String,
    /// In a sentence.
    pub why: String,
}

impl LeftOut {
    /// A patch that changes a key which a base has not.
    pub fn of(patch: &patch::Patch, base: &template::SchemaTemplate) -> LeftOut {
        let (key_name, version) = (patch.change.key_name().to_string(), base.version());
        LeftOut {
            patch_id: patch.patch_id.to_string(),
            why: format!("it changes the key `{key_name}`, which version {version} has not"),
            key_name,
        }
    }
}

/// `{"patches": [patch]}`
#[derive(Debug, Serialize, ToSchema)]
pub struct Patches {
    pub patches: Vec<PublishedPatch>,
}

/// What changed for the caller since a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct Updates {
    /// What `since` is to be the next time.
    pub revision: u64,
    /// The base in force, or the one that the caller names.
    pub schema_id: String,
    pub patches: Vec<PublishedPatch>,
    pub withdrawn_keys: Vec<String>,
    /// Patches that changed and are not laid over this version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// What is new to the caller, beside an answer to a submission.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Suggestion {
    pub revision: u64,
    pub new_keys: Vec<ServedKey>,
    pub modified_keys: Vec<ModifiedKey>,
    pub withdrawn_keys: Vec<String>,
    pub patches: Vec<PublishedPatch>,
}

/// The draft's request for a template.
#[derive(ToSchema)]
pub struct NegotiationRequest {
    pub method: NegotiationMethod,
    pub params: NegotiationParams,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum NegotiationMethod {
    GetSchemaTemplate,
}

fn form() -> Object {
    let text = ObjectBuilder::new().schema_type(Type::String);
    text.enum_values(Some(NAMES.iter().copied())).build()
}

/// Which template is asked for.
#[derive(ToSchema)]
pub struct NegotiationParams {
    /// Such as `flight_booking`.
    pub scenario: String,
    /// One of the scenario's schemas instead of the one in force.
    #[schema(required = false)]
    pub schema_id: Option<String>,
    /// The schema of this version (`1.3.0`), or the highest version that a requirement such as `^1` or `~1.2` lets through.
    #[schema(required = false)]
    pub version: Option<String>,
    /// BCP 47 tags in the order of preference, also with weights: `ja, fr;q=0.5`; or a list of them.
    #[schema(required = false)]
    pub preferred_language: Option<String>,
    /// Whether keys on trial are wanted; true where nothing is said.
    #[schema(required = false)]
    pub experimental: Option<bool>,
    /// An export instead of the template itself.
    #[schema(required = false, schema_with = form)]
    pub format: Option<String>,
    /// The template as it was at a revision or an RFC 3339 moment.
    #[schema(required = false)]
    pub as_of: Option<String>,
    /// What the client can take. What is not heeded is named in the header `Otherwise-Capabilities-Ignored`.
    #[schema(required = false)]
    pub capabilities: Option<Capabilities>,
}

/// What a client can take; members that are not known are passed over, and named.
#[derive(ToSchema)]
pub struct Capabilities {
    /// Names of formats, the most wanted first, and `template` for the template itself; the first that there is comes back where
    /// `format` names none.
    #[schema(required = false)]
    pub formats: Option<Vec<String>>,
}
