//! What was done in sessions of shared context, as an operator reads it.

use utoipa::ToSchema;

/// A page of the audit log.
#[derive(ToSchema)]
pub struct ContextAudit {
    pub entries: Vec<ContextAuditEntry>,
    /// `after` of the next page.
    #[schema(required = false)]
    pub next: u64,
}

/// Something that was done. No value stands in it.
#[derive(ToSchema)]
pub struct ContextAuditEntry {
    pub seq: u64,
    pub session_id: String,
    #[schema(format = DateTime)]
    pub at: String,
    /// `create`, `grant`, `revoke`, `write`, `delete`, `expire`, `snapshot`, `delete_snapshot`, `rollback`, `archive` or `remove`.
    pub action: String,
    #[schema(required = false)]
    pub key: String,
    #[schema(required = false)]
    pub keys: Vec<String>,
    #[schema(required = false)]
    pub version: u64,
    #[schema(required = false)]
    pub value_size_tokens: u64,
    #[schema(required = false)]
    pub label: String,
    #[schema(required = false)]
    pub participant: AuditedParticipant,
    #[schema(required = false)]
    pub written_by: String,
    #[schema(required = false)]
    pub principal: String,
    /// Who ran the service and did it instead of the creator.
    #[schema(required = false)]
    pub operator: String,
    /// What a rollback wrote and deleted.
    #[schema(required = false)]
    pub changes: Vec<AuditedChange>,
}

/// What a rollback did to a key; the version and size are those that it has now, or had.
#[derive(ToSchema)]
pub struct AuditedChange {
    /// `write` or `delete`.
    pub action: String,
    pub key: String,
    pub version: u64,
    pub value_size_tokens: u64,
}

/// Who may take part, or may no more.
#[derive(ToSchema)]
pub struct AuditedParticipant {
    pub principal: String,
    #[schema(required = false)]
    pub roles: Vec<String>,
}
