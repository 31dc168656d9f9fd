//! Messages of standard input to a running service, and what it says to standard output.
//!
//! Changes no message and knows no method but those that open, follow, listen and cancel. A session that the service let go, or
//! forgot when it was started anew, is opened again ([`crate::cli::mcp::session`]). Invariant: a request is answered within
//! a time, by the service or by why it could not be asked; at most so many are under way at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::time::Duration;

use hyper::HeaderMap;
use hyper::Method;
use hyper::Uri;
use hyper::header::ACCEPT;
use hyper::header::AUTHORIZATION;
use hyper::header::CONTENT_TYPE;
use hyper::header::HeaderValue;
use serde_json::Value;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::task::JoinSet;

use crate::adapters::outbound::Coming;
use crate::adapters::outbound::Outbound;
use crate::adapters::outbound::bearer;
use crate::cli;
use crate::cli::Ending;
use crate::cli::address;
use crate::cli::mcp::line;
use crate::cli::mcp::line::MESSAGE_BYTES_MAX;
use crate::cli::mcp::session::SESSION;
use crate::cli::mcp::session::Session;
use crate::wire::authenticator::NAME_HEADER;
use crate::wire::json_rpc;
use crate::wire::json_rpc::Error;

/// Requests under way at once; what listens does not count.
const UNDER_WAY_MAX: usize = 64;
/// How long the last answers are waited for when nothing more is asked.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// Between two tries to open a stream.
const REOPEN: Duration = Duration::from_secs(3);
/// How long the answer to what opens may take.
const OPENING: Duration = Duration::from_secs(10);
/// How long another answer may take to begin: as long as an executor may take, and more.
const ANSWER: Duration = Duration::from_secs(600);

/// The method that listens without a session.
const LISTEN: &str = "subscriptions/listen";
/// What a service says first to who listens so.
const LISTENING: &str = "notifications/subscriptions/acknowledged";

/// The way to a service.
pub struct Bridge {
    outbound: Outbound,
    address: Uri,
    pub headers: HeaderMap,
    pub session: Session,
    /// Requests under way, by id as written.
    under_way: Mutex<BTreeMap<String, AbortHandle>>,
}

/// What a request has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It is answered, or needs no answer.
    Whole,
    /// The stream of its answer ended before the answer.
    Ended,
}

/// Passes messages until standard input ends.
pub fn run(url: &str, key_env: Option<&str>, name: Option<&str>) -> Ending {
    let bridge = match Bridge::to(url, key_env, name) {
        Ok(bridge) => Arc::new(bridge),
        Err(why) => return cli::end(Ending::Usage, &why),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return cli::end(Ending::Fault, &error.to_string()),
    };
    runtime.block_on(pass(bridge, line::lines()));
    runtime.shutdown_background();
    Ending::Well
}

async fn pass(bridge: Arc<Bridge>, mut lines: mpsc::Receiver<String>) {
    let turns = Arc::new(Semaphore::new(UNDER_WAY_MAX));
    let mut tasks = JoinSet::new();
    let mut listening: Option<AbortHandle> = None;
    while let Some(text) = lines.recv().await {
        while tasks.try_join_next().is_some() {}
        let message = match line::message(&text) {
            Ok(message) => message,
            Err(answer) => {
                cli::answer(&answer);
                continue;
            }
        };
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        if method == "notifications/cancelled" {
            let id = message["params"]["requestId"].to_string();
            if let Some(task) = bridge.locked().remove(&id) {
                task.abort();
            }
        }
        let opens = method == "initialize" || method.starts_with("notifications/");
        let turn = if method == LISTEN {
            None
        } else {
            Arc::clone(&turns).acquire_owned().await.ok()
        };
        let id = message.get("id").map(Value::to_string);
        let (through, own) = (Arc::clone(&bridge), id.clone());
        let task = tasks.spawn(async move {
            through.send(&message, text).await;
            if let Some(id) = own {
                through.locked().remove(&id);
            }
            drop(turn);
        });
        if let Some(id) = id {
            bridge.locked().insert(id, task);
        }
        if opens {
            // What comes next may rest on it.
            let _ = tasks.join_next().await;
        }
        if method == "notifications/initialized" && listening.is_none() && bridge.session.is_open() {
            let bridge = Arc::clone(&bridge);
            listening = Some(tokio::spawn(async move { bridge.listen().await }).abort_handle());
        }
    }
    let _ = tokio::time::timeout(LAST_ANSWERS, async { while tasks.join_next().await.is_some() {} }).await;
    if let Some(listening) = listening {
        listening.abort();
    }
    if bridge.session.is_open() {
        let ending = bridge.ask(Method::DELETE, bridge.head(&Value::Null), Vec::new());
        let _ = tokio::time::timeout(LAST_ANSWERS, ending).await;
    }
}

