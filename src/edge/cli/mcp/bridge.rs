//! Messages of standard input to a running service, and what it says to standard output.
//!
//! Changes no message and knows no method but those that open, listen and cancel. Invariant: a request is answered, by the
//! service or by why it could not be asked; at most so many are under way at once.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::io::Read;
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
use tokio::sync::Semaphore;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::task::JoinSet;

use crate::edge::cli;
use crate::edge::cli::Ending;
use crate::edge::cli::address;
use crate::edge::outbound::Coming;
use crate::edge::outbound::Outbound;
use crate::edge::outbound::bearer;
use crate::edge::wire::doors::NAME_HEADER;
use crate::edge::wire::json_rpc;
use crate::edge::wire::json_rpc::Error;

/// Bytes of one message.
const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// Requests under way at once; what listens does not count.
const UNDER_WAY_MAX: usize = 64;
/// How long the last answers are waited for when nothing more is asked.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// Between two tries to open the stream of a session.
const REOPEN: Duration = Duration::from_secs(3);

const SESSION: &str = "mcp-session-id";
const REVISION: &str = "mcp-protocol-version";

/// The way to a service.
struct Bridge {
    outbound: Outbound,
    address: Uri,
    headers: HeaderMap,
    /// What the opening agreed on, where the revision has sessions.
    agreed: Mutex<HeaderMap>,
    /// Requests under way, by id as written.
    under_way: Mutex<BTreeMap<String, AbortHandle>>,
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
    let (sender, messages) = mpsc::channel(1);
    std::thread::spawn(move || read(&sender));
    runtime.block_on(pass(bridge, messages));
    runtime.shutdown_background();
    Ending::Well
}

/// Reads lines; what is too long ends it.
fn read(sender: &mpsc::Sender<String>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = String::new();
        match input.by_ref().take(MESSAGE_BYTES_MAX as u64).read_line(&mut line) {
            Ok(0) => return,
            Ok(bytes) if bytes >= MESSAGE_BYTES_MAX => {
                cli::tell("otherwise: a message is too long");
                return;
            }
            Ok(_) if line.trim().is_empty() => {}
            Ok(_) if sender.blocking_send(line).is_err() => return,
            Ok(_) => {}
            Err(error) => {
                cli::tell(&format!("otherwise: standard input: {error}"));
                return;
            }
        }
    }
}

