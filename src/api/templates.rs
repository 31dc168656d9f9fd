//! Templates as they are published and as they are served, and the patches that change them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::Object;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::schema::Type;

use engine::evolution::patch;
use engine::evolution::stage;
use engine::pool::gate;
use schema::export::NAMES;
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
    pub compatibility: CompatibilityMode,
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

/// What a version promises to those who know the others of its major line.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum CompatibilityMode {
    None,
    Backward,
    BackwardTransitive,
    Forward,
    ForwardTransitive,
    Full,
    FullTransitive,
}

/// A key of a template. Members that are not named here are kept and served back.
#[derive(ToSchema)]
pub struct KeyDefinition {
    #[schema(pattern = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length = 64)]
    pub key_name: String,
    pub key_type: KeyType,
    pub required: bool,
    /// What the key means, with examples. Lists and ranges in it become `constraints`.
    #[schema(min_length = 1)]
    pub semantic_description: String,
    /// What is taken where the key is left out; none for a required key.
    #[schema(required = false)]
    pub default_value: Value,
    /// Keywords of JSON Schema.
    #[schema(required = false, value_type = Object)]
    pub constraints: Value,
    /// Descriptions in other languages: BCP 47 tag and text.
    #[schema(required = false)]
    pub semantic_descriptions: BTreeMap<String, String>,
    #[schema(required = false)]
    pub sensitive: Sensitive,
}

/// A type of JSON; `float` is read as `number`.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum KeyType {
    String,
    Integer,
    Number,
    Boolean,
    Array,
    Object,
    Null,
    Float,
}

/// What a key is about that a person has to approve.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Sensitive {
    Payment,
    Identity,
    AccessControl,
    Personal,
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
    pub keys: Vec<EffectiveKey>,
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
    pub owner: String,
    #[schema(required = false, value_type = Object)]
    pub labels: Value,
    #[schema(required = false)]
    pub compatibility: CompatibilityMode,
}

/// A language that the template does not have, and the one that is served instead.
#[derive(ToSchema)]
pub struct LanguageFallback {
    pub requested: String,
    pub served: String,
}

/// A key of an effective template.
#[derive(ToSchema)]
pub struct EffectiveKey {
    pub key_name: String,
    pub key_type: KeyType,
    pub required: bool,
    pub semantic_description: String,
    #[schema(required = false)]
    pub default_value: Value,
    #[schema(required = false, value_type = Object)]
    pub constraints: Value,
    #[schema(required = false)]
    pub semantic_descriptions: BTreeMap<String, String>,
    #[schema(required = false)]
    pub sensitive: Sensitive,
    /// The key is on trial.
    #[schema(required = false)]
    pub experimental: bool,
    /// The key will go.
    #[schema(required = false)]
    pub deprecated: bool,
    /// The patch that brought it.
    #[schema(required = false)]
    pub patch_id: String,
}

/// A patch without its keys.
#[derive(ToSchema)]
pub struct PatchHead {
    pub patch_id: String,
    pub parent_schema_id: String,
    #[schema(format = DateTime)]
    pub timestamp: String,
    #[schema(format = DateTime)]
    pub expiration_date: String,
    pub revision: u64,
    pub stage: Stage,
    pub audience: Audience,
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

/// A patch: a key that was learned, or a description that was.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Patch {
    pub patch_id: String,
    pub parent_schema_id: String,
    #[schema(format = DateTime)]
    pub timestamp: String,
    #[schema(format = DateTime)]
    pub expiration_date: String,
    /// The last change of the patch.
    pub revision: u64,
    pub stage: Stage,
    pub audience: Audience,
    #[schema(value_type = Vec<EffectiveKey>)]
    pub new_keys: Value,
    #[schema(value_type = Vec<ModifiedKey>)]
    pub modified_keys: Value,
    /// What a person is waited for to decide, shown to those who see all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Waiting)]
    pub waits_for: Option<Waiting>,
}

impl Patch {
    /// As it is shown to those who may decide about it.
    pub fn for_operators(patch: &patch::Patch) -> Patch {
        Patch {
            waits_for: patch.waits_for().map(|(code, detail)| Waiting::new(code, detail)),
            ..Patch::from(patch)
        }
    }
}

impl From<&patch::Patch> for Patch {
    fn from(patch: &patch::Patch) -> Patch {
        let mut document = patch.document();
        Patch {
            patch_id: patch.patch_id.to_string(),
            parent_schema_id: patch.parent_schema_id.to_string(),
            timestamp: patch.timestamp.rfc3339(),
            expiration_date: patch.expiration.rfc3339(),
            revision: patch.revision,
            stage: Stage::from(&patch.stage),
            audience: Audience::from(&patch.audience),
            new_keys: document["new_keys"].take(),
            modified_keys: document["modified_keys"].take(),
            waits_for: None,
        }
    }
}

