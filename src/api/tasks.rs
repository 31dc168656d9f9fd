//! Tasks, subtasks and contents. Members of the draft bear the names of its figures 3 and 4.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// One goal with its status.
#[derive(ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct Goal {
    #[schema(max_length = 400)]
    pub goal: String,
    /// pending, in_progress, blocked, completed, failed or canceled in any spelling, or words of the master's own.
    #[schema(max_length = 400)]
    pub status: String,
}

/// What the master keeps of a task.
#[derive(ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct TaskContext {
    /// The master's own, or empty for the service to give one.
    #[serde(rename = "TaskID")]
    pub task_id: String,
    pub user_query: String,
    pub task_name: String,
    pub task_description: String,
    #[schema(max_items = 64)]
    pub goal_status: Vec<Goal>,
    /// What the goals add up to; empty for the service to say.
    pub overall_status: String,
    #[schema(format = DateTime)]
    pub start_time: Option<String>,
    #[schema(format = DateTime)]
    pub end_time: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub device_context: Value,
    #[schema(value_type = Option<Object>)]
    pub environment_context: Value,
    /// Which of StartTime and EndTime may be left out; both where nothing is said.
    #[schema(max_items = 2)]
    pub optional: Option<Vec<String>>,
}

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

/// A step that the agent is to take.
#[derive(ToSchema)]
pub struct TodoItem {
    #[serde(rename = "itemId")]
    #[schema(min_length = 1, max_length = 64)]
    pub item_id: String,
    #[schema(min_length = 1, max_length = 2000)]
    pub description: String,
}

/// How far a step is.
#[derive(ToSchema)]
pub struct ItemState {
    #[serde(rename = "itemId")]
    #[schema(min_length = 1, max_length = 64)]
    pub item_id: String,
    /// 0 is not completed, 1 is completed.
    #[schema(minimum = 0, maximum = 1)]
    pub state: u8,
}

/// What came of a step.
#[derive(ToSchema)]
pub struct KeyInformation {
    #[serde(rename = "itemId")]
    #[schema(min_length = 1, max_length = 64)]
    pub item_id: String,
    #[schema(max_length = 4000)]
    pub outputabstract: String,
}

/// All that one agent is told of a task, and all that it gives back. `ItemStateUpdates` is read as well, and so is
/// `Context/ContextURI`.
#[derive(ToSchema)]
#[serde(rename_all = "PascalCase")]
pub struct AgentContext {
    /// The name by which the agent calls.
    #[serde(rename = "AgentID")]
    #[schema(min_length = 1, max_length = 128)]
    pub agent_id: String,
    pub agent_name: String,
    #[serde(rename = "SubTaskID")]
    #[schema(pattern = "^[A-Za-z0-9._-]{1,64}$")]
    pub sub_task_id: String,
    pub sub_task_name: String,
    /// Subtasks that come before.
    #[schema(max_items = 64)]
    pub dependencies: Vec<String>,
    /// One of this and ContextURI is given.
    pub context: Option<String>,
    #[serde(rename = "ContextURI")]
    #[schema(max_length = 2048)]
    pub context_uri: Option<String>,
    #[serde(rename = "todoItems")]
    #[schema(min_items = 1, max_items = 64)]
    pub todo_items: Vec<TodoItem>,
    #[serde(rename = "ItemstateUpdates")]
    #[schema(required = false, max_items = 64)]
    pub itemstate_updates: Vec<ItemState>,
    #[schema(max_items = 64)]
    pub key_information: Vec<KeyInformation>,
    #[schema(format = DateTime)]
    pub last_updated: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub device_context: Value,
    #[schema(value_type = Option<Object>)]
    pub environment_context: Value,
    /// Whether LastUpdated may be left out; it may where nothing is said.
    #[schema(max_items = 1)]
    pub optional: Option<Vec<String>>,
}

/// How subtasks are handed out.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Mode {
    Synchronous,
    Asynchronous,
}

/// What lets the subtasks begin that depend on another one: every item of it verified by the master, or its structure alone.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Release {
    Verified,
    Structural,
}

/// A new task.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BegunTask {
    #[serde(rename = "TaskContext")]
    pub task_context: TaskContext,
    #[schema(required = false)]
    pub mode: Mode,
    #[schema(required = false)]
    pub release: Release,
    #[serde(rename = "AgentContexts")]
    #[schema(required = false)]
    pub agent_contexts: Vec<AgentContext>,
}

/// What is to change of a task.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedTask {
    #[serde(rename = "TaskContext")]
    pub task_context: TaskContextChanges,
}

