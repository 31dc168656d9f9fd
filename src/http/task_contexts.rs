//! What agents know of tasks: TaskContext for the master, AgentContext for each agent, and large contents for both.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::Json;
use actix_web::web::Path;

use crate::api::tasks::BegunTask;
use crate::api::tasks::ChangedTask;
use crate::api::tasks::Content;
use crate::api::tasks::DeletedContent;
use crate::api::tasks::DeletedTask;
use crate::api::tasks::MasterVerdicts;
use crate::api::tasks::NewContent;
use crate::api::tasks::SentSubtask;
use crate::api::tasks::StoredContent;
use crate::api::tasks::SubtaskDocument;
use crate::api::tasks::TaskDocument;
use crate::api::tasks::TaskPage;
use crate::app::task_contexts::Page;
use crate::app::task_contexts::TaskContextService;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use schema::name::ClientId;

/// Begin a task
///
/// Whoever begins a task is its master: nobody else reads or changes it. `TaskID` is the master’s own where nobody has
/// it, or empty for the service to give one. Subtasks may be sent along, one `AgentContext` each, in any order. `mode`
/// says whether they are handed out round by round (`synchronous`) or each as soon as what it depends on is complete
/// (`asynchronous`); where nothing is said, the dependencies decide.
#[utoipa::path(
    post,
    path = "/v1/tasks",
    tag = "Working",
    request_body = BegunTask,
    responses((status = 201, description = "The task.", body = TaskDocument)),
    extensions(("x-fails" = json!([
        Code::Nameless, Code::TaskForbids, Code::InvalidContext, Code::LimitReached, Code::ReadOnly,
    ])))
)]
pub async fn create_task(call: Call, body: Body) -> Result<(Json<TaskDocument>, StatusCode), Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok((Json(tasks.create(client, &body.0).await?), StatusCode::CREATED))
}

/// One’s own tasks and subtasks
#[utoipa::path(
    get,
    path = "/v1/tasks",
    tag = "Working",
    params(parameters::TaskRole, parameters::TaskState, parameters::TasksLimit, parameters::After),
    responses(
        (status = 200, description = "The tasks of a master, the last begun first; or the subtasks of an agent.", body = TaskPage),
    ),
    extensions(("x-fails" = json!([Code::BadParameter, Code::Nameless])))
)]
pub async fn list_tasks(call: Call) -> Result<Json<TaskPage>, Problem> {
    let query = call.query(&["role", "state", "limit", "after"])?;
    let page = Page {
        limit: query.number("limit")?,
        after: query.text("after"),
        state: query.text("state"),
    };
    let (tasks, client) = call.service()?.task_contexts(&call.caller)?;
    match query.text("role") {
        None | Some("master") => Ok(Json(tasks.tasks(client, &page)?)),
        Some("agent") => Ok(Json(tasks.assigned(client, &page)?)),
        Some(_) => {
            let what = "the parameter role must be master or agent";
            Err(Problem::new(Code::BadParameter, what))
        }
    }
}

/// A task, by its master
#[utoipa::path(
    get,
    path = "/v1/tasks/{task_id}",
    tag = "Working",
    params(parameters::TaskId),
    responses((status = 200, description = "Its TaskContext, rounds and subtasks.", body = TaskDocument)),
    extensions(("x-fails" = json!([Code::Nameless, Code::UnknownTask])))
)]
pub async fn read_task(call: Call, id: Path<String>) -> Result<Json<TaskDocument>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.task(client, &id)?))
}

/// Change goals and other members
///
/// Goals go by their names: one that is named takes the status that is given, a new one is added, the others stay.
/// `OverallStatus` follows from them.
#[utoipa::path(
    patch,
    path = "/v1/tasks/{task_id}",
    tag = "Working",
    params(parameters::TaskId),
    request_body = ChangedTask,
    responses((status = 200, description = "The task.", body = TaskDocument)),
    extensions(("x-fails" = json!([
        Code::Nameless, Code::UnknownTask, Code::TaskForbids, Code::InvalidContext, Code::LimitReached,
        Code::ReadOnly,
    ])))
)]
pub async fn change_task(call: Call, id: Path<String>, body: Body) -> Result<Json<TaskDocument>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.change(client, &id, &body.0).await?))
}

