//! What is in a session of shared context: the document's body form, and an address for each of its actions.
//!
//! An address says in its path and method what the body form says in members; both make the same call.

use actix_web::http::StatusCode;
use actix_web::web::Json;
use actix_web::web::Path;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::api::sessions::ContextAction;
use crate::api::sessions::ContextAnswer;
use crate::api::sessions::Entry;
use crate::api::sessions::History;
use crate::api::sessions::KeyDeleted;
use crate::api::sessions::KeyResults;
use crate::api::sessions::Keys;
use crate::api::sessions::KeysWanted;
use crate::api::sessions::RolledBack;
use crate::api::sessions::Snapshot;
use crate::api::sessions::SnapshotDeleted;
use crate::api::sessions::SnapshotTaken;
use crate::api::sessions::SnapshotWanted;
use crate::api::sessions::Snapshots;
use crate::api::sessions::WriteWanted;
use crate::api::sessions::Wrote;
use crate::app::caller::Permission;
use crate::app::error::ServiceError;
use crate::http::body::Body;
use crate::http::call::Call;
use crate::http::openapi::parameters;
use crate::http::sessions::sessions;
use crate::wire::codes::Code;
use crate::wire::problem::Problem;
use context::fields::Fields;
use context::session::request::Action;
use context::session::request::Precondition;

/// An action in the document's form
///
/// `{"action": …}` as the Shared Context Specification has it. Refusals bear `error` with the code in its spelling.
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}/context",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole),
    request_body = ContextAction,
    responses((status = 200, description = "As the action has it.", body = ContextAnswer)),
    extensions(("x-fails" = json!([
        Code::InvalidKey, Code::RoleNotGranted, Code::KeyNotFound, Code::SessionNotFound,
        Code::SnapshotNotFound, Code::SessionArchived, Code::StoreFull, Code::VersionConflict,
        Code::SnapshotExists, Code::ExtensionOff, Code::ValueTooLarge, Code::LimitReached, Code::ReadOnly,
    ])))
)]
pub async fn act_in_session(call: Call, session: Path<String>, body: Body) -> Result<Json<ContextAnswer>, Problem> {
    say(&call, &session, &body.0).await
}

/// What there is
///
/// Every key, with its size and never its value.
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/keys",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole),
    responses((status = 200, description = "By name.", body = Keys)),
    extensions(("x-fails" = json!([Code::RoleNotGranted, Code::SessionNotFound])))
)]
pub async fn list_session_keys(call: Call, session: Path<String>) -> Result<Json<ContextAnswer>, Problem> {
    does(&call, &session, Action::ListKeys).await
}

/// Read several keys
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}/keys:read",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole),
    request_body = KeysWanted,
    responses((status = 200, description = "In the order in which they were asked for.", body = KeyResults)),
    extensions(("x-fails" = json!([Code::RoleNotGranted, Code::SessionNotFound, Code::ExtensionOff])))
)]
pub async fn read_session_keys(call: Call, session: Path<String>, body: Body) -> Result<Json<ContextAnswer>, Problem> {
    say(&call, &session, &with(&body, "read_batch", None)?).await
}

/// Read a key
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/keys/{key}",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole, parameters::Key),
    responses((status = 200, description = "The key with its value.", body = Entry)),
    extensions(("x-fails" = json!([Code::InvalidKey, Code::RoleNotGranted, Code::KeyNotFound, Code::SessionNotFound])))
)]
pub async fn read_session_key(call: Call, path: Path<(String, String)>) -> Result<Json<ContextAnswer>, Problem> {
    let (session, key) = path.into_inner();
    does(&call, &session, Action::Read { key }).await
}

