//! One process with many scenarios and clients against the same process with few: memory, start and latency.
//!
//! `cargo bench --bench scale` serves one scenario to ten clients, then 1,000 to 100,000, each on a new folder and loopback, and
//! prints what each took, after what a micro-cluster takes by itself and how long it takes to look at many and to place a fragment among them. `-- --scenarios 1000 --clients 100000 --connections 8 --other-percent 2` are the defaults.
//! After that, or alone with `-- views`, what each view of the console takes with ten scenarios and with many; there
//! `--hosted 10000 --clusters 20000` are the defaults.

mod pools;

mod serving;

mod views;

use std::hint::black_box;
use std::path::Path;
use std::process::Child;
use std::process::Command;
use std::time::Duration;
use std::time::Instant;

use engine::pool::analysis::Analysis;
use engine::pool::assignment::Arriving;
use engine::pool::assignment::Embedded;
use engine::pool::micro::FragmentId;
use engine::pool::policy::PoolPolicy;
use engine::pool::recluster;
use engine::pool::state::Pool;
use engine::scenario::policy::Policy;
use engine::scenario::state::State;
use mimalloc::MiMalloc;
use otherwise::app::stats;
use schema::name::ClientId;
use schema::time::At;
use schema::time::Day;
use serde_json::Value;
use serde_json::json;
use text::vector::Vector;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use serving::start;
use serving::whole;

/// The program's own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const FLIGHT: &str = include_str!("../schemas/flight_booking_v1.json");
/// Calls of each kind whose time is measured, one after the other.
const TIMED: u64 = 2_000;
/// Orders in which the list of scenarios is asked for, in turn.
const SORTS: [&str; 4] = ["waiting", "other_ratio", "payloads", "name"];
/// Fragments that are placed to see how long one takes.
const PLACED: usize = 200;
/// Days of which a ledger is read where a policy says nothing else.
const DAYS: i64 = 30;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    if !arguments.iter().any(|argument| argument == "views") {
        measure_all(&runtime, &arguments);
    }
    views::measure(&runtime, &arguments);
}

/// A number after its name among the arguments.
fn whole_number(arguments: &[String], name: &str, default: u64) -> u64 {
    let at = arguments.iter().position(|argument| argument == name);
    let value = at.and_then(|at| arguments.get(at + 1)?.parse().ok());
    value.unwrap_or(default)
}

fn measure_all(runtime: &tokio::runtime::Runtime, arguments: &[String]) {
    let number = |name, default| whole_number(arguments, name, default);
    let connections = number("--connections", 8);
    let other_percent = number("--other-percent", 2);
    println!("micro-clusters, said by so many clients each | KiB for one");
    let mut held = Vec::new();
    for (micros, said) in [(4_000, 1), (1_000, 50)] {
        println!("{micros}, {said} | {:.1}", for_one(micros, said, &mut held));
    }
    println!("micro-clusters, read of them | s: look, ms: copy, one fragment, figures");
    for (micros, read) in [(1_000, 0), (10_000, 0), (20_000, 0), (20_000, 10_000)] {
        println!("{micros}, {read} | {}", looked(micros, read));
    }
    println!("clients of each of {DAYS} days | ms: figures of their ledger");
    for clients in [100, 20_000] {
        println!("{clients} | {:.1}", counted(clients));
    }
    println!(
        "scenarios, clients | first start s, start s | resident MiB: idle, after all came, after a start | ms median/p99: template, submission, list of 50 with figures"
    );
    for (scenarios, clients) in [(1, 10), (number("--scenarios", 1_000), number("--clients", 100_000))] {
        let load = Load {
            scenarios,
            clients,
            connections,
            other_percent,
        };
        println!("{}", measure(runtime, load));
    }
}

/// What a pool adds to this process, in KiB for each micro-cluster. Earlier ones stay, so that none gets the room of another.
fn for_one(micros: usize, said: u64, earlier: &mut Vec<Pool>) -> f64 {
    let before = resident(std::process::id());
    let pool = pools::pool_of(micros, said, 0);
    let added = resident(std::process::id()) - before;
    let held = f64::from(u32::try_from(pool.micros.len()).unwrap_or(u32::MAX));
    earlier.push(pool);
    added * 1_024.0 / held
}

