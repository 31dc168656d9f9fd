//! A host of models: the client of the protocol's own library, over HTTP in both revisions and over standard input and output.

use std::os::fd::OwnedFd;
use std::process::Child;
use std::process::Stdio;
use std::time::Duration;

use otherwise_client::address::Address;
use otherwise_client::transport::Transport;
use reqwest::header::HeaderMap;
use rmcp::ClientHandler;
use rmcp::RoleClient;
use rmcp::model::CallToolRequestParams;
use rmcp::model::ProtocolVersion;
use rmcp::model::RequestMetaObject;
use rmcp::model::SubscriptionFilter;
use rmcp::service::ClientLifecycleMode;
use rmcp::service::NotificationContext;
use rmcp::service::RunningService;
use rmcp::service::Subscription;
use rmcp::service::serve_client_with_lifecycle;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::Value;
use serde_json::json;
use tokio::sync::mpsc;

use super::MODERN;
use crate::support::child::program;
use crate::support::server::Server;

/// How long news may take.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How long is waited for news that must not come.
pub const SILENCE: Duration = Duration::from_millis(700);

/// Hears that the tools changed.
struct Ear(mpsc::UnboundedSender<()>);

impl ClientHandler for Ear {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(());
    }
}

/// A host of a model.
pub struct Host {
    pub runtime: tokio::runtime::Runtime,
    client: Option<RunningService<RoleClient, Ear>>,
    heard: mpsc::UnboundedReceiver<()>,
    child: Option<Child>,
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.cancel());
        }
        if let Some(child) = &mut self.child {
            assert!(child.wait().expect("ended").success());
        }
    }
}

fn lifecycle(revision: &str) -> ClientLifecycleMode {
    match revision {
        MODERN => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        _ => ClientLifecycleMode::Initialize,
    }
}

impl Host {
    /// One that a service knows by a name, over HTTP.
    pub fn http(server: &Server, revision: &str, name: &str) -> Host {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let address = Address::parse(server.base(), false).expect("an address");
        let way = Transport::new(address, HeaderMap::new(), PATIENCE);
        let client = way.expect("a client").client;
        let headers = [(
            "otherwise-client".parse().expect("a name"),
            name.parse().expect("a value"),
        )];
        let config = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", server.base()));
        let config = config.custom_headers(headers.into());
        let (tell, heard) = mpsc::unbounded_channel();
        let serving = async {
            let way = StreamableHttpClientTransport::with_client(client, config);
            serve_client_with_lifecycle(Ear(tell), way, lifecycle(revision)).await
        };
        let client = runtime.block_on(serving).expect("it answers");
        Host {
            runtime,
            client: Some(client),
            heard,
            child: None,
        }
    }

    /// One that starts the program and speaks to it over a pipe.
    pub fn pipe(revision: &str, arguments: &[&str]) -> Host {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let mut command = program(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let file = |end: OwnedFd| tokio::fs::File::from_std(end.into());
        let input = file(child.stdin.take().expect("input").into());
        let output = file(child.stdout.take().expect("output").into());
        let (tell, heard) = mpsc::unbounded_channel();
        let serving = serve_client_with_lifecycle(Ear(tell), (output, input), lifecycle(revision));
        let client = runtime.block_on(serving).expect("it answers");
        Host {
            runtime,
            client: Some(client),
            heard,
            child: Some(child),
        }
    }

    fn client(&self) -> &RunningService<RoleClient, Ear> {
        self.client.as_ref().expect("it is there")
    }

    /// The tools as they are listed.
    pub fn tools(&self) -> Vec<Value> {
        let listed = self.runtime.block_on(self.client().list_all_tools());
        let listed = listed.expect("a list").into_iter();
        listed.map(|tool| json!(tool)).collect()
    }

    pub fn names(&self) -> Vec<String> {
        let names = self.tools().into_iter();
        names
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    pub fn tool(&self, name: &str) -> Value {
        let found = self.tools().into_iter().find(|tool| tool["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not listed"))
    }

    pub fn ask(&self, name: &str, arguments: &Value, meta: &Value) -> Result<Value, String> {
        let mut asked = CallToolRequestParams::new(name.to_owned());
        asked = asked.with_arguments(arguments.as_object().expect("an object").clone());
        asked.meta = Some(serde_json::from_value::<RequestMetaObject>(meta.clone()).expect("an object"));
        let answer = self.runtime.block_on(self.client().call_tool(asked));
        answer.map(|answer| json!(answer)).map_err(|error| error.to_string())
    }

    /// Calls a tool, which answers.
    pub fn call(&self, name: &str, arguments: &Value, meta: &Value) -> Value {
        self.ask(name, arguments, meta).expect("an answer")
    }

    /// The problem with which a call is refused.
    pub fn refused(&self, name: &str, arguments: &Value, meta: &Value) -> Value {
        let refused = self.call(name, arguments, meta);
        assert_eq!(refused["isError"], true, "{refused}");
        assert_eq!(refused.get("structuredContent"), None, "it keeps no output schema");
        serde_json::from_str(super::text(&refused)).expect("a problem document")
    }

    /// How often it heard that the tools changed, once it heard it at all.
    pub fn told(&mut self) -> usize {
        let heard = &mut self.heard;
        self.runtime.block_on(async {
            let first = tokio::time::timeout(PATIENCE, heard.recv()).await;
            first.expect("it is told").expect("it goes on");
            let mut times = 1;
            while tokio::time::timeout(SILENCE, heard.recv()).await.is_ok() {
                times += 1;
            }
            times
        })
    }

    /// Asserts that it heard nothing.
    pub fn silent(&mut self) {
        let heard = &mut self.heard;
        let news = self
            .runtime
            .block_on(async { tokio::time::timeout(SILENCE, heard.recv()).await });
        assert!(news.is_err(), "what changed is not its affair");
    }

    pub fn listen(&self) -> Subscription {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        self.runtime.block_on(self.client().listen(filter)).expect("accepted")
    }
}

pub fn check(schema: &Value, instance: &Value) {
    let schema = jsonschema::draft202012::new(schema).expect("a schema");
    let errors: Vec<String> = schema.iter_errors(instance).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{instance}: {errors:?}");
}
