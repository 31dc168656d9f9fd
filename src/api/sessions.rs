//! Sessions of shared context: what is asked of them, what they answer, and what was done in them.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::Object;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::Type;

use context::session::config::Config;
use context::session::config::Group;
use context::session::event::Grant;
use context::session::request::ACTIONS;

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
    pub history_versions: u64,
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

/// What an agent asks: an action, and what it needs.
#[derive(ToSchema)]
pub struct ContextAction {
    #[schema(schema_with = actions)]
    pub action: String,
    /// Of all but `list_keys` and `read_batch`: out of a-z, 0-9 and _, at most 64.
    #[schema(required = false)]
    pub key: String,
    /// What is to be written, at most about 4000 characters.
    #[schema(required = false)]
    pub value: String,
    /// Only if the key is at this version; 0 if it must not be there.
    #[schema(required = false)]
    pub if_version: u64,
    /// Only if the key is of this incarnation; read as `incarnation` too.
    #[schema(required = false)]
    pub if_incarnation: u64,
    /// Of `read_batch`.
    #[schema(required = false)]
    pub keys: Vec<String>,
    /// Of `read_history`: these alone.
    #[schema(required = false)]
    pub versions: Vec<u64>,
    /// Names a snapshot.
    #[schema(required = false, pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub label: String,
}

fn actions() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(ACTIONS.iter().copied()))
        .build()
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
}

/// Keys that are to be read at once.
#[derive(ToSchema)]
pub struct KeysWanted {
    #[schema(min_items = 1)]
    pub keys: Vec<String>,
}

/// Under which name everything is to be kept.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotWanted {
    #[schema(pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub label: String,
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    pub session_id: String,
    /// `active` or `archived`.
    pub status: &'static str,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The principal; null for a caller without a name.
    pub created_by: Option<String>,
    pub config: Config,
    #[schema(value_type = u64)]
    pub key_count: usize,
    /// Size of all values together; a token is four characters begun.
    pub total_size_tokens: u64,
    pub max_total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String, format = DateTime)]
    pub archived_at: Option<String>,
    /// For the creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<Grant>)]
    pub participants: Option<Vec<Grant>>,
    /// For everybody else: its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<String>)]
    pub roles: Option<Vec<String>>,
    /// For whoever runs the service, where it inspects the session: every key with its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<Entry>)]
    pub contents: Option<Vec<Entry>>,
}

/// A page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub struct Sessions {
    pub sessions: Vec<Session>,
    /// `after` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub next: Option<String>,
}

/// A session that is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionDeleted {
    pub session_id: String,
    pub deleted: bool,
}

/// What an action is answered with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum ContextAnswer {
    Keys(Keys),
    Entry(Entry),
    Wrote(Wrote),
    KeyDeleted(KeyDeleted),
    KeyResults(KeyResults),
    History(History),
    SnapshotTaken(SnapshotTaken),
    Snapshots(Snapshots),
    Snapshot(Snapshot),
    RolledBack(RolledBack),
    SnapshotDeleted(SnapshotDeleted),
}

/// A key without its value.
#[derive(Debug, Serialize, ToSchema)]
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
}

/// Every key.
#[derive(Debug, Serialize, ToSchema)]
pub struct Keys {
    pub keys: Vec<Listed>,
    pub total_size_tokens: u64,
    pub max_total_tokens: u64,
}

/// A key with its value.
#[derive(Debug, Serialize, ToSchema)]
pub struct Entry {
    pub key: String,
    pub value: String,
    pub written_by: String,
    #[schema(format = DateTime)]
    pub written_at: String,
    pub version: u64,
    pub incarnation: u64,
}

/// It is written.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wrote {
    pub key: String,
    pub version: u64,
    pub incarnation: u64,
    pub written_by: String,
    #[schema(format = DateTime)]
    pub written_at: String,
    /// The value comes near the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub warning: Option<String>,
    /// The value may hold raw data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub hint: Option<String>,
}

/// It is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyDeleted {
    pub deleted: String,
    pub previous_version: u64,
}

/// Each key with its value, or with why there is none.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyResults {
    pub results: Vec<KeyResult>,
}

