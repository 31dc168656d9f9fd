//! What agents know of tasks: what a master does, what an agent does, and large contents.

use crate::edge::http::openapi::described::Described;
use crate::edge::http::openapi::described::Form;
use crate::edge::http::openapi::described::operation;
use crate::edge::http::openapi::parameters;
use crate::edge::http::openapi::shapes::working::BegunTask;
use crate::edge::http::openapi::shapes::working::ChangedTask;
use crate::edge::http::openapi::shapes::working::Content;
use crate::edge::http::openapi::shapes::working::DeletedContent;
use crate::edge::http::openapi::shapes::working::DeletedTask;
use crate::edge::http::openapi::shapes::working::MasterVerdicts;
use crate::edge::http::openapi::shapes::working::NewContent;
use crate::edge::http::openapi::shapes::working::SentSubtask;
use crate::edge::http::openapi::shapes::working::StoredContent;
use crate::edge::http::openapi::shapes::working::SubtaskDocument;
use crate::edge::http::openapi::shapes::working::TaskDocument;
use crate::edge::http::openapi::shapes::working::TaskPage;
use crate::edge::wire::codes::Code;
use crate::service::task_contexts::master::PAGE_MAX;

/// As the document names it.
pub const GROUP: &str = "Working";

/// Where a context is sent for a task that is there.
const SENT: &[Code] = &[Code::InvalidContext, Code::TaskForbids, Code::LimitReached];

/// The operations of the group.
pub fn operations() -> Vec<Described> {
    let of = |method, path, id, summary| operation(GROUP, method, path, id, summary).fails(&[Code::Nameless]);
    let on_task = |described: Described| described.takes(parameters::task_id()).fails(&[Code::UnknownTask]);
    let on_subtask = |described: Described| {
        on_task(described)
            .takes(parameters::subtask_id())
            .fails(&[Code::UnknownSubtask])
    };
    let mut all = of_tasks(&of, &on_task);
    all.extend(of_subtasks(&of, &on_task, &on_subtask));
    all.extend([
        of("POST", "/contents", "store_content", "Store a large context")
            .says(
                "Kept once under the hash of its text. Its address goes into `ContextURI`, or into any text of an AgentContext; who \
                 is told of it there may read it.",
            )
            .body::<NewContent>()
            .answers::<StoredContent>(201, "Where it lies, and how long it is kept.")
            .fails(&[Code::InvalidContext, Code::LimitReached])
            .writes(),
        of("GET", "/contents/{sha256}", "read_content", "A large context")
            .takes(parameters::sha256())
            .answers::<Content>(200, "Its text.")
            .fails(&[Code::UnknownContent]),
        of("DELETE", "/contents/{sha256}", "delete_content", "Keep a large context no longer")
            .says("It goes on being there where somebody else stored it too, or a context refers to it.")
            .takes(parameters::sha256())
            .answers::<DeletedContent>(200, "The caller keeps it no longer.")
            .fails(&[Code::UnknownContent])
            .writes(),
    ]);
    all
}

type Of<'a> = &'a dyn Fn(&'static str, &'static str, &'static str, &'static str) -> Described;
type On<'a> = &'a dyn Fn(Described) -> Described;

