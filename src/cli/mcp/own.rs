//! Standard input and output as the transport of a server in this process.
//!
//! Invariant: the protocol's library is handed messages alone, the first of which is a call; what is none is answered here.

use std::convert::Infallible;

use rmcp::RoleServer;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::model::GetExtensions;
use rmcp::service::RxJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::cli;
use crate::cli::mcp::line;
use crate::mcp::mcp_caller::Written;
use crate::mcp::param_errors;
use crate::wire::json_rpc;

/// Messages of standard input; answers to standard output.
pub struct Own {
    lines: mpsc::Receiver<String>,
    /// Whether a call came already.
    called: bool,
}

impl Own {
    /// The standard input and output of this process.
    pub fn of_this_process() -> Own {
        Own {
            lines: line::lines(),
            called: false,
        }
    }

    fn read(&mut self, line: &str) -> Option<ClientJsonRpcMessage> {
        let message = match line::message(line) {
            Ok(message) => message,
            Err(answer) => {
                cli::answer(&answer);
                return None;
            }
        };
        let calls = message.get("id").is_some() && message.get("method").is_some_and(Value::is_string);
        if !calls && !self.called {
            // Nothing was begun that it could be about.
            return None;
        }
        match serde_json::from_value(message) {
            Ok(mut read) => {
                if let Some(answer) = param_errors::of_opening(&read) {
                    cli::answer(&answer);
                    return None;
                }
                self.called |= calls;
                if let ClientJsonRpcMessage::Request(request) = &mut read {
                    request.request.extensions_mut().insert(Written::of(line));
                }
                Some(read)
            }
            Err(_) => {
                // A notification is never answered.
                if calls {
                    cli::answer(&json_rpc::misread(line));
                }
                None
            }
        }
    }
}

impl Transport<RoleServer> for Own {
    type Error = Infallible;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        if let Ok(text) = serde_json::to_string(&item) {
            cli::answer(&text);
        }
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = self.lines.recv().await?;
            if let Some(message) = self.read(&line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
