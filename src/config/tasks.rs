//! How what agents know of tasks is bounded.
//!
//! What each setting means stands in [`crate::config::catalogue::tasks`].

use serde::Deserialize;
use serde::Serialize;

/// What agents know of tasks: TaskContext, AgentContext, and large contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tasks {
    pub tasks_max: usize,
    pub tasks_per_client_max: usize,
    pub subtasks_max: usize,
    pub changes_max: usize,
    pub context_bytes_max: usize,
    pub open_kept_s: i64,
    pub closed_kept_s: i64,
    pub content_bytes_max: usize,
    pub contents_bytes_max: u64,
    pub contents_per_client_bytes_max: u64,
    pub content_kept_s: i64,
}

impl Default for Tasks {
    fn default() -> Self {
        Tasks {
            tasks_max: 10_000,
            tasks_per_client_max: 1_000,
            subtasks_max: 64,
            changes_max: 1_000,
            context_bytes_max: 64 * 1024,
            open_kept_s: 2_592_000,
            closed_kept_s: 604_800,
            content_bytes_max: 192 * 1024,
            contents_bytes_max: 1024 * 1024 * 1024,
            contents_per_client_bytes_max: 16 * 1024 * 1024,
            content_kept_s: 604_800,
        }
    }
}
