//! A server on loopback that speaks OpenAI's chat completions, as well or as badly as a test wants.

use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::support::loopback;
use crate::support::loopback::Heard;
use crate::support::loopback::Loopback;
use crate::support::loopback::Then;

/// What is answered to a request.
#[derive(Clone, Debug)]
pub enum Say {
    /// This content, with a usage of 100 tokens.
    Content(Value),
    /// This document as it stands.
    Document(Value),
    /// A status with these headers and no body.
    Status(u16, &'static str),
    /// Bytes that are no JSON.
    Nonsense,
    /// An answer of so many bytes.
    Huge(usize),
    /// Nothing for so long, then the content.
    Stall(Duration, Value),
    /// Closes the connection.
    Hang,
}

/// What a request asks for.
pub fn purpose(asked: &Heard) -> String {
    let name = &asked.body["response_format"]["json_schema"]["name"];
    name.as_str().unwrap_or_default().to_owned()
}

/// A request's user text, read.
pub fn user(asked: &Heard) -> Value {
    let text = asked.body["messages"][1]["content"].as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or(Value::Null)
}

/// The server; its threads end with the process.
pub struct Chat(Loopback);

impl Chat {
    /// A server that answers the n-th request (from 0) as `say` says.
    pub fn start(say: impl Fn(usize, &Heard) -> Say + Send + Sync + 'static) -> Chat {
        Chat(Loopback::start(move |number, asked, out| {
            let answer = match say(number, asked) {
                Say::Content(content) => body(200, "", &completion(&content)),
                Say::Document(document) => body(200, "", &document.to_string()),
                Say::Status(status, headers) => body(status, headers, ""),
                Say::Nonsense => body(200, "", "<html>it works</html>"),
                Say::Huge(bytes) => body(200, "", &"x".repeat(bytes)),
                Say::Stall(time, content) => {
                    std::thread::sleep(time);
                    body(200, "", &completion(&content))
                }
                Say::Hang => return Then::Ends,
            };
            loopback::say(out, &answer)
        }))
    }

    /// Its address for the settings.
    pub fn url(&self) -> String {
        self.0.url("/v1")
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Heard> {
        self.0.heard()
    }

    /// How often it was asked for this.
    pub fn count(&self, wanted: &str) -> usize {
        self.asked().iter().filter(|asked| purpose(asked) == wanted).count()
    }
}

fn completion(content: &Value) -> String {
    json!({
        "id": "c", "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": content.to_string(), "refusal": null}}],
        "usage": {"prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100},
    })
    .to_string()
}

fn body(status: u16, headers: &str, text: &str) -> String {
    loopback::answer(status, &format!("Content-Type: application/json\r\n{headers}"), text)
}
