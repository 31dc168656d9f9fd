//! What is in a session of shared context: the document's body form, and an address for each of its actions.
//!
//! An address says in its path and method what the body form says in members; both make the same call.

use actix_web::http::StatusCode;
use actix_web::web::Path;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use crate::edge::http::answer;
use crate::edge::http::answer::Answer;
use crate::edge::http::body::Body;
use crate::edge::http::call::Call;
use crate::edge::wire::codes::Code;
use crate::edge::wire::problem::Problem;
use crate::service::error::ServiceError;
use context::shared::action::Action;
use context::shared::action::Moment;
use context::task::field::Fields;

/// `POST /v1/sessions/{session_id}/context`: `{"action", …}`.
pub async fn act(call: Call, session: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    say(&call, &session, &body.0).await
}

/// `GET /v1/sessions/{session_id}/keys`
pub async fn keys(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    does(&call, &session, Action::ListKeys).await
}

/// `POST /v1/sessions/{session_id}/keys:read`: `{"keys"}`.
pub async fn read_batch(call: Call, session: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    say(&call, &session, &with(&body, "read_batch", None)?).await
}

/// `GET /v1/sessions/{session_id}/keys/{key}`
pub async fn read(call: Call, path: Path<(String, String)>) -> Answer {
    call.query(&[])?;
    let (session, key) = path.into_inner();
    does(&call, &session, Action::Read { key }).await
}

/// `GET /v1/sessions/{session_id}/keys/{key}/history?versions=`
pub async fn history(call: Call, path: Path<(String, String)>) -> Answer {
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
    does(&call, &session, Action::ReadHistory { key, versions }).await
}

/// `PUT /v1/sessions/{session_id}/keys/{key}`: `{"value", …}`.
pub async fn write(call: Call, path: Path<(String, String)>, body: Body) -> Answer {
    call.query(&[])?;
    let (session, key) = path.into_inner();
    say(&call, &session, &with(&body, "write", Some(key))?).await
}

/// `DELETE /v1/sessions/{session_id}/keys/{key}?if_version=&if_incarnation=`
pub async fn delete(call: Call, path: Path<(String, String)>) -> Answer {
    let query = call.query(&["if_version", "if_incarnation"])?;
    let (session, key) = path.into_inner();
    let at = Moment {
        version: query.number("if_version")?,
        incarnation: query.number("if_incarnation")?,
    };
    does(&call, &session, Action::Delete { key, at }).await
}

/// `GET /v1/sessions/{session_id}/snapshots`
pub async fn snapshots(call: Call, session: Path<String>) -> Answer {
    call.query(&[])?;
    does(&call, &session, Action::ListSnapshots).await
}

/// `POST /v1/sessions/{session_id}/snapshots`: `{"label"}`, 201.
pub async fn snapshot(call: Call, session: Path<String>, body: Body) -> Answer {
    call.query(&[])?;
    let text = with(&body, "snapshot", None)?;
    let taken = call.service()?.share(&call.caller, &session, &text).await?;
    Ok(answer::json(StatusCode::CREATED, taken))
}

/// `GET /v1/sessions/{session_id}/snapshots/{label}`
pub async fn read_snapshot(call: Call, path: Path<(String, String)>) -> Answer {
    labelled(&call, "read_snapshot", path.into_inner()).await
}

/// `POST /v1/sessions/{session_id}/snapshots/{label}:rollback`
pub async fn rollback(call: Call, path: Path<(String, String)>) -> Answer {
    labelled(&call, "rollback", path.into_inner()).await
}

/// `DELETE /v1/sessions/{session_id}/snapshots/{label}`
pub async fn delete_snapshot(call: Call, path: Path<(String, String)>) -> Answer {
    labelled(&call, "delete_snapshot", path.into_inner()).await
}

async fn labelled(call: &Call, action: &str, (session, label): (String, String)) -> Answer {
    call.query(&[])?;
    say(call, &session, &json!({"action": action, "label": label}).to_string()).await
}

async fn say(call: &Call, session: &str, text: &str) -> Answer {
    let said = call.service()?.share(&call.caller, session, text).await?;
    Ok(answer::json(StatusCode::OK, said))
}

async fn does(call: &Call, session: &str, action: Action) -> Answer {
    let said = call.service()?.act_in_session(&call.caller, session, action).await?;
    Ok(answer::json(StatusCode::OK, said))
}

/// A body with what its address says. Where it says something else itself, nobody knows what is meant.
fn with(body: &Body, action: &str, key: Option<String>) -> Result<String, Problem> {
    let fields = Fields::read(&body.0, "");
    fields.map_err(|fault| Problem::from(ServiceError::InvalidMessage(vec![fault])))?;
    let wrong = |error: serde_json::Error| {
        let (line, column) = (error.line(), error.column());
        let what = format!(
            "the body holds a text or a number that cannot be read, such as half of a pair of `\\u` escapes, at line {line} column {column}"
        );
        Problem::new(Code::BadRequest, what)
    };
    let mut members: Map<String, Value> = serde_json::from_str(&body.0).map_err(wrong)?;
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
