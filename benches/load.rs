//! Durable submissions, and reads and durable writes of shared context, against bare actix-web routes: the same body, the same
//! connections, one machine, one run.
//!
//! `cargo bench --bench load` starts both servers as processes of their own on loopback, loads them in turn, first the one and a
//! second later the other, since a machine that others use as well is now fast and now slow, and prints the requests per second
//! of each round, their ratio, and its median and middle half. `-- --seconds 1 --connections 64 --rounds 10` are the defaults.
//!
//! Beside each ratio stand the microseconds of CPU that a request costs, by group of threads, since these swing less than a rate
//! does on a machine that others use. Clients are a hundred, and what stands in `other` are a thousand texts: the few are said
//! often and the many seldom, as Zipf has it, so that no cache of vectors answers for the model.
//!
//! `-- --backlog 100000` measures durable submissions without `other` beside so many that wait to be read instead: first with none,
//! then with those, and the same where the model answers nothing. The service stands still while the bare route is loaded, so that what
//! is learned meanwhile takes nothing of what it is compared with.

mod cpu;
mod gone;
mod serving;
mod wishes;

use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix_web::App;
use actix_web::HttpResponse;
use actix_web::HttpServer;
use actix_web::web;
use rustix::process::Pid;
use rustix::process::Signal;
use rustix::process::kill_process;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use cpu::Cost;
use cpu::Usage;
use serving::start;
use serving::whole;
use wishes::Wishes;

const PLAIN: &str = r#"{"schema_id":"flight_booking_v1","payload":{"origin":"PEK","destination":"SHA","departure_date":"2026-05-04","cabin_class":"business","passenger_count":1}}"#;
/// What an agent writes, about 100 tokens.
const WRITE: &str = r#"{"action":"write","key":"findings_summary","value":"Connection pool size reduced from 200 to 20 in the config change of February 18. Thread starvation under load; the staging test confirmed that restoring it to 200 resolves the throughput. Nothing else changed in that release. The change came with the new defaults of the deployment template, so that other services that use it may be hit too; see ticket OPS-1742 for the list of those."}"#;
/// As long as the replies of the service.
const WROTE: &str = r#"{"key":"findings_summary","version":123456,"written_by":"orchestrator","written_at":"2026-02-20T15:45:00.123Z"}"#;
const ENTRY: &str = r#"{"key":"findings_summary","value":"Connection pool size reduced from 200 to 20 in the config change of February 18. Thread starvation under load; the staging test confirmed that restoring it to 200 resolves the throughput. Nothing else changed in that release. The change came with the new defaults of the deployment template, so that other services that use it may be hit too; see ticket OPS-1742 for the list of those.","written_by":"orchestrator","written_at":"2026-02-20T15:45:00.123Z","version":123456}"#;
/// As long as the reply of the service.
const CONSTANT: &str = r#"{"payload":{"origin":"PEK","destination":"SHA","departure_date":"2026-05-04","cabin_class":"business","passenger_count":1},"exchange":{"submission_id":"flight_booking.1234","schema_id":"flight_booking_v1","revision":1,"status":"accepted","defaults_applied":[],"warnings":[]}}"#;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if arguments.first().is_some_and(|argument| argument == "bare") {
        bare();
        return;
    }
    if let [first, data, ..] = &arguments[..]
        && first == "gone"
    {
        gone::serve(Path::new(data));
        return;
    }
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1))
            .and_then(|value| value.parse().ok())
            .unwrap_or(default)
    };
    let (seconds, rounds) = (number("--seconds", 1), number("--rounds", 10));
    let connections = usize::try_from(number("--connections", 64)).unwrap_or(64);
    let backlog = number("--backlog", 0);
    let this = std::env::current_exe().expect("this program");
    let (mut bare, bare_port) = start(Command::new(this).arg("bare"));
    let bare_at = Server {
        process: bare.id(),
        port: bare_port,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let run = |server: Server, work: Work, connections: usize, cost: &mut Cost| {
        runtime.block_on(load(server, work, connections, Duration::from_secs(seconds), cost))
    };
    // Each beside the other, in turn.
    let beside = |server: Server, work: Work, bare: Work, name: &str| {
        let (mut costs, mut bare_costs) = (Cost::default(), Cost::default());
        let rates: Vec<(f64, f64)> = (0..rounds)
            .map(|_| {
                let standing = (backlog > 0).then(|| Standing::make(server));
                let bare = run(bare_at, bare, connections, &mut bare_costs);
                drop(standing);
                (bare.rate, run(server, work, connections, &mut costs).rate)
            })
            .collect();
        tell(name, &rates);
        println!("{name}: {}", costs.line());
        println!("{name}: bare {}", bare_costs.line());
        // Patience of the service for others that wait shows where there is none.
        let alone = run(server, work, 1, &mut Cost::default());
        println!(
            "{name}: one connection: p50 {:.2} ms, p99 {:.2} ms",
            alone.ms(50),
            alone.ms(99)
        );
    };
    println!("{connections} connections, {rounds} rounds of {seconds} s each way");
    if backlog > 0 {
        let plain = Work::Submit { other_of_ten: 0 };
        let beside_a_backlog = |server: Server, model: &str| {
            beside(server, plain, Work::Bare, &format!("{model}, nothing waits"));
            let (mut round, mut said) = (0, 0);
            while waiting(server.port) < backlog {
                let sent = run(server, Work::Wish { round }, connections, &mut Cost::default());
                said += sent.took_us.len();
                round += 1;
            }
            println!(
                "{model}: {} wait before, of {said} that were sent",
                waiting(server.port)
            );
            beside(server, plain, Work::Bare, &format!("{model}, beside a backlog"));
            println!("{model}: {} wait after", waiting(server.port));
        };
        with_service(|server| beside_a_backlog(server, "the model at work"));
        let data = tempfile::tempdir().expect("a folder for the data");
        let this = std::env::current_exe().expect("this program");
        let mut gone = Command::new(this);
        gone.current_dir(env!("CARGO_MANIFEST_DIR"))
            .arg("gone")
            .arg(data.path());
        with_process(&mut gone, |server| beside_a_backlog(server, "the model gone"));
        let _ = bare.kill();
        let _ = bare.wait();
        return;
    }
    with_service(|server| {
        beside(server, Work::Healthz, Work::Bare, "healthz");
        beside(server, Work::Validate, Work::Bare, "validation");
        beside(
            server,
            Work::Submit { other_of_ten: 0 },
            Work::Bare,
            "durable submission",
        );
    });
    with_service(|server| {
        beside(
            server,
            Work::Submit { other_of_ten: 3 },
            Work::Bare,
            "durable submission, 30 % with other",
        );
    });
    with_service(|server| {
        begin_sessions(server.port, connections);
        beside(server, Work::Read, Work::BareRead, "read of shared context");
        beside(server, Work::Write, Work::BareWrite, "durable write of shared context");
    });
    let _ = bare.kill();
    let _ = bare.wait();
}

