//! Settings of the A2A mouth and of the tasks that it keeps.

use crate::config::catalogue::COUNT;
use crate::config::catalogue::SECONDS;
use crate::config::catalogue::Setting;
use crate::config::catalogue::setting;
use crate::config::kind::Kind::Flag;
use crate::config::kind::Kind::Text;
use crate::config::kind::Kind::Whole;

/// `[a2a]`.
pub const A2A: &[Setting] = &[
    setting("a2a.name", Text, "", "The service's name on its agent card."),
    setting(
        "a2a.description",
        Text,
        "",
        "What the agent card says that the service does.",
    ),
    setting(
        "a2a.public_url",
        Text,
        "",
        "Where other agents reach the service, such as https://agents.example.com, without a path; empty for the address \
         that a request came to.",
    ),
    setting(
        "a2a.public_skills",
        Flag,
        "",
        "Whether the agent card that everyone may read lists the scenarios; otherwise only the extended card does, to who may \
         call. A service that runs open always lists them.",
    ),
    setting(
        "a2a.skills_max",
        Whole(0, 10_000),
        "scenarios",
        "Scenarios that an agent card lists at most, by their names.",
    ),
    setting(
        "a2a.card_max_age_s",
        Whole(0, 604_800),
        "seconds",
        "How long others may keep the agent card before they ask again.",
    ),
    setting(
        "a2a.tasks_max",
        COUNT,
        "tasks",
        "Tasks kept at once. A further one takes the place of the one that ended longest ago, or is refused with 429.",
    ),
    setting(
        "a2a.tasks_per_client_max",
        COUNT,
        "tasks",
        "The same for one client. Anonymous callers count as one client.",
    ),
    setting(
        "a2a.task_messages_max",
        Whole(1, 10_000),
        "messages",
        "Messages that a client may send in one task; a further one is refused with 429.",
    ),
    setting(
        "a2a.ended_kept_s",
        SECONDS,
        "seconds",
        "How long a task that has ended is kept; it goes when another begins.",
    ),
    setting(
        "a2a.waiting_kept_s",
        SECONDS,
        "seconds",
        "After how long a task that waits for its client may make room for another.",
    ),
    setting(
        "a2a.working_max",
        Whole(1, 10_000),
        "tasks",
        "Tasks worked at, at once; further ones wait.",
    ),
    setting(
        "a2a.resume_s",
        SECONDS,
        "seconds",
        "How long after its last step a task that a restart cut short is still worked at; a later one has failed.",
    ),
    setting(
        "a2a.pushes_max",
        Whole(0, 1_000_000),
        "addresses",
        "Addresses that are told of tasks, of all tasks together; a further one is refused with 429.",
    ),
    setting(
        "a2a.pushes_per_task_max",
        Whole(0, 1_000),
        "addresses",
        "The same for one task.",
    ),
    setting(
        "a2a.push_concurrency_max",
        Whole(1, 1_000),
        "calls",
        "Addresses called at once. How long a call may take, and whether private addresses may be called, is set for webhooks.",
    ),
    setting(
        "a2a.push_attempts_max",
        Whole(1, 1_000),
        "calls",
        "Calls in a row that fail before an address is given up.",
    ),
    setting(
        "a2a.push_first_pause_ms",
        Whole(1, 3_600_000),
        "milliseconds",
        "Pause after a first call that failed; it doubles with each further one.",
    ),
    setting(
        "a2a.push_longest_pause_s",
        Whole(1, 86_400),
        "seconds",
        "Longest pause between two calls.",
    ),
];