/// A key whose description was refined.
#[derive(ToSchema)]
pub struct ModifiedKey {
    pub key_name: String,
    pub semantic_description: String,
    /// Values that it takes beside those of the base.
    #[schema(required = false)]
    pub added_values: Vec<Value>,
    /// Values that it takes alone from now on, beside `none`: until then it took any text.
    #[schema(required = false)]
    pub listed_values: Vec<Value>,
}

/// Where a patch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Queued,
    AwaitingApproval,
    Experimental,
    Stable,
    Deprecated,
    Withdrawn,
    Expired,
    Lapsed,
    Rejected,
}

impl From<&stage::Stage> for Stage {
    fn from(stage: &stage::Stage) -> Stage {
        match stage {
            stage::Stage::Queued { .. } => Stage::Queued,
            stage::Stage::AwaitingApproval { .. } => Stage::AwaitingApproval,
            stage::Stage::Experimental(_) => Stage::Experimental,
            stage::Stage::Stable { .. } => Stage::Stable,
            stage::Stage::Deprecated { .. } => Stage::Deprecated,
            stage::Stage::Withdrawn { .. } => Stage::Withdrawn,
            stage::Stage::Expired { .. } => Stage::Expired,
            stage::Stage::Lapsed { .. } => Stage::Lapsed,
            stage::Stage::Rejected { .. } => Stage::Rejected,
        }
    }
}

/// Whom a patch is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Audience {
    pub kind: AudienceKind,
    /// The client or the cohort, where it is for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub id: Option<String>,
}

impl From<&gate::Audience> for Audience {
    fn from(audience: &gate::Audience) -> Audience {
        let (kind, id) = match audience {
            gate::Audience::Global => (AudienceKind::Global, None),
            gate::Audience::Cohort(cohort) => (AudienceKind::Cohort, Some(cohort.to_string())),
            gate::Audience::Client(client) => (AudienceKind::Client, Some(client.to_string())),
        };
        Audience { kind, id }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AudienceKind {
    Global,
    Cohort,
    Client,
}

/// `{"patches": [patch]}`
#[derive(Debug, Serialize, ToSchema)]
pub struct Patches {
    pub patches: Vec<Patch>,
}

/// What changed for the caller since a revision.
#[derive(Debug, Serialize, ToSchema)]
pub struct Updates {
    /// What `since` is to be the next time.
    pub revision: u64,
    /// The base in force, or the one that the caller names.
    pub schema_id: String,
    pub patches: Vec<Patch>,
    pub withdrawn_keys: Vec<String>,
    /// Patches that changed and are not laid over this version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub left_out: Vec<LeftOut>,
}

/// What is new to the caller, beside an answer to a submission.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Suggestion {
    pub revision: u64,
    #[schema(value_type = Vec<EffectiveKey>)]
    pub new_keys: Vec<Value>,
    #[schema(value_type = Vec<ModifiedKey>)]
    pub modified_keys: Vec<Value>,
    pub withdrawn_keys: Vec<String>,
    pub patches: Vec<Patch>,
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

/// What a cluster or a patch waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Waiting {
    /// Of a cluster `gate`, `settled`, `thaw` or `evolution`; of a patch `usage_between` or `clients_disagree`.
    pub code: String,
    /// The same in a sentence, with the numbers.
    pub detail: String,
}

impl Waiting {
    /// A code with its sentence.
    pub fn new(code: &str, detail: &str) -> Waiting {
        Waiting {
            code: code.to_owned(),
            detail: detail.to_owned(),
        }
    }
}

/// What a version is to the others of its scenario.
#[derive(ToSchema)]
pub struct Assessment {
    pub mode: CompatibilityMode,
    /// The schema whose `compatibility` rules; null where it is the service's setting.
    pub set_by: Option<String>,
    pub compatible: bool,
    pub compared: Vec<Comparison>,
}

/// A version beside another.
#[derive(ToSchema)]
pub struct Comparison {
    pub schema_id: String,
    pub version: String,
    pub enforced: bool,
    pub compatible: bool,
    pub changes: Vec<Change>,
}

/// One difference.
#[derive(ToSchema)]
pub struct Change {
    /// Such as `key_added` or `narrowed`.
    pub kind: String,
    #[schema(required = false)]
    pub key_name: String,
    pub pointer: String,
    pub class: ChangeClass,
    pub backward: Reading,
    pub forward: Reading,
    pub message: String,
    #[schema(required = false)]
    pub renamed_to: String,
    /// Payloads that show it.
    pub examples: Vec<ChangeExample>,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum ChangeClass {
    Wording,
    Additive,
    MayBreak,
    Breaking,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Reading {
    Compatible,
    MayBreak,
    Breaking,
}

/// A payload that one version accepts, and what the other makes of it.
#[derive(ToSchema)]
pub struct ChangeExample {
    pub direction: Direction,
    pub effect: Effect,
    #[schema(value_type = Object)]
    pub payload: Value,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Direction {
    Backward,
    Forward,
}

#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Effect {
    Refused,
    PassedOver,
    ReadOtherwise,
}