/// A server that is loaded.
#[derive(Clone, Copy)]
struct Server {
    process: u32,
    port: u16,
}

/// What a round gave.
struct Round {
    /// Requests a second.
    rate: f64,
    /// How long each took, in microseconds, shortest first.
    took_us: Vec<u32>,
}

impl Round {
    fn ms(&self, percent: usize) -> f64 {
        let place = (self.took_us.len() * percent / 100).min(self.took_us.len().saturating_sub(1));
        self.took_us.get(place).map_or(0.0, |us| f64::from(*us) / 1_000.0)
    }
}

/// Prints the requests per second of the bare route and of the service, and their ratios.
fn tell(name: &str, rates: &[(f64, f64)]) {
    let ratios: Vec<f64> = rates.iter().map(|(bare, ours)| ours / bare).collect();
    let each: Vec<String> = rates
        .iter()
        .map(|(bare, ours)| format!("{ours:.0}/{bare:.0}"))
        .collect();
    println!("{name}: {}", each.join(" "));
    println!(
        "{name}: median ratio {:.3}, middle half {:.3} to {:.3}",
        cpu::quarter(&ratios, 2),
        cpu::quarter(&ratios, 1),
        cpu::quarter(&ratios, 3)
    );
}

/// Starts the service on an empty folder, lets it read what it hosts with the model, loads it, ends it.
fn with_service(run: impl FnOnce(Server)) {
    let data = tempfile::tempdir().expect("a folder for the data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_otherwise"));
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // A hundred clients load it as fast as it answers.
        .env("OTHERWISE_SERVER__CLIENT_REQUESTS_PER_S", "0")
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data.path());
    with_process(&mut command, |server| {
        settle(server.port);
        run(server);
    });
}

