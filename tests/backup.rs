//! Backups of the real service: made while it serves, restored, and served again.

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use otherwise::app::caller::Role;
use otherwise::app::restore;
use serde_json::Value;
use serde_json::json;
use store::journal::Draft;
use store::journal::Journal;
use store::journal::JournalName;
use store::journal_store::JournalStore;
use store::options::StoreOptions;

use crate::support::appends::append;
use crate::support::appends::fact;
use crate::support::appends::name;
use crate::support::child::Program;
use crate::support::child::program;
use crate::support::journals::journals;
use crate::support::patience::eventually;
use crate::support::principal::with_key;
use crate::support::server::Server;

const WISHES: [&str; 3] = [
    "a quiet cabin please",
    "a place for my bicycle",
    "vegetarian dinner on board",
];

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// Runs the program; how it ended, and what it said on standard output and on standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = program(arguments).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

fn shelf(folder: &Path) -> PathBuf {
    let shelf = folder.join("schemas");
    std::fs::create_dir(&shelf).expect("the shelf");
    for (id, scenario) in [("ferry_v1", "ferry"), ("train_v1", "train")] {
        let template = json!({"schema_id": id, "scenario": scenario, "keys": [
            {"key_name": "port", "key_type": "string", "required": true,
             "semantic_description": "Port of departure. Example: 'from Kiel' -> 'Kiel'."}]});
        std::fs::write(shelf.join(format!("{id}.json")), template.to_string()).expect("the schema");
    }
    shelf
}

/// A submission that was acknowledged: its body, its key, and the answer's exchange.
type Made = (String, String, Value);

/// Submits until it is over; notes what was acknowledged, the moment that it was.
fn load(serving: &Program, client: usize, over: &AtomicBool, made: &Mutex<Vec<Made>>) {
    let caller = serving.caller();
    for n in 0.. {
        if over.load(Ordering::SeqCst) {
            return;
        }
        let schema = if n % 2 == 0 { "ferry_v1" } else { "train_v1" };
        let body = json!({"schema_id": schema, "payload": {"port": "Kiel", "other": WISHES[n % 3]}}).to_string();
        let key = format!("key-{client}-{n}");
        let reply = caller.call("POST", "/v1/submissions", &[("Idempotency-Key", &key)], &body);
        let reply = reply.expect("an answer");
        assert_eq!(reply.status, 200, "{}", reply.body);
        made.lock()
            .expect("a list")
            .push((body, key, reply.body["exchange"].clone()));
    }
}

/// The state of a scenario after its first records, as bytes.
fn state(journal: &dyn Journal, name: &JournalName, through: u64) -> Vec<u8> {
    let memory = journals();
    let records = journal
        .read(name, 1, usize::try_from(through).expect("small"))
        .expect("records");
    assert_eq!(records.len() as u64, through);
    for record in records {
        let draft = Draft {
            kind: record.kind,
            at: record.at,
            open: record.open,
            sealed: record.sealed,
        };
        append(&memory, name, vec![draft], None).expect("appended");
    }
    let replayed = restore::replay(&memory, name).expect("a state");
    serde_json::to_vec(&replayed.state).expect("a state as JSON")
}

