//! The session that a bridge holds, and how it is opened again when the service let it go or was started anew.
//!
//! Invariant: whoever asks through the bridge sees one session: what it opened with and what it follows is said again to the new
//! one, and that what it follows may have changed meanwhile is said to it.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use hyper::HeaderMap;
use hyper::Method;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use serde_json::Value;
use serde_json::json;
use tokio::sync::Mutex as TokioMutex;

use crate::cli;
use crate::cli::mcp::bridge;
use crate::cli::mcp::bridge::Bridge;

/// The header that names a session.
pub const SESSION: &str = "mcp-session-id";
const REVISION: &str = "mcp-protocol-version";
/// The id of what is asked here on the client's behalf, which never sees the answer.
const OWN_ID: &str = "otherwise-bridge";

/// What is known of the session.
#[derive(Default)]
pub struct Session {
    held: Mutex<Held>,
    /// One at a time opens it again.
    renewing: TokioMutex<()>,
}

#[derive(Default)]
struct Held {
    /// What the opening agreed on, where the revision has sessions.
    agreed: HeaderMap,
    /// What the client opened with.
    opening: Option<Value>,
    /// What the client follows.
    followed: BTreeSet<String>,
}

impl Session {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is one.
    pub fn is_open(&self) -> bool {
        self.held().agreed.contains_key(SESSION)
    }

    /// The headers of what was agreed on.
    pub fn agreed(&self) -> HeaderMap {
        self.held().agreed.clone()
    }

    /// Notes the session that an answer names, where it answers an opening.
    pub fn answered_by(&self, message: &Value, headers: &HeaderMap) {
        if message["method"] == "initialize"
            && let Some(session) = headers.get(SESSION)
        {
            let mut held = self.held();
            held.agreed.insert(SESSION, session.clone());
            held.followed.clear();
        }
    }

    /// Notes what an answer to a message means for the session.
    pub fn heard(&self, message: &Value, answer: &Value) {
        let Some(result) = answer.get("result") else { return };
        let uri = message["params"]["uri"].as_str().unwrap_or_default();
        let mut held = self.held();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                let revision = result["protocolVersion"].as_str();
                if let Some(revision) = revision.and_then(|revision| HeaderValue::from_str(revision).ok()) {
                    held.agreed.insert(REVISION, revision);
                }
                held.opening = Some(message.clone());
            }
            "resources/subscribe" => {
                held.followed.insert(uri.to_owned());
            }
            "resources/unsubscribe" => {
                held.followed.remove(uri);
            }
            _ => {}
        }
    }

    /// Opens a new session in the place of one that is gone, unless somebody did already.
    ///
    /// # Errors
    /// Why there is none, in a sentence; the next call tries again.
    pub async fn renew(&self, bridge: &Bridge, gone: &HeaderValue) -> Result<(), String> {
        let _one = self.renewing.lock().await;
        let (opening, followed) = {
            let held = self.held();
            if held.agreed.get(SESSION) != Some(gone) {
                return Ok(());
            }
            (held.opening.clone(), held.followed.clone())
        };
        let why = |why: &str| format!("the session is gone, and no new one could be opened: {why}");
        let mut opening = opening.ok_or_else(|| why("how it was opened is not known"))?;
        opening["id"] = json!(OWN_ID);
        let (session, answer) = call(bridge, bridge.headers.clone(), &opening)
            .await
            .map_err(|what| why(&what))?;
        let session = session.ok_or_else(|| why("the service named none"))?;
        let revision = answer["result"]["protocolVersion"].as_str();
        let revision = revision.and_then(|revision| HeaderValue::from_str(revision).ok());
        {
            let mut held = self.held();
            held.agreed.insert(SESSION, session);
            if let Some(revision) = revision {
                held.agreed.insert(REVISION, revision);
            }
        }
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let _ = call(bridge, bridge.head(&begun), &begun).await;
        for uri in followed {
            let follow =
                json!({"jsonrpc": "2.0", "id": OWN_ID, "method": "resources/subscribe", "params": {"uri": uri}});
            match call(bridge, bridge.head(&follow), &follow).await {
                Ok((_, answer)) if answer.get("result").is_some() => {
                    changed("resources/updated", json!({ "uri": uri }))
                }
                // There is no such resource any more, as the lists say.
                Ok(_) | Err(_) => {
                    self.held().followed.remove(&uri);
                }
            }
        }
        changed("resources/list_changed", json!({}));
        changed("prompts/list_changed", json!({}));
        Ok(())
    }
}

/// Tells the client that something may have changed.
fn changed(what: &str, params: Value) {
    let told = json!({"jsonrpc": "2.0", "method": format!("notifications/{what}"), "params": params});
    cli::answer(&told.to_string());
}

/// Asks the service something of the bridge's own: the session that its answer names, and the answer.
async fn call(bridge: &Bridge, headers: HeaderMap, message: &Value) -> Result<(Option<HeaderValue>, Value), String> {
    let mut coming = bridge
        .ask(Method::POST, headers, message.to_string().into_bytes())
        .await?;
    let session = coming.headers.get(SESSION).cloned();
    let media = coming.headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok());
    let mut answer = Value::Null;
    if media.is_some_and(|media| media.starts_with("text/event-stream")) {
        let read = bridge::events(&mut coming, |data| {
            let said: Value = serde_json::from_str(data).unwrap_or_default();
            if said["id"] == OWN_ID {
                answer = said;
            }
        });
        read.await.map_err(|error| error.message)?;
    } else {
        let body = bridge::whole(&mut coming).await.map_err(|error| error.message)?;
        answer = serde_json::from_slice(&body).unwrap_or_default();
    }
    if coming.status >= 400 {
        let detail = answer["detail"].as_str().unwrap_or("it refused");
        return Err(format!("the service answered {}: {detail}", coming.status));
    }
    Ok((session, answer))
}