/// Starts a server, loads it, ends it.
fn with_process(command: &mut Command, run: impl FnOnce(Server)) {
    let (mut service, port) = start(command);
    run(Server {
        process: service.id(),
        port,
    });
    let _ = service.kill();
    let _ = service.wait();
}

/// A server that stands still until this is dropped.
struct Standing(Option<Pid>);

impl Standing {
    fn make(server: Server) -> Standing {
        let process = i32::try_from(server.process).ok().and_then(Pid::from_raw);
        if let Some(process) = process {
            kill_process(process, Signal::STOP).expect("it stands still");
        }
        Standing(process)
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        if let Some(process) = self.0 {
            kill_process(process, Signal::CONT).expect("it goes on");
        }
    }
}

/// Submissions that wait to be read, as the metrics say.
fn waiting(port: u16) -> u64 {
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let page = ask(&mut stream, &request(port, "GET", "/metrics", 0, ""));
    let counts = page
        .lines()
        .filter(|line| line.starts_with("otherwise_submissions_pending{"));
    let counts = counts.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    counts.sum()
}

/// What a connection asks, again and again.
#[derive(Clone, Copy)]
enum Work {
    Bare,
    BareRead,
    BareWrite,
    Healthz,
    Validate,
    Submit {
        other_of_ten: usize,
    },
    /// Of a wish that nobody has said before, in this round or an earlier one.
    Wish {
        round: usize,
    },
    /// Of a session of its own, as each piece of work has one.
    Read,
    Write,
}

/// How many different requests a connection sends before it begins again: each of the wishes has its chance.
const REQUESTS: usize = 1_000;
/// How many clients speak, over all connections.
const CLIENTS: usize = 100;

