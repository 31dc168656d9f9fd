//! Tasks, subtasks and contents. Members of the draft bear the names of its figures 3 and 4.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use context::task_context::agent_context::AgentContext;
use context::task_context::document::Goal;
use context::task_context::document::TaskContext;
use context::task_context::evaluation::SubtaskEvaluation;
use context::task_context::event::Mode;

/// What is to change of a TaskContext.
#[derive(ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct TaskContextChanges {
    #[schema(required = false)]
    pub task_name: String,
    #[schema(required = false)]
    pub task_description: String,
    /// These alone; the others stay.
    #[schema(required = false, max_items = 64)]
    pub goal_status: Vec<Goal>,
    #[schema(required = false)]
    pub overall_status: String,
    #[schema(format = DateTime)]
    pub start_time: Option<String>,
    #[schema(format = DateTime)]
    pub end_time: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub device_context: Value,
    #[schema(value_type = Option<Object>)]
    pub environment_context: Value,
}

/// A new task.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BegunTask {
    #[serde(rename = "TaskContext", alias = "task_context")]
    #[schema(value_type = TaskContext)]
    pub task_context: Value,
    #[schema(required = false, value_type = Mode)]
    #[serde(default)]
    pub mode: Option<Mode>,
    #[serde(rename = "AgentContexts", alias = "agent_contexts", default)]
    #[schema(required = false, value_type = Vec<AgentContext>)]
    pub agent_contexts: Vec<Value>,
}

/// What is to change of a task.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedTask {
    #[serde(rename = "TaskContext", alias = "task_context")]
    #[schema(value_type = TaskContextChanges)]
    pub task_context: Value,
}

/// A subtask that is sent or given back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SentSubtask {
    #[serde(rename = "AgentContext", alias = "agent_context")]
    #[schema(value_type = AgentContext)]
    pub agent_context: Value,
}

/// A round with its subtasks.
#[derive(Debug, Serialize, ToSchema)]
pub struct Round {
    pub round: u32,
    /// complete, current or ahead.
    pub state: &'static str,
    /// By their ids.
    pub subtasks: Vec<String>,
}

/// Where a subtask stands, for the master.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubtaskStanding {
    #[serde(rename = "SubTaskID")]
    pub sub_task_id: String,
    #[serde(rename = "AgentID")]
    pub agent_id: String,
    pub round: u32,
    /// waiting, sent, returned, incomplete or complete.
    pub state: &'static str,
    #[schema(format = DateTime)]
    pub changed_at: String,
}

/// A task as its master sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskDocument {
    #[serde(rename = "TaskContext")]
    pub task_context: TaskContext,
    pub mode: Mode,
    /// open or closed.
    pub state: &'static str,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
    /// When it goes by itself, if nothing happens any more.
    #[schema(format = DateTime)]
    pub expires_at: String,
    pub subtasks: Vec<SubtaskStanding>,
    pub rounds: Vec<Round>,
}

/// How many subtasks of a task stand where.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubtaskCounts {
    #[schema(value_type = u64)]
    pub waiting: usize,
    #[schema(value_type = u64)]
    pub sent: usize,
    #[schema(value_type = u64)]
    pub returned: usize,
    #[schema(value_type = u64)]
    pub incomplete: usize,
    #[schema(value_type = u64)]
    pub complete: usize,
}

/// A row of a master's list.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskRow {
    #[serde(rename = "TaskID")]
    pub task_id: String,
    pub mode: Mode,
    pub state: &'static str,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
    #[schema(format = DateTime)]
    pub expires_at: String,
    pub subtasks: SubtaskCounts,
}

/// A row of an agent's list.
#[derive(Debug, Serialize, ToSchema)]
pub struct AssignedRow {
    #[serde(rename = "TaskID")]
    pub task_id: String,
    #[serde(rename = "SubTaskID")]
    pub sub_task_id: String,
    /// sent, returned, incomplete or complete.
    pub state: &'static str,
    #[schema(format = DateTime)]
    pub changed_at: String,
}

/// A page of a list: `tasks` of a master, `subtasks` of an agent.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct TaskPage {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<TaskRow>)]
    pub tasks: Option<Vec<TaskRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Vec<AssignedRow>)]
    pub subtasks: Option<Vec<AssignedRow>>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub next: Option<String>,
}

/// A subtask that is its agent's no more, or whose task was closed.
#[derive(Debug, Serialize)]
pub struct SubtaskGone {
    #[serde(rename = "TaskID")]
    pub task_id: String,
    #[serde(rename = "SubTaskID")]
    pub sub_task_id: String,
}

/// A subtask.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubtaskDocument {
    #[serde(rename = "AgentContext")]
    pub agent_context: AgentContext,
    /// waiting, sent, returned, incomplete or complete.
    pub state: &'static str,
    /// True where the task is closed: nothing is given back any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = bool)]
    pub closed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = SubtaskEvaluation)]
    pub evaluation: Option<SubtaskEvaluation>,
}

/// A verdict of the master's own.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MasterVerdict {
    #[serde(rename = "itemId")]
    pub item_id: String,
    pub verified: bool,
    #[schema(min_length = 1, max_length = 1000)]
    pub reason: String,
}

/// Verdicts of the master's own.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MasterVerdicts {
    #[serde(default)]
    #[schema(required = false, value_type = Vec<MasterVerdict>)]
    pub verdicts: Vec<Value>,
}

/// It is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeletedTask {
    #[serde(rename = "TaskID")]
    pub task_id: String,
    pub deleted: bool,
}

/// A text that is to be stored.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewContent {
    #[schema(min_length = 1)]
    pub content: String,
}

/// Where a text lies.
#[derive(Debug, Serialize, ToSchema)]
pub struct StoredContent {
    #[serde(rename = "ContextURI")]
    pub context_uri: String,
    pub bytes: u64,
    /// Estimated.
    pub tokens: u64,
    /// Until when it is kept, where no context refers to it.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// A text.
#[derive(Debug, Serialize, ToSchema)]
pub struct Content {
    #[serde(rename = "ContextURI")]
    pub context_uri: String,
    pub content: String,
}

/// The caller keeps it no longer.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeletedContent {
    #[serde(rename = "ContextURI")]
    pub context_uri: String,
    /// Whether it is gone for the caller.
    pub deleted: bool,
    /// Why it is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}