/// A subtask that is sent or given back.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SentSubtask {
    #[serde(rename = "AgentContext")]
    pub agent_context: AgentContext,
}

/// A round with its subtasks.
#[derive(ToSchema)]
pub struct Round {
    pub round: u32,
    /// complete, current or ahead.
    pub state: String,
    /// By their ids.
    pub subtasks: Vec<String>,
}

/// Where a subtask stands, for the master.
#[derive(ToSchema)]
pub struct SubtaskStanding {
    #[serde(rename = "SubTaskID")]
    pub sub_task_id: String,
    #[serde(rename = "AgentID")]
    pub agent_id: String,
    pub round: u32,
    /// waiting, sent, returned, incomplete or complete.
    pub state: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
}

/// A task as its master sees it.
#[derive(ToSchema)]
pub struct TaskDocument {
    #[serde(rename = "TaskContext")]
    pub task_context: TaskContext,
    pub mode: Mode,
    pub release: Release,
    /// open or closed.
    pub state: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
    /// When it goes by itself, if nothing happens any more.
    #[schema(format = DateTime)]
    pub expires_at: String,
    pub rounds: Vec<Round>,
    pub subtasks: Vec<SubtaskStanding>,
}

/// How many subtasks of a task stand where.
#[derive(ToSchema)]
pub struct SubtaskCounts {
    pub waiting: u64,
    pub sent: u64,
    pub returned: u64,
    pub incomplete: u64,
    pub complete: u64,
}

/// A row of a master's list.
#[derive(ToSchema)]
pub struct TaskRow {
    #[serde(rename = "TaskID")]
    pub task_id: String,
    pub mode: Mode,
    pub release: Release,
    pub state: String,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
    #[schema(format = DateTime)]
    pub expires_at: String,
    pub subtasks: SubtaskCounts,
}

/// A row of an agent's list.
#[derive(ToSchema)]
pub struct AssignedRow {
    #[serde(rename = "TaskID")]
    pub task_id: String,
    #[serde(rename = "SubTaskID")]
    pub sub_task_id: String,
    /// sent, returned, incomplete or complete.
    pub state: String,
    #[schema(format = DateTime)]
    pub changed_at: String,
}

/// A page of a list: `tasks` of a master, `subtasks` of an agent.
#[derive(ToSchema)]
pub struct TaskPage {
    #[schema(required = false)]
    pub tasks: Vec<TaskRow>,
    #[schema(required = false)]
    pub subtasks: Vec<AssignedRow>,
    /// Where the next page begins, if there is one.
    #[schema(required = false)]
    pub next: String,
}

/// What is held of one item, and why.
#[derive(ToSchema)]
pub struct ItemVerdict {
    #[serde(rename = "itemId")]
    pub item_id: String,
    /// unfinished, unverified or verified.
    pub verdict: String,
    /// 1 by the state, 2 by the key information and the master's verdict.
    pub phase: u8,
    /// state, information or master; words or meaning in evaluations of before.
    pub basis: String,
    pub reason: String,
}

/// What is held of a subtask.
#[derive(ToSchema)]
pub struct SubtaskEvaluation {
    /// Every item is verified.
    pub complete: bool,
    /// Every item is at 1 with something said of it, and the master said no to none.
    pub structural: bool,
    pub verdicts: Vec<ItemVerdict>,
}

/// A subtask.
#[derive(ToSchema)]
pub struct SubtaskDocument {
    #[serde(rename = "AgentContext")]
    pub agent_context: AgentContext,
    /// waiting, sent, returned, incomplete or complete.
    pub state: String,
    /// True where the task is closed: nothing is given back any more.
    #[schema(required = false)]
    pub closed: bool,
    #[schema(required = false)]
    pub evaluation: SubtaskEvaluation,
}

/// A verdict of the master's own.
#[derive(ToSchema)]
pub struct MasterVerdict {
    #[serde(rename = "itemId")]
    pub item_id: String,
    /// This, or `verdict`.
    #[schema(required = false)]
    pub verified: bool,
    /// `verified` or `unverified`, as an evaluation has it.
    #[schema(required = false)]
    pub verdict: String,
    #[schema(min_length = 1, max_length = 1000)]
    pub reason: String,
}

/// Verdicts of the master's own.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MasterVerdicts {
    #[schema(required = false)]
    pub verdicts: Vec<MasterVerdict>,
}

/// It is gone.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeletedTask {
    #[serde(rename = "TaskID")]
    pub task_id: String,
    pub deleted: bool,
}

/// A text that is to be stored.
#[derive(ToSchema)]
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