/// What reclustering a pool takes, the copy that it is made of, and one more fragment.
fn looked(micros: usize, read: usize) -> String {
    let pool = pools::pool_of(micros, 1, read);
    let policy = PoolPolicy::default();
    let began = Instant::now();
    let copy = pool.clone();
    let copied = began.elapsed();
    let began = Instant::now();
    let groups = recluster::recluster(&copy, &policy).groups.len();
    let looked = began.elapsed();
    let fragments: Vec<Vector> = pools::vectors().take(PLACED).collect();
    let began = Instant::now();
    for (submission, vector) in (u64::MAX / 2..).zip(fragments) {
        let embedded = Embedded {
            reading: Analysis::default(),
            vector,
            covered_by: None,
        };
        let id = FragmentId { submission, ordinal: 0 };
        let arriving = Arriving {
            fragments: vec![(id, embedded)],
            client: None,
            at: At(0),
            requested: false,
        };
        black_box(pool.assign(&[arriving], &policy));
    }
    let placed = began.elapsed() / u32::try_from(PLACED).unwrap_or(1);
    let state = State {
        pool,
        ..State::default()
    };
    let began = Instant::now();
    black_box(stats::read(&state, At(0), &Policy::default()));
    let figured = began.elapsed();
    format!(
        "{:.2}, {:.1}, {:.3}, {:.1} ({groups} clusters)",
        looked.as_secs_f64(),
        copied.as_secs_f64() * 1_000.0,
        placed.as_secs_f64() * 1_000.0,
        figured.as_secs_f64() * 1_000.0
    )
}

/// What reading the figures of a scenario takes to which all of its clients came every day.
fn counted(clients: u64) -> f64 {
    let mut state = State::default();
    for day in 0..DAYS {
        for number in 0..clients {
            let client = ClientId::parse(&format!("client-{number}"));
            let at = Day(day).start();
            state.ledger.submitted(at, client.as_ref(), false, true, &[], &[]);
        }
    }
    let began = Instant::now();
    black_box(stats::read(&state, Day(DAYS - 1).start(), &Policy::default()));
    began.elapsed().as_secs_f64() * 1_000.0
}

#[derive(Clone, Copy)]
struct Load {
    scenarios: u64,
    clients: u64,
    connections: u64,
    other_percent: u64,
}

fn measure(runtime: &tokio::runtime::Runtime, load: Load) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    shelve(folder.path(), load.scenarios);
    let (mut service, port, first_start) = serve(folder.path());
    settle(port, load.scenarios);
    let idle = resident(service.id());
    // Every client fetches a template and submits once.
    runtime.block_on(all(port, load.connections, load.clients, move |turn| {
        let fetch = format!(
            "GET /v1/scenarios/s{}/template HTTP/1.1\r\nOtherwise-Client: c{turn}\r\n",
            turn % load.scenarios
        );
        vec![fetch, submission(load, turn, turn % 100 < load.other_percent)]
    }));
    settle(port, load.scenarios);
    let full = resident(service.id());
    let template = runtime.block_on(timed(port, load, |load, turn| {
        format!(
            "GET /v1/scenarios/s{}/template HTTP/1.1\r\nOtherwise-Client: c{}\r\n",
            turn % load.scenarios,
            turn % load.clients
        )
    }));
    let submission = runtime.block_on(timed(port, load, |load, turn| submission(load, turn, false)));
    let listed = runtime.block_on(timed(port, load, |_, turn| {
        let sort = SORTS[usize::try_from(turn).unwrap_or(0) % SORTS.len()];
        format!("GET /v1/scenarios?stats=true&sort={sort}&limit=50 HTTP/1.1\r\n")
    }));
    end(&mut service);
    let (mut service, port, start) = serve(folder.path());
    settle(port, load.scenarios);
    let again = resident(service.id());
    end(&mut service);
    format!(
        "{}, {} | {first_start:.2}, {start:.2} | {idle:.0}, {full:.0}, {again:.0} | {:.2}/{:.2}, {:.2}/{:.2}, {:.2}/{:.2}",
        load.scenarios, load.clients, template.0, template.1, submission.0, submission.1, listed.0, listed.1
    )
}

/// The shipped flight booking under as many names.
fn shelve(folder: &Path, scenarios: u64) {
    let schema_folder = folder.join("schemas");
    std::fs::create_dir(&schema_folder).expect("a folder for the schemas");
    for number in 0..scenarios {
        let file = schema_folder.join(format!("s{number}.json"));
        std::fs::write(file, template(number).to_string()).expect("written");
    }
}

fn template(number: u64) -> Value {
    let mut template: Value = serde_json::from_str(FLIGHT).expect("a template");
    template["scenario"] = json!(format!("s{number}"));
    template["schema_id"] = json!(format!("s{number}_v1"));
    template
}

