//! Messages of the Agent Context Protocol, and what agents offer.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::conversations::PartOutcome;
use context::message::convert::Lost;
use context::message::markdown::LeftOut;
use context::message::policy::Policy;

/// What becomes of each part.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CheckedParts {
    pub parts: Vec<PartOutcome>,
}

/// An Agent Context Message (the template `agent_context_message`).
#[derive(ToSchema)]
pub struct AgentContextMessage {
    /// `taskContext`, `mcpContext`, `policyContext`, `resourceContext`, `securityContext`; each may be left out.
    #[schema(rename = "agentContext", value_type = Object)]
    pub agent_context: Value,
}

/// A message as Markdown.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Rendered {
    pub markdown: String,
    /// Estimated, of `markdown` and `guidance` together.
    pub tokens: u64,
    pub tokens_max: u64,
    pub left_out: Vec<LeftOut>,
    /// JSON pointers of secrets that were taken out.
    pub redacted: Vec<String>,
    /// The rules in `markdown`, each by itself.
    pub guidance: Vec<String>,
}

/// Either `taskContext` or `TaskContext`.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum EitherTaskContext {
    Carried(CarriedTaskContext),
    Distributed(DistributedTaskContext),
}

/// Of the Agent Context Protocol.
#[derive(ToSchema)]
pub struct CarriedTaskContext {
    #[schema(rename = "taskContext", value_type = Object)]
    pub task_context: Value,
}

/// Of the Agent Context Distribution draft.
#[derive(ToSchema)]
pub struct DistributedTaskContext {
    #[schema(rename = "TaskContext", value_type = Object)]
    pub distributed: Value,
}

/// The other shape, and what has no place in it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Converted {
    #[schema(value_type = Object)]
    pub document: Value,
    pub lost: Vec<Lost>,
}

/// The rules.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Policies {
    #[serde(rename = "policyContext")]
    pub policy_context: PolicyContext,
}

/// Rules that are guidance.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PolicyContext {
    pub policies: Vec<Policy>,
}

/// What an agent offers by MCP; also under `mcpContext`.
#[derive(ToSchema)]
pub struct McpServices {
    /// `{"serviceName", "version"}` each.
    #[schema(required = false, rename = "mcpServiceList", value_type = Vec<Object>)]
    pub services: Vec<Value>,
    /// `{"functionName", "description"}` each.
    #[schema(required = false, rename = "mcpFunctionList", value_type = Vec<Object>)]
    pub functions: Vec<Value>,
}

/// What an agent registered last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OfferedServices {
    pub agent: String,
    /// 1 at first; goes up with every change.
    pub version: u64,
    #[schema(format = DateTime)]
    pub changed_at: String,
    #[serde(rename = "mcpContext")]
    #[schema(value_type = Object)]
    pub mcp_context: Value,
}

/// The same with the policies.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RegisteredServices {
    pub agent: String,
    pub version: u64,
    #[schema(format = DateTime)]
    pub changed_at: String,
    #[serde(rename = "mcpContext")]
    #[schema(value_type = Object)]
    pub mcp_context: Value,
    #[serde(rename = "policyContext")]
    pub policy_context: PolicyContext,
}