impl Bridge {
    fn to(url: &str, key_env: Option<&str>, name: Option<&str>) -> Result<Bridge, String> {
        let (base, secure) = address::base(url, key_env.is_some())?;
        // The address of the mouth itself means the service that has it.
        let base = base.strip_suffix("/mcp").unwrap_or(&base);
        let address = format!("{base}/mcp")
            .parse()
            .map_err(|_| "--url is no address".to_owned())?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if let Some(variable) = key_env {
            let place = format!("the environment variable {variable}");
            let key = bearer::authorization(&place, bearer::of_environment(variable))?;
            headers.insert(AUTHORIZATION, key);
        }
        if let Some(name) = name {
            let value = HeaderValue::from_str(name).map_err(|_| "--name is no name".to_owned())?;
            headers.insert(NAME_HEADER, value);
        }
        let outbound = if secure { Outbound::https() } else { Outbound::plain() }?;
        Ok(Bridge {
            outbound,
            address,
            headers,
            session: Session::default(),
            under_way: Mutex::default(),
        })
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The headers that go with a message: what was agreed on, or what a message of a revision without sessions says of itself.
    pub fn head(&self, message: &Value) -> HeaderMap {
        let mut headers = self.headers.clone();
        headers.extend(self.session.agreed());
        let params = &message["params"];
        if let Some(revision) = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str() {
            let method = message["method"].as_str().unwrap_or_default();
            let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default();
            for (header, value) in [
                ("mcp-protocol-version", revision),
                ("mcp-method", method),
                ("mcp-name", name),
            ] {
                if let Ok(value) = HeaderValue::from_str(value)
                    && !value.is_empty()
                {
                    headers.insert(header, value);
                }
            }
        }
        headers
    }

    /// Asks the service; what comes back begins within a time.
    ///
    /// # Errors
    /// Why nothing came back, in a sentence.
    pub async fn ask(&self, method: Method, headers: HeaderMap, body: Vec<u8>) -> Result<Coming, String> {
        let asked = tokio::time::timeout(ANSWER, self.outbound.ask(method, &self.address, headers, body)).await;
        match asked {
            Ok(asked) => asked.map_err(|fault| format!("the service at {}: {fault}", self.address)),
            Err(_) => Err(self.silent(ANSWER)),
        }
    }

    /// Why a call that took too long is given up.
    pub fn silent(&self, within: Duration) -> String {
        format!(
            "{} did not answer within {} seconds; is it the address of the service?",
            self.address,
            within.as_secs()
        )
    }

    /// Sends one message and passes on what comes of it.
    async fn send(&self, message: &Value, text: String) {
        let id = message.get("id").map(Value::to_string);
        let method = message["method"].as_str().unwrap_or_default();
        let told = if matches!(method, "initialize" | "server/discover" | "ping") {
            let passed = tokio::time::timeout(OPENING, self.pass_on(message, text)).await;
            passed.unwrap_or_else(|_| Err(Error::new(json_rpc::INTERNAL_ERROR, self.silent(OPENING))))
        } else if method == LISTEN {
            self.listen_for(message, text).await
        } else {
            self.pass_on(message, text).await
        };
        let error = match told {
            Ok(Told::Whole) => return,
            Ok(Told::Ended) => Error::new(json_rpc::INTERNAL_ERROR, "the answer ended before it was whole"),
            Err(error) => error,
        };
        if let Some(id) = id {
            cli::answer(&json_rpc::failure(&id, &error));
        }
    }

    /// Sends a message once, or twice where its session is gone and another one can be opened.
    async fn pass_on(&self, message: &Value, text: String) -> Result<Told, Error> {
        let opens = message["method"] == "initialize";
        for again in [false, true] {
            let mut headers = self.head(message);
            if opens {
                // Whoever begins anew has no session yet.
                headers.remove(SESSION);
            }
            let held = headers.get(SESSION).cloned();
            let coming = self.ask(Method::POST, headers, text.clone().into_bytes()).await;
            let coming = coming.map_err(|why| Error::new(json_rpc::INTERNAL_ERROR, why))?;
            if let (404, Some(gone), false) = (coming.status, held, again) {
                let renewed = self.session.renew(self, &gone).await;
                renewed.map_err(|why| Error::new(json_rpc::INTERNAL_ERROR, why))?;
                continue;
            }
            return self.tell(message, coming, cli::answer).await;
        }
        Ok(Told::Ended)
    }

    /// Listens without a session, and again when the stream broke off, until it is answered. What may have changed meanwhile is
    /// said to have changed.
    async fn listen_for(&self, message: &Value, text: String) -> Result<Told, Error> {
        let mut listened = false;
        loop {
            let asked = self
                .ask(Method::POST, self.head(message), text.clone().into_bytes())
                .await;
            let told = match asked {
                Ok(coming) => {
                    let begun = coming.status == 200;
                    let again = listened && begun;
                    listened |= begun;
                    let told = self
                        .tell(message, coming, |data| {
                            if again && let Some(missed) = missed(data) {
                                missed.iter().for_each(|told| cli::answer(told));
                            } else {
                                cli::answer(data);
                            }
                        })
                        .await;
                    if begun { told.or(Ok(Told::Ended)) } else { told }
                }
                Err(why) if !listened => Err(Error::new(json_rpc::INTERNAL_ERROR, why)),
                Err(_) => Ok(Told::Ended),
            };
            match told {
                Ok(Told::Ended) => tokio::time::sleep(REOPEN).await,
                told => return told,
            }
        }
    }

    /// Passes on what a service answers to a message.
    async fn tell(&self, message: &Value, mut coming: Coming, mut pass: impl FnMut(&str)) -> Result<Told, Error> {
        self.session.answered_by(message, &coming.headers);
        let mut told = if message.get("id").is_some() {
            Told::Ended
        } else {
            Told::Whole
        };
        let media = coming.headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok());
        if media.is_some_and(|media| media.starts_with("text/event-stream")) {
            let ended = events(&mut coming, |data| {
                let said: Value = serde_json::from_str(data).unwrap_or_default();
                if answers(message, &said) {
                    told = Told::Whole;
                    self.session.heard(message, &said);
                }
                pass(data);
            })
            .await;
            // Once it is answered, how the stream ends is nothing to anyone.
            return if told == Told::Whole {
                Ok(told)
            } else {
                ended.map(|()| told)
            };
        }
        let body = whole(&mut coming).await?;
        let said: Value = serde_json::from_slice(&body).unwrap_or_default();
        if said.get("jsonrpc").is_some() {
            self.session.heard(message, &said);
            pass(String::from_utf8_lossy(&body).trim_end());
            return Ok(Told::Whole);
        }
        if coming.status < 400 && told == Told::Whole {
            return Ok(told);
        }
        let what = match said["detail"].as_str() {
            Some(detail) => format!("the service answered {}: {detail}", coming.status),
            None => format!(
                "{} answered {}, and not as MCP does; is it the address of the service?",
                self.address, coming.status
            ),
        };
        let mut error = Error::new(json_rpc::INTERNAL_ERROR, what);
        error.data = said.is_object().then_some(said);
        Err(error)
    }

