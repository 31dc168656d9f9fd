//! Sessions of shared context.

use utoipa::ToSchema;
use utoipa::openapi::Array;
use utoipa::openapi::ArrayBuilder;
use utoipa::openapi::Object;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::Type;

use context::session::action::ACTIONS;

/// What a session is created with.
#[derive(ToSchema)]
pub struct SessionWanted {
    /// Where none is given, one is made.
    #[schema(required = false, pattern = "^[A-Za-z0-9._-]{1,128}$")]
    pub session_id: String,
    #[schema(required = false)]
    pub config: ConfigWanted,
    /// Who takes part beside the creator.
    #[schema(required = false)]
    pub participants: Vec<Grant>,
}

/// Extensions, and conventions for keys. What is left out stands as it usually does.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigWanted {
    #[schema(required = false)]
    pub prefixes: bool,
    #[schema(required = false)]
    pub access_control: bool,
    #[schema(required = false)]
    pub history_versions: u64,
    #[schema(required = false)]
    pub expiry: bool,
    #[schema(required = false)]
    pub batch_read: bool,
    #[schema(required = false)]
    pub snapshots: bool,
    #[schema(required = false)]
    pub subscriptions: bool,
    #[schema(required = false)]
    pub if_version: bool,
    /// What the prompt says of keys.
    #[schema(required = false)]
    pub namespace: Vec<Group>,
}

/// Conventions that belong together.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub title: String,
    pub keys: Vec<Convention>,
}

/// What a key is for.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Convention {
    pub key: String,
    pub purpose: String,
    #[schema(required = false)]
    pub content: String,
}

/// The extensions of a session.
#[derive(ToSchema)]
pub struct Config {
    /// Whether one colon may stand in a key.
    pub prefixes: bool,
    /// Whether keys say who may read and write them.
    pub access_control: bool,
    /// Versions of a key that are kept, the current one included; 0 keeps no history.
    pub history_versions: u64,
    /// Whether a write may say when its key expires.
    pub expiry: bool,
    pub batch_read: bool,
    pub snapshots: bool,
    pub subscriptions: bool,
    pub if_version: bool,
}

/// As what a principal takes part.
#[derive(ToSchema)]
pub struct Grant {
    /// Visible ASCII characters.
    #[schema(min_length = 1, max_length = 128, pattern = "^[!-~]+$")]
    pub principal: String,
    /// `orchestrator`, `subagent:{task}`, `subagent:{task}:{id}`, or with `*` at the end all that begin so. The first one, without
    /// `*`, is what it is where it does not say.
    #[schema(schema_with = roles)]
    pub roles: Vec<String>,
}

fn roles() -> Array {
    let segment = "[A-Za-z0-9._-]{1,64}";
    let right = format!(r"^(orchestrator|\*|subagent:\*|subagent:{segment}(:{segment}|:?\*|:{segment}\*)?)$");
    let role = ObjectBuilder::new().schema_type(Type::String).pattern(Some(right));
    ArrayBuilder::new()
        .items(role)
        .min_items(Some(1))
        .max_items(Some(16))
        .build()
}

/// A session.
#[derive(ToSchema)]
pub struct Session {
    pub session_id: String,
    /// `active` or `archived`.
    pub status: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The principal; null for a caller without a name.
    pub created_by: Option<String>,
    pub config: Config,
    pub key_count: u64,
    /// Size of all values together; a token is four characters begun.
    pub total_size_tokens: u64,
    pub max_total_tokens: u64,
    #[schema(required = false, format = DateTime)]
    pub archived_at: String,
    /// For the creator.
    #[schema(required = false)]
    pub participants: Vec<Grant>,
    /// For everybody else: its own.
    #[schema(required = false)]
    pub roles: Vec<String>,
}

/// A page of sessions.
#[derive(ToSchema)]
pub struct Sessions {
    pub sessions: Vec<Session>,
    /// `after` of the next page.
    #[schema(required = false)]
    pub next: String,
}

/// A session that is gone.
#[derive(ToSchema)]
pub struct SessionDeleted {
    pub session_id: String,
    pub deleted: bool,
}

/// What an agent asks: an action, and what it needs.
#[derive(ToSchema)]
pub struct ContextAction {
    #[schema(schema_with = actions)]
    pub action: String,
    #[schema(required = false)]
    pub key: String,
    #[schema(required = false)]
    pub value: String,
    /// Only if the key is at this version; 0 if it must not be there.
    #[schema(required = false)]
    pub if_version: u64,
    /// Only if the key is of this incarnation; read as `incarnation` too.
    #[schema(required = false)]
    pub if_incarnation: u64,
    /// Seconds after which the key expires.
    #[schema(required = false, minimum = 1)]
    pub ttl_s: u64,
    #[schema(required = false, max_items = 16)]
    pub readable_by: Vec<String>,
    #[schema(required = false, max_items = 16)]
    pub writable_by: Vec<String>,
    #[schema(required = false)]
    pub keys: Vec<String>,
    #[schema(required = false)]
    pub versions: Vec<u64>,
    #[schema(required = false, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub label: String,
}

