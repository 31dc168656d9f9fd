//! What shells and programs rely on: completions that a shell loads, one shape of answers, and the same exit codes with it.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::process::Output;

use serde_json::Value;
use serde_json::json;
use store::embedded::Sled;
use store::journal::Journal;
use store::lock::Lock;
use store::options::StoreOptions;

use crate::support::appends::append;
use crate::support::appends::fact;
use crate::support::appends::name;
use crate::support::child::program;

fn run(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program runs")
}

#[test]
fn bash_loads_the_completions_and_completes_a_command_and_an_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("otherwise.bash");
    let written = run(&["completions", "bash"]);
    assert_eq!(written.status.code(), Some(0));
    std::fs::write(&script, &written.stdout).expect("written");
    let checked = Command::new("bash").arg("-n").arg(&script).output().expect("bash runs");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let completed = |words: &str, index: usize| {
        let ask = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD={index}; _otherwise otherwise \"${{COMP_WORDS[{index}]}}\" \
             otherwise; echo \"${{COMPREPLY[*]}}\"",
            script.display()
        );
        let said = Command::new("bash").args(["-c", &ask]).output().expect("bash runs");
        String::from_utf8_lossy(&said.stdout).trim().to_owned()
    };
    assert_eq!(completed("otherwise ver", 1), "verify");
    assert_eq!(completed("otherwise demo --see", 2), "--seed");
    assert_eq!(completed("otherwise completions fi", 2), "fish");
    assert_eq!(run(&["completions", "csh"]).status.code(), Some(2));
}

#[test]
fn every_answer_to_a_program_has_one_shape_and_the_exit_code_of_the_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let schemas = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas");
    let flight = format!("{schemas}/flight_booking_v1.json");
    let hotel = format!("{schemas}/hotel_booking_v1.json");
    let broken = here.join("broken.json").display().to_string();
    std::fs::write(&broken, r#"{"schema_id": "a_v1"}"#).expect("written");
    let texts = here.join("texts.jsonl").display().to_string();
    std::fs::write(&texts, "{\"text\": \"a window seat\"}\n").expect("written");
    let empty = here.join("empty").display().to_string();
    std::fs::create_dir(&empty).expect("a folder");
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    for (arguments, command, ending, code, member) in [
        (&["lint", &flight, "--min-score", "0"][..], "lint", "well", 0, "files"),
        (&["lint", &broken], "lint", "findings", 1, "files"),
        (&["lint", "/no/such/file"], "lint", "usage", 2, "error"),
        (&["diff", &flight, &flight], "diff", "well", 0, "changes"),
        (
            &["diff", &flight, &hotel, "--mode", "full"],
            "diff",
            "findings",
            1,
            "changes",
        ),
        (&["diff", &flight, &broken], "diff", "findings", 1, "error"),
        (&["diff", &flight, "/no/such/file"], "diff", "usage", 2, "error"),
        (
            &["diff", &flight, &flight, "--mode", "sideways"],
            "diff",
            "usage",
            2,
            "error",
        ),
        (&["verify", "--data", &empty], "verify", "usage", 2, "error"),
        (
            &["replay", "--texts", &texts, "--models", models],
            "replay",
            "well",
            0,
            "report",
        ),
        (
            &["replay", "--texts", &texts, "--models", &empty],
            "replay",
            "usage",
            2,
            "error",
        ),
        (&["demo", "--keep", &broken], "demo", "usage", 2, "error"),
        (&["demo", "--models", &empty], "demo", "usage", 2, "error"),
        (&["conformance", "--list"], "conformance", "well", 0, "checks"),
        (
            &["conformance", "--url", "http://127.0.0.1:1"],
            "conformance",
            "fault",
            3,
            "error",
        ),
        (
            &["conformance", "--url", "http://127.0.0.1:1", "--only", "Z-000"],
            "conformance",
            "usage",
            2,
            "error",
        ),
    ] {
        let words = run(arguments);
        assert_eq!(words.status.code(), Some(code), "{arguments:?}: {words:?}");
        let mut asked = arguments.to_vec();
        asked.push("--json");
        let told = run(&asked);
        assert_eq!(told.status.code(), Some(code), "{asked:?}: {told:?}");
        let document: Value = serde_json::from_slice(&told.stdout).expect("one document");
        let common = json!([document["command"], document["ending"], document["exit_code"]]);
        assert_eq!(common, json!([command, ending, code]), "{document}");
        assert!(!document[member].is_null(), "{member}: {document}");
        assert_eq!(
            document["error"].is_null(),
            told.stderr.is_empty() || member != "error",
            "{told:?}"
        );
    }
}

