//! Messages of standard input to a running service, and what it says to standard output: rmcp's client and the transport of standard
//! input and output, joined.
//!
//! Knows no method but those that open and follow. Invariants: a request is answered, by the service or by why it could not be asked;
//! a service that was started anew is told again what the client opened with and follows, and the client that it may have changed.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::Value;
use serde_json::json;
use tokio::task::JoinSet;

use crate::mcp::stdio::Stdio;
use crate::wire::json_rpc::INTERNAL_ERROR;

/// How long the answer to what opens may take, since who starts this waits for it; and the last answers when nothing more is asked.
const OPENING: Duration = Duration::from_secs(10);
/// How long another answer may take to begin: as long as an executor may take.
const ANSWER: Duration = Duration::from_secs(600);
/// What opens a session, or asks what there is.
const OPENING_METHODS: [&str; 2] = ["initialize", "server/discover"];
/// How long the session may take to be given back.
const CLOSING: Duration = Duration::from_secs(5);
/// Between two tries to listen.
const LISTEN_AGAIN: Duration = Duration::from_secs(3);
/// The id of what is asked here on the client's behalf, which never sees the answer.
const OWN_ID: &str = "otherwise-bridge";

type Service = StreamableHttpClientTransport<reqwest::Client>;
/// How a message went: the message, the session it went to, and why it did not arrive.
type Sent = (Value, u64, Option<StreamableHttpError<reqwest::Error>>);

pub struct Bridge {
    http: reqwest::Client,
    config: StreamableHttpClientTransportConfig,
    client: Stdio,
    service: Option<Service>,
    sent: JoinSet<Sent>,
    /// How often a session was opened.
    opened: u64,
    /// What the client opened with.
    opening: Option<Value>,
    /// Params of what the client follows, by resource.
    subscribed: BTreeMap<String, Value>,
    /// Requests that listen, by id, and whether that has begun.
    listening: BTreeMap<String, (Value, bool)>,
    /// Ids of requests that are under way.
    unanswered: BTreeSet<String>,
}

impl Bridge {
    pub fn new(http: reqwest::Client, config: StreamableHttpClientTransportConfig) -> Bridge {
        Bridge {
            http,
            // A new session would not follow what the old one did.
            config: config.reinit_on_expired_session(false),
            client: Stdio::open(),
            service: None,
            sent: JoinSet::new(),
            opened: 0,
            opening: None,
            subscribed: BTreeMap::new(),
            listening: BTreeMap::new(),
            unanswered: BTreeSet::new(),
        }
    }