/// The service, its port, and the seconds until it was ready.
fn serve(folder: &Path) -> (Child, u16, f64) {
    let began = Instant::now();
    let (child, port) = start(
        Command::new(env!("CARGO_BIN_EXE_otherwise"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("OTHERWISE_LOG__LEVEL", "error")
            .env("OTHERWISE_SERVER__CLIENT_REQUESTS_PER_S", "0")
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.join("data"))
            .arg("--schemas")
            .arg(folder.join("schemas")),
    );
    (child, port, began.elapsed().as_secs_f64())
}

/// Waits until every template was read and every fragment embedded.
fn settle(port: u16, scenarios: u64) {
    let until = Instant::now() + Duration::from_secs(600);
    let get = |path: &str| -> Value {
        let url = format!("http://127.0.0.1:{port}{path}");
        ureq::get(&url)
            .call()
            .expect("an answer")
            .body_mut()
            .read_json()
            .expect("JSON")
    };
    while get("/v1/scenarios?q=anything")["unread"] != 0
        || (0..scenarios).any(|number| get(&format!("/v1/scenarios/s{number}/pool"))["pending"] != 0)
    {
        assert!(Instant::now() < until, "it does not settle");
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Resident memory in MiB.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("its status");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .expect("its memory");
    let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib / 1_024.0
}

fn end(service: &mut Child) {
    let stopped = Command::new("kill").arg(service.id().to_string()).status();
    assert!(stopped.is_ok_and(|status| status.success()));
    service.wait().expect("it ends");
}

fn submission(load: Load, turn: u64, with_other: bool) -> String {
    let mut payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"});
    if with_other {
        payload["other"] = json!("a window seat please");
    }
    let body = json!({"schema_id": format!("s{}_v1", turn % load.scenarios), "payload": payload});
    with_body("/v1/submissions", turn % load.clients, &body)
}

/// What a client posts there: head and body, parted by a zero.
fn with_body(path: &str, client: u64, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nOtherwise-Client: c{client}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\u{0}{body}",
        body.len()
    )
}

/// Makes the requests of each of so many turns, over some connections at once.
async fn all<R>(port: u16, connections: u64, turns: u64, requests: R)
where
    R: Fn(u64) -> Vec<String> + Copy + Send + 'static,
{
    let mut tasks = Vec::new();
    for first in 0..connections {
        tasks.push(tokio::spawn(async move {
            let mut line = Line::open(port).await;
            for turn in (first..turns).step_by(usize::try_from(connections).unwrap_or(1)) {
                for request in requests(turn) {
                    line.call(&request).await;
                }
            }
        }));
    }
    for task in tasks {
        task.await.expect("a connection ends well");
    }
}

/// Median and 99th percentile in milliseconds.
async fn timed(port: u16, load: Load, request: impl Fn(Load, u64) -> String) -> (f64, f64) {
    let mut line = Line::open(port).await;
    let mut times = Vec::new();
    for turn in 0..TIMED {
        // Spread over scenarios and clients, in an order that repeats none soon.
        let request = request(load, turn.wrapping_mul(7_919));
        let began = Instant::now();
        line.call(&request).await;
        times.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    median_and_99th(times)
}

fn median_and_99th(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[times.len() * 99 / 100])
}

/// One connection.
struct Line {
    stream: TcpStream,
    port: u16,
    buffer: Vec<u8>,
}

impl Line {
    async fn open(port: u16) -> Line {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Line {
            stream,
            port,
            buffer: vec![0; 64 * 1024],
        }
    }

    /// Sends a request whose head and body are parted by a zero, and waits for its answer.
    async fn call(&mut self, request: &str) {
        let (head, body) = request.split_once('\u{0}').unwrap_or((request, ""));
        let bytes = format!("{head}Host: 127.0.0.1:{}\r\n\r\n{body}", self.port);
        self.stream.write_all(bytes.as_bytes()).await.expect("written");
        let mut filled = 0;
        loop {
            if filled == self.buffer.len() {
                self.buffer.resize(filled * 2, 0);
            }
            let read = self.stream.read(&mut self.buffer[filled..]).await.expect("read");
            assert!(read > 0, "the server closed the connection");
            filled += read;
            if whole(&self.buffer[..filled]).is_some() {
                let answered = String::from_utf8_lossy(&self.buffer[..filled]);
                assert!(answered.starts_with("HTTP/1.1 20"), "{answered}");
                return;
            }
        }
    }
}
