//! The program as a shell sees it: folders that cannot be, replays, what is no HTTP, and how it ends.

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::process::Output;
use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::support::child::Folder;
use crate::support::child::program;

const FLIGHT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flight_booking_v1.json");
const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models");

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_data_folder_that_cannot_be_one_ends_with_2_and_is_not_called_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("written");
    let within = file.join("data").display().to_string();
    let file = file.display().to_string();
    for (data, why) in [
        (file.as_str(), "it is a file"),
        (within.as_str(), "it cannot be made"),
        ("/proc/otherwise", "it cannot be made"),
        ("/proc/self", "it cannot be written to"),
    ] {
        let output = run(&["serve", "--listen", "127.0.0.1:0", "--data", data, "--schemas", ""]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains(why) && said.contains(data) && said.contains("--data"),
            "{said}"
        );
        assert!(!said.contains("damage") && !said.contains("restore"), "{said}");
    }
}

#[test]
fn a_replay_counts_what_was_refused_and_says_where_time_runs_backwards() {
    let folder = tempfile::tempdir().expect("a folder");
    let stream = folder.path().join("s.jsonl");
    let line = |at: &str, payload: &str| {
        format!(r#"{{"at": "{at}", "client": "a", "schema_id": "flight_booking_v1", "payload": {payload}}}"#)
    };
    let right = r#"{"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}"#;
    let long = "a window seat please. ".repeat(20_000);
    let lines = [
        line("2026-05-02T09:00:00Z", right),
        line("2026-05-02T09:00:00Z", right),
        line("2026-05-02T08:59:59Z", "{}"),
        String::new(),
        line(
            "2026-05-02T09:00:00Z",
            &right.replace('}', &format!(r#", "other": "{long}"}}"#)),
        ),
        line(
            "2026-05-02T09:00:00Z",
            &format!("{}{}{}", r#"{"other":"#.repeat(200), "1}", "}".repeat(199)),
        ),
    ];
    std::fs::write(&stream, lines.join("\n")).expect("written");
    let stream = stream.display().to_string();
    let output = run(&["replay", "--template", FLIGHT, "--models", MODELS, "--stream", &stream]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("time runs backwards in 1 of the stream's lines, first in line 3"),
        "{said}"
    );
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(
        (&report["lines"], &report["accepted"], &report["refused"]),
        (&5.into(), &2.into(), &3.into())
    );
    // By the limits of the service: what it would not take teaches nothing here.
    let refusals = report["refusals"].as_array().expect("a list").iter();
    let told = refusals.map(|refusal| (refusal["line"].as_u64(), refusal["why"].as_str().unwrap_or_default()));
    let told: Vec<(Option<u64>, &str)> = told.collect();
    assert_eq!(
        told[1..],
        [
            (Some(5), "a body may have 262144 bytes (server.body_bytes_max)"),
            (
                Some(6),
                "payload: the text nests more than 128 levels deep, at byte 1152"
            )
        ]
    );
    assert!(told[0].0 == Some(3) && told[0].1.starts_with("/payload/"), "{told:?}");
    assert_eq!(report["clusters"], json!([]));
    for named in [
        "3 of the stream's lines were refused",
        "\n  line 3: /payload/",
        "\n  line 5: a body may have",
        "\n  line 6: ",
    ] {
        assert!(said.contains(named), "{said}");
    }
}

#[test]
fn what_is_no_http_is_answered_bare_and_is_no_error_of_the_service() {
    let folder = Folder::new(&[]);
    let serving = folder.serve(&[]);
    let address = serving.base().strip_prefix("http://").expect("an address").to_owned();
    let huge = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n",
        "a".repeat(200_000)
    );
    for (sent, status) in [
        ("GET /readyz HTTP/1.1\r\n\r\n", "400"),
        ("GET /readyz HTTP/7\r\nHost: localhost\r\n\r\n", "400"),
        ("G\u{1}T /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
        ("GET /readyz HTTP/1.1\r\nHost localhost\r\n\r\n", "400"),
        (huge.as_str(), "431"),
    ] {
        let mut stream = TcpStream::connect(&address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        // It may have answered and closed before all of it was written.
        let _ = stream.write_all(sent.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let shown: String = sent.chars().take(40).collect();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status}")) && body.is_empty(),
            "{shown:?}: {answer:?}"
        );
    }
    assert_eq!(serving.stop().code(), Some(0));
    let log = std::fs::read_to_string(folder.path("log")).expect("the log");
    assert!(!log.contains("ERROR"), "{log}");
}

#[test]
fn a_replay_tells_what_was_learned_with_the_lines_and_values_it_was_learned_from_and_who_read_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let said = [
        "a window seat please",
        "A window seat",
        "window seat",
        "a window seat, thanks",
        "I would like a window seat",
        "by the window: a window seat",
    ];
    let line = |number: usize| {
        let (day, hour) = (1 + number / 4, 9 + number % 4);
        let payload = json!({"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "other": said[number % said.len()]});
        let line = json!({"at": format!("2026-05-{day:02}T{hour:02}:00:00Z"), "client": format!("agent-{}", number % 5),
            "schema_id": "flight_booking_v1", "payload": payload});
        line.to_string()
    };
    let lines: Vec<String> = (0..20).map(line).collect();
    std::fs::write(at("s.jsonl"), lines.join("\n")).expect("written");
    std::fs::write(at("policy.toml"), "[evolution]\nautonomy = \"review\"\n").expect("written");
    // The fourth time that it is asked; before that the engine has proposed what it read itself.
    let answer = json!({"wishes": [{"ids": ["0.0", "1.0", "2.0", "3.0", "4.0", "6.0", "7.0"], "name": "window_seat",
        "title": "Window seat", "type": "boolean", "description": "A seat by the window."}]});
    std::fs::create_dir(at("answers")).expect("a folder");
    std::fs::write(at("answers/4.answer.json"), answer.to_string()).expect("written");
    let (stream, policy, reader) = (at("s.jsonl"), at("policy.toml"), format!("play:{}", at("answers")));
    let base = ["replay", "--template", FLIGHT, "--models", MODELS];
    let given = ["--stream", &stream, "--policy", &policy];
    let report = |more: &[&str]| -> Value {
        let output = run(&[&base[..], &given, more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", self::said(&output));
        serde_json::from_slice(&output.stdout).expect("a report")
    };
    let alone = report(&[]);
    let key = &alone["keys"][0];
    assert_eq!(
        (&key["key_name"], &key["name_from"]),
        (&json!("window_a_seat"), &json!("phrase"))
    );
    assert_eq!((key.get("title"), key.get("read_by")), (None, None));
    assert_eq!(
        key["examples"][0],
        json!({"text": "A window seat", "value": "true", "line": 1})
    );
    assert_eq!(
        key["fragments"][0],
        json!({"line": 0, "text": "a window seat please", "value": "true"})
    );
    assert_eq!(
        key["stages"],
        json!([{"at": "2026-05-03T10:00:00Z", "to": "awaiting_approval", "reason": "needs_approval"}])
    );
    let read = report(&["--reader", &reader]);
    let keys = read["keys"].as_array().expect("a list");
    let named: Vec<(&Value, &Value, &Value)> = keys
        .iter()
        .map(|key| (&key["key_name"], &key["title"], &key["read_by"]))
        .collect();
    // What the engine proposed before is made anew.
    assert_eq!(
        named,
        [(&json!("window_seat"), &json!("Window seat"), &json!("recorded"))]
    );
}

#[test]
fn an_ordinary_stop_warns_of_nothing_whatever_is_under_way() {
    let folder = Folder::new(&[]);
    for round in 0..3 {
        let serving = folder.serve(&[]);
        let caller = serving.caller();
        let busy = std::thread::spawn(move || {
            let ada = [("Otherwise-Client", "ada")];
            for number in 0..1_000 {
                let id = format!("s{round}_{number}");
                let created = caller.call("POST", "/v1/sessions", &ada, &format!(r#"{{"session_id": "{id}"}}"#));
                let at = format!("/v1/sessions/{id}");
                let written = caller.call("PUT", &format!("{at}/keys/a"), &ada, r#"{"value": "one"}"#);
                let deleted = caller.call("DELETE", &at, &ada, "");
                if [created, written, deleted].iter().any(Option::is_none) {
                    break;
                }
            }
        });
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(serving.stop().code(), Some(0));
        busy.join().expect("it was busy");
    }
    let log = std::fs::read_to_string(folder.path("log")).expect("the log");
    let warned = |line: &&str| (line.contains(" WARN ") && !line.contains("running OPEN")) || line.contains("ERROR");
    let warned: Vec<&str> = log.lines().filter(warned).collect();
    assert!(log.contains("INFO") && warned.is_empty(), "{warned:#?}");
}