#[test]
fn a_backup_made_under_load_holds_all_that_was_acknowledged_before_it_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, new, file] = ["data", "new", "a.backup"].map(|name| path(folder.path(), name));
    let schemas = shelf(folder.path());
    let log = folder.path().join("log");
    let serve = |data: &str| Program::serve(Path::new(data), &schemas, &log, &[("OTHERWISE_LOG__LEVEL", "warn")]);
    let serving = serve(&data);
    let sunset = json!({"sunset": "2099-01-01T00:00:00Z", "reason": "the quay is closed"}).to_string();
    let deprecated = serving
        .caller()
        .call("POST", "/v1/schemas/train_v1:deprecate", &[], &sunset);
    assert_eq!(deprecated.expect("an answer").status, 200);
    let (over, made) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let before = thread::scope(|scope| {
        for client in 0..3 {
            let (serving, over, made) = (&serving, &over, &made);
            scope.spawn(move || load(serving, client, over, made));
        }
        let acknowledged = |count: usize| {
            let began = Instant::now();
            while made.lock().expect("a list").len() < count && began.elapsed() < Duration::from_secs(60) {
                thread::sleep(Duration::from_millis(5));
            }
            made.lock().expect("a list").clone()
        };
        let before = acknowledged(60);
        let ended = run(&["backup", "--url", serving.base(), "--out", &file]);
        let meanwhile = made.lock().expect("a list").len();
        let after = acknowledged(meanwhile + 10);
        over.store(true, Ordering::SeqCst);
        assert_eq!(ended.0, Some(0), "{ended:?}");
        assert!(ended.1.contains("3 journals"), "{ended:?}");
        assert!(after.len() > meanwhile, "writing goes on");
        before
    });
    assert!(before.len() >= 60);
    let mode = std::fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "its owner's alone");
    assert!(!Path::new(&format!("{file}.part")).exists());
    let whole = run(&["verify", "--backup", &file]);
    assert!(whole.0 == Some(0) && whole.1.contains("whole"), "{whole:?}");
    let taken = run(&["backup", "--url", serving.base(), "--out", &file]);
    assert_eq!(taken.0, Some(2), "a backup is not written over another: {taken:?}");
    assert_eq!(serving.stop().code(), Some(0));

    let ended = run(&["restore", "--from", &file, "--data", &new, "--json"]);
    assert_eq!(ended.0, Some(0), "{ended:?}");
    let said: Value = serde_json::from_str(&ended.1).expect("one document");
    assert_eq!((&said["command"], &said["journals"]), (&json!("restore"), &json!(3)));
    let mode = std::fs::metadata(&new).expect("the folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "its owner's alone");
    let verified = run(&["verify", "--data", &new]);
    assert!(
        verified.0 == Some(0) && verified.1.contains("all whole"),
        "{verified:?}"
    );
    {
        let old = JournalStore::open(Path::new(&data), StoreOptions::default()).expect("the old one");
        let restored = JournalStore::open(Path::new(&new), StoreOptions::default()).expect("the new one");
        let mut shorter = 0;
        for (name, head) in restored.heads().expect("heads") {
            let count = usize::try_from(head.seq).expect("small");
            let [was, is] = [&old, &restored].map(|store| store.read(&name, 1, count).expect("records"));
            assert_eq!(was, is, "{name:?}");
            shorter += old.head(&name).expect("a head").seq - head.seq;
            if name.0.starts_with("scenario/") {
                let replayed = restore::restore(&restored, &name).expect("a state").state;
                let is = serde_json::to_vec(&replayed).expect("a state as JSON");
                assert!(is == state(&old, &name, head.seq), "{name:?} is in another state");
            }
        }
        assert!(shorter > 0, "something came after the backup");
    }

    let serving = serve(&new);
    let caller = serving.caller();
    let versions = caller
        .call("GET", "/v1/scenarios/train/versions", &[], "")
        .expect("an answer");
    let row = &versions.body["versions"][0];
    assert_eq!(
        (&row["state"], &row["sunset"], &row["reason"]),
        (
            &json!("deprecated"),
            &json!("2099-01-01T00:00:00Z"),
            &json!("the quay is closed")
        ),
        "through the backup, and through a start that publishes the folder again"
    );
    for (body, key, exchange) in &before {
        let reply = caller
            .call("POST", "/v1/submissions", &[("Idempotency-Key", key)], body)
            .expect("an answer");
        assert_eq!((reply.status, &reply.body["exchange"]), (200, exchange));
        assert_eq!(reply.headers["idempotent-replayed"], "true");
    }
}

/// Runs the program, which is to end with this code and to say this on standard error.
fn refused(code: i32, what: &str, arguments: &[&str]) {
    let ended = run(arguments);
    assert!(
        ended.0 == Some(code) && ended.2.contains(what),
        "{arguments:?}: {ended:?}"
    );
}

/// Runs the program, which is to end well; the document that it writes.
fn document(arguments: &[&str]) -> Value {
    let ended = run(arguments);
    assert_eq!(ended.0, Some(0), "{ended:?}");
    serde_json::from_str(&ended.1).expect("one document")
}

#[test]
fn a_service_that_does_not_run_is_backed_up_from_its_folder_and_a_running_one_is_not_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, file, missing, new, nowhere, beside] =
        ["data", "a.backup", "missing", "new", "nowhere/b", "piped.backup"].map(|name| path(folder.path(), name));
    let schemas = shelf(folder.path());
    let serving = Program::serve(Path::new(&data), &schemas, &folder.path().join("log"), &[]);
    refused(3, "--url", &["backup", "--data", &data, "--out", &file]);
    assert!(!Path::new(&file).exists());
    let hook = serving
        .caller()
        .call("POST", "/v1/webhooks", &[], r#"{"url": "http://127.0.0.1:9/"}"#)
        .expect("an answer");
    assert_eq!(hook.status, 201, "{}", hook.body);
    assert_eq!(serving.stop().code(), Some(0));
    let said = document(&["backup", "--data", &data, "--out", &file, "--json"]);
    assert_eq!((&said["ending"], &said["journals"]), (&json!("well"), &json!(3)));

    let piped = program(&["backup", "--data", &data, "--out", "-"])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&piped.stderr);
    assert!(
        piped.status.success() && said.starts_with("standard output: 3 journals"),
        "{piped:?}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    std::fs::write(&beside, &piped.stdout).expect("written");
    assert_eq!(run(&["verify", "--backup", &beside]).0, Some(0));

    refused(
        2,
        "standard output",
        &["backup", "--data", &data, "--out", "-", "--json"],
    );
    refused(2, "no store", &["backup", "--data", &missing, "--out", &new]);
    assert!(!Path::new(&missing).exists(), "and none is made");
    refused(2, "", &["backup", "--data", &data, "--out", &nowhere]);
    refused(2, "", &["restore", "--from", &file, "--data", &file]);
    refused(2, "", &["restore", "--from", &data, "--data", &missing]);
    refused(2, "", &["verify", "--backup", &data]);
    refused(2, "not empty", &["restore", "--from", &file, "--data", &data]);
    refused(2, "", &["restore", "--from", &missing, "--data", &new]);
    let whole = run(&["restore", "--from", &file, "--data", &path(folder.path(), "whole")]);
    assert!(
        whole.0 == Some(0) && whole.2.contains("1 webhook") && whole.2.contains("webhook-id"),
        "{whole:?}"
    );
    let said = document(&[
        "restore",
        "--from",
        &file,
        "--data",
        &path(folder.path(), "too"),
        "--json",
    ]);
    assert_eq!(said["webhooks"], 1, "{said}");

    let mut bytes = std::fs::read(&file).expect("the backup");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    let damaged = run(&["verify", "--backup", &file, "--json"]);
    let said: Value = serde_json::from_str(&damaged.1).expect("one document");
    assert_eq!(
        (damaged.0, said["faults"].as_array().map(Vec::len)),
        (Some(1), Some(1)),
        "{damaged:?}"
    );
    refused(1, "nothing was restored", &["restore", "--from", &file, "--data", &new]);
    assert!(!Path::new(&new).exists());
}