/// A key with its value, or with why there is none.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum KeyResult {
    Entry(Entry),
    Refused(KeyRefused),
}

/// Why a key cannot be read.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyRefused {
    /// As it was asked for, where it can be a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub key: Option<String>,
    pub error: ContextError,
}

/// A refusal as the specification spells it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextError {
    pub code: &'static str,
    pub message: String,
}

/// What a key was.
#[derive(Debug, Serialize, ToSchema)]
pub struct History {
    pub key: String,
    pub history: Vec<Past>,
    /// Versions that were asked for and are not kept.
    pub not_kept: Vec<u64>,
}

/// A version, or a deletion.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Past {
    Version(PastVersion),
    Deletion(PastDeletion),
}

/// A version of a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct PastVersion {
    pub version: u64,
    pub incarnation: u64,
    pub value: String,
    pub written_by: String,
    #[schema(format = DateTime)]
    pub written_at: String,
    pub value_size_tokens: u64,
}

/// That a key was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub struct PastDeletion {
    /// True.
    pub deleted: bool,
    pub previous_version: u64,
    /// Null where it expired, which it may have in an older version.
    pub deleted_by: Option<String>,
    #[schema(format = DateTime)]
    pub deleted_at: String,
}

/// It is kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotTaken {
    pub snapshot: String,
    #[schema(format = DateTime)]
    pub at: String,
}

/// Everything is as it was.
#[derive(Debug, Serialize, ToSchema)]
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
#[derive(Debug, Serialize, ToSchema)]
pub struct RestoredKey {
    pub key: String,
    /// The version that it has now.
    pub version: u64,
}

/// A key that was taken out.
#[derive(Debug, Serialize, ToSchema)]
pub struct RemovedKey {
    pub key: String,
    pub previous_version: u64,
}

/// A snapshot that is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotDeleted {
    pub deleted_snapshot: String,
    #[schema(format = DateTime)]
    pub at: String,
}

/// Every snapshot.
#[derive(Debug, Serialize, ToSchema)]
pub struct Snapshots {
    pub snapshots: Vec<SnapshotRow>,
}

/// A snapshot without its contents.
#[derive(Debug, Serialize, ToSchema)]
pub struct SnapshotRow {
    pub snapshot: String,
    pub taken_by: String,
    #[schema(format = DateTime)]
    pub taken_at: String,
    #[schema(value_type = u64)]
    pub key_count: usize,
}

/// A snapshot with what it holds.
#[derive(Debug, Serialize, ToSchema)]
pub struct Snapshot {
    pub snapshot: String,
    pub taken_by: String,
    #[schema(format = DateTime)]
    pub taken_at: String,
    pub contents: Vec<Entry>,
}

/// The blocks for a system prompt.
#[derive(Debug, Serialize, ToSchema)]
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

/// The session is there no more for who follows it.
#[derive(Debug, Serialize)]
pub struct SessionGone {
    pub session_id: String,
}

/// A page of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContextAudit {
    pub entries: Vec<ContextAuditEntry>,
    /// `after` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub next: Option<u64>,
}

/// Something that was done. No value stands in it.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ContextAuditEntry {
    pub seq: u64,
    pub session_id: String,
    #[schema(format = DateTime)]
    pub at: String,
    /// `create`, `grant`, `revoke`, `write`, `delete`, `expire`, `snapshot`, `delete_snapshot`, `rollback`, `archive` or `remove`.
    pub action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<String>)]
    pub keys: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = u64)]
    pub value_size_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = AuditedParticipant)]
    pub participant: Option<AuditedParticipant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub written_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub principal: Option<String>,
    /// Who ran the service and did it instead of the creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub operator: Option<String>,
    /// What a rollback wrote and deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<AuditedChange>)]
    pub changes: Option<Vec<AuditedChange>>,
}

/// What a rollback did to a key; the version and size are those that it has now, or had.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditedChange {
    /// `write` or `delete`.
    pub action: &'static str,
    pub key: String,
    pub version: u64,
    pub value_size_tokens: u64,
}

/// Who may take part, or may no more.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditedParticipant {
    pub principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<String>)]
    pub roles: Option<Vec<String>>,
}
