//! Durable submissions against a bare actix-web route: the same body, the same connections, one machine, one run.
//!
//! `cargo bench --bench load` starts both servers as processes of their own on loopback, loads them in turn, and prints
//! requests per second and their ratio. `-- --seconds 5 --connections 64 --rounds 3` are the defaults.

mod serving;

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
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use serving::start;
use serving::whole;

const PLAIN: &str = r#"{"schema_id":"flight_booking_v1","payload":{"origin":"PEK","destination":"SHA","departure_date":"2026-05-04","cabin_class":"business","passenger_count":1}}"#;
const WITH_OTHER: &str = r#"{"schema_id":"flight_booking_v1","payload":{"origin":"PEK","destination":"SHA","departure_date":"2026-05-04","cabin_class":"business","passenger_count":1,"other":"a window seat please"}}"#;
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
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1))
            .and_then(|value| value.parse().ok())
            .unwrap_or(default)
    };
    let (seconds, rounds) = (number("--seconds", 5), number("--rounds", 3));
    let connections = usize::try_from(number("--connections", 64)).unwrap_or(64);
    let this = std::env::current_exe().expect("this program");
    let (mut bare, bare_port) = start(Command::new(this).arg("bare"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    println!("{connections} connections, {seconds} s a run, {rounds} rounds; each run of the service on a new folder");
    let mut plain_ratios = Vec::new();
    let mut other_ratios = Vec::new();
    for round in 1..=rounds {
        let run = |port, path: &'static str, other_of_ten| {
            runtime.block_on(load(
                port,
                path,
                other_of_ten,
                connections,
                Duration::from_secs(seconds),
            ))
        };
        let constant = run(bare_port, "/", 0);
        let plain = with_service(|port| run(port, "/v1/submissions", 0));
        let mixed = with_service(|port| run(port, "/v1/submissions", 3));
        plain_ratios.push(plain / constant);
        other_ratios.push(mixed / constant);
        println!(
            "round {round}: bare {constant:.0}/s, durable {plain:.0}/s ({:.3}), with other in 30 % {mixed:.0}/s ({:.3})",
            plain / constant,
            mixed / constant
        );
    }
    println!(
        "median ratio: durable {:.3}, with other in 30 % {:.3}",
        median(plain_ratios),
        median(other_ratios)
    );
    let _ = bare.kill();
    let _ = bare.wait();
}

/// Starts the service on an empty folder, loads it, ends it.
fn with_service(run: impl FnOnce(u16) -> f64) -> f64 {
    let data = tempfile::tempdir().expect("a folder for the data");
    let (mut service, port) = start(
        Command::new(env!("CARGO_BIN_EXE_otherwise"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            // One client alone loads it.
            .env("OTHERWISE_SERVER__CLIENT_REQUESTS_PER_S", "0")
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data.path()),
    );
    let rate = run(port);
    let _ = service.kill();
    let _ = service.wait();
    rate
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// A route that returns a constant.
fn bare() {
    actix_web::rt::System::new().block_on(async {
        let server = HttpServer::new(|| {
            App::new().route(
                "/",
                web::post().to(|body: web::Bytes| async move {
                    drop(body);
                    HttpResponse::Ok().content_type("application/json").body(CONSTANT)
                }),
            )
        })
        .disable_signals()
        .bind("127.0.0.1:0")
        .expect("a port");
        let port = server.addrs().first().expect("an address").port();
        println!("ready http://127.0.0.1:{port}");
        server.run().await.expect("a server");
    });
}

async fn load(port: u16, path: &'static str, other_of_ten: u64, connections: usize, time: Duration) -> f64 {
    let stop = Arc::new(AtomicBool::new(false));
    let served = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for _ in 0..connections {
        tasks.push(tokio::spawn(one(
            port,
            path,
            other_of_ten,
            Arc::clone(&stop),
            Arc::clone(&served),
        )));
    }
    let warm = Duration::from_millis(500);
    tokio::time::sleep(warm).await;
    let before = served.load(Ordering::Relaxed);
    let clock = tokio::time::Instant::now();
    tokio::time::sleep(time).await;
    let count = served.load(Ordering::Relaxed) - before;
    let elapsed = clock.elapsed().as_secs_f64();
    stop.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("a connection ends well");
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = count as f64 / elapsed;
    rate
}

/// One connection: a request, its answer, the next request.
async fn one(port: u16, path: &str, other_of_ten: u64, stop: Arc<AtomicBool>, served: Arc<AtomicU64>) {
    let request = |body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOtherwise-Client: load\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    };
    let (plain, with_other) = (request(PLAIN), request(WITH_OTHER));
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    stream.set_nodelay(true).expect("no delay");
    let mut buffer = vec![0_u8; 16 * 1024];
    let mut turn = 0_u64;
    while !stop.load(Ordering::Relaxed) {
        turn += 1;
        let bytes = if turn % 10 < other_of_ten { &with_other } else { &plain };
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
        served.fetch_add(1, Ordering::Relaxed);
    }
}