impl Work {
    /// The requests of a connection, made before the clock runs.
    fn requests(self, port: u16, connection: usize) -> Vec<Vec<u8>> {
        let mut wishes = Wishes::new(connection);
        let each = (0..REQUESTS).map(|turn| match self {
            Work::Wish { round } => {
                let number = (round * 64 + connection) * REQUESTS + turn;
                let body = PLAIN.trim_end_matches("}}").to_owned()
                    + &format!(r#","other":"{}, as for booking {number}"}}}}"#, wishes.next());
                request(port, "POST", "/v1/submissions", number % CLIENTS, &body)
            }
            Work::Submit { other_of_ten } if turn % 10 < other_of_ten => {
                let other = format!(r#","other":"{}"}}}}"#, wishes.next());
                let body = PLAIN.trim_end_matches("}}").to_owned() + &other;
                // Whose turn it is differs by connection, so that all clients speak at once.
                request(
                    port,
                    "POST",
                    "/v1/submissions",
                    (connection * 7 + turn) % CLIENTS,
                    &body,
                )
            }
            _ => self.request(port, connection, turn),
        });
        each.collect()
    }

    fn request(self, port: u16, connection: usize, turn: usize) -> Vec<u8> {
        let session = format!("/v1/sessions/load-{connection}");
        let (method, path, body) = match self {
            Work::Bare => ("POST", "/", PLAIN),
            Work::BareRead => ("GET", "/read", ""),
            Work::BareWrite => ("POST", "/write", WRITE),
            Work::Healthz => ("GET", "/healthz", ""),
            Work::Validate => ("POST", "/v1/submissions:validate", PLAIN),
            Work::Submit { .. } | Work::Wish { .. } => ("POST", "/v1/submissions", PLAIN),
            Work::Read => ("GET", &*format!("{session}/keys/findings_summary"), ""),
            Work::Write => ("POST", &*format!("{session}/context"), WRITE),
        };
        // A session is its owner's alone.
        let client = match self {
            Work::Read | Work::Write => 0,
            _ => (connection * 7 + turn) % CLIENTS,
        };
        request(port, method, path, client, body)
    }
}

fn request(port: u16, method: &str, path: &str, client: usize, body: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOtherwise-Client: load-{client}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A session for each connection, with one key in it.
fn begin_sessions(port: u16, connections: usize) {
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    for connection in 0..connections {
        let create = format!(r#"{{"session_id":"load-{connection}"}}"#);
        ask(&mut stream, &request(port, "POST", "/v1/sessions", 0, &create));
        ask(&mut stream, &Work::Write.request(port, connection, 0));
    }
}

/// Waits until the model has read what is hosted, as a search says. Else a start would be measured, not the service.
fn settle(port: u16) {
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let search = request(port, "GET", "/v1/scenarios?q=a%20flight", 0, "");
    while !ask(&mut stream, &search).contains("\"unread\":0") {
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// One request that is granted, and its answer.
fn ask(stream: &mut std::net::TcpStream, bytes: &[u8]) -> String {
    let mut buffer = vec![0_u8; 256 * 1024];
    stream.write_all(bytes).expect("written");
    let mut filled = 0;
    while whole(&buffer[..filled]).is_none() {
        let read = stream.read(&mut buffer[filled..]).expect("read");
        assert!(read > 0, "the server closed the connection");
        filled += read;
    }
    assert!(buffer.starts_with(b"HTTP/1.1 20"), "it is granted");
    String::from_utf8_lossy(&buffer[..filled]).into_owned()
}

/// Routes that return constants.
fn bare() {
    actix_web::rt::System::new().block_on(async {
        let server = HttpServer::new(|| {
            let constant = |text: &'static str| {
                move |body: web::Bytes| async move {
                    drop(body);
                    HttpResponse::Ok().content_type("application/json").body(text)
                }
            };
            App::new()
                .route("/", web::post().to(constant(CONSTANT)))
                .route("/write", web::post().to(constant(WROTE)))
                .route("/read", web::get().to(constant(ENTRY)))
        })
        .disable_signals()
        .bind("127.0.0.1:0")
        .expect("a port");
        let port = server.addrs().first().expect("an address").port();
        println!("ready http://127.0.0.1:{port}");
        server.run().await.expect("a server");
    });
}

async fn load(server: Server, work: Work, connections: usize, time: Duration, cost: &mut Cost) -> Round {
    let stop = Arc::new(AtomicBool::new(false));
    let served = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for connection in 0..connections {
        tasks.push(tokio::spawn(one(
            server.port,
            work,
            connection,
            Arc::clone(&stop),
            Arc::clone(&served),
        )));
    }
    let warm = Duration::from_millis(500);
    tokio::time::sleep(warm).await;
    let (before, used_before) = (served.load(Ordering::Relaxed), Usage::read(server.process));
    let clock = tokio::time::Instant::now();
    tokio::time::sleep(time).await;
    let count = served.load(Ordering::Relaxed) - before;
    let elapsed = clock.elapsed().as_secs_f64();
    cost.add(&used_before, &Usage::read(server.process), count);
    stop.store(true, Ordering::Relaxed);
    let mut took_us = Vec::new();
    for task in tasks {
        took_us.extend(task.await.expect("a connection ends well"));
    }
    took_us.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = count as f64 / elapsed;
    Round { rate, took_us }
}

/// One connection: a request, its answer, the next request; returns how long each took.
async fn one(port: u16, work: Work, connection: usize, stop: Arc<AtomicBool>, served: Arc<AtomicU64>) -> Vec<u32> {
    let requests = work.requests(port, connection);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    stream.set_nodelay(true).expect("no delay");
    let mut buffer = vec![0_u8; 16 * 1024];
    let mut took_us = Vec::new();
    for bytes in requests.iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let clock = std::time::Instant::now();
        stream.write_all(bytes).await.expect("written");
        let mut filled = 0;
        loop {
            let read = stream.read(&mut buffer[filled..]).await.expect("read");
            assert!(read > 0, "the server closed the connection");
            filled += read;
            if let Some(length) = whole(&buffer[..filled]) {
                assert!(
                    buffer.starts_with(b"HTTP/1.1 200"),
                    "{}",
                    String::from_utf8_lossy(&buffer[..length])
                );
                break;
            }
        }
        took_us.push(u32::try_from(clock.elapsed().as_micros()).unwrap_or(u32::MAX));
        served.fetch_add(1, Ordering::Relaxed);
    }
    took_us
}