/// 2: asked wrongly, that is with an argument or a setting that cannot be, or a file or folder to be read that is not there or
/// has another form. 1: what was read is in its form, and something is wrong with it. 3: asked rightly, and the world broke.
#[test]
fn exit_codes_follow_one_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let written = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
        path(name)
    };
    let made = |name: &str| {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
        path(name)
    };
    let flight = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flight_booking_v1.json");
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let (absent, empty, served) = (path("absent"), made("empty"), path("served"));
    let garbage = written("garbage", "no JSON, no backup\n");
    let defective = written("defective.json", r#"{"schema_id": "a_v1"}"#);
    let shelf = made("shelf");
    written("shelf/a.json", "{");
    let flat = made("flat");
    written("flat/a.json", r#"{"schema_id": "a_v1"}"#);
    let line = r#"{"at": "2026-05-01T09:00:00Z", "client": "a", "schema_id": "flight_booking_v1", "payload": {}}"#;
    let stream = written("stream.jsonl", &format!("{line}\n"));
    let template = std::fs::read_to_string(flight).expect("a template");
    let marked = written("marked.json", &format!("\u{FEFF}{template}"));
    let marked_stream = written("marked.jsonl", &format!("\u{FEFF}{line}\n"));
    let wide = path("wide.json");
    let units = template.encode_utf16().flat_map(u16::to_le_bytes);
    std::fs::write(&wide, units.collect::<Vec<u8>>()).expect("written");
    let late = written("late.jsonl", &line.replace("2026-05-01T09:00:00Z", "yesterday"));
    let beyond = written(
        "beyond.jsonl",
        &line.replace("2026-05-01T09:00:00Z", "9999-12-31T00:00:00Z"),
    );
    let broken = written("broken.jsonl", &format!("{line}\n\n{{not json\n"));
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let _listening = TcpListener::bind(&taken);
    let (data, held) = (made("data"), made("held"));
    for store in [&data, &held] {
        let store = Sled::open(Path::new(store), StoreOptions::default()).expect("a store");
        append(&store, &name("a"), vec![fact(1, "x"); 5], None).expect("appended");
        store.close();
    }
    let _lock = Lock::take(Path::new(&held)).expect("the folder");
    let serve = |more: &[&str]| -> Vec<String> {
        let base = ["serve", "--models", models, "--data", &served];
        base.iter().chain(more).map(|word| (*word).to_owned()).collect()
    };
    let words = |line: &[&str]| -> Vec<String> { line.iter().map(|word| (*word).to_owned()).collect() };
    let replay = |template: &str, stream: &str| {
        words(&["replay", "--models", models, "--template", template, "--stream", stream])
    };
    for (arguments, code, says) in [
        (serve(&["--listen", "banana"]), 2, "banana"),
        (serve(&["--listen", "127.0.0.1:99999"]), 2, "99999"),
        (serve(&["--listen", "0.0.0.0:0"]), 2, "[[principals]]"),
        (
            serve(&["--listen", "127.0.0.1:0", "--schemas", &path("absent")]),
            2,
            "absent",
        ),
        (serve(&["--listen", "127.0.0.1:0", "--schemas", &shelf]), 2, "not JSON"),
        (
            serve(&["--listen", "127.0.0.1:0", "--schemas", &flat]),
            2,
            "not published",
        ),
        (serve(&["--listen", &taken, "--schemas", ""]), 3, "cannot listen"),
        (
            words(&[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--schemas",
                "",
                "--models",
                &empty,
                "--data",
                &path("new"),
            ]),
            2,
            "--models",
        ),
        (
            words(&[
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--schemas",
                "",
                "--models",
                models,
                "--data",
                &held,
            ]),
            3,
            "in use",
        ),
        (words(&["verify", "--data", &absent]), 2, "no store"),
        (words(&["verify", "--data", &data]), 0, "all whole"),
        (words(&["verify", "--data", &held]), 3, "in use"),
        (words(&["verify", "--backup", &absent]), 2, "absent"),
        (words(&["verify", "--backup", &garbage]), 1, "garbage"),
        (
            words(&["backup", "--data", &absent, "--out", &path("a.backup")]),
            2,
            "no store",
        ),
        (
            words(&["backup", "--data", &held, "--out", &path("a.backup")]),
            3,
            "in use",
        ),
        (
            words(&["backup", "--url", "nowhere", "--out", &path("a.backup")]),
            2,
            "--url must be",
        ),
        (
            words(&["backup", "--url", "http://127.0.0.1:1", "--out", &path("a.backup")]),
            3,
            "127.0.0.1:1",
        ),
        (
            words(&["restore", "--from", &absent, "--data", &path("b")]),
            2,
            "absent",
        ),
        (
            words(&["restore", "--from", &garbage, "--data", &path("b")]),
            1,
            "nothing was restored",
        ),
        (words(&["restore", "--from", &garbage, "--data", &data]), 2, "not empty"),
        (replay(flight, &stream), 0, "flight_booking"),
        (replay(flight, &absent), 2, "absent"),
        (replay(flight, &late), 2, "line 1: `at` is no RFC 3339 moment"),
        (replay(flight, &beyond), 2, "line 1: `at` must be a moment from"),
        (replay(flight, &broken), 2, "line 3, column 2: key must be a string"),
        (replay(flight, &garbage), 2, "line 1"),
        (replay(&marked, &marked_stream), 0, "flight_booking"),
        (replay(&wide, &stream), 2, "UTF-16"),
        (replay(flight, &wide), 2, "UTF-16"),
        (words(&["lint", &wide]), 2, "UTF-16"),
        (replay(&garbage, &stream), 2, "not JSON"),
        (replay(&defective, &stream), 1, "Z-031"),
        (words(&["replay", "--models", models, "--texts", &garbage]), 2, "line 1"),
        (
            words(&["replay", "--texts", &absent, "--report", &path("missing/x.json")]),
            2,
            "--report: there is no folder",
        ),
        (
            words(&["replay", "--models", &empty, "--texts", &garbage]),
            2,
            "--models",
        ),
        (words(&["lint", &garbage]), 2, "not JSON"),
        (words(&["lint", &defective]), 1, "cannot be published"),
        (words(&["diff", flight, &absent]), 2, "absent"),
        (words(&["diff", flight, &defective]), 1, "cannot be published"),
        (words(&["export", &absent, "--all"]), 2, "absent"),
        (words(&["export", &defective, "--all"]), 1, "cannot be published"),
        (words(&["audit", "--url", "nowhere"]), 2, "--url must be"),
        (words(&["audit", "--url", "http://127.0.0.1:99999"]), 2, "1 to 65535"),
        (words(&["conformance", "--url", "http://127.0.0.1:0"]), 2, "1 to 65535"),
        (words(&["mcp", "--url", "http://127.0.0.1:99999"]), 2, "1 to 65535"),
        (
            words(&["backup", "--url", "http://[::1]:65536", "--out", &path("never")]),
            2,
            "1 to 65535",
        ),
        (
            words(&["audit", "--url", "http://127.0.0.1:1", "--json"]),
            3,
            "127.0.0.1:1",
        ),
    ] {
        let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ended = run(&given);
        let said = [ended.stdout.as_slice(), ended.stderr.as_slice()].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(ended.status.code(), Some(code), "{given:?}: {said}");
        assert!(said.contains(says), "{given:?}: {said}");
        let advised = said.contains("in use") && said.contains("otherwise restore");
        assert!(!advised, "a folder in use is not damaged: {said}");
    }
}

#[test]
fn wrong_usage_is_told_to_a_program_with_its_command_and_its_argument() {
    let told = |arguments: &[&str]| -> Value {
        let ended = run(arguments);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(!ended.stderr.is_empty(), "a person is told too");
        serde_json::from_slice(&ended.stdout).expect("one document")
    };
    for (arguments, command, argument) in [
        (&["restore", "--json"][..], "restore", "--from <FILE>"),
        (&["diff", "--json", "a.json"], "diff", "<NEW>"),
        (
            &["diff", "a", "b", "--mode", "sideways", "--json"],
            "diff",
            "--mode <MODE>",
        ),
        (
            &["lint", "--min-score", "101", "a", "--json"],
            "lint",
            "--min-score <SCORE>",
        ),
        (&["verify", "--everything", "--json"], "verify", "--everything"),
        (
            &["backup", "--out", "a", "--data", "b", "--url", "c", "--json"],
            "backup",
            "--data <FOLDER>",
        ),
        (&["verfy", "--json"], "otherwise", "verfy"),
    ] {
        let document = told(arguments);
        assert_eq!(
            (&document["command"], &document["ending"]),
            (&json!(command), &json!("usage")),
            "{document}"
        );
        let error = document["error"].as_str().expect("a sentence");
        assert!(
            !error.ends_with(':') && error.contains(argument),
            "{arguments:?}: {document}"
        );
        let named = document["arguments"].as_array().expect("a list");
        assert!(named.contains(&json!(argument)), "{arguments:?}: {document}");
    }
}

#[test]
fn nothing_but_a_backup_goes_where_a_backup_goes() {
    for (arguments, said) in [
        (
            &["backup", "--data", "d", "--out", "-", "--json"][..],
            "exclude each other",
        ),
        (&["backup", "--data", "d", "--out=-", "--json"], "exclude each other"),
        (
            &["backup", "--data", "d", "--url", "u", "--out", "-", "--json"],
            "--url",
        ),
        (&["backup", "--data", "d", "--url", "u", "--out=-", "--json"], "--url"),
    ] {
        let ended = run(arguments);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stdout.is_empty(), "{arguments:?}: {ended:?}");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(told.contains(said), "{arguments:?}: {told}");
    }
}

