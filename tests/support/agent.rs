//! A server agent's executor on loopback, as good or as bad as a test wants.

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

/// What is done with a call.
#[derive(Clone, Debug)]
pub enum Act {
    /// 200 with this document.
    Answer(Value),
    /// A status, headers with their line ends, and a body.
    Say(u16, String, String),
    /// Nothing for so long, then 200 with the document.
    Stall(Duration, Value),
    /// 200 with the document, a byte at a time with so long between two.
    Drip(Duration, Value),
    /// Half of an answer, and the connection is closed.
    Cut,
    /// The connection is closed without a word.
    Hang,
}

/// A call as it came.
#[derive(Clone, Debug)]
pub struct Called {
    /// Request line and headers.
    pub head: String,
    pub body: Value,
}

impl Called {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// The executor; its threads end with the process.
pub struct Agent {
    address: SocketAddr,
    called: Arc<Mutex<Vec<Called>>>,
}

impl Agent {
    /// An executor that does with the n-th call (from 0) what `act` says.
    pub fn start(act: impl Fn(usize, &Called) -> Act + Send + Sync + 'static) -> Agent {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let called: Arc<Mutex<Vec<Called>>> = Arc::default();
        let (seen, act) = (Arc::clone(&called), Arc::new(act));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, act) = (Arc::clone(&seen), Arc::clone(&act));
                std::thread::spawn(move || serve(stream, &seen, act.as_ref()));
            }
        });
        Agent { address, called }
    }

    /// Its address for a template.
    pub fn url(&self) -> String {
        format!("http://{}/book", self.address)
    }

    /// Every call so far.
    pub fn called(&self) -> Vec<Called> {
        self.called.lock().expect("no panic").clone()
    }

    /// Waits until it was called so often.
    pub fn wait_for(&self, calls: usize) {
        for _ in 0..400 {
            if self.called().len() >= calls {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("called {} times, not {calls}", self.called().len());
    }
}

fn serve(stream: TcpStream, seen: &Mutex<Vec<Called>>, act: &dyn Fn(usize, &Called) -> Act) {
    let Ok(mut out) = stream.try_clone() else { return };
    let mut input = BufReader::new(stream);
    while let Some(called) = request(&mut input) {
        let number = {
            let mut seen = seen.lock().expect("no panic");
            seen.push(called.clone());
            seen.len() - 1
        };
        let json = |document: &Value| say(200, "Content-Type: application/json\r\n", &document.to_string());
        let written = match act(number, &called) {
            Act::Answer(document) => out.write_all(json(&document).as_bytes()),
            Act::Say(status, headers, body) => out.write_all(say(status, &headers, &body).as_bytes()),
            Act::Stall(time, document) => {
                std::thread::sleep(time);
                out.write_all(json(&document).as_bytes())
            }
            Act::Drip(time, document) => json(&document).as_bytes().chunks(1).try_for_each(|byte| {
                std::thread::sleep(time);
                out.write_all(byte)
            }),
            Act::Cut => {
                let _ = out.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{\"ref\"",
                );
                return;
            }
            Act::Hang => return,
        };
        if written.is_err() {
            return;
        }
    }
}

fn say(status: u16, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn request(input: &mut BufReader<TcpStream>) -> Option<Called> {
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
    Some(Called {
        head,
        body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    })
}