/// What a key was
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/keys/{key}/history",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole, parameters::Key, parameters::Versions),
    responses((status = 200, description = "Oldest first.", body = History)),
    extensions(("x-fails" = json!([
        Code::BadParameter, Code::InvalidKey, Code::RoleNotGranted, Code::KeyNotFound, Code::SessionNotFound,
        Code::ExtensionOff,
    ])))
)]
pub async fn read_session_key_history(
    call: Call,
    path: Path<(String, String)>,
) -> Result<Json<ContextAnswer>, Problem> {
    let query = call.query(&["versions"])?;
    let (session, key) = path.into_inner();
    let wrong = |_| {
        let what = "the parameter versions must be whole numbers with commas between them";
        Problem::new(Code::BadParameter, what)
    };
    let versions = query
        .text("versions")
        .map(|text| text.split(',').map(|n| n.trim().parse::<u64>()).collect());
    let versions: Option<Vec<u64>> = versions.transpose().map_err(wrong)?;
    let sessions = call.service()?.sessions(&call.caller, Permission::Share)?;
    let action = Action::ReadHistory { key, versions };
    Ok(Json(sessions.act(&call.caller, &session, action).await?))
}

/// Write a key
///
/// Creates or overwrites it. Who wrote it is set by the service.
#[utoipa::path(
    put,
    path = "/v1/sessions/{session_id}/keys/{key}",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole, parameters::Key),
    request_body = WriteWanted,
    responses((status = 200, description = "It is on disk.", body = Wrote)),
    extensions(("x-fails" = json!([
        Code::InvalidKey, Code::RoleNotGranted, Code::SessionNotFound,
        Code::SessionArchived, Code::StoreFull, Code::VersionConflict, Code::ExtensionOff, Code::ValueTooLarge,
        Code::ReadOnly,
    ])))
)]
pub async fn write_session_key(
    call: Call,
    path: Path<(String, String)>,
    body: Body,
) -> Result<Json<ContextAnswer>, Problem> {
    let (session, key) = path.into_inner();
    say(&call, &session, &with(&body, "write", Some(key))?).await
}

/// Delete a key
#[utoipa::path(
    delete,
    path = "/v1/sessions/{session_id}/keys/{key}",
    tag = "Sharing",
    params(
        parameters::SessionId,
        parameters::DeclaredRole,
        parameters::Key,
        parameters::IfVersion,
        parameters::IfIncarnation,
    ),
    responses((status = 200, description = "It is gone.", body = KeyDeleted)),
    extensions(("x-fails" = json!([
        Code::BadParameter, Code::InvalidKey, Code::RoleNotGranted, Code::KeyNotFound,
        Code::SessionNotFound, Code::SessionArchived, Code::VersionConflict, Code::ExtensionOff, Code::ReadOnly,
    ])))
)]
pub async fn delete_session_key(call: Call, path: Path<(String, String)>) -> Result<Json<ContextAnswer>, Problem> {
    let query = call.query(&["if_version", "if_incarnation"])?;
    let (session, key) = path.into_inner();
    let at = Precondition {
        version: query.number("if_version")?,
        incarnation: query.number("if_incarnation")?,
    };
    let sessions = call.service()?.sessions(&call.caller, Permission::Share)?;
    let action = Action::Delete { key, at };
    Ok(Json(sessions.act(&call.caller, &session, action).await?))
}

/// Every snapshot
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/snapshots",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole),
    responses((status = 200, description = "By label.", body = Snapshots)),
    extensions(("x-fails" = json!([Code::RoleNotGranted, Code::SessionNotFound, Code::ExtensionOff])))
)]
pub async fn list_session_snapshots(call: Call, session: Path<String>) -> Result<Json<ContextAnswer>, Problem> {
    does(&call, &session, Action::ListSnapshots).await
}

/// Keep everything as it stands
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}/snapshots",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole),
    request_body = SnapshotWanted,
    responses((status = 201, description = "It is kept.", body = SnapshotTaken)),
    extensions(("x-fails" = json!([
        Code::RoleNotGranted, Code::SessionNotFound, Code::SessionArchived, Code::SnapshotExists,
        Code::ExtensionOff, Code::LimitReached, Code::ReadOnly,
    ])))
)]
pub async fn take_session_snapshot(
    call: Call,
    session: Path<String>,
    body: Body,
) -> Result<(Json<ContextAnswer>, StatusCode), Problem> {
    let taken = say(&call, &session, &with(&body, "snapshot", None)?).await?;
    Ok((taken, StatusCode::CREATED))
}