    /// Passes on what a session says by itself, as long as it lasts, and opens it again when it is gone.
    async fn listen(&self) {
        loop {
            let mut headers = self.head(&Value::Null);
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            let held = headers.get(SESSION).cloned();
            match self.ask(Method::GET, headers, Vec::new()).await {
                Ok(mut coming) if coming.status == 200 => {
                    let _ = events(&mut coming, cli::answer).await;
                }
                Ok(coming) if coming.status == 404 => {
                    if let Some(gone) = held
                        && self.session.renew(self, &gone).await.is_ok()
                    {
                        continue;
                    }
                }
                // It has no such stream.
                Ok(coming) if coming.status == 405 => return,
                Ok(_) | Err(_) => {}
            }
            tokio::time::sleep(REOPEN).await;
        }
    }
}

/// Whether this is the answer to a message.
fn answers(message: &Value, said: &Value) -> bool {
    said.get("method").is_none() && message.get("id").is_some_and(|id| said.get("id") == Some(id))
}

/// What is told instead of the word that a subscription began, where it began again: that everything it follows may have
/// changed. `None` for anything else.
fn missed(data: &str) -> Option<Vec<String>> {
    let said: Value = serde_json::from_str(data).ok()?;
    if said["method"] != LISTENING {
        return None;
    }
    let (follows, meta) = (&said["params"]["notifications"], &said["params"]["_meta"]);
    let told = |method: &str, uri: Option<&Value>| {
        let mut params = json!({});
        for (name, value) in [("uri", uri), ("_meta", Some(meta).filter(|meta| !meta.is_null()))] {
            if let Some(value) = value {
                params[name] = value.clone();
            }
        }
        json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
    };
    let uris = follows["resourceSubscriptions"].as_array().into_iter().flatten();
    let mut missed: Vec<String> = uris
        .map(|uri| told("notifications/resources/updated", Some(uri)))
        .collect();
    for (flag, method) in [
        ("resourcesListChanged", "notifications/resources/list_changed"),
        ("promptsListChanged", "notifications/prompts/list_changed"),
    ] {
        if follows[flag] == true {
            missed.push(told(method, None));
        }
    }
    Some(missed)
}

