//! Submissions with an idempotency key each against as many without, into one scenario: time and memory of the service.
//!
//! `cargo bench --bench keys` submits in batches, each run on a new folder and loopback, fails at the first item that is not
//! accepted, repeats the first key at the end and after a restart, and prints what each run took. `-- --submissions 1000000
//! --connections 4` are the defaults. Keys are named, so that all of them are remembered at once.

mod serving;

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use serving::start;
use serving::whole;

/// Submissions of a batch, as many as the service takes by itself.
const BATCH: u64 = 100;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(default)
    };
    let (submissions, connections) = (number("--submissions", 1_000_000), number("--connections", 4).max(1));
    println!("{submissions} submissions, {connections} connections of batches of {BATCH}");
    println!(
        "run | s | resident MiB: idle, at most, after | MiB on disk: journals, keys | s of the next start, MiB after it"
    );
    for keyed in [false, true] {
        println!("{}", run(submissions, connections, keyed));
    }
}

fn run(submissions: u64, connections: u64, keyed: bool) -> String {
    let data = tempfile::tempdir().expect("a folder for the data");
    let (mut service, port) = serve(data.path());
    let idle = memory(&service, "VmRSS:");
    let began = Instant::now();
    std::thread::scope(|scope| {
        for connection in 0..connections {
            scope.spawn(move || {
                let mut stream = connect(port);
                for batch in (connection..submissions / BATCH).step_by(usize::try_from(connections).unwrap_or(1)) {
                    let items: Vec<Value> = (0..BATCH).map(|item| submission(batch * BATCH + item, keyed)).collect();
                    let answer = ask(&mut stream, "/v1/submissions:batch", &json!({"submissions": items}));
                    let items = answer["items"].as_array().expect("items");
                    let refused = items.iter().find(|item| item["status"] != 200);
                    assert!(refused.is_none() && items.len() as u64 == BATCH, "{refused:?}");
                }
            });
        }
    });
    let took = began.elapsed().as_secs_f64();
    let after = memory(&service, "VmRSS:");
    let most = memory(&service, "VmHWM:");
    let first = |port| {
        let batch = json!({"submissions": [submission(0, true)]});
        let answer = ask(&mut connect(port), "/v1/submissions:batch", &batch);
        answer["items"][0].clone()
    };
    let before = keyed.then(|| first(port));
    end(&mut service);
    let disk = ["sled", "keys"].map(|name| bytes(&data.path().join(name)) / 1_048_576.0);
    let began = Instant::now();
    let (mut service, port) = serve(data.path());
    let started = began.elapsed().as_secs_f64();
    if let Some(before) = before {
        assert!(
            before["replayed"] == true && before["body"]["payload"]["passenger_count"] == 1,
            "{before}"
        );
        assert_eq!(first(port), before, "answered as before");
    }
    let restarted = memory(&service, "VmRSS:");
    end(&mut service);
    format!(
        "{} | {took:.0} | {idle:.0}, {most:.0}, {after:.0} | {:.0}, {:.0} | {started:.1}, {restarted:.0}",
        if keyed { "with keys" } else { "without" },
        disk[0],
        disk[1]
    )
}

fn submission(number: u64, keyed: bool) -> Value {
    let mut item = json!({"schema_id": "flight_booking_v1", "payload": {"origin": "PEK", "destination": "SHA",
        "departure_date": "2026-05-04", "cabin_class": "business", "passenger_count": 1 + number % 9}});
    if keyed {
        item["idempotency_key"] = json!(format!("booking-{number}"));
    }
    item
}

fn serve(data: &Path) -> (Child, u16) {
    start(
        Command::new(env!("CARGO_BIN_EXE_otherwise"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("OTHERWISE_SERVER__CLIENT_REQUESTS_PER_S", "0")
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data),
    )
}

/// Ends the service in order, so that it writes what it holds.
fn end(service: &mut Child) {
    let ended = Command::new("kill").args(["-TERM", &service.id().to_string()]).status();
    assert!(ended.is_ok_and(|ended| ended.success()));
    service.wait().expect("it ends");
}

fn connect(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).expect("a connection")
}

fn ask(stream: &mut TcpStream, path: &str, body: &Value) -> Value {
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nOtherwise-Client: load\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("written");
    let mut buffer = vec![0_u8; 256 * 1024];
    let mut filled = 0;
    let length = loop {
        if let Some(length) = whole(&buffer[..filled]) {
            break length;
        }
        let read = stream.read(&mut buffer[filled..]).expect("read");
        assert!(read > 0, "the server closed the connection");
        filled += read;
    };
    assert!(buffer.starts_with(b"HTTP/1.1 200"), "it is granted");
    let head = buffer
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .expect("a head")
        + 4;
    serde_json::from_slice(&buffer[head..length]).expect("JSON")
}

/// A figure of a process's memory, in MiB.
fn memory(process: &Child, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib / 1_024.0
}

/// Bytes of the files in a folder.
#[expect(clippy::cast_precision_loss, reason = "megabytes")]
fn bytes(folder: &Path) -> f64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.metadata().map_or(0, |about| about.len()))
        .sum::<u64>() as f64
}
