//! Lines of standard input as messages: what both forms of the command read, and say of what they cannot read.
//!
//! Invariant: a line that is no message is answered once, with what JSON-RPC says of it.

use std::io::BufRead;
use std::io::Read;

use serde_json::Value;
use tokio::sync::mpsc;

use crate::cli;
use crate::mcp::mcp_caller::Written;
use crate::wire::json_rpc;
use crate::wire::json_rpc::Message;
use schema::json_text;

/// Bytes of one message.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;

/// The lines of standard input, read on a thread of their own; closed at its end. What is too long ends it.
pub fn lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || read(&sender));
    lines
}

fn read(sender: &mpsc::Sender<String>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match input
            .by_ref()
            .take(MESSAGE_BYTES_MAX as u64)
            .read_until(b'\n', &mut line)
        {
            Ok(0) => return,
            Ok(bytes) if bytes >= MESSAGE_BYTES_MAX => {
                cli::tell("otherwise: a message is too long");
                return;
            }
            Ok(_) => {
                // What is no UTF-8 is no JSON, which the marks in its place say as well.
                let line = String::from_utf8_lossy(&line);
                if !line.trim().is_empty() && sender.blocking_send(line.into_owned()).is_err() {
                    return;
                }
            }
            Err(error) => {
                cli::tell(&format!("otherwise: standard input: {error}"));
                return;
            }
        }
    }
}

/// The message of a line: a call, a notification, or an answer; without the arguments of a tool, which are read elsewhere.
///
/// # Errors
/// What is to be answered to a line that holds none: -32700 or -32600, under the id `null` where no other can be told.
pub fn message(line: &str) -> Result<Value, String> {
    json_text::check_depth(line.as_bytes())
        .map_err(|deep| json_rpc::unread(&json_rpc::Error::malformed(json_rpc::PARSE_ERROR, &deep.to_string())))?;
    let written = Written::of(line);
    let line = &*written.without_arguments();
    let Ok(message) = serde_json::from_str::<Value>(line) else {
        return Err(json_rpc::misread(line));
    };
    let answers = message.get("result").is_some() || message.get("error").is_some();
    if answers && message["jsonrpc"] == "2.0" && message.get("id").is_some() {
        return Ok(message);
    }
    match Message::parse(line, 1) {
        Ok(Message::One(Ok(request))) if request.framed && request.id() != Some("null") => Ok(message),
        Ok(Message::One(_) | Message::Batch(_)) | Err(_) => Err(json_rpc::misread(line)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::message;

    #[test]
    fn a_line_is_a_call_a_notification_or_an_answer() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1e400}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#,
        ] {
            assert!(message(line).is_ok(), "{line}");
        }
        for (line, number) in [
            ("{", -32700),
            ("\u{fffd}", -32700),
            ("7", -32600),
            ("{}", -32600),
            (r#"{"id":1,"method":"ping"}"#, -32600),
            (r#"{"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (r#"{"result":{}}"#, -32600),
        ] {
            let said: Value = serde_json::from_str(&message(line).expect_err("no message")).expect("JSON");
            assert_eq!(said["error"]["code"], json!(number), "{line}: {said}");
            assert!(said.get("id").is_some(), "{said}");
        }
    }
}