/// Delete a task
///
/// With everything that was said in it, for everyone.
#[utoipa::path(
    delete,
    path = "/v1/tasks/{task_id}",
    tag = "Working",
    params(parameters::TaskId, parameters::AsOperator),
    responses((status = 200, description = "It is gone.", body = DeletedTask)),
    extensions(("x-fails" = json!([Code::BadParameter, Code::Nameless, Code::UnknownTask, Code::ReadOnly])))
)]
pub async fn delete_task(call: Call, id: Path<String>) -> Result<Json<DeletedTask>, Problem> {
    let operator = call.query(&["as"])?.right()?.operator(&call.caller)?;
    let (tasks, client) = call.service()?.task_contexts(&call.caller)?;
    Ok(Json(tasks.delete(client, &id, operator).await?))
}

/// End a task
///
/// Nothing is given back or changed any more; it is still read, until `expires_at`. Its subtasks leave the lists of their
/// agents.
#[utoipa::path(
    post,
    path = "/v1/tasks/{task_id}:close",
    tag = "Working",
    params(parameters::TaskId),
    responses((status = 200, description = "The task.", body = TaskDocument)),
    extensions(("x-fails" = json!([Code::Nameless, Code::UnknownTask, Code::TaskForbids, Code::ReadOnly])))
)]
pub async fn close_task(call: Call, id: Path<String>) -> Result<Json<TaskDocument>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.close(client, &id).await?))
}

/// Make a subtask out for an agent
///
/// `AgentID` is the name by which the agent calls. It sees the subtask, and nothing else of the task, once its turn has
/// come.
#[utoipa::path(
    post,
    path = "/v1/tasks/{task_id}/subtasks",
    tag = "Working",
    params(parameters::TaskId),
    request_body = SentSubtask,
    responses((status = 201, description = "The subtask.", body = SubtaskDocument)),
    extensions(("x-fails" = json!([
        Code::Nameless, Code::UnknownTask, Code::TaskForbids, Code::InvalidContext, Code::LimitReached,
        Code::ReadOnly,
    ])))
)]
pub async fn send_subtask(
    call: Call,
    id: Path<String>,
    body: Body,
) -> Result<(Json<SubtaskDocument>, StatusCode), Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok((Json(tasks.send(client, &id, &body.0).await?), StatusCode::CREATED))
}

/// A subtask, by its agent or the master
#[utoipa::path(
    get,
    path = "/v1/tasks/{task_id}/subtasks/{subtask_id}",
    tag = "Working",
    params(parameters::TaskId, parameters::SubtaskId),
    responses(
        (status = 200, description = "Its AgentContext, its state, and what was found of it.", body = SubtaskDocument),
    ),
    extensions(("x-fails" = json!([Code::Nameless, Code::UnknownTask, Code::UnknownSubtask])))
)]
pub async fn read_subtask(call: Call, ids: Path<(String, String)>) -> Result<Json<SubtaskDocument>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.any_subtask(client, &ids.0, &ids.1)?))
}

/// Give a subtask back, by its agent
///
/// The agent’s own AgentContext, with what came of its items. Nothing else may differ from what was sent; an empty
/// `Context` leaves what was sent.
#[utoipa::path(
    put,
    path = "/v1/tasks/{task_id}/subtasks/{subtask_id}",
    tag = "Working",
    params(parameters::TaskId, parameters::SubtaskId),
    request_body = SentSubtask,
    responses((status = 200, description = "The subtask as it is on record.", body = SubtaskDocument)),
    extensions(("x-fails" = json!([
        Code::Nameless, Code::UnknownTask, Code::UnknownSubtask, Code::TaskForbids, Code::InvalidContext,
        Code::LimitReached, Code::ReadOnly,
    ])))
)]
pub async fn return_subtask(
    call: Call,
    ids: Path<(String, String)>,
    body: Body,
) -> Result<Json<SubtaskDocument>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.give_back(client, &ids.0, &ids.1, &body.0).await?))
}