/// An answer that is no stream.
///
/// # Errors
/// That it broke off or is too long.
pub async fn whole(coming: &mut Coming) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while let Some(bytes) = coming.next().await.map_err(cut)? {
        if body.len() + bytes.len() > MESSAGE_BYTES_MAX {
            return Err(Error::new(json_rpc::INTERNAL_ERROR, "the answer is too long"));
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

fn cut(fault: impl std::fmt::Display) -> Error {
    Error::new(json_rpc::INTERNAL_ERROR, format!("the answer broke off: {fault}"))
}

/// Tells the data of each event of a stream.
///
/// # Errors
/// That it broke off or is too long.
pub async fn events(coming: &mut Coming, mut tell: impl FnMut(&str)) -> Result<(), Error> {
    let mut rest: Vec<u8> = Vec::new();
    while let Some(bytes) = coming.next().await.map_err(cut)? {
        let mut from = rest.len();
        rest.extend_from_slice(&bytes);
        let mut begin = 0;
        while let Some(end) = rest[from..].iter().position(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(&rest[begin..from + end]);
            if let Some(data) = line
                .strip_prefix("data:")
                .map(str::trim)
                .filter(|data| !data.is_empty())
            {
                tell(data);
            }
            begin = from + end + 1;
            from = begin;
        }
        rest.drain(..begin);
        if rest.len() > MESSAGE_BYTES_MAX {
            return Err(Error::new(json_rpc::INTERNAL_ERROR, "the answer is too long"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::missed;

    #[test]
    fn who_listens_again_is_told_that_all_it_follows_may_have_changed() {
        let meta = json!({"io.modelcontextprotocol/subscriptionId": "7"});
        let began = json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "notifications": {"resourceSubscriptions": ["a", "b"], "promptsListChanged": true}, "_meta": meta}});
        let told: Vec<Value> = missed(&began.to_string())
            .expect("it began")
            .iter()
            .map(|text| serde_json::from_str(text).expect("JSON"))
            .collect();
        let of = |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
        assert_eq!(
            told,
            [
                of("notifications/resources/updated", json!({"uri": "a", "_meta": meta})),
                of("notifications/resources/updated", json!({"uri": "b", "_meta": meta})),
                of("notifications/prompts/list_changed", json!({"_meta": meta})),
            ]
        );
        assert_eq!(missed(&told[0].to_string()), None);
    }
}
