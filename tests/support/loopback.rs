//! An HTTP/1.1 server on loopback that keeps what it hears, for whoever plays a part in a test.

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
use std::time::Instant;

use serde_json::Value;

/// How long a test waits for requests.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Heard {
    /// Request line and headers.
    pub head: String,
    pub text: String,
    /// `null` when the text is no JSON.
    pub body: Value,
}

impl Heard {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

/// Whether the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    GoesOn,
    Ends,
}

/// The server; its threads end with the process.
pub struct Loopback {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Loopback {
    /// A server that answers the n-th request (from 0) as `answer` does.
    pub fn start(answer: impl Fn(usize, &Heard, &mut TcpStream) -> Then + Send + Sync + 'static) -> Loopback {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let (seen, answer) = (Arc::clone(&heard), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || converse(stream, &seen, answer.as_ref()));
            }
        });
        Loopback { address, heard }
    }

    /// An address on it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Everything that came so far.
    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("no panic").clone()
    }

    /// Waits until so many requests came, and gives them all.
    pub fn wait_for(&self, count: usize) -> Vec<Heard> {
        let begun = Instant::now();
        loop {
            let heard = self.heard();
            if heard.len() >= count {
                return heard;
            }
            assert!(begun.elapsed() < PATIENCE, "{} of {count}: {heard:#?}", heard.len());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// An answer as it goes over the wire; `headers` with their line ends.
pub fn answer(status: u16, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Writes a whole answer.
pub fn say(out: &mut TcpStream, answer: &str) -> Then {
    match out.write_all(answer.as_bytes()) {
        Ok(()) => Then::GoesOn,
        Err(_) => Then::Ends,
    }
}

fn converse(stream: TcpStream, seen: &Mutex<Vec<Heard>>, answer: &dyn Fn(usize, &Heard, &mut TcpStream) -> Then) {
    let Ok(mut out) = stream.try_clone() else { return };
    let mut input = BufReader::new(stream);
    while let Some(heard) = request(&mut input) {
        let number = {
            let mut seen = seen.lock().expect("no panic");
            seen.push(heard.clone());
            seen.len() - 1
        };
        if answer(number, &heard, &mut out) == Then::Ends {
            return;
        }
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (own, value) = line.split_once(':')?;
        own.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

fn request(input: &mut BufReader<TcpStream>) -> Option<Heard> {
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
    // A request without a body does not say how long it is.
    let mut bytes = vec![0; header(&head, "content-length").unwrap_or("0").parse().ok()?];
    input.read_exact(&mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Some(Heard { head, text, body })
}