fn actions() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(ACTIONS))
        .build()
}

/// What an action is answered with; which members there are follows from the action.
#[derive(ToSchema)]
pub struct ContextAnswer {
    #[schema(required = false)]
    pub key: String,
    #[schema(required = false)]
    pub value: String,
    #[schema(required = false)]
    pub version: u64,
    #[schema(required = false)]
    pub incarnation: u64,
    #[schema(required = false)]
    pub written_by: String,
    #[schema(required = false, format = DateTime)]
    pub written_at: String,
    #[schema(required = false, format = DateTime)]
    pub expires_at: String,
    #[schema(required = false)]
    pub readable_by: Vec<String>,
    #[schema(required = false)]
    pub writable_by: Vec<String>,
    #[schema(required = false)]
    pub warning: String,
    #[schema(required = false)]
    pub hint: String,
    #[schema(required = false)]
    pub keys: Vec<Listed>,
    #[schema(required = false)]
    pub total_size_tokens: u64,
    #[schema(required = false)]
    pub max_total_tokens: u64,
    #[schema(required = false)]
    pub deleted: String,
    #[schema(required = false)]
    pub previous_version: u64,
    #[schema(required = false)]
    pub results: Vec<KeyResult>,
    #[schema(required = false)]
    pub history: Vec<Past>,
    #[schema(required = false)]
    pub not_kept: Vec<u64>,
    #[schema(required = false)]
    pub snapshot: String,
    #[schema(required = false)]
    pub snapshots: Vec<SnapshotRow>,
    #[schema(required = false)]
    pub contents: Vec<Entry>,
    #[schema(required = false)]
    pub taken_by: String,
    #[schema(required = false, format = DateTime)]
    pub taken_at: String,
    #[schema(required = false)]
    pub rolled_back: String,
    #[schema(required = false)]
    pub restored: Vec<RestoredKey>,
    #[schema(required = false)]
    pub removed: Vec<RemovedKey>,
    #[schema(required = false)]
    pub deleted_snapshot: String,
    #[schema(required = false, format = DateTime)]
    pub at: String,
}

/// A key without its value.
#[derive(ToSchema)]
pub struct Listed {
    pub key: String,
    /// Set by the service.
    pub written_by: String,
    #[schema(format = DateTime)]
    pub written_at: String,
    pub version: u64,
    /// Which one of the keys of this name it is: another one after a deletion.
    pub incarnation: u64,
    pub value_size_tokens: u64,
    #[schema(required = false, format = DateTime)]
    pub expires_at: String,
    #[schema(required = false)]
    pub readable_by: Vec<String>,
    #[schema(required = false)]
    pub writable_by: Vec<String>,
}

/// Every key that the caller may read.
#[derive(ToSchema)]
pub struct Keys {
    pub keys: Vec<Listed>,
    pub total_size_tokens: u64,
    pub max_total_tokens: u64,
}

/// A key with its value.
#[derive(ToSchema)]
pub struct Entry {
    pub key: String,
    pub value: String,
    pub written_by: String,
    #[schema(format = DateTime)]
    pub written_at: String,
    pub version: u64,
    pub incarnation: u64,
    #[schema(required = false, format = DateTime)]
    pub expires_at: String,
    #[schema(required = false)]
    pub readable_by: Vec<String>,
    #[schema(required = false)]
    pub writable_by: Vec<String>,
}

/// What is to be written.
#[derive(ToSchema)]
pub struct WriteWanted {
    /// Structured data as text.
    pub value: String,
    #[schema(required = false)]
    pub if_version: u64,
    #[schema(required = false)]
    pub if_incarnation: u64,
    #[schema(required = false, minimum = 1)]
    pub ttl_s: u64,
    #[schema(required = false, max_items = 16)]
    pub readable_by: Vec<String>,
    #[schema(required = false, max_items = 16)]
    pub writable_by: Vec<String>,
}

/// It is written.
#[derive(ToSchema)]
pub struct Wrote {
    pub key: String,
    pub version: u64,
    pub incarnation: u64,
    pub written_by: String,
    #[schema(format = DateTime)]
    pub written_at: String,
    #[schema(required = false, format = DateTime)]
    pub expires_at: String,
    /// The value comes near the limit.
    #[schema(required = false)]
    pub warning: String,
    /// The value may hold raw data.
    #[schema(required = false)]
    pub hint: String,
}

/// It is gone.
#[derive(ToSchema)]
pub struct KeyDeleted {
    pub deleted: String,
    pub previous_version: u64,
}