fn of_tasks(of: Of<'_>, on_task: On<'_>) -> Vec<Described> {
    vec![
        of("POST", "/tasks", "create_task", "Begin a task")
            .says(
                "Whoever begins a task is its master: nobody else reads or changes it. `TaskID` is the master\u{2019}s own where nobody has \
                 it, or empty for the service to give one. Subtasks may be sent along, one `AgentContext` each, in any order. `mode` \
                 says whether they are handed out round by round (`synchronous`) or each as soon as what it depends on is complete \
                 (`asynchronous`); where nothing is said, the dependencies decide. With `release` `structural`, what was given \
                 back whole is enough for what depends on it, whether or not anybody verified it.",
            )
            .body::<BegunTask>()
            .answers::<TaskDocument>(201, "The task.")
            .fails(SENT)
            .writes(),
        of("GET", "/tasks", "list_tasks", "One\u{2019}s own tasks and subtasks")
            .takes(parameters::role())
            .takes(parameters::state())
            .takes(parameters::limit(PAGE_MAX, 50, "How many at most."))
            .takes(parameters::after())
            .answers::<TaskPage>(200, "The tasks of a master, the last begun first; or the subtasks of an agent.")
            .fails(&[Code::BadParameter]),
        of("GET", "/agents/{agent}/tasks/events", "follow_tasks", "What is handed out to an agent, as it happens")
            .says(
                "Server-Sent Events for the agent itself, without contexts: `sent`, `returned`, `incomplete` and `complete` bring what \
                 the list of its subtasks says of one that changed, `gone` that one is its own no more or that its task was closed, `bye` that the service ends. A \
                 stream begins with what waits for the agent, so that nothing is lost where one broke off.",
            )
            .takes(parameters::agent())
            .said(200, "The stream; it does not end by itself.", Form::Text("text/event-stream"))
            .fails(&[Code::UnknownAgent, Code::Busy, Code::ShuttingDown]),
        on_task(of("GET", "/tasks/{task_id}", "read_task", "A task, by its master"))
            .answers::<TaskDocument>(200, "Its TaskContext, rounds and subtasks."),
        on_task(of("PATCH", "/tasks/{task_id}", "change_task", "Change goals and other members"))
            .says(
                "Goals go by their names: one that is named takes the status that is given, a new one is added, the others stay. \
                 `OverallStatus` follows from them.",
            )
            .body::<ChangedTask>()
            .answers::<TaskDocument>(200, "The task.")
            .fails(SENT)
            .writes(),
        on_task(of("POST", "/tasks/{task_id}:close", "close_task", "End a task"))
            .says(
                "Nothing is given back or changed any more; it is still read, until `expires_at`. Its subtasks leave the lists of \
                 their agents, who are told `gone`.",
            )
            .answers::<TaskDocument>(200, "The task.")
            .fails(&[Code::TaskForbids])
            .writes(),
        on_task(of("DELETE", "/tasks/{task_id}", "delete_task", "Delete a task"))
            .says("With everything that was said in it, for everyone.")
            .takes(parameters::by_right())
            .answers::<DeletedTask>(200, "It is gone.")
            .fails(&[Code::BadParameter])
            .writes(),
    ]
}

fn of_subtasks(of: Of<'_>, on_task: On<'_>, on_subtask: On<'_>) -> Vec<Described> {
    vec![
        on_task(of("POST", "/tasks/{task_id}/subtasks", "send_subtask", "Make a subtask out for an agent"))
            .says(
                "`AgentID` is the name by which the agent calls. It sees the subtask, and nothing else of the task, once its turn \
                 has come.",
            )
            .body::<SentSubtask>()
            .answers::<SubtaskDocument>(201, "The subtask.")
            .fails(SENT)
            .writes(),
        on_subtask(of(
            "GET",
            "/tasks/{task_id}/subtasks/{subtask_id}",
            "read_subtask",
            "A subtask, by its agent or the master",
        ))
        .answers::<SubtaskDocument>(200, "Its AgentContext, its state, and what was found of it."),
        on_subtask(of(
            "PUT",
            "/tasks/{task_id}/subtasks/{subtask_id}",
            "return_subtask",
            "Give a subtask back, by its agent",
        ))
        .says(
            "The agent\u{2019}s own AgentContext, with what came of its items. Nothing else may differ from what was sent; an empty \
             `Context` leaves what was sent.",
        )
        .body::<SentSubtask>()
        .answers::<SubtaskDocument>(200, "The subtask as it is on record.")
        .fails(SENT)
        .writes(),
        on_subtask(of(
            "POST",
            "/tasks/{task_id}/subtasks/{subtask_id}:resend",
            "resend_subtask",
            "Make a subtask out anew",
        ))
        .says("For the same agent or another, with other items or another context. What was given back before is forgotten.")
        .body::<SentSubtask>()
        .answers::<SubtaskDocument>(200, "The subtask.")
        .fails(SENT)
        .writes(),
        on_subtask(of(
            "POST",
            "/tasks/{task_id}/subtasks/{subtask_id}:evaluate",
            "evaluate_subtask",
            "Evaluate what was given back",
        ))
        .says(
            "In two phases: the structure, which is the state of each item and whether anything was said to have come of it; then \
             the master\u{2019}s verdicts. When every item is verified the subtask is complete; an item without a verdict is not.",
        )
        .body_or_none::<MasterVerdicts>()
        .answers::<SubtaskDocument>(200, "The subtask with a verdict and its reason for each item.")
        .fails(&[Code::TaskForbids, Code::LimitReached])
        .writes(),
    ]
}
