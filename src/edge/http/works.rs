//! What agents know of tasks: TaskContext for the master, AgentContext for each agent, and large contents for both.

use actix_web::http::StatusCode;
use actix_web::web::Path;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;
use crate::service::task_contexts::master::Page;

/// `POST /v1/tasks`
pub async fn create(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.create_work(&call.caller, &body.0).await?;
    Ok(answer::json(StatusCode::CREATED, told.to_string()))
}

/// `GET /v1/tasks?role=&state=&limit=&after=`
pub async fn list(call: Call) -> Answer {
    let query = call.query(&["role", "state", "limit", "after"])?;
    let page = Page {
        limit: query.number("limit")?,
        after: query.text("after"),
        state: query.text("state"),
    };
    let service = call.service()?;
    let told = match query.text("role") {
        None | Some("master") => service.works(&call.caller, &page)?,
        Some("agent") => service.assigned_work(&call.caller, &page)?,
        Some(_) => {
            let what = "the parameter role must be master or agent";
            return Err(Problem::new(Code::BadParameter, what));
        }
    };
    Ok(answer::document(&told))
}

/// `GET /v1/tasks/{task_id}`
pub async fn one(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.work(&call.caller, &id)?))
}

/// `PATCH /v1/tasks/{task_id}`
pub async fn change(call: Call, id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.change_work(&call.caller, &id, &body.0).await?;
    Ok(answer::document(&told))
}

/// `DELETE /v1/tasks/{task_id}?as=`
pub async fn delete(call: Call, id: Path<String>) -> Answer {
    let by = call.query(&["as"])?.right()?;
    let deleted = call.service()?.delete_work(&call.caller, &id, by).await?;
    Ok(answer::document(&deleted))
}

/// `POST /v1/tasks/{task_id}:close`
pub async fn close(call: Call, id: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.close_work(&call.caller, &id).await?))
}

/// `POST /v1/tasks/{task_id}/subtasks`
pub async fn send(call: Call, id: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.send_subtask(&call.caller, &id, &body.0).await?;
    Ok(answer::json(StatusCode::CREATED, told.to_string()))
}

/// `GET /v1/tasks/{task_id}/subtasks/{subtask_id}`
pub async fn subtask(call: Call, ids: Path<(String, String)>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.subtask(
        &call.caller,
        &ids.0,
        &ids.1,
    )?))
}

/// `PUT /v1/tasks/{task_id}/subtasks/{subtask_id}`
pub async fn give_back(call: Call, ids: Path<(String, String)>, body: Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    let told = service.return_subtask(&call.caller, &ids.0, &ids.1, &body.0).await?;
    Ok(answer::document(&told))
}

/// `POST /v1/tasks/{task_id}/subtasks/{subtask_id}:resend`
pub async fn resend(call: Call, ids: Path<(String, String)>, body: Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    let told = service.resend_subtask(&call.caller, &ids.0, &ids.1, &body.0).await?;
    Ok(answer::document(&told))
}

/// `POST /v1/tasks/{task_id}/subtasks/{subtask_id}:evaluate`
pub async fn evaluate(call: Call, ids: Path<(String, String)>, body: Body) -> Answer {
    call.query(&[])?;
    let service = call.service()?;
    let told = service.evaluate_subtask(&call.caller, &ids.0, &ids.1, &body.0).await?;
    Ok(answer::document(&told))
}

/// `POST /v1/contents`
pub async fn store(call: Call, body: Body) -> Answer {
    call.query(&[])?;
    let told = call.service()?.store_content(&call.caller, &body.0).await?;
    Ok(answer::json(StatusCode::CREATED, told.to_string()))
}

/// `GET /v1/contents/{sha256}`
pub async fn content(call: Call, sha256: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(&call.service()?.content(&call.caller, &sha256)?))
}

/// `DELETE /v1/contents/{sha256}`
pub async fn release(call: Call, sha256: Path<String>) -> Answer {
    call.query(&[])?;
    Ok(answer::document(
        &call.service()?.release_content(&call.caller, &sha256).await?,
    ))
}
