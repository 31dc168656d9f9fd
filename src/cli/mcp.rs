//! `otherwise mcp`: the Model Context Protocol on standard input and output, one message a line.
//!
//! A data folder is held by one process. So where a service runs, `--url` passes messages on to it ([`bridge`]); without,
//! this process opens the folder itself, and whoever started it may do everything. Standard output is the protocol's alone.

pub mod bridge;

use clap::Args;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::adapters::outbound::bearer::Place;
use crate::app::caller::Caller;
use crate::bootstrap;
use crate::bootstrap::log;
use crate::bootstrap::schema_folder::service_caller;
use crate::cli;
use crate::cli::ExitStatus;
use crate::cli::SettingsArguments;
use crate::cli::mcp::bridge::Bridge;
use crate::cli::output::Output;
use crate::cli::output::Trouble;
use crate::cli::output::fault;
use crate::cli::output::usage;
use crate::cli::remote::way;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::server::McpServer;
use crate::mcp::stdio::Stdio;
use schema::name::ClientId;

/// The name of a client that gives none.
const NAME: &str = "local";

/// For which service.
#[derive(Clone, Debug, Args)]
// It listens nowhere.
#[command(mut_arg("listen", |listen| listen.hide(true)))]
pub struct McpArguments {
    /// Address of a running service, such as http://127.0.0.1:8080; without it the data folder is opened here.
    #[arg(long, value_name = "URL", conflicts_with_all = ["config", "data", "schemas", "models", "listen"])]
    url: Option<String>,
    /// Environment variable that holds the key to show to the service.
    #[arg(long, value_name = "NAME", requires = "url")]
    key_env: Option<String>,
    /// The client's name, where the service runs open [default: local, with a folder of its own].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    settings: SettingsArguments,
}

/// Speaks until standard input ends.
pub fn run(arguments: &McpArguments) -> ExitStatus {
    let spoken = match &arguments.url {
        Some(url) => with_service(url, arguments),
        None => with_folder(arguments),
    };
    // Standard output is the protocol's.
    Output::new("mcp", false).ended(spoken)
}

fn with_service(url: &str, arguments: &McpArguments) -> Result<ExitStatus, Trouble> {
    // The address of the endpoint itself means the service that has it.
    let url = url.trim_end_matches('/').trim_end_matches("/mcp");
    let key = arguments.key_env.clone().map(Place::Environment);
    let way = way(url, key, arguments.name.as_deref(), true)?;
    let runtime = cli::runtime()?;
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", way.address.base));
    let headers = way.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    let config = config.custom_headers(headers.collect());
    runtime.block_on(async { Bridge::new(way.client, config).pass().await });
    runtime.shutdown_background();
    Ok(ExitStatus::Well)
}

fn with_folder(arguments: &McpArguments) -> Result<ExitStatus, Trouble> {
    let name = arguments.name.as_deref().unwrap_or(NAME);
    let client = ClientId::parse(name).ok_or_else(|| usage("--name is no name of a client"))?;
    if arguments.settings.listens() {
        let why = "--listen is of `serve`: `mcp` speaks on standard input and output, and listens nowhere";
        return Err(usage(why));
    }
    let settings = arguments.settings.settings()?;
    log::set_up(&settings.log).map_err(usage)?;
    let alone = bootstrap::start_alone(&settings).map_err(|fault| {
        let mut trouble = Trouble::from(fault);
        trouble.why.push_str("; for a service that runs, use --url");
        trouble
    })?;
    let caller = Caller {
        client: Some(client),
        ..service_caller()
    };
    let asker = McpCaller { caller, language: None };
    let limits = bootstrap::mcp_limits(&settings);
    let server = McpServer::new(alone.service().clone(), Some(asker), limits);
    let ended = alone.block_on(async {
        match server.serve(Stdio::open()).await {
            Ok(serving) => serving.waiting().await.map(|_| ()).map_err(fault),
            // Nothing was asked.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(fault(error)),
        }
    });
    alone.stop();
    ended.map(|()| ExitStatus::Well)
}