async fn pass(bridge: Arc<Bridge>, mut messages: mpsc::Receiver<String>) {
    let turns = Arc::new(Semaphore::new(UNDER_WAY_MAX));
    let mut tasks = JoinSet::new();
    let mut listening: Option<AbortHandle> = None;
    while let Some(text) = messages.recv().await {
        while tasks.try_join_next().is_some() {}
        let message: Value = match serde_json::from_str(&text) {
            Ok(message) => message,
            Err(_) => {
                cli::answer(&json_rpc::unread(&Error::new(
                    json_rpc::PARSE_ERROR,
                    "the line is not JSON",
                )));
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
        let turn = if method == "subscriptions/listen" {
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
        if method == "notifications/initialized" && listening.is_none() && bridge.has_session() {
            let bridge = Arc::clone(&bridge);
            listening = Some(tokio::spawn(async move { bridge.listen().await }).abort_handle());
        }
    }
    let _ = tokio::time::timeout(LAST_ANSWERS, async { while tasks.join_next().await.is_some() {} }).await;
    if let Some(listening) = listening {
        listening.abort();
    }
    if bridge.has_session() {
        let ending = bridge.ask(Method::DELETE, bridge.head(&Value::Null), Vec::new());
        let _ = tokio::time::timeout(LAST_ANSWERS, ending).await;
    }
}

impl Bridge {
    fn to(url: &str, key_env: Option<&str>, name: Option<&str>) -> Result<Bridge, String> {
        let (base, secure) = address::base(url, key_env.is_some())?;
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
            agreed: Mutex::default(),
            under_way: Mutex::default(),
        })
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, AbortHandle>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn agreed(&self) -> MutexGuard<'_, HeaderMap> {
        self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_session(&self) -> bool {
        self.agreed().contains_key(SESSION)
    }

    /// The headers that go with a message: what was agreed on, or what a message of a revision without sessions says of itself.
    fn head(&self, message: &Value) -> HeaderMap {
        let mut headers = self.headers.clone();
        headers.extend(self.agreed().clone());
        let params = &message["params"];
        if let Some(revision) = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str() {
            let method = message["method"].as_str().unwrap_or_default();
            let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default();
            for (header, value) in [(REVISION, revision), ("mcp-method", method), ("mcp-name", name)] {
                if let Ok(value) = HeaderValue::from_str(value)
                    && !value.is_empty()
                {
                    headers.insert(header, value);
                }
            }
        }
        headers
    }

    async fn ask(&self, method: Method, headers: HeaderMap, body: Vec<u8>) -> Result<Coming, String> {
        let asked = self.outbound.ask(method, &self.address, headers, body).await;
        asked.map_err(|fault| format!("the service at {}: {fault}", self.address))
    }

    /// Sends one message and passes on what comes of it.
    async fn send(&self, message: &Value, text: String) {
        let id = message.get("id").map(Value::to_string);
        let told = match self.ask(Method::POST, self.head(message), text.into_bytes()).await {
            Ok(coming) => self.tell(message, coming).await,
            Err(why) => Err(Error::new(json_rpc::INTERNAL_ERROR, why)),
        };
        if let (Err(error), Some(id)) = (told, id) {
            cli::answer(&json_rpc::failure(&id, &error));
        }
    }

    async fn tell(&self, message: &Value, mut coming: Coming) -> Result<(), Error> {
        let opening = message["method"] == "initialize";
        if opening && let Some(session) = coming.headers.get(SESSION) {
            self.agreed().insert(SESSION, session.clone());
        }
        let media = coming.headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok());
        if media.is_some_and(|media| media.starts_with("text/event-stream")) {
            return events(&mut coming, |data| {
                if opening {
                    self.agree(data);
                }
                cli::answer(data);
            })
            .await;
        }
        let mut body = Vec::new();
        while let Some(bytes) = coming.next().await.map_err(cut)? {
            if body.len() + bytes.len() > MESSAGE_BYTES_MAX {
                return Err(Error::new(json_rpc::INTERNAL_ERROR, "the answer is too long"));
            }
            body.extend_from_slice(&bytes);
        }
        let said: Value = serde_json::from_slice(&body).unwrap_or_default();
        if said.get("jsonrpc").is_some() {
            let text = String::from_utf8_lossy(&body);
            if opening {
                self.agree(&text);
            }
            cli::answer(text.trim_end());
            return Ok(());
        }
        if coming.status < 400 {
            return Ok(());
        }
        let detail = said["detail"].as_str().unwrap_or("it refused the message");
        let what = format!("the service answered {}: {detail}", coming.status);
        let mut error = Error::new(json_rpc::INTERNAL_ERROR, what);
        error.data = said.is_object().then_some(said);
        Err(error)
    }

    /// Keeps the revision that was agreed on.
    fn agree(&self, answer: &str) {
        let answer: Value = serde_json::from_str(answer).unwrap_or_default();
        let revision = answer["result"]["protocolVersion"].as_str();
        if let Some(revision) = revision.and_then(|revision| HeaderValue::from_str(revision).ok()) {
            self.agreed().insert(REVISION, revision);
        }
    }

    /// Passes on what a session says by itself, as long as it lasts.
    async fn listen(&self) {
        loop {
            let mut headers = self.head(&Value::Null);
            headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
            match self.ask(Method::GET, headers, Vec::new()).await {
                Ok(mut coming) if coming.status == 200 => {
                    let _ = events(&mut coming, cli::answer).await;
                }
                Ok(coming) if (400..500).contains(&coming.status) && coming.status != 429 => return,
                Ok(_) | Err(_) => {}
            }
            tokio::time::sleep(REOPEN).await;
        }
    }
}

fn cut(fault: impl std::fmt::Display) -> Error {
    Error::new(json_rpc::INTERNAL_ERROR, format!("the answer broke off: {fault}"))
}

/// Tells the data of each event of a stream.
async fn events(coming: &mut Coming, mut tell: impl FnMut(&str)) -> Result<(), Error> {
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
