//! A2A 1.0 (its section 4): what is sent and answered of tasks, push notifications, the agent card, and failures. Messages and artifacts
//! are those of [`context::a2a_task::message`].

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use context::a2a_task::message::Artifact;
use context::a2a_task::message::Message;
use context::a2a_task::phase::Phase;

/// What `SendMessage` and `SendStreamingMessage` are sent.
#[derive(Clone, Debug, Default, PartialEq, ToSchema)]
pub struct SendMessageRequest {
    pub message: Message,
    #[schema(required = false)]
    pub configuration: SendMessageConfiguration,
}

/// How a message is to be answered.
#[derive(Clone, Debug, Default, PartialEq, ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct SendMessageConfiguration {
    /// Media types; left out for any.
    #[schema(required = false)]
    pub accepted_output_modes: Vec<String>,
    pub task_push_notification_config: Option<TaskPushNotificationConfig>,
    /// The last messages that are wanted back; left out for all.
    pub history_length: Option<usize>,
    /// Whether the task is answered before it is worked at.
    #[schema(required = false)]
    pub return_immediately: bool,
}

/// Who is to be told of a task, and by which credentials. Token and credentials are never shown again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskPushNotificationConfig {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    #[schema(required = true)]
    pub url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authentication: Option<AuthenticationInfo>,
}

/// What `Authorization` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthenticationInfo {
    pub scheme: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub credentials: String,
}

/// Who is told of a task.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskPushNotificationConfigs {
    pub configs: Vec<TaskPushNotificationConfig>,
    /// Empty: all are told at once.
    pub next_page_token: String,
}

/// A task as its owner sees it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct A2aTask {
    pub id: String,
    pub context_id: String,
    pub status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<Artifact>>,
    /// The last messages, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
}

/// Where a task stands.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TaskStatus {
    pub state: Phase,
    /// What the service says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// With milliseconds.
    #[schema(format = DateTime)]
    pub timestamp: String,
}

/// A page of tasks, last changed first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksResponse {
    pub tasks: Vec<A2aTask>,
    /// Empty on the last page.
    pub next_page_token: String,
    pub page_size: usize,
    /// On all pages.
    pub total_size: usize,
}

/// An answer to a message, or one event of a stream: exactly one of these.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum StreamResponse {
    Message(Message),
    Task(A2aTask),
    StatusUpdate(TaskStatusUpdateEvent),
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

/// A task came into a state.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatusUpdateEvent {
    pub task_id: String,
    pub context_id: String,
    pub status: TaskStatus,
}

/// A task brought something forth.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskArtifactUpdateEvent {
    pub task_id: String,
    pub context_id: String,
    pub artifact: Artifact,
    /// Whether it goes on what was brought forth under this id before.
    pub append: bool,
    pub last_chunk: bool,
}

/// What the service says of itself to other agents (section 4.4.1).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    pub name: String,
    pub description: String,
    /// The preferred one first.
    pub supported_interfaces: Vec<AgentInterface>,
    /// Of the service.
    pub version: &'static str,
    pub documentation_url: String,
    pub capabilities: AgentCapabilities,
    pub default_input_modes: Vec<&'static str>,
    pub default_output_modes: Vec<&'static str>,
    /// To find a template, and the scenarios.
    pub skills: Vec<AgentSkill>,
    /// Left out where the service runs open.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub security_schemes: BTreeMap<&'static str, SecurityScheme>,
    /// Left out where the service runs open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security_requirements: Vec<SecurityRequirement>,
}

/// Where a binding of the protocol is spoken.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInterface {
    pub url: String,
    pub protocol_binding: &'static str,
    pub protocol_version: &'static str,
}

/// What the service can do of the protocol.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentCapabilities {
    pub streaming: bool,
    pub push_notifications: bool,
    pub extended_agent_card: bool,
    pub extensions: Vec<AgentExtension>,
}

/// The schema contract: the template of each skill.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AgentExtension {
    pub uri: &'static str,
    pub description: &'static str,
    pub params: SkillContracts,
}

/// By the ids of the skills.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SkillContracts {
    pub skills: BTreeMap<String, SkillContract>,
}

/// The template that a skill goes by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillContract {
    pub schema_id: String,
    pub schema_version: String,
    pub revision: u64,
    pub language: String,
    /// Where it is served.
    pub template: String,
    /// `sha-256:` and the hash of it as it is served.
    pub digest: String,
}

/// Something that the service is good for.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSkill {
    pub id: String,
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    pub input_modes: Vec<&'static str>,
    pub output_modes: Vec<&'static str>,
}

/// How a caller may say who it is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SecurityScheme {
    HttpAuthSecurityScheme { scheme: &'static str },
    ApiKeySecurityScheme { location: &'static str, name: &'static str },
}

/// Schemes of which each one is asked for.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SecurityRequirement {
    #[schema(value_type = BTreeMap<String, Object>)]
    pub schemes: BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>,
}

/// Why there is no result, under `/a2a` (google.rpc.Status).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AgentFailure {
    pub error: AgentError,
}

/// What is wrong, in the words of A2A.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AgentError {
    /// The HTTP status, or the number of JSON-RPC.
    pub code: i32,
    /// As gRPC calls it; left out in JSON-RPC.
    #[schema(required = false)]
    pub status: &'static str,
    pub message: String,
    /// Objects with `@type`, a `google.rpc.ErrorInfo` first.
    #[schema(required = false, value_type = Vec<Object>)]
    pub details: Vec<Value>,
}