/// Make a subtask out anew
///
/// For the same agent or another, with other items or another context. What was given back before is forgotten.
#[utoipa::path(
    post,
    path = "/v1/tasks/{task_id}/subtasks/{subtask_id}:resend",
    tag = "Working",
    params(parameters::TaskId, parameters::SubtaskId),
    request_body = SentSubtask,
    responses((status = 200, description = "The subtask.", body = SubtaskDocument)),
    extensions(("x-fails" = json!([
        Code::Nameless, Code::UnknownTask, Code::UnknownSubtask, Code::TaskForbids, Code::InvalidContext,
        Code::LimitReached, Code::ReadOnly,
    ])))
)]
pub async fn resend_subtask(
    call: Call,
    ids: Path<(String, String)>,
    body: Body,
) -> Result<Json<SubtaskDocument>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.resend(client, &ids.0, &ids.1, &body.0).await?))
}

/// Evaluate what was given back
///
/// In two phases: the structure, which is the state of each item and whether anything was said to have come of it; then
/// the master’s verdicts. When every item is verified the subtask is complete; an item without a verdict is not.
#[utoipa::path(
    post,
    path = "/v1/tasks/{task_id}/subtasks/{subtask_id}:evaluate",
    tag = "Working",
    params(parameters::TaskId, parameters::SubtaskId),
    request_body = Option<MasterVerdicts>,
    responses(
        (status = 200, description = "The subtask with a verdict and its reason for each item.", body = SubtaskDocument),
    ),
    extensions(("x-fails" = json!([
        Code::Nameless, Code::UnknownTask, Code::UnknownSubtask, Code::TaskForbids, Code::LimitReached,
        Code::ReadOnly,
    ])))
)]
pub async fn evaluate_subtask(
    call: Call,
    ids: Path<(String, String)>,
    body: Body,
) -> Result<Json<SubtaskDocument>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.evaluate(client, &ids.0, &ids.1, &body.0).await?))
}

/// Store a large context
///
/// Kept once under the hash of its text. Its address goes into `ContextURI`, or into any text of an AgentContext; who is
/// told of it there may read it.
#[utoipa::path(
    post,
    path = "/v1/contents",
    tag = "Working",
    request_body = NewContent,
    responses((status = 201, description = "Where it lies, and how long it is kept.", body = StoredContent)),
    extensions(("x-fails" = json!([Code::Nameless, Code::InvalidContext, Code::LimitReached, Code::ReadOnly])))
)]
pub async fn store_content(call: Call, body: Body) -> Result<(Json<StoredContent>, StatusCode), Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok((Json(tasks.store(client, &body.0).await?), StatusCode::CREATED))
}

/// A large context
#[utoipa::path(
    get,
    path = "/v1/contents/{sha256}",
    tag = "Working",
    params(parameters::Sha256),
    responses((status = 200, description = "Its text.", body = Content)),
    extensions(("x-fails" = json!([Code::Nameless, Code::UnknownContent])))
)]
pub async fn read_content(call: Call, sha256: Path<String>) -> Result<Json<Content>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.content(client, &sha256)?))
}

/// Keep a large context no longer
///
/// It goes on being there where somebody else stored it too, or a context refers to it.
#[utoipa::path(
    delete,
    path = "/v1/contents/{sha256}",
    tag = "Working",
    params(parameters::Sha256),
    responses((status = 200, description = "The caller keeps it no longer.", body = DeletedContent)),
    extensions(("x-fails" = json!([Code::Nameless, Code::UnknownContent, Code::ReadOnly])))
)]
pub async fn delete_content(call: Call, sha256: Path<String>) -> Result<Json<DeletedContent>, Problem> {
    let (tasks, client) = tasks(&call)?;
    Ok(Json(tasks.release(client, &sha256).await?))
}

/// The tasks, for a call by somebody with a name and without parameters.
fn tasks(call: &Call) -> Result<(&Arc<TaskContextService>, &ClientId), Problem> {
    call.query(&[])?;
    Ok(call.service()?.task_contexts(&call.caller)?)
}