/// What a snapshot holds
#[utoipa::path(
    get,
    path = "/v1/sessions/{session_id}/snapshots/{label}",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole, parameters::SnapshotLabel),
    responses((status = 200, description = "With values.", body = Snapshot)),
    extensions(("x-fails" = json!([
        Code::BadRequest, Code::RoleNotGranted, Code::SessionNotFound, Code::SnapshotNotFound,
        Code::ExtensionOff,
    ])))
)]
pub async fn read_session_snapshot(call: Call, path: Path<(String, String)>) -> Result<Json<ContextAnswer>, Problem> {
    labelled(&call, "read_snapshot", path.into_inner()).await
}

/// Put everything back as a snapshot has it
///
/// Each key that changes gets a new version; what was written since is deleted.
#[utoipa::path(
    post,
    path = "/v1/sessions/{session_id}/snapshots/{label}:rollback",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole, parameters::SnapshotLabel),
    responses((status = 200, description = "What was put back and what was taken out.", body = RolledBack)),
    extensions(("x-fails" = json!([
        Code::BadRequest, Code::RoleNotGranted, Code::SessionNotFound,
        Code::SnapshotNotFound, Code::SessionArchived, Code::ExtensionOff, Code::ReadOnly,
    ])))
)]
pub async fn roll_session_back(call: Call, path: Path<(String, String)>) -> Result<Json<ContextAnswer>, Problem> {
    labelled(&call, "rollback", path.into_inner()).await
}

/// Forget a snapshot
#[utoipa::path(
    delete,
    path = "/v1/sessions/{session_id}/snapshots/{label}",
    tag = "Sharing",
    params(parameters::SessionId, parameters::DeclaredRole, parameters::SnapshotLabel),
    responses((status = 200, description = "It is gone.", body = SnapshotDeleted)),
    extensions(("x-fails" = json!([
        Code::BadRequest, Code::RoleNotGranted, Code::SessionNotFound,
        Code::SnapshotNotFound, Code::SessionArchived, Code::ExtensionOff, Code::ReadOnly,
    ])))
)]
pub async fn delete_session_snapshot(call: Call, path: Path<(String, String)>) -> Result<Json<ContextAnswer>, Problem> {
    labelled(&call, "delete_snapshot", path.into_inner()).await
}

async fn labelled(
    call: &Call,
    action: &str,
    (session, label): (String, String),
) -> Result<Json<ContextAnswer>, Problem> {
    say(call, &session, &json!({"action": action, "label": label}).to_string()).await
}

async fn say(call: &Call, session: &str, text: &str) -> Result<Json<ContextAnswer>, Problem> {
    Ok(Json(sessions(call)?.act_as_written(&call.caller, session, text).await?))
}

async fn does(call: &Call, session: &str, action: Action) -> Result<Json<ContextAnswer>, Problem> {
    Ok(Json(sessions(call)?.act(&call.caller, session, action).await?))
}

/// A body with what its address says. Where it says something else itself, nobody knows what is meant.
fn with(body: &Body, action: &str, key: Option<String>) -> Result<String, Problem> {
    Fields::read(&body.0, "").map_err(ServiceError::from)?;
    let mut members: Map<String, Value> = serde_json::from_str(&body.0).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let what = format!("the body holds a number that cannot be read at line {line} column {column}");
        Problem::new(Code::BadRequest, what)
    })?;
    let said = [("action", Some(action.to_owned())), ("key", key)];
    for (name, said) in said.into_iter().filter_map(|(name, said)| Some((name, json!(said?)))) {
        let other = members.insert(name.to_owned(), said.clone());
        if other.is_some_and(|other| !other.is_null() && other != said) {
            let what = format!("{name} must be left out, or be what the address says");
            return Err(Problem::new(Code::BadRequest, what));
        }
    }
    Ok(Value::Object(members).to_string())
}