#[test]
fn the_lint_goes_on_after_a_file_that_it_cannot_read() {
    let flight = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flight_booking_v1.json");
    let ended = run(&["lint", "/no/such/file", flight, "--min-score", "0"]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("flight_booking_v1 scores"));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("/no/such/file"));
    let told = run(&["lint", "/no/such/file", flight, "--json"]);
    assert_eq!(told.status.code(), Some(2));
    let document: Value = serde_json::from_slice(&told.stdout).expect("one document");
    assert!(
        document["error"]
            .as_str()
            .is_some_and(|why| why.contains("/no/such/file"))
    );
    let files = document["files"].as_array().expect("files");
    assert!(
        files.len() == 2 && files[0]["error"].is_string() && files[1]["score"].is_u64(),
        "{document}"
    );
}

#[test]
fn templates_are_read_from_standard_input_as_well() {
    let flight = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flight_booking_v1.json");
    let piped = |arguments: &[&str]| {
        let file = std::fs::File::open(flight).expect("the schema");
        program(arguments).stdin(file).output().expect("the program runs")
    };
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let linted = piped(&["lint", "-", "--min-score", "0"]);
    assert_eq!(linted.status.code(), Some(0), "{linted:?}");
    assert!(said(&linted).starts_with("-: flight_booking_v1 scores"), "{linted:?}");
    assert_eq!(piped(&["diff", flight, "-"]).status.code(), Some(0));
    assert_eq!(piped(&["export", "-", "--format", "markdown"]).status.code(), Some(0));
    let nothing = run(&["lint", "-"]);
    assert_eq!(nothing.status.code(), Some(2), "{nothing:?}");
    for command in ["lint", "diff", "export", "backup"] {
        let help = said(&run(&[command, "--help"]));
        assert!(help.contains("- for standard"), "{help}");
    }
}