/// Keys that are to be read at once.
#[derive(ToSchema)]
pub struct KeysWanted {
    #[schema(min_items = 1)]
    pub keys: Vec<String>,
}

/// Each key with its value, or with why there is none.
#[derive(ToSchema)]
pub struct KeyResults {
    pub results: Vec<KeyResult>,
}

/// A key with its value, or with why there is none.
#[derive(ToSchema)]
pub struct KeyResult {
    #[schema(required = false)]
    pub key: String,
    #[schema(required = false)]
    pub value: String,
    #[schema(required = false)]
    pub written_by: String,
    #[schema(required = false, format = DateTime)]
    pub written_at: String,
    #[schema(required = false)]
    pub version: u64,
    #[schema(required = false)]
    pub incarnation: u64,
    #[schema(required = false, format = DateTime)]
    pub expires_at: String,
    #[schema(required = false)]
    pub readable_by: Vec<String>,
    #[schema(required = false)]
    pub writable_by: Vec<String>,
    #[schema(required = false)]
    pub error: ContextError,
}

/// A refusal as the specification spells it.
#[derive(ToSchema)]
pub struct ContextError {
    pub code: String,
    pub message: String,
}

/// What a key was.
#[derive(ToSchema)]
pub struct History {
    pub key: String,
    pub history: Vec<Past>,
    /// Versions that were asked for and are not kept.
    pub not_kept: Vec<u64>,
}

/// A version, or a deletion.
#[derive(ToSchema)]
pub struct Past {
    #[schema(required = false)]
    pub version: u64,
    #[schema(required = false)]
    pub incarnation: u64,
    #[schema(required = false)]
    pub value: String,
    #[schema(required = false)]
    pub written_by: String,
    #[schema(required = false, format = DateTime)]
    pub written_at: String,
    #[schema(required = false)]
    pub value_size_tokens: u64,
    #[schema(required = false)]
    pub deleted: bool,
    #[schema(required = false)]
    pub previous_version: u64,
    #[schema(required = false)]
    pub deleted_by: Option<String>,
    #[schema(required = false, format = DateTime)]
    pub deleted_at: String,
    #[schema(required = false)]
    pub expired: bool,
}

/// Under which name everything is to be kept.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotWanted {
    #[schema(pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub label: String,
}

/// It is kept.
#[derive(ToSchema)]
pub struct SnapshotTaken {
    pub snapshot: String,
    #[schema(format = DateTime)]
    pub at: String,
}

/// Everything is as it was.
#[derive(ToSchema)]
pub struct RolledBack {
    pub rolled_back: String,
    #[schema(format = DateTime)]
    pub at: String,
    /// Keys that have their old value again.
    pub restored: Vec<RestoredKey>,
    /// Keys that the snapshot does not have.
    pub removed: Vec<RemovedKey>,
}

/// A key that was put back.
#[derive(ToSchema)]
pub struct RestoredKey {
    pub key: String,
    /// The version that it has now.
    pub version: u64,
}

/// A key that was taken out.
#[derive(ToSchema)]
pub struct RemovedKey {
    pub key: String,
    pub previous_version: u64,
}

/// A snapshot that is gone.
#[derive(ToSchema)]
pub struct SnapshotDeleted {
    pub deleted_snapshot: String,
    #[schema(format = DateTime)]
    pub at: String,
}

/// Every snapshot.
#[derive(ToSchema)]
pub struct Snapshots {
    pub snapshots: Vec<SnapshotRow>,
}

/// A snapshot without its contents.
#[derive(ToSchema)]
pub struct SnapshotRow {
    pub snapshot: String,
    pub taken_by: String,
    #[schema(format = DateTime)]
    pub taken_at: String,
    pub key_count: u64,
}

/// A snapshot with what it holds.
#[derive(ToSchema)]
pub struct Snapshot {
    pub snapshot: String,
    pub taken_by: String,
    #[schema(format = DateTime)]
    pub taken_at: String,
    pub contents: Vec<Entry>,
}

/// The blocks for a system prompt.
#[derive(ToSchema)]
pub struct Prompt {
    pub session_id: String,
    /// As what the caller takes part.
    pub role: String,
    /// Begins with the session and the role.
    pub namespace: String,
    pub write_discipline: String,
    pub read_pattern: String,
    /// About how many the text has.
    pub tokens: u64,
    /// All three.
    pub text: String,
}

/// A session with everything in it.
#[derive(ToSchema)]
pub struct Inspection {
    pub session_id: String,
    pub status: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    pub created_by: Option<String>,
    pub config: Config,
    pub key_count: u64,
    pub total_size_tokens: u64,
    pub max_total_tokens: u64,
    #[schema(required = false, format = DateTime)]
    pub archived_at: String,
    #[schema(required = false)]
    pub participants: Vec<Grant>,
    pub contents: Vec<Entry>,
}
