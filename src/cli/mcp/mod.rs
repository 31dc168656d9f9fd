//! `otherwise mcp`: the Model Context Protocol on standard input and output, one message a line.
//!
//! A data folder is held by one process. So where a service runs, `--url` passes messages on to it ([`bridge`]); without,
//! this process opens the folder itself, and whoever started it may do everything. Standard output is the protocol's alone.

pub mod bridge;

pub mod line;

pub mod own;

pub mod session;

use std::collections::BTreeSet;

use clap::Args;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;

use crate::app::caller::Caller;
use crate::app::caller::Origin;
use crate::app::caller::Role;
use crate::bootstrap;
use crate::bootstrap::alone;
use crate::bootstrap::log;
use crate::cli;
use crate::cli::Ending;
use crate::cli::SettingsArguments;
use crate::cli::mcp::own::Own;
use crate::mcp::mcp_caller::McpCaller;
use crate::mcp::server::McpServer;
use schema::act::Method;
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
pub fn run(arguments: &McpArguments) -> Ending {
    match &arguments.url {
        Some(url) => bridge::run(url, arguments.key_env.as_deref(), arguments.name.as_deref()),
        None => with_folder(arguments),
    }
}

fn with_folder(arguments: &McpArguments) -> Ending {
    let name = arguments.name.as_deref().unwrap_or(NAME);
    let Some(client) = ClientId::parse(name) else {
        return cli::end(Ending::Usage, "--name is no name of a client");
    };
    if arguments.settings.listens() {
        let why = "--listen is of `serve`: `mcp` speaks on standard input and output, and listens nowhere";
        return cli::end(Ending::Usage, why);
    }
    let settings = match arguments.settings.settings() {
        Ok(settings) => settings,
        Err(error) => return cli::end(Ending::Usage, &error.0),
    };
    if let Err(error) = log::set_up(&settings.log) {
        return cli::end(Ending::Usage, &error);
    }
    let alone = match alone::start(&settings) {
        Ok(alone) => alone,
        Err(fault) => {
            let why = format!("{fault}; for a service that runs, use --url");
            return cli::end(Ending::of(&fault), &why);
        }
    };
    let caller = Caller {
        client: Some(client),
        roles: BTreeSet::from([Role::Publisher, Role::Client, Role::Operator, Role::Auditor]),
        speaks_as: None,
        origin: Origin {
            method: Method::System,
            ..Origin::default()
        },
    };
    let asker = McpCaller { caller, language: None };
    let follows_max = bootstrap::mcp_limits(&settings).follows_max;
    let server = McpServer::of(alone.service().clone(), asker, follows_max);
    let ended = alone.block_on(async {
        let serving = match server.serve(Own::of_this_process()).await {
            Ok(serving) => serving,
            // Nothing was asked.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        serving.waiting().await.map(|_| ()).map_err(|error| error.to_string())
    });
    alone.stop();
    match ended {
        Ok(()) => Ending::Well,
        Err(error) => cli::end(Ending::Fault, &error),
    }
}
