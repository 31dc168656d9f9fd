//! A webhook's receiver on loopback: checks every signature, and answers as well or as badly as a test wants.

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

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Do {
    /// This status, with these headers.
    Answer(u16, &'static str),
    /// Nothing, for so long.
    Hang(Duration),
    /// Half an answer, and closes.
    Die,
}

/// A letter as it came.
#[derive(Clone, Debug)]
pub struct Got {
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub content_type: String,
    pub text: String,
    pub body: Value,
}

/// The receiver; its threads end with the process.
pub struct Receiver {
    address: SocketAddr,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Receiver {
    /// A receiver that answers the n-th letter (from 0) as `does` says.
    pub fn start(does: impl Fn(usize, &Got) -> Do + Send + Sync + 'static) -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let got: Arc<Mutex<Vec<Got>>> = Arc::default();
        let (seen, does) = (Arc::clone(&got), Arc::new(does));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, does) = (Arc::clone(&seen), Arc::clone(&does));
                std::thread::spawn(move || converse(stream, &seen, does.as_ref()));
            }
        });
        Receiver { address, got }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Everything that came so far.
    pub fn got(&self) -> Vec<Got> {
        self.got.lock().expect("no panic").clone()
    }

    /// Waits until so many letters came, and gives them all.
    pub fn wait_for(&self, count: usize) -> Vec<Got> {
        let begun = Instant::now();
        loop {
            let got = self.got();
            if got.len() >= count {
                return got;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "{} of {count}: {got:#?}",
                got.len()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn converse(stream: TcpStream, seen: &Mutex<Vec<Got>>, does: &dyn Fn(usize, &Got) -> Do) {
    let Ok(mut out) = stream.try_clone() else { return };
    let mut input = BufReader::new(stream);
    while let Some(got) = request(&mut input) {
        let number = {
            let mut seen = seen.lock().expect("no panic");
            seen.push(got.clone());
            seen.len() - 1
        };
        let answer = match does(number, &got) {
            Do::Answer(status, headers) => format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: 0\r\n\r\n"),
            Do::Hang(time) => {
                std::thread::sleep(time);
                return;
            }
            Do::Die => {
                let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe");
                return;
            }
        };
        if out.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn request(input: &mut BufReader<TcpStream>) -> Option<Got> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push(line);
    }
    let header = |name: &str| {
        head.iter().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let mut bytes = vec![0; header("content-length")?.parse().ok()?];
    input.read_exact(&mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    Some(Got {
        id: header("webhook-id").unwrap_or_default(),
        timestamp: header("webhook-timestamp").unwrap_or_default(),
        signature: header("webhook-signature").unwrap_or_default(),
        content_type: header("content-type").unwrap_or_default(),
        body: serde_json::from_str(&text).unwrap_or(Value::Null),
        text,
    })
}
