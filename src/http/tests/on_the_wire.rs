//! What a client sees that speaks to the listener byte by byte.

use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use socket2::Domain;
use socket2::Socket;
use socket2::Type;
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
        Listening::set(open, Server::default())
    }

    fn set(open: bool, settings: Server) -> Listening {
        let runtime = Runtime::new().expect("a runtime");
        let settings = Server {
            workers: 1,
            disconnect_timeout_s: 1,
            ..settings
        };
        let (server, addresses) = {
            let _within = runtime.enter();
            listener::serve(
                &[SocketAddr::from(([127, 0, 0, 1], 0))],
                app_state(open),
                &settings,
                false,
            )
            .expect("a listener")
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
        "POST /v1/submissions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n50\r\n{}\r\n0\r\n\r\n",
        "x".repeat(80)
    );
    let chunked = listening.raw(&chunked);
    assert!(chunked.starts_with("HTTP/1.1 413"), "{chunked}");
    for (chunk, status) in [("2\r\n{}\r\n", 415), ("", 400)] {
        let post = "POST /v1/scenarios:negotiate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked";
        let untyped = listening.raw(&format!("{post}\r\n\r\n{chunk}0\r\n\r\n"));
        assert!(untyped.starts_with(&format!("HTTP/1.1 {status}")), "{untyped}");
    }
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
        for (request, status) in requests.iter().zip(["200", "503", "503"]) {
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

/// A connection from an address of this machine.
fn connect_from(source: [u8; 4], to: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from((source, 0)).into()).expect("bound");
    socket.connect(&to.into()).expect("connected");
    let stream = TcpStream::from(socket);
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .expect("a timeout");
    stream
}

/// Whether a connection is answered on; one that was closed is not.
fn is_answered(stream: &mut TcpStream) -> bool {
    let sent = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut begin = [0; 12];
    sent.is_ok() && stream.read_exact(&mut begin).is_ok() && begin.starts_with(b"HTTP/1.1 200")
}

#[test]
fn one_peer_cannot_hold_every_connection() {
    let listening = Listening::set(
        true,
        Server {
            connections_max: 16,
            ..Server::default()
        },
    );
    let (one, other) = ([127, 0, 0, 2], [127, 0, 0, 3]);
    let mut held: Vec<TcpStream> = (0..14).map(|_| connect_from(one, listening.address)).collect();
    assert!(
        held.iter_mut().all(is_answered),
        "all but the last eighth is for whoever comes first"
    );
    for _ in 0..20 {
        assert!(
            !is_answered(&mut connect_from(one, listening.address)),
            "it holds its share"
        );
    }
    let mut others: Vec<TcpStream> = (0..2).map(|_| connect_from(other, listening.address)).collect();
    assert!(others.iter_mut().all(is_answered), "another peer comes in");
    listening.stop();
}