    /// Passes messages until standard input ends and what was asked is answered.
    pub async fn pass(mut self) {
        let mut ended = None;
        while ended.is_none_or(|at: tokio::time::Instant| at.elapsed() < OPENING && !self.unanswered.is_empty()) {
            let said = async {
                match self.service.as_mut() {
                    Some(service) => service.receive().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                message = self.client.receive(), if ended.is_none() => match message.map(serde_json::to_value) {
                    Some(message) => self.asked(message.unwrap_or_default()).await,
                    None => ended = Some(tokio::time::Instant::now()),
                },
                said = said => match said.map(serde_json::to_value) {
                    Some(said) => self.answered(said.unwrap_or_default()).await,
                    None => self.service = None,
                },
                Some(sent) = self.sent.join_next() => if let Ok((message, to, Some(error))) = sent {
                    self.failed(message, to, &error).await;
                },
                () = tokio::time::sleep(Duration::from_secs(1)), if ended.is_some() => {}
            }
        }
        if let Some(mut service) = self.service {
            // Before the client has said that it is ready, the transport waits for that and hears of no end.
            let _ = tokio::time::timeout(CLOSING, service.close()).await;
        }
    }

    async fn asked(&mut self, message: Value) {
        let (id, uri) = (message["id"].to_string(), message["params"]["uri"].to_string());
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                self.opening = Some(message.clone());
                self.subscribed.clear();
                // A session of its own.
                self.service = None;
            }
            "resources/subscribe" => {
                self.subscribed.insert(uri, message["params"].clone());
            }
            "resources/unsubscribe" => {
                self.subscribed.remove(&uri);
            }
            "subscriptions/listen" => {
                self.listening.insert(id.clone(), (message.clone(), false));
            }
            "notifications/cancelled" => {
                let id = message["params"]["requestId"].to_string();
                self.listening.remove(&id);
                self.unanswered.remove(&id);
            }
            _ => {}
        }
        if message.get("method").is_some() && message.get("id").is_some() && !self.listening.contains_key(&id) {
            self.unanswered.insert(id);
        }
        self.send(message, Duration::ZERO);
    }

    /// Sends a message after a while, and opens the way to the service where there is none.
    fn send(&mut self, message: Value, after: Duration) {
        let opens = OPENING_METHODS.iter().any(|method| message["method"] == *method);
        if self.service.is_none() {
            if message.get("method").is_none() || message.get("id").is_none() {
                return;
            }
            let client = self.http.clone();
            self.service = Some(Service::with_client(client, self.config.clone()));
            self.opened += 1;
            if !opens {
                // The transport takes the first answer for that of an opening, which a stream is not.
                let params = json!({"_meta": message["params"]["_meta"]});
                self.send_own("server/discover", params);
            }
        }
        let (Some(service), Ok(read)) = (self.service.as_mut(), serde_json::from_value(message.clone())) else {
            return;
        };
        let (sending, to) = (service.send(read), self.opened);
        self.sent.spawn(async move {
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
            let within = if opens { OPENING } else { ANSWER };
            let late = |_| Err(StreamableHttpError::Io(std::io::ErrorKind::TimedOut.into()));
            let sent = tokio::time::timeout(within, sending).await.unwrap_or_else(late);
            (message, to, sent.err())
        });
    }

    fn send_own(&mut self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "id": OWN_ID, "method": method, "params": params});
        self.send(message, Duration::ZERO);
    }

    async fn failed(&mut self, message: Value, to: u64, error: &StreamableHttpError<reqwest::Error>) {
        let id = message["id"].to_string();
        if let (StreamableHttpError::SessionExpired, Some(opening)) = (error, self.opening.clone()) {
            if to == self.opened {
                self.reopen(&opening).await;
            }
            self.send(message, Duration::ZERO);
        } else if self.listening.get(&id).is_some_and(|(_, begun)| *begun) {
            self.send(message, LISTEN_AGAIN);
        } else {
            if OPENING_METHODS.iter().any(|method| message["method"] == *method) {
                self.service = None;
            }
            let listened = self.listening.remove(&id).is_some();
            if self.unanswered.remove(&id) || listened {
                let url = &self.config.uri;
                let why =
                    format!("{url} does not answer as the service does: {error}; is it the address of the service?");
                let error = json!({"code": INTERNAL_ERROR, "message": why});
                self.tell(json!({"jsonrpc": "2.0", "id": message["id"], "error": error}))
                    .await;
            }
        }
    }

    /// Opens a new session as the client opened the one that is gone, follows in it what the client follows, and says that all of
    /// this may have changed.
    async fn reopen(&mut self, opening: &Value) {
        self.service = None;
        self.send_own("initialize", opening["params"].clone());
        self.send(
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            Duration::ZERO,
        );
        for params in self.subscribed.clone().into_values() {
            self.send_own("resources/subscribe", params.clone());
            self.changed("resources/updated", params).await;
        }
        self.changed("resources/list_changed", json!({})).await;
        self.changed("prompts/list_changed", json!({})).await;
        self.changed("tools/list_changed", json!({})).await;
    }

    async fn answered(&mut self, said: Value) {
        let id = said["id"].to_string();
        if said["method"] == "notifications/subscriptions/acknowledged" {
            let meta = &said["params"]["_meta"];
            let id = meta["io.modelcontextprotocol/subscriptionId"].to_string();
            let begun = self
                .listening
                .get_mut(&id)
                .map(|(_, begun)| std::mem::replace(begun, true));
            if begun == Some(true) {
                let follows = &said["params"]["notifications"];
                for uri in follows["resourceSubscriptions"].as_array().into_iter().flatten() {
                    self.changed("resources/updated", json!({"uri": uri, "_meta": meta}))
                        .await;
                }
                for (flag, what) in [
                    ("resourcesListChanged", "resources"),
                    ("promptsListChanged", "prompts"),
                    ("toolsListChanged", "tools"),
                ] {
                    if follows[flag] == true {
                        self.changed(&format!("{what}/list_changed"), json!({"_meta": meta}))
                            .await;
                    }
                }
                return;
            }
        } else if let (None, Some((listen, true))) = (said.get("method"), self.listening.get(&id).cloned())
            && said.get("error").is_some()
        {
            // Its stream broke off.
            self.send(listen, LISTEN_AGAIN);
            return;
        } else if said.get("method").is_none() {
            self.listening.remove(&id);
            self.unanswered.remove(&id);
        }
        if said["id"] != OWN_ID {
            self.tell(said).await;
        }
    }

    async fn changed(&mut self, what: &str, params: Value) {
        self.tell(json!({"jsonrpc": "2.0", "method": format!("notifications/{what}"), "params": params}))
            .await;
    }

    async fn tell(&mut self, message: Value) {
        if let Ok(message) = serde_json::from_value(message) {
            // Where nobody listens any more, standard input ends too.
            let _ = self.client.send(message).await;
        }
    }
}
