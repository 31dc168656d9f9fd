//! Servers that answer anything: what is read is bounded in bytes, time and depth, and fails as an error of the client.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use otherwise_client::Error;
use otherwise_client::Options;
use otherwise_client::Otherwise;
use serde_json::Value;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::net::TcpStream;

/// Levels of JSON that no parser of the client follows.
const DEEP: usize = 100_000;
/// Pieces of an answer that is larger than any that is read: 48 MiB.
const ENDLESS: usize = 768;

/// An answer: a head, then pieces with a pause before each.
struct Script {
    first: Vec<u8>,
    piece: Vec<u8>,
    pieces: usize,
    pause: Duration,
}

fn template() -> Value {
    json!({"schema_id": "tram_v1", "scenario": "tram", "version": "1.0.0", "revision": 1, "language": "en", "keys": [], "key_digests": {}})
}

fn head(status: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n\r\n").into_bytes()
}

fn whole(body: &str) -> Script {
    Script {
        first: [head("200 OK"), body.as_bytes().to_vec()].concat(),
        piece: Vec::new(),
        pieces: 0,
        pause: Duration::ZERO,
    }
}

fn dribble(first: Vec<u8>) -> Script {
    Script {
        first,
        piece: b"x".to_vec(),
        pieces: usize::MAX,
        pause: Duration::from_millis(50),
    }
}

fn deep() -> String {
    format!("{}{}", "[".repeat(DEEP), "]".repeat(DEEP))
}

async fn send(mut stream: TcpStream, script: Script) -> std::io::Result<()> {
    stream.write_all(&script.first).await?;
    for _ in 0..script.pieces {
        tokio::time::sleep(script.pause).await;
        stream.write_all(&script.piece).await?;
    }
    Ok(())
}

/// A client of a server whose answer is a function of the request.
async fn client(serve: impl Fn(&str) -> Script + Send + 'static) -> Otherwise {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 65_536];
            let read = stream.read(&mut request).await.unwrap_or_default();
            let script = serve(&String::from_utf8_lossy(&request[..read]));
            tokio::spawn(send(stream, script));
        }
    });
    let options = Options {
        timeout: Some(Duration::from_secs(2)),
        sleep: Some(Arc::new(|_| Box::pin(std::future::ready(())))),
        ..Options::default()
    };
    Otherwise::new(&url, options).expect("a client")
}

#[tokio::test]
async fn an_answer_that_no_service_gives_is_an_error_of_the_client() {
    let endless = || Script {
        piece: vec![b'x'; 65_536],
        pieces: ENDLESS,
        ..whole("{\"a\":\"")
    };
    let below = || whole(&json!([template(), "x"]).to_string().replace("\"x\"", &deep()));
    let scripts: [fn() -> Script; 3] = [endless, || whole(&deep()), below];
    for (place, script) in scripts.into_iter().enumerate() {
        let tram = client(move |_| script()).await.scenario("tram");
        let failed = tram.template().await.expect_err("no template");
        assert!(matches!(failed, Error::Refused(_)), "{place}: {failed}");
        assert_eq!(failed.code(), Some("bad_answer"), "{place}");
    }
}

#[tokio::test]
async fn a_byte_a_moment_does_not_outlast_the_deadline_of_a_call() {
    let heads: [fn() -> Vec<u8>; 2] = [|| b"HTTP/1.1 200 OK\r\nX: ".to_vec(), || head("200 OK")];
    for first in heads {
        let tram = client(move |_| dribble(first())).await.scenario("tram");
        let failed = tram.template().await.expect_err("no template");
        assert_eq!(failed.code(), Some("unreachable"), "{failed}");
    }
}

#[tokio::test]
async fn a_follower_survives_an_event_that_cannot_be_read_and_a_refusal_without_an_end() {
    let came: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&came);
    let otherwise = client(move |request| {
        let Some((_, last)) = request.split_once("last-event-id: ") else {
            return whole(&template().to_string());
        };
        let mut came = seen.lock().expect("no panic");
        came.push(last.chars().take_while(char::is_ascii_digit).collect());
        let update = r#"{"revision": 8, "schema_id": "tram_v1", "patches": [], "withdrawn_keys": []}"#;
        match came.len() {
            1 => whole(&format!(
                "retry: {}\nid: 7\nevent: update\ndata: {}\n\n",
                u64::MAX,
                deep()
            )),
            2 => Script {
                piece: vec![b'x'; 65_536],
                pieces: ENDLESS,
                ..whole("id: 9\nevent: update\ndata: ")
            },
            3 => dribble(head("503 Busy")),
            _ => whole(&format!("id: 8\nevent: update\ndata: {update}\n\n")),
        }
    })
    .await;
    let mut changes = otherwise.scenario("tram").changes().await.expect("a revision");
    assert_eq!(changes.next().await.expect("an update").revision, 8);
    // What cannot be read is passed over, and what has no end is asked for again.
    assert_eq!(*came.lock().expect("no panic"), ["1", "7", "7", "7"]);
}

#[tokio::test]
async fn a_list_without_an_end_is_left() {
    let row = json!({"scenario": "a", "schema_id": "a_v1", "version": "1.0.0", "revision": 1, "description": null});
    for (rows, count) in [(1_000, 10_000), (0, 0)] {
        let page = json!({"scenarios": vec![row.clone(); rows], "next": "a"}).to_string();
        let otherwise = client(move |_| whole(&page)).await;
        assert_eq!(otherwise.scenarios(None).await.expect("a list").len(), count);
    }
}
