//! A server on loopback that speaks OpenAI's chat completions, as well or as badly as a test wants.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

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

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Request line and headers.
    pub head: String,
    pub body: Value,
}

impl Asked {
    /// What it is asked for.
    pub fn purpose(&self) -> String {
        let name = &self.body["response_format"]["json_schema"]["name"];
        name.as_str().unwrap_or_default().to_owned()
    }

    /// The user's text, read.
    pub fn user(&self) -> Value {
        let text = self.body["messages"][1]["content"].as_str().unwrap_or_default();
        serde_json::from_str(text).unwrap_or(Value::Null)
    }
}

/// The server; its threads end with the process.
pub struct Chat {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Chat {
    /// A server that answers the n-th request (from 0) as `say` says.
    pub fn start(say: impl Fn(usize, &Asked) -> Say + Send + Sync + 'static) -> Chat {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (seen, say) = (Arc::clone(&asked), Arc::new(say));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, say) = (Arc::clone(&seen), Arc::clone(&say));
                std::thread::spawn(move || converse(stream, &seen, say.as_ref()));
            }
        });
        Chat { address, asked }
    }

    /// Its address for the settings.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Everything that was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }

    /// How often it was asked for this.
    pub fn count(&self, purpose: &str) -> usize {
        self.asked().iter().filter(|asked| asked.purpose() == purpose).count()
    }
}

fn converse(stream: TcpStream, seen: &Mutex<Vec<Asked>>, say: &dyn Fn(usize, &Asked) -> Say) {
    let Ok(mut out) = stream.try_clone() else { return };
    let mut input = BufReader::new(stream);
    while let Some(asked) = request(&mut input) {
        let number = {
            let mut seen = seen.lock().expect("no panic");
            seen.push(asked.clone());
            seen.len() - 1
        };
        let answer = match say(number, &asked) {
            Say::Content(content) => body(200, "", &completion(&content)),
            Say::Document(document) => body(200, "", &document.to_string()),
            Say::Status(status, headers) => body(status, headers, ""),
            Say::Nonsense => body(200, "", "<html>it works</html>"),
            Say::Huge(bytes) => body(200, "", &"x".repeat(bytes)),
            Say::Stall(time, content) => {
                std::thread::sleep(time);
                body(200, "", &completion(&content))
            }
            Say::Hang => return,
        };
        if out.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn request(input: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    })?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    Some(Asked {
        head,
        body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    })
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
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{text}",
        text.len()
    )
}
