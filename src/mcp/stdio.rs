//! Messages on standard input and output, one a line.
//!
//! rmcp's transport writes; it answers every line that holds no message under the id `null`, so that lines are read here, and such a line
//! is answered under the id that it has. A line that is not JSON has none and is passed over, as other implementations do.

use std::pin::Pin;

use rmcp::RoleServer;
use rmcp::service::RxJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::AsyncBufReadExt;
use tokio::io::AsyncReadExt;
use tokio::io::BufReader;
use tokio::io::Empty;
use tokio::io::Stdout;
use tokio::sync::mpsc;

use crate::wire::json_rpc;

/// Bytes of one line at most; what is longer holds no message.
const LINE_BYTES_MAX: u64 = 16 * 1024 * 1024;

type Sending = Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>;

/// The transport of a server that speaks on standard input and output.
pub struct Stdio {
    lines: mpsc::Receiver<Vec<u8>>,
    output: AsyncRwTransport<RoleServer, Empty, Stdout>,
    /// An answer under way; kept here, since `receive` may be given up while it waits.
    answer: Option<Sending>,
}

impl Stdio {
    /// Begins to read; within a runtime.
    pub fn open() -> Stdio {
        let (sender, lines) = mpsc::channel(1);
        tokio::spawn(read_lines(sender));
        Stdio {
            lines,
            output: AsyncRwTransport::new_server(tokio::io::empty(), tokio::io::stdout()),
            answer: None,
        }
    }
}

/// Reads lines until standard input ends or nothing takes them any more.
async fn read_lines(lines: mpsc::Sender<Vec<u8>>) {
    let mut input = BufReader::new(tokio::io::stdin());
    loop {
        let mut line = Vec::new();
        let read = (&mut input).take(LINE_BYTES_MAX).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(bytes) if bytes > 0) || lines.send(line).await.is_err() {
            return;
        }
    }
}

/// The message of a line, or the answer to one that holds none; nothing where neither is due.
fn parse(line: &[u8]) -> Option<Result<RxJsonRpcMessage<RoleServer>, TxJsonRpcMessage<RoleServer>>> {
    let text = std::str::from_utf8(line).ok()?.trim_start_matches('\u{feff}').trim();
    if let Ok(message) = serde_json::from_str(text) {
        return Some(Ok(message));
    }
    serde_json::from_str::<Value>(text).ok()?;
    serde_json::from_str(&json_rpc::misread(text)).ok().map(Err)
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        self.output.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answer) = &mut self.answer {
                answer.await.ok()?;
                self.answer = None;
            }
            match parse(&self.lines.recv().await?) {
                Some(Ok(message)) => return Some(message),
                Some(Err(answer)) => self.answer = Some(Box::pin(self.output.send(answer))),
                None => {}
            }
        }
    }

    async fn close(&mut self) -> std::io::Result<()> {
        self.output.close().await
    }
}