#[test]
fn a_service_that_is_not_there_or_does_not_let_one_in_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = path(folder.path(), "a.backup");
    for (url, code) in [("http://127.0.0.1:1", 3), ("ftp://127.0.0.1", 2), ("nonsense", 2)] {
        refused(code, "", &["backup", "--url", url, "--out", &file]);
    }
    let operator = with_key("olga", Role::Operator, KEY);
    let server = Server::set(&[], |settings| settings.principals = vec![operator]);
    let with = |key: &[&'static str]| [&["backup", "--url", server.base(), "--out", &file], key].concat();
    refused(2, "401", &with(&[]));
    refused(
        2,
        "OTHERWISE_NO_SUCH_KEY",
        &with(&["--key-env", "OTHERWISE_NO_SUCH_KEY"]),
    );
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    let mut command = program(&with(&["--key-env", "BACKUP_KEY"]));
    let output = command.env("BACKUP_KEY", KEY).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains(KEY));
}

const KEY: &str = "owk_0123456789abcdef0123456789abcdef";

/// A service over a store with far more in it than a connection holds on its way.
fn large(folder: &Path) -> Server {
    let store = JournalStore::open(folder, StoreOptions::default()).expect("a store");
    for n in 0..40 {
        let drafts = (0..16).map(|_| Draft {
            sealed: vec![7; 40_000],
            ..fact(n, "x")
        });
        append(&store, &name("scenario/default/nobodys"), drafts.collect(), None).expect("appended");
    }
    store.close();
    let data = folder.display().to_string();
    let change = |settings: &mut otherwise::config::Settings| {
        settings.data.folder = data;
        settings.service.backup_stall_s = 1;
    };
    Server::set(&[], change)
}

#[test]
fn backups_are_one_at_a_time_and_a_reader_that_takes_nothing_loses_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = large(&folder.path().join("data"));
    let mut slow = TcpStream::connect(server.base().trim_start_matches("http://")).expect("connected");
    let request = "GET /v1/backup HTTP/1.1\r\nHost: localhost\r\n\r\n";
    slow.write_all(request.as_bytes()).expect("sent");
    let mut first = [0; 15];
    slow.read_exact(&mut first).expect("it begins");
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    let second = server.call("HEAD", "/v1/backup", &[], "");
    assert_eq!(second.status, 503, "the place is taken");
    assert!(second.headers.contains_key("Retry-After"));
    eventually("the place is free again", || {
        server.call("HEAD", "/v1/backup", &[], "").status == 200
    });
    // What it reads now breaks off, without the chunk of length 0 that ends a whole answer.
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(
        rest.len() < 25_000_000 && !rest.ends_with(b"0\r\n\r\n"),
        "{} bytes",
        rest.len()
    );
    let file = path(folder.path(), "a.backup");
    let ended = run(&["backup", "--url", server.base(), "--out", &file]);
    assert!(ended.0 == Some(0) && ended.1.contains("640 records"), "{ended:?}");
}

#[test]
fn a_limit_of_file_sizes_does_not_end_the_program_z167() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = JournalStore::open(&folder.path().join("data"), StoreOptions::default()).expect("a store");
    for n in 0..60 {
        let large = Draft {
            sealed: vec![7; 48_000],
            ..fact(n, "x")
        };
        append(&store, &name("a"), vec![large], None).expect("appended");
    }
    store.close();
    let [data, file, new] = ["data", "backup", "new"].map(|name| path(folder.path(), name));
    assert_eq!(run(&["backup", "--data", &data, "--out", &file]).0, Some(0));
    let output = Command::new("sh")
        .args(["-c", r#"ulimit -f 2000 && exec "$0" restore --from "$1" --data "$2""#])
        .args([env!("CARGO_BIN_EXE_otherwise"), &file, &new])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "no signal ended it: {said}");
    assert!(
        said.contains("larger than the system allows") || said.contains("File too large"),
        "{said}"
    );
    assert!(
        !said.contains("Os {") && !said.contains("unwrap"),
        "in plain words: {said}"
    );
    assert!(!Path::new(&new).exists(), "nothing is left behind");
}