#[test]
fn how_far_a_command_is_stands_on_a_terminal_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts = folder.path().join("texts.jsonl").display().to_string();
    std::fs::write(&texts, "{\"text\": \"a window seat\"}\n").expect("written");
    let data = folder.path().join("data").display().to_string();
    let store = Sled::open(Path::new(&data), StoreOptions::default()).expect("a store");
    append(&store, &name("a"), vec![fact(1, "x"); 5], None).expect("appended");
    store.close();
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    for arguments in [
        &["replay", "--texts", &texts, "--models", models][..],
        &["verify", "--data", &data],
    ] {
        let ended = run(arguments);
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        assert!(!String::from_utf8_lossy(&ended.stderr).contains(" of "), "{ended:?}");
    }
}

#[test]
fn an_export_says_which_forms_it_may_take_and_which_language_it_is_in() {
    let flight = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flight_booking_v1.json");
    let without = run(&["export", flight]);
    assert_eq!(without.status.code(), Some(2));
    let said = String::from_utf8_lossy(&without.stderr);
    assert!(said.contains("--format") && said.contains("--all"), "{said}");
    let told = |tag: &str| {
        let ended = run(&["export", flight, "--format", "markdown", "--language", tag]);
        assert_eq!(ended.status.code(), Some(0));
        String::from_utf8_lossy(&ended.stderr).into_owned()
    };
    assert!(told("xx").contains("xx") && told("xx").contains("en"), "{}", told("xx"));
    for tag in ["en", "EN-us"] {
        assert!(!told(tag).contains("language"), "{}", told(tag));
    }
}
