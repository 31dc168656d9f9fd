//! What a client sees that speaks to the listener byte by byte.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use tokio::runtime::Runtime;

use super::app_state;
use crate::config::service::Server;
use crate::http::listener;

/// A listener that runs.
struct Listening {
    runtime: Runtime,
    handle: ServerHandle,
    address: SocketAddr,
}

impl Listening {
    fn start(open: bool) -> Listening {
        let runtime = Runtime::new().expect("a runtime");
        let settings = Server {
            workers: 1,
            disconnect_timeout_s: 1,
            ..Server::default()
        };
        let (server, addresses) = {
            let _within = runtime.enter();
            listener::serve(&[SocketAddr::from(([127, 0, 0, 1], 0))], app_state(open), &settings).expect("a listener")
        };
        let handle = server.handle();
        runtime.spawn(server);
        Listening {
            runtime,
            handle,
            address: addresses[0],
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("connected");
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .expect("a timeout");
        stream
    }

    /// Sends bytes and reads all that is answered until the connection ends.
    fn raw(&self, bytes: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes.as_bytes()).expect("written");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    fn stop(self) {
        self.runtime.block_on(self.handle.stop(false));
    }
}

/// One answer with a length: its head in small letters, and its body.
fn answer(reader: &mut BufReader<TcpStream>) -> (String, String) {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(
            reader.read_line(&mut head).expect("read"),
            0,
            "the connection ended: {head}"
        );
    }
    let head = head.to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("a body");
    (head, String::from_utf8(body).expect("text"))
}

#[test]
fn on_the_wire_heads_have_no_body_and_slow_bodies_are_ended() {
    let listening = Listening::start(true);
    let head = listening.raw("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    assert!(head.to_lowercase().contains("content-length: 15"), "{head}");
    let slow = listening.raw(
        "POST /v1/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nContent-Type: application/json\r\n\r\n{",
    );
    assert!(
        slow.starts_with("HTTP/1.1 408") && slow.contains("body_timeout"),
        "{slow}"
    );
    let large = listening.raw(
        "POST /v1/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\nContent-Type: application/json\r\n\r\n{",
    );
    assert!(
        large.starts_with("HTTP/1.1 413") && large.contains("too_large"),
        "{large}"
    );
    let chunked = format!(
        "POST /v1/submissions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{}\r\n0\r\n\r\n",
        "x".repeat(80)
    );
    let chunked = listening.raw(&chunked);
    assert!(chunked.starts_with("HTTP/1.1 413"), "{chunked}");
    listening.stop();
}

#[test]
fn an_offer_to_speak_another_protocol_is_passed_over_and_the_connection_ends() {
    const JAVA: &str =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n";
    const BROWSER: &str = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n";
    let listening = Listening::start(true);
    for offer in [JAVA, BROWSER, "connection: upgrade\r\nupgrade: TLS/1.2\r\n"] {
        let host = "Host: localhost\r\nContent-Type: application/json\r\n";
        let requests = [
            format!("GET /healthz HTTP/1.1\r\n{host}{offer}\r\n"),
            format!("POST /v1/submissions HTTP/1.1\r\n{host}{offer}Content-Length: 2\r\n\r\n{{}}"),
            format!(
                "POST /v1/submissions HTTP/1.1\r\n{host}{offer}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n"
            ),
        ];
        // What offers WebSocket brings no body.
        let brought = if offer == BROWSER { 1 } else { requests.len() };
        for (request, status) in requests.iter().zip(["200", "503", "503"]).take(brought) {
            let answer = listening.raw(request).to_lowercase();
            assert!(answer.starts_with(&format!("http/1.1 {status}")), "{request}{answer}");
            assert!(
                !answer.contains("upgrade") && answer.contains("connection: close"),
                "{request}{answer}"
            );
        }
    }
    listening.stop();
}

#[test]
fn a_body_that_will_not_be_taken_is_refused_before_it_is_asked_for() {
    const ASKS: &str = "Content-Type: application/json\r\nExpect: 100-continue\r\n";
    let asked = |open: bool, request: &str, headers: &str, length: usize| {
        let listening = Listening::start(open);
        let mut reader = BufReader::new(listening.connect());
        let head = format!("{request} HTTP/1.1\r\nHost: localhost\r\n{ASKS}{headers}Content-Length: {length}\r\n\r\n");
        reader.get_mut().write_all(head.as_bytes()).expect("written");
        let first = answer(&mut reader);
        let told = if first.0.starts_with("http/1.1 100") {
            reader.get_mut().write_all(&vec![b' '; length]).expect("written");
            answer(&mut reader)
        } else {
            assert!(
                first.0.contains("connection: close") && first.0.contains("x-request-id"),
                "{}",
                first.0
            );
            first.clone()
        };
        drop(reader);
        listening.stop();
        let code = serde_json::from_str::<serde_json::Value>(&told.1).expect("a problem")["code"].clone();
        (first.0.starts_with("http/1.1 100"), code)
    };
    for (open, request, headers, length, comes, code) in [
        (true, "POST /v1/submissions", "", 64, true, "not_ready"),
        (true, "POST /v1/submissions", "", 65, false, "too_large"),
        (
            true,
            "PUT /v1/namespaces/default/schemas/a%5Fv1",
            "",
            65,
            false,
            "too_large",
        ),
        (true, "POST /rpc", "", 65, false, "too_large"),
        (true, "POST /mcp", "", 65, false, "too_large"),
        (
            true,
            "POST /v1/submissions",
            "Origin: https://evil.example\r\n",
            1,
            false,
            "bad_origin",
        ),
        (true, "POST /v1/nothing", "", 1, false, "not_found"),
        (true, "PUT /v1/submissions", "", 1, true, "method_not_allowed"),
        (false, "POST /v1/submissions", "", 1, false, "unauthenticated"),
        (
            false,
            "PUT /v1/schemas/a_v1",
            "X-API-Key: client\r\n",
            1,
            false,
            "forbidden",
        ),
        (
            false,
            "PUT /v1/schemas/a_v1",
            "X-API-Key: operator\r\n",
            1,
            true,
            "not_ready",
        ),
        (
            false,
            "POST /v1/submissions",
            "X-API-Key: client\r\n",
            65,
            false,
            "too_large",
        ),
        (
            false,
            "POST /v1/submissions",
            "X-API-Key: client\r\n",
            2,
            true,
            "not_ready",
        ),
    ] {
        let told = asked(open, request, headers, length);
        assert_eq!(told, (comes, code.into()), "{request} {headers}{length}");
    }
}
