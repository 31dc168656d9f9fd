//! Settings of what agents know of tasks, and of large contents.

use crate::config::catalogue::COUNT;
use crate::config::catalogue::SECONDS;
use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Whole;

/// `[tasks]`.
pub const TASKS: &[Setting] = &[
    setting(
        "tasks.tasks_max",
        COUNT,
        "tasks",
        "Tasks kept at once under /v1/tasks; a further one is refused with 429.",
    ),
    setting("tasks.tasks_per_client_max", COUNT, "tasks", "The same for one master."),
    setting(
        "tasks.subtasks_max",
        Whole(1, 1_000),
        "subtasks",
        "Subtasks of one task; a further one is refused with 429.",
    ),
    setting(
        "tasks.changes_max",
        Whole(2, 100_000),
        "steps",
        "Steps of one task: its beginning, changes of goals, subtasks sent, returned and evaluated. A further one is refused with 429.",
    ),
    setting(
        "tasks.context_bytes_max",
        Whole(1_024, 1_048_576),
        "bytes",
        "Length of one TaskContext or AgentContext as JSON. What is longer belongs into a content that the context refers to.",
    ),
    setting(
        "tasks.open_kept_s",
        SECONDS,
        "seconds",
        "How long a task that nobody closed is kept after its last step.",
    ),
    setting(
        "tasks.closed_kept_s",
        SECONDS,
        "seconds",
        "How long a task is kept after it was closed.",
    ),
    setting(
        "tasks.content_bytes_max",
        Whole(1_024, 16_777_216),
        "bytes",
        "Length of one content in UTF-8; server.body_bytes_max bounds the request that brings it.",
    ),
    setting(
        "tasks.contents_bytes_max",
        Whole(1_024, 1_099_511_627_776),
        "bytes",
        "All contents together; the same text counts once. A further one is refused with 429.",
    ),
    setting(
        "tasks.contents_per_client_bytes_max",
        Whole(1_024, 1_099_511_627_776),
        "bytes",
        "The same for what one client stored.",
    ),
    setting(
        "tasks.content_kept_s",
        SECONDS,
        "seconds",
        "How long a content is kept after it was stored. One that a task's context refers to is kept as long as the task.",
    ),
];
