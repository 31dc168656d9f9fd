//! How A2A is spoken.
//!
//! What each setting means stands in [`crate::config::catalogue::agents`].

use serde::Deserialize;
use serde::Serialize;

/// The A2A mouth, and the tasks that it keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct A2a {
    pub name: String,
    pub description: String,
    pub public_url: String,
    pub public_skills: bool,
    pub skills_max: usize,
    pub card_max_age_s: u64,
    pub tasks_max: usize,
    pub tasks_per_client_max: usize,
    pub task_messages_max: usize,
    pub ended_kept_s: i64,
    pub waiting_kept_s: i64,
    pub working_max: usize,
    pub resume_s: i64,
    pub pushes_max: usize,
    pub pushes_per_task_max: usize,
    pub push_concurrency_max: usize,
    pub push_attempts_max: u32,
    pub push_first_pause_ms: u64,
    pub push_longest_pause_s: u64,
}

impl Default for A2a {
    fn default() -> Self {
        A2a {
            name: "Otherwise".to_owned(),
            description: "Takes structured submissions by templates, and finds the template that fits a wish."
                .to_owned(),
            public_url: String::new(),
            public_skills: false,
            skills_max: 200,
            card_max_age_s: 300,
            tasks_max: 10_000,
            tasks_per_client_max: 1_000,
            task_messages_max: 32,
            ended_kept_s: 604_800,
            waiting_kept_s: 86_400,
            working_max: 64,
            resume_s: 900,
            pushes_max: 1_000,
            pushes_per_task_max: 4,
            push_concurrency_max: 8,
            push_attempts_max: 6,
            push_first_pause_ms: 1_000,
            push_longest_pause_s: 60,
        }
    }
}
