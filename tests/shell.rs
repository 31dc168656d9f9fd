//! What shells and programs rely on: completions that a shell loads, one shape of answers, and the same exit codes with it.

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::process::Output;

use serde_json::Value;
use serde_json::json;
use store::journal::Journal;
use store::journal_store::JournalStore;
use store::lock::Lock;
use store::options::StoreOptions;

use crate::support::appends;
use crate::support::appends::append;
use crate::support::appends::fact;
use crate::support::child::program;

const FLIGHT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flight_booking_v1.json");
const HOTEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/hotel_booking_v1.json");
const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models");

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
    assert_eq!(completed("otherwise veri", 1), "verify");
    assert_eq!(completed("otherwise demo --see", 2), "--seed");
    assert_eq!(completed("otherwise completions fi", 2), "fish");
    assert_eq!(run(&["completions", "csh"]).status.code(), Some(2));
}

/// Places by the names that they have in the lines below.
struct Places(Vec<(&'static str, String)>);

impl Places {
    /// Runs a line of words, each `{name}` being a place.
    fn run(&self, line: &str) -> Output {
        let filled = |line: String, (name, place): &(&str, String)| line.replace(&format!("{{{name}}}"), place);
        let line = self.0.iter().fold(line.to_owned(), filled);
        run(&line.split(' ').collect::<Vec<&str>>())
    }
}

#[test]
fn every_answer_to_a_program_has_one_shape_and_the_exit_code_of_the_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("broken"), r#"{"schema_id": "a_v1"}"#).expect("written");
    std::fs::write(path("texts"), "{\"text\": \"a window seat\"}\n").expect("written");
    std::fs::write(path("tool"), r#"{"name": "a", "inputSchema": {"type": "object"}}"#).expect("written");
    std::fs::write(
        path("shape"),
        r#"{"type": "object", "properties": {"k": {"type": "string"}}}"#,
    )
    .expect("written");
    std::fs::create_dir(path("empty")).expect("a folder");
    let places = Places(vec![
        ("flight", FLIGHT.to_owned()),
        ("hotel", HOTEL.to_owned()),
        ("models", MODELS.to_owned()),
        ("broken", path("broken")),
        ("texts", path("texts")),
        ("empty", path("empty")),
        ("tool", path("tool")),
        ("shape", path("shape")),
    ]);
    for (line, code, member) in [
        ("lint {flight} --min-score 0", 0, "files"),
        ("lint {broken}", 1, "files"),
        ("lint /no/such/file", 2, "error"),
        ("diff {flight} {flight}", 0, "changes"),
        ("diff {flight} {hotel} --mode full", 1, "changes"),
        ("diff {flight} {broken}", 1, "error"),
        ("diff {flight} /no/such/file", 2, "error"),
        ("diff {flight} {flight} --mode sideways", 2, "error"),
        ("import {tool}", 0, "template"),
        ("import {flight} --scenario a", 1, "error"),
        ("import {shape} --scenario a --schema-id b", 0, "findings"),
        ("import {tool} --tool b", 2, "error"),
        ("import /no/such/file", 2, "error"),
        ("verify --data {empty}", 2, "error"),
        ("replay --texts {texts} --models {models}", 0, "report"),
        ("replay --texts {texts} --models {empty}", 2, "error"),
        ("demo --keep {broken}", 2, "error"),
        ("demo --models {empty}", 2, "error"),
        ("conformance --list", 0, "checks"),
        ("conformance --url http://127.0.0.1:1", 3, "error"),
        ("conformance --url http://127.0.0.1:1 --only Z-000", 2, "error"),
    ] {
        let words = places.run(line);
        assert_eq!(words.status.code(), Some(code), "{line}: {words:?}");
        let told = places.run(&format!("{line} --json"));
        assert_eq!(told.status.code(), Some(code), "{line}: {told:?}");
        let document: Value = serde_json::from_slice(&told.stdout).expect("one document");
        let command = line.split(' ').next();
        let ending = ["well", "findings", "usage", "fault"][usize::try_from(code).expect("small")];
        let common = json!([document["command"], document["ending"], document["exit_code"]]);
        assert_eq!(common, json!([command, ending, code]), "{document}");
        assert!(!document[member].is_null(), "{member}: {document}");
        let is_said = !told.stderr.is_empty() && member == "error";
        assert_eq!(document["error"].is_null(), !is_said, "{told:?}");
    }
}

/// 2: asked wrongly, that is with an argument or a setting that cannot be, or a file or folder to be read that is not there or
/// has another form. 1: what was read is in its form, and something is wrong with it. 3: asked rightly, and the world broke.
#[test]
fn exit_codes_follow_one_rule() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut places = vec![
        ("flight", FLIGHT.to_owned()),
        ("models", MODELS.to_owned()),
        ("taken", taken.local_addr().expect("an address").to_string()),
    ];
    let template = std::fs::read_to_string(FLIGHT).expect("a template");
    let line = r#"{"at": "2026-05-01T09:00:00Z", "client": "a", "schema_id": "flight_booking_v1", "payload": {}}"#;
    let at = |moment: &str| line.replace("2026-05-01T09:00:00Z", moment);
    for name in ["empty", "data", "held"] {
        std::fs::create_dir(path(name)).expect("a folder");
        places.push((name, path(name)));
    }
    for (name, text) in [
        ("garbage", "no JSON, no backup\n".to_owned()),
        ("defective", r#"{"schema_id": "a_v1"}"#.to_owned()),
        ("misspelt", "[server]\nlissten = \"127.0.0.1:0\"\n".to_owned()),
        ("stream", format!("{line}\n")),
        ("marked", format!("\u{FEFF}{template}")),
        ("marked_stream", format!("\u{FEFF}{line}\n")),
        ("late", at("yesterday")),
        ("beyond", at("9999-12-31T00:00:00Z")),
        ("broken", format!("{line}\n\n{{not json\n")),
    ] {
        std::fs::write(path(name), text).expect("written");
        places.push((name, path(name)));
    }
    let units = template.encode_utf16().flat_map(u16::to_le_bytes);
    std::fs::write(path("wide"), units.collect::<Vec<u8>>()).expect("written");
    for name in ["wide", "absent", "new", "restored", "out"] {
        places.push((name, path(name)));
    }
    for name in ["data", "held"] {
        let store = JournalStore::open(Path::new(&path(name)), StoreOptions::default()).expect("a store");
        append(&store, &appends::name("a"), vec![fact(1, "x"); 5], None).expect("appended");
        store.close();
    }
    let _lock = Lock::take(Path::new(&path("held"))).expect("the folder");
    places.push(("serve", format!("serve --models {MODELS} --data {}", path("served"))));
    places.push(("replay", format!("replay --models {MODELS} --template")));
    let places = Places(places);
    for (line, code, says) in [
        ("--help", 0, "Usage"),
        ("--version", 0, "otherwise"),
        ("serve --nonsense", 2, "--nonsense"),
        ("serve --config {misspelt}", 2, "server.listen"),
        ("serve --config {absent}", 2, "absent"),
        ("{serve} --listen banana", 2, "banana"),
        ("{serve} --listen 127.0.0.1:99999", 2, "99999"),
        ("{serve} --listen 0.0.0.0:0", 2, "[[principals]]"),
        ("{serve} --listen 127.0.0.1:0 --schemas {absent}", 2, "absent"),
        ("{serve} --listen {taken} --schemas=", 3, "cannot listen on 127.0.0.1"),
        (
            "serve --listen 127.0.0.1:0 --schemas= --models {empty} --data {new}",
            2,
            "--models",
        ),
        (
            "serve --listen 127.0.0.1:0 --schemas= --models {models} --data {held}",
            3,
            "in use",
        ),
        ("verify --data {absent}", 2, "no store"),
        ("verify --data {data}", 0, "all whole"),
        ("verify --data {held}", 3, "in use"),
        ("verify --backup {absent}", 2, "absent"),
        ("verify --backup {garbage}", 1, "garbage"),
        ("backup --data {absent} --out {out}", 2, "no store"),
        ("backup --data {held} --out {out}", 3, "in use"),
        ("backup --url nowhere --out {out}", 2, "--url must be"),
        ("backup --url http://127.0.0.1:1 --out {out}", 3, "127.0.0.1:1"),
        ("backup --url http://[::1]:65536 --out {out}", 2, "1 to 65535"),
        ("restore --from {absent} --data {restored}", 2, "absent"),
        ("restore --from {garbage} --data {restored}", 1, "nothing was restored"),
        ("restore --from {garbage} --data {data}", 2, "not empty"),
        ("replay", 2, "--t"),
        (
            "replay --texts {absent} --report {absent}/x.json",
            2,
            "--report: there is no folder",
        ),
        ("replay --models {models} --texts {garbage}", 2, "line 1"),
        ("replay --models {empty} --texts {garbage}", 2, "--models"),
        (
            "replay --template {flight} --stream {stream} --ask-model",
            2,
            "model.url",
        ),
        ("{replay} {flight} --stream {stream}", 0, "flight_booking"),
        ("{replay} {flight} --stream {absent}", 2, "absent"),
        (
            "{replay} {flight} --stream {late}",
            2,
            "line 1: `at` is no RFC 3339 moment",
        ),
        (
            "{replay} {flight} --stream {beyond}",
            2,
            "line 1: `at` must be a moment from",
        ),
        (
            "{replay} {flight} --stream {broken}",
            2,
            "line 3, column 2: key must be a string",
        ),
        ("{replay} {flight} --stream {garbage}", 2, "line 1"),
        ("{replay} {flight} --stream {wide}", 2, "UTF-16"),
        ("{replay} {marked} --stream {marked_stream}", 0, "flight_booking"),
        ("{replay} {wide} --stream {stream}", 2, "UTF-16"),
        ("{replay} {garbage} --stream {stream}", 2, "not JSON"),
        ("{replay} {defective} --stream {stream}", 1, "Z-031"),
        ("lint {wide}", 2, "UTF-16"),
        ("lint {garbage}", 2, "not JSON"),
        ("lint {defective}", 1, "cannot be published"),
        ("diff {flight} {absent}", 2, "absent"),
        ("diff {flight} {defective}", 1, "cannot be published"),
        ("export {absent} --all", 2, "absent"),
        ("export {defective} --all", 1, "cannot be published"),
        ("audit --url nowhere", 2, "--url must be"),
        ("audit --url http://127.0.0.1:99999", 2, "1 to 65535"),
        ("audit --url http://127.0.0.1:1 --json", 3, "127.0.0.1:1"),
        ("conformance --url http://127.0.0.1:0", 2, "1 to 65535"),
        ("mcp --url http://127.0.0.1:99999", 2, "1 to 65535"),
    ] {
        let ended = places.run(line);
        let said = [ended.stdout.as_slice(), ended.stderr.as_slice()].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(ended.status.code(), Some(code), "{line}: {said}");
        assert!(said.contains(says), "{line}: {said}");
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
    for (line, command, argument) in [
        ("restore --json", "restore", "--from <FILE>"),
        ("diff --json a.json", "diff", "<NEW>"),
        ("diff a b --mode sideways --json", "diff", "--mode <MODE>"),
        ("lint --min-score 101 a --json", "lint", "--min-score <SCORE>"),
        ("verify --everything --json", "verify", "--everything"),
        ("backup --out a --data b --url c --json", "backup", "--data <FOLDER>"),
        ("verfy --json", "otherwise", "verfy"),
    ] {
        let document = told(&line.split(' ').collect::<Vec<&str>>());
        let common = (&document["command"], &document["ending"]);
        assert_eq!(common, (&json!(command), &json!("usage")), "{document}");
        let error = document["error"].as_str().expect("a sentence");
        assert!(!error.ends_with(':') && error.contains(argument), "{line}: {document}");
    }
}

#[test]
fn nothing_but_a_backup_goes_where_a_backup_goes() {
    for (line, said) in [
        ("backup --data d --out - --json", "exclude each other"),
        ("backup --data d --out=- --json", "exclude each other"),
        ("backup --data d --url u --out - --json", "--url"),
        ("backup --data d --url u --out=- --json", "--url"),
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let ended = run(&arguments);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(ended.stdout.is_empty(), "{arguments:?}: {ended:?}");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(told.contains(said), "{arguments:?}: {told}");
    }
}

#[test]
fn the_lint_goes_on_after_a_file_that_it_cannot_read() {
    let ended = run(&["lint", "/no/such/file", FLIGHT, "--min-score", "0"]);
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("flight_booking_v1 scores"));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("/no/such/file"));
    let told = run(&["lint", "/no/such/file", FLIGHT, "--json"]);
    assert_eq!(told.status.code(), Some(2));
    let document: Value = serde_json::from_slice(&told.stdout).expect("one document");
    assert!(document["error"].to_string().contains("/no/such/file"), "{document}");
    let files = &document["files"];
    assert!(
        files[0]["error"].is_string() && files[1]["score"].is_u64(),
        "{document}"
    );
}

#[test]
fn templates_are_read_from_standard_input_as_well() {
    let piped = |arguments: &[&str]| {
        let file = std::fs::File::open(FLIGHT).expect("the schema");
        program(arguments).stdin(file).output().expect("the program runs")
    };
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let linted = piped(&["lint", "-", "--min-score", "0"]);
    assert_eq!(linted.status.code(), Some(0), "{linted:?}");
    assert!(said(&linted).starts_with("-: flight_booking_v1 scores"), "{linted:?}");
    assert_eq!(piped(&["diff", FLIGHT, "-"]).status.code(), Some(0));
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
    let store = JournalStore::open(Path::new(&data), StoreOptions::default()).expect("a store");
    append(&store, &appends::name("a"), vec![fact(1, "x"); 5], None).expect("appended");
    store.close();
    for arguments in [
        &["replay", "--texts", &texts, "--models", MODELS][..],
        &["verify", "--data", &data],
    ] {
        let ended = run(arguments);
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        assert!(!String::from_utf8_lossy(&ended.stderr).contains(" of "), "{ended:?}");
    }
}

#[test]
fn an_export_says_which_forms_it_may_take_and_which_language_it_is_in() {
    let without = run(&["export", FLIGHT]);
    assert_eq!(without.status.code(), Some(2));
    let said = String::from_utf8_lossy(&without.stderr);
    assert!(said.contains("--format") && said.contains("--all"), "{said}");
    let told = |tag: &str| {
        let ended = run(&["export", FLIGHT, "--format", "markdown", "--language", tag]);
        assert_eq!(ended.status.code(), Some(0));
        String::from_utf8_lossy(&ended.stderr).into_owned()
    };
    assert!(told("xx").contains("xx") && told("xx").contains("en"), "{}", told("xx"));
    for tag in ["en", "EN-us"] {
        assert!(!told(tag).contains("language"), "{}", told(tag));
    }
}
